// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_GEMM_EXACT_ROW_HPP
#define ACC_CORE_GEMM_EXACT_ROW_HPP

/// \file
/// The exact sum of the products of a sparse matrix's row, in words that stay in registers: a
/// window as exact_window is, smaller. What it does not decide needs the superaccumulator.

#include <acc/core/exact/exact_part.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// The greatest exponent of products that are not zero, and the kinds of all of them. A sum with an
/// infinity or NaN has an exponent above exponent_code::greatest.
template <class R>
struct product_range {
  int top = 2 * exponent_code::zero;
  element_kinds kinds;

  KOKKOS_FORCEINLINE_FUNCTION void add(R x, R y) {
    const int exponent = exponent_code::of(x) + exponent_code::of(y);
    top = exponent > top ? exponent : top;
    kinds.merge(exponent < exponent_code::least
                    ? element_kinds::zero(ieee<R>::is_negative(x) != ieee<R>::is_negative(y))
                    : element_kinds{element_kinds::nonzero});
  }
  KOKKOS_FORCEINLINE_FUNCTION void merge(const product_range& other) {
    top = other.top > top ? other.top : top;
    kinds.merge(other.kinds);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_finite() const { return top <= exponent_code::greatest; }
  KOKKOS_FORCEINLINE_FUNCTION bool is_zero() const { return top < exponent_code::least; }
};

/// A sum of products in units of 2^unit, in two's complement, and how many products it skipped.
template <class R>
struct register_window {
  using format = ieee<R>;
  using wide = exact_window<R>;
  static constexpr int words = format::is_float ? 2 : 3;
  static constexpr int limbs = 2 * words > least_window_limbs ? 2 * words : least_window_limbs;
  /// So many bits more than a product has the sum of max_products of them, of any signs.
  static constexpr int carry_bits = 24;
  static constexpr std::int64_t max_products = std::int64_t(1) << carry_bits;
  static constexpr int depth = 64 * words - 1 - carry_bits - 2 * format::digits;
  static_assert(depth < 64, "acc: a product is moved by less than a word");

  std::uint64_t word[words] = {};
  int skipped = 0;

  /// The unit for a sum whose largest product has this exponent.
  KOKKOS_FORCEINLINE_FUNCTION static int unit_for(int top) {
    constexpr int lowest = superaccumulator<R>::unit_exponent;
    return top - depth > lowest ? top - depth : lowest;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(R x, R y, int unit) {
    const int exponent = exponent_code::of(x) + exponent_code::of(y), position = exponent - unit;
    if (position < 0) {
      skipped += exponent < exponent_code::least ? 0 : 1;
      return;
    }
    const number_parts a = format::parts(x), b = format::parts(y);
    const auto product = wide::product_of(a.mantissa, b.mantissa);
    std::uint64_t moved[words];
    moved[0] = product.low << position;
    moved[1] = product.high << position | product.low >> 1 >> (63 - position);
    if constexpr (words == 3) moved[2] = product.high >> 1 >> (63 - position);
    add_words(moved, a.negative != b.negative);
  }
  KOKKOS_FORCEINLINE_FUNCTION void merge(const register_window& other) {
    add_words(other.word, false);
    skipped += other.skipped;
  }
  KOKKOS_INLINE_FUNCTION exact_part<limbs> part(const product_range<R>& range, int unit) const {
    exact_part<limbs> s;
    if (!range.is_zero()) {
      for (int i = 0; i < words; ++i) {
        s.magnitude.limb[2 * i] = std::int64_t(word[i] & 0xffffffffu);
        s.magnitude.limb[2 * i + 1] = i + 1 < words ? std::int64_t(word[i] >> 32)
                                                    : std::int64_t(word[i]) >> 32;  // with the sign
      }
      s.unit = unit;
      s.skips = skipped != 0;
      s.bound = wide::bound(unit, skipped);
    }
    s.kinds = range.kinds;
    s.settle();
    return s;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_words(const std::uint64_t (&x)[words], bool negative) {
    const std::uint64_t flips = negative ? ~std::uint64_t(0) : 0;
    std::uint64_t carry = negative ? 1 : 0;
    for (int i = 0; i < words; ++i) {
      const std::uint64_t y = x[i] ^ flips, sum = word[i] + y, carried = sum + carry;
      carry = sum < y || carried < sum ? 1 : 0;
      word[i] = carried;
    }
  }
};

/// The same for each part of a row's sum.
template <class Value, int Parts>
struct each_part {
  Value part[Parts];

  KOKKOS_FORCEINLINE_FUNCTION void merge(const each_part& other) {
    for (int p = 0; p < Parts; ++p) part[p].merge(other.part[p]);
  }
};

/// Row i, entries [begin, end), of exact_crs_rows: writes y's element and returns true where a
/// window decides it. over.merged<V>(n, f) is what f(k, v) for all k < n makes of V(), by one
/// thread or by several; over.once(f) is f() of one of them, a bool.
template <class S, class Over>
KOKKOS_INLINE_FUNCTION bool write_exact_row(const S& rows, std::int64_t i, std::int64_t begin,
                                            std::int64_t end, const Over& over) {
  using real = typename S::real;
  using window = register_window<real>;
  constexpr int parts = S::parts;
  // An entry has two products for each part of a complex sum.
  if ((end - begin) * parts > window::max_products) return false;
  using ranges = each_part<product_range<real>, parts>;
  const auto range = over.template merged<ranges>(end - begin, [&](std::int64_t k, ranges& r) {
    rows.for_each_product(begin + k, [&](int p, real a, real b) { r.part[p].add(a, b); });
  });
  int unit[parts];
  for (int p = 0; p < parts; ++p) {
    if (!range.part[p].is_finite()) return false;
    unit[p] = window::unit_for(range.part[p].top);
  }
  using windows = each_part<window, parts>;
  const auto sum = over.template merged<windows>(end - begin, [&](std::int64_t k, windows& w) {
    rows.for_each_product(begin + k, [&](int p, real a, real b) { w.part[p].add(a, b, unit[p]); });
  });
  return over.once([&] {
    exact_part<window::limbs> s[parts];
    for (int p = 0; p < parts; ++p) s[p] = sum.part[p].part(range.part[p], unit[p]);
    return rows.finish(i, begin == end, s);
  });
}

}  // namespace acc::impl

#endif
