// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_BINNED_SQUARES_HPP
#define ACC_CORE_EXACT_BINNED_SQUARES_HPP

/// \file
/// The reproducible sum of squares, with bins for squares that underflow.

#include <acc/core/binned.hpp>
#include <acc/core/eft.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// A sum of squares x x of doubles that depends on the multiset of them alone, as binned<double,
/// K>, with 27 bins more at the lower end: bin j counts units of 2^(40 j - 2154). A square deposits
/// its rounded value p and the rest e = x x - p, both of an unbounded exponent range, so that none
/// over- or underflows. (The products of floats need no such bins: they are doubles, exactly.)
///
/// A kernel may take p and e of two_prod in place of these, and the bins `unscaled` above those of
/// a binned<double, K>, while top() is low_end or more: the two differ by less than half a unit of
/// any bin that is kept then. Below that, the squares of numbers times raised_factor enter the bins
/// that they would have in a binned<double, K>.
///
/// All in host and device code. Source: docs/arithmetic.md, J8; docs/dev/proofs.md, "Binned sums".
template <int K>
class binned_squares {
  using sum_type = binned<double, K>;

 public:
  using scalar_type = double;
  static constexpr int bins = K, bin_width = sum_type::bin_width;
  static constexpr int wire_words = sum_type::wire_words;
  /// The bins of a binned<double, K> are so many bins higher here.
  static constexpr int unscaled = 27;
  static constexpr int max_top = sum_type::max_top + unscaled;
  /// A sum whose top bin is this or a higher one keeps no bin below unscaled + 2, whose unit is
  /// 2^-994: twice as much as the largest subnormal number, and as the error of a product from
  /// which on errors are exact.
  static constexpr int low_end = unscaled + 2 + (K - 1);
  static constexpr double raised_factor = 0x1p540;
  static_assert(2 * 540 == bin_width * unscaled && unscaled == sum_type::lifted_product);

  // Of numbers as they are in a binned<double, K>.
  static constexpr int highest_magic = sum_type::highest_magic;
  static constexpr int lifted_product = sum_type::lifted_product;
  static constexpr double lifted_factor = sum_type::lifted_factor;
  KOKKOS_INLINE_FUNCTION static constexpr int unit_exponent(int j) {
    return sum_type::unit_exponent(j);
  }
  KOKKOS_INLINE_FUNCTION static constexpr int top_of(int end) { return sum_type::top_of(end); }
  KOKKOS_INLINE_FUNCTION static constexpr int end_of(int top) { return sum_type::end_of(top); }

  /// Deposits x * y, which is x * x.
  KOKKOS_INLINE_FUNCTION void add_product(double x, double y) {
    if (!is_finite(x) || !is_finite(y)) {
      sum_.add_kinds(element_kinds::of(mul(x, y)));
      return;
    }
    using format = ieee<double>;
    const number_parts a = format::parts(x), b = format::parts(y);
    if (a.mantissa == 0 || b.mantissa == 0) {
      sum_.add_kinds(element_kinds::zero(false));
      return;
    }
    sum_.add_kinds({element_kinds::nonzero});
    // Of the mantissas, two_prod is exact, and rounds as it would with any exponents.
    const auto product = two_prod(double(a.mantissa), double(b.mantissa));
    const int scale = a.exponent + b.exponent + bin_width * unscaled;
    sum_.deposit(format::parts(product.value), scale);
    sum_.deposit(format::parts(product.error), scale);
  }

  /// The highest of the bins kept; K - 1 for the empty sum.
  KOKKOS_INLINE_FUNCTION int top() const { return sum_.top(); }
  KOKKOS_INLINE_FUNCTION void raise(int top) { sum_.raise(top); }
  KOKKOS_INLINE_FUNCTION void add_to_bin(int j, std::int64_t total, std::int64_t carry = 0) {
    sum_.add_to_bin(j, total, carry);
  }
  KOKKOS_INLINE_FUNCTION void add_kinds(element_kinds kinds) { sum_.add_kinds(kinds); }
  KOKKOS_INLINE_FUNCTION element_kinds kinds() const { return sum_.kinds(); }
  KOKKOS_INLINE_FUNCTION void merge(const binned_squares& other) { sum_.merge(other.sum_); }
  /// The bins' totals, as binned<double, K> writes them.
  KOKKOS_INLINE_FUNCTION void to_wire(std::int64_t* words) const { sum_.to_wire(words); }

 private:
  sum_type sum_;
};

}  // namespace acc::impl

#endif
