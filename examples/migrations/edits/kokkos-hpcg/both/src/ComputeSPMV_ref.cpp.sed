# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# for Kokkos 5: the program's own product, which it has beside its call of Kokkos Kernels
/^\/\/.*parallel_for/s/^\/\///
/KokkosSparse::spmv/d
