// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_ORDER_FREE_HPP
#define ACC_BACKENDS_HOST_ORDER_FREE_HPP

/// \file
/// Order-free sums in host execution spaces: an iteration of a parallel_for deposits a chunk of the
/// vector in a sum of its own, the last one to end merges them. Blocks go through the library's
/// vector kernels into windows of integer bins (host/window.hpp), whose totals enter the sum as
/// integers; what no window holds goes the long way, so the way a block takes changes no bits.

#include <acc/backends/host/sums/binned_tiles.hpp>
#include <acc/backends/host/sums/exact_tiles.hpp>
#include <acc/backends/host/sums/order_free_tile.hpp>
#include <acc/backends/host/kernels/window.hpp>
#include <acc/backends/workspace.hpp>

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

  /// Deposits the elements begin to end - 1: whole steps by blocks, what is left one by one.
  void add(total& sum, std::int64_t begin, std::int64_t end) const {
    const std::int64_t whole = (end - begin) / host::window_step * host::window_step;
    if (whole > 0) {
      if constexpr (std::is_same_v<typename R::element, scalar>) {
        if (reduction.x.contiguous() && (!has_y || reduction.y.contiguous())) {
          add_blocks(sum, begin, begin + whole, [&](std::int64_t k, int n) {
            const scalar* x = reduction.x.data + k;
            return order_free_block<scalar>{x, has_y ? reduction.y.data + k : x, n};
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
    alignas(64) scalar x[host::window_block];
    alignas(64) scalar y[has_y ? host::window_block : 1];
    add_blocks(sum, begin, end, [&](std::int64_t k, int n) {
      for (int i = 0; i < n; ++i) x[i] = scalar(reduction.x[k + i]);
      if constexpr (has_y)
        for (int i = 0; i < n; ++i) y[i] = scalar(reduction.y[k + i]);
      return order_free_block<scalar>{x, has_y ? y : x, n};
    });
  }

  template <class Block>
  static void add_blocks(total& sum, std::int64_t begin, std::int64_t end, const Block& block_at) {
    block_depositor<R, typename R::accumulator> deposit;
    for (std::int64_t k = begin; k < end; k += host::window_block)
      deposit(sum, block_at(k, int(std::min<std::int64_t>(end - k, host::window_block))));
    deposit.flush(sum);
  }
};

/// Runs r on exec: a chunk is at least min_chunk elements, and each thread has several, so that
/// threads end together.
template <class Exec, class R>
void order_free(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  using kernel = order_free_kernel<R>;
  constexpr std::int64_t min_chunk = 8192;
  const int threads = exec.concurrency();
  const std::int64_t wanted = threads == 1 ? 1 : std::min(4 * threads, max_order_free_partials);
  // Whole blocks, so that no complex number is cut.
  constexpr std::int64_t block = host::window_block;
  const std::int64_t chunk =
      std::max((r.x.size + wanted * block - 1) / (wanted * block) * block, min_chunk);
  const int chunks = int(std::max<std::int64_t>(1, (r.x.size + chunk - 1) / chunk));
  // One chunk needs none, but then a later call would allocate, and the first shall.
  auto* const partials =
      threads == 1 ? nullptr : reinterpret_cast<typename R::total*>(memory.order_free_partials());
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, chunks),
                       kernel{r, chunk, chunks, partials, memory.arrived.data()});
}

}  // namespace acc::backends::host

#endif
