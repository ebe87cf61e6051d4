// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_REDUCE_HPP
#define ACC_BACKENDS_CUDA_REDUCE_HPP

/// \file
/// Reductions in canonical order on NVIDIA GPUs: selection and launch. One kernel serves all of
/// them, reduction_tree (sums/tree.hpp), whose warps sum leaves (sums/canonical_leaf.hpp). It is
/// compiled twice:
///
///   leaves                        kernel
///   fewer than warps fit the GPU  reduction_tree<R, true>: the time is that of one leaf, so a
///   thread
///                                 has as much of its leaf in flight as it can
///   more                          reduction_tree<R, false>: enough warps for full bandwidth

#include <acc/backends/cuda/sums/tree.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>

namespace acc::backends::cuda {

template <bool IsSmall, class Exec, class R>
void launch_tree(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  using kernel = reduction_tree<R, IsSmall>;
  const canonical_leaf<R, IsSmall> leaf(r);
  const std::int64_t leaves = leaf.leaves();
  // Each worker's root needs a mailbox.
  const std::int64_t max_workers =
      std::min<std::int64_t>(std::int64_t(kernel::shape.combining_warps_per_sm) *
                                 exec.cuda_device_prop().multiProcessorCount * kernel::siblings,
                             partials_bytes / sizeof(typename kernel::node) * 7 / 8);
  const std::int64_t per_worker =
      std::bit_ceil(std::uint64_t((leaves + max_workers - 1) / max_workers));
  const int workers = int((leaves + per_worker - 1) / per_worker);
  int warps = workers;
  for (int level = workers; level > 1; level = kernel::combiners(level))
    warps += kernel::combiners(level);
  const kernel k{.leaf = leaf,
                 .leaves = leaves,
                 .leaves_per_worker = per_worker,
                 .workers = workers,
                 .warps = warps,
                 .whole_leaves = per_worker == 1 && workers > 1 ? int(leaf.full_leaves()) : 0,
                 .partials = memory.mailboxes()};
  Kokkos::parallel_for(label, typename kernel::template policy<Exec>(exec, 0, warps * warp_size),
                       k);
}

/// Runs r, an impl::reduction, on exec.
template <class Exec, class R>
void reduce(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  const int sms = exec.cuda_device_prop().multiProcessorCount;
  if (r.leaves() <= std::int64_t(tuning::few_leaves_per_sm) * sms) {
    launch_tree<true>(exec, memory, label, r);
  } else {
    launch_tree<false>(exec, memory, label, r);
  }
}

}  // namespace acc::backends::cuda

#endif
