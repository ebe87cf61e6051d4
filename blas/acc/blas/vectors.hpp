// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_VECTORS_HPP
#define ACC_BLAS_VECTORS_HPP

/// \file
/// Level 1 of the BLAS. It has no errors to report: the arguments are what they are. Where a call
/// cannot compute (no memory, no Kokkos, vectors in different memories), the process ends.

#include <acc/c.h>

#include <complex>
#include <cstdint>

namespace acc::blas {

/// Ends the process if a function of <acc/c.h> failed: acc_last_error() says why.
void end_process_unless(int status, const char* routine);

/// A complex number as Fortran's functions return it: std::complex is not one of C.
template <class Real>
struct c_complex_of;
template <>
struct c_complex_of<float> {
  __extension__ typedef float _Complex type;
};
template <>
struct c_complex_of<double> {
  __extension__ typedef double _Complex type;
};
template <class Real>
using c_complex = typename c_complex_of<Real>::type;
template <class Real>
c_complex<Real> to_c(std::complex<Real> x) {
  c_complex<Real> r;
  __real__ r = x.real();
  __imag__ r = x.imag();
  return r;
}

/// A dot product of two vectors by a function of <acc/c.h>: +0 for n <= 0.
template <class T>
T result_of(const char* routine,
            int (&function)(std::int64_t, const T*, std::int64_t, const T*, std::int64_t, T*),
            int n, const void* x, int incx, const void* y, int incy) {
  T result(0);
  if (n <= 0) return result;
  end_process_unless(
      function(n, static_cast<const T*>(x), incx, static_cast<const T*>(y), incy, &result),
      routine);
  return result;
}

/// A norm of a vector by one of them: +0 for n <= 0.
template <class Real, class Element>
Real norm_of(const char* routine,
             int (&function)(std::int64_t, const Element*, std::int64_t, Real*), int n,
             const void* x, int incx) {
  Real result(0);
  if (n <= 0) return result;
  end_process_unless(function(n, static_cast<const Element*>(x), incx, &result), routine);
  return result;
}

/// y = alpha x + y, with the bits of acc::axpy. Where elements of y share a place with others (incy
/// = 0, vectors that overlap), the elements are computed in turn, as the reference BLAS does. T is
/// float, double or Kokkos::complex of them.
template <class T>
void add_multiple(const char* routine, int n, T alpha, const T* x, int incx, T* y, int incy);

/// x = alpha x, with the bits of acc::scal. As in the BLAS, x stays as it is where incx <= 0.
template <class T>
void multiply_by(const char* routine, int n, T alpha, T* x, int incx);

}  // namespace acc::blas

#endif
