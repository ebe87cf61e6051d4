# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds hwloc where ACC_ENABLE_HWLOC asks for it: it tells the sizes of caches, after which matrix
# products choose their blocks. Says in ACC_HAS_HWLOC whether there is one.
set(ACC_HAS_HWLOC OFF)
if(ACC_ENABLE_HWLOC)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(HWLOC QUIET IMPORTED_TARGET GLOBAL hwloc>=2.0)
  endif()
  if(TARGET PkgConfig::HWLOC)
    set(ACC_HAS_HWLOC ON)
    message(STATUS "acc: hwloc ${HWLOC_VERSION}")
  elseif(NOT ACC_ENABLE_HWLOC STREQUAL "AUTO")
    message(FATAL_ERROR
      "acc: ACC_ENABLE_HWLOC is ON, but pkg-config finds no hwloc 2.\n"
      "What to do: install it (Debian: libhwloc-dev and pkgconf), name its hwloc.pc's folder in "
      "PKG_CONFIG_PATH, or set the option OFF: blocks are then chosen for 32 KiB and 512 KiB of "
      "cache.")
  else()
    message(STATUS "acc: no hwloc: assuming caches of 32 KiB and 512 KiB")
  endif()
endif()
