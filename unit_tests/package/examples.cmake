# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The examples: built all at once against the installed acc, each program then a test. It fails if
# what the example claims does not hold.
include(${PROJECT_SOURCE_DIR}/unit_tests/mpi/environment.cmake)
set(examples ${CMAKE_CURRENT_BINARY_DIR}/examples)
set(has_fortran OFF)
if(ACC_HAS_MPI AND ACC_ENABLE_BLAS)
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    find_package(MPI QUIET COMPONENTS Fortran)
    if(MPI_Fortran_HAVE_F90_MODULE)
      set(has_fortran ON)
    endif()
  endif()
endif()
acc_add_consumer_test(examples ${PROJECT_SOURCE_DIR}/examples consumer/consumer -Dacc_ROOT=${prefix}
                      -DACC_EXAMPLES_MPI=${ACC_HAS_MPI} -DACC_EXAMPLES_FORTRAN=${has_fortran})
set_tests_properties(package.examples PROPERTIES FIXTURES_REQUIRED installed_acc
                                                 FIXTURES_SETUP built_examples)

function(acc_add_example_test name)
  add_test(NAME package.${name} COMMAND ${ARGN})
  set_tests_properties(package.${name} PROPERTIES LABELS package FIXTURES_REQUIRED built_examples
                                                  TIMEOUT 600)
endfunction()
foreach(program IN ITEMS conjugate_gradients/cg_threads deposit/deposit monte_carlo/monte_carlo
                         neighbors/neighbors random_walk/random_walk
                         refinement/refinement shallow_water/shallow_water
                         sparse_solvers/sparse_solvers)
  cmake_path(GET program FILENAME name)
  acc_add_example_test(${name} ${examples}/${program})
  # They run with up to 8 threads, which must not spin where there are fewer cores.
  set_tests_properties(package.${name} PROPERTIES ENVIRONMENT "OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive")
endforeach()
if(ACC_HAS_MPI)
  set(programs all_reduce/all_reduce conjugate_gradients/cg_ranks particles/particles
               sparse_solvers/sparse_ranks)
  if(has_fortran)
    list(APPEND programs global_mean/global_mean)
  endif()
  foreach(program IN LISTS programs)
    cmake_path(GET program FILENAME name)
    # Each compares communicators of 1, 2, 3 and 4 ranks.
    acc_add_example_test(${name} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 4 ${MPIEXEC_PREFLAGS}
                         ${examples}/${program} ${MPIEXEC_POSTFLAGS})
    set_tests_properties(package.${name} PROPERTIES PROCESSORS 4 ENVIRONMENT "${acc_mpi_environment}")
  endforeach()
endif()

# Whole programs' bits, compared by acc-bits.
find_package(Python3 3.6 QUIET COMPONENTS Interpreter)
if(Python3_FOUND)
  set(ranks)
  if(ACC_HAS_MPI)
    set(ranks ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG})
  endif()
  acc_add_example_test(whole_programs sh ${CMAKE_CURRENT_SOURCE_DIR}/whole_programs.sh
                       ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/unit_tests/bits/acc_bits.py
                       ${examples}/sparse_solvers
                       ${CMAKE_CURRENT_BINARY_DIR}/whole_programs ${ranks})
  set_tests_properties(package.whole_programs PROPERTIES PROCESSORS 4 ENVIRONMENT "${acc_mpi_environment}")
endif()

# In acc's own build, where that has a Kokkos of the other version: Kokkos 5.0, Serial alone.
if(ACC_ENABLE_EXAMPLES AND ACC_ENABLE_KOKKOS_KERNELS)
  foreach(name IN ITEMS cg_threads consumer deposit monte_carlo neighbors random_walk refinement
                        shallow_water sparse_solvers)
    add_test(NAME examples.${name} COMMAND ${name})
    set_tests_properties(examples.${name} PROPERTIES LABELS kokkos-kernels)
  endforeach()
endif()

# Brought along, by add_subdirectory and by FetchContent. The second has nothing to compile where the
# first has been: acc is the same.
set(bring_along ${CMAKE_CURRENT_SOURCE_DIR}/subdirectory bring_along/bring_along
                -DKokkos_DIR=${Kokkos_DIR} -DACC_ENABLE_AVX=OFF)
acc_add_consumer_test(subdirectory ${bring_along} -DACC_SOURCE=${PROJECT_SOURCE_DIR})
acc_add_consumer_test(fetch_content ${bring_along} -DACC_SOURCE=
                      -DFETCHCONTENT_SOURCE_DIR_ACC=${PROJECT_SOURCE_DIR} IN subdirectory)
set_tests_properties(package.subdirectory package.fetch_content
                     PROPERTIES RESOURCE_LOCK bring_along TIMEOUT 3000)
set_tests_properties(package.fetch_content PROPERTIES DEPENDS package.subdirectory)
