// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_ARRAY_PAIRS_HPP
#define ACC_CORE_ORDER_ARRAY_PAIRS_HPP

/// \file
/// Two Views of the same extents and of any layouts, seen as two sequences of real numbers that
/// belong to each other: for sums of products without an order.

#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/array_data.hpp>
#include <acc/core/order/vector_data.hpp>

#include <algorithm>
#include <cstdint>

namespace acc::impl {

/// An extent that x and y share, and the distances of neighbors in real elements.
struct pair_dimension {
  std::int64_t extent, x, y;
};

/// Calls f with the elements of x and y in the order of x's memory: as vector_data where those of
/// either lie at one distance from each other, else as array_data. The order of Views of rank 1 is
/// their own.
template <class X, class Y, class F>
void with_pairs_of(const X& x, const Y& y, const F& f) {
  static_assert(X::rank == Y::rank);
  if constexpr (X::rank == 1) {
    f(vector_data_of(x), vector_data_of(y));
  } else {
    using scalar = typename X::non_const_value_type;
    using element = real_t<scalar>;
    constexpr int components = components_of<scalar>, rank = int(X::rank);
    pair_dimension all[rank];
    std::int64_t size = components;
    int count = 0;
    for (unsigned d = 0; d < unsigned(rank); ++d) {
      const auto extent = std::int64_t(x.extent(d));
      size *= extent;
      if (extent != 1)
        all[count++] = {extent, std::int64_t(x.stride(d)) * components,
                        std::int64_t(y.stride(d)) * components};
    }
    if (size == 0) count = 0;
    std::stable_sort(all, all + count,
                     [](const pair_dimension& p, const pair_dimension& q) { return p.x > q.x; });
    count =
        join_dimensions(all, count, [](const pair_dimension& outer, const pair_dimension& inner) {
          return outer.x == inner.extent * inner.x && outer.y == inner.extent * inner.y;
        });
    const auto* const xs = reinterpret_cast<const element*>(x.data());
    const auto* const ys = reinterpret_cast<const element*>(y.data());
    if (count <= 1) {
      using vector = vector_data<element, components>;
      const bool one = count == 0;
      return f(vector{xs, one ? components : all[0].x, size},
               vector{ys, one ? components : all[0].y, size});
    }
    array_data<element, components, rank> a{xs, size, {}}, b{ys, size, {}};
    for (int d = 0; d < count; ++d) {
      a.dimension[rank - count + d] = {all[d].extent, all[d].x};
      b.dimension[rank - count + d] = {all[d].extent, all[d].y};
    }
    f(a, b);
  }
}

}  // namespace acc::impl

#endif
