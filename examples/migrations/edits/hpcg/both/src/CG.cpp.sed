# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
124a\
    if (A.geom->rank == 0) printf("history %a\\n", normr);
23a\
#include <cstdio>
