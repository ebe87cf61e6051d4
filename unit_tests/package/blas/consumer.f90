! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program consumer
  use acc
  use, intrinsic :: iso_c_binding
  implicit none
  real(c_double), parameter :: x(4) = [1d0, 1d100, 1d0, -1d100]
  real(c_double) :: r
  if (acc_sum_exact(size(x, kind=c_int64_t), x, 1_c_int64_t, r) /= acc_success) then
    print '(a)', acc_error_text()
    stop 1
  end if
  if (r /= 2) stop 2
end program consumer
