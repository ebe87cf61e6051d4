# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DEXPECT=REGEX [-DWRAPPED=ON] -P accExpect.cmake -- COMMAND...
# Succeeds if COMMAND fails and says what EXPECT matches: in a line with "error" in it, or, if
# WRAPPED, anywhere once every run of blanks is made one. An empty EXPECT: if COMMAND succeeds.
cmake_minimum_required(VERSION 3.25)
set(command)
set(seen_dashes OFF)
foreach(i RANGE 1 ${CMAKE_ARGC})
  if(seen_dashes AND i LESS CMAKE_ARGC)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(seen_dashes ON)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
message("${output}")

if(EXPECT STREQUAL "")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "must succeed, but it failed")
  endif()
  return()
endif()
if(status EQUAL 0)
  message(FATAL_ERROR "must fail, but it succeeded")
endif()

string(REPLACE ";" "," output "${output}") # each line is to be one element of a list
if(WRAPPED)
  string(REGEX REPLACE "[ \t\r\n]+" " " lines "${output}")
else()
  string(REGEX MATCHALL "[^\n]*[Ee]rror[^\n]*" lines "${output}")
endif()
foreach(line IN LISTS lines)
  if(line MATCHES "${EXPECT}")
    return()
  endif()
endforeach()
message(FATAL_ERROR "it failed for another reason: no error says \"${EXPECT}\"")
