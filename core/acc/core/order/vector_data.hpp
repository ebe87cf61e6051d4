// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_VECTOR_DATA_HPP
#define ACC_CORE_ORDER_VECTOR_DATA_HPP

/// \file
/// A rank-1 View seen as a sequence of real numbers.

#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace acc::impl {

/// Real elements of a vector: element k is part k mod Components of scalar k / Components.
template <class Element, int Components>
struct vector_data {
  using element = Element;
  static constexpr int components = Components;

  const Element* data;
  std::int64_t stride;  ///< between scalars, in real elements
  std::int64_t size;    ///< in real elements

  KOKKOS_FORCEINLINE_FUNCTION Element operator[](std::int64_t k) const {
    if constexpr (Components == 1) return data[k * stride];
    return data[(k / Components) * stride + k % Components];
  }
  KOKKOS_FORCEINLINE_FUNCTION bool contiguous() const {
    return stride == Components || size <= Components;
  }
};

/// The vector that x, a rank-1 View of real or complex scalars, refers to.
template <class View>
KOKKOS_FUNCTION auto vector_data_of(const View& x) {
  using scalar = typename View::non_const_value_type;
  using element = real_t<scalar>;
  constexpr int components = components_of<scalar>;
  // Kokkos::complex<T> is two T, real part first, as std::complex is.
  return vector_data<element, components>{reinterpret_cast<const element*>(x.data()),
                                          std::int64_t(x.stride(0)) * components,
                                          std::int64_t(x.extent(0)) * components};
}

}  // namespace acc::impl

#endif
