// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SUMS_BINNED_TILES_HPP
#define ACC_BACKENDS_HOST_SUMS_BINNED_TILES_HPP

/// \file
/// How tiles enter a reproducible sum: by a window of its bins (docs/dev/kernels-arithmetic.md,
/// "Windows on hosts").

#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/sums/order_free_tile.hpp>
#include <acc/core/binned.hpp>
#include <acc/core/eft.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

/// A tile's finite numbers, times a power of two, and zeros for the others.
template <class T>
struct finite_tile {
  alignas(64) T x[tile_numbers], y[tile_numbers];

  order_free_tile<T> of(const order_free_tile<T>& tile, T factor) {
    copy(x, tile.x, tile.size, factor);
    if (tile.y == tile.x) return {x, x, tile.size};
    copy(y, tile.y, tile.size, factor);
    return {x, y, tile.size};
  }

 private:
  static void copy(T* to, const T* from, int n, T factor) {
    for (int k = 0; k < n; ++k)
      to[k] = from[k] - from[k] == T(0) ? impl::mul(from[k], factor) : T(0);
  }
};

/// Puts tiles into an R::total of binned<T, K>, and remembers the window from tile to tile.
template <class R>
class binned_tiles {
  using total = typename R::total;
  using binned = typename R::accumulator;
  using T = typename R::scalar;
  using terms = typename R::terms;
  using target = kernel_sum<terms>;
  using kernel_terms = typename kernel_terms_of<terms>::type;
  using tile = order_free_tile<T>;
  static constexpr bool products = kernel_terms::inputs == 2;
  /// Terms as they are enter bins so many below their place in the sum.
  static constexpr int unscaled = binned::unscaled;
  /// Where terms reach bins above binned::highest_magic, all are scaled down by so many more (a
  /// product's factors by half of them each, as binned itself does it). What that takes from small
  /// terms is below half a unit of any bin that is kept beside such a high one. Ten are 2^-400.
  using lifted_terms = host::lifted_terms<products>;
  static constexpr int lift = products ? binned::lifted_product : 10;
  static_assert(lift * binned::bin_width == -lifted_terms::exponent * (products ? 2 : 1));
  // Beside a bin that is lifted no window has one of a unit whose half is less.
  static_assert(lifted_terms::least ==
                binned::unit_exponent(binned::highest_magic + 2 - max_window_bins) - 1);

 public:
  void add(total& sum, const tile& t) {
    // Squares that underflow are deposited all the same.
    if (kinds_matter<R>(sum) && note_kinds<R>(sum, summarize<R>(t), unscaled > 0)) return;
    // A sum that has had terms beyond the magic numbers stays there: no tile is tried as it is.
    if (is_lifted(sum) && try_lifted(sum, t) == outcome::deposited) return;
    const outcome first = try_window(sum, t, unscaled);
    if (first == outcome::too_wide) return t.template deposit<terms>(sum.part);
    if (first != outcome::deposited) add_hard(sum, t, first);
  }
  /// Nothing waits outside of the sum.
  void flush(total&) {}

 private:
  /// too_low: all terms are finite, but what they lose to underflow would reach bins that are kept.
  enum class outcome { deposited, infinite, too_low, too_high, too_wide };

  static bool is_lifted(const total& sum) {
    bool lifted = false;
    for (const auto& part : sum.part) lifted |= part.top() - unscaled > binned::highest_magic;
    return lifted;
  }
  outcome try_lifted(total& sum, const tile& t) {
    return try_window(sum, t, unscaled + lift, window_kind::drops_residue_lifted);
  }

  /// Deposits a tile whose terms are `lifted` bins higher than they seem to a kernel of this kind,
  /// if a window holds them.
  outcome try_window(total& sum, const tile& t, int lifted,
                     window_kind kind = window_kind::drops_residue) {
    int top[terms::results];
    for (int i = 0; i < terms::results; ++i) top[i] = sum.part[i].top();
    for (;;) {
      // One window for all results: from the highest bin of any down to the lowest.
      const int high = *std::max_element(top, top + terms::results);
      const int low = *std::min_element(top, top + terms::results) - binned::bins + 1;
      const int wanted = high - low + 1;
      if (wanted > max_window_bins) return outcome::too_wide;
      if (high - lifted > binned::highest_magic) return outcome::too_high;
      const bool is_plain = kind == window_kind::drops_residue;
      const int n = wanted > (is_plain ? 4 : 3) ? 8 : is_plain ? wanted : 3;
      // Bins below the first do not exist: the window starts higher.
      const int first = std::max(high - lifted, n - 1);
      if (n != bins_ || kind != kind_) {
        bins_ = n;
        kind_ = kind;
        kernel_ = window_for_this_processor<kernel_terms, T>(n, kind);
      }
      double magic[max_window_bins];
      for (int k = 0; k < n; ++k) magic[k] = window_magic(binned::unit_exponent(first - k));
      window_totals totals;
      kernel_(t.x, t.y, t.size, magic, &totals);
      if (has_infinite(totals)) return outcome::infinite;
      if (raised(top, totals, lifted)) continue;
      if (lifted >= unscaled && high < binned::low_end) return outcome::too_low;
      deposit_window(sum, top, first + lifted, n, totals);
      return outcome::deposited;
    }
  }

  __attribute__((noinline)) void add_hard(total& sum, const tile& t, outcome first) {
    finite_tile<T> copy;
    outcome rest = first;
    if (first != outcome::too_low) deposit_only<R, false>(sum, t);
    if (first == outcome::infinite) rest = try_window(sum, copy.of(t, T(1)), unscaled);
    if constexpr (unscaled > 0) {
      // Scaled, they enter the bins of their place, down to the first.
      if (rest == outcome::too_low) rest = try_window(sum, copy.of(t, binned::raised_factor), 0);
    }
    if constexpr (std::is_same_v<T, double>) {
      // Only where a term is as high: others would be lost. (`infinite`: a product overflows.)
      if (rest == outcome::infinite || rest == outcome::too_high)
        rest = try_lifted(sum, copy.of(t, T(1)));
    }
    if (rest == outcome::deposited) return;
    deposit_only<R, true>(sum, t);
  }

  static bool has_infinite(const window_totals& totals) {
    for (int s = 0; s < kernel_terms::sums; ++s)
      for (int parity = 0; parity < 2; ++parity)
        if (window_exponent(totals.max[s][parity]) > 1024) return true;
    return false;
  }
  /// Whether a term of the tile has a higher top bin than was assumed; NaN and infinity have.
  static bool raised(int* top, const window_totals& totals, int lifted) {
    bool result = false;
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        int& highest_bin = top[target::result(s, parity)];
        const std::uint64_t max = totals.max[s][parity];
        const int needed = binned::top_of(window_exponent(max)) + (max != 0 ? lifted : 0);
        if (needed > highest_bin) {
          highest_bin = needed;
          result = true;
        }
      }
    }
    return result;
  }

  static void deposit_window(total& sum, const int* top, int first, int n,
                             const window_totals& totals) {
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        const int i = target::result(s, parity);
        binned& part = sum.part[i];
        const bool negated = target::negated(s, parity);
        part.raise(top[i]);
        for (int k = 0; k < n; ++k) {
          const std::int64_t units = totals.total[s][parity][k];
          if (first - k <= part.top() && units != 0)
            part.add_to_bin(first - k, negated ? -units : units);
        }
      }
    }
  }

  window_function<T> kernel_ = nullptr;
  window_kind kind_ = window_kind::drops_residue;
  int bins_ = 0;
};

}  // namespace acc::backends::host

#endif
