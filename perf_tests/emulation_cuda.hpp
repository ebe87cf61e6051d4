// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_EMULATION_CUDA_HPP
#define ACC_PERF_TESTS_EMULATION_CUDA_HPP

/// \file
/// cuBLAS's emulation of matrix products on tensor cores: doubles as integers of some bits
/// (CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT), floats as sums of three BF16
/// (CUBLAS_COMPUTE_32F_EMULATED_16BFX9). From cuBLAS 13.1 on, which is in CUDA 13.0 Update 2. Its
/// documentation ("Floating Point Emulation") names compute capabilities 8.x, 9.0 and higher for
/// doubles, 10.0 and 10.3 alone for floats.

#include "blas.hpp"

#include <string>

namespace perf::blas {

/// What cuBLAS made of a call. It may take its own DGEMM or SGEMM instead, and then says success.
struct emulation {
  std::string refusal;  ///< why there was none; empty if the product was emulated
  int bits = 0;         ///< of a double that were kept; 0 for floats
};

/// C = op(A) op(B), emulated wherever that is possible, and what became of it. Of doubles `bits`
/// are kept (cuBLAS rounds them up to whole bytes with the sign); 0: as many as cuBLAS finds that
/// DGEMM's accuracy takes.
template <class T>
emulation try_emulation(const matrix<const T>& a, const matrix<const T>& b, const matrix<T>& c,
                        int bits);
/// The same, asynchronous on the default instance, after a try_emulation that refused nothing.
template <class T>
void emulated_gemm(const matrix<const T>& a, const matrix<const T>& b, const matrix<T>& c,
                   int bits);

}  // namespace perf::blas

#endif
