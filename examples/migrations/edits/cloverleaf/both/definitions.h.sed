# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# for Kokkos 5
s/HostMirror/host_mirror_type/g
/^#include <Kokkos_Core.hpp>/a\
#include <cmath>\
#include <fstream>\
#include <iostream>
