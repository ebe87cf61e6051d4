# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
43a\
#include <mpi.h>
154a\
    if (system->do_print) printf("history %a %a %a\\n", T, PE, KE);
255a\
      if (system->do_print) printf("history %a %a %a\\n", T, PE, KE);
281a\
  // A sum of integers, so the order of the particles and the ranks do not matter.\
  unsigned long long digest = 0;\
  const auto positions = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), system->x);\
  const auto velocities = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), system->v);\
  for (int i = 0; i < system->N_local; i++) {\
    unsigned long long hash = 0;\
    for (int d = 0; d < 3; d++)\
      for (const double number : {positions(i, d), velocities(i, d)}) {\
        hash = (hash ^ Kokkos::bit_cast<unsigned long long>(number)) * 0x9e3779b97f4a7c15u;\
        hash ^= hash >> 29;\
      }\
    digest += hash;\
  }\
  MPI_Allreduce(MPI_IN_PLACE, &digest, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);\
  if (system->do_print) printf("history particles %016llx\\n", digest);
s/HostMirror/host_mirror_type/g # for Kokkos 5
