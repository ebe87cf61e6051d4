// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_BINNED_HPP
#define ACC_CORE_BINNED_HPP

/// \file
/// The reproducible sum of K bins after Demmel and Nguyen, on a fixed grid and in integers.

#include <acc/core/exact/accumulator.hpp>
#include <acc/core/eft.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/exact/long_integer.hpp>
#include <acc/core/exact/magic.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/exact/wire.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace acc {

namespace impl {
template <int K>
class binned_squares;
}

/// A sum of numbers x and products x y of type T (float, double, Kokkos::complex of them) that
/// does not depend on their order: of each element it keeps what reaches the K bins, 40 bits each,
/// below the largest element.
///
/// Bin j counts units of 2^(40 j - 1074). An element whose highest bit is worth 2^h has the top bin
/// J = max(K - 1, (h + 1075) / 40), rounded down. Going down from bin J, it deposits the nearest
/// multiple of the bin's unit (ties to even) and goes on with the rest. Only the bins J to
/// J - K + 1 of the largest element are kept; those that fall below are dropped whole. What an
/// element deposits in a bin depends on the element alone, and each bin's total is an exact
/// integer, carries included, so the state depends on the multiset of elements alone
/// (`identical`): a commutative monoid, as superaccumulator.
///
/// A product deposits its rounded value p and the error e of two_prod, one after the other. Where p
/// would overflow, p and e are those of an unbounded exponent range; where e is below 2^-1074 it is
/// rounded to that unit, as two_prod does. Float products are exact in double: one deposit.
///
/// Error, with S the exact sum of N numbers, u the unit roundoff of T:
///   |value() - S| <= (1 + u) N 2^(-40 (K - 1)) max |x_i| + u |S|,
/// for double products twice the first term, with max |p_i|, and N 2^-1074 besides (float: 2^-149
/// once). If max |x_i| < 2^(40 K - 1075) the sum is exact. Special values and the sign of zero are
/// superaccumulator's; a product is a zero if p is. All in host and device code; about 8 K integer
/// operations per number; 16 K + 16 bytes. Capacity 2^63 elements, counted inside.
/// Source: Demmel, Nguyen, ARITH 21, 2013 and IEEE Trans. Comput. 64(7), 2015; Ahrens, Demmel,
/// Nguyen, ACM TOMS 46(3), 2020. The grid is fixed here, and sums are integers where theirs are
/// floating-point with carries.
template <class T, int K>
class binned : public impl::real_accumulator<binned<T, K>, T> {
  static_assert(K >= 2 && K <= 8, "acc::binned<T, K>: K must be 2 to 8");
  using format = impl::ieee<double>;
  friend struct impl::real_accumulator<binned, T>;
  friend class impl::binned_squares<K>;  // of which this is a part

 public:
  using scalar_type = T;
  static constexpr int bins = K;
  /// Bits of a bin; its unit is 2^(bin_width * j - 1074).
  static constexpr int bin_width = 40;
  /// The top bin of the largest double is 52, of the largest product 78.
  static constexpr int max_top = 78;
  /// The unit of bin j is 2^this.
  KOKKOS_INLINE_FUNCTION static constexpr int unit_exponent(int j) {
    return bin_width * j + format::lowest;
  }
  /// The top bin of an element x, 2^(end - 1) <= |x| < 2^end, if the sum has no higher one.
  KOKKOS_INLINE_FUNCTION static constexpr int top_of(int end) {
    return (end - format::lowest) / bin_width;
  }
  /// Elements whose top bin is `top` or a lower one are those below 2^this, 2^39 units.
  KOKKOS_INLINE_FUNCTION static constexpr int end_of(int top) {
    return bin_width * top + (bin_width - 1 + format::lowest);
  }
  /// What x 2^scale deposits in the bins `top` to top - K + 1, of which `top` is not below its own
  /// top bin: add(k, units), with units of 2^39 at most, for bin top - k.
  template <class Add>
  KOKKOS_INLINE_FUNCTION static void cut(impl::number_parts x, int scale, int top, const Add& add) {
    const int position = x.exponent - format::lowest + scale;
    std::int64_t rest = x.negative ? -std::int64_t(x.mantissa) : std::int64_t(x.mantissa);
    for (int k = 0; k < K && rest != 0; ++k) {
      const int shift = bin_width * (top - k) - position;
      if (shift > format::digits) continue;  // less than half a unit, or a tie with 0
      if (shift <= 0) {
        add(k, rest << -shift);
        return;
      }
      const std::int64_t one = std::int64_t(1) << shift, fraction = rest & (one - 1);
      std::int64_t units = rest >> shift;
      if (fraction > one / 2 || (fraction == one / 2 && (units & 1) != 0)) ++units;
      add(k, units);
      rest -= units << shift;
    }
  }
  /// The highest bin that magic numbers (exact/magic.hpp) serve. Numbers that reach higher ones are
  /// scaled down by whole bins: so far that nothing that those bins keep is lost.
  static constexpr int highest_magic =
      (impl::magic_number::highest_unit - format::lowest) / bin_width;
  /// Products that reach higher bins are those of factors times lifted_factor, this many bins
  /// lower.
  static constexpr int lifted_product = 27;
  static constexpr double lifted_factor = 0x1p-540;
  static_assert(2 * 540 == bin_width * lifted_product);
  /// Bins below those of a sum of numbers: none (impl::binned_squares has some).
  static constexpr int unscaled = 0, low_end = 0;
  static constexpr int wire_words = 3 + 2 * K;
  static constexpr const char* from_wire_name = "acc::binned::from_wire";

 private:
  /// All kept bins with their carries, in units of the lowest one.
  static constexpr int limbs = (bin_width * K + 64) / 32 + 2;
  /// The same in units of bin 0.
  static constexpr int all_limbs = (bin_width * (max_top + 1) + 64) / 32 + 2;

 public:
  /// Terms of an expansion at most.
  static constexpr int max_terms = impl::long_integer<limbs>::template max_terms<T>;

  /// The empty sum, +0.
  KOKKOS_INLINE_FUNCTION binned() : top_(K - 1), load_(0) {
    for (int k = 0; k < K; ++k) low_[k] = carry_[k] = 0;
  }
  KOKKOS_INLINE_FUNCTION binned(T x) : binned() { this->add(x); }

  // add(x), add(x, n, stride) and add_products(x, y, n) are impl::real_accumulator's.

  /// Deposits x * y: p and e of two_prod.
  KOKKOS_INLINE_FUNCTION void add_product(T x, T y) {
    const double a = x, b = y, p = impl::mul(a, b);
    const bool overflow = !impl::is_finite(p) && impl::is_finite(a) && impl::is_finite(b);
    kinds_.merge(overflow ? element_kinds{element_kinds::nonzero} : element_kinds::of(p));
    if (overflow) {
      // Both factors are above 1, so they are scaled exactly.
      const auto scaled = two_prod(impl::mul(a, lifted_factor), impl::mul(b, lifted_factor));
      deposit(format::parts(scaled.value), bin_width * lifted_product);
      deposit(format::parts(scaled.error), bin_width * lifted_product);
    } else if (impl::is_finite(p)) {
      deposit(format::parts(p), 0);
      if constexpr (std::is_same_v<T, double>) {
        const auto product = two_prod(a, b);
        deposit(format::parts(product.error), 0);
      }
    }
  }

  /// The highest of the bins kept.
  KOKKOS_INLINE_FUNCTION int top() const { return top_; }
  /// Keeps the bins of an element whose top bin is `top`, 0 <= top <= max_top: where that is higher
  /// than top(), bins are dropped.
  KOKKOS_INLINE_FUNCTION void raise(int top) {
    // Bin by bin: indices that are known keep a GPU's bins in registers.
    for (int shift = top - top_ < K ? top - top_ : K; shift > 0; --shift) {
      for (int k = K - 1; k > 0; --k) {
        low_[k] = low_[k - 1];
        carry_[k] = carry_[k - 1];
      }
      low_[0] = carry_[0] = 0;
    }
    if (top > top_) top_ = top;
  }
  /// Adds total + 2^bin_width carry units to bin j <= top(), if j is kept. For sums gathered
  /// elsewhere in integer bins: after `raise`; it counts as no element, `add_kinds` tells what
  /// those were.
  KOKKOS_INLINE_FUNCTION void add_to_bin(int j, std::int64_t total, std::int64_t carry = 0) {
    const int k = top_ - j;
    if (k >= K) return;
    if (load_ + 2 > capacity) normalise();
    load_ += 2;
    carry_[k] += carry + (total >> bin_width);
    low_[k] += total & bin_mask;
  }
  KOKKOS_INLINE_FUNCTION void add_kinds(element_kinds kinds) { kinds_.merge(kinds); }
  KOKKOS_INLINE_FUNCTION element_kinds kinds() const { return kinds_; }

  /// Adds another sum: bin by bin, after the lower one has been raised to the top of the other.
  KOKKOS_INLINE_FUNCTION void merge(binned other) {
    raise(other.top_);
    other.raise(top_);
    merge_aligned(other);
  }
  /// The same of a sum that has the same top().
  KOKKOS_INLINE_FUNCTION void merge_aligned(const binned& other) {
    for (int k = 0; k < K; ++k) {
      low_[k] += other.low_[k];
      carry_[k] += other.carry_[k];
    }
    load_ += other.load_ + 2;
    if (load_ > capacity) normalise();
    kinds_.merge(other.kinds_);
  }

  /// Turns the sum into that of the negated elements: zeros and infinities change their sign too.
  KOKKOS_INLINE_FUNCTION void negate() {
    for (int k = 0; k < K; ++k) {
      low_[k] = -low_[k];
      carry_[k] = -carry_[k];
    }
    kinds_ = kinds_.negated();
  }

  /// Carries, each bin into its own upper word: bins are dropped alone. After it the state is a
  /// function of the multiset of elements alone.
  KOKKOS_INLINE_FUNCTION void normalise() {
    for (int k = 0; k < K; ++k) {
      carry_[k] += low_[k] >> bin_width;
      low_[k] &= bin_mask;
    }
    load_ = 0;
  }

  /// What is kept, exactly, rounded once.
  KOKKOS_INLINE_FUNCTION T value(rounding mode = rounding::nearest) const {
    return impl::rounded_sum<T>(total<limbs>(lowest()), unit_exponent(lowest()), kinds_, mode);
  }

  /// What is kept, as non-overlapping numbers, the largest first; the first is value() wherever
  /// that is finite.
  KOKKOS_INLINE_FUNCTION exact_expansion<T, max_terms> expansion() const {
    const auto sum = total<limbs>(lowest());
    if (kinds_.finite() && !sum.is_zero())
      return sum.template expansion<T>(unit_exponent(lowest()));
    exact_expansion<T, max_terms> terms;
    terms.append(value(), 0);
    return terms;
  }

  /// -1, 0 or 1 as what a keeps is less than, equal to or greater than what b keeps; 2 where one is
  /// NaN. Zeros of both signs are equal.
  KOKKOS_INLINE_FUNCTION friend int compare(const binned& a, const binned& b) {
    if (!a.kinds_.finite() || !b.kinds_.finite()) return impl::compare_infinite(a.kinds_, b.kinds_);
    return compare(a.template total<all_limbs>(0), b.template total<all_limbs>(0));
  }
  /// Whether the normalised states are the same.
  KOKKOS_INLINE_FUNCTION friend bool identical(binned a, binned b) {
    a.normalise();
    b.normalise();
    bool same = a.top_ == b.top_ && a.kinds_ == b.kinds_;
    for (int k = 0; k < K; ++k) same = same && a.low_[k] == b.low_[k] && a.carry_[k] == b.carry_[k];
    return same;
  }

  /// Writes the wire form, wire_words words: tag, kinds, top bin, then for each bin from the top
  /// down its total / 2^40, rounded down, and the rest. To be read and merged, not summed: sums of
  /// wire forms mean nothing where top bins differ.
  KOKKOS_INLINE_FUNCTION void to_wire(std::int64_t* words) const {
    binned sum = *this;
    sum.normalise();
    words[0] = wire_tag;
    words[1] = kinds_.bits;
    words[2] = top_;
    for (int k = 0; k < K; ++k) {
      words[3 + 2 * k] = sum.carry_[k];
      words[4 + 2 * k] = sum.low_[k];
    }
  }

  /// Reads a wire form of n words. Throws std::invalid_argument (a kernel aborts) where the length,
  /// the version, the type or a word's range is not that of one.
  KOKKOS_INLINE_FUNCTION static binned from_wire(const std::int64_t* words, std::int64_t n) {
    impl::check_wire_length(from_wire_name, n, wire_words);
    if (words[0] != wire_tag)
      impl::reject_wire(from_wire_name, "[0] is not the tag of this type and wire version",
                        words[0], wire_tag);
    if (words[1] < 0 || words[1] > element_kinds::all)
      impl::reject_wire(from_wire_name, "[1] is no set of kinds", words[1], element_kinds::all);
    if (words[2] < K - 1 || words[2] > max_top)
      impl::reject_wire(from_wire_name, "[2] is no top bin", words[2], max_top);
    binned sum;
    sum.kinds_.merge({static_cast<std::uint32_t>(words[1])});
    sum.top_ = static_cast<int>(words[2]);
    for (int k = 0; k < K; ++k) {
      const std::int64_t carry = words[3 + 2 * k], low = words[4 + 2 * k];
      if (!impl::within_wire_capacity(carry))
        impl::reject_wire(from_wire_name, " have a carry beyond the capacity", carry,
                          impl::wire_capacity);
      if (low < 0 || low > bin_mask)
        impl::reject_wire(from_wire_name, " have a bin out of its range", low, bin_mask);
      sum.carry_[k] = carry;
      sum.low_[k] = low;
    }
    return sum;
  }

 private:
  static constexpr std::int64_t wire_tag = impl::wire_tag(std::is_same_v<T, float> ? 3 : 4, K);
  static constexpr std::int64_t bin_mask = (std::int64_t(1) << bin_width) - 1;
  /// Deposits, of at most 2^39 each, before low_ is carried. Two so full are below 2^63 together.
  static constexpr std::uint32_t capacity = 1u << 22;

  KOKKOS_INLINE_FUNCTION int lowest() const { return top_ - K + 1; }

  /// Deposits x * 2^scale: what bin j gets is x / unit_j, rounded to nearest even, and the rest is
  /// at most half a unit, 2^39 units of the bin below.
  KOKKOS_INLINE_FUNCTION void deposit(impl::number_parts x, int scale) {
    if (x.mantissa == 0) return;
    raise(top_of(x.exponent + scale + format::length(x.mantissa)));
    if (load_ + 1 > capacity) normalise();
    ++load_;
    cut(x, scale, top_, [&](int k, std::int64_t units) { low_[k] += units; });
  }

  /// What is kept, in units of bin j, carried.
  template <int Limbs>
  KOKKOS_INLINE_FUNCTION impl::long_integer<Limbs> total(int j) const {
    binned sum = *this;
    sum.normalise();
    impl::long_integer<Limbs> total;
    for (int k = 0; k < K; ++k) {
      const int position = bin_width * (top_ - k - j);
      const bool negative = sum.carry_[k] < 0;
      const std::uint64_t carry = static_cast<std::uint64_t>(sum.carry_[k]);
      total.add(static_cast<std::uint64_t>(sum.low_[k]), position, false);
      total.add(negative ? 0 - carry : carry, position + bin_width, negative);
    }
    total.carry();
    return total;
  }

  /// The total of bin top_ - k is carry_[k] * 2^40 + low_[k] units; |low_| <= 2^40 + load_ * 2^39.
  std::int64_t low_[K], carry_[K];
  int top_;
  std::uint32_t load_;
  element_kinds kinds_;
};

/// A complex binned sum: real and imaginary part (`re`, `im`) are binned sums of their own.
template <class T, int K>
class binned<Kokkos::complex<T>, K>
    : public impl::complex_accumulator<binned<Kokkos::complex<T>, K>, binned<T, K>> {
 public:
  KOKKOS_INLINE_FUNCTION binned() {}
  KOKKOS_INLINE_FUNCTION binned(Kokkos::complex<T> x) { this->add(x); }
};

}  // namespace acc

#endif
