// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GEMM_KERNEL_HPP
#define ACC_BACKENDS_GEMM_KERNEL_HPP

/// \file
/// GEMM: one team kernel over tiles of C, whose parts each machine supplies. None of them changes a
/// bit: an entry's products enter in ascending k whatever the tile.
///
/// A machine's `tiles` is a value that the launch copies. It knows the problem and has
///  - count, depth, kc: tiles in all, the depth k of a product, and how much of it a step takes;
///  - bytes(), use(memory): workspace;
///  - prepare(exec): enqueues what has to be done before;
///  - policy(exec): a TeamPolicy;
///  - in_kernel: the type, a base or its own, of what a kernel needs of it;
///  - tile<Team>: what a team works on: tile(tiles, team), then for each of its tiles begin(index),
///    load(k) and multiply(k) for each step of kc, and finish().

#include <Kokkos_Core.hpp>
#include <cstdint>

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
      for (std::int64_t k = 0; k < tiles.depth; k += tiles.kc) {
        tile.load(k);
        tile.multiply(k);
      }
      tile.finish();
    }
  }
};

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
