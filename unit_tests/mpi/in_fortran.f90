! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The module acc_mpi: sums of arrays of ranks 0 to 7, many fields, objects and errors.
program in_fortran
  use acc
  use acc_mpi
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  real(c_double) :: d1(4) = [1d0, 1d100, 1d0, -1d100], d2(2, 2), d3(2, 1, 2), d4(2, 1, 1, 2)
  real(c_double) :: d5(2, 1, 1, 1, 2), d6(2, 1, 1, 1, 1, 2), d7(2, 1, 1, 1, 1, 1, 2), d, dd(2)
  real(c_double) :: w2(2, 2), f3(2, 2, 2), none(0, 3)
  real(c_float) :: s1(3) = [1, 2, 3], s2(3, 2) = 0.5, s, ss(2)
  type(acc_exact_sums) :: sums, uncreated
  integer :: comm, me, p, error

  call mpi_init(error)
  comm = MPI_COMM_WORLD
  call mpi_comm_rank(comm, me, error)
  call mpi_comm_size(comm, p, error)
  d2 = reshape(d1, [2, 2]); d3 = 1; d4 = 2; d5 = 3; d6 = 4; d7 = 5

  call ok(acc_mpi_sum(comm, 0.5d0, d)); call right('rank 0', d == 0.5d0 * p)
  call ok(acc_mpi_sum(comm, d1, d)); call right('rank 1', d == 2 * p)
  call ok(acc_mpi_sum(comm, d2, d)); call right('rank 2', d == 2 * p)
  call ok(acc_mpi_sum(comm, d3, d)); call right('rank 3', d == 4 * p)
  call ok(acc_mpi_sum(comm, d4, d)); call right('rank 4', d == 8 * p)
  call ok(acc_mpi_sum(comm, d5, d)); call right('rank 5', d == 12 * p)
  call ok(acc_mpi_sum(comm, d6, d)); call right('rank 6', d == 16 * p)
  call ok(acc_mpi_sum(comm, d7, d)); call right('rank 7', d == 20 * p)
  call ok(acc_mpi_sum(comm, s1(1:3:2), s)); call right('a section', s == 4 * p)
  call ok(acc_mpi_sum(comm, none, d)); call right('no elements', d == 0)
  call ok(acc_mpi_sum(comm, d1(1:merge(4, 0, me == 0)), d)); call right('of one rank', d == 2)
  call ok(acc_mpi_dot(comm, d4, d5, d)); call right('dot', d == 24 * p)
  call ok(acc_mpi_dot(comm, s1, s1, s)); call right('dot', s == 14 * p)

  ! Fields 1 and 2, of 2 x 2 cells.
  w2 = reshape([1d0, 2d0, 3d0, 4d0], [2, 2])
  f3(:, :, 1) = 1
  f3(:, :, 2) = reshape(d1, [2, 2])
  call ok(acc_mpi_sum(comm, f3, dd)); call right('fields', all(dd == [4 * p, 2 * p]))
  f3(:, :, 2) = w2
  call ok(acc_mpi_dot(comm, w2, f3, dd)); call right('weighted fields', all(dd == [10 * p, 30 * p]))
  call ok(acc_mpi_sum(comm, s2, ss)); call right('fields', all(ss == 1.5 * p))
  call ok(acc_mpi_dot(comm, s1, s2, ss)); call right('weighted fields', all(ss == 3 * p))

  call ok(sums%create(2))
  call ok(sums%add(d1(1 + mod(me, 2):4:2)))
  call ok(sums%add_products(s1, s1, 2))
  call ok(acc_mpi_reduce(comm, p - 1, sums))
  call ok(sums%value(dd))
  call right('reduce', dd(2) == merge(14 * p, 14, me == p - 1))
  call ok(sums%reset())
  call ok(sums%add_products(s1, s1, 2))
  call ok(acc_mpi_all_reduce(comm, sums))
  call ok(sums%value(dd))
  call right('all_reduce', dd(1) == 0 .and. dd(2) == 14 * p)

  d = 7; dd = 7
  call refused(acc_mpi_dot(comm, d1, d3(:, :, 1), d), 'acc_mpi_dot: w and x have different sizes')
  call refused(acc_mpi_sum(comm, f3(:, :, 1:1), dd), &
               'acc_mpi_sum: the last extent of x is not the size of r')
  call refused(acc_mpi_sum(comm, 1d0, dd), 'acc_mpi_sum: the last extent of x is not the size of r')
  call refused(acc_mpi_dot(comm, w2, f3(:, 1, :), dd), &
               'acc_mpi_dot: w has not the size of one field of x')
  call refused(acc_mpi_dot(comm, w2, f3(:, :, 1:1), dd), &
               'acc_mpi_dot: the last extent of x is not the size of r')
  call refused(acc_mpi_sum(MPI_COMM_NULL, d1, d), 'acc_mpi_dsum_exact: comm is MPI_COMM_NULL')
  call refused(acc_mpi_all_reduce(comm, uncreated), &
               'acc_mpi_exact_sums_all_reduce: sums is a null pointer')
  call refused(acc_mpi_reduce(comm, -1, sums), 'acc_mpi_exact_sums_reduce: root is -1')
  call right('r stays', d == 7 .and. all(dd == 7))
  call mpi_finalize(error)
  if (acc_mpi_sum(comm, d1, d) /= acc_failure) call stop_with('a sum after mpi_finalize')
  if (acc_error_text() /= 'acc_mpi_dsum_exact: MPI has been finalized') call stop_with(acc_error_text())

contains

  subroutine ok(status)
    integer(c_int), intent(in) :: status
    if (status /= acc_success) call stop_with(acc_error_text())
  end subroutine ok

  subroutine right(name, is_right)
    character(*), intent(in) :: name
    logical, intent(in) :: is_right
    if (.not. is_right) call stop_with(name // ' is wrong')
  end subroutine right

  subroutine refused(status, why)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: why
    if (status /= acc_invalid_argument) call stop_with('not refused: ' // why)
    if (acc_error_text() /= why) call stop_with('it says ' // acc_error_text())
  end subroutine refused

  subroutine stop_with(text)
    character(*), intent(in) :: text
    print '(a)', text
    error stop 1
  end subroutine stop_with

end program in_fortran
