// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients with 1, 2, 3 and 8 threads, and on the device if Kokkos has one. With dot
// products by Kokkos::parallel_reduce the residuals differ, and so may the number of iterations.
// With acc::dot every residual has the same bits.
#include "solve.hpp"
#include "table.hpp"

#include <acc/dot.hpp>

#include <type_traits>

template <class Method>
struct AccDot {
  template <class Exec, class X, class Y>
  double operator()(const Exec& exec, const X& x, const Y& y) const {
    return acc::dot(exec, x, y, Method{});
  }
};

struct Comparison {
  Table plain{"Kokkos::parallel_reduce"}, compensated{"acc::dot, compensated"},
      reproducible{"acc::dot, reproducible<3>"};

  template <class Exec>
  void run(const std::string& by, const Exec& exec) {
    const Stencil a{150, 0, 150};
    const auto alone = [](const auto&) {};  // no neighbors: the extra rows stay 0
    plain.add(by, solve(exec, a, alone, PlainDot{}));
    compensated.add(by, solve(exec, a, alone, AccDot<acc::compensated>{}));
    reproducible.add(by, solve(exec, a, alone, AccDot<acc::reproducible<3>>{}));
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Device = Kokkos::DefaultExecutionSpace;
  Comparison comparison;
#ifdef KOKKOS_ENABLE_OPENMP
  for (const int threads : {1, 2, 3, 8})
    comparison.run(std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
                   Kokkos::OpenMP(threads));
#else
  comparison.run(Host::name(), Host());
  std::puts("This Kokkos has no OpenMP, so different numbers of threads cannot be compared.");
#endif
  if constexpr (!std::is_same_v<Host, Device>) comparison.run(Device::name(), Device());

  std::puts("Conjugate gradients, 22500 unknowns, until |r| <= 1e-4 |b|");
  for (const Table* table : {&comparison.plain, &comparison.compensated, &comparison.reproducible})
    table->print();
  const bool same =
      comparison.compensated.same_everywhere() && comparison.reproducible.same_everywhere();
  // Printed by another machine, with another version of Kokkos and another compiler.
  const bool as_elsewhere = comparison.reproducible.last() == 0x1.b61bc528f8cccp-13;
  std::puts(!same ? "\nUnexpected: acc::dot must give the same bits everywhere."
            : !as_elsewhere
                ? "\nUnexpected: the last residual must be the same as on other machines."
                : "\nWith acc::dot every residual has the same bits in all runs.");
  return same && as_elsewhere ? 0 : 1;
}
