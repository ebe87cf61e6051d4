# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
23a\
#include <acc/acc.hpp>
67,72c\
  return acc::dot(y, x);
