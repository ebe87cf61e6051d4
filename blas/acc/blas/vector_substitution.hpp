// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_VECTOR_SUBSTITUTION_HPP
#define ACC_BLAS_VECTOR_SUBSTITUTION_HPP

/// \file
/// Substitution with one right-hand side by the calling thread (docs/arithmetic.md, TR4).

#include <acc/backends/host/kernels/gemv.hpp>
#include <acc/backends/host/topology.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/scaling.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "equations.hpp"
#include "gemv_kernels.hpp"
#include "triangles.hpp"

namespace acc::blas {

/// The products that a block loses are those of acc::gemv, by its kernels. Where A's columns lie in
/// memory and the unknowns ascend, a column is read for the equations of several blocks: their
/// chains wait in memory, each at the unknown before the block. Where they descend, the products of
/// an equation begin with the unknown that was solved last, so no chain can wait: a block goes
/// through all columns by itself, and fetches the next block's numbers on its way, if A is larger
/// than the second cache.
template <class T>
class vector_substitution {
  using real = impl::real_t<T>;
  static constexpr int parts = impl::components_of<T>;

 public:
  /// The unknowns of x are neighbors. Complex ones need memory for so many numbers.
  static constexpr std::int64_t numbers_of_factors(std::int64_t order) {
    return parts == 1 ? 0 : factors_of<T>(order);
  }
  vector_substitution(const equations<T>& all, T* x, real* factors)
      : all_(all), x_(x), factors_(factors) {
    const auto [row, column] = all.strides();
    sum_ = row == 1 ? kernels_.down : kernels_.along;
    stride_ = parts * (row == 1 ? column : row);
    row_ = row;
    column_ = column;
    blocks_together_ = row == 1 && all.ascends ? most_together : 1;
    const auto bytes = std::size_t(all.order) * std::size_t(all.order) * sizeof(T);
    const bool fetches = row == 1 && !all.ascends && bytes > backends::host::caches().second;
    to_next_block_ = fetches ? -solved_at_once * parts : 0;
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
  static constexpr int step = most_together * solved_at_once * parts;  ///< whole registers
  static constexpr std::int64_t strip = std::int64_t(impl::strip_of(gemm_default<T>)) * parts;

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
      if constexpr (parts == 2)
        lay_out_factors<T>(x_ + of.first, of.count, all_.conjugates,
                           factors_ + factors_of<T>(of.first));
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
    const real* const a = parts_at(all_.a.data + row * row_);
    for (std::int64_t next = k, end = k + count;;) {
      const std::int64_t section = before / gemm_section * gemm_section;
      const std::int64_t n = std::min(end - next, section + gemm_section - before);
      if (n == 0 && before == section) return;  // its end was one's of the parts before
      const bool is_last = before + n == section + gemm_section || (ends && next + n == end);
      real* const sums = (section == 0 ? sums_ : next_) + place * parts;
      sum_({.a = a + next * column_ * parts,
            .stride = stride_,
            .rows = rows,
            .k = n,
            .strip = strip,
            .fetches = false,
            .to_next = row > 0 ? to_next_block_ : 0,
            .x = x_of(next),
            .first = before == section,
            .last = is_last,
            .until_close = strip - (before - section) * parts % strip,
            .state = state_ + place * parts,
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
  backends::host::gemv_entries<real> entries(int count, int place) {
    return {.count = count * parts,
            .step = step,
            .sums = sums_ + place * parts,
            .next = next_ + place * parts,
            .scale = {{real(-1), real(0)}, {real(1), real(0)}},
            .before = nullptr,
            .values = nullptr};
  }
  /// A block's right-hand sides become those of its own unknowns alone.
  bool subtract(const block& of, int place) {
    constexpr int most = solved_at_once * parts;
    alignas(64) real before[most], values[most];
    const int count = of.count * parts;
    real* const x = parts_at(x_ + of.first);
    std::fill(std::copy_n(x, count, before), before + most, real(0));
    auto block_entries = entries(of.count, place);
    block_entries.before = before;
    block_entries.values = values;
    kernels_.entries.scale(block_entries);
    for (int i = 0; i < count; ++i)
      if (impl::needs_fallback(values[i])) return false;
    std::copy_n(values, count, x);
    return true;
  }
  /// The factors of unknowns from k on, as the kernel reads them.
  const real* x_of(std::int64_t k) const {
    if constexpr (parts == 1)
      return x_ + k;
    else
      return factors_ + factors_of<T>(k);
  }

  const gemv_kernels<T>& kernels_ = gemv_kernels<T>::of_this_processor();
  const equations<T>& all_;
  T* const x_;
  real* const factors_;        ///< of complex unknowns that are solved
  std::int64_t row_, column_;  ///< from one equation, and from one unknown, to the next in A
  std::int64_t stride_;        ///< as the kernel walks
  backends::host::gemv_function<real, real> sum_;
  int blocks_together_;
  std::int64_t to_next_block_;  ///< in A's memory, where each block reads all columns by itself
  // Not set to anything: there may be few of them. A section's beginning sets all components from
  // its place on.
  alignas(64) real state_[(backends::host::max_gemv_components + 1) * step];
  alignas(64) real sums_[2 * step], next_[2 * step];
};

}  // namespace acc::blas

#endif
