// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_REDUCTION_HPP
#define ACC_CORE_ORDER_REDUCTION_HPP

/// \file
/// One call of sum, dot, asum or nrm2 as a value: data, arithmetic, and where the result goes. The
/// backends run it; none of them decides anything that reaches the bits.

#include <acc/core/numbers/macros.hpp>
#include <acc/core/order/array_data.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/guarded.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/order/vector_data.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// N sums that are combined together: the real and imaginary part of a complex one.
template <class Sum, int N>
struct sums {
  Sum part[N];
  KOKKOS_INLINE_FUNCTION void merge(const sums& other) {
    for (int i = 0; i < N; ++i) part[i].merge(other.part[i]);
  }
};

/// Finish: a type with static void write(Result*, const sums<node>&, std::int64_t size), see
/// finish.hpp. Data: vector_data or array_data.
template <class Terms, class Method, class Element, int Components, class Finish, class Result,
          class Data = vector_data<Element, Components>>
struct reduction {
  using terms = Terms;
  using method = Method;
  using element = Element;
  using accumulator =
      typename accumulator_of<Method,
                              std::conditional_t<is_half_scalar<Element>, float, Element>>::type;
  using scalar = typename accumulator::scalar_type;
  static constexpr guard guarded = Terms::guarded == guard::squares ? guard::squares
                                   : is_guarded<Method>             ? Terms::guarded
                                                                    : guard::none;
  static constexpr int width = group_width<Element>;
  static constexpr int stripe = lanes<Element>;

  /// The sums that a leaf ends with, before and after they get a scale.
  using leaf_sums = sums<accumulator, Terms::results>;
  using leaf_node = sums<node<accumulator, guarded>, Terms::results>;

  Data x, y;
  Result* result;

  /// At least one: an empty vector is an empty leaf.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t leaves() const {
    return x.size == 0 ? 1 : (x.size + leaf_size<Element> - 1) / leaf_size<Element>;
  }
  /// Stripes of a leaf that hold elements; the last may need padding.
  KOKKOS_FORCEINLINE_FUNCTION int stripes(std::int64_t leaf) const {
    const std::int64_t rest = x.size - leaf * leaf_size<Element>;
    return rest >= leaf_size<Element> ? stripes_per_leaf : int((rest + stripe - 1) / stripe);
  }
  /// The sum of nothing is +0.
  KOKKOS_FORCEINLINE_FUNCTION void finish(const leaf_node& root) const {
    if (x.size == 0) {
      *result = Result{};
    } else {
      Finish::write(result, root, x.size);
    }
  }
};

/// The lanes of a group combined: R::terms::results sums.
template <class Acc, class R>
KOKKOS_FORCEINLINE_FUNCTION sums<Acc, R::terms::results> combine_lanes(
    Acc (&lane)[R::width][R::terms::sums]) {
  constexpr int sums_per_lane = R::terms::sums, lanes_left = R::terms::results / sums_per_lane;
  for (int stride = R::width / 2; stride >= lanes_left; stride /= 2)
    for (int j = 0; j < stride; ++j)
      for (int s = 0; s < sums_per_lane; ++s) lane[j][s].merge(lane[j + stride][s]);
  sums<Acc, R::terms::results> total;
  for (int i = 0; i < R::terms::results; ++i)
    total.part[i] = sums_per_lane == 1 ? lane[i][0] : lane[0][i];
  return total;
}

/// A group of lanes of a leaf, summed down the stripes one element at a time: any layout, any
/// method, every backend's fallback. Acc is the reduction's accumulator or a rescaled one.
template <class Acc, class R>
KOKKOS_INLINE_FUNCTION sums<Acc, R::terms::results> sum_group(const R& r, std::int64_t leaf,
                                                              int group) {
  using scalar = typename R::scalar;
  using terms = typename R::terms;
  Acc lane[R::width][terms::sums];
  const std::int64_t begin = leaf * leaf_size<typename R::element> + group * R::width;
  const int stripes = r.stripes(leaf);
  using reader = group_reader<decltype(r.x), R::width>;
  reader of_x(r.x, begin, R::stripe), of_y(r.y, begin, R::stripe);
  for (int i = 0; i < stripes; ++i) {
    const std::int64_t present = r.x.size - (begin + std::int64_t(i) * R::stripe);
    scalar x[R::width], y[R::width];
    for (int j = 0; j < R::width; ++j) {
      x[j] = padding<scalar>::x;
      y[j] = padding<scalar>::y;
    }
    of_x.read(x, present);
    if constexpr (terms::inputs == 2) of_y.read(y, present);
    for (int j = 0; j < R::width; ++j) terms::deposit(lane[j], x[j], y[j], y[j ^ 1], j);
  }
  return combine_lanes<Acc, R>(lane);
}

/// Which second looks a leaf needs, part by part (guarded.hpp).
template <class R>
struct range_check {
  bool huge = false, tiny = false;
  KOKKOS_FORCEINLINE_FUNCTION explicit range_check(const typename R::leaf_sums& s) {
    using node = impl::node<typename R::accumulator, R::guarded>;
    for (int i = 0; i < R::terms::results; ++i) {
      huge = huge | node::is_huge(s.part[i]);
      tiny = tiny | node::is_tiny(s.part[i]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_ordinary() const { return !(huge | tiny); }
};

/// The node of a leaf that needs no second look.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION typename R::leaf_node make_ordinary_node(
    const typename R::leaf_sums& s) {
  typename R::leaf_node result;
  for (int i = 0; i < R::terms::results; ++i)
    result.part[i] = impl::node<typename R::accumulator, R::guarded>(s.part[i]);
  return result;
}

/// A leaf's node. rescaled_pass(tag), called only where needed, sums the leaf again into the
/// accumulator type that tag names and returns sums of it.
ACC_NO_EXECUTION_CHECK
template <class R, class RescaledPass>
KOKKOS_INLINE_FUNCTION typename R::leaf_node make_node(const typename R::leaf_sums& s,
                                                       const range_check<R>& verdict,
                                                       const RescaledPass& rescaled_pass) {
  using Acc = typename R::accumulator;
  using node = impl::node<Acc, R::guarded>;
  typename R::leaf_node result = make_ordinary_node<R>(s);
  if constexpr (R::guarded != guard::none) {
    if (verdict.huge) {
      const auto again = rescaled_pass(rescaled<Acc, R::guarded, range::huge>{});
      for (int i = 0; i < R::terms::results; ++i)
        if (node::is_huge(s.part[i])) result.part[i] = node(again.part[i]);
    }
  }
  if constexpr (R::guarded == guard::squares) {
    if (verdict.tiny) {
      const auto again = rescaled_pass(rescaled<Acc, R::guarded, range::tiny>{});
      for (int i = 0; i < R::terms::results; ++i)
        if (node::is_tiny(s.part[i])) result.part[i] = node(again.part[i]);
    }
  }
  return result;
}

}  // namespace acc::impl

#endif
