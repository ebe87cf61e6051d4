// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_SYMMETRIC_ROWS_HPP
#define ACC_BLAS_SYMMETRIC_ROWS_HPP

/// \file
/// A symmetric or Hermitian matrix, of which a triangle is stored, times a vector, by rows that
/// threads share (docs/arithmetic.md, TR2).

#include <acc/backends/host/kernels/gemv.hpp>
#include <acc/backends/host/topology.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gemv_kernels.hpp"
#include "strided.hpp"
#include "triangle_calls.hpp"

namespace acc::blas {

/// Rows [i, i + m) of A are three parts, from the first k to the last: those before the square on
/// the diagonal, the square, and those after it. Of the two others one lies as the matrix has it,
/// and the other as its transpose, so that one is gone through down its columns and one along its
/// rows, by the kernels of acc::gemv. The chains go from part to part in memory. Each number beside
/// the squares is read twice.
template <class T>
class symmetric_rows {
  using host = Kokkos::DefaultHostExecutionSpace;
  using real = impl::real_t<T>;
  static constexpr int parts = impl::components_of<T>;

 public:
  /// x and y are neighbors.
  ///
  /// \throws std::bad_alloc
  symmetric_rows(const symv_call<T>& c, const T* x, T* y)
      : c_(c), y_(y), from_diagonal_((c.uplo == 'L') != c.row_major) {
    using backends::host::gemv_tuning;
    const std::int64_t bytes = std::int64_t(c.n) * c.n * std::int64_t(sizeof(T)) / 2;
    const auto second = std::int64_t(backends::host::caches().second);
    fetches_down_ = bytes >= gemv_tuning::fetched_of_columns * second;
    fetches_along_ = bytes >= gemv_tuning::fetched_of_rows * second;
    if constexpr (parts == 1) {
      of_stored_ = of_others_ = x;
    } else {
      const std::int64_t count = factors_of<T>(c.n);
      factors_.resize(std::size_t(c.hermitian ? 2 * count : count));
      of_stored_ = of_others_ = factors_.data();
      lay_out_factors(x, c.n, false, factors_.data());
      if (!c.hermitian) return;
      of_others_ += count;
      lay_out_factors(x, c.n, true, factors_.data() + count);
    }
  }

  /// False where an entry is NaN before its fallback, or there is no kernel: then y has no meaning.
  bool run(const host& exec) const {
    if (!has_kernels()) return false;
    std::atomic<bool> has_nan{false};
    const auto work = [&, this](int n) {
      if (has_nan.load(std::memory_order_relaxed)) return;
      if (!multiply(std::int64_t(n) * rows)) has_nan.store(true, std::memory_order_relaxed);
    };
    Kokkos::parallel_for(
        "acc::blas: rows of a symmetric matrix",
        Kokkos::RangePolicy<host, Kokkos::IndexType<int>>(exec, 0, (c_.n + rows - 1) / rows), work);
    exec.fence("acc::blas: rows of a symmetric matrix");
    return !has_nan.load(std::memory_order_relaxed);
  }
  /// The same by the calling thread alone.
  bool run() const {
    if (!has_kernels()) return false;
    for (std::int64_t i = 0; i < c_.n; i += rows)
      if (!multiply(i)) return false;
    return true;
  }

 private:
  static constexpr int rows = 64 / parts;  ///< of a task, and of its square
  static constexpr int numbers = rows * parts;
  static constexpr std::int64_t strip = std::int64_t(impl::strip_of(gemm_default<T>)) * parts;

  /// A task's memory.
  struct task {
    std::int64_t i, m;
    alignas(64) real state[backends::host::max_gemv_components * numbers];
    alignas(64) real sums[2 * numbers], next[2 * numbers], before[numbers], values[numbers];
    alignas(64) real square[rows * numbers];
  };

  bool has_kernels() const { return kernels_.down && kernels_.along; }

  /// Entries from i on.
  bool multiply(std::int64_t i) const {
    task t;
    t.i = i;
    t.m = std::min<std::int64_t>(rows, c_.n - i);
    copy_square(t);
    backends::host::gemv_entries<real> entries{.count = t.m * parts,
                                               .step = numbers,
                                               .sums = t.sums,
                                               .next = t.next,
                                               .scale = scale(),
                                               .before = t.before,
                                               .values = t.values};
    for (std::int64_t k = 0; k < c_.n; k += gemm_section) {
      add_section(t, k, std::min<std::int64_t>(c_.n, k + gemm_section), k == 0 ? t.sums : t.next);
      if (k > 0) kernels_.entries.add(entries);
    }
    std::fill(std::copy_n(parts_at(y_ + i), entries.count, t.before), t.before + numbers, real(0));
    kernels_.entries.scale(entries);
    if (std::any_of(t.values, t.values + entries.count,
                    [](real x) { return impl::needs_fallback(x); }))
      return false;
    std::copy_n(t.values, entries.count, parts_at(y_ + i));
    return true;
  }
  impl::scaling<real> scale() const {
    if constexpr (parts == 1)
      return {{c_.alpha, real(0)}, {c_.beta, real(0)}};
    else
      return {{c_.alpha.real(), c_.alpha.imag()}, {c_.beta.real(), c_.beta.imag()}};
  }

  /// Number `place` of a line, which is a column, or by rows a row.
  const T* at(std::int64_t line, std::int64_t place) const { return c_.a + line * c_.lda + place; }
  void copy_square(task& t) const {
    // Column l of the square and the number in row r. A column of A is a line, or its conjugate.
    const auto place = [&](std::int64_t r, std::int64_t l) {
      return reinterpret_cast<T*>(t.square) + l * rows + r;
    };
    for (std::int64_t l = 0; l < t.m; ++l) {
      for (std::int64_t r = from_diagonal_ ? l : 0; r < (from_diagonal_ ? t.m : l + 1); ++r) {
        const T stored = read(at(t.i + l, t.i + r));
        const T other = c_.hermitian ? conjugate(stored) : stored;
        write(place(r, l), c_.row_major ? other : stored);
        write(place(l, r), c_.row_major ? stored : other);
      }
      if (c_.hermitian) write(place(l, l), without_imaginary_part(read(place(l, l))));
    }
  }
  void add_section(task& t, std::int64_t begin, std::int64_t end, real* sums) const {
    const auto add = [&](std::int64_t k, std::int64_t k_end, auto function, const real* a,
                         std::int64_t stride, bool fetches, const real* x) {
      function({.a = a,
                .stride = stride * parts,
                .rows = t.m,
                .k = k_end - k,
                .strip = strip,
                .fetches = fetches,
                .x = x + factors_of<T>(k),
                .first = k == begin,
                .last = k_end == end,
                .until_close = strip - (k - begin) * parts % strip,
                .state = t.state,
                .sums = sums,
                .step = numbers});
    };
    const auto add_stored = [&](std::int64_t k, std::int64_t k_end, bool is_down) {
      k = std::max(k, begin);
      k_end = std::min(k_end, end);
      if (k >= k_end) return;
      // Down lines that are columns A's numbers are as they are stored, and along lines that are
      // rows.
      const real* const x = is_down != c_.row_major ? of_stored_ : of_others_;
      if (is_down)
        add(k, k_end, kernels_.down, parts_at(at(k, t.i)), c_.lda, fetches_down_, x);
      else
        add(k, k_end, kernels_.along, parts_at(at(t.i, k)), c_.lda, fetches_along_, x);
    };
    const auto add_square = [&](std::int64_t k, std::int64_t k_end) {
      const std::int64_t first = std::max(k, begin);
      k_end = std::min(k_end, end);
      if (first < k_end)
        add(first, k_end, kernels_.down, t.square + (first - k) * numbers, rows, false, of_stored_);
    };
    add_stored(0, t.i, from_diagonal_);
    add_square(t.i, t.i + t.m);
    add_stored(t.i + t.m, c_.n, !from_diagonal_);
  }

  const symv_call<T>& c_;
  T* const y_;
  const bool from_diagonal_;
  const gemv_kernels<T>& kernels_ = gemv_kernels<T>::of_this_processor();
  bool fetches_down_, fetches_along_;
  /// The factors of x, as kernels read them, for numbers as they are stored and for the others.
  const real *of_stored_, *of_others_;
  std::vector<real> factors_;
};

}  // namespace acc::blas

#endif
