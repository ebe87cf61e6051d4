// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_ORDER_FREE_HPP
#define ACC_BACKENDS_HOST_ORDER_FREE_HPP

/// \file
/// Order-free sums in host execution spaces: an iteration of a parallel_for deposits a chunk of the
/// vector in a sum of its own, the last one to end merges them.

#include <acc/backends/workspace.hpp>
#include <acc/core/order_free.hpp>

#include <algorithm>

namespace acc::backends {

template <class R>
struct host_order_free {
  using total = typename R::total;
  static_assert(sizeof(total) * max_order_free_partials <= order_free_bytes);

  R reduction;
  std::int64_t chunk;
  int chunks;
  total* partials;
  unsigned* finished;

  void operator()(int i) const {
    total sum;
    const std::int64_t begin = i * chunk, end = std::min(begin + chunk, reduction.x.size);
    for (std::int64_t k = begin; k < end; ++k) reduction.deposit(sum, k);
    if (chunks == 1) return reduction.finish(sum);
    partials[i] = sum;
    Kokkos::memory_fence();
    if (Kokkos::atomic_fetch_add(finished, 1u) + 1 != unsigned(chunks)) return;
    Kokkos::memory_fence();
    *finished = 0;
    for (int k = 0; k < chunks; ++k)
      if (k != i) sum.merge(partials[k]);
    reduction.finish(sum);
  }
};

/// Runs r on exec: a chunk is at least min_chunk elements, and each thread has several, so that
/// threads end together.
template <class Exec, class R>
void launch_order_free_on_host(const Exec& exec, workspace<Exec>& memory, const char* label,
                               const R& r) {
  using kernel = host_order_free<R>;
  constexpr std::int64_t min_chunk = 8192;
  const int threads = exec.concurrency();
  const std::int64_t wanted = threads == 1 ? 1 : std::min(4 * threads, max_order_free_partials);
  // Even, so that no complex number is cut.
  const std::int64_t chunk = std::max((r.x.size / wanted + 2) & ~std::int64_t(1), min_chunk);
  const int chunks = int(std::max<std::int64_t>(1, (r.x.size + chunk - 1) / chunk));
  auto* const partials = chunks == 1
                             ? nullptr
                             : reinterpret_cast<typename R::total*>(memory.order_free_memory());
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, chunks),
                       kernel{r, chunk, chunks, partials, memory.finished.data()});
}

}  // namespace acc::backends

#endif
