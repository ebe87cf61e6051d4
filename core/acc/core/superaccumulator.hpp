// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_SUPERACCUMULATOR_HPP
#define ACC_CORE_SUPERACCUMULATOR_HPP

/// \file
/// The exact sum of numbers and products, whatever their exponents: Kulisch's long accumulator.

#include <acc/core/exact/accumulator.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/exact/long_integer.hpp>
#include <acc/core/exact/natural.hpp>
#include <acc/core/exact/rounding.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/exact/wire.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc {

namespace impl {
template <class T>
struct compact_sum;
template <int Limbs>
struct exact_part;
template <class T>
struct signed_sum;
template <class T, int FullBits>
struct atomic_sum;
}  // namespace impl

/// A sum of numbers x and products x y of type T (float, double, Kokkos::complex of them), exact
/// for all inputs: no deposit, merge or negation loses a bit.
///
/// It is a fixed-point number in units of 2^-2148 (float: 2^-298), the last bit of the product of
/// the smallest numbers, of 133 (19) limbs with 32 bits and room for carries each. It holds any sum
/// of at most 2^90 (2^84) numbers or products, so nothing need be counted; 1072 (160) bytes.
///
/// Sums are a commutative monoid: whatever the order of deposits and merges, normalised states are
/// the same bit for bit (`identical`), and `value` is the correctly rounded sum. Special values are
/// IEEE's in exact range: a NaN, infinities of both signs or infinity times zero give the one NaN,
/// an infinity gives itself, and finite elements give an infinity only where the exact sum rounds
/// to it. A zero sum is -0 if there were elements and all of them were -0 (for products, the
/// product's sign), else +0; in every rounding mode.
///
/// Error: |value() - sum| <= ulp / 2 (nearest), < ulp (directed). All in host and device code;
/// about 20 integer operations per number, and a copy and a carry of all limbs for a value.
/// Source: Kulisch, Computer Arithmetic and Validity, 2013; Neal 2015 (arXiv:1505.05571);
/// Collange, Defour, Graillat, Iakymchuk, Parallel Computing 49, 2015.
template <class T>
class superaccumulator : public impl::real_accumulator<superaccumulator<T>, T> {
  using format = impl::ieee<T>;
  friend struct impl::real_accumulator<superaccumulator, T>;

 public:
  using scalar_type = T;
  /// The sum is a multiple of 2^unit_exponent.
  static constexpr int unit_exponent = 2 * format::lowest;
  /// The highest exponent of `add_integer` for any value.
  static constexpr int max_exponent = 2 * format::highest - 63;
  static constexpr int limbs = format::is_float ? 19 : 133;
  /// Terms of an expansion at most: 81 for double, 27 for float.
  static constexpr int max_terms = impl::long_integer<limbs>::template max_terms<T>;
  static constexpr int wire_words = 2 + element_kinds::count + limbs;
  static constexpr const char* from_wire_name = "acc::superaccumulator::from_wire";

  /// The empty sum, +0.
  KOKKOS_INLINE_FUNCTION superaccumulator() : load_(0) {}
  KOKKOS_INLINE_FUNCTION superaccumulator(T x) : superaccumulator() { this->add(x); }

  // add(x), add(x, n, stride) and add_products(x, y, n) are impl::real_accumulator's.

  /// Deposits x * y exactly, also where the product over- or underflows in T.
  KOKKOS_INLINE_FUNCTION void add_product(T x, T y) {
    add_kinds(
        product_pieces(x, y, [&](impl::number_parts piece, int shift) { deposit(piece, shift); }));
  }

  /// Adds value * 2^exponent exactly; unit_exponent <= exponent <= max_exponent, or more where
  /// |value * 2^exponent| is less than a unit of the last limb, 2^2076 (float: 2^278). For sums
  /// gathered elsewhere in integer bins: it counts as no element, `add_kinds` tells what those
  /// were.
  KOKKOS_INLINE_FUNCTION void add_integer(std::int64_t value, int exponent) {
    const std::uint64_t bits = static_cast<std::uint64_t>(value);
    deposit({value < 0 ? 0 - bits : bits, exponent, value < 0}, 0);
  }
  KOKKOS_INLINE_FUNCTION void add_kinds(element_kinds kinds) { kinds_.merge(kinds); }
  KOKKOS_INLINE_FUNCTION element_kinds kinds() const { return kinds_; }

  /// Adds another sum.
  KOKKOS_INLINE_FUNCTION void merge(const superaccumulator& other) {
    sum_.add(other.sum_);
    load_ += other.load_ + 1;
    if (load_ >= capacity) normalise();
    kinds_.merge(other.kinds_);
  }

  /// Turns the sum into that of the negated elements: zeros and infinities change their sign too.
  KOKKOS_INLINE_FUNCTION void negate() {
    sum_.negate();
    kinds_ = kinds_.negated();
  }

  /// Carries. After it the state is a function of the multiset of elements alone.
  KOKKOS_INLINE_FUNCTION void normalise() {
    sum_.carry();
    load_ = 0;
  }

  /// The exact sum, rounded once.
  KOKKOS_INLINE_FUNCTION T value(rounding mode = rounding::nearest) const {
    if (!kinds_.finite()) return impl::nonfinite_sum<T>(kinds_);
    const impl::signed_natural<limbs + 1> sum(sum_);
    if (sum.magnitude.is_zero()) return impl::zero_sum<T>(kinds_);
    return sum.template value<T>(unit_exponent, mode);
  }

  /// The exact sum as non-overlapping numbers, the largest first; the first is value() wherever
  /// that is finite.
  KOKKOS_INLINE_FUNCTION exact_expansion<T, max_terms> expansion() const {
    impl::long_integer<limbs> sum = sum_;
    sum.carry();
    if (kinds_.finite() && !sum.is_zero()) return sum.template expansion<T>(unit_exponent);
    exact_expansion<T, max_terms> terms;
    terms.append(value(), 0);
    return terms;
  }

  /// -1, 0 or 1 as the exact sum of a is less than, equal to or greater than that of b; 2 where one
  /// is NaN. Zeros of both signs are equal.
  KOKKOS_INLINE_FUNCTION friend int compare(const superaccumulator& a, const superaccumulator& b) {
    if (!a.kinds_.finite() || !b.kinds_.finite()) return impl::compare_infinite(a.kinds_, b.kinds_);
    superaccumulator x = a, y = b;
    x.normalise();
    y.normalise();
    return compare(x.sum_, y.sum_);
  }
  /// Whether the normalised states are the same: as == of finite sums, but NaN, signs of zeros and
  /// what is behind an infinity count.
  KOKKOS_INLINE_FUNCTION friend bool identical(superaccumulator a, superaccumulator b) {
    a.normalise();
    b.normalise();
    return a.kinds_ == b.kinds_ && compare(a.sum_, b.sum_) == 0;
  }

  /// Writes the wire form, wire_words words: tag, 1 (contributions), six flags (element_kinds, from
  /// the lowest bit up), the limbs from the lowest up. The element-wise sum of the wire forms of up
  /// to 2^30 ranks is a wire form of the merged sum: MPI_SUM on MPI_INT64_T.
  KOKKOS_INLINE_FUNCTION void to_wire(std::int64_t* words) const {
    impl::long_integer<limbs> sum = sum_;
    sum.carry();
    words[0] = wire_tag;
    words[1] = 1;
    for (int k = 0; k < element_kinds::count; ++k) words[2 + k] = kinds_.bits >> k & 1;
    for (int i = 0; i < limbs; ++i) words[2 + element_kinds::count + i] = sum.limb[i];
  }

  /// Reads a wire form of n words, or a sum of wire forms. Throws std::invalid_argument (a kernel
  /// aborts) where the length, the version, the type or a word's range is not that of one.
  KOKKOS_INLINE_FUNCTION static superaccumulator from_wire(const std::int64_t* words,
                                                           std::int64_t n) {
    impl::check_wire_length(from_wire_name, n, wire_words);
    const std::int64_t ranks = words[1];
    if (ranks < 1 || ranks > max_wire_contributions)
      impl::reject_wire(from_wire_name, "[1] is no number of contributions, or above 2^30", ranks,
                        1);
    if (words[0] != wire_tag * ranks)
      impl::reject_wire(from_wire_name, "[0] is not the tag of this type and wire version",
                        words[0], wire_tag * ranks);
    superaccumulator sum;
    for (int k = 0; k < element_kinds::count; ++k) {
      const std::int64_t flag = words[2 + k];
      if (flag < 0 || flag > ranks)
        impl::reject_wire(from_wire_name, " have a flag that was not set by each rank once", flag,
                          ranks);
      if (flag != 0) sum.kinds_.merge({1u << k});
    }
    const std::int64_t* limb = words + 2 + element_kinds::count;
    for (int i = 0; i < limbs; ++i) {
      const std::int64_t digits = ranks << 32;
      if (i < limbs - 1 && (limb[i] < 0 || limb[i] >= digits))
        impl::reject_wire(from_wire_name, " have a limb out of its range", limb[i], digits);
      sum.sum_.limb[i] = limb[i];
    }
    // Before the carry, which adds less than 2^31 to it, the last limb may only be too low.
    if (limb[limbs - 1] < impl::wire_capacity) sum.normalise();
    const std::int64_t last = sum.sum_.limb[limbs - 1];
    if (!impl::within_wire_capacity(last))
      impl::reject_wire(from_wire_name, " have a last limb beyond the capacity", last,
                        impl::wire_capacity);
    return sum;
  }

 private:
  friend struct impl::compact_sum<T>;  // a short form for messages
  template <int Limbs>
  friend struct impl::exact_part;     // a sum that is still to be scaled
  friend struct impl::signed_sum<T>;  // one to be multiplied and divided
  template <class U, int FullBits>
  friend struct impl::atomic_sum;  // one that many threads add to

  static constexpr std::int64_t wire_tag = impl::wire_tag(1, format::is_float ? 1 : 2);
  /// Digits that a limb takes before it is carried. Two limbs so full are below 2^63 together.
  static constexpr std::uint32_t capacity = 1u << 29;

  /// The kinds of x * y, and add(parts, shift) for each of its pieces: 2^shift times as large.
  template <class Add>
  KOKKOS_INLINE_FUNCTION static element_kinds product_pieces(T x, T y, const Add& add) {
    if (!impl::is_finite(x) || !impl::is_finite(y)) return element_kinds::of(x * y);
    const impl::number_parts a = format::parts(x), b = format::parts(y);
    const bool negative = a.negative != b.negative;
    if (a.mantissa == 0 || b.mantissa == 0) return element_kinds::zero(negative);
    // a * b in 32-bit halves: no product of two of them overflows 64 bits.
    constexpr std::uint64_t half = 0xffffffffu;
    const int e = a.exponent + b.exponent;
    const std::uint64_t a0 = a.mantissa & half, a1 = a.mantissa >> 32;
    const std::uint64_t b0 = b.mantissa & half, b1 = b.mantissa >> 32;
    add(impl::number_parts{a0 * b0, e, negative}, 0);
    if constexpr (!format::is_float) add(impl::number_parts{a0 * b1 + a1 * b0, e, negative}, 32);
    if constexpr (!format::is_float) add(impl::number_parts{a1 * b1, e, negative}, 64);
    return {element_kinds::nonzero};
  }

  KOKKOS_INLINE_FUNCTION void deposit(impl::number_parts x, int shift) {
    if (load_ >= capacity) normalise();
    sum_.add(x.mantissa, x.exponent - unit_exponent + shift, x.negative);
    ++load_;
  }

  impl::long_integer<limbs> sum_;
  /// |limb| < 2^32 (load_ + 1), the last one apart: it is below 2^62 by the range of the sum.
  std::uint32_t load_;
  element_kinds kinds_;
};

/// A complex exact sum: real and imaginary part (`re`, `im`) are superaccumulators of their own.
template <class T>
class superaccumulator<Kokkos::complex<T>>
    : public impl::complex_accumulator<superaccumulator<Kokkos::complex<T>>, superaccumulator<T>> {
 public:
  KOKKOS_INLINE_FUNCTION superaccumulator() {}
  KOKKOS_INLINE_FUNCTION superaccumulator(Kokkos::complex<T> x) { this->add(x); }
};

namespace impl {

/// A real part of a sum.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION superaccumulator<T>& part_of(superaccumulator<T>& s, int) {
  return s;
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION superaccumulator<T>& part_of(superaccumulator<Kokkos::complex<T>>& s,
                                                         int part) {
  return part == 0 ? s.re : s.im;
}

}  // namespace impl
}  // namespace acc

#endif
