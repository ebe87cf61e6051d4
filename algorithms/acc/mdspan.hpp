// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MDSPAN_HPP
#define ACC_MDSPAN_HPP

/// \file
/// acc's functions for mdspans: std::mdspan, Kokkos::mdspan, or any of their kind. The way back is
/// Kokkos's: view.to_mdspan(Kokkos::default_accessor<T>()).
///
///     double s = acc::sum(x);                                // in host memory
///     acc::gemm(exec, "N", "T", 1.0, a, b, 0.0, c);          // in exec's memory
///     acc::prefix_sum(exec, acc::view(r), acc::view(x));     // functions without an overload here
///
/// The bits are those of Views of the same numbers: they depend on no layout.

#include <acc/asum.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/dot.hpp>
#include <acc/gemm.hpp>
#include <acc/gemv.hpp>
#include <acc/nrm2.hpp>
#include <acc/sum.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <version>

#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

namespace acc {

/// What has the members of an mdspan and is no View. (Views have them, too, since Kokkos 5.)
template <class M>
concept mdspan_like = !kokkos_view<M> && requires(const M& m) {
  typename M::extents_type;
  typename M::accessor_type;
  typename M::mapping_type;
  m.data_handle();
  M::rank();
};

namespace impl {

/// Layouts have one name in std and one in Kokkos, of which either may be missing.
template <class Layout>
struct view_layout {
  using type = Kokkos::LayoutStride;
};
template <class Accessor, class T>
inline constexpr bool is_plain_memory = false;

#if defined(__cpp_lib_mdspan)
template <>
struct view_layout<std::layout_left> {
  using type = Kokkos::LayoutLeft;
};
template <>
struct view_layout<std::layout_right> {
  using type = Kokkos::LayoutRight;
};
/// Accessors whose elements lie as an array's: those that convert to default_accessor, as
/// std::aligned_accessor does.
template <class Accessor, class T>
  requires std::is_convertible_v<Accessor, std::default_accessor<T>>
inline constexpr bool is_plain_memory<Accessor, T> = true;
#endif
#if defined(KOKKOS_ENABLE_IMPL_MDSPAN)
template <>
struct view_layout<Kokkos::layout_left> {
  using type = Kokkos::LayoutLeft;
};
template <>
struct view_layout<Kokkos::layout_right> {
  using type = Kokkos::LayoutRight;
};
template <class Accessor, class T>
  requires std::is_convertible_v<Accessor, Kokkos::default_accessor<T>>
inline constexpr bool is_plain_memory<Accessor, T> = true;
#endif

/// Where the element of indices 0 lies: a layout has strides wherever it begins, as one that runs
/// backwards begins at the end.
template <class M>
auto first_element(const M& m) {
  if (m.empty()) return m.data_handle();
  return [&]<std::size_t... R>(std::index_sequence<R...>) {
    const auto place = m.mapping()((static_cast<void>(R), typename M::index_type(0))...);
    return m.accessor().offset(m.data_handle(), static_cast<std::size_t>(place));
  }(std::make_index_sequence<M::rank()>());
}

/// T with as many stars as dimensions.
template <class T, std::size_t Rank>
struct data_type {
  using type = typename data_type<T*, Rank - 1>::type;
};
template <class T>
struct data_type<T, 0> {
  using type = T;
};

}  // namespace impl

/// The memory of an mdspan as an unmanaged View; const stays const, and layout_left, layout_right
/// and all other strided layouts become LayoutLeft, LayoutRight and LayoutStride. Static extents
/// become dynamic ones.
///
/// \tparam Space  the memory space that m's elements are in; host memory unless it is named
/// \param  m      of rank at most 8, with a layout that is always strided, and default_accessor or
///                one that converts to it
template <class Space = Kokkos::HostSpace, mdspan_like M>
auto view(const M& m) {
  using element = typename M::element_type;
  static_assert(M::rank() <= 8, "acc::view: a View has at most 8 dimensions");
  static_assert(M::is_always_strided(),
                "acc::view: the mdspan's layout must be strided, as a View's is");
  static_assert(
      impl::is_plain_memory<typename M::accessor_type, element>,
      "acc::view: the mdspan's accessor must be default_accessor or convert to it: a View "
      "knows memory alone");
  using layout = typename impl::view_layout<typename M::layout_type>::type;
  using result = Kokkos::View<typename impl::data_type<element, M::rank()>::type, layout, Space,
                              Kokkos::MemoryUnmanaged>;
  if constexpr (M::rank() == 0) {
    return result(impl::first_element(m));
  } else {
    layout shape;
    for (std::size_t r = 0; r < M::rank(); ++r) {
      shape.dimension[r] = static_cast<std::size_t>(m.extent(r));
      if constexpr (std::is_same_v<layout, Kokkos::LayoutStride>)
        shape.stride[r] = static_cast<std::size_t>(m.stride(r));
    }
    return result(impl::first_element(m), shape);
  }
}

namespace impl {

/// The memory space of a call's mdspans: of its execution space, if it begins with one.
template <class First>
struct space_of_call {
  using type = Kokkos::HostSpace;
};
template <kokkos_execution_space First>
struct space_of_call<First> {
  using type = typename First::memory_space;
};

/// An argument for the function of Views.
template <class Space, class A>
decltype(auto) viewed(const A& a) {
  if constexpr (mdspan_like<A>) {
    return view<Space>(a);
  } else {
    return (a);
  }
}

template <class First, class... Rest>
concept call_with_mdspan = mdspan_like<First> || (mdspan_like<Rest> || ...);

}  // namespace impl

/// The functions of the same name with at least one mdspan among their arguments. If the first
/// argument is an execution space instance, the mdspans lie in memory that it can access; otherwise
/// in host memory.
#define ACC_TAKES_MDSPAN(function)                                                  \
  template <class First, class... Rest>                                             \
    requires impl::call_with_mdspan<First, Rest...>                                 \
  auto function(const First& first, const Rest&... rest) {                          \
    using space = typename impl::space_of_call<First>::type;                        \
    return acc::function(impl::viewed<space>(first), impl::viewed<space>(rest)...); \
  }
ACC_TAKES_MDSPAN(sum)
ACC_TAKES_MDSPAN(asum)
ACC_TAKES_MDSPAN(nrm2)
ACC_TAKES_MDSPAN(dot)
ACC_TAKES_MDSPAN(dotu)
ACC_TAKES_MDSPAN(gemm)
ACC_TAKES_MDSPAN(gemv)
#undef ACC_TAKES_MDSPAN

}  // namespace acc

#endif
