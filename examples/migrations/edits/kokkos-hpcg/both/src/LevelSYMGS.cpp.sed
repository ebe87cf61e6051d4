# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# for Kokkos 5
s/dimension_0()/extent(0)/g
