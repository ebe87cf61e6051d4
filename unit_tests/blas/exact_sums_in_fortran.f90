! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The type acc_exact_sums of the module acc: each procedure, arrays of ranks 0 to 7, sections, copies
! and errors.
program exact_sums_in_fortran
  use acc
  use, intrinsic :: iso_c_binding
  implicit none
  type(acc_exact_sums) :: sums, other, many(2), never
  real(c_double) :: d1(4) = [1d0, 1d100, 1d0, -1d100], d2(2, 2), d7(2, 1, 2, 1, 2, 1, 2), d3(2, 2, 2)
  real(c_double) :: d4(2, 2, 1, 2), d5(2, 1, 2, 1, 2), d6(2, 1, 2, 1, 1, 2), d, dd(2)
  real(c_float) :: s1(3) = [1, 2, 3], s2(3, 2) = 0.5, s, ss(2)
  integer(c_int64_t), allocatable :: words(:)
  integer :: i

  d2 = reshape(d1, [2, 2]); d3 = 1; d4 = 2; d5 = 3; d6 = 4; d7 = 5
  call ok('create', sums%create(2))
  call right('count', sums%count() == 2)
  call ok('add', sums%add(d1))
  call ok('add', sums%add(d2, 2))
  call ok('add', sums%add(d3, 2))
  call ok('add', sums%add(d4, 2))
  call ok('add', sums%add(d5, 2))
  call ok('add', sums%add(d6, 2))
  call ok('add', sums%add(d7, 2))
  call ok('add', sums%add(0.25d0, 2))
  call ok('add', sums%add(s1))
  call ok('add', sums%add(s2(1:3:2, :)))
  call ok('value', sums%value(dd))
  call right('sum of elements', dd(1) == 10 .and. dd(2) == 162.25d0)
  call ok('value', sums%value(ss))
  call right('floats', all(ss == [10.0, 162.25]))

  other = sums
  call ok('reset', sums%reset())
  call ok('value', sums%value(dd))
  call right('empty', all(dd == 0))
  call ok('value', other%value(dd))
  call right('a copy', all(dd == [10d0, 162.25d0]))
  other = other
  call ok('value', other%value(dd))
  call right('a copy of itself', all(dd == [10d0, 162.25d0]))

  call ok('add_products', sums%add_products(d1, d2, 1))
  call ok('add_products', sums%add_products(s1, s1, 2))
  call ok('merge', sums%merge(other))
  call ok('value', sums%value(ss))
  call right('merged', ss(2) == 176.25)
  allocate (words(sums%wire_words()))
  call right('wire_words', size(words) == 282)
  call ok('to_wire', other%to_wire(words))
  call ok('from_wire', sums%from_wire(words))
  call ok('value', sums%value(dd))
  call right('from_wire', all(dd == [10d0, 162.25d0]))

  do i = 1, 2
    call ok('create', many(i)%create())
    call ok('create again', many(i)%create())
    call ok('add', many(i)%add(d1))
  end do
  call ok('value', many(2)%value(d))
  call ok('value', many(1)%value(s))
  call right('one sum', d == 2 .and. s == 2)
  call many(1)%destroy()
  call right('destroy', many(1)%count() == -1)

  d = 7
  call refused('create', sums%create(-1), 'acc_exact_sums_create: m is -1')
  call refused('add', sums%add(d1, 3), 'acc_exact_sums%add: i is 3, but the number of sums is 2')
  call refused('add', sums%add(s1, 0), 'acc_exact_sums%add: i is 0, but the number of sums is 2')
  call refused('add', never%add(d1), 'acc_exact_sums%add: the sums have not been created')
  call refused('add_products', sums%add_products(d1, d3), &
               'acc_exact_sums%add_products: x and y have different sizes')
  call refused('value', sums%value(d), &
               'acc_exact_sums%value: r has another number of elements than there are sums')
  call refused('value', never%value(d), 'acc_exact_sums_dvalues: sums is a null pointer')
  call refused('merge', sums%merge(many(2)), &
               'acc_exact_sums_merge: the number of sums is 2, but other has 1')
  call refused('merge', sums%merge(never), 'acc_exact_sums_merge: other is a null pointer')
  call refused('to_wire', sums%to_wire(words(2:)), &
               'acc_exact_sums_to_wire: n is 281, but the wire form of 2 sums has 282 words')
  call refused('from_wire', sums%from_wire(words(2:)), &
               'acc_exact_sums_from_wire: n is 281, but the wire form of 2 sums has 282 words')
  call refused('reset', never%reset(), 'acc_exact_sums_reset: sums is a null pointer')
  call right('r stays', d == 7)
  call right('C knows it', c_associated(sums%c_object()) .and. .not. c_associated(never%c_object()))
  other = never
  call right('a copy of none', other%count() == -1)
  call in_a_procedure()

contains

  ! Its object ends with it.
  subroutine in_a_procedure()
    type(acc_exact_sums) :: local
    call ok('create', local%create(3))
    call ok('add', local%add(d1, 3))
  end subroutine in_a_procedure

  subroutine ok(name, status)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: status
    if (status /= acc_success) call stop_with(name // ': ' // acc_error_text())
  end subroutine ok

  subroutine right(name, is_right)
    character(*), intent(in) :: name
    logical, intent(in) :: is_right
    if (.not. is_right) call stop_with(name // ' is wrong')
  end subroutine right

  subroutine refused(name, status, why)
    character(*), intent(in) :: name, why
    integer(c_int), intent(in) :: status
    if (status /= acc_invalid_argument) call stop_with(name // ' is not refused')
    if (acc_error_text() /= why) call stop_with(name // ' says ' // acc_error_text())
  end subroutine refused

  subroutine stop_with(text)
    character(*), intent(in) :: text
    print '(a)', text
    stop 1
  end subroutine stop_with

end program exact_sums_in_fortran
