// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The limit of a random walk. If its transition matrix P is squared repeatedly, all columns tend to
// the stationary distribution. The entries of P are non-negative and of similar size, as acc::ngemm
// requires. acc::ngemm saves operations, and for large matrices time: random_walk 8192 prints the
// seconds of a product.
#include <acc/ngemm.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

using HostMatrix = Kokkos::View<float**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

/// A walk between n states along links with integer weights: P(i, j) is weight(i, j) divided by the
/// sum of column j. Because weight(i, j) = weight(j, i), the stationary probability of a state is
/// proportional to the sum of its column. So the stationary distribution is known.
struct Walk {
  HostMatrix p;
  Kokkos::View<double*, Kokkos::HostSpace> stationary;

  explicit Walk(int n) : p("P", n, n), stationary("stationary", n) {
    double total = 0;
    for (int j = 0; j < n; ++j) {
      double sum = 0;  // exact, because the weights are integers
      for (int i = 0; i < n; ++i) sum += weight(i, j);
      for (int i = 0; i < n; ++i) p(i, j) = float(weight(i, j) / sum);
      total += stationary(j) = sum;
    }
    for (int i = 0; i < n; ++i) stationary(i) /= total;
  }

 private:
  /// 1 to 16, and eight times as much if i and j are both even or both odd.
  static double weight(int i, int j) {
    std::uint32_t h = 0x9e3779b9u * std::uint32_t(std::min(i, j) + 1) +
                      0x85ebca6bu * std::uint32_t(std::max(i, j) + 1);
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    return (1 + (h >> 16) % 16) * ((i + j) % 2 == 0 ? 8.0 : 1.0);
  }
};

/// P^2, P^4, ... P^256. square(exec, A, C) computes C = A A.
template <class Exec, class Square>
std::vector<HostMatrix> powers(const Exec& exec, const HostMatrix& p, const Square& square) {
  using Matrix = Kokkos::View<float**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  Matrix a("A", p.extent(0), p.extent(1)), c("C", p.extent(0), p.extent(1));
  Kokkos::deep_copy(a, p);
  std::vector<HostMatrix> result;
  for (int k = 0; k < 8; ++k) {
    square(exec, a, c);
    exec.fence();
    std::swap(a, c);
    result.emplace_back("power", p.extent(0), p.extent(1));
    Kokkos::deep_copy(result.back(), a);
  }
  return result;
}

/// The two products that are compared.
struct Gemm {
  template <class Exec, class A, class C>
  void operator()(const Exec& exec, const A& a, const C& c) const {
    acc::gemm(exec, "N", "N", 1.0f, a, a, 0.0f, c, acc::plain{});
  }
};
struct Ngemm {
  acc::ngemm_options options;
  template <class Exec, class A, class C>
  void operator()(const Exec& exec, const A& a, const C& c) const {
    acc::ngemm(exec, "N", "N", 1.0f, a, a, 0.0f, c, options, acc::plain{});
  }
};

/// The largest relative error of the columns with respect to the stationary distribution.
double error(const HostMatrix& power, const Walk& walk) {
  double largest = 0;
  for (int j = 0; j < power.extent_int(1); ++j)
    for (int i = 0; i < power.extent_int(0); ++i)
      if (const double e = std::abs(power(i, j) - walk.stationary(i)) / walk.stationary(i);
          !(e <= largest))
        largest = std::isnan(e) ? INFINITY : e;  // std::max would ignore a NaN
  return largest;
}

/// The seconds of the second of two products of walk.p with itself.
template <class Square>
double seconds(const Walk& walk, const Square& square) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::DefaultExecutionSpace(), walk.p);
  const auto c = Kokkos::create_mirror(Kokkos::DefaultExecutionSpace(), walk.p);
  Kokkos::Timer timer;
  for (int i = 0; i < 2; ++i) {
    timer.reset();
    square(exec, a, c);
    exec.fence();
  }
  return timer.seconds();
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const int n = argc > 1 ? std::atoi(argv[1]) : 300;
  const Walk walk(n);
  // For such a small n ngemm chooses depth 0, which is gemm. With depth 2 it computes 7 * 7 = 49
  // products of a quarter of the size instead of 64.
  const Ngemm ngemm{{.depth = n < 2048 ? 2 : -1}};
  if (n >= 2048) {
    std::printf("n = %d: gemm %.3g s, ngemm of depth %d %.3g s\n", n, seconds(walk, Gemm{}),
                acc::ngemm_depth<float>(n, n, n, ngemm.options), seconds(walk, ngemm));
    return 0;
  }

  using Host = Kokkos::DefaultHostExecutionSpace;
  using Device = Kokkos::DefaultExecutionSpace;
  const auto by_gemm = powers(Host(), walk.p, Gemm{}), by_ngemm = powers(Host(), walk.p, ngemm);
  std::printf("A random walk between %d states: largest relative error of a column\n", n);
  std::printf("%6s%16s%16s\n", "steps", "gemm", "ngemm");
  for (std::size_t k = 0; k < by_gemm.size(); ++k)
    std::printf("%6d%16.1e%16.1e\n", 2 << k, error(by_gemm[k], walk), error(by_ngemm[k], walk));
  const bool accurate = error(by_ngemm.back(), walk) < 1e-5;

  bool same = true;
  const auto compare = [&](const std::vector<HostMatrix>& other) {
    for (std::size_t k = 0; k < other.size(); ++k)
      same = same &&
             !std::memcmp(other[k].data(), by_ngemm[k].data(), other[k].span() * sizeof(float));
  };
#ifdef KOKKOS_ENABLE_OPENMP
  for (const int threads : {1, 2, 3, 8}) compare(powers(Kokkos::OpenMP(threads), walk.p, ngemm));
#else
  std::puts("This Kokkos has no OpenMP, so different numbers of threads cannot be compared.");
#endif
  if constexpr (!std::is_same_v<Host, Device>) compare(powers(Device(), walk.p, ngemm));

  std::puts(!accurate ? "\nUnexpected: the columns must tend to the stationary distribution."
            : !same
                ? "\nUnexpected: ngemm must give the same bits in all runs."
                : "\nBoth find the stationary distribution. ngemm has the same bits in all runs.");
  return accurate && same ? 0 : 1;
}
