# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# acc-bits: what it reports; that no golden line of this bits version has changed; and that every
# execution space, number of threads and instruction set of this machine records the same bits, also of
# cases that no golden file holds. Installed folders have acc-bits for comparing machines.
find_package(Python3 3.6 QUIET COMPONENTS Interpreter)
set(acc_bits ${CMAKE_CURRENT_LIST_DIR}/acc_bits.py)
set(acc_recordings)
if(Python3_FOUND)
  add_test(NAME bits.report COMMAND Python3::Interpreter
                                    ${CMAKE_CURRENT_LIST_DIR}/test_acc_bits.py)
  set_tests_properties(bits.report PROPERTIES LABELS bits)
  if(NOT PROJECT_IS_TOP_LEVEL) # acc's own build: the version stands in its sources
    foreach(test IN ITEMS golden_lines test_golden_lines)
      add_test(NAME bits.${test} COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/${test}.py
                                         ${PROJECT_SOURCE_DIR}/..)
      set_tests_properties(bits.${test} PROPERTIES LABELS bits)
    endforeach()
  endif()
else()
  message(STATUS "acc: no Python 3.6 or newer: acc-bits is not tested")
endif()

# acc_add_recording_test(<name> <program> PROPERTIES <property> <value>...)
function(acc_add_recording_test name program)
  if(NOT Python3_FOUND)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "PROPERTIES")
  set(recording ${CMAKE_CURRENT_BINARY_DIR}/${name}.json)
  add_test(NAME bits.${name} COMMAND Python3::Interpreter ${acc_bits} record --output ${recording}
                                     $<TARGET_FILE:${program}>)
  set_tests_properties(bits.${name} PROPERTIES FIXTURES_SETUP acc_recordings ${arg_PROPERTIES})
  set(acc_recordings ${acc_recordings} ${recording} PARENT_SCOPE)
endfunction()

# After all of these. One recording alone agrees with nothing: then the test is skipped, and says so.
function(acc_add_agreement_test)
  if(acc_recordings)
    add_test(NAME bits.agree COMMAND Python3::Interpreter ${acc_bits} diff --or-skip ${acc_recordings})
    set_tests_properties(bits.agree PROPERTIES LABELS bits FIXTURES_REQUIRED acc_recordings
                                               SKIP_RETURN_CODE 77)
  endif()
endfunction()
