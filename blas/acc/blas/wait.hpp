// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_WAIT_HPP
#define ACC_BLAS_WAIT_HPP

/// \file
/// The end of a call: a BLAS is synchronous.

#include <acc/backends/dispatch.hpp>

namespace acc::blas {

/// Waits for what a call has launched on exec. Where kernels have run when their launches return,
/// nothing is to be waited for, and a fence takes longer than a small product.
template <class Exec>
void wait_for([[maybe_unused]] const Exec& exec) {
  if constexpr (!backends::runs_at_once<Exec>) exec.fence("acc::blas: a BLAS is synchronous");
}

}  // namespace acc::blas

#endif
