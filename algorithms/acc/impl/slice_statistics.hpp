// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_SLICE_STATISTICS_HPP
#define ACC_IMPL_SLICE_STATISTICS_HPP

/// \file
/// Variances, covariances and weighted means of slices: two or three exact sums of each, in memory,
/// then one rounding. Some slices at a time, as a slice's sums take 2 or 3 KiB.

#include <acc/backends/dispatch.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/exact/quotient.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/order/order_free.hpp>
#include <acc/core/order/slices.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/impl/reduce.hpp>
#include <acc/impl/slices.hpp>
#include <acc/statistics.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// The same slices of y alone: one, where all slices share it.
template <class S>
S slices_of_y(const S& s) {
  S t = s;
  t.x = s.y;
  bool shared = true;
  for (auto& d : t.dimension) {
    d.x = d.y;
    shared = shared && d.y == 0;
  }
  if (shared) {
    for (auto& d : t.dimension) d = {};
    t.count = 1;
  }
  return t;
}

/// A statistic of slices of x, or of x and y:
///  - sums: how many exact sums it is rounded from;
///  - each_sum(s, keep): keep(k, terms, slices) for sum k, of which terms of which slices;
///  - of(count, sum): the statistic of so many numbers, whose sum k is *sum[k].
struct variance_of_slice {
  static constexpr int sums = 2;
  std::int64_t ddof;

  template <class S, class Keep>
  static void each_sum(const S& s, const Keep& keep) {
    keep(0, sum_terms<1>{}, s);
    keep(1, square_terms{}, s);
  }
  template <class T>
  KOKKOS_FUNCTION T of(std::int64_t count, const superaccumulator<T>* const (&sum)[sums]) const {
    return statistics<T>{count, *sum[0], *sum[1]}.variance(ddof);
  }
};
struct covariance_of_slice {
  static constexpr int sums = 3;
  std::int64_t ddof;

  template <class S, class Keep>
  static void each_sum(const S& s, const Keep& keep) {
    keep(0, sum_terms<1>{}, s);
    keep(1, sum_terms<1>{}, slices_of_y(s));
    keep(2, product_terms{}, s);
  }
  template <class T>
  KOKKOS_FUNCTION T of(std::int64_t count, const superaccumulator<T>* const (&sum)[sums]) const {
    return joint_statistics<T>{count, *sum[0], *sum[1], *sum[2]}.covariance(ddof);
  }
};
/// y: the weights.
struct weighted_mean_of_slice {
  static constexpr int sums = 2;

  template <class S, class Keep>
  static void each_sum(const S& s, const Keep& keep) {
    keep(0, product_terms{}, s);
    keep(1, sum_terms<1>{}, slices_of_y(s));
  }
  template <class T>
  KOKKOS_FUNCTION T of(std::int64_t, const superaccumulator<T>* const (&sum)[sums]) const {
    return rounded_ratio(*sum[0], *sum[1]);
  }
};

/// Rounds the statistic of slice s. S: slices whose results are those of r.
template <class S, class T, class Statistic>
struct round_statistic {
  S slices;
  const superaccumulator<T>* sums;  ///< sum k of slice s: at k * room + s * step[k]
  std::int64_t room;
  int step[Statistic::sums];  ///< 0: all slices have one sum
  Statistic statistic;

  KOKKOS_FUNCTION void operator()(std::int64_t s) const {
    const superaccumulator<T>* sum[Statistic::sums];
    for (int k = 0; k < Statistic::sums; ++k) sum[k] = sums + k * room + s * step[k];
    *slices.of(s).result = statistic.of(slices.x.size, sum);
  }
};

/// The same slices, whose results are consecutive elements from `to` on. Reduction: of one.
template <class Reduction, class S, class Result>
auto slices_to(const S& s, Result* to) {
  slices<Reduction, Result> t{s.x, s.y, to, {}, s.count};
  std::int64_t step = 1;
  for (int d = 0; d < S::max_dimensions; ++d) {
    t.dimension[d] = s.dimension[d];
    t.dimension[d].r = step;
    step *= s.dimension[d].extent;
  }
  return t;
}

/// The reduction that keeps a slice's exact sum of other terms.
template <class Terms, class Element, int Components>
using kept_sum = order_free_reduction<
    Terms, exact, Element, Components, store_sum,
    superaccumulator<std::conditional_t<is_half_scalar<Element>, float, Element>>>;

/// Calls f with slices of s, at most `most` at a time, where the widest dimension can be cut so.
template <class S, class F>
void for_some_slices(const S& s, std::int64_t most, const F& f) {
  int widest = 0;
  for (int d = 1; d < S::max_dimensions; ++d)
    if (s.dimension[d].extent > s.dimension[widest].extent) widest = d;
  const slice_dimension all = s.dimension[widest];
  const std::int64_t others = s.count / all.extent;
  const std::int64_t step = std::max<std::int64_t>(1, most / others);
  for (std::int64_t begin = 0; begin < all.extent; begin += step) {
    S some = s;
    some.x.data += begin * all.x;
    some.y.data += begin * all.y;
    some.r += begin * all.r;
    some.dimension[widest].extent = std::min(step, all.extent - begin);
    some.count = others * some.dimension[widest].extent;
    f(some);
  }
}

/// Enqueues a statistic of the slices along an axis. x and y: arrays of one shape, or y a vector
/// that all slices share.
template <class Statistic, class Exec, class R, class X, class Y>
void statistics_of_slices(const Exec& exec, const char* label, const R& r, const X& x, const Y& y,
                          int axis, const Statistic& statistic) {
  using T = typename R::value_type;
  using sum = superaccumulator<T>;
  constexpr std::int64_t at_once = 16384;
  const auto s = make_slices<product_terms, exact, write_sum>(r, x, y, axis);
  if (s.count == 0) return;
  backends::locked_workspace memory(exec);
  for_some_slices(s, at_once, [&](const auto& some) {
    const std::int64_t room = std::max(at_once, some.count);
    auto* const sums = static_cast<sum*>(
        memory.get().scatter_memory(std::size_t(Statistic::sums * room) * sizeof(sum)));
    round_statistic<std::decay_t<decltype(some)>, T, Statistic> round{
        some, sums, room, {}, statistic};
    Statistic::each_sum(some, [&]<class Terms>(int k, Terms, const auto& of) {
      round.step[k] = of.count == 1 ? 0 : 1;
      using kept = kept_sum<Terms, typename X::non_const_value_type, 1>;
      backends::machine_of<Exec>::slices(exec, memory.get(), label,
                                         slices_to<kept>(of, sums + k * room));
    });
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, some.count),
        round);
  });
}

}  // namespace acc::impl

#endif
