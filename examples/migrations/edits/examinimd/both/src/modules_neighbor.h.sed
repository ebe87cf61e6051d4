# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The default lists stay. The other two need what Kokkos 5 has no more.
/neighbor_csr/d
