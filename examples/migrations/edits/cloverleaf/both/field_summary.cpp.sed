# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
206a\
  if (parallel.boss) printf("history %a %a %a %a %a\\n", vol, mass, ie, ke, press);
