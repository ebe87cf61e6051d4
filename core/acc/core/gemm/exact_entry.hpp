// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_GEMM_EXACT_ENTRY_HPP
#define ACC_CORE_GEMM_EXACT_ENTRY_HPP

/// \file
/// An entry of an exact matrix product, from its sums to its number: alpha times the sum of its
/// products, plus beta times C's, rounded once (docs/arithmetic.md, "Exact products").

#include <acc/core/exact/exact_part.hpp>
#include <acc/core/exact/long_integer.hpp>
#include <acc/core/exact/rounding.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm/scaling.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/half_rounding.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/macros.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// The format of a result, and the type that it is made in: every number of the format is one of
/// that type.
template <class Carrier, int Digits, int Lowest, int Highest>
struct number_format {
  using carrier = Carrier;
  static constexpr int digits = Digits, lowest = Lowest, highest = Highest;  ///< as in ieee<T>
};
using binary16_result = number_format<float, binary16.digits, binary16.lowest, binary16.highest>;
using bfloat16_result = number_format<float, bfloat16.digits, bfloat16.lowest, bfloat16.highest>;

template <class T>
struct result_format_of {
  using type = number_format<T, ieee<T>::digits, ieee<T>::lowest, ieee<T>::highest>;
};
template <class T>
  requires is_half_scalar<T>
struct result_format_of<T> {
  using type = std::conditional_t<std::is_same_v<T, Kokkos::Experimental::half_t>, binary16_result,
                                  bfloat16_result>;
};
template <class T>
using result_format = typename result_format_of<T>::type;

/// A finite sum, rounded to nearest even; of zero what its kinds say.
template <class Format, int Limbs>
KOKKOS_INLINE_FUNCTION typename Format::carrier rounded_digits(const exact_part<Limbs>& part) {
  using carrier = typename Format::carrier;
  if (part.magnitude.is_zero()) return zero_sum<carrier>(part.kinds);
  leading_bits x = part.magnitude.leading(part.negative);
  x.exponent += part.unit;
  const number_parts r = rounded_parts(x, Format::digits, Format::lowest, rounding::nearest);
  if (r.exponent + ieee<carrier>::length(r.mantissa) > Format::highest)
    return ieee<carrier>::number({1, ieee<carrier>::highest, x.negative}, rounding::nearest);
  return ieee<carrier>::number(r, rounding::nearest);
}

/// A result, or the discovery that the sum's bounds do not decide it.
template <class Carrier>
struct exact_result {
  Carrier value;
  bool decided = true;
};

/// The same of a sum that may have bounds: rounding is monotone, so what both are rounded to is the
/// result. It is done in place: there is much of it for a GPU's thread.
template <class Format, int Limbs>
KOKKOS_INLINE_FUNCTION exact_result<typename Format::carrier> rounded_part(
    exact_part<Limbs>& part) {
  using carrier = typename Format::carrier;
  if (!part.kinds.finite()) return {nonfinite_sum<carrier>(part.kinds)};
  if constexpr (Limbs >= least_window_limbs) {
    if (part.skips) {
      using bits = typename ieee<carrier>::bits_type;
      part.move(part.bound, true);
      const carrier lower = rounded_digits<Format>(part);
      part.move(part.bound + 1, false);
      const carrier upper = rounded_digits<Format>(part);
      return {lower, Kokkos::bit_cast<bits>(lower) == Kokkos::bit_cast<bits>(upper)};
    }
  }
  return {rounded_digits<Format>(part)};
}

/// A sum of up to four products with exact sums or numbers, in units that divide all of them.
struct exact_scaled_sum {
  static constexpr int unit = superaccumulator<double>::unit_exponent + ieee<double>::lowest;
  /// A superaccumulator of less than 2^62 units of its last limb, times 2^1024, four times.
  static constexpr int highest = superaccumulator<double>::unit_exponent +
                                 32 * (superaccumulator<double>::limbs - 1) + 62 +
                                 ieee<double>::highest + 2;
  static constexpr int limbs = (highest - unit) / 32;
  using format = ieee<double>;

  exact_part<limbs> total;

  /// Makes it empty; there need be no more than its memory.
  KOKKOS_INLINE_FUNCTION void clear() {
    total.unit = unit;
    for (int i = 0; i < limbs; ++i) total.magnitude.limb[i] = 0;
    total.negative = total.skips = false;
    total.kinds = {};
    total.bound = 0;
  }

  /// Adds f x.
  KOKKOS_INLINE_FUNCTION void add(double f, double x) {
    total.kinds.merge(kinds_of_product(f, x));
    if (!is_finite(f) || !is_finite(x)) return;
    const number_parts b = format::parts(x);
    add(format::parts(f), b.mantissa, b.exponent, b.negative);
  }
  /// Adds f s. f is finite where s has bounds.
  template <int Limbs>
  KOKKOS_INLINE_FUNCTION void add(double f, const exact_part<Limbs>& s) {
    // What counts of s where the product is no digits.
    double like = s.negative ? -1.0 : 1.0;
    if (!s.kinds.finite())
      like = nonfinite_sum<double>(s.kinds);
    else if (!s.skips && s.magnitude.is_zero())
      like = zero_sum<double>(s.kinds);
    total.kinds.merge(kinds_of_product(f, like));
    if (!is_finite(f) || !s.kinds.finite()) return;
    const number_parts a = format::parts(f);
    for (int i = 0; i < Limbs; ++i)
      if (s.magnitude.limb[i] != 0)
        add(a, std::uint64_t(s.magnitude.limb[i]), s.unit + 32 * i, s.negative);
    if (!s.skips) return;
    // 2^bound |f|; two of them are twice the larger at most.
    const int bound = s.bound + a.exponent + format::length(a.mantissa) + 1;
    if (!total.skips || bound > total.bound) total.bound = bound;
    total.skips = true;
  }

 private:
  KOKKOS_INLINE_FUNCTION static element_kinds kinds_of_product(double f, double x) {
    if (!is_finite(f) || !is_finite(x)) return element_kinds::of(f * x);
    if (f == 0.0 || x == 0.0)
      return element_kinds::zero(format::is_negative(f) != format::is_negative(x));
    return {element_kinds::nonzero};
  }
  /// Adds a m 2^exponent, by halves of both.
  KOKKOS_INLINE_FUNCTION void add(const number_parts& a, std::uint64_t m, int exponent,
                                  bool negative) {
    constexpr std::uint64_t half = 0xffffffffu;
    const int position = a.exponent + exponent - unit;
    negative = negative != a.negative;
    total.magnitude.add((a.mantissa & half) * (m & half), position, negative);
    total.magnitude.add((a.mantissa >> 32) * (m & half), position + 32, negative);
    if (m >> 32 == 0) return;
    total.magnitude.add((a.mantissa & half) * (m >> 32), position + 32, negative);
    total.magnitude.add((a.mantissa >> 32) * (m >> 32), position + 64, negative);
  }
};

/// Whether alpha is a real power of two, of either sign, and C does not count: then only the
/// exponent and the sign of a sum change.
template <class Problem>
KOKKOS_INLINE_FUNCTION bool only_moves(const Problem& p) {
  if (p.reads_c() || (Problem::parts == 2 && p.scale.alpha[1] != 0.0)) return false;
  if (!is_finite(p.scale.alpha[0])) return false;
  const std::uint64_t m = ieee<double>::parts(p.scale.alpha[0]).mantissa;
  return m != 0 && (m & (m - 1)) == 0;
}

/// A part of the result of any factors; c: C's parts; sum: memory.
template <class Out, int Parts, int Limbs>
KOKKOS_INLINE_FUNCTION exact_result<typename result_format<Out>::carrier> scaled_exact_part(
    const scaling<double>& scale, int part, const exact_part<Limbs>* s, const double* c,
    exact_scaled_sum& sum) {
  // The same products as those of other methods (scaling.hpp).
  sum.clear();
  const double sign = complex_product::negates(part, 1) ? -1.0 : 1.0;
  const int other = Parts - 1 - part;
  if (scale.beta[0] != 0.0) sum.add(scale.beta[0], c[part]);
  if (Parts == 2 && scale.beta[1] != 0.0) sum.add(sign * scale.beta[1], c[other]);
  if (scale.alpha[0] != 0.0) sum.add(scale.alpha[0], s[part]);
  if (Parts == 2 && scale.alpha[1] != 0.0) sum.add(sign * scale.alpha[1], s[other]);
  sum.total.settle();
  return rounded_part<result_format<Out>>(sum.total);
}
/// The same with memory of its own, apart from the caller's registers.
template <class Out, int Parts, int Limbs>
ACC_COLD_FUNCTION exact_result<typename result_format<Out>::carrier> scaled_exact_part(
    scaling<double> scale, int part, const exact_part<Limbs>* s, const double* c) {
  exact_scaled_sum sum;
  return scaled_exact_part<Out, Parts>(scale, part, s, c, sum);
}

/// The memory for the sum of an entry's terms: an exact_scaled_sum, or the thread's own.
struct own_memory {};

/// Adds s, the parts' sums, to entry (i, j), or leaves it as it is where they skip something;
/// whether it did.
template <class Problem, int Limbs, class Memory = own_memory>
  requires is_entry_accumulator<typename Problem::out>
KOKKOS_INLINE_FUNCTION bool write_exact_entry(const Problem& p, std::int64_t i, std::int64_t j,
                                              exact_part<Limbs>* s, Memory&& = {}) {
  for (int k = 0; k < Problem::parts; ++k)
    if (s[k].skips) return false;
  for (int k = 0; k < Problem::parts; ++k) s[k].add_to(part_of(p.c(i, j), k));
  return true;
}

/// Writes entry (i, j), whose parts' sums are s, which is used up, or leaves C as it is where their
/// bounds do not decide it; whether they did.
template <class Problem, int Limbs, class Memory = own_memory>
KOKKOS_INLINE_FUNCTION bool write_exact_entry(const Problem& p, std::int64_t i, std::int64_t j,
                                              exact_part<Limbs>* s,
                                              [[maybe_unused]] Memory&& memory = {}) {
  using out = real_t<typename Problem::out>;
  using carrier = typename result_format<out>::carrier;
  constexpr int parts = Problem::parts;
  if (!is_finite(p.scale.alpha[0]) || !is_finite(p.scale.alpha[1]))
    for (int k = 0; k < parts; ++k)
      if (s[k].skips) return false;
  exact_result<carrier> r[parts];
  if (only_moves(p)) {
    const number_parts alpha = ieee<double>::parts(p.scale.alpha[0]);
    for (int k = 0; k < parts; ++k) {
      exact_part<Limbs>& moved = s[k];
      const int exponent = alpha.exponent + ieee<double>::length(alpha.mantissa) - 1;
      moved.unit += exponent;
      moved.bound += exponent;
      if (alpha.negative) {
        // A zero of a sum has a sign of its own, which the factor changes.
        moved.kinds = moved.kinds.finite() && !moved.skips && moved.magnitude.is_zero()
                          ? element_kinds::zero(!moved.kinds.zero_is_negative())
                          : moved.kinds.negated();
        moved.negative = !moved.negative;
      }
      r[k] = rounded_part<result_format<out>>(moved);
    }
  } else {
    double c[2] = {0.0, 0.0};
    if (p.reads_c()) {
      const auto before = parts_of<Problem>(p.c(i, j));
      for (int k = 0; k < parts; ++k) c[k] = before.x[k];
    }
    for (int k = 0; k < parts; ++k) {
      if constexpr (std::is_same_v<std::decay_t<Memory>, own_memory>)
        r[k] = scaled_exact_part<out, parts>(p.scale, k, s, c);
      else
        r[k] = scaled_exact_part<out, parts>(p.scale, k, s, c, memory);
    }
  }
  for (int k = 0; k < parts; ++k)
    if (!r[k].decided) return false;
  if constexpr (parts == 1) {
    p.c(i, j) = as_result<out>(r[0].value);
  } else {
    p.c(i, j) = typename Problem::out(as_result<out>(r[0].value), as_result<out>(r[1].value));
  }
  return true;
}

/// Writes entry (i, j) from the superaccumulators of its parts.
template <class Problem>
KOKKOS_INLINE_FUNCTION void write_exact_entry(const Problem& p, std::int64_t i, std::int64_t j,
                                              const exact_sum<typename Problem::in>& sum) {
  if constexpr (is_entry_accumulator<typename Problem::out>) {
    for (int k = 0; k < Problem::parts; ++k) {
      part_of(p.c(i, j), k).merge(sum.part[k]);
      part_of(p.c(i, j), k).normalise();
    }
    return;
  }
  using real = typename exact_sum<typename Problem::in>::real;
  exact_part<superaccumulator<real>::limbs> s[Problem::parts];
  for (int k = 0; k < Problem::parts; ++k) {
    s[k].take(sum.part[k]);
    s[k].lift(operands_of(p).lift(i, j));
  }
  write_exact_entry(p, i, j, s);
}

}  // namespace acc::impl

#endif
