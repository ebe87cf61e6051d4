// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GEMM_HPP
#define ACC_BACKENDS_GEMM_HPP

/// \file
/// Matrix products: one team kernel over tiles of C, whose parts each backend supplies. None of
/// them changes a bit: an entry's products enter in ascending k whatever the tile.
///
/// A backend's `tiles` is a value that the launch copies. It knows the problem and has
///  - count, depth, piece: tiles in all, and how deep a product is and a piece of it;
///  - bytes(), use(memory): workspace;
///  - prepare(exec): enqueues what has to be done before;
///  - policy(exec): a TeamPolicy;
///  - in_kernel: the type, a base or its own, of what a kernel needs of it;
///  - tile<Team>: what a team works on: tile(tiles, team), then for each of its tiles begin(index),
///    load(k) and multiply(k) for each piece of depth, and finish().

#include <acc/backends/generic_gemm.hpp>
#include <acc/backends/host_gemm.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#if defined(KOKKOS_ENABLE_CUDA) && defined(KOKKOS_COMPILER_NVCC)
#include <acc/backends/cuda/converted.hpp>
#include <acc/backends/cuda/gemm.hpp>
#endif

namespace acc::backends {

template <class Tiles>
struct gemm_kernel {
  Tiles tiles;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    typename Tiles::template tile<Team> tile(tiles, team);
    for (std::int64_t index = team.league_rank(); index < tiles.count;
         index += team.league_size()) {
      tile.begin(index);
      for (std::int64_t k = 0; k < tiles.depth; k += tiles.piece) {
        tile.load(k);
        tile.multiply(k);
      }
      tile.finish();
    }
  }
};

/// Calls f with the tiles for p on exec.
template <class Exec, class Problem, class F>
auto with_gemm_tiles(const Exec& exec, const Problem& p, const F& f) {
  if constexpr (std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>) {
    return f(host_tiles<Problem>(exec, p));
#if defined(KOKKOS_ENABLE_CUDA) && defined(KOKKOS_COMPILER_NVCC)
  } else if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    const int multiprocessors = exec.cuda_device_prop().multiProcessorCount;
    if constexpr (impl::is_half_scalar<typename Problem::in>)
      return with_converted_tiles<float>(p, multiprocessors, f);
    else
      return with_cuda_tiles(p, multiprocessors, f);
#endif
  } else {
    return f(generic_tiles<Problem>(exec, p));
  }
}

/// Enqueues the product on exec; asynchronous where exec is. workspace(bytes) is called where the
/// tiles need memory.
template <class Exec, class Tiles, class Workspace>
void launch_gemm(const Exec& exec, const char* label, Tiles tiles, const Workspace& workspace) {
  if (tiles.count == 0) return;
  if (tiles.bytes() > 0) tiles.use(workspace(tiles.bytes()));
  tiles.prepare(exec);
  Kokkos::parallel_for(label, tiles.policy(exec), gemm_kernel<typename Tiles::in_kernel>{tiles});
}

}  // namespace acc::backends

#endif
