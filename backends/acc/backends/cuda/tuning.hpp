// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_TUNING_HPP
#define ACC_BACKENDS_CUDA_TUNING_HPP

/// \file
/// The shapes of the GPU's tiles of matrix products: for each kind of number and method, three
/// sizes.

#include <acc/backends/cuda/gemm/mma_tile.hpp>
#include <acc/backends/cuda/gemm/simt_tile.hpp>

namespace acc::backends::cuda {

/// Three sizes of tile:
///  - large: for products that fill the GPU with them more than once;
///  - medium: for smaller ones;
///  - small: any strides, for the smallest, and for a row or a column of tiles.
template <class Large, class Medium, class Small>
struct tile_sizes {
  using large = Large;
  using medium = Medium;
  using small = Small;
};

// A shape's size trades: more numbers in registers for each that is read from scratch memory,
// against fewer warps. All fit 48 KiB of scratch memory a team; docs/performance.md has what was
// measured.

/// Sums of doubles, in the tensor cores.
template <class Problem, class Ops>
auto choose_mma_tiles() {
  using in = typename Problem::in;
  constexpr int totals = Problem::totals::components;
  const auto sizes = []<class L, class M>(L, M) {
    constexpr int piece = 16 / Problem::parts;
    using small = with_any_strides<mma_shape<in, 2, 2, 1, 2, 1, piece, 3>>;
    return tile_sizes<mma_tile<Problem, L, Ops>, mma_tile<Problem, M, Ops>,
                      mma_tile<Problem, small, Ops>>{};
  };
  if constexpr (Problem::parts == 2) {
    using of_pairs = mma_shape<in, 2, 2, 2, 2, 1, 32 / sizeof(impl::real_t<in>), 4>;
    if constexpr (totals == 0)
      return sizes(mma_shape<in, 2, 2, 2, 4, 2, 32 / sizeof(impl::real_t<in>), 4>{}, of_pairs{});
    else
      return sizes(of_pairs{}, of_pairs{});
  } else {
    using of_floats = mma_shape<in, 2, 2, 4, 4, 2, 16, 3>;
    using eight_warps = mma_shape<in, 4, 2, 2, 4, 1, 8, 3>;
    if constexpr (sizeof(in) == 4)
      return sizes(of_floats{}, of_floats{});
    else if constexpr (totals == 0)
      return sizes(mma_shape<in, 2, 2, 4, 4, 2, 8, 3>{}, eight_warps{});
    else if constexpr (totals == 1)
      return sizes(mma_shape<in, 2, 2, 2, 4, 2, 8, 5>{}, eight_warps{});
    else
      return sizes(eight_warps{}, eight_warps{});
  }
}

/// Other sums, by FMA instructions.
template <class Problem, class Ops>
auto choose_simt_tiles() {
  using in = typename Problem::in;
  constexpr int totals = Problem::totals::components;
  const auto sizes = []<class L, class M, class S>(L, M, S) {
    return tile_sizes<simt_tile<Problem, L, Ops>, simt_tile<Problem, M, Ops>,
                      simt_tile<Problem, with_any_strides<S>, Ops>>{};
  };
  if constexpr (Problem::chain::components == 2) {
    // Ten instructions a product: registers decide, 128 bytes of sums a thread.
    if constexpr (sizeof(in) == 4) {
      using square = simt_shape<in, 2, 4, 4, 8, 16, 3, 0>;
      return sizes(square{}, square{}, simt_shape<in, 1, 2, 4, 4, 16, 3, 0>{});
    } else if constexpr (sizeof(in) == 8) {
      using square = simt_shape<in, 2, 4, 4, 4, 8, 3, 0>;
      return sizes(square{}, square{}, simt_shape<in, 1, 2, 4, 4, 16, 3, 0>{});
    } else {
      using square = simt_shape<in, 2, 4, 4, 2, 8, 3, 0>;
      return sizes(square{}, square{}, simt_shape<in, 1, 2, 4, 4, 8, 3, 0>{});
    }
  } else if constexpr (Problem::parts == 2) {
    using with_totals = simt_shape<in, 2, 4, 4, 4, 8, 3, 0>;
    const auto of = [&]<class L>(L large) {
      return sizes(large, with_totals{}, simt_shape<in, 1, 2, 4, 4, 16, 3, 0>{});
    };
    if constexpr (totals == 0)
      return of(simt_shape<in, 2, 2, 8, 8, 4, 4, 0>{});
    else if constexpr (totals == 1)
      return of(simt_shape<in, 2, 4, 8, 4, 8, 3, 0>{});
    else
      return of(simt_shape<in, 1, 2, 8, 4, 4, 3, 2>{});
  } else {
    using with_totals = simt_shape<in, 2, 4, 4, 8, 16, 3, 0>;
    const auto of = [&]<class L, class M>(L large, M medium) {
      return sizes(large, medium, simt_shape<in, 1, 2, 4, 4, 16, 3, 0>{});
    };
    if constexpr (totals == 0)
      return of(simt_shape<in, 4, 2, 8, 16, 8, 3, 0>{}, simt_shape<in, 1, 4, 8, 8, 8, 4, 0>{});
    else if constexpr (totals == 1)
      return of(simt_shape<in, 2, 4, 8, 8, 16, 2, 0>{}, with_totals{});
    else
      return of(simt_shape<in, 1, 2, 8, 8, 8, 3, 2>{}, with_totals{});
  }
}

template <class Problem, class Ops>
auto choose_cuda_tiles() {
  constexpr bool by_tensor_cores =
      std::is_same_v<typename Problem::real, double> && Problem::chain::components == 1;
  if constexpr (by_tensor_cores)
    return choose_mma_tiles<Problem, Ops>();
  else
    return choose_simt_tiles<Problem, Ops>();
}
template <class Problem, class Ops>
using cuda_tiles_of = decltype(choose_cuda_tiles<Problem, Ops>());

/// Whether there are tiles that read panels whose depths lie side by side.
template <class Tile>
inline constexpr bool has_deep_panels =
    !Tile::shape::any_strides && requires { typename Tile::template with_deep<true, true>; };

}  // namespace acc::backends::cuda

#endif
