// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_ORDER_FREE_HPP
#define ACC_BACKENDS_GENERIC_ORDER_FREE_HPP

/// \file
/// Order-free sums in any Kokkos execution space: a partial sum per work item, in memory, and one
/// team that merges them.

#include <acc/backends/workspace.hpp>
#include <acc/core/order/order_free.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::generic {

template <class R>
struct order_free_partials {
  using total = typename R::total;
  static_assert(sizeof(total) * max_order_free_partials <= order_free_bytes);

  R reduction;
  total* partials;
  int count;

  /// Partial sum `first`: every count-th element, so that neighbors read neighboring elements.
  KOKKOS_FUNCTION void operator()(int first) const {
    total& sum = partials[first];
    sum = total();
    for (std::int64_t k = first; k < reduction.x.size; k += count) reduction.deposit(sum, k);
  }
};

template <class R>
struct order_free_merge {
  R reduction;
  typename R::total* partials;
  int count;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for (int stride = 1; stride < count; stride *= 2) {
      const int pairs = (count - stride + 2 * stride - 1) / (2 * stride);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, pairs), [&](int i) {
        partials[2 * stride * i].merge(partials[2 * stride * i + stride]);
      });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { reduction.finish(partials[0]); });
  }
};

template <class Exec, class R>
void order_free(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  using total = typename R::total;
  auto* const partials = reinterpret_cast<total*>(memory.order_free_partials());
  // At least 16 elements each, and at least one partial sum, which may be empty.
  const std::int64_t wanted = (r.x.size + 15) / 16;
  const int count = wanted < 1                         ? 1
                    : wanted > max_order_free_partials ? max_order_free_partials
                                                       : int(wanted);
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, count),
                       order_free_partials<R>{r, partials, count});
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, 1, Kokkos::AUTO),
                       order_free_merge<R>{r, partials, count});
}

}  // namespace acc::backends::generic

#endif
