# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# for Kokkos 5. The host's map is never read, and a map cannot be copied to one of another size.
s/dimension_0()/extent(0)/g
/host_globalToLocalMap/d
