// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_SLICE_STATISTICS_HPP
#define ACC_IMPL_SLICE_STATISTICS_HPP

/// \file
/// Variances of slices: exact sums of numbers and of squares, in memory, then one rounding. Some
/// slices at a time, as a slice's sums take 2 KiB.

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
#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// Rounds the variance of slice s. S: slices whose results are those of r.
template <class S, class T>
struct variance_kernel {
  S slices;
  const superaccumulator<T>*sum, *squares;
  std::int64_t ddof;

  KOKKOS_FUNCTION void operator()(std::int64_t s) const {
    statistics<T> one;
    one.count = slices.x.size;
    one.sum = sum[s];
    one.squares = squares[s];
    *slices.of(s).result = one.variance(ddof);
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

/// Enqueues the variances of x's slices along an axis.
template <class Exec, class R, class X>
void variances_of_slices(const Exec& exec, const char* label, const R& r, const X& x, int axis,
                         std::int64_t ddof) {
  using T = typename R::value_type;
  using sum = superaccumulator<T>;
  constexpr std::int64_t at_once = 16384;
  const auto s = make_slices<sum_terms<1>, exact, write_sum>(r, x, x, axis);
  if (s.count == 0) return;
  backends::locked_workspace memory(exec);
  for_some_slices(s, at_once, [&](const auto& some) {
    using element = typename X::non_const_value_type;
    using number_sum = kept_sum<sum_terms<1>, element, 1>;
    using square_sum = kept_sum<square_terms, element, 1>;
    const std::int64_t room = std::max(at_once, some.count);
    auto* const sums = static_cast<sum*>(memory.get().scatter_memory(2 * room * sizeof(sum)));
    sum* const squares = sums + room;
    backends::machine_of<Exec>::slices(exec, memory.get(), label,
                                       slices_to<number_sum>(some, sums));
    backends::machine_of<Exec>::slices(exec, memory.get(), label,
                                       slices_to<square_sum>(some, squares));
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, some.count),
        variance_kernel<std::decay_t<decltype(some)>, T>{some, sums, squares, ddof});
  });
}

}  // namespace acc::impl

#endif
