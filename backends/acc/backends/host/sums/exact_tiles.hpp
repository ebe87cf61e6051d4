// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SUMS_EXACT_TILES_HPP
#define ACC_BACKENDS_HOST_SUMS_EXACT_TILES_HPP

/// \file
/// How blocks enter an exact sum: by windows of one to eight bins, or by rows of bins by exponent.

#include <acc/backends/host/sums/order_free_tile.hpp>
#include <acc/backends/host/sums/exponent_bins.hpp>
#include <acc/backends/host/kernels/window.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/superaccumulator.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

template <class R, class T>
class block_depositor<R, superaccumulator<T>> {
  using terms = typename R::terms;
  using parts = window_part<terms>;
  using kernel_terms = typename window_terms<terms>::type;
  using block = order_free_block<T>;
  static constexpr bool products = kernel_terms::inputs == 2;
  static constexpr bool is_float = std::is_same_v<T, float>;
  static constexpr int spacing = 51;

  /// Windows by size: for ordinary data, and the next ones for what is wider. Six bins hold any
  /// floats. What the largest do not hold, rows take sooner than more bins would.
  static constexpr int sizes = products ? 2 : 3;
  static constexpr int bins[3] = {products ? (is_float ? 2 : 3) : (is_float ? 1 : 2),
                                  products ? (is_float ? 6 : 8) : (is_float ? 2 : 4), 6};

 public:
  block_depositor() {
    for (int i = 0; i < sizes; ++i)
      kernel_[i] = host::window_for_this_processor<kernel_terms, T>(bins[i], true);
  }

  void operator()(typename R::total& sum, const block& b) {
    // A look at a block finds the window that holds it. The next ones are tried with the same
    // window; after a large one, or none, there is a look now and then for a smaller one, less
    // often where that was in vain.
    bool chosen = false;
    if (kinds_matter<R>(sum)) {
      const host::block_summary look = summarize<R>(b);
      if (note_kinds<R>(sum, look, true)) return;
      choose(look);
      chosen = true;
    } else if (size_ > 0 && --patience_ == 0) {
      choose(summarize<R>(b));
      chosen = true;
    }
    host::window_totals totals;
    while (size_ < sizes) {
      if (fits(b, totals)) return deposit_window(sum, totals);
      if (chosen) break;
      choose(summarize<R>(b));
      chosen = true;
    }
    rows_.deposit(sum, b);
  }
  /// What has been gathered outside of the sum.
  void flush(typename R::total& sum) { rows_.flush(sum); }

 private:
  /// Terms are multiples of 2^this; double products as the kernels have them.
  static constexpr int unit_of_terms =
      products && is_float ? 2 * impl::ieee<T>::lowest : impl::ieee<T>::lowest;
  /// The lowest top of a window of so many bins: no bin is below what the sum or a double holds.
  /// For products of doubles, a nonzero one below 2^-969 (above which the FMA's error is exact)
  /// must be below half of the lowest unit, so that it is left over.
  static int lowest_top(int n) {
    const int lowest = is_float ? superaccumulator<float>::unit_exponent : products ? -968 : -1074;
    return lowest + 50 + spacing * (n - 1);
  }
  /// The highest top: of double's magic numbers, or of the sum's integers.
  static constexpr int highest_top = is_float ? superaccumulator<float>::max_exponent + 50 : 1021;

  /// The window for a block; size_ = sizes where none is sure to hold it.
  void choose(const host::block_summary& look) {
    std::uint64_t max = 0, min = ~std::uint64_t(0);
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        max = std::max(max, look.max[s][parity]);
        min = std::min(min, look.min[s][parity]);
      }
    }
    const int before = size_;
    top_ = window_exponent(max);
    const int digits = impl::ieee<T>::digits * (products ? 2 : 1);
    const int lowest = std::max(window_exponent(min) - digits, unit_of_terms);
    size_ = top_ > highest_top || has_underflow(look) ? sizes : 0;
    while (size_ < sizes && unit(size_, bins[size_] - 1) > lowest) ++size_;
    wait_ = size_ == before ? std::min(2 * wait_, 16) : 1;
    patience_ = wait_;
  }
  static bool has_underflow(const host::block_summary& look) {
    std::uint64_t underflow = 0;
    for (int s = 0; s < kernel_terms::sums; ++s)
      underflow |= look.underflow[s][0] | look.underflow[s][1];
    return underflow != 0;
  }
  /// The unit of bin k of a window is 2^this.
  int unit(int size, int k) const {
    return std::max(top_, lowest_top(bins[size])) - 50 - spacing * k;
  }

  bool fits(const block& b, host::window_totals& totals) const {
    double magic[host::max_window_bins];
    for (int k = 0; k < bins[size_]; ++k) magic[k] = window_magic(unit(size_, k));
    kernel_[size_](b.x, b.y, b.size, magic, &totals);
    if (totals.outside != 0 || totals.residue != 0) return false;
    // Zeros among products: of zeros, or were they rounded to it?
    return totals.zero == 0 || !has_underflow(summarize<R>(b));
  }

  void deposit_window(typename R::total& sum, const host::window_totals& totals) const {
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        superaccumulator<T>& part = sum.part[parts::result(s, parity)];
        const bool negated = parts::negated(s, parity);
        for (int k = 0; k < bins[size_]; ++k) {
          const std::int64_t total = totals.total[s][parity][k];
          if (total != 0) part.add_integer(negated ? -total : total, unit(size_, k));
        }
      }
    }
  }

  host::window_function<T> kernel_[sizes];
  int top_ = 0, size_ = 0, patience_ = 1, wait_ = 1;
  row_sums<R> rows_;
};

}  // namespace acc::backends::host

#endif
