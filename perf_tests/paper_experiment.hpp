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
/// counter): every machine and layout multiplies the same matrices. Multiples of 2^-24 and 2^-23.
struct uniform {
  decltype(view(blas::matrix<float>{})) x;
  std::uint64_t seed;
  bool signs;

  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const std::int64_t columns = std::int64_t(x.extent(1));
    std::uint64_t z = (seed << 40) + std::uint64_t(e + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    const float in_0_2 = float((z ^ z >> 31) >> 40) * 0x1p-23f;
    x(e / columns, e % columns) = signs ? in_0_2 - 1 : in_0_2 / 2;
  }
};

using index_range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

inline void fill_uniform(const blas::matrix<float>& m, std::uint64_t seed, bool signs) {
  Kokkos::parallel_for(index_range(0, m.size()), uniform{view(m), seed, signs});
}

struct error {
  double mean;             ///< of the absolute errors
  double least, greatest;  ///< of the errors with their signs
  double relative;         ///< greatest |error| / |reference|
  double absolute() const { return std::max(greatest, -least); }
};

struct error_of_entry {
  vector<float> c;
  vector<double> reference;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& sum, double& least, double& greatest,
                                  double& relative) const {
    const double e = double(c(i)) - reference(i), size = Kokkos::abs(e);
    sum += size;
    least = Kokkos::min(least, e);
    greatest = Kokkos::max(greatest, e);
    relative = Kokkos::max(relative, size / Kokkos::abs(reference(i)));
  }
};

/// The errors of c's entries.
inline error errors(const vector<float>& c, const vector<double>& reference) {
  error e{};
  Kokkos::parallel_reduce(index_range(0, std::int64_t(c.extent(0))), error_of_entry{c, reference},
                          e.mean, Kokkos::Min<double>(e.least), Kokkos::Max<double>(e.greatest),
                          Kokkos::Max<double>(e.relative));
  e.mean /= double(c.extent(0));
  return e;
}

/// Matrices of one size, and their product in double: with products that are exact in double it has
/// at most n roundings of 2^-53 relative to sum |a b|, a 2^-29th of a float's.
struct experiment {
  std::int64_t n;
  vector<float> a_data, b_data, c_data;
  vector<double> reference_data;
  blas::matrix<float> a, b, c;

  experiment(std::int64_t size, std::uint64_t seed, bool signs)
      : n(size),
        a_data("a", std::size_t(n * n)),
        b_data("b", std::size_t(n * n)),
        c_data("c", std::size_t(n * n)),
        reference_data("reference", std::size_t(n * n)),
        a(matrix_of(a_data.data(), n, n)),
        b(matrix_of(b_data.data(), n, n)),
        c(matrix_of(c_data.data(), n, n)) {
    fill_uniform(a, 2 * seed, signs);
    fill_uniform(b, 2 * seed + 1, signs);
    acc::gemm(Exec(), "N", "N", 1.0, view(a), view(b), 0.0,
              view(matrix_of(reference_data.data(), n, n)), acc::widened{});
    Kokkos::fence();
  }

  template <class Method>
  void multiply(const Method& method) const {
    acc::gemm(Exec(), "N", "N", 1.0F, view(a), view(b), 0.0F, view(c), method);
  }
  void multiply_by_peer() const {
    if constexpr (blas::exists)
      blas::gemm<float>({a.data, n, n, n, a.by_rows, false}, {b.data, n, n, n, b.by_rows, false},
                        c);
  }
  error errors() const { return paper::errors(c_data, reference_data); }
};

}  // namespace perf::paper

#endif
