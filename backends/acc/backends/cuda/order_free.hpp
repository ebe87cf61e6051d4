// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_ORDER_FREE_HPP
#define ACC_BACKENDS_CUDA_ORDER_FREE_HPP

/// \file
/// Order-free sums on NVIDIA GPUs: selection and launch. One kernel serves all of them,
/// order_free_kernel (sums/order_free_kernel.hpp); the method chooses a thread's bins, and the
/// length how it is compiled:
///
///   method           a thread's bins
///   exact            in scratch memory, for all exponents (sums/exact_bins.hpp)
///   reproducible<K>  in registers, a window of K (sums/binned_registers.hpp)
///
///   length                             kernel
///   one batch per thread of a full GPU  order_free_kernel<R, true>: less code
///   longer                              order_free_kernel<R, false>: several batches in flight

#include <acc/backends/cuda/sums/order_free_kernel.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

namespace acc::backends::cuda {

/// Elements before the first that loads of 16 bytes can bring, of both vectors if there are two,
/// and with no complex number split; -1 if there is no such element.
template <class R>
KOKKOS_FUNCTION std::int64_t elements_before_loads(const R& r) {
  const std::int64_t head = elements_before_boundary(r.x);
  const bool together = R::terms::inputs == 1 || elements_before_boundary(r.y) == head;
  return together && head % R::terms::results == 0 && head <= r.x.size ? head : -1;
}

/// The kernel of r by so many teams.
template <class Kernel, class R>
KOKKOS_FUNCTION Kernel order_free_kernel_of(const R& r, int teams,
                                            typename Kernel::shared_sum* sum) {
  const std::int64_t head = elements_before_loads(r);
  const std::int64_t vectors = head < 0 ? 0 : (r.x.size - head) / Kernel::width;
  const std::int64_t loads_of_league = std::int64_t(teams) * Kernel::loads_of_team;
  return {.reduction = r,
          .head = head < 0 ? 0 : head,
          .vectors = vectors,
          .full_batches = vectors / loads_of_league,
          .has_part = vectors % loads_of_league != 0,
          .sum = sum};
}

template <class Kernel, class Exec>
auto order_free_policy(const Exec& exec, int teams) {
  return typename Kernel::template policy<Exec>(exec, teams, Kernel::threads)
      .set_scratch_size(0, Kokkos::PerTeam(sizeof(typename Kernel::team_memory) + 16));
}

/// batches: of a team; max_teams: as many as the GPU holds at once.
template <class Kernel, class Exec, class R>
void launch_order_free(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r,
                       std::int64_t batches, int max_teams) {
  const int teams = int(
      std::clamp<std::int64_t>((batches + Kernel::batches - 1) / Kernel::batches, 1, max_teams));
  const auto k = order_free_kernel_of<Kernel>(
      r, teams, reinterpret_cast<typename Kernel::shared_sum*>(memory.zeros()));
  Kokkos::parallel_for(label, order_free_policy<Kernel>(exec, teams), k);
}

/// Runs r, an impl::order_free_reduction, on exec.
template <class Exec, class R>
void order_free(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  using large = order_free_kernel<R, false>;
  using small = order_free_kernel<R, true>;
  constexpr std::int64_t elements_of_batch = large::loads_of_team * large::width;
  const int max_teams = large::teams_per_sm * exec.cuda_device_prop().multiProcessorCount;
  const std::int64_t batches = (r.x.size + elements_of_batch - 1) / elements_of_batch;
  if (batches <= max_teams) {
    launch_order_free<small>(exec, memory, label, r, batches, max_teams);
  } else {
    launch_order_free<large>(exec, memory, label, r, batches, max_teams);
  }
}

}  // namespace acc::backends::cuda

#endif
