// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_GUARDED_HPP
#define ACC_CORE_ORDER_GUARDED_HPP

/// \file
/// Sums that leave the range of T on the way, without cost to those that do not.
///
/// A leaf is summed as if nothing could overflow. If its total comes out non-finite, or so large
/// that a few more could overflow (or, for a sum of squares, so small that squares were lost below
/// the subnormal numbers), the leaf is summed again with its numbers scaled by a power of two, and
/// the tree over the leaves carries the scale along. So finite data overflows only where a
/// number within the error bound of its exact sum does, infinities and NaN give what IEEE addition
/// gives, and the bits still depend on nothing but the data.
///
/// What scaling loses (derived in docs/dev/proofs.md, "What it loses"). A huge leaf has
/// S = sum |x_i| (or |x_i y_i|) of about 2^1000 (float 2^110) or more; numbers that scaling makes
/// subnormal are rounded. The leaf loses at most
///   sums      2^-998 (float 2^-88), less than u^8 S
///   products  2^506, that is 2^-494 S, less than u^8 S; in float 2^63, that is 2 u^2 S
/// so that of these only dots of floats by fold<K>, K >= 3, become less accurate than they promise:
/// 3 u^2 S is added to their bound. A tiny leaf's squares are exact, and what nodes lose when they
/// change to another scale is less than these.

#include <acc/core/eft.hpp>
#include <acc/core/numbers/macros.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/terms.hpp>

#include <type_traits>

namespace acc::impl {

/// How a node's sum is scaled. A special node's sum is an infinity or NaN.
enum class range : int { tiny = 0, normal = 1, huge = 2, special = 3 };

/// Thresholds, and the exponents of the scales.
template <class T>
struct range_traits;
template <>
struct range_traits<double> {
  static constexpr double huge = 0x1p1000, tiny = 0x1p-900;
  static constexpr int huge_sum = -64, huge_product = -1088, tiny_square = 1200;
};
template <>
struct range_traits<float> {
  static constexpr float huge = 0x1p110f, tiny = 0x1p-76f;
  static constexpr int huge_sum = -48, huge_product = -200, tiny_square = 160;
};

template <class T, guard G>
KOKKOS_FORCEINLINE_FUNCTION constexpr int scale_exponent(range r) {
  using traits = range_traits<T>;
  if (r == range::huge) return G == guard::sums ? traits::huge_sum : traits::huge_product;
  return r == range::tiny ? traits::tiny_square : 0;
}

/// An accumulator of the same numbers times 2^scale_exponent<G>(R): for the second look at a leaf.
template <class Acc, guard G, range R>
struct rescaled {
  using scalar_type = typename Acc::scalar_type;
  static constexpr int exponent = scale_exponent<scalar_type, G>(R);

  Acc sum;
  scalar_type special = scalar_type(-0.0);  ///< sum of the infinities and NaN

  KOKKOS_INLINE_FUNCTION void add(scalar_type x) {
    if (is_finite(x)) {
      sum.add(times_power_of_two(x, exponent));
    } else {
      special = impl::add(special, x);
    }
  }

  KOKKOS_INLINE_FUNCTION void add_product(scalar_type x, scalar_type y) {
    if (!is_finite(x) || !is_finite(y)) {
      special = impl::add(special, impl::mul(x, y));
    } else if constexpr (std::is_same_v<scalar_type, float>) {
      // The product of two floats is exact in double and fits two floats.
      const double p = times_power_of_two(double(x) * double(y), exponent);
      const float high = float(p);
      sum.add_pair(high, float(p - double(high)));
    } else {
      const auto p =
          two_prod(times_power_of_two(x, exponent / 2), times_power_of_two(y, exponent / 2));
      sum.add_pair(p.value, p.error);
    }
  }

  KOKKOS_INLINE_FUNCTION void merge(const rescaled& other) {
    sum.merge(other.sum);
    special = impl::add(special, other.special);
  }
};

/// A node of the tree over leaves: a leaf's or subtree's sum and its scale.
template <class Acc, guard G>
struct node {
  using accumulator = Acc;
  using scalar_type = typename Acc::scalar_type;
  using traits = range_traits<scalar_type>;

  Acc sum;
  range scale = G == guard::squares ? range::tiny : range::normal;  // of the empty sum

  KOKKOS_DEFAULTED_FUNCTION node() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit node(const Acc& leaf) : sum(leaf), scale(range::normal) {}
  template <range R>
  KOKKOS_INLINE_FUNCTION explicit node(const rescaled<Acc, G, R>& leaf) : sum(leaf.sum), scale(R) {
    if (!is_finite(leaf.special)) {
      sum.component(0) = leaf.special;
      scale = range::special;
    }
    settle();
  }

  /// Whether a leaf, summed plainly, has to be summed again scaled down.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_huge(const Acc& leaf) {
    // Every component counts: lanes that cancel leave large errors under a small leading one.
    bool all_moderate = true;
    for (int k = 0; k < Acc::components; ++k)
      all_moderate = all_moderate & magnitude_below(leaf.component(k), traits::huge);
    return !all_moderate;
  }
  /// Whether a leaf of squares, summed plainly, has to be summed again scaled up.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_tiny(const Acc& leaf) {
    return G == guard::squares && leaf.component(0) < traits::tiny;
  }

  KOKKOS_FORCEINLINE_FUNCTION void merge(const node& other) {
    node merged = *this;
    *this = merged.merge_if_normal(other) ? merged : merge_scaled(*this, other);
  }
  /// Merges without a branch if that needs no scale, else spoils the node and returns false.
  KOKKOS_FORCEINLINE_FUNCTION bool merge_if_normal(const node& other) {
    const bool are_normal = (scale == range::normal) & (other.scale == range::normal);
    sum.merge(other.sum);
    return are_normal & !is_huge(sum);
  }

  /// The exponent of the power of two by which sum is scaled.
  KOKKOS_FORCEINLINE_FUNCTION int exponent() const {
    return scale == range::special ? 0 : scale_exponent<scalar_type, G>(scale);
  }

 private:
  /// merge for nodes of any scale. By value: an address would keep the caller's nodes in memory.
  ACC_COLD_FUNCTION static node merge_scaled(node left, node right) {
    if (left.scale == range::special || right.scale == range::special) {
      left.sum.component(0) = left.special_value() + right.special_value();
      left.scale = range::special;
      return left;
    }
    if (left.scale < right.scale) left.rescale(right.scale);
    if (right.scale < left.scale) right.rescale(left.scale);
    left.sum.merge(right.sum);
    left.settle();
    return left;
  }
  KOKKOS_INLINE_FUNCTION scalar_type special_value() const {
    return scale == range::special ? sum.component(0) : scalar_type(0);
  }
  // No function here calls itself: of one that does, CUDA cannot tell how much stack it needs.
  KOKKOS_INLINE_FUNCTION void rescale(range target) {
    if (scale == range::tiny && target == range::huge)
      rescale_once(range::normal);  // too far for one step
    rescale_once(target);
  }
  KOKKOS_INLINE_FUNCTION void rescale_once(range target) {
    const int shift = scale_exponent<scalar_type, G>(target) - exponent();
    for (int k = 0; k < Acc::components; ++k)
      sum.component(k) = times_power_of_two(sum.component(k), shift);
    scale = target;
  }
  /// Changes to the scale in which the next merge can neither overflow nor lose bits.
  KOKKOS_INLINE_FUNCTION void settle() {
    const scalar_type lead = sum.component(0);
    if (scale == range::tiny) {
      if (lead >= times_power_of_two(traits::tiny, traits::tiny_square)) rescale(range::normal);
    } else if (scale == range::normal) {
      if (is_huge(sum)) rescale(range::huge);
    }
  }
};

/// Methods that follow IEEE arithmetic need no scale.
template <class Acc>
struct node<Acc, guard::none> {
  using accumulator = Acc;
  using scalar_type = typename Acc::scalar_type;

  Acc sum;

  KOKKOS_DEFAULTED_FUNCTION node() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit node(const Acc& leaf) : sum(leaf) {}
  KOKKOS_FORCEINLINE_FUNCTION static bool is_huge(const Acc&) { return false; }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_tiny(const Acc&) { return false; }
  KOKKOS_FORCEINLINE_FUNCTION void merge(const node& other) { sum.merge(other.sum); }
  KOKKOS_FORCEINLINE_FUNCTION bool merge_if_normal(const node& other) { return merge(other), true; }
  KOKKOS_FORCEINLINE_FUNCTION int exponent() const { return 0; }
};

}  // namespace acc::impl

#endif
