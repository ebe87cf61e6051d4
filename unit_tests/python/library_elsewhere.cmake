# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CMAKE_PROJECT_acc_python_INCLUDE of a test: the Python module needs one more shared library, in the folder
# ACC_TEST_ELSEWHERE, which the dynamic linker does not search. So lies a Kokkos in a prefix of its own.
file(MAKE_DIRECTORY ${ACC_TEST_ELSEWHERE})
file(WRITE ${ACC_TEST_ELSEWHERE}/empty.cpp "")
set(library ${ACC_TEST_ELSEWHERE}/libacc_test_elsewhere.so)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -shared -fPIC -Wl,-soname,libacc_test_elsewhere.so -o ${library}
                        ${ACC_TEST_ELSEWHERE}/empty.cpp COMMAND_ERROR_IS_FATAL ANY)
link_libraries(-Wl,--no-as-needed ${library})
