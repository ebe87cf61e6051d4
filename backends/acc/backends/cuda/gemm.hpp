// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_HPP
#define ACC_BACKENDS_CUDA_GEMM_HPP

/// \file
/// GEMM on NVIDIA GPUs: which tile serves which product. The kernel is gemm_kernel
/// (backends/gemm_kernel.hpp) over gemm_tiles (gemm/tiles.hpp); tuning.hpp has the shapes.
///
///   sums                       tile
///   in double                  mma_tile: FP64 tensor cores (gemm/mma_tile.hpp)
///   in float, or compensated   simt_tile: FMA instructions (gemm/simt_tile.hpp)
///
///   C                          size    panels
///   fills the GPU              large   16 bytes at a time; panels that do not allow it are packed
///   smaller                    medium  the same
///   smallest, or one tile      small   element by element, from any strides
///   covers all rows or columns
///
/// Half precision is converted to float first (gemm/half_precision_gemm.hpp).

#include <acc/backends/cuda/gemm/half_precision_gemm.hpp>
#include <acc/backends/cuda/gemm/mma_tile.hpp>
#include <acc/backends/cuda/gemm/ptx.hpp>
#include <acc/backends/cuda/gemm/simt_tile.hpp>
#include <acc/backends/cuda/gemm/tiles.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <cstdint>

namespace acc::backends::cuda {

/// The tile of a shape whose panels both reach scratch memory by Access.
template <class Problem, class Ops, class Shape>
struct tile_of_shape;
template <class Problem, class Ops>
struct tile_of_shape<Problem, Ops, tuning::mma_tile_shape> {
  template <tuning::mma_tile_shape Shape, panel_access Access>
  using type = mma_tile<Problem, Shape, Access, Access, Ops>;
};
template <class Problem, class Ops>
struct tile_of_shape<Problem, Ops, tuning::simt_tile_shape> {
  template <tuning::simt_tile_shape Shape, panel_access Access>
  using type = simt_tile<Problem, Shape, Access, Ops>;
};

/// The three sizes of tile for Problem.
template <class Problem, class Ops>
struct tiles_for {
  static constexpr auto shapes = tuning::gemm_tile_shapes<Problem>();
  using of_shape = tile_of_shape<Problem, Ops, decltype(shapes.large)>;
  using large = typename of_shape::template type<shapes.large, panel_access::mn_vectors>;
  using medium = typename of_shape::template type<shapes.medium, panel_access::mn_vectors>;
  using small = typename of_shape::template type<shapes.small, panel_access::elements>;
};

/// Calls f with p in tiles of the type Tile, or of the same tile that reads in place panels whose
/// elements are contiguous in k, as far as Unpacked allows.
template <class Tile, tuning::unpacked Unpacked, class Problem, class F>
auto with_panels(const Problem& p, const F& f) {
  if constexpr (Tile::reads_k_vectors && Unpacked != tuning::unpacked::none) {
    using enum panel_access;
    const Problem q = by_columns(p);
    const auto along_k = [](const auto& panel) {
      return !panel.has_mn_vectors() && panel.has_k_vectors();
    };
    if (along_k(columns_of(q))) {
      if constexpr (Unpacked == tuning::unpacked::b_or_both)
        if (along_k(rows_of(q)))
          return f(
              gemm_tiles<Problem, typename Tile::template with_access<k_vectors, k_vectors>>(p));
      return f(gemm_tiles<Problem, typename Tile::template with_access<mn_vectors, k_vectors>>(p));
    }
  }
  return f(gemm_tiles<Problem, Tile>(p));
}

/// Calls f with the largest tiles of p that keep `sms` multiprocessors busy. allow_unpacked: also
/// with tiles that read panels in place that would otherwise be packed.
template <bool allow_unpacked = true, class Ops = cuda_ops, class Problem, class F>
auto with_cuda_tiles(const Problem& p, std::int64_t sms, const F& f) {
  using in = typename Problem::in;
  using tuning::unpacked;
  using tiles = tiles_for<Problem, Ops>;
  constexpr tuning::tile_choice choice = tuning::choice_of<in>;
  const gemm_tiles<Problem, typename tiles::small> small(p);
  if (small.grid_rows == 1 || small.grid_columns == 1) return f(small);
  const gemm_tiles<Problem, typename tiles::large> large(p);
  const std::int64_t wave = sms * choice.threads_per_sm / tiles::large::layout::threads;
  const std::int64_t waves = (large.count + wave - 1) / wave;
  if (waves >= choice.min_waves &&
      double(large.count) >= choice.min_wave_efficiency * double(waves * wave)) {
    constexpr unpacked panels =
        allow_unpacked ? tuning::unpacked_by_large<impl::real_t<in>> : unpacked::none;
    return with_panels<typename tiles::large, panels>(p, f);
  }
  const gemm_tiles<Problem, typename tiles::medium> medium(p);
  if (double(medium.count) >= choice.min_medium_tiles_per_sm * double(sms)) {
    constexpr unpacked panels = allow_unpacked ? tuning::unpacked_by_medium : unpacked::none;
    return with_panels<typename tiles::medium, panels>(p, f);
  }
  return f(small);
}

/// Calls f with the largest tiles that keep `sms` multiprocessors busy, of elements converted to
/// Number.
template <class Number, class Ops = cuda_ops, class Problem, class F>
auto with_converted_tiles(const Problem& p, std::int64_t sms, const F& f) {
  const Problem q = by_columns(p);
  const auto with = [&]<class Tiles>(const Tiles& tiles) {
    return f(converted_tiles<Problem, Number, Tiles>(q, tiles));
  };
  return with_cuda_tiles<false, Ops>(converted_problem<Number>(q), sms, with);
}

/// Calls f with the tiles of p, and returns what f does.
template <class Exec, class Problem, class F>
auto with_gemm_tiles(const Exec& exec, const Problem& p, const F& f) {
  const int sms = exec.cuda_device_prop().multiProcessorCount;
  if constexpr (impl::is_half_scalar<typename Problem::in>)
    return with_converted_tiles<float>(p, sms, f);
  else
    return with_cuda_tiles(p, sms, f);
}

}  // namespace acc::backends::cuda

#endif
