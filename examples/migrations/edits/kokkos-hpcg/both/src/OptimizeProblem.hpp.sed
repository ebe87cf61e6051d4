# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# for Kokkos 5
s/<impl\/Kokkos_Timer.hpp>/<Kokkos_Timer.hpp>/
