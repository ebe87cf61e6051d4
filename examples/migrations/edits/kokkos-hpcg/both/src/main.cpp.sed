# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# for Kokkos 5, which no View may outlive
s/Kokkos::initialize(argc, argv)/Kokkos::ScopeGuard kokkos(argc, argv)/
/Kokkos::finalize();/d
s/execution_space::print_configuration/execution_space().print_configuration/
