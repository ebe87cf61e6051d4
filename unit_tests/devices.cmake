# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One executable for each execution space that Kokkos has enabled, of the same test bodies; and one for
# each of these and each test file, for `make check`.
set(ACC_DEVICE_TESTS all CACHE STRING "Which of these tests to build: all, or a list")
set(acc_all_device_tests
    test_sum test_dot test_norms test_special test_views test_errors test_instances test_reducers
    test_team test_golden test_order_free test_certificate test_prefix_sum test_segmented_sum test_sum_by_key test_sum_by_index test_scatter_sum test_statistics test_slices test_blas1 test_elements
    test_slices_by_method test_arrays
    test_atomic test_half test_gemm test_gemv test_gemm_views test_gemm_special test_gemm_accuracy
    test_gemm_errors test_gemm_exact test_gemm_fixed_point test_accumulate_gemm test_residue_gemm test_spmv
    test_spmv_memory test_mdspan test_ngemm test_ngemm_errors test_golden_gemm test_defaults)
set(acc_device_tests ${acc_all_device_tests})
if(NOT ACC_DEVICE_TESTS STREQUAL "all")
  set(acc_device_tests ${ACC_DEVICE_TESTS})
endif()

# Kokkos_DEVICES is in capitals; the types are not.
set(acc_device_types SERIAL Serial OPENMP OpenMP CUDA Cuda HIP HIP SYCL SYCL THREADS Threads)

# Adds to target, which exists, the bodies that are named.
function(acc_add_device_sources target space)
  foreach(test IN LISTS ARGN)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${space}/${test}.cpp)
    configure_file(per_device.cpp.in ${source} @ONLY)
    target_sources(${target} PRIVATE ${source})
  endforeach()
  acc_target_warnings(${target})
  target_compile_definitions(${target} PRIVATE ACC_TEST_SPACE=Kokkos::${space})
  target_link_libraries(${target} PRIVATE acc_test_support acc::acc)
endfunction()

# Whether one of these tests calls matrix products.
function(acc_need_gemm_instances result)
  set(${result} OFF PARENT_SCOPE)
  foreach(test IN LISTS ARGN)
    file(STRINGS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${test}.hpp calls REGEX "(gemm_calls|exact_products)[.]hpp")
    if(calls)
      set(${result} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# acc_add_device_sources for gemm_instances.hpp. It takes longest to compile: one source per type, and
# where nvcc compiles many kernels per method, one per type and method.
function(acc_add_gemm_instances target space)
  set(methods methods)
  set(instances widened)
  if(space STREQUAL "Cuda")
    set(methods plain blocked kahan priest seeded compensated)
    set(instances widened_float widened_complex widened_half_t widened_bhalf_t)
  endif()
  foreach(type IN ITEMS double float Kokkos::complex<double> Kokkos::complex<float>)
    foreach(method IN LISTS methods)
      list(APPEND instances "${method}(${type})")
    endforeach()
  endforeach()
  foreach(ACC_TEST_INSTANCES IN LISTS instances)
    string(MAKE_C_IDENTIFIER "${ACC_TEST_INSTANCES}" name)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${space}/gemm_instances_${name}.cpp)
    configure_file(gemm_instances.cpp.in ${source} @ONLY)
    target_sources(${target} PRIVATE ${source})
  endforeach()
  acc_add_device_sources(${target} ${space} gemm_exact_instances gemm_fixed_point_instances)
endfunction()

function(acc_add_device_executable target space)
  add_executable(${target} main.cpp)
  acc_add_device_sources(${target} ${space} ${ARGN})
  acc_need_gemm_instances(needed ${ARGN})
  if(needed)
    acc_add_gemm_instances(${target} ${space})
  endif()
endfunction()

# One program per test file, optimised little and built when it is asked for:
# cmake --build build --target check_test_sum_openmp
function(acc_add_device_checks label space)
  set(rest check_main_${label} check_gemm_instances_${label}) # compiled once for all of them
  add_library(check_main_${label} OBJECT EXCLUDE_FROM_ALL main.cpp)
  acc_add_device_sources(check_main_${label} ${space})
  add_library(check_gemm_instances_${label} OBJECT EXCLUDE_FROM_ALL)
  acc_add_gemm_instances(check_gemm_instances_${label} ${space})
  set(targets ${rest})
  foreach(test IN LISTS acc_all_device_tests)
    set(target check_${test}_${label})
    add_executable(${target} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:check_main_${label}>)
    acc_add_device_sources(${target} ${space} ${test})
    acc_need_gemm_instances(needed ${test})
    if(needed)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:check_gemm_instances_${label}>)
    endif()
    list(APPEND targets ${target})
    acc_add_check(${test} ${label} ${target})
  endforeach()
  foreach(target IN LISTS targets)
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  endforeach()
endfunction()

# Registers an executable: ctest's name, its label, how many processors, and environment settings;
# and the recording of its golden bits. ctest --resource-spec-file gives each test a GPU.
macro(acc_add_device_test name target label processors)
  set(properties PROPERTIES PROCESSORS ${processors} SKIP_RETURN_CODE 77)
  if(NOT "${ARGN}" STREQUAL "")
    string(REPLACE ";" "\\;" environment "${ARGN}") # one element
    list(APPEND properties ENVIRONMENT "${environment}")
  endif()
  if("${label}" MATCHES "^(cuda|hip|sycl)$")
    list(APPEND properties RESOURCE_GROUPS gpus:1)
  endif()
  acc_add_test(${name} COMMAND ${target} ${properties} LABELS ${label})
  if(acc_device_tests MATCHES "test_golden")
    acc_add_recording_test(${name} ${target} ${properties} LABELS "bits;${label}")
  endif()
endmacro()

# A lesser instruction set is tested by one thread of the first of these that Kokkos has.
set(host_device)
set(one_thread OMP_NUM_THREADS=1 OMP_PROC_BIND=false)
foreach(device IN ITEMS SERIAL OPENMP)
  if(NOT host_device AND device IN_LIST Kokkos_DEVICES)
    set(host_device ${device})
  endif()
endforeach()

foreach(device IN LISTS Kokkos_DEVICES)
  list(FIND acc_device_types ${device} at)
  if(at EQUAL -1)
    continue()
  endif()
  math(EXPR at "${at} + 1")
  list(GET acc_device_types ${at} space)
  string(TOLOWER ${device} label)
  acc_add_device_executable(acc_tests_${label} ${space} ${acc_device_tests})
  acc_add_device_checks(${label} ${space})
  if(device STREQUAL OPENMP)
    # The optimiser may change no bits either: this one is optimised less than the others (and
    # compiles in half the time).
    target_compile_options(acc_tests_${label} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
    # The law: the same bits for every number of threads, more than there are cores included.
    foreach(threads IN ITEMS 1 2 8)
      acc_add_device_test(${label}.${threads} acc_tests_${label} ${label} ${threads}
                          OMP_NUM_THREADS=${threads} OMP_PROC_BIND=false OMP_WAIT_POLICY=passive)
    endforeach()
  else()
    acc_add_device_test(${label} acc_tests_${label} ${label} 1)
  endif()
  # The host kernels of lesser processors, once. On a processor that lacks the set the program says so
  # and ends with 77, and ctest skips the test.
  if(acc_has_avx AND "${device}" STREQUAL "${host_device}")
    foreach(isa IN ITEMS baseline avx2)
      acc_add_device_test(${label}.${isa} acc_tests_${label} ${label} 1 ACC_HOST_ISA=${isa} ${one_thread})
    endforeach()
  endif()
endforeach()
acc_add_agreement_test()

# Ten million random entries of exact products, of all types together: ctest -C Fuzz -L fuzz
if(host_device)
  string(TOLOWER ${host_device} label)
  add_test(NAME gemm_exact.fuzz COMMAND acc_tests_${label} --gtest_filter=GemmExact*.Fuzz CONFIGURATIONS Fuzz)
  set_tests_properties(gemm_exact.fuzz PROPERTIES LABELS fuzz TIMEOUT 7200
                                                  ENVIRONMENT ACC_TEST_FUZZ_CASES=1700000)
endif()

# The golden bits alone, for `make matrix`: by how many compilers, no test by itself can tell.
acc_add_device_executable(acc_tests_golden DefaultHostExecutionSpace test_golden test_golden_gemm
                                           test_defaults)
target_compile_options(acc_tests_golden PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
set_target_properties(acc_tests_golden PROPERTIES EXCLUDE_FROM_ALL ON)
