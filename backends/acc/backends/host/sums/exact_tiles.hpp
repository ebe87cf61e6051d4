// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SUMS_EXACT_TILES_HPP
#define ACC_BACKENDS_HOST_SUMS_EXACT_TILES_HPP

/// \file
/// How tiles enter an exact sum: by windows of one to eight bins, or, where no window holds a tile,
/// by bins for every exponent (docs/dev/kernels-arithmetic.md, "Windows on hosts").

#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/sums/order_free_tile.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/superaccumulator.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

/// What no window holds, gathered in exponent_bins from tile to tile.
template <class R>
class exponent_bins_sum {
  using total = typename R::total;
  using terms = typename R::terms;
  using target = kernel_sum<terms>;
  using kernel_terms = typename kernel_terms_of<terms>::type;
  using scalar = typename R::scalar;
  using bins = exponent_bins_of<kernel_terms, scalar>;

 public:
  /// Kinds of zeros and numbers are not seen here.
  void add(total& sum, const order_free_tile<scalar>& tile) {
    static const auto kernel = exponent_bins_for_this_processor<kernel_terms, scalar>();
    if (deposited_ + tile.size > bins::capacity) flush(sum);
    if (deposited_ == 0)
      for (bins& b : bins_) b = {};
    deposited_ += tile.size;
    if (kernel(tile.x, tile.y, tile.size, bins_)) deposit_only<R, false>(sum, tile);
  }

  void flush(total& sum) {
    if (deposited_ == 0) return;
    deposited_ = 0;
    for (int s = 0; s < kernel_terms::sums; ++s)
      for (int parity = 0; parity < 2; ++parity)
        for (int b = 0; b < bins::finite; ++b)
          for (int half = 0; half < 2; ++half) {
            std::int64_t v = 0;
            for (int copy = parity; copy < bins::copies; copy += 2)
              v += bins_[s].bin[copy][b][half];
            if (v == 0) continue;
            add_integer(sum.part[target::result(s, parity)], target::negated(s, parity) ? -v : v,
                        bins::exponent(b) + bins::low_bits * half);
          }
  }

 private:
  /// A bin may be in units below the sum's, of which its integers are multiples.
  static void add_integer(superaccumulator<scalar>& sum, std::int64_t v, int exponent) {
    const int below = superaccumulator<scalar>::unit_exponent - exponent;
    sum.add_integer(below > 0 ? v >> below : v, below > 0 ? exponent + below : exponent);
  }

  std::int64_t deposited_ = 0;
  bins bins_[kernel_terms::sums];
};

/// Puts tiles into an R::total of superaccumulator<T>, and remembers the window from tile to tile.
template <class R>
class exact_tiles {
  using total = typename R::total;
  using T = typename R::scalar;
  using terms = typename R::terms;
  using target = kernel_sum<terms>;
  using kernel_terms = typename kernel_terms_of<terms>::type;
  using tile = order_free_tile<T>;
  static constexpr bool products = kernel_terms::inputs == 2;
  static constexpr bool is_float = std::is_same_v<T, float>;

  /// Windows by size: for ordinary data, and the next ones for what is wider. Six bins hold any
  /// floats. What the largest do not hold, exponent_bins take sooner than a larger window would.
  static constexpr int sizes = products ? 2 : 3;
  static constexpr int bins[3] = {products ? (is_float ? 2 : 3) : (is_float ? 1 : 2),
                                  products ? (is_float ? 6 : 8) : (is_float ? 2 : 4), 6};

 public:
  /// Bits of a bin of a window.
  static constexpr int spacing = 51;
  /// The lowest top of a window of so many bins: no bin is below what the sum or a double holds.
  /// For products of doubles, a nonzero one below 2^-969 (above which the FMA's error is exact)
  /// must be below half of the lowest unit, so that it is left over.
  static int lowest_top(int n) {
    const int lowest = is_float ? superaccumulator<float>::unit_exponent : products ? -968 : -1074;
    return lowest + 50 + spacing * (n - 1);
  }
  /// The highest top: of double's magic numbers, or of the sum's integers.
  static constexpr int highest_top = is_float ? superaccumulator<float>::max_exponent + 50 : 1021;

  exact_tiles() {
    for (int i = 0; i < sizes; ++i)
      kernel_[i] = window_for_this_processor<kernel_terms, T>(bins[i], window_kind::keeps_residue);
  }

  void add(total& sum, const tile& t) {
    // The summary of a tile finds the window that holds it. The next tiles are tried with the same
    // window. After a large one, or none, a tile is summarized now and then to find a smaller one,
    // less often where that was in vain.
    bool chosen = false;
    if (kinds_matter<R>(sum)) {
      const tile_summary summary = summarize<R>(t);
      if (note_kinds<R>(sum, summary, true)) return;
      choose(summary);
      chosen = true;
    } else if (size_ > 0 && --patience_ == 0) {
      choose(summarize<R>(t));
      chosen = true;
    }
    window_totals totals;
    while (size_ < sizes) {
      if (fits(t, totals)) return deposit_window(sum, totals);
      if (chosen) break;
      choose(summarize<R>(t));
      chosen = true;
    }
    wide_.add(sum, t);
  }
  /// Adds what waits outside of the sum.
  void flush(total& sum) { wide_.flush(sum); }

 private:
  /// Terms are multiples of 2^this; double products as the kernels have them.
  static constexpr int unit_of_terms =
      products && is_float ? 2 * impl::ieee<T>::lowest : impl::ieee<T>::lowest;
  /// The window for a tile; size_ = sizes where none is sure to hold it.
  void choose(const tile_summary& summary) {
    std::uint64_t max = 0, min = ~std::uint64_t(0);
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        max = std::max(max, summary.max[s][parity]);
        min = std::min(min, summary.min[s][parity]);
      }
    }
    const int before = size_;
    top_ = window_exponent(max);
    const int digits = impl::ieee<T>::digits * (products ? 2 : 1);
    const int lowest = std::max(window_exponent(min) - digits, unit_of_terms);
    size_ = top_ > highest_top || has_underflow(summary) ? sizes : 0;
    while (size_ < sizes && unit(size_, bins[size_] - 1) > lowest) ++size_;
    wait_ = size_ == before ? std::min(2 * wait_, order_free_tuning::max_patience) : 1;
    patience_ = wait_;
  }
  static bool has_underflow(const tile_summary& summary) {
    std::uint64_t underflow = 0;
    for (int s = 0; s < kernel_terms::sums; ++s)
      underflow |= summary.underflow[s][0] | summary.underflow[s][1];
    return underflow != 0;
  }
  /// The unit of bin k of a window is 2^this.
  int unit(int size, int k) const {
    return std::max(top_, lowest_top(bins[size])) - 50 - spacing * k;
  }

  bool fits(const tile& t, window_totals& totals) const {
    double magic[max_window_bins];
    for (int k = 0; k < bins[size_]; ++k) magic[k] = window_magic(unit(size_, k));
    kernel_[size_](t.x, t.y, t.size, magic, &totals);
    if (totals.outside != 0 || totals.residue != 0) return false;
    // Zeros among products: of zeros, or were they rounded to it?
    return totals.zero == 0 || !has_underflow(summarize<R>(t));
  }

  void deposit_window(total& sum, const window_totals& totals) const {
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        superaccumulator<T>& part = sum.part[target::result(s, parity)];
        const bool negated = target::negated(s, parity);
        for (int k = 0; k < bins[size_]; ++k) {
          const std::int64_t units = totals.total[s][parity][k];
          if (units != 0) part.add_integer(negated ? -units : units, unit(size_, k));
        }
      }
    }
  }

  window_function<T> kernel_[sizes];
  int top_ = 0, size_ = 0, patience_ = 1, wait_ = 1;
  exponent_bins_sum<R> wide_;
};

}  // namespace acc::backends::host

#endif
