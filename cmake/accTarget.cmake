# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Warnings for our own targets, never for their users.
function(acc_target_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang,IntelLLVM>:-Wall;-Wextra>)
  # Where a kernel calls a function of the host, nvcc warns and leaves out what follows.
  if(CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper$")
    target_compile_options(${target} PRIVATE
      --Werror=cross-execution-space-call "SHELL:-Xcudafe --diag_error=20013"
      "SHELL:-Xcudafe --diag_error=20015")
  endif()
endfunction()

# More of them for what users compile, who may have asked for any of these. Not through nvcc, whose
# own output warns.
function(acc_target_strict_warnings target)
  acc_target_warnings(${target})
  if(NOT CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper$")
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang,IntelLLVM>:-Wconversion;-Wshadow;-Wpedantic>)
  endif()
endfunction()

# What every build of the library needs, whichever sources backends/CMakeLists.txt gave it.
# The FILE_SET's bases are core/, algorithms/ and backends/ themselves, so that <acc/sum.hpp> and
# <acc/core/eft.hpp> are found alike in the build tree and in the install tree.
function(acc_finish_library target)
  add_library(acc::${target} ALIAS ${target})
  target_link_libraries(${target} PUBLIC Kokkos::kokkos)
  target_compile_features(${target} PUBLIC cxx_std_20)
  acc_target_warnings(${target})
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON # a static acc may end up in a user's shared library
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

  set(bases ${PROJECT_SOURCE_DIR}/core ${PROJECT_SOURCE_DIR}/algorithms
            ${PROJECT_SOURCE_DIR}/backends)
  list(TRANSFORM bases APPEND /acc/*.hpp OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${patterns})
  list(FILTER headers EXCLUDE REGEX "/algorithms/acc/mpi[./]") # acc::mpi has these
  get_target_property(private ${target} ACC_PRIVATE_HEADERS) # what only the library's sources read
  if(private)
    list(REMOVE_ITEM headers ${private})
  endif()
  target_sources(${target} PUBLIC
    FILE_SET HEADERS
    BASE_DIRS ${bases} ${PROJECT_BINARY_DIR}/include
    FILES ${headers} ${PROJECT_BINARY_DIR}/include/acc/core/config.hpp)
endfunction()

# acc::mpi, beside the library: the headers that include MPI's.
function(acc_add_mpi_library target library)
  add_library(${target} INTERFACE)
  add_library(acc::mpi ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME mpi)
  target_link_libraries(${target} INTERFACE acc::${library} MPI::MPI_CXX)
  set(base ${PROJECT_SOURCE_DIR}/algorithms)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${base}/acc/mpi/*.hpp)
  target_sources(${target} INTERFACE FILE_SET HEADERS BASE_DIRS ${base}
                                     FILES ${base}/acc/mpi.hpp ${headers})
endfunction()
