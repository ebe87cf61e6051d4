// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_EXACT_BLOCKS_HPP
#define ACC_BACKENDS_HOST_EXACT_BLOCKS_HPP

/// \file
/// How blocks enter an exact sum: by windows of two to eight bins, or number by number.

#include <acc/backends/host/order_free_block.hpp>

#include <algorithm>
#include <cmath>

namespace acc::backends {

/// Exact sums of any finite numbers and products, an integer bin for each 32 exponents: what a
/// block is deposited in that no window holds (Neal's large superaccumulator, with wider bins).
template <class T>
class exponent_bins {
  using format = impl::ieee<T>;
  __extension__ typedef __int128 wide;
  static constexpr int width = 32;
  /// Exponent fields of products, and below which of them add_integer takes whole bins.
  static constexpr int count = 2 * (format::is_float ? 256 : 2048) / width + 4;
  static constexpr int product_limit =
      superaccumulator<T>::max_exponent - superaccumulator<T>::unit_exponent - 6 * width;

 public:
  explicit exponent_bins(superaccumulator<T>& sum) : sum_(sum) {}

  void add(T x) {
    if (!impl::is_finite(x)) return sum_.add(x);
    const impl::number_parts p = format::parts(x);
    any_nonzero_ |= p.mantissa != 0;
    deposit(p.mantissa, p.exponent - format::lowest, p.negative, sums_);
  }
  void add_product(T x, T y) {
    if (!impl::is_finite(x) || !impl::is_finite(y)) return sum_.add_product(x, y);
    const impl::number_parts a = format::parts(x), b = format::parts(y);
    const int e = a.exponent + b.exponent - 2 * format::lowest;
    if (e >= product_limit) return sum_.add_product(x, y);
    const bool negative = a.negative != b.negative;
    const wide product = wide(a.mantissa) * wide(b.mantissa);
    any_nonzero_ |= product != 0;
    deposit(std::uint64_t(product), e, negative, products_);
    if constexpr (!format::is_float)
      deposit(std::uint64_t(product >> 64), e + 64, negative, products_);
  }
  /// Into the sum. Signs of zeros are not seen here.
  void flush() {
    for (int q = 0; q < count; ++q) {
      if (sums_[q] != 0) flush(sums_[q], format::lowest + width * q);
      if (products_[q] != 0) flush(products_[q], 2 * format::lowest + width * q);
    }
    if (any_nonzero_) sum_.add_kinds({element_kinds::nonzero});
  }

 private:
  static void deposit(std::uint64_t mantissa, int e, bool negative, wide* bins) {
    const int shift = e % width;  // a shift by less than 64 of 128 bits, without GCC's test of it
    const std::uint64_t low = mantissa << shift, high = mantissa >> 1 >> (63 - shift);
    const wide value = wide(low) | wide(high) << 64, sign = -wide(negative);
    bins[e / width] += (value ^ sign) - sign;
  }
  void flush(wide v, int exponent) {
    sum_.add_integer(std::int64_t(v & 0xffffffff), exponent);
    sum_.add_integer(std::int64_t(v >> 32 & 0xffffffff), exponent + 32);
    if (v >> 64 != 0) sum_.add_integer(std::int64_t(v >> 64), exponent + 64);
  }

  superaccumulator<T>& sum_;
  bool any_nonzero_ = false;
  wide sums_[count] = {}, products_[count] = {};
};

template <class R, class T>
class block_depositor<R, superaccumulator<T>> {
  using terms = typename R::terms;
  using parts = window_part<terms>;
  using kernel_terms = typename window_terms<terms>::type;
  using block = order_free_block<T>;
  static constexpr bool products = kernel_terms::inputs == 2;
  static constexpr bool is_float = std::is_same_v<T, float>;
  static constexpr int spacing = 51;

  /// Windows by size: ordinary data, and the next ones for what is wider.
  static constexpr int sizes = products && !is_float ? 2 : products ? 2 : 3;
  static constexpr int bins[3] = {products ? (is_float ? 2 : 3) : (is_float ? 1 : 2),
                                  products ? 8 : (is_float ? 2 : 4), 8};

 public:
  block_depositor() {
    for (int i = 0; i < sizes; ++i)
      kernel_[i] = host::window_for_this_processor<kernel_terms, T>(bins[i], true);
  }

  void operator()(typename R::total& sum, const block& b) {
    // After a block that needed a larger window the next ones start with it; now and then a smaller
    // one is tried, less often where that was in vain.
    int size = size_;
    const bool probing = size_ > 0 && --patience_ == 0;
    if (probing) --size;
    host::window_totals totals = {};
    while (size < sizes && !fits(b, size, totals)) {
    }
    wait_ = probing && size >= size_ ? std::min(2 * wait_, 32) : size != size_ ? 1 : wait_;
    if (probing || size != size_) patience_ = wait_;
    size_ = size;
    if (size == sizes && has_infinite(totals, kernel_terms::sums)) {
      if (size_ == sizes) size_ = 0;
      return deposit_finite(sum, b);
    }
    if (size == sizes) return deposit_any(sum, b);
    deposit_window(sum, b, bins[size], totals);
  }

 private:
  /// The lowest top of a window of so many bins: no bin is below what the sum or a double holds.
  static int lowest_top(int n) {
    const int lowest = is_float ? superaccumulator<float>::unit_exponent : -1074;
    return lowest + 50 + spacing * (n - 1);
  }
  /// The highest top: of double's magic numbers, or of the sum's integers.
  static constexpr int highest_top = is_float ? superaccumulator<float>::max_exponent + 50 : 1021;

  /// Tries a window; where the block does not fit, takes another top or size for the next try.
  bool fits(const block& b, int& size, host::window_totals& totals) {
    const int n = bins[size];
    const int top = std::max(top_, lowest_top(n));
    double magic[host::max_window_bins];
    for (int k = 0; k < n; ++k) magic[k] = window_magic(top - 50 - spacing * k);
    kernel_[size](b.x, b.y, b.size, magic, &totals);
    std::uint64_t max = 0, min = ~std::uint64_t(0);
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        max = std::max(max, totals.max[s][parity]);
        min = std::min(min, totals.min[s][parity]);
      }
    }
    const int needed = window_exponent(max);
    if (needed > highest_top) {
      size = sizes;
    } else if (needed > top) {
      top_ = needed;
    } else if (totals.residue != 0) {
      if (std::max(needed, lowest_top(n)) == top) ++size;
      top_ = needed;
    } else if (products && !is_float && !products_are_exact(b, min)) {
      size = sizes;
    } else {
      return true;
    }
    return false;
  }

  /// Whether fma(x, y, -x y) was exact for all: no nonzero product is below 2^-969.
  static bool products_are_exact(const block& b, std::uint64_t min) {
    if (min >= std::bit_cast<std::uint64_t>(0x1p-969)) return true;
    if (min != 0) return false;
    bool inexact = false;
    for (int k = 0; k < b.size; ++k) {
      const auto check = [&](double x, double y) {
        inexact |= std::fabs(x * y) < 0x1p-969 && x != 0 && y != 0;
      };
      check(b.x[k], b.y[k]);
      if constexpr (terms::sums == 2) check(b.x[k], b.y[k ^ 1]);
    }
    return !inexact;
  }

  void deposit_window(typename R::total& sum, const block& b, int n,
                      const host::window_totals& totals) {
    const int top = std::max(top_, lowest_top(n));
    bool zeros = false;
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        superaccumulator<T>& part = sum.part[parts::result(s, parity)];
        const bool negated = parts::negated(s, parity);
        for (int k = 0; k < n; ++k) {
          const std::int64_t total = totals.total[s][parity][k];
          if (total != 0) part.add_integer(negated ? -total : total, top - 50 - spacing * k);
        }
        if (totals.max[s][parity] != 0) part.add_kinds({element_kinds::nonzero});
        zeros |= totals.max[s][parity] == 0;
      }
    }
    if (zeros) deposit_zeros<R>(sum, b);
  }

  __attribute__((noinline)) void deposit_finite(typename R::total& sum, const block& b) {
    finite_block<R> rest;
    if (!rest.take(sum, b)) return deposit_any(sum, b);
    (*this)(sum, rest.block(b));
  }
  __attribute__((noinline)) static void deposit_any(typename R::total& sum, const block& b) {
    if constexpr (terms::results == 1) {
      exponent_bins<T> bins[1] = {exponent_bins<T>(sum.part[0])};
      b.template deposit<terms>(bins);
      bins[0].flush();
    } else {
      exponent_bins<T> bins[2] = {exponent_bins<T>(sum.part[0]), exponent_bins<T>(sum.part[1])};
      b.template deposit<terms>(bins);
      for (auto& part : bins) part.flush();
    }
    deposit_zeros<R>(sum, b);
  }

  host::window_function<T> kernel_[sizes];
  int top_ = 0, size_ = 0, patience_ = 0, wait_ = 1;
};

}  // namespace acc::backends

#endif
