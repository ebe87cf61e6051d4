// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_NUMBERS_KOKKOS_SCALAR_HPP
#define ACC_CORE_NUMBERS_KOKKOS_SCALAR_HPP

/// \file
/// The scalar of Kokkos that lies in memory as a caller's T does: for those who hand host arrays of
/// std::complex to acc, as <acc/c.h>, the Python package and the command line tool do.

#include <complex>

#include <Kokkos_Complex.hpp>

namespace acc::impl {

template <class T>
struct kokkos_scalar {
  using type = T;
};
/// Both are two T, real part first: std::complex by [complex.numbers], Kokkos's by its definition.
template <class T>
struct kokkos_scalar<std::complex<T>> {
  using type = Kokkos::complex<T>;
};
template <class T>
using kokkos_scalar_t = typename kokkos_scalar<T>::type;

}  // namespace acc::impl

#endif
