# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# for Kokkos 5
s/HostMirror/host_mirror_type/g
