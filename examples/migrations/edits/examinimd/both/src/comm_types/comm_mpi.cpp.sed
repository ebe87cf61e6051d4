# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# for GPUs: MPI gets these buffers, and most MPIs take no device memory. Kernels that fill or read them must have ended.
s/Kokkos::View<Particle\*>/Kokkos::View<Particle*, Kokkos::SharedHostPinnedSpace>/
401i\
      Kokkos::fence();
449i\
      Kokkos::fence();
