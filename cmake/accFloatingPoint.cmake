# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Refuses flags that let a compiler reorder, drop or flush floating-point operations. An
# error-free transformation is compiled to the constant 0 under them, silently, and the law "the
# same bits everywhere" is gone. <acc/core/config.hpp> refuses what a macro betrays; this file
# also catches the flags that define none (nvcc's --ftz, Clang's -funsafe-math-optimizations, hipcc's
# -fno-hip-fp32-correctly-rounded-divide-sqrt).
# Contraction (-ffp-contract, --fmad) is left to the user: core/acc/core/eft.hpp is safe under it.
cmake_minimum_required(VERSION 3.25) # the tests also run this file as a script

set(_acc_fast_math
    -Ofast -ffast-math -funsafe-math-optimizations -fassociative-math -ffinite-math-only
    -freciprocal-math -fno-signed-zeros -mfpmath=387 -mdaz-ftz -fdenormal-fp-math=preserve-sign
    -fdenormal-fp-math=positive-zero -ffp-model=fast -ffp-model=aggressive -fp-model=fast
    --use_fast_math -use_fast_math --ftz=true -ftz=true --ftz=1 -ftz=1 /fp:fast
    -fgpu-flush-denormals-to-zero -fcuda-flush-denormals-to-zero
    -fno-hip-fp32-correctly-rounded-divide-sqrt)

# Fails when `flags` (a command line or a list), which `origin` holds, has one of these in it.
function(acc_refuse_fast_math origin flags)
  # -Xcompiler=-ffast-math, -Xcompiler "-O3,-Ofast", $<...:-ffast-math> and -fp-model fast as well
  string(REGEX REPLACE "(-model|-ftz|-fpmath) +" "\\1=" flags "${flags}")
  string(REGEX REPLACE "([=,:])([-/])" ";\\2" flags "${flags}")
  string(REGEX REPLACE "[][ \t\n,;'\"<>]+" ";" flags "${flags}")
  foreach(flag IN LISTS flags)
    if(flag IN_LIST _acc_fast_math)
      message(FATAL_ERROR
        "acc: ${origin} holds ${flag}, under which error-free transformations are optimised away "
        "and results differ between machines.\n"
        "What to do: remove ${flag}. To use it in other parts of your program, set it on those "
        "targets alone with target_compile_options().")
    endif()
  endforeach()
endfunction()

foreach(_variable IN ITEMS CMAKE_CXX_FLAGS CMAKE_CUDA_FLAGS CMAKE_HIP_FLAGS
                           CMAKE_EXE_LINKER_FLAGS CMAKE_SHARED_LINKER_FLAGS)
  acc_refuse_fast_math(${_variable} "${${_variable}}")
  foreach(_config IN ITEMS ${CMAKE_BUILD_TYPE} ${CMAKE_CONFIGURATION_TYPES})
    string(TOUPPER ${_config} _config)
    acc_refuse_fast_math(${_variable}_${_config} "${${_variable}_${_config}}")
  endforeach()
endforeach()
get_directory_property(_options COMPILE_OPTIONS)
acc_refuse_fast_math("add_compile_options()" "${_options}")

if(CMAKE_CXX_COMPILER_ID STREQUAL "IntelLLVM" AND NOT CMAKE_CXX_FLAGS MATCHES "fp-model[= ]*(precise|strict)")
  message(FATAL_ERROR "acc: the Intel compiler reorders floating-point operations by default.\n"
                      "What to do: add -ffp-model=precise to CMAKE_CXX_FLAGS.")
endif()
