! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The entry points as Fortran calls a BLAS, with implicit interfaces and hidden lengths.
program in_fortran
  implicit none
  external :: sngemm, dngemm, sagemm, dagemm
  double precision :: a(4, 3), b(5, 2), c(3, 2), expected(2, 2)
  real :: f(4, 3), g(5, 2), h(3, 2)
  integer :: i, j

  a = 0
  b = 0
  do j = 1, 3
    do i = 1, 2
      a(i, j) = 10 * i + j
      b(j, i) = 3 * i - j + 2
    end do
  end do
  expected = matmul(a(1:2, :), b(1:3, :))

  c = -1
  call dagemm('N', 'N', 2, 2, 3, 1d0, a, 4, b, 5, 0d0, c, 3)
  call check('dagemm', c, expected)
  c = -1
  call dngemm('No transpose', 'N', 2, 2, 3, 2d0, a, 4, b, 5, 1d0, c, 3)
  call check('dngemm', c, 2 * expected - 1)
  f = real(a)
  g = real(b)
  h = -1
  call sagemm('n', 'n', 2, 2, 3, 1.0, f, 4, g, 5, 0.0, h, 3)
  call check('sagemm', dble(h), expected)
  h = -1
  call sngemm('N', 'N', 2, 2, 3, 1.0, f, 4, g, 5, -1.0, h, 3)
  call check('sngemm', dble(h), expected + 1)

contains

  subroutine check(name, got, want)
    character(*), intent(in) :: name
    double precision, intent(in) :: got(3, 2), want(2, 2)
    if (any(got(1:2, :) /= want) .or. any(got(3, :) /= -1)) then
      print *, name, ': wrong ', got
      stop 1
    end if
  end subroutine check

end program in_fortran
