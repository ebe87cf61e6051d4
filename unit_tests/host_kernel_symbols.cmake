# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DNM=... "-DOBJECTS=a.o;b.o" -P: the host kernels are compiled for processors that a program
# may not run on, so nothing in their objects may be linked in place of another file's copy of an
# inline function: every weak symbol must lie in a namespace named after the instruction set.
foreach(object IN LISTS OBJECTS)
  get_filename_component(name ${object} NAME)
  if(NOT name MATCHES "^(tile_)?kernels_([a-z0-9]+)\\.cpp")
    continue()
  endif()
  set(isa ${CMAKE_MATCH_2})
  execute_process(COMMAND ${NM} -C ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," symbols "${symbols}")
  string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" weak "${symbols}")
  list(LENGTH weak count)
  list(FILTER weak EXCLUDE REGEX "acc::backends::host::${isa}::")
  if(weak)
    list(JOIN weak "\n  " listing)
    message(FATAL_ERROR "${name}: weak symbols outside of namespace ${isa}:\n  ${listing}")
  endif()
  if(count EQUAL 0)
    message(FATAL_ERROR "${name}: no weak symbols at all; is ${NM} reading the right file?")
  endif()
  message(STATUS "${name}: ${count} weak symbols, all in namespace ${isa}")
endforeach()
