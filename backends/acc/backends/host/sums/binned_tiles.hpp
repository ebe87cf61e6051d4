// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SUMS_BINNED_TILES_HPP
#define ACC_BACKENDS_HOST_SUMS_BINNED_TILES_HPP

/// \file
/// How blocks enter a reproducible sum: by a window of its bins.

#include <acc/backends/host/sums/order_free_tile.hpp>
#include <acc/backends/host/kernels/window.hpp>
#include <acc/core/binned.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

template <class R, class T, int K>
class block_depositor<R, binned<T, K>> {
  using terms = typename R::terms;
  using parts = window_part<terms>;
  using kernel_terms = typename window_terms<terms>::type;
  using block = order_free_block<T>;
  using sum_type = binned<T, K>;
  static constexpr bool products = kernel_terms::inputs == 2;
  /// Where terms reach bins above sum_type::highest_magic, all are scaled down by so many (a
  /// product's factors by half of them each, as binned itself does it). What that takes from small
  /// terms is below half a unit of any bin that is kept beside such a high one. Ten are 2^-400.
  static constexpr int lift = products ? sum_type::lifted_product : 10;
  static constexpr double lifting = products ? sum_type::lifted_factor : 0x1p-400;

 public:
  void operator()(typename R::total& sum, const block& b) {
    if (kinds_matter<R>(sum) && note_kinds<R>(sum, summarize<R>(b), false)) return;
    const outcome first = try_window(sum, b, 0);
    if (first == outcome::too_wide) return b.template deposit<terms>(sum.part);
    if (first != outcome::deposited) deposit_hard(sum, b, first == outcome::infinite);
  }
  void flush(typename R::total&) {}

 private:
  enum class outcome { deposited, infinite, too_high, too_wide };

  /// Deposits a block whose terms are `lifted` bins higher than they seem, if a window holds them.
  outcome try_window(typename R::total& sum, const block& b, int lifted) {
    int top[terms::results];
    for (int i = 0; i < terms::results; ++i) top[i] = sum.part[i].top();
    for (;;) {
      // One window for all results: from the highest bin of any down to the lowest.
      const int high = *std::max_element(top, top + terms::results);
      const int low = *std::min_element(top, top + terms::results) - K + 1;
      const int wanted = high - low + 1;
      if (wanted > host::max_window_bins) return outcome::too_wide;
      if (high - lifted > sum_type::highest_magic) return outcome::too_high;
      const int n = wanted > 4 ? 8 : wanted;
      // Bins below the first do not exist: the window starts higher.
      const int first = std::max(high - lifted, n - 1);
      if (n != bins_) {
        bins_ = n;
        kernel_ = host::window_for_this_processor<kernel_terms, T>(n, false);
      }
      double magic[host::max_window_bins];
      for (int k = 0; k < n; ++k) magic[k] = window_magic(sum_type::unit_exponent(first - k));
      host::window_totals totals;
      kernel_(b.x, b.y, b.size, magic, &totals);
      if (has_infinite(totals)) return outcome::infinite;
      if (raised(top, totals, lifted)) continue;
      deposit_window(sum, top, first + lifted, n, totals);
      return outcome::deposited;
    }
  }

  __attribute__((noinline)) void deposit_hard(typename R::total& sum, const block& b,
                                              bool infinite) {
    deposit_only<R, false>(sum, b);
    finite_block<T> copy;
    outcome rest = outcome::too_high;
    if (infinite) rest = try_window(sum, copy.of(b, T(1)), 0);
    if (rest == outcome::deposited) return;
    if constexpr (std::is_same_v<T, double>) {
      // Only where a term is as high: others would be lost. (`infinite`: a product overflows.)
      if (rest != outcome::too_wide &&
          try_window(sum, copy.of(b, lifting), lift) == outcome::deposited)
        return;
    }
    deposit_only<R, true>(sum, b);
  }

  static bool has_infinite(const host::window_totals& totals) {
    for (int s = 0; s < kernel_terms::sums; ++s)
      for (int parity = 0; parity < 2; ++parity)
        if (window_exponent(totals.max[s][parity]) > 1024) return true;
    return false;
  }
  /// Whether a term of the block has a higher top bin than was assumed; NaN and infinity have.
  static bool raised(int* top, const host::window_totals& totals, int lifted) {
    bool result = false;
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        int& t = top[parts::result(s, parity)];
        const std::uint64_t max = totals.max[s][parity];
        const int needed = sum_type::top_of(window_exponent(max)) + (max != 0 ? lifted : 0);
        if (needed > t) {
          t = needed;
          result = true;
        }
      }
    }
    return result;
  }

  static void deposit_window(typename R::total& sum, const int* top, int first, int n,
                             const host::window_totals& totals) {
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        const int i = parts::result(s, parity);
        sum_type& part = sum.part[i];
        const bool negated = parts::negated(s, parity);
        part.raise(top[i]);
        for (int k = 0; k < n; ++k) {
          const std::int64_t total = totals.total[s][parity][k];
          if (first - k <= part.top() && total != 0)
            part.add_to_bin(first - k, negated ? -total : total);
        }
      }
    }
  }

  host::window_function<T> kernel_ = nullptr;
  int bins_ = 0;
};

}  // namespace acc::backends::host

#endif
