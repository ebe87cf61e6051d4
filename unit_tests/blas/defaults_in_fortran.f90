! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! C = A B by each entry point, called from Fortran: test_defaults.cpp compares the bits.
module defaults_in_fortran
  use, intrinsic :: iso_c_binding, only: c_int, c_float, c_double
  implicit none
  external :: sagemm, dagemm, sngemm, dngemm

contains

  subroutine sagemm_from_fortran(m, n, k, a, b, c) bind(c)
    integer(c_int), value :: m, n, k
    real(c_float), intent(in) :: a(m, k), b(k, n)
    real(c_float), intent(out) :: c(m, n)
    call sagemm('N', 'N', m, n, k, 1.0, a, m, b, k, 0.0, c, m)
  end subroutine

  subroutine dagemm_from_fortran(m, n, k, a, b, c) bind(c)
    integer(c_int), value :: m, n, k
    real(c_double), intent(in) :: a(m, k), b(k, n)
    real(c_double), intent(out) :: c(m, n)
    call dagemm('N', 'N', m, n, k, 1d0, a, m, b, k, 0d0, c, m)
  end subroutine

  subroutine sngemm_from_fortran(m, n, k, a, b, c) bind(c)
    integer(c_int), value :: m, n, k
    real(c_float), intent(in) :: a(m, k), b(k, n)
    real(c_float), intent(out) :: c(m, n)
    call sngemm('N', 'N', m, n, k, 1.0, a, m, b, k, 0.0, c, m)
  end subroutine

  subroutine dngemm_from_fortran(m, n, k, a, b, c) bind(c)
    integer(c_int), value :: m, n, k
    real(c_double), intent(in) :: a(m, k), b(k, n)
    real(c_double), intent(out) :: c(m, n)
    call dngemm('N', 'N', m, n, k, 1d0, a, m, b, k, 0d0, c, m)
  end subroutine

end module defaults_in_fortran
