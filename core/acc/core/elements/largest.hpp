// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ELEMENTS_LARGEST_HPP
#define ACC_CORE_ELEMENTS_LARGEST_HPP

/// \file
/// The largest modulus of a vector and where it is, as nrminf and iamax define them. Integers are
/// compared, so neither order nor division shows in the result.

#include <acc/core/elements/modulus.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// The first of the largest elements so far.
struct largest {
  static constexpr std::int64_t none = INT64_MAX;
  std::uint64_t bits = 0;  ///< of its modulus
  std::int64_t index = none;

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void add(const T& x, std::int64_t i) {
    merge({modulus_bits(x), i});
  }
  KOKKOS_FORCEINLINE_FUNCTION void merge(const largest& other) {
    if (other.bits > bits || (other.bits == bits && other.index < index)) *this = other;
  }
};

/// Writes the modulus: +0 of no elements.
struct write_modulus {
  template <class Real>
  KOKKOS_INLINE_FUNCTION static void write(Real* result, const largest& found) {
    using bits = std::conditional_t<std::is_same_v<Real, float>, std::uint32_t, std::uint64_t>;
    *result = Kokkos::bit_cast<Real>(bits(found.bits));
  }
};

/// Writes the index, counted from 1: 0 of no elements.
struct write_index {
  template <class Integer>
  KOKKOS_INLINE_FUNCTION static void write(Integer* result, const largest& found) {
    *result = found.index == largest::none ? Integer(0) : Integer(found.index + 1);
  }
};

/// The largest element of each column of x, into result[j * stride].
template <class T, class Finish, class Result>
struct largest_of_columns {
  using scalar = T;
  using finish = Finish;

  matrix_data<const T> x;
  Result* result;
  std::int64_t stride;
};

}  // namespace acc::impl

#endif
