# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
36a\
#include <Kokkos_Core.hpp>
77a\
  Kokkos::ScopeGuard kokkos(argc, argv);
