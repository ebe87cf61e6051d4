// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_PACK_PANELS_HPP
#define ACC_BACKENDS_CUDA_GEMM_PACK_PANELS_HPP

/// \file
/// Copies of A's rows or B's columns whose lanes lie side by side, for tiles that read them in
/// vectors.

#include <acc/backends/cuda/gemm/panel_stage.hpp>
#include <acc/backends/cuda/unroll.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>

namespace acc::backends::cuda {

/// How a panel lies once packed: depth by depth, the lanes padded with zeros to whole vectors.
template <class From, class T>
panel_data<T> packed_panel(const panel_data<const From>& p, T* memory) {
  constexpr std::int64_t vector = 16 / std::int64_t(sizeof(T));
  const std::int64_t lanes = (p.lanes + vector - 1) / vector * vector;
  return {memory, lanes, p.depth, 1, lanes, lanes * p.depth};
}

/// Bytes of `batches` panels packed as numbers of type T.
template <class T, class From>
std::size_t packed_bytes(const panel_data<const From>& p, std::int64_t batches) {
  return std::size_t(packed_panel(p, static_cast<T*>(nullptr)).batch_stride * batches) * sizeof(T);
}

/// A team copies squares by way of scratch memory: read as they lie, written along the lanes, and
/// converted to T.
template <class T, class From = T>
struct pack_panel_kernel {
  static constexpr int side = sizeof(T) == 16 ? 32 : 64, threads = 256,
                       share = side * side / threads;
  static constexpr int bytes = side * (side + 1) * int(sizeof(T));

  panel_data<const From> from;
  panel_data<T> to;
  std::int64_t across, down, count;
  bool conjugate;

  pack_panel_kernel(const panel_data<const From>& source, const panel_data<T>& target,
                    std::int64_t batches, bool conjugates)
      : from(source),
        to(target),
        across((to.lanes + side - 1) / side),
        down((to.depth + side - 1) / side),
        count(across * down * batches),
        conjugate(conjugates) {}

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    T* const square = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(int(bytes), 16));
    for (std::int64_t index = team.league_rank(); index < count; index += team.league_size()) {
      const std::int64_t batch = index / (across * down);
      const std::int64_t lane = index % across * side, k = index / across % down * side;
      const From* const source = from.data + batch * from.batch_stride;
      // All of a thread's numbers are on their way before it waits for one.
      From mine[share];
      ACC_UNROLL for (int i = 0; i < share; ++i) {
        const int l = lane_of(team.team_rank() + i * threads),
                  d = depth_of(team.team_rank() + i * threads);
        mine[i] = lane + l < from.lanes && k + d < from.depth
                      ? source[(lane + l) * from.lane_stride + (k + d) * from.depth_stride]
                      : From(0);
      }
      ACC_UNROLL for (int i = 0; i < share; ++i) {
        const int e = team.team_rank() + i * threads;
        square[depth_of(e) * (side + 1) + lane_of(e)] = taken(mine[i]);
      }
      team.team_barrier();
      T* const target = to.data + batch * to.batch_stride;
      ACC_UNROLL for (int i = 0; i < share; ++i) {
        const int e = team.team_rank() + i * threads, l = e % side, d = e / side;
        if (lane + l < to.lanes && k + d < to.depth)
          target[lane + l + (k + d) * to.depth_stride] = square[d * (side + 1) + l];
      }
      team.team_barrier();
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION T taken(const From& x) const {
    if constexpr (impl::components_of<T> == 2)
      return conjugate ? T(x.real(), -x.imag()) : x;
    else
      return T(x);
  }
  // Number e of a square in the order in which they are read.
  KOKKOS_FORCEINLINE_FUNCTION int lane_of(int e) const {
    return from.depth_stride == 1 ? e / side : e % side;
  }
  KOKKOS_FORCEINLINE_FUNCTION int depth_of(int e) const {
    return from.depth_stride == 1 ? e % side : e / side;
  }
};

template <class Exec, class Kernel>
void launch_pack_panel(const Exec& exec, const Kernel& kernel) {
  constexpr int threads = Kernel::threads;
  Kokkos::parallel_for("acc::gemm: pack",
                       Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, 1>>(
                           exec, int(std::min(kernel.count, max_league_size)), threads)
                           .set_scratch_size(0, Kokkos::PerTeam(kernel.bytes + 16)),
                       kernel);
}

}  // namespace acc::backends::cuda

#endif
