# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/^    niters = k;/a\
    printf("history %a\\n", normr);
/^#include <fstream>/a\
#include <cstdio>
