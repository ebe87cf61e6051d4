// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_ORDER_FREE_TERMS_HPP
#define ACC_BACKENDS_CUDA_SUMS_ORDER_FREE_TERMS_HPP

/// \file
/// The terms of an order-free sum: how a thread reads them, which kinds of numbers they are, and
/// what a term of an exact sum adds to which bins (docs/arithmetic.md, "On a GPU").

#include <acc/backends/cuda/sums/digits.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/exact/magic.hpp>
#include <acc/core/order/order_free.hpp>

#include <cstdint>

namespace acc::backends::cuda {

/// A term as Terms::deposit hands it to an accumulator: the number x or the product x y.
template <class T>
struct captured_term {
  T x, y;
  __device__ void add(T number) { x = number; }
  __device__ void add_product(T a, T b) {
    x = a;
    y = b;
  }
};

/// How R reads the elements of a load: in steps of one term for each part of the result.
template <class R>
struct term_reader {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using terms = typename R::terms;
  using term = captured_term<scalar>;
  static constexpr int parts = terms::results;
  static constexpr bool has_y = terms::inputs == 2;
  static constexpr bool products = terms::guarded != impl::guard::sums;
  /// Elements per step: each part of a complex sum is one.
  static constexpr int elements = terms::sums == 1 ? parts : 1;

  /// Reads step u of a load; y only if there is one.
  __device__ static void read(const element* x, const element* y, int u, term (&t)[parts]) {
    ACC_UNROLL for (int k = 0; k < elements; ++k) {
      const int j = elements * u + k;
      const scalar xj = scalar(x[j]);
      scalar yj = xj, neighbour = xj;
      if constexpr (has_y) yj = scalar(y[j]);
      if constexpr (terms::sums == 2) neighbour = scalar(y[j ^ 1]);
      terms::deposit(t + k, xj, yj, neighbour, j);
    }
  }
  /// A term rounded to double: 0 only if it is 0 or very small.
  __device__ static double rounded(const term& t) {
    return products ? __dmul_rn(double(t.x), double(t.y)) : double(t.x);
  }
};

/// The threads of a warp for which something holds; they keep Parts parts in turn.
template <int Parts>
struct parts_of_warp {
  static_assert(Parts == 1 || Parts == 2 || Parts == warp_size);
  unsigned threads;  ///< a bit per thread
  __device__ explicit parts_of_warp(bool here) : threads(__ballot_sync(full_warp, here)) {}
  /// Whether it holds for a part, for all parts.
  __device__ bool any() const { return threads != 0; }
  __device__ bool all() const {
    if (Parts == warp_size) return threads == full_warp;
    return Parts == 1 ? any() : (threads & 0x55555555) != 0 && (threads & 0xaaaaaaaa) != 0;
  }
};

/// The bits of x's kind if x is not finite, else 0. No branch.
template <class T>
__device__ unsigned special_kind(T x) {
  const unsigned sign = x > T(0) ? element_kinds::plus_infinity : element_kinds::minus_infinity;
  const unsigned kind = element_kinds::nonzero | (x == x ? sign : element_kinds::nan);
  return impl::is_finite(x) ? 0 : kind;
}

/// The kinds of finite numbers, from the bits that any of them has and the bits that all have.
struct zero_kinds {
  unsigned any_high = 0, any_low = 0, all_high = ~0u;

  __device__ void note(float x) {
    any_high |= __float_as_uint(x);
    all_high &= __float_as_uint(x);
  }
  __device__ void note(double x) {
    any_high |= unsigned(__double2hiint(x));
    any_low |= unsigned(__double2loint(x));
    all_high &= unsigned(__double2hiint(x));
  }
  /// The kinds of at least one number.
  __device__ element_kinds kinds() const {
    element_kinds k;
    if (any_high >> 31) k.merge(element_kinds::zero(true));
    if (!(all_high >> 31)) k.merge(element_kinds::zero(false));
    if ((any_high << 1 | any_low) != 0) k.merge({element_kinds::nonzero});
    return k;
  }
};

/// A thread's bins, each 2^Width times the one below, in scratch memory. The same bin of a team's
/// threads is contiguous there, so threads never collide, whatever the data.
template <class Word, int Width, int Count, int Threads>
struct thread_bins {
  using word = Word;
  static constexpr int width = Width, count = Count, threads = Threads;

  Word* first;

  __device__ Word& bin(int i) const { return first[i * threads]; }
};

/// Integer bins for doubles from 2^(48 First - 1074) to 2^(48 (First + Count) - 1070).
template <int First, int Count, int Threads>
struct double_bins : thread_bins<std::int64_t, 48, Count, Threads> {
  static constexpr int lowest = 48 * First - 1074;
  /// Deposits between two carries: an addend is at most 2^52, and a bin holds less than 2^49 then.
  static constexpr int capacity = 1920;

  /// Leaves less than 2^width in each bin except the last. Rounds to nearest: otherwise the carry
  /// of a negative sum would run through all bins above it, and those would no longer be 0.
  __device__ void carry() const {
    ACC_NO_UNROLL for (int r = 0; r < Count - 1; ++r) {
      const std::int64_t over = (this->bin(r) + (std::int64_t(1) << 47)) >> 48;
      this->bin(r) -= over << 48;
      this->bin(r + 1) += over;
    }
  }
  __device__ static std::int64_t units(std::int64_t word, int) { return word; }

  /// What a number adds to two adjacent bins.
  struct addend {
    int bin;
    std::int64_t low, high;
  };
  /// The exponent e of x belongs to q = (e - 1) / 48. x enters bin q + 1, in twos of its units, and
  /// bin q, by the magic numbers M and N. For numbers of 2^942 and more M would overflow: they are
  /// scaled by 2^-48, by the additions themselves. Sums are exact, so the choice of bins is one of
  /// time alone.
  __device__ static addend addend_of(double x) {
    using magic = impl::magic_number;
    constexpr int width = double_bins::width;
    // The units of M and N are 2^upper and 2^lower above those of bin q.
    constexpr int unit = -1074, upper = width + 1;
    constexpr int top = (magic::highest_unit - unit - upper) / width;
    const int e = (__double2hiint(x) >> 20) & 0x7ff;
    int q = (e * 21845) >> 20;
    if (First > 0) q = max(q, First);
    const int bin = q - First;
    double scale = 1;
    if (First + Count > top + 2) {
      scale = __hiloint2double(q > top ? (1023 - 48) << 20 : 1023 << 20, 0);
      q = min(q, top);
    }
    const int high = magic::high_word(width * q + unit + upper);
    // N in units of M's last bit.
    constexpr int n = 3 << (magic::fraction_bits - 1 - upper);
    const double m = __hiloint2double(high, 0), m_and_n = __hiloint2double(high, n);
    const auto counted = impl::counted_in_two(x, scale, m, m_and_n);
    return {bin, __double_as_longlong(counted.lower) - (std::int64_t(high - (upper << 20)) << 32),
            (__double_as_longlong(counted.upper) - (std::int64_t(high) << 32)) * 2};
  }
  __device__ void add(const addend& a) const {
    std::int64_t& low = this->bin(a.bin);
    std::int64_t& high = this->bin(a.bin + 1);
    low += a.low;
    high += a.high;
  }
};

/// Bins for floats, themselves doubles: a float's 24 digits need one bin, and a double adds up 2^13
/// floats without an error, 2^40 units each. The last bin takes carries only.
template <int Threads>
struct float_bins : thread_bins<double, 16, 17, Threads> {
  static constexpr int lowest = -150;
  /// After a carry a bin holds no more than 2^15 units of its own, and 2^37 from below.
  static constexpr int capacity = 8000;

  /// 2^power.
  __device__ static double power_of_two(int power) {
    return __hiloint2double((1023 + power) << 20, 0);
  }
  __device__ void carry() const {
    ACC_NO_UNROLL for (int r = 0; r + 1 < 17; ++r) {
      const double m = __hiloint2double(impl::magic_number::high_word(lowest + 16 * (r + 1)), 0);
      const double over = impl::counted_part(impl::counted(this->bin(r), m), m);
      this->bin(r) -= over;
      this->bin(r + 1) += over;
    }
  }
  __device__ static std::int64_t units(double word, int r) {
    return std::int64_t(word * power_of_two(-lowest - 16 * r));
  }

  struct addend {
    int bin;
    double value;
  };
  __device__ static addend addend_of(float x) {
    return {int(__float_as_uint(x) >> 27 & 15), double(x)};
  }
  __device__ void add(const addend& a) const {
    double& sum = this->bin(a.bin);
    sum = __dadd_rn(sum, a.value);
  }
};

/// How the terms of a sum over T enter bins; a term is x, or with Products x y. A sum has `digits`
/// digits of 32 bits from 2^base up.
template <class T, bool Products>
struct exact_terms;

template <>
struct exact_terms<double, false> {
  static constexpr tuning::order_free_shape shape = tuning::exact_shapes.doubles;
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
  static constexpr tuning::order_free_shape shape = tuning::exact_shapes.floats;
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
  static constexpr tuning::order_free_shape shape = tuning::exact_shapes.float_products;
  using bins = double_bins<15, 13, shape.threads>;
  static constexpr int deposits = 1, base = -298, digits = 24;
  static constexpr bool has_wide = false;

  __device__ static double value_of(float x, float y) { return __dmul_rn(double(x), double(y)); }
  __device__ static void find_addends(float x, float y, bins::addend (&a)[deposits]) {
    a[0] = bins::addend_of(value_of(x, y));
  }
};

/// A product and the error of its rounding are two doubles, the addends, unless the product is near
/// the ends of the range of double. There the factors are scaled first. Products that are ordinary,
/// very large or small are of three scale classes, 0, 1 and -1. The bins of a warp are of one
/// class; a product of another class enters the digits of the team instead, with all its 106 bits.
template <>
struct exact_terms<double, true> {
  static constexpr tuning::order_free_shape shape = tuning::exact_shapes.double_products;
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
  /// Factors of scale class 1 are scaled by 2^-lift, those of scale class -1 by 2^lift.
  static constexpr int lift = 600;
  __device__ static double scale_of(int scale_class) {
    return scale_class == 0 ? 1 : scale_class > 0 ? 0x1p-600 : 0x1p600;
  }
  /// Whether the addends of the scaled factors are the product, scaled. If so, the scaling is
  /// exact: no factor of a very large product is small enough to lose bits, none of a small one too
  /// large.
  __device__ static bool is_in(int scale_class, double x, double y) {
    const double s = scale_of(scale_class), p = __dmul_rn(x * s, y * s);
    if (scale_class == 0) return is_ordinary(x, y);
    return scale_class > 0 ? is_between(p, -300, 1024) : is_between(p, -960, 300);
  }
  __device__ static void find_addends(double x, double y, bins::addend (&a)[deposits]) {
    const double p = __dmul_rn(x, y);
    a[0] = bins::addend_of(p);
    a[1] = bins::addend_of(__fma_rn(x, y, -p));
  }
  /// Adds the product of two finite numbers to digits, with all its bits.
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
