// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of ten million tenths is a million.
#include <acc/sum.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Kokkos::View<double*> x("x", 10000000);
  Kokkos::deep_copy(x, 0.1);
  const double sum = acc::sum(x);
  std::printf("acc %s: ten million times 0.1 is %.17g\n", ACC_VERSION_STRING, sum);
  return sum == 1e6 ? 0 : 1;
}
