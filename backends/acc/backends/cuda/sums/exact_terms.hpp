// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_EXACT_TERMS_HPP
#define ACC_BACKENDS_CUDA_SUMS_EXACT_TERMS_HPP

/// \file
/// How terms of an exact sum become additions to bins (docs/arithmetic.md, "On a GPU"): the bins of
/// each type, in scratch memory with a row for each range of exponents and a column for each
/// thread, so that no data makes threads collide; and what a term adds to them.

#include <acc/backends/cuda/sums/digits.hpp>
#include <acc/backends/cuda/sums/terms.hpp>
#include <acc/backends/cuda/unroll.hpp>
#include <acc/core/exact/magic.hpp>

namespace acc::backends::cuda {

/// A thread's column of bins, each row 2^Width times the one below.
template <class Word, int Width, int Rows, int Threads>
struct bin_column {
  using word = Word;
  static constexpr int width = Width, rows = Rows, threads = Threads;

  Word* column;

  __device__ Word& row(int r) const { return column[r * threads]; }
};

/// Integer bins for doubles from 2^(48 First - 1074) to 2^(48 (First + Rows) - 1070).
template <int First, int Rows, int Threads>
struct double_bins : bin_column<std::int64_t, 48, Rows, Threads> {
  static constexpr int lowest = 48 * First - 1074;
  /// Deposits between two carries: an addend is at most 2^52, and a row holds less than 2^49 then.
  static constexpr int capacity = 1920;

  /// Leaves less than 2^width in each row but the last. Rounds to nearest: else the carry of a
  /// negative sum would run through all rows above it, and those would no longer be 0.
  __device__ void carry() const {
    ACC_NO_UNROLL for (int r = 0; r < Rows - 1; ++r) {
      const std::int64_t over = (this->row(r) + (std::int64_t(1) << 47)) >> 48;
      this->row(r) -= over << 48;
      this->row(r + 1) += over;
    }
  }
  __device__ static std::int64_t units(std::int64_t word, int) { return word; }

  /// What a number adds to two rows.
  struct addend {
    int row;
    std::int64_t low, high;
  };
  /// The exponent e of x belongs to q = (e - 1) / 48. x enters two bins: of twos of row q + 1 and
  /// of row q, by the magic numbers M and N. For numbers of 2^942 and more M would overflow: they
  /// are scaled by 2^-48, by the additions themselves. Sums are exact, so that the choice of rows
  /// is one of time alone.
  __device__ static addend addend_of(double x) {
    using magic = impl::magic_number;
    constexpr int width = double_bins::width;
    // The units of M and N are 2^upper and 2^lower above those of row q.
    constexpr int unit = -1074, upper = width + 1;
    constexpr int top = (magic::highest_unit - unit - upper) / width;
    const int e = (__double2hiint(x) >> 20) & 0x7ff;
    int q = (e * 21845) >> 20;
    if (First > 0) q = max(q, First);
    const int row = q - First;
    double scale = 1;
    if (First + Rows > top + 2) {
      scale = __hiloint2double(q > top ? (1023 - 48) << 20 : 1023 << 20, 0);
      q = min(q, top);
    }
    const int high = magic::high_word(width * q + unit + upper);
    // N in units of M's last bit.
    constexpr int n = 3 << (magic::fraction_bits - 1 - upper);
    const double m = __hiloint2double(high, 0), m_and_n = __hiloint2double(high, n);
    const auto counted = impl::counted_in_two(x, scale, m, m_and_n);
    return {row, __double_as_longlong(counted.lower) - (std::int64_t(high - (upper << 20)) << 32),
            (__double_as_longlong(counted.upper) - (std::int64_t(high) << 32)) * 2};
  }
  __device__ void add(const addend& a) const {
    std::int64_t& low = this->row(a.row);
    std::int64_t& high = this->row(a.row + 1);
    low += a.low;
    high += a.high;
  }
};

/// Bins for floats, which are doubles: a float's 24 digits need one row, and a double adds up 2^13
/// of them without an error, 2^40 units each. The last row takes carries only.
template <int Threads>
struct float_bins : bin_column<double, 16, 17, Threads> {
  static constexpr int lowest = -150;
  /// A row holds no more than 2^15 units of its own after a carry, and 2^37 from below.
  static constexpr int capacity = 8000;

  /// 2^power.
  __device__ static double power_of_two(int power) {
    return __hiloint2double((1023 + power) << 20, 0);
  }
  __device__ void carry() const {
    ACC_NO_UNROLL for (int r = 0; r + 1 < 17; ++r) {
      const double m = __hiloint2double(impl::magic_number::high_word(lowest + 16 * (r + 1)), 0);
      const double over = impl::counted_part(impl::counted(this->row(r), m), m);
      this->row(r) -= over;
      this->row(r + 1) += over;
    }
  }
  __device__ static std::int64_t units(double word, int r) {
    return std::int64_t(word * power_of_two(-lowest - 16 * r));
  }

  struct addend {
    int row;
    double value;
  };
  __device__ static addend addend_of(float x) {
    return {int(__float_as_uint(x) >> 27 & 15), double(x)};
  }
  __device__ void add(const addend& a) const {
    double& sum = this->row(a.row);
    sum = __dadd_rn(sum, a.value);
  }
};

/// How the terms of a sum over T enter bins; Products: x y, else x. A sum's digits, of 32 bits, are
/// those from 2^base up. What remains 0 in `check` is finite.
template <class T, bool Products>
struct exact_terms;

template <>
struct exact_terms<double, false> {
  static constexpr kernel_shape shape{128, 4, 8, 4};
  using bins = double_bins<0, 44, shape.threads>;
  static constexpr int deposits = 1, base = bins::lowest, digits = 72;
  static constexpr bool has_wide = false;

  __device__ static double value_of(double x, double) { return x; }
  __device__ static void find_addends(double x, double, bins::addend (&a)[deposits]) {
    a[0] = bins::addend_of(x);
  }
};

template <>
struct exact_terms<float, false> {
  static constexpr kernel_shape shape{256, 4, 8, 3};
  using bins = float_bins<shape.threads>;
  static constexpr int deposits = 1, base = bins::lowest, digits = 12;
  static constexpr bool has_wide = false;

  __device__ static float value_of(float x, float) { return x; }
  __device__ static void find_addends(float x, float, bins::addend (&a)[deposits]) {
    a[0] = bins::addend_of(x);
  }
};

/// Products of floats are doubles, multiples of 2^-298 and below 2^256.
template <>
struct exact_terms<float, true> {
  static constexpr kernel_shape shape{256, 3, 4, 3};
  using bins = double_bins<15, 13, shape.threads>;
  static constexpr int deposits = 1, base = -298, digits = 24;
  static constexpr bool has_wide = false;

  __device__ static double value_of(float x, float y) { return __dmul_rn(double(x), double(y)); }
  __device__ static void find_addends(float x, float y, bins::addend (&a)[deposits]) {
    a[0] = bins::addend_of(value_of(x, y));
  }
};

/// A product and the error of its rounding are doubles where it is not too close to the ends of
/// their range. Further out they are those of scaled factors; a warp whose products are all there
/// has bins for those. Where a warp has both, the 106 bits of some go to the digits of the team.
template <>
struct exact_terms<double, true> {
  static constexpr kernel_shape shape{128, 4, 4, 3};
  using bins = double_bins<0, 44, shape.threads>;
  static constexpr int deposits = 2, base = -2148, digits = 136;
  static constexpr bool has_wide = true;

  __device__ static double value_of(double x, double y) { return __dmul_rn(x, y); }
  /// Whether p is at least 2^low and below 2^high, which may be infinity.
  __device__ static bool is_between(double p, int low, int high) {
    const unsigned word = unsigned(__double2hiint(p)) & 0x7fffffffu;
    return word - (unsigned(1023 + low) << 20) < unsigned(high - low) << 20;
  }
  /// Whether the addends are the product: its error is a multiple of 2^-1074 from 2^-968 on.
  __device__ static bool is_ordinary(double x, double y) {
    return is_between(__dmul_rn(x, y), -968, 1024);
  }
  /// Factors are scaled by 2^-lift. Whether the addends of such are the product, scaled: if so, the
  /// scaling was exact, since products that are far above or below have no factor of the other end.
  static constexpr int lift = 600;
  __device__ static double scale_of(int window) {
    return window == 0 ? 1 : window > 0 ? 0x1p-600 : 0x1p600;
  }
  __device__ static bool is_in(int window, double x, double y) {
    const double s = scale_of(window), p = __dmul_rn(x * s, y * s);
    if (window == 0) return is_ordinary(x, y);
    return window > 0 ? is_between(p, -300, 1024) : is_between(p, -960, 300);
  }
  __device__ static void find_addends(double x, double y, bins::addend (&a)[deposits]) {
    const double p = __dmul_rn(x, y);
    a[0] = bins::addend_of(p);
    a[1] = bins::addend_of(__fma_rn(x, y, -p));
  }
  /// Adds the product of two finite numbers to digits.
  __device__ static void add_wide(double x, double y, std::int64_t* to) {
    using format = impl::ieee<double>;
    const impl::number_parts f = format::parts(x), g = format::parts(y);
    const int bit = f.exponent + g.exponent - base;
    const std::int64_t sign = f.negative != g.negative ? -1 : 1;
    const std::uint64_t low = f.mantissa * g.mantissa, high = __umul64hi(f.mantissa, g.mantissa);
    const auto add = [&](std::uint64_t word, int at) {
      add_to_digits(to, at, sign * std::int64_t(word & 0xffffffff),
                    sign * std::int64_t(word >> 32));
    };
    if (low != 0) add(low, bit);
    if (high != 0) add(high, bit + 64);
  }
};

}  // namespace acc::backends::cuda

#endif
