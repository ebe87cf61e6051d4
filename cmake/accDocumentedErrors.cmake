# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The examples of docs/errors.md, for tests: what the document shows is what is tried, and what must
# be said. An example begins with a line
#
#   <!-- KIND: NAME [COMPILER FLAGS] -->      KIND: configure, compile or run
#
# and is a block of C++ (none where KIND is configure) and one of text.
set(_acc_errors_file ${CMAKE_CURRENT_LIST_DIR}/../docs/errors.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_acc_errors_file})
file(READ ${_acc_errors_file} _acc_errors)

# Names of the examples of a kind.
function(acc_documented_errors kind out)
  string(REGEX MATCHALL "\n<!-- ${kind}: [a-z0-9_]+" names "${_acc_errors}")
  list(TRANSFORM names REPLACE ".* " "")
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# What stands in `text` between `begin` and `end`, or the rest of it.
function(_acc_between text begin end out)
  string(FIND "${text}" "${begin}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "acc: docs/errors.md has no \"${begin}\" where a test wants it")
  endif()
  string(LENGTH "${begin}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${text}" ${at} -1 text)
  string(FIND "${text}" "${end}" at)
  string(SUBSTRING "${text}" 0 ${at} text)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# The message of an example as a regular expression: "..." matches anything, a line's end a blank.
function(acc_documented_message name out)
  _acc_between("${_acc_errors}" ": ${name} " "\n<!-- " example)
  _acc_between("${example}" "```text\n" "\n```" message)
  string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" message "${message}")
  string(REPLACE "\\.\\.\\." ".*" message "${message}")
  string(REPLACE "\n" " " message "${message}")
  set(${out} "${message}" PARENT_SCOPE)
  set_property(GLOBAL APPEND PROPERTY ACC_TESTED_ERRORS ${name})
endfunction()

# Its C++, and the flags it is compiled with.
function(acc_documented_code name code_out flags_out)
  _acc_between("${_acc_errors}" ": ${name} " "-->" flags)
  _acc_between("${_acc_errors}" ": ${name} " "\n<!-- " example)
  _acc_between("${example}" "```cpp\n" "\n```" code)
  string(STRIP "${flags}" flags)
  set(${code_out} "${code}" PARENT_SCOPE)
  set(${flags_out} ${flags} PARENT_SCOPE)
endfunction()

# Every example of the document has a test by now.
function(acc_all_documented_errors_have_tests)
  get_property(tested GLOBAL PROPERTY ACC_TESTED_ERRORS)
  foreach(kind IN ITEMS configure compile run)
    acc_documented_errors(${kind} names)
    foreach(name IN LISTS names)
      if(NOT name IN_LIST tested)
        message(FATAL_ERROR "acc: no test tries \"${name}\" of docs/errors.md")
      endif()
    endforeach()
  endforeach()
endfunction()
