// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SEGMENTS_HPP
#define ACC_BACKENDS_CUDA_SEGMENTS_HPP

/// \file
/// Segmented sums on NVIDIA GPUs: those of generic, with a team per tile of the vector.

#include <acc/backends/generic/segments.hpp>

namespace acc::backends::cuda {

using generic::segments;

}  // namespace acc::backends::cuda

#endif
