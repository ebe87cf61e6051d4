// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_PAPER_EXPERIMENT_HPP
#define ACC_PERF_TESTS_PAPER_EXPERIMENT_HPP

/// \file
/// Products of known matrices and their errors, for paper_tables.cpp.

#include "products.hpp"

#include <acc/gemm.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace perf::paper {

/// Uniform numbers in [0, 1) or [-1, 1) that depend on their indices alone (SplitMix64 of a
/// counter): every machine and layout multiplies the same matrices. Multiples of 2^-24 and 2^-23;
/// doubles of 2^-53 and 2^-52.
template <class T>
struct uniform {
  decltype(view(blas::matrix<T>{})) x;
  std::uint64_t seed;
  bool signs;

  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const std::int64_t columns = std::int64_t(x.extent(1));
    std::uint64_t z = (seed << 40) + std::uint64_t(e + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    const T in_0_2 = sizeof(T) == 4 ? T(z >> 40) * T(0x1p-23) : T(z >> 11) * T(0x1p-52);
    x(e / columns, e % columns) = signs ? in_0_2 - 1 : in_0_2 / 2;
  }
};

using index_range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

template <class T>
void fill_uniform(const blas::matrix<T>& m, std::uint64_t seed, bool signs) {
  Kokkos::parallel_for(index_range(0, m.size()), uniform<T>{view(m), seed, signs});
}

struct error {
  double mean;             ///< of the absolute errors
  double least, greatest;  ///< of the errors with their signs
  double relative;         ///< greatest |error| / |reference|
  double absolute() const { return std::max(greatest, -least); }
  /// Becomes the greatest errors, absolute and relative, of itself and e.
  void keep_greatest(const error& e) {
    greatest = std::max(greatest, e.absolute());
    relative = std::max(relative, e.relative);
  }
};

template <class T>
struct error_of_entry {
  decltype(view(blas::matrix<T>{})) c;
  decltype(view(blas::matrix<double>{})) reference;

  KOKKOS_FUNCTION void operator()(std::int64_t entry, double& sum, double& least, double& greatest,
                                  double& relative) const {
    const std::int64_t columns = std::int64_t(c.extent(1));
    const std::int64_t i = entry / columns, j = entry % columns;
    const double e = double(c(i, j)) - reference(i, j), size = Kokkos::abs(e);
    sum += size;
    least = Kokkos::min(least, e);
    greatest = Kokkos::max(greatest, e);
    relative = Kokkos::max(relative, size / Kokkos::abs(reference(i, j)));
  }
};

/// The errors of c's entries, Views of one shape.
template <class C, class Reference>
error errors(const C& c, const Reference& reference) {
  error e{};
  Kokkos::parallel_reduce(index_range(0, std::int64_t(c.size())),
                          error_of_entry<typename C::value_type>{c, reference}, e.mean,
                          Kokkos::Min<double>(e.least), Kokkos::Max<double>(e.greatest),
                          Kokkos::Max<double>(e.relative));
  e.mean /= double(c.size());
  return e;
}

/// Matrices of one size, and some rows of their product in double, all by default.
///
/// Of floats: products are exact in double, and the reference has at most n roundings of 2^-53
/// relative to sum |a b|, a 2^-29th of a float's. Of doubles: by `compensated`, which is off by the
/// rounding of its result, u |c|, and 2 n^2 u^2 sum |a b|, for n < 2^16 a millionth of u that sum.
template <class T>
struct experiment {
  std::int64_t n, rows, step;  ///< rows 0, step, 2 step, ... are what errors are taken of
  vector<T> a_data, b_data, c_data;
  vector<double> reference_data;
  blas::matrix<T> a, b, c;

  experiment(std::int64_t size, std::uint64_t seed, bool signs)
      : experiment(size, seed, signs, size) {}
  experiment(std::int64_t size, std::uint64_t seed, bool signs, std::int64_t sample)
      : n(size),
        rows(std::min(sample, size)),
        // Odd, so that the rows lie everywhere in the blocks that a recursion divides.
        step(rows == n ? 1 : (n / rows - 1) | 1),
        a_data("a", std::size_t(n * n)),
        b_data("b", std::size_t(n * n)),
        c_data("c", std::size_t(n * n)),
        reference_data("reference", std::size_t(rows * n)),
        a(matrix_of(a_data.data(), n, n)),
        b(matrix_of(b_data.data(), n, n)),
        c(matrix_of(c_data.data(), n, n)) {
    fill_uniform(a, 2 * seed, signs);
    fill_uniform(b, 2 * seed + 1, signs);
    if constexpr (sizeof(T) == 4)
      acc::gemm(Exec(), "N", "N", 1.0, sampled(a), view(b), 0.0, reference(), acc::widened{});
    else
      acc::gemm(Exec(), "N", "N", 1.0, sampled(a), view(b), 0.0, reference(), acc::compensated{});
    Kokkos::fence();
  }

  /// The sampled rows: an entry's bits do not depend on the other rows.
  template <class Method>
  void multiply(const Method& method) const {
    acc::gemm(Exec(), "N", "N", T(1), sampled(a), view(b), T(0), sampled(c), method);
  }
  void multiply_by_peer() const {
    if constexpr (blas::exists)
      blas::gemm<T>({a.data, n, n, n, a.by_rows, false}, {b.data, n, n, n, b.by_rows, false}, c);
  }
  error errors() const { return paper::errors(sampled(c), reference()); }

  /// The rows of m that errors are taken of.
  auto sampled(const blas::matrix<T>& m) const {
    const auto size = [](std::int64_t x) { return std::size_t(x); };
    const Kokkos::LayoutStride layout(size(rows), size(m.by_rows ? n * step : step), size(n),
                                      size(m.by_rows ? 1 : n));
    return decltype(view(m))(m.data, layout);
  }
  auto reference() const { return view(matrix_of(reference_data.data(), rows, n)); }
};

}  // namespace perf::paper

#endif
