# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Registers tests, of this build and (ACC_INSTALL_TESTS) of an installed folder, PREFIX/libexec/acc/tests:
# programs, golden files and a CTestTestfile.cmake, for nodes that have neither compiler nor sources.
#
#   acc_add_test(<name> COMMAND <word>... [PROPERTIES <property> <value>...] [NOT_INSTALLED])
#
# A word that names a target stands for its program.
include(GNUInstallDirs)
option(ACC_INSTALL_TESTS "Install the unit tests, too" OFF)
set(ACC_TEST_GPUS 1 CACHE STRING "How many GPUs ctest --resource-spec-file gpus.json gives to tests")
# In the cache: acc's own build registers from mpi/, too, which is not below this folder.
set(acc_tests_folder ${CMAKE_INSTALL_LIBEXECDIR}/acc/tests CACHE INTERNAL "")
file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_LIBEXECDIR}/acc/tests
     ${CMAKE_INSTALL_FULL_LIBDIR})
set(acc_tests_to_libraries ${to_libraries} CACHE INTERNAL "")

function(acc_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NOT_INSTALLED" "" "COMMAND;PROPERTIES")
  set(command)
  set(installed_command)
  foreach(word IN LISTS arg_COMMAND)
    if(TARGET "${word}")
      list(APPEND command $<TARGET_FILE:${word}>)
      string(APPEND installed_command " \"\${here}/$<TARGET_FILE_NAME:${word}>\"")
    else()
      list(APPEND command "${word}")
      string(APPEND installed_command " [==[${word}]==]")
    endif()
  endforeach()
  add_test(NAME ${name} COMMAND ${command})
  set(installed_properties)
  if(arg_PROPERTIES)
    set_tests_properties(${name} PROPERTIES ${arg_PROPERTIES})
    foreach(word IN LISTS arg_PROPERTIES)
      string(APPEND installed_properties " [==[${word}]==]")
    endforeach()
  endif()
  if(ACC_INSTALL_TESTS AND NOT arg_NOT_INSTALLED)
    set_property(TARGET acc_test_support APPEND_STRING PROPERTY ACC_INSTALLED_TESTS
      "add_test([==[${name}]==]${installed_command})
set_tests_properties([==[${name}]==] PROPERTIES${installed_properties})\n")
    foreach(word IN LISTS arg_COMMAND)
      if(TARGET "${word}")
        acc_install_test_program(${word})
      endif()
    endforeach()
  endif()
endfunction()

# acc_add_check(<test> <device> <target>): `make check TEST=<test>` builds this target and runs its
# program. cmake/environment/check.sh reads the list.
set(acc_checks ${PROJECT_BINARY_DIR}/checks.txt CACHE INTERNAL "")
file(WRITE ${acc_checks} "")
function(acc_add_check test device target)
  file(APPEND ${acc_checks} "${test} ${device} ${target}\n")
endfunction()

# Once each. It finds libacc wherever PREFIX is moved to, other libraries where they were linked.
function(acc_install_test_program target)
  get_target_property(installed ${target} ACC_INSTALLED)
  if(NOT installed)
    set_target_properties(${target} PROPERTIES
      ACC_INSTALLED ON
      INSTALL_RPATH "$ORIGIN/${acc_tests_to_libraries};${CMAKE_INSTALL_RPATH}"
      INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${target} RUNTIME DESTINATION ${acc_tests_folder} COMPONENT acc_tests)
  endif()
endfunction()

# What ctest may give to tests that ask for "gpus:1": of each GPU one slot.
set(gpus)
math(EXPR last "${ACC_TEST_GPUS} - 1")
foreach(id RANGE ${last})
  list(APPEND gpus "{\"id\": \"${id}\", \"slots\": 1}")
endforeach()
list(JOIN gpus ", " gpus)
file(CONFIGURE OUTPUT gpus.json @ONLY CONTENT
     "{\"version\": {\"major\": 1, \"minor\": 0}, \"local\": [{\"gpus\": [@gpus@]}]}\n")

if(ACC_INSTALL_TESTS)
  # The file that ctest begins with has no CMAKE_CURRENT_LIST_DIR, but its tests run in its folder.
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/installed/CTestTestfile.cmake CONTENT
       "set(here \"\${CMAKE_CURRENT_LIST_DIR}\")
if(NOT here)
  set(here .)
endif()
$<TARGET_GENEX_EVAL:acc_test_support,$<TARGET_PROPERTY:acc_test_support,ACC_INSTALLED_TESTS>>")
  install(DIRECTORY golden DESTINATION ${acc_tests_folder} COMPONENT acc_tests)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/installed/CTestTestfile.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/gpus.json
          DESTINATION ${acc_tests_folder} COMPONENT acc_tests)
  install(PROGRAMS bits/acc_bits.py DESTINATION ${acc_tests_folder} RENAME acc-bits
          COMPONENT acc_tests)
endif()
