# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(acc CONFIG) reads lib/cmake/acc/accConfig.cmake and accConfigVersion.cmake; with
# COMPONENTS mpi, accMPITargets.cmake too: who does not ask for it needs no MPI.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/acc)
install(TARGETS acc EXPORT accTargets FILE_SET HEADERS)
if(ACC_ENABLE_BLAS)
  install(TARGETS acc_blas acc_fortran EXPORT accTargets FILE_SET HEADERS)
  if(TARGET acc_standard_blas)
    install(TARGETS acc_standard_blas EXPORT accTargets)
  endif()
endif()
install(EXPORT accTargets NAMESPACE acc:: DESTINATION ${_package_dir})
if(ACC_HAS_MPI)
  install(TARGETS acc_mpi EXPORT accMPITargets FILE_SET HEADERS)
  if(ACC_ENABLE_BLAS)
    install(TARGETS acc_c_mpi acc_fortran_mpi EXPORT accMPITargets FILE_SET HEADERS)
  endif()
  install(EXPORT accMPITargets NAMESPACE acc:: DESTINATION ${_package_dir})
endif()

# Shared libraries find each other where they lie, and Kokkos where it was: a program that is linked to
# acc::blas, or preloads acc::standard_blas, need not know what these need.
foreach(library IN ITEMS acc acc_blas acc_standard_blas acc_c_mpi)
  if(TARGET ${library})
    set_property(TARGET ${library} APPEND PROPERTY INSTALL_RPATH $<IF:$<PLATFORM_ID:Darwin>,@loader_path,$ORIGIN>)
    if(NOT DEFINED CMAKE_INSTALL_RPATH_USE_LINK_PATH)
      set_property(TARGET ${library} PROPERTY INSTALL_RPATH_USE_LINK_PATH ON)
    endif()
  endif()
endforeach()

configure_package_config_file(cmake/accConfig.cmake.in accConfig.cmake
                              INSTALL_DESTINATION ${_package_dir})
# Before 1.0 a minor version may change the interface and the bits.
write_basic_package_version_file(accConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/accConfig.cmake ${PROJECT_BINARY_DIR}/accConfigVersion.cmake
              cmake/accCompiler.cmake cmake/accFloatingPoint.cmake
        DESTINATION ${_package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
