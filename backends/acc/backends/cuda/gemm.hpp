// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_HPP
#define ACC_BACKENDS_CUDA_GEMM_HPP

/// \file
/// GEMM on NVIDIA GPUs: which tile serves which product (tuning.hpp has their shapes).
///
/// Larger tiles read panels in vectors along mn, some also along k; a panel that does not lie that
/// way is packed first. Small products are divided into small tiles, which keep more
/// multiprocessors busy and read any strides.

#include <acc/backends/cuda/gemm/half_precision_gemm.hpp>
#include <acc/backends/cuda/gemm/ptx.hpp>
#include <acc/backends/cuda/gemm/tiles.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <cstdint>

namespace acc::backends::cuda {

/// Calls f with p in such tiles, of those that read its panels as they lie where there are such.
/// Each is a kernel more to compile, so there are few: for B's columns, or for both panels. Large
/// tiles of floats are faster with packed panels; beside large tiles packing one costs little.
template <class Tile, bool allow_unpacked = true, bool IsLarge = false, class Problem, class F>
auto with_panels(const Problem& p, const F& f) {
  constexpr bool of_floats = sizeof(impl::real_t<typename Problem::in>) == 4;
  if constexpr (allow_unpacked && has_deep_panels<Tile> && !(IsLarge && of_floats)) {
    const Problem q = by_columns(p);
    const auto deep = [](const auto& panel) {
      return !panel.has_vectors() && panel.has_deep_vectors();
    };
    if (deep(columns_of(q))) {
      if constexpr (!IsLarge)
        if (deep(rows_of(q)))
          return f(gemm_tiles<Problem, typename Tile::template with_deep<true, true>>(p));
      return f(gemm_tiles<Problem, typename Tile::template with_deep<false, true>>(p));
    }
  }
  return f(gemm_tiles<Problem, Tile>(p));
}

/// Calls f with the largest tiles of p that keep `multiprocessors` busy. allow_unpacked: also with
/// those for panels whose depths lie side by side.
template <bool allow_unpacked = true, class Ops = cuda_ops, class Problem, class F>
auto with_cuda_tiles(const Problem& p, std::int64_t multiprocessors, const F& f) {
  using tiles = cuda_tiles_of<Problem, Ops>;
  const gemm_tiles<Problem, typename tiles::small> small(p);
  if (small.grid_rows == 1 || small.grid_columns == 1) return f(small);
  using large_tile = typename tiles::large;
  using medium_tile = typename tiles::medium;
  const gemm_tiles<Problem, large_tile> large(p);
  // 256 threads are at work on a multiprocessor. Two rounds or more, of complex doubles one, of
  // which at most an eighth of the time is lost in the last.
  constexpr std::int64_t fewest = sizeof(typename Problem::in) == 16 ? 1 : 2;
  const std::int64_t at_once = multiprocessors * 256 / large_tile::shape::threads;
  const std::int64_t rounds = (large.count + at_once - 1) / at_once;
  if (rounds >= fewest && 8 * large.count >= 7 * rounds * at_once)
    return with_panels<large_tile, allow_unpacked, true>(p, f);
  const gemm_tiles<Problem, medium_tile> medium(p);
  if (2 * medium.count >= multiprocessors) return with_panels<medium_tile, allow_unpacked>(p, f);
  return f(small);
}

/// Calls f with the largest tiles that keep `multiprocessors` busy, of numbers converted to Number.
template <class Number, class Ops = cuda_ops, class Problem, class F>
auto with_converted_tiles(const Problem& p, std::int64_t multiprocessors, const F& f) {
  const Problem q = by_columns(p);
  const auto with = [&]<class Tiles>(const Tiles& tiles) {
    return f(converted_tiles<Problem, Number, Tiles>(q, tiles));
  };
  return with_cuda_tiles<false, Ops>(converted_problem<Number>(q), multiprocessors, with);
}

/// Calls f with the tiles of p, and returns what f does.
template <class Exec, class Problem, class F>
auto with_gemm_tiles(const Exec& exec, const Problem& p, const F& f) {
  const int multiprocessors = exec.cuda_device_prop().multiProcessorCount;
  if constexpr (impl::is_half_scalar<typename Problem::in>)
    return with_converted_tiles<float>(p, multiprocessors, f);
  else
    return with_cuda_tiles(p, multiprocessors, f);
}

}  // namespace acc::backends::cuda

#endif
