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
///   few rows or columns        narrow  the same (float: 16 bytes at a time if B allows it along k)
///   few entries, k long        few     16 bytes at a time; the product is divided by k
///   fewer still                fewest  the same
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
#include <type_traits>

namespace acc::backends::cuda {

/// What of a GPU decides which tiles a product gets.
struct gpu {
  std::int64_t sms;  ///< multiprocessors
  int scratch;       ///< bytes that a team may have

  template <class Tiles>
  bool has(const Tiles&) const {
    return Tiles::scratch_bytes <= scratch;
  }
};

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
  using type = simt_tile<Problem, Shape, Access, Access, Ops>;
};

/// The three sizes of tile for Problem.
template <class Problem, class Ops>
struct tiles_for {
  static constexpr auto shapes = tuning::gemm_tile_shapes<Problem>();
  using of_shape = tile_of_shape<Problem, Ops, decltype(shapes.large)>;
  using large = typename of_shape::template type<shapes.large, panel_access::mn_vectors>;
  using medium = typename of_shape::template type<shapes.medium, panel_access::mn_vectors>;
  using small = typename of_shape::template type<shapes.small, panel_access::elements>;
  using narrow = typename of_shape::template type<shapes.narrow, panel_access::elements>;
  template <auto Shape>
  using of_few =
      typename of_shape::template type<Shape, Shape == shapes.small ? panel_access::elements
                                                                    : panel_access::mn_vectors>;
  using few = of_few<shapes.few>;
  using fewest = of_few<shapes.fewest>;

  static constexpr bool by_tensor_cores =
      std::is_same_v<decltype(shapes.large), tuning::mma_tile_shape>;
  /// Whether a size has tiles that read k_vectors. FMA instructions have the fewest kernels.
  static constexpr bool unpacks_large = by_tensor_cores;
  static constexpr bool unpacks_medium = by_tensor_cores;
  static constexpr bool narrow_has_vectors = !by_tensor_cores && shapes.narrow != shapes.small;
};

/// Calls f with p in tiles of the type Tile, or of the same tile that reads in place panels whose
/// elements are contiguous in k, as far as Unpacked allows.
template <class Tile, tuning::unpacked Unpacked, class Problem, class F>
auto with_panels(const Problem& p, std::int64_t sms, bool divides, const F& f) {
  using enum panel_access;
  if constexpr (Tile::layout::a_access != elements && Unpacked != tuning::unpacked::none) {
    const Problem q = by_columns(p);
    const auto along_k = [](const auto& panel) {
      return !panel.has_mn_vectors() && panel.has_k_vectors();
    };
    if (along_k(columns_of(q))) {
      if constexpr (Unpacked == tuning::unpacked::b_or_both)
        if (along_k(rows_of(q)))
          return f(gemm_tiles<Problem, typename Tile::template with_access<k_vectors, k_vectors>>(
              p, sms, divides));
      return f(gemm_tiles<Problem, typename Tile::template with_access<mn_vectors, k_vectors>>(
          p, sms, divides));
    }
  }
  return f(gemm_tiles<Problem, Tile>(p, sms, divides));
}

/// Calls f with p in tiles of the type Tile, which reads panels element by element, or of the same
/// tile by vectors where B has them along k: packing would cost as much as the product.
template <class Tile, class Problem, class F>
auto with_vectors(const Problem& p, std::int64_t sms, bool divides, const F& f) {
  using enum panel_access;
  const Problem q = by_columns(p);
  if (columns_of(q).has_k_vectors()) {
    if (rows_of(q).has_mn_vectors())
      return f(gemm_tiles<Problem, typename Tile::template with_access<mn_vectors, k_vectors>>(
          p, sms, divides));
    if (rows_of(q).has_k_vectors())
      return f(gemm_tiles<Problem, typename Tile::template with_access<k_vectors, k_vectors>>(
          p, sms, divides));
  }
  return f(gemm_tiles<Problem, Tile>(p, sms, divides));
}

/// Calls f with the largest tiles of p that keep the GPU busy. allow_unpacked: also with tiles that
/// read panels in place that would otherwise be packed.
template <bool allow_unpacked = true, class Ops = cuda_ops, class Problem, class F>
auto with_cuda_tiles(const Problem& p, const gpu& g, const F& f) {
  using in = typename Problem::in;
  using tuning::unpacked;
  using tiles = tiles_for<Problem, Ops>;
  constexpr tuning::tile_choice choice = tuning::choice_of<in>;
  constexpr tuning::division_choice divided = tuning::divided<tiles::by_tensor_cores>;
  constexpr auto allowed = [](bool allow, unpacked panels) consteval {
    return allow && allow_unpacked ? panels : unpacked::none;
  };
  constexpr unpacked few_panels = allowed(true, tuning::unpacked_by_medium);
  const double sms = double(g.sms);

  const gemm_tiles<Problem, typename tiles::narrow> narrow(p, g.sms);
  const bool divides_narrow = double(narrow.count) < divided.tiles * sms;
  if (narrow.grid_rows == 1 || narrow.grid_columns == 1) {
    if constexpr (tiles::narrow_has_vectors && allow_unpacked)
      return with_vectors<typename tiles::narrow>(p, g.sms, divides_narrow, f);
    else
      return f(gemm_tiles<Problem, typename tiles::narrow>(p, g.sms, divides_narrow));
  }

  const gemm_tiles<Problem, typename tiles::few> few(p, g.sms);
  if (p.sections() > 1 && double(few.count) < divided.tiles * sms) {
    const gemm_tiles<Problem, typename tiles::fewest> fewest(p, g.sms);
    if (double(few.count * p.sections()) >= divided.min_few * sms && g.has(few) &&
        double(few.entries()) <= divided.max_few_entries * double(fewest.entries()))
      return with_panels<typename tiles::few, few_panels>(p, g.sms, true, f);
    const bool divides = double(fewest.count) < divided.tiles * sms;
    if (g.has(fewest)) return with_panels<typename tiles::fewest, few_panels>(p, g.sms, divides, f);
  }

  const gemm_tiles<Problem, typename tiles::small> small(p, g.sms);
  if (small.grid_rows == 1 || small.grid_columns == 1) return f(small);
  const gemm_tiles<Problem, typename tiles::large> large(p, g.sms);
  const std::int64_t wave = g.sms * choice.threads_per_sm / tiles::large::layout::threads;
  const std::int64_t waves = (large.count + wave - 1) / wave;
  if (g.has(large) && waves >= choice.min_waves &&
      double(large.count) >= choice.min_wave_efficiency * double(waves * wave)) {
    constexpr unpacked panels =
        allowed(tiles::unpacks_large, tuning::unpacked_by_large<impl::real_t<in>>);
    return with_panels<typename tiles::large, panels>(p, g.sms, false, f);
  }
  const gemm_tiles<Problem, typename tiles::medium> medium(p, g.sms);
  if (double(medium.count) >= choice.min_medium_tiles_per_sm * sms)
    return with_panels<typename tiles::medium,
                       allowed(tiles::unpacks_medium, tuning::unpacked_by_medium)>(p, g.sms, false,
                                                                                   f);
  return f(small);
}

/// Calls f with the largest tiles that keep the GPU busy, of elements converted to
/// Number.
template <class Number, class Ops = cuda_ops, class Problem, class F>
auto with_converted_tiles(const Problem& p, const gpu& g, const F& f) {
  const Problem q = by_columns(p);
  const auto with = [&]<class Tiles>(const Tiles& tiles) {
    return f(converted_tiles<Problem, Number, Tiles>(q, tiles));
  };
  return with_cuda_tiles<false, Ops>(converted_problem<Number>(q), g, with);
}

/// Calls f with the tiles of p, and returns what f does.
template <class Exec, class Problem, class F>
auto with_gemm_tiles(const Exec& exec, const Problem& p, const F& f) {
  const gpu g{exec.cuda_device_prop().multiProcessorCount,
              Kokkos::TeamPolicy<Exec>(exec, 1, 1).scratch_size_max(0)};
  if constexpr (impl::is_half_scalar<typename Problem::in>)
    return with_converted_tiles<float>(p, g, f);
  else
    return with_cuda_tiles(p, g, f);
}

}  // namespace acc::backends::cuda

#endif
