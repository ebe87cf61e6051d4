// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SMALL_GEMM_HPP
#define ACC_BACKENDS_HOST_SMALL_GEMM_HPP

/// \file
/// Small matrix products on hosts, and small products of a matrix and a vector: by the calling
/// thread, without blocks, workspace and launch, which take longer than the product.

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace acc::backends::host {

/// A product for the library's kernels of small ones.
template <class Problem>
class small_product {
  using real = typename Problem::real;
  using scalar = typename Problem::in;
  static constexpr int parts = Problem::parts;
  using arguments = small_gemm_arguments<real, parts>;
  using function = small_gemm_function<real, parts>;

 public:
  /// Whether there are kernels for such products.
  static constexpr bool exists = std::is_same_v<typename Problem::method, selective<seeded>> &&
                                 std::is_same_v<real, impl::real_t<scalar>> &&
                                 std::is_same_v<typename Problem::out, scalar>;

  explicit small_product(const Problem& p) : problem_(p) {}

  /// Whether it is one. (Where alpha is zero, or C stays as it is, there are no products.)
  static bool serves(const Problem& p) {
    using tuning = small_gemm_tuning;
    const std::int64_t m = p.c.rows, n = p.c.columns, k = p.depth();
    if (p.batches != 1 || k > p.strip || !p.reads_products()) return false;
    if (!has_neighbors_in_b(p) && k > tuning::packed / numbers_of_register) return false;
    if (!has_neighbors_in_c(p) && parts * m * n > tuning::copied) return false;
    return parts * m * n * k <= (n == 1 || m == 1 ? tuning::of_vector : tuning::of_matrix);
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
    // Number by number: to copy a matrix_data that has just been written takes longer.
    arguments r{};
    std::int64_t c_column = parts * p.c.column_stride;
    r.m = p.c.rows;
    r.n = p.c.columns;
    r.k = p.depth();
    r.a = numbers_at(p.a.data);
    r.a_row = parts * p.a.row_stride;
    r.a_k = parts * p.a.column_stride;
    r.b = numbers_at(p.b.data);
    r.b_k = parts * p.b.row_stride;
    r.b_column = parts * p.b.column_stride;
    r.c = numbers_at(p.c.data);
    r.c_row = parts * p.c.row_stride;
    r.alpha = p.scale.alpha[0];
    r.beta = p.scale.beta[0];
    if constexpr (parts == 2) {
      r.alpha_im = p.scale.alpha[1];
      r.beta_im = p.scale.beta[1];
      r.b_is_first = transposes(p);
      r.conjugates_first = p.a.conjugate;
      r.conjugates_second = p.b.conjugate;
    }
    if (transposes(p)) {
      std::swap(r.m, r.n);
      std::swap(r.a, r.b);
      std::swap(r.a_row, r.b_column);
      std::swap(r.a_k, r.b_k);
      std::swap(r.c_row, c_column);
    }
    const bool is_column = r.n == 1;
    r.n *= parts;
    if (is_column) r.b_column = parts;
    if (is_column || c_column == parts) return kernel()(r);
    multiply_copy(kernel(), r, c_column);
  }

 private:
  static const real* numbers_at(const scalar* p) { return reinterpret_cast<const real*>(p); }
  static real* numbers_at(scalar* p) { return reinterpret_cast<real*>(p); }
  /// Numbers of the longest vector registers.
  static constexpr std::int64_t numbers_of_register = 64 / std::int64_t(sizeof(real));

  /// Whether C^T = B^T A^T is computed, which has the same entries: so that numbers of a row of C
  /// are neighbors. A vector is a row, as its entries then share registers.
  static bool transposes(const Problem& p) {
    if (p.c.rows == 1 || p.c.columns == 1) return p.c.rows != 1;
    return p.c.column_stride != 1 && p.c.row_stride == 1;
  }
  /// Whether numbers of a row of what is then B are neighbors, and of C.
  static bool has_neighbors_in_b(const Problem& p) {
    return transposes(p) ? p.a.row_stride == 1 : p.c.columns == 1 || p.b.column_stride == 1;
  }
  static bool has_neighbors_in_c(const Problem& p) {
    return transposes(p) ? p.c.row_stride == 1 : p.c.columns == 1 || p.c.column_stride == 1;
  }

  /// Chosen once: to ask which instruction set there is takes as long as the least products.
  static function kernel() {
    // An atomic that starts as a constant: a static variable would have a lock.
    static constinit std::atomic<function> chosen{nullptr};
    function f = chosen.load(std::memory_order_relaxed);
    if (f != nullptr) return f;
    f = small_gemm_for_this_processor<typename Problem::method, real, parts>();
    chosen.store(f, std::memory_order_relaxed);
    return f;
  }

  /// By way of a copy of C.
  [[gnu::noinline]] static void multiply_copy(function multiply_rows, arguments r,
                                              std::int64_t c_column) {
    real copy[small_gemm_tuning::copied];
    bool reads_c = r.beta != real(0);
    if constexpr (parts == 2) reads_c = reads_c || r.beta_im != real(0);
    real* const c = r.c;
    const std::int64_t c_row = r.c_row;
    r.c = copy;
    r.c_row = r.n;
    const auto for_entries = [&](const auto& f) {
      for (std::int64_t i = 0; i < r.m; ++i)
        for (std::int64_t j = 0; j < r.n; ++j)
          f(c[i * c_row + j / parts * c_column + j % parts], copy[i * r.n + j]);
    };
    if (reads_c) for_entries([](const real& entry, real& copied) { copied = entry; });
    multiply_rows(r);
    for_entries([](real& entry, const real& copied) { entry = copied; });
  }

  Problem problem_;
};

}  // namespace acc::backends::host

#endif
