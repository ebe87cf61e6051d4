// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_FIXED_POINT_SUM_HPP
#define ACC_CORE_FIXED_POINT_SUM_HPP

/// \file
/// The order-free sum of a few numbers of similar size, in one 64-bit integer.

#include <acc/core/eft.hpp>
#include <acc/core/exact/magic.hpp>
#include <acc/core/exponent_range.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace acc {

/// A sum of numbers of type T (float, double) in fixed point, which does not depend on their order:
/// each number is rounded to a multiple of 2^unit (to nearest, ties to even), and the multiples are
/// added as integers. Whoever makes the sum states the range of the numbers. What does not fit is
/// found: value() is then NaN.
///
///   const acc::fixed_point_sum<double> none({.unit = -40, .top = 10});  // in front of the kernel
///   auto sum = none;                                                    // in each thread
///   for (...) sum += force(i, j);                                       // in any order
///   f(i) = sum.value();
///
/// A number fits if -2^top - 2^(unit-2) <= x < 2^top - 2^(unit-1): one that rounds to 2^top does
/// not. Infinities and NaN do not. 2^(63 - (top - unit)) numbers fit, merged sums counted: 4,096
/// where top - unit is 51. Whether all fit depends on the numbers alone, not on their order.
///
/// Error, with s the exact sum of n numbers, which all fit, and u the unit roundoff of T:
///   |value() - s| <= (1 + u) n 2^(unit-1) + u |s|.
/// It is exact before the last rounding if all numbers are multiples of 2^unit. A zero sum is +0.
///
/// One floating-point addition and three integer operations per number, no branch. 32 bytes. All in
/// host and device code. For larger or longer sums: binned, superaccumulator.
/// Source: docs/arithmetic.md, "Fixed-point sum"; the rounding by a large number is that of
/// Demmel and Nguyen, ARITH 21, 2013.
template <class T>
class fixed_point_sum {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "acc::fixed_point_sum<T>: T must be float or double");
  using magic = impl::magic_number;

 public:
  using scalar_type = T;
  /// The bits from unit to top.
  static constexpr int fewest_bits = 32, most_bits = 51;

  /// The empty sum, +0, without a range: nothing fits into it. One that is merged gives it a range.
  KOKKOS_DEFAULTED_FUNCTION fixed_point_sum() = default;
  /// The empty sum, +0, of numbers of a range. Numbers need not be multiples of 2^unit.
  /// \throws std::invalid_argument (a kernel aborts) if top - unit is not 32 to 51, or unit not
  /// -1074 to 971
  KOKKOS_INLINE_FUNCTION explicit fixed_point_sum(exponent_range range) {
    const int bits = range.top - range.unit;
    if (bits < fewest_bits || bits > most_bits || range.unit < magic::lowest_unit ||
        range.unit > magic::highest_unit)
      reject(range);
    magic_ =
        hidden(magic::bits(range.unit) - (std::uint64_t(1) << 51) + (std::uint64_t(1) << bits));
  }
  /// The empty sum of numbers up to `largest` in magnitude: of the lowest top into which those fit,
  /// -1022 at least, and unit = top - 51. 4,096 numbers fit.
  /// \throws std::invalid_argument (a kernel aborts) if largest is not above 0, or does not fit
  /// below 2^1022
  KOKKOS_INLINE_FUNCTION static fixed_point_sum up_to(T largest) {
    const auto bits = Kokkos::bit_cast<std::uint64_t>(double(largest));
    if (!(largest > T(0)) || bits >> 52 > 1022 + highest_top) reject_largest(double(largest));
    int top = int(bits >> 52) - 1022;
    // The last two numbers below 2^top round up to it, of subnormal ones the last.
    const std::uint64_t last = bits >> 52 == 0 ? 1 : 2;
    if (bits << 12 >> 12 >= (std::uint64_t(1) << 52) - last) ++top;
    if (top > highest_top) reject_largest(double(largest));
    return fixed_point_sum({top - most_bits, top});
  }

  /// Adds x.
  KOKKOS_FORCEINLINE_FUNCTION void add(T x) {
    const auto t = Kokkos::bit_cast<std::uint64_t>(
        impl::counted(not_a_product(double(x)), Kokkos::bit_cast<double>(magic_)));
    sum_ += t;
    seen_ |= t ^ magic_;
    ++count_;
  }
  /// Adds another sum of the same range. Sums of two ranges do not fit together.
  KOKKOS_INLINE_FUNCTION void merge(const fixed_point_sum& other) {
    if (other.magic_ == 0 && other.count_ == 0) return;
    if (magic_ == 0 && count_ == 0) {
      *this = other;
      return;
    }
    sum_ += other.sum_;
    seen_ |= magic_ == other.magic_ ? other.seen_ : ~std::uint64_t(0);
    count_ += other.count_;
    if (count_ > most_counted) count_ = most_counted;
  }
  KOKKOS_FORCEINLINE_FUNCTION fixed_point_sum& operator+=(T x) { return add(x), *this; }
  KOKKOS_FORCEINLINE_FUNCTION fixed_point_sum& operator-=(T x) { return add(-x), *this; }
  KOKKOS_INLINE_FUNCTION fixed_point_sum& operator+=(const fixed_point_sum& other) {
    return merge(other), *this;
  }
  KOKKOS_INLINE_FUNCTION friend fixed_point_sum operator+(fixed_point_sum a,
                                                          const fixed_point_sum& b) {
    return a += b;
  }

  /// The range; {0, 0} of a sum without one.
  KOKKOS_INLINE_FUNCTION exponent_range range() const {
    if (magic_ == 0) return {0, 0};
    const int unit = int(magic_ >> magic::fraction_bits) - magic::bias - magic::fraction_bits;
    return {unit, unit + Kokkos::countr_zero(magic_)};
  }
  /// How many numbers fit; 0 without a range.
  KOKKOS_INLINE_FUNCTION std::int64_t capacity() const {
    return magic_ == 0 ? 0 : std::int64_t(1) << (63 - Kokkos::countr_zero(magic_));
  }
  /// How many numbers were added, up to 2^62.
  KOKKOS_INLINE_FUNCTION std::int64_t count() const { return std::int64_t(count_); }
  /// Whether all numbers were in the range and the sum has room for so many.
  KOKKOS_INLINE_FUNCTION bool in_range() const {
    if (magic_ == 0) return count_ == 0;
    // 2^(top - unit) is magic_'s lowest bit, and above 2^31. The exponent and the bits of the
    // fraction above that one must have been those of magic_. The lower 32 bits of seen_ are not
    // looked at, so a GPU does not keep them.
    const std::uint64_t largest = (magic_ & (0 - magic_)) >> 32, most = std::uint64_t(1) << 31;
    return seen_ >> 32 < 2 * largest && count_ <= most && count_ * largest <= most;
  }
  /// The exact sum of the rounded numbers, in units of 2^range().unit, if in_range(). For a sum
  /// that goes on elsewhere: superaccumulator::add_integer takes it.
  KOKKOS_INLINE_FUNCTION std::int64_t units() const { return std::int64_t(sum_ - count_ * magic_); }

  /// The sum, rounded once to nearest even; NaN unless in_range().
  KOKKOS_INLINE_FUNCTION T value() const {
    if (!in_range()) return impl::canonical_nan<T>();
    std::int64_t n = units();
    if constexpr (std::is_same_v<T, float>) {
      // Rounded to odd on the way to double, so that the rounding to float is the only one.
      if (n >= one_of_53_bits || n <= -one_of_53_bits)
        n = (n & ~odd_rest) | ((n & odd_rest) != 0) << 11;
    }
    return T(impl::mul(double(n), unit_value()));
  }

  /// Whether both have the same numbers, rounded: not how many, nor their sum, where a sum is
  /// outside of its range.
  KOKKOS_INLINE_FUNCTION friend bool identical(const fixed_point_sum& a, const fixed_point_sum& b) {
    if (!a.in_range() || !b.in_range()) return a.in_range() == b.in_range();
    return a.magic_ == b.magic_ && a.sum_ == b.sum_ && a.count_ == b.count_;
  }

 private:
  static constexpr int highest_top = magic::highest_unit + most_bits;
  static constexpr std::uint64_t most_counted = std::uint64_t(1) << 62;
  static constexpr std::int64_t one_of_53_bits = std::int64_t(1) << 53, odd_rest = (1 << 11) - 1;
  static_assert(highest_top == 1022);

  /// bits, of which the optimiser no longer knows the lowest one: not_a_product needs that.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t hidden(std::uint64_t bits) {
    return Kokkos::bit_cast<std::uint64_t>(impl::rounded(Kokkos::bit_cast<double>(bits)));
  }
  /// x, of which the optimiser no longer knows that it may be a product, which it could contract
  /// with add's addition. impl::rounded hides that as well, but keeps loops from being vectorised.
  KOKKOS_FORCEINLINE_FUNCTION double not_a_product(double x) const {
#if ACC_MAY_CONTRACT
    const std::uint64_t zero = magic_ & 1;
    return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x) ^ zero);
#else
    return x;
#endif
  }
  /// 2^unit.
  KOKKOS_INLINE_FUNCTION double unit_value() const {
    if (magic_ == 0) return 0;
    const std::uint64_t field = magic_ >> magic::fraction_bits;  // unit + 1075
    return Kokkos::bit_cast<double>(field > 52 ? (field - 52) << 52
                                               : std::uint64_t(1) << (field - 1));
  }
  [[noreturn]] KOKKOS_INLINE_FUNCTION static void reject([[maybe_unused]] exponent_range range) {
    KOKKOS_IF_ON_HOST(
        (throw std::invalid_argument(
             "acc::fixed_point_sum: the range must have 32 <= top - unit <= 51 "
             "and -1074 <= unit <= 971, but unit is " +
             std::to_string(range.unit) + " and top is " + std::to_string(range.top));))
    KOKKOS_IF_ON_DEVICE((Kokkos::abort("acc::fixed_point_sum: no such range");))
  }
  [[noreturn]] KOKKOS_INLINE_FUNCTION static void reject_largest([[maybe_unused]] double largest) {
    KOKKOS_IF_ON_HOST((throw std::invalid_argument(
                           "acc::fixed_point_sum::up_to: largest must be above 0 and below 2^1022, "
                           "but is " +
                           std::to_string(largest));))
    KOKKOS_IF_ON_DEVICE((Kokkos::abort("acc::fixed_point_sum::up_to: no such number");))
  }

  /// The bits of M = 2^52 + 2^(top - unit) units; 0 without a range.
  std::uint64_t magic_ = 0;
  /// The bits of all M + x, added, modulo 2^64: count_ times those of M, and the sum in units.
  std::uint64_t sum_ = 0;
  /// Each bit in which an M + x was not M: above bit top - unit none is, where all x fit.
  std::uint64_t seen_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace acc

#endif
