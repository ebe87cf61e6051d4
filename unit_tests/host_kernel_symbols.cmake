# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DNM=... "-DOBJECTS=a.o;b.o" -P: the host kernels are compiled for processors that a program
# may not run on, so the linker must take nothing of their objects in place of another file's copy of
# an inline function: every weak symbol must be in a namespace named after the instruction set.
set(checked 0)
foreach(object IN LISTS OBJECTS)
  get_filename_component(name ${object} NAME)
  if(NOT name MATCHES "^(sum|gemm|small_gemm|gemv|element|substitution|symv|exponent|residue)_kernels_([a-z0-9]+)\\.cpp")
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
  if(NOT symbols MATCHES "acc::backends::host::") # there may be no weak ones: all were inlined
    message(FATAL_ERROR "${name}: no symbols of a kernel; is ${NM} reading the right file?")
  endif()
  message(STATUS "${name}: ${count} weak symbols, all in namespace ${isa}")
  math(EXPR checked "${checked} + 1")
endforeach()
if(checked LESS 9)
  message(FATAL_ERROR "no kernels of sums, of matrix products, of small ones, of matrix times vector, of elements, of triangular equations, of symmetric matrices, of exponents and of residues among ${OBJECTS}")
endif()
