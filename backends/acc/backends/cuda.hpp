// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_HPP
#define ACC_BACKENDS_CUDA_HPP

/// \file
/// Reductions on NVIDIA GPUs: which kernel serves which.

#include <acc/backends/cuda/canonical_leaf.hpp>
#include <acc/backends/cuda/order_free.hpp>
#include <acc/backends/cuda/tree.hpp>

namespace acc::backends {

/// Runs r on exec.
template <class R>
void launch_on_cuda(const Kokkos::Cuda& exec, workspace<Kokkos::Cuda>& memory, const char* label,
                    const R& r) {
  if (is_small(exec, r.leaves())) {
    launch_cuda_tree(exec, memory, label, canonical_leaf<R, true>(r));
  } else {
    launch_cuda_tree(exec, memory, label, canonical_leaf<R, false>(r));
  }
}

}  // namespace acc::backends

#endif
