! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The module acc: each generic name with each of its four types, which are all functions of
! <acc/c.h>; a specific name, increments and an error.
program sums_in_fortran
  use acc
  use, intrinsic :: iso_c_binding
  implicit none
  real(c_float), parameter :: sx(4) = [2, -4, 5, 6], sy(4) = [5, 6, -7, 8]
  real(c_double), parameter :: dx(4) = [2, -4, 5, 6], dy(4) = [5, 6, -7, 8]
  complex(c_float_complex), parameter :: cx(2) = [(2, -4), (5, 6)], cy(2) = [(5, 6), (-7, 8)]
  complex(c_double_complex), parameter :: zx(2) = [(2, -4), (5, 6)], zy(2) = [(5, 6), (-7, 8)]
  integer(c_int64_t), parameter :: one = 1, two = 2, four = 4
  real(c_float) :: s
  real(c_double) :: d
  complex(c_float_complex) :: c
  complex(c_double_complex) :: z
  integer(c_int) :: status
  integer :: calls = 0

  include 'sums_by_plain.f90'
  include 'sums_by_compensated.f90'
  include 'sums_by_reproducible.f90'
  include 'sums_by_exact.f90'
  if (calls /= 80) call stop_with('not 80 calls')

  status = acc_dsum_exact(two, [1d0, 1d100, 2d0], -two, d); call check('backwards', status, d == 3)
  status = acc_sum_exact(two, [1d0, 1d100, 2d0], two, d); call check('strided', status, d == 3)
  if (acc_sum_exact(-one, dx, one, d) /= acc_invalid_argument) call stop_with('n = -1')
  if (acc_error_text() /= 'acc_dsum_exact: n is -1') call stop_with(acc_error_text())
  if (acc_initialize() /= acc_success) call stop_with('acc_initialize')

contains

  subroutine check(name, status, is_right)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: status
    logical, intent(in) :: is_right
    calls = calls + 1
    if (status /= acc_success) call stop_with(name // ': ' // acc_error_text())
    if (.not. is_right) call stop_with(name // ' is wrong')
  end subroutine check

  subroutine stop_with(text)
    character(*), intent(in) :: text
    print '(a)', text
    stop 1
  end subroutine stop_with

end program sums_in_fortran
