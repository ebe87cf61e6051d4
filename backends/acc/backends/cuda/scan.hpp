// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SCAN_HPP
#define ACC_BACKENDS_CUDA_SCAN_HPP

/// \file
/// Prefix sums on NVIDIA GPUs: selection and launch. One kernel, look_back_scan
/// (sums/look_back.hpp), reads each element once and writes each prefix.
///
///   method       numbers                      kernels
///   compensated  all                          look_back_scan
///   exact        all of them span 128 bits    span_of_elements, then look_back_scan with integers
///   exact        others                       then generic's by chunks, which else end at once

#include <acc/backends/cuda/sums/look_back.hpp>
#include <acc/backends/generic/scan.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order/prefix_sum.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// Whether the look-back has left a call to others.
struct is_left_over {
  const look_back_state* state;
  KOKKOS_FUNCTION bool operator()() const { return state->is_done == 0; }
};

/// What a look-back over s has in memory: the state, then prefixes, then totals of all levels.
template <class S>
std::size_t look_back_bytes(const S& s) {
  const std::size_t tiles = look_back_scan<S>::tiles(s);
  return aligned_size(sizeof(look_back_state)) +
         (tiles / 1024 + 1 + tiles + tiles / 16 + 1) * sizeof(published_node<typename S::node>);
}

template <class Exec, class S>
void launch_look_back(const Exec& exec, const char* label, const S& s, std::byte* memory) {
  using kernel = look_back_scan<S>;
  auto* const state = reinterpret_cast<look_back_state*>(memory);
  auto* const prefixes = reinterpret_cast<published_node<typename S::node>*>(
      memory + aligned_size(sizeof(look_back_state)));
  const auto tiles = int(kernel::tiles(s));
  Kokkos::parallel_for(
      label,
      typename kernel::template policy<Exec>(exec, tiles, kernel::threads)
          .set_scratch_size(0, Kokkos::PerTeam(int(sizeof(typename kernel::team_memory)) + 16)),
      kernel{s, state, prefixes, prefixes + tiles / 1024 + 1});
}

/// Enqueues a scan of at least one element on exec.
template <class Exec, class S>
void scan(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  using element = typename S::element;
  if constexpr (!S::is_order_free) {
    launch_look_back(exec, label, s, memory.scan_memory(label, look_back_bytes(s)));
  } else {
    const impl::windowed_scan<element, S::components> by_window{s, {}};
    std::byte* const bytes = memory.scan_memory(label, look_back_bytes(by_window));
    auto* const state = reinterpret_cast<look_back_state*>(bytes);
    using spans = span_of_elements<S>;
    const std::int64_t batch = spans::threads * spans::loads;
    const int most_teams = 8 * exec.cuda_device_prop().multiProcessorCount;
    const int teams = int(
        std::clamp<std::int64_t>((s.size() * S::components + batch - 1) / batch, 1, most_teams));
    Kokkos::parallel_for(label, typename spans::template policy<Exec>(exec, teams, spans::threads),
                         spans{s, state});
    launch_look_back(exec, label, by_window, bytes);
    using node = typename S::node;
    generic::launch_scan_by_chunks(exec, label, s, nodes_bytes / sizeof(node), 256,
                                   reinterpret_cast<node*>(memory.nodes()), is_left_over{state});
  }
}

}  // namespace acc::backends::cuda

#endif
