// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_VECTOR_SUBSTITUTION_HPP
#define ACC_BLAS_VECTOR_SUBSTITUTION_HPP

/// \file
/// Substitution with one right-hand side by the calling thread (docs/arithmetic.md, TR4).

#include <acc/backends/host/kernels/gemv.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/scaling.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/core/gemm_method.hpp>

#include <algorithm>
#include <cstdint>

#include "equations.hpp"
#include "gemv_kernels.hpp"
#include "triangles.hpp"

namespace acc::blas {

/// The products that a block loses are those of acc::gemv, by its kernels. Where A's columns lie in
/// memory and the unknowns ascend, a column is read for the equations of several blocks: their
/// chains wait in memory, each at the unknown before the block. Where they descend, the products of
/// an equation begin with the unknown that was solved last, so no chain can wait.
template <class S>
class vector_substitution {
 public:
  /// The unknowns of x are neighbors.
  vector_substitution(const equations<S>& all, S* x) : all_(all), x_(x) {
    const auto [row, column] = all.strides();
    sum_ = row == 1 ? kernels_.down : kernels_.along;
    stride_ = row == 1 ? column : row;
    row_ = row;
    column_ = column;
    blocks_together_ = row == 1 && all.ascends ? most_together : 1;
  }

  /// False where an entry is NaN before its fallback, or there is no kernel. Then some unknowns are
  /// solved, and x can't be used.
  bool run() {
    if (!sum_) return false;
    for (int n = 0; n < all_.blocks(); n += blocks_together_)
      if (!solve(n, std::min(n + blocks_together_, all_.blocks()))) return false;
    return true;
  }

 private:
  static constexpr int most_together = 8;
  static constexpr int step = most_together * solved_at_once;  ///< whole registers
  static constexpr std::int64_t strip = impl::strip_of(gemm_default<S>);

  /// Blocks [n, end), which are solved one after the other.
  bool solve(int n, int end) {
    const block begin = all_.block_of(n);
    const bool together = end - n > 1;
    int rows = 0;
    for (int b = n; b < end; ++b) rows += all_.block_of(b).count;
    if (begin.n > 0) add(begin.first, rows, begin.solved, begin.n, 0, !together);
    for (int b = n; b < end; ++b) {
      const block of = all_.block_of(b);
      const int place = together ? (b - n) * solved_at_once : 0;
      if (of.n > 0) {
        if (together) add(of.first, of.count, of.first, 0, place, true);
        if (!subtract(of, place)) return false;
      }
      all_.solve_rows(of, x_ + of.first, 1, 1);
      rows -= of.count;
      if (b + 1 < end)
        add(of.first + of.count, rows, of.first, of.count, place + solved_at_once, false);
    }
    return true;
  }
  /// Adds products with unknowns [k, k + count) to the sums of `rows` equations, which are at
  /// `place` of the state; their last ones where `ends`.
  void add(int row, int rows, int k, int count, int place, bool ends) {
    std::int64_t before = all_.ascends ? k : 0;  // products that are in the sums
    const S* const a = all_.a.data + row * row_;
    for (std::int64_t next = k, end = k + count;;) {
      const std::int64_t section = before / gemm_section * gemm_section;
      const std::int64_t n = std::min(end - next, section + gemm_section - before);
      if (n == 0 && before == section) return;  // its end was one's of the parts before
      const bool is_last = before + n == section + gemm_section || (ends && next + n == end);
      S* const sums = (section == 0 ? sums_ : next_) + place;
      sum_({.a = a + next * column_,
            .stride = stride_,
            .rows = rows,
            .k = n,
            .strip = strip,
            .fetches = false,
            .x = x_ + next,
            .first = before == section,
            .last = is_last,
            .until_close = strip - (before - section) % strip,
            .state = state_ + place,
            .sums = sums,
            .step = step});
      if (is_last && section > 0) {
        auto all = entries(rows, place);
        kernels_.entries.add(all);
      }
      before += n;
      next += n;
      if (next == end) return;
    }
  }
  backends::host::gemv_entries<S> entries(int count, int place) {
    return {.count = count,
            .step = step,
            .sums = sums_ + place,
            .next = next_ + place,
            .scale = {{S(-1), S(0)}, {S(1), S(0)}},
            .before = nullptr,
            .values = nullptr};
  }
  /// A block's right-hand sides become those of its own unknowns alone.
  bool subtract(const block& of, int place) {
    alignas(64) S before[solved_at_once], values[solved_at_once];
    S* const x = x_ + of.first;
    std::fill(std::copy_n(x, of.count, before), before + solved_at_once, S(0));
    auto block_entries = entries(of.count, place);
    block_entries.before = before;
    block_entries.values = values;
    kernels_.entries.scale(block_entries);
    for (int i = 0; i < of.count; ++i)
      if (impl::needs_fallback(values[i])) return false;
    std::copy_n(values, of.count, x);
    return true;
  }

  const gemv_kernels<S>& kernels_ = gemv_kernels<S>::of_this_processor();
  const equations<S>& all_;
  S* const x_;
  std::int64_t row_, column_;  ///< from one equation, and from one unknown, to the next in A
  std::int64_t stride_;        ///< as the kernel walks
  backends::host::gemv_function<S, S> sum_;
  int blocks_together_;
  // Not set to anything: there may be few of them. A section's beginning sets all components from
  // its place on.
  alignas(64) S state_[(backends::host::max_gemv_components + 1) * step];
  alignas(64) S sums_[2 * step], next_[2 * step];
};

}  // namespace acc::blas

#endif
