// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SMALL_GEMM_HPP
#define ACC_BACKENDS_HOST_SMALL_GEMM_HPP

/// \file
/// Small matrix products on hosts, and small products of a matrix and a vector: by the calling
/// thread, without blocks, workspace and launch, which take longer than the product.

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm_method.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace acc::backends::host {

/// A product for the library's kernels of small ones.
template <class Problem>
class small_product {
  using real = typename Problem::real;

 public:
  /// Whether there are kernels for such products.
  static constexpr bool exists =
      std::is_same_v<typename Problem::method, selective<seeded>> && Problem::parts == 1 &&
      std::is_same_v<typename Problem::in, real> && std::is_same_v<typename Problem::out, real>;

  explicit small_product(const Problem& p) : problem_(p) {}

  /// Whether it is one. (Where alpha is zero, or C stays as it is, there are no products.)
  static bool serves(const Problem& p) {
    using tuning = small_gemm_tuning;
    const std::int64_t m = p.c.rows, n = p.c.columns, k = p.depth();
    if (p.batches != 1 || k > p.strip || !p.reads_products()) return false;
    if (n == 1 || m == 1) {
      // A column has one number of each register.
      const bool is_column = transposes(p) ? m == 1 : n == 1;
      constexpr std::int64_t numbers = 64 / std::int64_t(sizeof(real));
      return k * std::max(m, n) <= tuning::of_vector / (is_column ? numbers : 1);
    }
    return std::max(m, n) <= tuning::copied && m * n <= tuning::copied &&
           k * std::max(m, n) <= tuning::copied && m * n * k <= tuning::of_matrix;
  }

  // What launch_gemm asks for.
  std::size_t bytes() const { return 0; }
  template <class Exec>
  void launch(const Exec& exec, const char* label, void*) const {
    // A tool is shown a launch all the same.
    if (!Kokkos::Tools::profileLibraryLoaded()) return multiply(problem_);
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, 1),
                         [this](int) { multiply(problem_); });
  }

  /// Computes one that is.
  static void multiply(const Problem& p) {
    const auto kernel = small_gemm_for_this_processor<typename Problem::method, real>();
    // Number by number: to copy a matrix_data that has just been written takes longer.
    small_gemm_arguments<real> r{};
    std::int64_t b_column = p.b.column_stride, c_column = p.c.column_stride;
    r.m = p.c.rows;
    r.n = p.c.columns;
    r.k = p.depth();
    r.a = p.a.data;
    r.a_row = p.a.row_stride;
    r.a_k = p.a.column_stride;
    r.b = p.b.data;
    r.b_k = p.b.row_stride;
    r.c = p.c.data;
    r.c_row = p.c.row_stride;
    r.alpha = p.scale.alpha[0];
    r.beta = p.scale.beta[0];
    if (transposes(p)) {
      std::swap(r.m, r.n);
      std::swap(r.a, r.b);
      std::swap(r.a_row, b_column);
      std::swap(r.a_k, r.b_k);
      std::swap(r.c_row, c_column);
    }
    if (r.n == 1 || (b_column == 1 && c_column == 1)) return kernel(r);
    multiply_copies(kernel, r, b_column, c_column);
  }

 private:
  /// Whether C^T = B^T A^T is computed, which has the same entries. Rows of B and C must be
  /// contiguous, but not those of one number: so the product is a row only where it can be one.
  static bool transposes(const Problem& p) {
    if (p.c.columns == 1) return p.a.row_stride == 1 && p.c.row_stride == 1;
    if (p.c.rows == 1) return p.b.column_stride != 1 || p.c.column_stride != 1;
    return p.c.column_stride != 1 && p.c.row_stride == 1;
  }
  /// B, and C where its numbers are not neighbors, by way of copies.
  [[gnu::noinline]] static void multiply_copies(small_gemm_function<real> kernel,
                                                small_gemm_arguments<real> r, std::int64_t b_column,
                                                std::int64_t c_column) {
    real b_copy[small_gemm_tuning::copied], c_copy[small_gemm_tuning::copied];
    if (b_column != 1) {
      for (std::int64_t j = 0; j < r.n; ++j)
        for (std::int64_t k = 0; k < r.k; ++k) b_copy[k * r.n + j] = r.b[k * r.b_k + j * b_column];
      r.b = b_copy;
      r.b_k = r.n;
    }
    if (c_column == 1) return kernel(r);
    real* const c = r.c;
    const std::int64_t c_row = r.c_row;
    r.c = c_copy;
    r.c_row = r.n;
    const auto for_entries = [&](const auto& f) {
      for (std::int64_t i = 0; i < r.m; ++i)
        for (std::int64_t j = 0; j < r.n; ++j) f(c[i * c_row + j * c_column], c_copy[i * r.n + j]);
    };
    if (r.beta != real(0)) for_entries([](const real& entry, real& copy) { copy = entry; });
    kernel(r);
    for_entries([](real& entry, const real& copy) { entry = copy; });
  }

  Problem problem_;
};

}  // namespace acc::backends::host

#endif
