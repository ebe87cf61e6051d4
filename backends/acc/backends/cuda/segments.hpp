// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SEGMENTS_HPP
#define ACC_BACKENDS_CUDA_SEGMENTS_HPP

/// \file
/// Segmented sums on NVIDIA GPUs: selection and launch. One kernel serves all segments
/// (sums/segment_warps.hpp). Where most are short, one goes before it that sums those alone, a
/// thread each: it needs less registers and scratch memory, so more of its threads fit the GPU.

#include <acc/backends/cuda/sums/segment_warps.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/generic/segments.hpp>
#include <acc/backends/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>

namespace acc::backends::cuda {

/// The kernel of s: at most max_tiles tiles, about as many warps of segments as `warps`.
template <class Ops = cuda_ops, class S, class Exec>
segment_warps<S, Ops> segment_warps_of(workspace<Exec>& memory, const S& s, bool has_short_ones,
                                       std::int64_t max_tiles, std::int64_t warps) {
  using node = typename segment_warps<S, Ops>::node;
  const std::int64_t leaves = (s.size() + S::leaf - 1) / S::leaf;
  const std::int64_t size =
      S::leaf * std::int64_t(std::bit_ceil(std::uint64_t((leaves + max_tiles - 1) / max_tiles)));
  const std::int64_t tiles = (s.size() + size - 1) / size;
  const int in_warp =
      int(std::bit_ceil(std::uint64_t(std::clamp<std::int64_t>(s.count / warps, 1, warp_size))));
  auto* const nodes = reinterpret_cast<node*>(memory.nodes());
  return {.tiles = {s, size, tiles, nodes, nodes + tiles},
          .arrived = memory.arrivals(),
          .in_warp = in_warp,
          .groups = (s.count + in_warp - 1) / in_warp,
          .has_short_ones = has_short_ones};
}

/// Enqueues the segmented sum on exec.
template <class Exec, class S>
void segments(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  using kernel = segment_warps<S>;
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  constexpr std::int64_t max_tiles = std::min<std::int64_t>(
      nodes_bytes / (2 * sizeof(typename kernel::node)), arrival_words / kernel::counters_of_tile);
  if (s.count == 0) return;
  const bool most_are_short = s.size() / s.count <= S::stripe;
  if (most_are_short) {
    Kokkos::parallel_for(label, range(exec, 0, s.count), generic::short_segments<S>{s});
    if (s.size() <= S::stripe) return;  // all are short
  }
  const std::int64_t sms = exec.cuda_device_prop().multiProcessorCount;
  const kernel k = segment_warps_of(memory, s, !most_are_short,
                                    std::min(max_tiles, tuning::segment_tiles_per_sm * sms),
                                    most_are_short ? 1 : tuning::warps_of_segments_per_sm * sms);
  Kokkos::parallel_for(
      label,
      typename kernel::template policy<Exec>(exec, 0, (k.tiles.count + k.groups) * warp_size), k);
}

}  // namespace acc::backends::cuda

#endif
