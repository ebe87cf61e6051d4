# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cpack -G DEB` in a build makes packages for Debian and its kin, out of what the build installs: libacc-dev (library,
# headers, CMake files) and, with the command line tool, acc. Who publishes them gives CPACK_PACKAGE_CONTACT.

# The Debian package that a file belongs to; "" if to none.
function(_acc_debian_package result file)
  set(${result} "" PARENT_SCOPE)
  find_program(ACC_DPKG_QUERY dpkg-query)
  mark_as_advanced(ACC_DPKG_QUERY)
  if(ACC_DPKG_QUERY AND EXISTS "${file}")
    execute_process(COMMAND ${ACC_DPKG_QUERY} --search ${file} OUTPUT_VARIABLE found ERROR_QUIET)
    if(found MATCHES "^([^:, ]+)[:,]")
      set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
    endif()
  endif()
endfunction()

# A program that uses acc needs the Kokkos that acc was built with, and a static acc hwloc, which pkg-config finds. A
# Kokkos that no package has cannot be named.
set(_depends)
_acc_debian_package(_package ${Kokkos_DIR}/KokkosConfig.cmake)
list(APPEND _depends ${_package})
if(ACC_HAS_HWLOC AND NOT BUILD_SHARED_LIBS)
  list(APPEND _depends libhwloc-dev pkgconf)
endif()
set(_suggests)
foreach(_folder IN LISTS MPI_CXX_INCLUDE_DIRS)
  _acc_debian_package(_package ${_folder}/mpi.h)
  list(APPEND _suggests ${_package})
endforeach()
list(REMOVE_DUPLICATES _suggests)
list(JOIN _depends ", " CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS)
list(JOIN _suggests ", " CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
if(TARGET acc_tool)
  list(APPEND CPACK_COMPONENTS_ALL acc_tool)
endif()
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME libacc-dev)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_ACC_TOOL_PACKAGE_NAME acc)
set(CPACK_DEBIAN_ACC_TOOL_PACKAGE_SECTION science)
if(BUILD_SHARED_LIBS)
  set(CPACK_DEBIAN_ACC_TOOL_PACKAGE_DEPENDS "libacc-dev (= ${PROJECT_VERSION})")
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # needs dpkg-dev and file
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
