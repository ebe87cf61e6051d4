// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_GATHERED_DATA_HPP
#define ACC_CORE_ORDER_GATHERED_DATA_HPP

/// \file
/// Elements of a vector that indexes name, seen as a sequence of real numbers.

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace acc::impl {

/// Real elements of scalars data(index(0)), data(index(1)), ...; without indexes, of data(0),
/// data(1), ...: of a row of a CRS matrix the values are such a sequence, and the elements of x
/// that they meet.
template <class Element, int Components, class Index>
struct gathered_data {
  using element = Element;
  static constexpr int components = Components;

  const Element* data;
  std::int64_t stride;  ///< between scalars of data, in real elements
  std::int64_t size;    ///< of the sequence, in real elements
  const Index* index = nullptr;
  std::int64_t index_stride = 0;

  /// The first real element of scalar i.
  KOKKOS_FORCEINLINE_FUNCTION const Element* at(std::int64_t i) const {
    return data + (index == nullptr ? i : std::int64_t(index[i * index_stride])) * stride;
  }
  KOKKOS_FORCEINLINE_FUNCTION Element operator[](std::int64_t k) const {
    return at(k / Components)[k % Components];
  }
  /// No kernel may read it without its indexes.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool contiguous() { return false; }
};

}  // namespace acc::impl

#endif
