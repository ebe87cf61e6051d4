// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_BINNED_BLOCKS_HPP
#define ACC_BACKENDS_HOST_BINNED_BLOCKS_HPP

/// \file
/// How blocks enter a reproducible sum: by a window of its bins.

#include <acc/backends/host/order_free_block.hpp>

#include <algorithm>

namespace acc::backends {

template <class R, class T, int K>
class block_depositor<R, binned<T, K>> {
  using terms = typename R::terms;
  using parts = window_part<terms>;
  using kernel_terms = typename window_terms<terms>::type;
  using block = order_free_block<T>;
  static constexpr int width = binned<T, K>::bin_width;
  /// The highest bin that a magic number of double's range serves.
  static constexpr int highest = 51;

 public:
  void operator()(typename R::total& sum, const block& b) {
    int top[terms::results];
    for (int i = 0; i < terms::results; ++i) top[i] = sum.part[i].top();
    for (;;) {
      // One window for all results: from the highest bin of any down to the lowest.
      const int high = *std::max_element(top, top + terms::results);
      const int low = *std::min_element(top, top + terms::results) - K + 1;
      const int wanted = high - low + 1;
      if (high > highest || wanted > host::max_window_bins) break;
      const int n = wanted > 4 ? 8 : wanted;
      // Bins below the first do not exist: the window starts higher.
      const int first = std::max(high, n - 1);
      if (n != bins_) {
        bins_ = n;
        kernel_ = host::window_for_this_processor<kernel_terms, T>(n, false);
      }
      double magic[host::max_window_bins];
      for (int k = 0; k < n; ++k) magic[k] = window_magic(width * (first - k) - 1074);
      host::window_totals totals;
      kernel_(b.x, b.y, b.size, magic, &totals);
      if (has_infinite(totals, kernel_terms::sums)) return deposit_finite(sum, b);
      if (!raised(top, totals)) return deposit_window(sum, b, top, first, n, totals);
    }
    b.template deposit<terms>(sum.part);
  }

 private:
  __attribute__((noinline)) void deposit_finite(typename R::total& sum, const block& b) {
    finite_block<R> rest;
    if (!rest.take(sum, b)) return b.template deposit<terms>(sum.part);
    (*this)(sum, rest.block(b));
  }
  /// Whether a term of the block has a higher top bin than was assumed; NaN and infinity have.
  static bool raised(int* top, const host::window_totals& totals) {
    bool result = false;
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        int& t = top[parts::result(s, parity)];
        const std::uint64_t max = totals.max[s][parity];
        const int needed = (window_exponent(max) + 1074) / width;
        if (needed > t) {
          t = needed;
          result = true;
        }
      }
    }
    return result;
  }

  static void deposit_window(typename R::total& sum, const block& b, const int* top, int first,
                             int n, const host::window_totals& totals) {
    bool zeros = false;
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        const int i = parts::result(s, parity);
        binned<T, K>& part = sum.part[i];
        const bool negated = parts::negated(s, parity);
        part.raise(top[i]);
        for (int k = 0; k < n; ++k) {
          const std::int64_t total = totals.total[s][parity][k];
          if (first - k <= part.top() && total != 0)
            part.add_to_bin(first - k, negated ? -total : total);
        }
        if (totals.max[s][parity] != 0) part.add_kinds({element_kinds::nonzero});
        zeros |= totals.max[s][parity] == 0;
      }
    }
    if (zeros) deposit_zeros<R>(sum, b);
  }

  host::window_function<T> kernel_ = nullptr;
  int bins_ = 0;
};

}  // namespace acc::backends

#endif
