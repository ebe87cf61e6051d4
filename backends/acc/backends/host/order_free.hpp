// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_ORDER_FREE_HPP
#define ACC_BACKENDS_HOST_ORDER_FREE_HPP

/// \file
/// Order-free sums on hosts. A thread deposits chunks of the vector, each in a sum of its own; the
/// last to end merges the sums. A tile of a chunk goes through the library's vector kernels into a
/// window of integer bins, whose totals enter the sum as integers. What no window holds goes the
/// long way. No way that a tile may take changes a bit.

#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/sums/binned_tiles.hpp>
#include <acc/backends/host/sums/exact_tiles.hpp>
#include <acc/backends/host/sums/gather.hpp>
#include <acc/backends/host/sums/order_free_tile.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/method.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

template <class R>
struct order_free_kernel {
  using total = typename R::total;
  using scalar = typename R::scalar;
  static constexpr bool has_y = R::terms::inputs == 2;
  static_assert(sizeof(total) * max_order_free_partials <= order_free_bytes);
  using tiles = std::conditional_t<std::is_same_v<typename R::method, exact>, exact_tiles<R>,
                                   binned_tiles<R>>;

  R reduction;
  std::int64_t chunk;
  int chunks;
  total* partials;
  unsigned* arrived;

  void operator()(int i) const {
    total sum;
    const std::int64_t begin = i * chunk;
    add(sum, begin, std::min(begin + chunk, reduction.x.size));
    if (chunks == 1) return reduction.finish(sum);
    partials[i] = sum;
    if (!arrives_last(arrived, unsigned(chunks))) return;
    for (int k = 0; k < chunks; ++k)
      if (k != i) sum.merge(partials[k]);
    reduction.finish(sum);
  }

  /// Deposits the elements begin to end - 1: whole steps by tiles, what is left one by one.
  void add(total& sum, std::int64_t begin, std::int64_t end) const {
    const std::int64_t whole = (end - begin) / tile_step * tile_step;
    if (whole > 0) {
      if constexpr (std::is_same_v<typename R::element, scalar>) {
        if (reduction.x.contiguous() && (!has_y || reduction.y.contiguous())) {
          add_tiles(sum, begin, begin + whole, [&](std::int64_t k, int n) {
            const scalar* x = reduction.x.data + k;
            return order_free_tile<scalar>{x, has_y ? reduction.y.data + k : x, n};
          });
        } else {
          add_gathered(sum, begin, begin + whole);
        }
      } else {
        add_gathered(sum, begin, begin + whole);
      }
    }
    for (std::int64_t k = begin + whole; k < end; ++k) reduction.deposit(sum, k);
  }

 private:
  /// Any stride and half precision: by way of a contiguous copy that stays in cache.
  __attribute__((noinline)) void add_gathered(total& sum, std::int64_t begin,
                                              std::int64_t end) const {
    alignas(64) scalar x[tile_numbers];
    alignas(64) scalar y[has_y ? tile_numbers : 1];
    add_tiles(sum, begin, end, [&](std::int64_t k, int n) {
      gather(reduction.x, k, n, x);
      if constexpr (has_y) gather(reduction.y, k, n, y);
      return order_free_tile<scalar>{x, has_y ? y : x, n};
    });
  }

  template <class TileAt>
  static void add_tiles(total& sum, std::int64_t begin, std::int64_t end, const TileAt& tile_at) {
    tiles deposit;
    for (std::int64_t k = begin; k < end; k += tile_numbers)
      deposit.add(sum, tile_at(k, int(std::min<std::int64_t>(end - k, tile_numbers))));
    deposit.flush(sum);
  }
};

/// Enqueues r on exec. Each thread has several chunks, so that threads end together.
template <class Exec, class R>
void order_free(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  using kernel = order_free_kernel<R>;
  const int threads = exec.concurrency();
  const std::int64_t wanted =
      threads == 1
          ? 1
          : std::min(order_free_tuning::chunks_per_thread * threads, max_order_free_partials);
  // Whole tiles, so that no complex number is cut.
  constexpr std::int64_t tile = tile_numbers;
  const std::int64_t chunk = std::max((r.x.size + wanted * tile - 1) / (wanted * tile) * tile,
                                      order_free_tuning::min_chunk);
  const int chunks = int(std::max<std::int64_t>(1, (r.x.size + chunk - 1) / chunk));
  // A single chunk needs no partials. Allocate them all the same, so that a longer call later
  // allocates nothing.
  auto* const partials =
      threads == 1 ? nullptr : reinterpret_cast<typename R::total*>(memory.order_free_partials());
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, chunks),
                       kernel{r, chunk, chunks, partials, memory.arrived.data()});
}

}  // namespace acc::backends::host

#endif
