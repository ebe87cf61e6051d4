# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
139a\
    printf("history %a\\n", normr);
