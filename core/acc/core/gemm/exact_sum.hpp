// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_GEMM_EXACT_SUM_HPP
#define ACC_CORE_GEMM_EXACT_SUM_HPP

/// \file
/// The sum of the products of an exact matrix product's entry (docs/arithmetic.md, "Exact
/// products"): all of it, or as much as decides what it is rounded to.
///
/// A complex product is one of real numbers: its K products of scalars are 2 K real ones, and each
/// column of op(B) is two real columns, one for each part of an entry (exact_operands).
///
/// A window holds the largest products of a sum, those whose last bits lie at most `depth` bits
/// below that of the largest. It takes no other, and counts them: a few of the sum's leading
/// digits and a bound of the rest are enough, except near a tie or where the products cancel. Then,
/// and for infinities and NaN, there is the superaccumulator, which holds any sum.

#include <acc/core/exact/exact_part.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace acc::impl {

/// op(A) and op(B) as matrices of real numbers of type real: rows x depth and depth x columns.
template <class In>
struct exact_operands {
  static constexpr int parts = components_of<In>;
  using real = std::conditional_t<is_half_scalar<In>, float, real_t<In>>;

  matrix_data<const In> a_, b_;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t depth() const { return parts * a_.columns; }
  KOKKOS_FORCEINLINE_FUNCTION real a(std::int64_t i, std::int64_t k) const {
    if constexpr (parts == 1) {
      return real(a_(i, k));
    } else {
      return part(a_(i, k / parts), int(k % parts));
    }
  }
  /// Signs of conjugation are b's, those of a included: products know no other difference.
  KOKKOS_FORCEINLINE_FUNCTION real b(std::int64_t k, std::int64_t column) const {
    if constexpr (parts == 1) {
      return real(b_(k, column));
    } else {
      const int p = int(column % parts), q = int(k % parts);
      const real y = part(b_(k / parts, column / parts), complex_product::part_of_b(p, q));
      return complex_product::negates(p, q, a_.conjugate, b_.conjugate) ? -y : y;
    }
  }
  /// A part of x, which need be aligned for its parts alone (as of parts_of).
  KOKKOS_FORCEINLINE_FUNCTION static real part(const In& x, int k) {
    return reinterpret_cast<const real*>(&x)[k];
  }
  // As of cut_operands.
  KOKKOS_FORCEINLINE_FUNCTION exact_operands of_entry(std::int64_t, std::int64_t) const {
    return *this;
  }
  KOKKOS_FORCEINLINE_FUNCTION int lift(std::int64_t, std::int64_t) const { return 0; }
};

/// op(A) and op(B) of the method fixed_point: in a row and a column without infinities and NaN,
/// numbers are cut. A complex row or column is cut as one row of real numbers.
template <class In>
struct cut_operands : exact_operands<In> {
  using base = exact_operands<In>;
  using base::parts;
  using typename base::real;

  const row_scale *rows, *columns;
  bool cuts = true;

  KOKKOS_FORCEINLINE_FUNCTION real a(std::int64_t i, std::int64_t k) const {
    return cuts ? cut_number(base::a(i, k), rows[i]) : base::a(i, k);
  }
  KOKKOS_FORCEINLINE_FUNCTION real b(std::int64_t k, std::int64_t column) const {
    return cuts ? cut_number(base::b(k, column), columns[column / parts]) : base::b(k, column);
  }
  /// The operands of entry (i, j) alone. An infinity must not meet a zero that was none before, so
  /// such entries' numbers are not cut.
  KOKKOS_INLINE_FUNCTION cut_operands of_entry(std::int64_t i, std::int64_t j) const {
    cut_operands x = *this;
    x.cuts = rows[i].finite() && columns[j].finite();
    return x;
  }
  /// Entry (i, j) is its sum times 2^lift.
  KOKKOS_FORCEINLINE_FUNCTION int lift(std::int64_t i, std::int64_t j) const {
    return (is_halved<real>(rows[i]) ? 1 : 0) + (is_halved<real>(columns[j]) ? 1 : 0);
  }
};

/// The operands of a problem whose sums are exact.
template <class Problem>
KOKKOS_FORCEINLINE_FUNCTION auto operands_of(const Problem& p) {
  using in = typename Problem::in;
  if constexpr (cuts_numbers<typename Problem::method>)
    return cut_operands<in>{{p.a, p.b}, p.row_scales, p.column_scales};
  else
    return exact_operands<in>{p.a, p.b};
}
template <class Problem>
using operands_t = decltype(operands_of(std::declval<const Problem&>()));

/// The kinds of the products of real entry (i, column), which are finite, as far as they decide
/// their sum. Cuts: numbers that are not zero are to be cut still, so that their products are zeros
/// all the same. Rounds: the sum, which is zero, is rounded, and one zero that is not negative
/// decides its sign; otherwise an accumulator keeps the kinds of all.
template <bool Cuts = false, bool Rounds = false, class Operands>
KOKKOS_INLINE_FUNCTION element_kinds kinds_of_products(const Operands& x, std::int64_t i,
                                                       std::int64_t column) {
  using real = typename Operands::real;
  using format = ieee<real>;
  element_kinds kinds;
  for (std::int64_t k = 0; k < x.depth(); ++k) {
    const real a = x.a(i, k), b = x.b(k, column);
    if (!Cuts && a != real(0) && b != real(0)) return {element_kinds::nonzero};
    kinds.merge(element_kinds::zero(format::is_negative(a) != format::is_negative(b)));
    if (Rounds && !kinds.zero_is_negative()) break;
  }
  return kinds;
}

/// Exponents of numbers as codes of 16 bits, whose sum is a product's: below `least`, that of a
/// zero; above `greatest`, that of an infinity or NaN.
struct exponent_code {
  static constexpr int zero = -8192, least = -4096, greatest = 2048, not_finite = 12288;

  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION static int of(R x) {
    if (!is_finite(x)) return not_finite;
    const number_parts p = ieee<R>::parts(x);
    return p.mantissa == 0 ? zero : p.exponent;
  }
};

/// The window of a sum of products of numbers of type R, in units of 2^unit.
template <class R>
struct exact_window {
  using format = ieee<R>;
  static constexpr int limbs = format::is_float ? 6 : 12;
  static_assert(limbs >= least_window_limbs);
  /// Digits that a product covers, wherever it begins.
  static constexpr int digits = format::is_float ? 3 : 5;
  static constexpr int depth = 32 * (limbs - digits + 1) - 1;
  /// A limb takes a digit of each product.
  static constexpr std::int64_t max_products = std::int64_t(1) << 30;

  /// The unit for a sum whose largest product has this exponent.
  KOKKOS_FORCEINLINE_FUNCTION static int unit_for(int top) {
    constexpr int lowest = superaccumulator<R>::unit_exponent;
    return top - depth > lowest ? top - depth : lowest;
  }
  /// The sum of what was skipped is below 2^this: the last bit of each is below the unit.
  KOKKOS_FORCEINLINE_FUNCTION static int bound(int unit, std::int64_t skipped) {
    return unit + 2 * format::digits - 1 + format::length(std::uint64_t(skipped));
  }

  struct product {
    std::uint64_t low, high;
  };
  /// a b, of mantissas. Doubles' by halves: no sum of their products overflows 64 bits.
  KOKKOS_FORCEINLINE_FUNCTION static product product_of(std::uint64_t a, std::uint64_t b) {
    if constexpr (format::is_float) {
      return {a * b, 0};
    } else {
      const std::uint64_t half = 0xffffffffu;
      const std::uint64_t a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
      const std::uint64_t first = a0 * b0;
      const std::uint64_t middle = a0 * b1 + a1 * b0 + (first >> 32);
      return {(first & half) | middle << 32, a1 * b1 + (middle >> 32)};
    }
  }

  /// Adds x y, of exponent unit + position, position >= 0; limb i is limb[i * stride]. Atomic:
  /// other threads may do so at the same time.
  template <bool Atomic = false>
  KOKKOS_FORCEINLINE_FUNCTION static void add(std::int64_t* limb, std::int64_t stride, R x, R y,
                                              int position) {
    const number_parts a = format::parts(x), b = format::parts(y);
    const std::int64_t sign = a.negative != b.negative ? -1 : 0;
    std::int64_t* const to = limb + (position / 32) * stride;
    const int shift = position % 32;
    const auto put = [&](int i, std::uint64_t digit) {
      const std::int64_t v = (std::int64_t(digit & 0xffffffffu) ^ sign) - sign;
      if constexpr (Atomic) {
        if (v != 0) Kokkos::atomic_add(&to[i * stride], v);
      } else {
        to[i * stride] += v;
      }
    };
    const product p = product_of(a.mantissa, b.mantissa);
    if constexpr (format::is_float) {
      const std::uint64_t low = p.low << shift, high = p.low >> 1 >> (63 - shift);
      put(0, low);
      put(1, low >> 32);
      put(2, high);
    } else {
      const std::uint64_t low = p.low << shift;
      const std::uint64_t high = p.high << shift | p.low >> 1 >> (63 - shift);
      put(0, low);
      put(1, low >> 32);
      put(2, high);
      put(3, high >> 32);
      put(4, p.high >> 1 >> (63 - shift));
    }
  }
};

/// A part of an entry in the making, which holds any product, by one thread or by many: the
/// superaccumulator's digits and kinds.
template <class R>
struct exact_long_part : exact_part<superaccumulator<R>::limbs> {
  using sum = superaccumulator<R>;
  /// Products between carries: a limb takes a digit of each.
  static constexpr std::int64_t max_products = exact_window<R>::max_products;

  KOKKOS_INLINE_FUNCTION exact_long_part() { this->unit = sum::unit_exponent; }
  /// The kind of x y, and where it is not zero nor infinite its digits.
  KOKKOS_INLINE_FUNCTION element_kinds deposit(R x, R y) {
    const int exponent = exponent_code::of(x) + exponent_code::of(y);
    if (exponent > exponent_code::greatest) return element_kinds::of(x * y);
    if (exponent < exponent_code::least)
      return element_kinds::zero(ieee<R>::is_negative(x) != ieee<R>::is_negative(y));
    exact_window<R>::template add<true>(this->magnitude.limb, 1, x, y,
                                        exponent - sum::unit_exponent);
    return {element_kinds::nonzero};
  }
};

/// The superaccumulators of an entry.
template <class In>
struct exact_sum {
  static constexpr int parts = components_of<In>;
  using real = typename exact_operands<In>::real;

  superaccumulator<real> part[parts];

  /// Deposits the products [first, end) of row i of A and the columns of entry (i, j).
  template <class Operands>
  KOKKOS_INLINE_FUNCTION void add(const Operands& x, std::int64_t i, std::int64_t j,
                                  std::int64_t first, std::int64_t end) {
    for (std::int64_t k = first; k < end; ++k)
      for (int p = 0; p < parts; ++p) part[p].add_product(x.a(i, k), x.b(k, parts * j + p));
  }
  KOKKOS_INLINE_FUNCTION void merge(const exact_sum& other) {
    for (int p = 0; p < parts; ++p) part[p].merge(other.part[p]);
  }
};

}  // namespace acc::impl

#endif
