// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_SYMMETRIC_ROWS_HPP
#define ACC_BLAS_SYMMETRIC_ROWS_HPP

/// \file
/// A symmetric matrix of real numbers, of which a triangle is stored, times a vector, by rows that
/// threads share (docs/arithmetic.md, TR2).

#include <acc/backends/host/kernels/gemv.hpp>
#include <acc/backends/host/topology.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/core/gemm_method.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "gemv_kernels.hpp"
#include "triangle_calls.hpp"

namespace acc::blas {

/// Rows [i, i + m) of A are three parts, from the first k to the last: those before the square on
/// the diagonal, the square, and those after it. Of the two others one lies as the matrix has it,
/// and the other as its transpose, so that one is gone through down its columns and one along its
/// rows, by the kernels of acc::gemv. The chains go from part to part in memory. Each stored number
/// is read twice.
template <class S>
class symmetric_rows {
  using host = Kokkos::DefaultHostExecutionSpace;

 public:
  /// x and y are neighbors.
  symmetric_rows(const symv_call<S>& c, const S* x, S* y)
      : c_(c), x_(x), y_(y), from_diagonal_((c.uplo == 'L') != c.row_major) {
    using backends::host::gemv_tuning;
    const std::int64_t bytes = std::int64_t(c.n) * c.n * std::int64_t(sizeof(S)) / 2;
    const auto second = std::int64_t(backends::host::caches().second);
    fetches_down_ = bytes >= gemv_tuning::fetched_of_columns * second;
    fetches_along_ = bytes >= gemv_tuning::fetched_of_rows * second;
  }

  /// False where an entry is NaN before its fallback, or there is no kernel: then y has no meaning.
  bool run(const host& exec) {
    if (!kernels_.down || !kernels_.along) return false;
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

 private:
  static constexpr int rows = 64;  ///< of a task, and of its square
  static constexpr std::int64_t strip = impl::strip_of(gemm_default<S>);

  /// A task's memory.
  struct task {
    std::int64_t i, m;
    alignas(64) S state[backends::host::max_gemv_components * rows];
    alignas(64) S sums[2 * rows], next[2 * rows], before[rows], values[rows];
    alignas(64) S square[rows * rows];
  };

  /// Entries from i on.
  bool multiply(std::int64_t i) const {
    task t;
    t.i = i;
    t.m = std::min<std::int64_t>(rows, c_.n - i);
    copy_square(t);
    backends::host::gemv_entries<S> entries{.count = t.m,
                                            .step = rows,
                                            .sums = t.sums,
                                            .next = t.next,
                                            .scale = {{c_.alpha, S(0)}, {c_.beta, S(0)}},
                                            .before = t.before,
                                            .values = t.values};
    for (std::int64_t k = 0; k < c_.n; k += gemm_section) {
      add_section(t, k, std::min<std::int64_t>(c_.n, k + gemm_section), k == 0 ? t.sums : t.next);
      if (k > 0) kernels_.entries.add(entries);
    }
    std::fill(std::copy_n(y_ + i, t.m, t.before), t.before + rows, S(0));
    kernels_.entries.scale(entries);
    if (std::any_of(t.values, t.values + t.m, [](S x) { return impl::needs_fallback(x); }))
      return false;
    std::copy_n(t.values, t.m, y_ + i);
    return true;
  }
  /// Number `place` of a line, which is a column, or by rows a row.
  const S* at(std::int64_t line, std::int64_t place) const { return c_.a + line * c_.lda + place; }
  void copy_square(task& t) const {
    for (std::int64_t l = 0; l < t.m; ++l)
      for (std::int64_t r = from_diagonal_ ? l : 0; r < (from_diagonal_ ? t.m : l + 1); ++r)
        t.square[l * rows + r] = t.square[r * rows + l] = *at(t.i + l, t.i + r);
  }
  void add_section(task& t, std::int64_t begin, std::int64_t end, S* sums) const {
    const auto add = [&](std::int64_t k, std::int64_t k_end, auto function, auto first,
                         std::int64_t stride, bool fetches) {
      k = std::max(k, begin);
      k_end = std::min(k_end, end);
      if (k >= k_end) return;
      function({.a = first(k),
                .stride = stride,
                .rows = t.m,
                .k = k_end - k,
                .strip = strip,
                .fetches = fetches,
                .x = x_ + k,
                .first = k == begin,
                .last = k_end == end,
                .until_close = strip - (k - begin) % strip,
                .state = t.state,
                .sums = sums,
                .step = rows});
    };
    const auto down = [&](std::int64_t k) { return at(k, t.i); };
    const auto along = [&](std::int64_t k) { return at(t.i, k); };
    const auto add_stored = [&](std::int64_t k, std::int64_t k_end, bool is_down) {
      if (is_down)
        add(k, k_end, kernels_.down, down, c_.lda, fetches_down_);
      else
        add(k, k_end, kernels_.along, along, c_.lda, fetches_along_);
    };
    add_stored(0, t.i, from_diagonal_);
    add(
        t.i, t.i + t.m, kernels_.down, [&](std::int64_t k) { return t.square + (k - t.i) * rows; },
        rows, false);
    add_stored(t.i + t.m, c_.n, !from_diagonal_);
  }

  const symv_call<S>& c_;
  const S* const x_;
  S* const y_;
  const bool from_diagonal_;
  const gemv_kernels<S>& kernels_ = gemv_kernels<S>::of_this_processor();
  bool fetches_down_, fetches_along_;
};

}  // namespace acc::blas

#endif
