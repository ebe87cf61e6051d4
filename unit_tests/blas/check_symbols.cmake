# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DNM=... -DLIBRARY=... -DTYPE=SHARED_LIBRARY|STATIC_LIBRARY -DLIST=... -P: the functions that
# the library offers to C and Fortran are those of LIST, no more and no fewer. docs/releases.md
# promises that none goes as long as the name of the shared library stays.
set(options -g --defined-only)
if(TYPE STREQUAL "SHARED_LIBRARY")
  list(APPEND options -D)
endif()
execute_process(COMMAND ${NM} ${options} ${LIBRARY} OUTPUT_VARIABLE symbols ERROR_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
# C++'s names and the compiler's own begin with an underscore.
string(REGEX MATCHALL " [TWVDBR] [a-z][A-Za-z0-9_]*(\n|@)" lines "${symbols}")
set(found)
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^ . ([A-Za-z0-9_]+).*" "\\1" name "${line}")
  list(APPEND found ${name})
endforeach()
list(REMOVE_DUPLICATES found)
file(STRINGS ${LIST} promised REGEX "^[a-z]")
if(NOT promised)
  message(FATAL_ERROR "${LIST} lists no functions")
endif()

set(gone ${promised})
list(REMOVE_ITEM gone ${found})
set(new ${found})
list(REMOVE_ITEM new ${promised})
list(JOIN gone "\n  " gone_lines)
list(JOIN new "\n  " new_lines)
if(gone)
  message(SEND_ERROR "${LIBRARY} lacks functions that ${LIST} promises:\n  ${gone_lines}\n"
                     "What to do: bring them back. Only a release with another soname may drop one.")
endif()
if(new)
  message(SEND_ERROR "${LIBRARY} has functions that ${LIST} does not promise:\n  ${new_lines}\n"
                     "What to do: add those that a header declares to the list; make the others static.")
endif()
list(LENGTH found count)
message(STATUS "${LIBRARY}: ${count} functions, as promised")
