// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_SLICES_HPP
#define ACC_IMPL_SLICES_HPP

/// \file
/// The driver of functions of columns and along axes: describes the reductions, and launches them.

#include <acc/backends/dispatch.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/slices.hpp>
#include <acc/core/order/vector_data.hpp>
#include <acc/impl/reduce.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace acc::impl {

/// The slice of x along an axis that has the lowest indices; x itself, if it has rank 1.
template <class View>
auto first_slice(const View& x, int axis) {
  using scalar = typename View::non_const_value_type;
  using element = real_t<scalar>;
  constexpr int components = components_of<scalar>;
  const unsigned d = View::rank == 1 ? 0 : unsigned(axis);
  return vector_data<element, components>{reinterpret_cast<const element*>(x.data()),
                                          std::int64_t(x.stride(d)) * components,
                                          std::int64_t(x.extent(d)) * components};
}

/// The dimensions of x, y and r that number slices along an axis, of which x or y may have none:
/// neighbors in memory first, and dimensions that are one in memory as one.
template <class R, class X, class Y>
std::vector<slice_dimension> slice_dimensions(const R& r, const X& x, const Y& y, int axis) {
  constexpr int components = components_of<typename X::non_const_value_type>;
  constexpr unsigned rank = X::rank > Y::rank ? unsigned(X::rank) : unsigned(Y::rank);
  std::vector<slice_dimension> all;
  for (unsigned d = 0, e = 0; d < rank; ++d) {
    if (int(d) == axis) continue;
    slice_dimension one;
    one.extent = std::int64_t(X::rank > 1 ? x.extent(d) : y.extent(d));
    if (X::rank > 1) one.x = std::int64_t(x.stride(d)) * components;
    if (Y::rank > 1) one.y = std::int64_t(y.stride(d)) * components;
    one.r = std::int64_t(r.stride(e++));
    if (one.extent != 1) all.push_back(one);
  }
  std::sort(all.begin(), all.end(), [](const slice_dimension& a, const slice_dimension& b) {
    return std::max(a.x, a.y) < std::max(b.x, b.y);
  });
  for (std::size_t d = 1; d < all.size();) {
    const slice_dimension &inner = all[d - 1], &outer = all[d];
    const std::int64_t n = inner.extent;
    if (outer.x == n * inner.x && outer.y == n * inner.y && outer.r == n * inner.r) {
      all[d - 1].extent *= outer.extent;
      all.erase(all.begin() + std::ptrdiff_t(d));
    } else {
      ++d;
    }
  }
  return all;
}

/// The reductions of the slices along an axis, into the elements of r. x and y: arrays of one
/// shape, of which one may be a vector that all slices share.
template <class Terms, class Method, class Finish, class R, class X, class Y>
auto make_slices(const R& r, const X& x, const Y& y, int axis) {
  using value = typename R::value_type;
  using one = decltype(make_reduction<Terms, Method, Finish>(
      r.data(), Kokkos::View<const typename X::non_const_value_type*>(),
      Kokkos::View<const typename Y::non_const_value_type*>()));
  slices<one, value> s{first_slice(x, axis), first_slice(y, axis), r.data(), {}, 1};
  int n = 0;
  for (const slice_dimension& d : slice_dimensions(r, x, y, axis)) {
    s.dimension[n++] = d;
    s.count *= d.extent;
  }
  return s;
}

/// Enqueues them on exec.
template <class Terms, class Method, class Finish, class Exec, class R, class X, class Y>
void reduce_slices(const Exec& exec, const char* label, const R& r, const X& x, const Y& y,
                   int axis) {
  const auto s = make_slices<Terms, Method, Finish>(r, x, y, axis);
  if (s.count == 0) return;
  if constexpr (!is_order_free<Method>) {
    using node = typename decltype(s.of(0))::leaf_node;
    if (!backends::machine_of<Exec>::template have_room_for_slices<node>(s.count, s.of(0).leaves()))
      reject(label, std::to_string(s.count) + " sums of " +
                        std::to_string(s.x.size / s.x.components) +
                        " numbers are too many for one call; sum some of them at a time");
  }
  backends::locked_workspace memory(exec);
  backends::machine_of<Exec>::slices(exec, memory.get(), label, s);
}

}  // namespace acc::impl

#endif
