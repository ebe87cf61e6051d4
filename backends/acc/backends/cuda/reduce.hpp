// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_REDUCE_HPP
#define ACC_BACKENDS_CUDA_REDUCE_HPP

/// \file
/// Reductions on NVIDIA GPUs: which kernel serves which.

#include <acc/backends/cuda/sums/canonical_leaf.hpp>
#include <acc/backends/cuda/order_free.hpp>
#include <acc/backends/cuda/sums/tree.hpp>

namespace acc::backends::cuda {

/// Runs r on exec.
template <class Exec, class R>
void reduce(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  if (is_small(exec, r.leaves())) {
    launch_cuda_tree(exec, memory, label, canonical_leaf<R, true>(r));
  } else {
    launch_cuda_tree(exec, memory, label, canonical_leaf<R, false>(r));
  }
}

}  // namespace acc::backends::cuda

#endif
