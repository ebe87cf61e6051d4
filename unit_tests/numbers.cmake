# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of numbers in host code; no execution space is started.
include(CheckCXXCompilerFlag)

function(acc_add_number_test name)
  add_executable(acc_test_${name} ${ARGN})
  target_compile_options(acc_test_${name} PRIVATE -Wall -Wextra)
  target_link_libraries(acc_test_${name} PRIVATE acc_test_support acc::acc GTest::gtest_main)
  set(not_installed)
  if(name MATCHES "native") # for processors like this one alone
    set(not_installed NOT_INSTALLED)
  endif()
  acc_add_test(${name} COMMAND acc_test_${name} PROPERTIES LABELS numbers ${not_installed})
  if(ARGV1 STREQUAL "test_${name}.cpp") # not another variant of the same file
    acc_add_check(test_${name} numbers acc_test_${name})
  endif()
endfunction()

acc_add_number_test(oracle test_oracle.cpp)
acc_add_number_test(value_types test_value_types.cpp)
acc_add_number_test(superaccumulator test_superaccumulator.cpp)
acc_add_number_test(shared_limbs test_shared_limbs.cpp)
acc_add_number_test(binned test_binned.cpp)
acc_add_number_test(fixed_point_sum test_fixed_point_sum.cpp)
acc_add_number_test(running_sum test_running_sum.cpp)
acc_add_number_test(windowed_sum test_windowed_sum.cpp)
acc_add_number_test(rounding test_rounding.cpp)
acc_add_number_test(half_rounding test_half_rounding.cpp)
acc_add_number_test(golden_file test_golden_file.cpp)
acc_add_number_test(magic test_magic.cpp)
acc_add_number_test(quotient test_quotient.cpp)
acc_add_number_test(residues test_residues.cpp)
acc_add_number_test(published_sums test_published_sums.cpp)
acc_add_number_test(merge_tree test_merge_tree.cpp)
acc_add_number_test(instruction_set test_instruction_set.cpp)
target_compile_definitions(acc_test_instruction_set PRIVATE ACC_TEST_HAS_AVX=$<BOOL:${acc_has_avx}>)
# Kernels of the CUDA machine, on a host: optimised little, as the optimiser is not theirs, and so compiled
# in half the time.
function(acc_add_cuda_number_test name)
  acc_add_number_test(${name} test_${name}.cpp)
  target_compile_definitions(acc_test_${name} PRIVATE ACC_TEST_SPACE=Kokkos::DefaultHostExecutionSpace)
  # Distributions' compilers may replace longjmp by one that ends the program where it changes stacks
  # (host_threads.hpp, host_warp.hpp).
  target_compile_options(
    acc_test_${name} PRIVATE -Wno-unknown-pragmas # nvcc's
                             -U_FORTIFY_SOURCE $<$<NOT:$<CONFIG:Debug>>:-O1>)
endfunction()
acc_add_cuda_number_test(cuda_tiles)
acc_add_cuda_number_test(cuda_gemv)
acc_add_cuda_number_test(cuda_residues)
# They give the GPU's instructions functions of their names (host_warp.hpp), which GPU compilers have
# already.
if(NOT "CUDA" IN_LIST Kokkos_DEVICES AND NOT "HIP" IN_LIST Kokkos_DEVICES)
  acc_add_cuda_number_test(cuda_bins)
  acc_add_cuda_number_test(cuda_scan)
  acc_add_cuda_number_test(cuda_segments)
endif()
acc_add_number_test(exact_entry test_exact_entry.cpp)
acc_add_number_test(entry test_entry.cpp)
target_compile_definitions(acc_test_entry PRIVATE ACC_TEST_SPACE=Kokkos::DefaultHostExecutionSpace)
# Ten million random cases a type in place of the normal test's: ctest -C Fuzz -L fuzz
foreach(name IN ITEMS superaccumulator binned)
  add_test(NAME ${name}.fuzz COMMAND acc_test_${name} --gtest_filter=*Fuzz* CONFIGURATIONS Fuzz)
  set_tests_properties(${name}.fuzz PROPERTIES LABELS fuzz TIMEOUT 7200
                                               ENVIRONMENT ACC_TEST_FUZZ_CASES=10000000)
endforeach()

# The error-free transformations must hold under every set of flags a user may have: each variant
# is the same source, read by the same oracle.
acc_add_number_test(eft test_eft.cpp)
function(acc_add_eft_variant variant)
  acc_add_number_test(eft_${variant} test_eft.cpp)
  target_compile_options(acc_test_eft_${variant} PRIVATE ${ARGN})
endfunction()
acc_add_eft_variant(contract_off -O2 -ffp-contract=off)
acc_add_eft_variant(unoptimised -O0)
# One file of a target that has the flag (docs/faq.md). Clang warns that it overrides an option.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT "CUDA" IN_LIST Kokkos_DEVICES)
  acc_add_eft_variant(fast_math_off -O3 -ffast-math -fno-fast-math)
endif()
check_cxx_compiler_flag(-march=native ACC_TEST_MARCH_NATIVE)
if(ACC_TEST_MARCH_NATIVE)
  acc_add_eft_variant(native -O3 -march=native)
  acc_add_eft_variant(native_contract_fast -O3 -march=native -ffp-contract=fast)
endif()

# So must the addition of fixed_point_sum, which a compiler could contract with a product of the caller.
acc_add_number_test(fixed_point_sum_o3 test_fixed_point_sum.cpp)
target_compile_options(acc_test_fixed_point_sum_o3 PRIVATE -O3)
if(ACC_TEST_MARCH_NATIVE)
  acc_add_number_test(fixed_point_sum_native test_fixed_point_sum.cpp)
  target_compile_options(acc_test_fixed_point_sum_native PRIVATE -O3 -march=native -ffp-contract=fast)
endif()

# The error-free transformations by Clang, where the build itself is by another compiler.
find_program(ACC_TEST_CLANG clang++)
if(ACC_TEST_CLANG AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(clang_eft ${CMAKE_CURRENT_BINARY_DIR}/acc_test_eft_clang)
  set(clang_flags -std=c++20 -O3 -ffp-contract=fast -Wall -Wextra)
  if(ACC_TEST_MARCH_NATIVE)
    list(APPEND clang_flags -march=native)
  endif()
  get_target_property(gtest_include GTest::gtest INTERFACE_INCLUDE_DIRECTORIES)
  add_custom_command(
    OUTPUT ${clang_eft}.o
    COMMAND ${ACC_TEST_CLANG} ${clang_flags}
            "-I$<JOIN:$<TARGET_PROPERTY:acc::acc,INTERFACE_INCLUDE_DIRECTORIES>,;-I>"
            "-I$<JOIN:$<TARGET_PROPERTY:Kokkos::kokkoscore,INTERFACE_INCLUDE_DIRECTORIES>,;-I>"
            -c ${CMAKE_CURRENT_SOURCE_DIR}/test_eft.cpp -o ${clang_eft}.o
    DEPENDS test_eft.cpp oracle.hpp generators.hpp oracle/exact.hpp oracle/exact_sums.hpp
            oracle/gendot.hpp oracle/random.hpp
    COMMAND_EXPAND_LISTS VERBATIM)
  add_executable(acc_test_eft_clang ${clang_eft}.o)
  set_target_properties(acc_test_eft_clang PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(acc_test_eft_clang PRIVATE acc_test_support GTest::gtest_main)
  add_test(NAME eft_clang COMMAND acc_test_eft_clang)
  set_tests_properties(eft_clang PROPERTIES LABELS numbers)
endif()

# Within acc's own build the host kernels' objects can be looked at.
if(TARGET acc_host_kernels)
  add_test(NAME host_kernels.symbols
           COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DOBJECTS=$<TARGET_OBJECTS:acc_host_kernels>"
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/host_kernel_symbols.cmake)
  set_tests_properties(host_kernels.symbols PROPERTIES LABELS numbers)
endif()
