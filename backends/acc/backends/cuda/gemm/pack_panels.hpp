// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_PACK_PANELS_HPP
#define ACC_BACKENDS_CUDA_GEMM_PACK_PANELS_HPP

/// \file
/// Packing: copies of A's rows or B's columns whose mn is contiguous, for tiles that read vectors
/// along mn.

#include <acc/backends/cuda/gemm/panel_stage.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// The layout of a packed panel: k by k, mn padded with zeros to whole vectors.
template <class From, class T>
panel_data<T> packed_panel(const panel_data<const From>& p, T* memory) {
  constexpr std::int64_t vector = 16 / std::int64_t(sizeof(T));
  const std::int64_t mn = (p.mn + vector - 1) / vector * vector;
  return {memory, mn, p.k, 1, mn, mn * p.k};
}

/// Bytes of `batches` panels packed as elements of type T.
template <class T, class From>
std::size_t packed_bytes(const panel_data<const From>& p, std::int64_t batches) {
  return std::size_t(packed_panel(p, static_cast<T*>(nullptr)).batch_stride * batches) * sizeof(T);
}

/// A team copies squares by way of scratch memory: it reads along the contiguous dimension of the
/// source, converts elements to T, and writes along mn.
template <class T, class From = T>
struct pack_panel_kernel {
  static constexpr int side = tuning::packing<T>.side, threads = tuning::packing<T>.threads,
                       per_thread = side * side / threads;
  static constexpr int bytes = side * (side + 1) * int(sizeof(T));

  panel_data<const From> from;
  panel_data<T> to;
  std::int64_t squares_mn, squares_k, count;
  bool conjugate;

  pack_panel_kernel(const panel_data<const From>& source, const panel_data<T>& target,
                    std::int64_t batches, bool conjugates)
      : from(source),
        to(target),
        squares_mn((to.mn + side - 1) / side),
        squares_k((to.k + side - 1) / side),
        count(squares_mn * squares_k * batches),
        conjugate(conjugates) {}

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    T* const square = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(int(bytes), 16));
    for (std::int64_t index = team.league_rank(); index < count; index += team.league_size()) {
      const std::int64_t batch = index / (squares_mn * squares_k);
      const std::int64_t mn = index % squares_mn * side, k = index / squares_mn % squares_k * side;
      const From* const source = from.data + batch * from.batch_stride;
      // A thread issues all its loads before it waits for one.
      From loaded[per_thread];
      ACC_UNROLL for (int i = 0; i < per_thread; ++i) {
        const int x = mn_of(team.team_rank() + i * threads),
                  y = k_of(team.team_rank() + i * threads);
        loaded[i] = mn + x < from.mn && k + y < from.k
                        ? source[(mn + x) * from.mn_stride + (k + y) * from.k_stride]
                        : From(0);
      }
      ACC_UNROLL for (int i = 0; i < per_thread; ++i) {
        const int e = team.team_rank() + i * threads;
        square[k_of(e) * (side + 1) + mn_of(e)] = converted(loaded[i]);
      }
      team.team_barrier();
      T* const target = to.data + batch * to.batch_stride;
      ACC_UNROLL for (int i = 0; i < per_thread; ++i) {
        const int e = team.team_rank() + i * threads, x = e % side, y = e / side;
        if (mn + x < to.mn && k + y < to.k)
          target[mn + x + (k + y) * to.k_stride] = square[y * (side + 1) + x];
      }
      team.team_barrier();
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION T converted(const From& x) const {
    if constexpr (impl::components_of<T> == 2)
      return conjugate ? T(x.real(), -x.imag()) : x;
    else
      return T(x);
  }
  // Element e of a square, in the order in which they are read.
  KOKKOS_FORCEINLINE_FUNCTION int mn_of(int e) const {
    return from.k_stride == 1 ? e / side : e % side;
  }
  KOKKOS_FORCEINLINE_FUNCTION int k_of(int e) const {
    return from.k_stride == 1 ? e % side : e / side;
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
