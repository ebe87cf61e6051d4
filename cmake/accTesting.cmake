# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of what must not compile and what must not configure.
#
#   list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/../cmake)
#   include(accTesting)
#   acc_add_compile_fail_test(NAME sum_of_rank_2 SOURCE rank.cpp DEFINITIONS RANK=2
#                             EXPECT "acc::sum: x must be a rank-1 View")
#   acc_add_compile_pass_test(NAME sum_of_rank_1 SOURCE rank.cpp DEFINITIONS RANK=1)
#
# A compile-fail test passes only if the compiler fails and one of its lines that say "error" also
# matches EXPECT (a regular expression; escape parentheses and the like): a typo in SOURCE cannot
# make it pass. The pass test is its control: the same file, rightly used, does compile. The
# sources are built by ctest, with the flags of every other target, and link acc::acc.
set(_acc_testing_dir ${CMAKE_CURRENT_LIST_DIR})

function(acc_add_compile_fail_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SOURCE;EXPECT" "DEFINITIONS")
  if(NOT arg_NAME OR NOT arg_SOURCE OR NOT arg_EXPECT OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "acc_add_compile_fail_test: needs NAME, SOURCE and EXPECT, no more")
  endif()
  _acc_add_compile_test(${arg_NAME} ${arg_SOURCE} "${arg_EXPECT}" "${arg_DEFINITIONS}")
endfunction()

function(acc_add_compile_pass_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SOURCE" "DEFINITIONS")
  if(NOT arg_NAME OR NOT arg_SOURCE OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "acc_add_compile_pass_test: needs NAME and SOURCE, no more")
  endif()
  _acc_add_compile_test(${arg_NAME} ${arg_SOURCE} "" "${arg_DEFINITIONS}")
endfunction()

function(_acc_add_compile_test name source expect definitions)
  set(target compile_${name})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${target} PRIVATE acc::acc)
  target_compile_definitions(${target} PRIVATE ${definitions})
  add_test(NAME compile.${name}
           COMMAND ${CMAKE_COMMAND} "-DEXPECT=${expect}" -P ${_acc_testing_dir}/accExpect.cmake --
                   ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --config $<CONFIG> --target
                   ${target})
  # One build at a time in one build directory.
  set_tests_properties(compile.${name} PROPERTIES LABELS compile RESOURCE_LOCK build_directory)
endfunction()

# acc_add_configure_fail_test(NAME name EXPECT regex COMMAND command...): passes if the command,
# mostly a run of CMake, fails and its output (blanks made one, for CMake wraps lines) matches.
# acc_add_run_fail_test: the same of a program.
function(acc_add_configure_fail_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;EXPECT" "COMMAND")
  _acc_add_fail_test(configure.${arg_NAME} package)
endfunction()
function(acc_add_run_fail_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;EXPECT" "COMMAND")
  _acc_add_fail_test(run.${arg_NAME} run)
endfunction()

# The test of the caller's arg_EXPECT and arg_COMMAND, whose semicolons an argument would lose.
function(_acc_add_fail_test name label)
  add_test(NAME ${name}
           COMMAND ${CMAKE_COMMAND} "-DEXPECT=${arg_EXPECT}" -DWRAPPED=ON
                   -P ${_acc_testing_dir}/accExpect.cmake -- ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS ${label})
endfunction()
