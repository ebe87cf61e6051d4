# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# for GPUs: MPI gets these buffers, and most MPIs take no device memory
s/Kokkos::View<Particle\*>/Kokkos::View<Particle*, Kokkos::SharedHostPinnedSpace>/
