# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A Kokkos 4.6, as far as find_package() asks.
set(PACKAGE_VERSION 4.6.0)
set(PACKAGE_VERSION_COMPATIBLE FALSE)
