// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SCAN_HPP
#define ACC_BACKENDS_CUDA_SCAN_HPP

/// \file
/// Prefix sums on NVIDIA GPUs: those of generic, by teams (compensated) or by chunks (exact).

#include <acc/backends/generic/scan.hpp>

namespace acc::backends::cuda {

using generic::scan;

}  // namespace acc::backends::cuda

#endif
