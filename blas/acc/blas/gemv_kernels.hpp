// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_GEMV_KERNELS_HPP
#define ACC_BLAS_GEMV_KERNELS_HPP

#include <acc/backends/host/kernels/gemv.hpp>
#include <acc/core/gemm_default.hpp>

namespace acc::blas {

/// The kernels of acc::gemv of real numbers by its default method, for this processor. They are
/// chosen once: to ask which instruction set there is takes as long as a few unknowns.
template <class S>
struct gemv_kernels {
  backends::host::gemv_function<S, S> down, along;  ///< columns, rows; null where there is none
  backends::host::gemv_entry_functions<S> entries;

  static const gemv_kernels& of_this_processor() {
    using namespace backends::host;
    using method = impl::gemm_default_t<S>;
    static const gemv_kernels chosen{
        gemv_for_this_processor<method, S, S>(gemv_walk::down_columns, 1),
        gemv_for_this_processor<method, S, S>(gemv_walk::along_rows, 1),
        gemv_entries_for_this_processor<method, S>(1)};
    return chosen;
  }
};

}  // namespace acc::blas

#endif
