# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DEXPECTED=FILE -P compare_output.cmake -- COMMAND...
# Succeeds if COMMAND succeeds and prints to standard output what FILE holds, to the last character.
cmake_minimum_required(VERSION 3.25)
set(command)
set(seen_dashes OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE 1 ${last})
  if(seen_dashes)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(seen_dashes ON)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output
                ERROR_VARIABLE errors)
file(READ ${EXPECTED} expected)
if(NOT status EQUAL 0)
  message("${output}${errors}")
  message(FATAL_ERROR "the program must succeed, but ended with ${status}")
endif()
if(NOT output STREQUAL expected)
  message("The page shows\n${expected}The program prints\n${output}")
  message(FATAL_ERROR "the program must print what the page shows")
endif()
