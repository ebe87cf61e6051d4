// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_PAPER_ROUNDING_HPP
#define ACC_PERF_TESTS_PAPER_ROUNDING_HPP

/// \file
/// Tables 2 and 3 of Badin et al. 2011: what a GPU's multiply-and-add does to a product before it
/// adds it, and what that does to the errors.

#include "paper_experiment.hpp"

#include <cstdio>

namespace perf::paper {

/// What the hardware makes of a product before it adds it.
enum class product { truncated, rounded };

/// a b to 24 bits, toward zero: as NVIDIA's GPUs before Fermi did in their FMADD.
KOKKOS_FORCEINLINE_FUNCTION float truncated_product(float a, float b) {
  const double exact = double(a) * double(b);
  return float(Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(exact) &
                                        ~((std::uint64_t(1) << 29) - 1)));
}

/// Entries of A B by strips, which divide n, of products that are not fused with their addition,
/// and Priest's summation between the strips.
struct unfused_product {
  vector<float> a, b, c;
  std::int64_t n, strip;
  product of;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    using sum = acc::impl::strip_sum<acc::selective<acc::priest>, float>;
    sum::chain chain;
    sum::totals totals;
    const std::int64_t i = entry / n, j = entry % n;
    for (std::int64_t k = 0; k < n; ++k) {
      const float x = a(i * n + k), y = b(j * n + k);
      const float p = of == product::truncated ? truncated_product(x, y) : acc::impl::mul(x, y);
      chain.sum = acc::impl::add(chain.sum, p);
      if ((k + 1) % strip == 0) totals.close(chain);
    }
    c(entry) = acc::impl::add(totals.high(chain), totals.low(chain));
  }
};

/// The gold standard of Badin et al. 2011: products in single precision, their sum in double.
struct gold_standard {
  vector<float> a, b;
  vector<double> c;
  std::int64_t n;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    const std::int64_t i = entry / n, j = entry % n;
    double sum = 0;
    for (std::int64_t k = 0; k < n; ++k) sum += double(acc::impl::mul(a(i * n + k), b(j * n + k)));
    c(entry) = sum;
  }
};

/// One line for each strip, product and reference. Here, whatever the execution space, A and C lie
/// by rows and B by columns.
inline void print_rounding() {
  constexpr std::int64_t n = 1024;
  const vector<float> a("a", n * n), b("b", n * n), c("c", n * n);
  const vector<double> gold("gold", n * n), exact("exact", n * n);
  const blas::matrix<float> by_rows{a.data(), n, n, n, true, false};
  const blas::matrix<float> by_columns{b.data(), n, n, n, false, false};
  fill_uniform(by_rows, 2, false);
  fill_uniform(by_columns, 3, false);
  const auto by_rows_of = [&](const auto& x) {
    return view(blas::matrix<std::decay_t<decltype(*x.data())>>{x.data(), n, n, n, true, false});
  };
  Kokkos::parallel_for(index_range(0, n * n), gold_standard{a, b, gold, n});
  acc::gemm(Exec(), "N", "N", 1.0, view(by_rows), view(by_columns), 0.0, by_rows_of(exact),
            acc::widened{});

  const auto print = [&](const char* name, std::int64_t strip) {
    const error to_gold = errors(by_rows_of(c), by_rows_of(gold));
    const error to_exact = errors(by_rows_of(c), by_rows_of(exact));
    std::printf("rounding,%s,%d,gold,%.6g,%.6g,%.6g\n", name, int(strip), to_gold.mean,
                to_gold.least, to_gold.greatest);
    std::printf("rounding,%s,%d,exact,%.6g,%.6g,%.6g\n", name, int(strip), to_exact.mean,
                to_exact.least, to_exact.greatest);
  };
  for (const std::int64_t strip : {16, 64}) {
    const auto unfused = [&](product of) {
      Kokkos::parallel_for(index_range(0, n * n), unfused_product{a, b, c, n, strip, of});
    };
    unfused(product::truncated);
    print("truncated", strip);
    unfused(product::rounded);
    print("rounded", strip);
    acc::gemm(Exec(), "N", "N", 1.0F, view(by_rows), view(by_columns), 0.0F, by_rows_of(c),
              acc::selective<acc::priest>{.strip = strip});
    print("fused", strip);
  }
}

}  // namespace perf::paper

#endif
