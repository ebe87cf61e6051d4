// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum and a dot product. Plain arithmetic gets both wrong.
#include <acc/acc.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  Kokkos::View<double*> x("x", 3), y("y", 3);
  auto x_host = Kokkos::create_mirror_view(x);
  x_host(0) = 1e16;
  x_host(1) = 1;
  x_host(2) = -1e16;
  Kokkos::deep_copy(x, x_host);
  Kokkos::deep_copy(y, 1.0);

  double const sum = acc::sum(x);
  double const dot = acc::dot(Kokkos::DefaultExecutionSpace{}, x, y, acc::double_word{});
  std::printf("acc %s: sum %a, dot %a; both are 1\n", ACC_VERSION_STRING, sum, dot);
  return sum == 1 && dot == 1 ? 0 : 1;
}
