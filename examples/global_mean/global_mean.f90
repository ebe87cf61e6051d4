! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Area-weighted global means of two fields whose latitudes are distributed over ranks. With acc the
! means have the same bits for any number of ranks and any distribution; the program returns 1 if
! they have not. With sum() and MPI_Allreduce they change.
program global_mean
  use acc
  use acc_mpi
  use mpi
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  implicit none
  integer, parameter :: longitudes = 180, latitudes = 90, temperature = 1, rain = 2
  real(c_double), allocatable :: area(:, :), fields(:, :, :)
  real(c_double) :: total_area, mean(2), first(2), mpi_mean(2)
  integer :: comm, me, ranks, all_ranks, way, error
  logical :: is_same = .true.
  character(6), parameter :: ways(2) = ['blocks', 'cyclic']

  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, me, error)
  call mpi_comm_size(MPI_COMM_WORLD, all_ranks, error)
  if (me == 0) print '(a)', 'ranks  latitudes   temperature, acc      temperature, MPI_Allreduce  rain, acc'
  do ranks = 1, all_ranks
    call mpi_comm_split(MPI_COMM_WORLD, merge(0, MPI_UNDEFINED, me < ranks), me, comm, error)
    if (me >= ranks) cycle
    do way = 1, 2
      call make_fields(ranks, way)

      ! One message for the area and one for both fields.
      call check(acc_mpi_sum(comm, area, total_area))
      call check(acc_mpi_dot(comm, area, fields, mean))
      mean = mean / total_area

      mpi_mean(1) = sum(area * fields(:, :, temperature))
      mpi_mean(2) = sum(area)
      call mpi_allreduce(MPI_IN_PLACE, mpi_mean, 2, MPI_DOUBLE_PRECISION, MPI_SUM, comm, error)

      if (ranks == 1 .and. way == 1) first = mean
      if (me == 0) then
        print '(i5, 2x, a, 2x, 3(2x, f20.14))', ranks, ways(way), mean(temperature), &
          mpi_mean(1) / mpi_mean(2), mean(rain)
        is_same = is_same .and. all(mean == first)
      end if
    end do
    call mpi_comm_free(comm, error)
  end do
  if (me == 0) print '(a)', merge('acc: all means have the same bits', &
                                  'acc: the means differ            ', is_same)
  call mpi_finalize(error)
  if (.not. is_same) stop 1

contains

  ! This rank's latitudes: neighbours, or each ranks-th.
  subroutine make_fields(ranks, way)
    integer, intent(in) :: ranks, way
    integer, allocatable :: mine(:)
    integer :: i, j, k
    real(c_double) :: y
    if (way == 1) then
      mine = [(j, j = 1 + me * latitudes / ranks, (me + 1) * latitudes / ranks)]
    else
      mine = [(j, j = 1 + me, latitudes, ranks)]
    end if
    if (allocated(area)) deallocate (area, fields)
    allocate (area(longitudes, size(mine)), fields(longitudes, size(mine), 2))
    do k = 1, size(mine)
      y = real(2 * mine(k) - latitudes - 1, c_double) / latitudes
      area(:, k) = 1 - y**2   ! nearly the cosine of the latitude
      do i = 1, longitudes
        fields(i, k, temperature) = 300 - 50 * y**2 + noise(i, mine(k))
        fields(i, k, rain) = 100 * noise(i, mine(k))**8
      end do
    end do
  end subroutine make_fields

  ! Weather: a number in [0, 1) that looks random.
  real(c_double) function noise(i, j)
    integer, intent(in) :: i, j
    integer(c_int64_t) :: state
    state = modulo(int(i, c_int64_t) * 7919 + int(j, c_int64_t) * 104729, 65521_c_int64_t)
    state = modulo(state * state * 17 + 12345, 65521_c_int64_t)
    noise = real(state, c_double) / 65521
  end function noise

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == acc_success) return
    print '(a)', acc_error_text()
    call mpi_abort(MPI_COMM_WORLD, 1, error)
  end subroutine check

end program global_mean
