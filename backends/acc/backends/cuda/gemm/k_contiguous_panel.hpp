// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_K_CONTIGUOUS_PANEL_HPP
#define ACC_BACKENDS_CUDA_GEMM_K_CONTIGUOUS_PANEL_HPP

/// \file
/// A piece of a panel whose depths, not lanes, lie side by side in memory, on its way into team
/// scratch memory. It keeps that arrangement, so it is copied in vectors of 16 bytes and need not
/// be packed first; the tiles of the tensor cores read it number by number (mma_panel.hpp).

#include <acc/backends/cuda/gemm/panel_stage.hpp>
#include <acc/backends/cuda/unroll.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

namespace acc::backends::cuda {

/// Where a piece of Depths real numbers a lane lies in scratch memory: place by place, without
/// padding. A warp reads four depths of eight lanes at once, the lanes Run apart. So that these lie
/// in different banks, such lanes have adjacent places, and the groups of four depths are permuted
/// by a turn that two adjacent places share: two places are 128 bytes (Depths = 8 doubles or 16
/// floats).
template <int Depths, int Run>
struct deep_order {
  static constexpr int groups = Depths / 4;
  static constexpr int block = 8 * Run;  ///< lanes that change places among themselves
  static_assert(groups == 2 || groups == 4);

  static KOKKOS_FORCEINLINE_FUNCTION int lane_at(int place) {
    return place / block * block + place % 8 * Run + place / 8 % Run;
  }
  static KOKKOS_FORCEINLINE_FUNCTION int turn(int place) { return place / 2 % groups; }
  /// Depths k, k + 1, ... of a group are at adjacent positions.
  static KOKKOS_FORCEINLINE_FUNCTION int at(int place, int k) {
    return place * Depths + (k / 4 ^ turn(place)) * 4 + k % 4;
  }
};

/// One thread's share of copies in vectors of depths: Width lanes, Piece deep, by Threads threads.
template <class Ops, class T, int Width, int Piece, int Run, int Threads>
class deep_stage {
  using real = impl::real_t<T>;
  static constexpr int parts = impl::components_of<T>;
  using order = deep_order<Piece * parts, Run>;
  static constexpr int vector = 16 / int(sizeof(T));
  static constexpr int lanes = Threads / (Piece / vector);  ///< at a time
  static_assert(Threads % (Piece / vector) == 0 && Width % lanes == 0 && lanes % order::block == 0);

 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit deep_stage(int thread)
      : k_(thread % (Piece / vector) * vector),
        lane_(order::lane_at(thread / (Piece / vector))),
        to_(order::at(thread / (Piece / vector), k_ * parts) / parts) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const panel_data<const T>& p, std::int64_t first_lane) {
    const std::int64_t rest = p.lanes - first_lane;
    lanes_ = (rest < Width ? int(rest) : Width) - lane_;
    step_ = lanes * p.lane_stride;
    from_ = p.data + (first_lane + lane_) * p.lane_stride + k_;
  }

  /// Begins the copies of the next piece; left: depths from there on.
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* out, int left) {
    const int rest = left - k_ < vector ? left - k_ : vector, depths = rest < 0 ? 0 : rest;
    const T* from = from_;
    ACC_UNROLL for (int i = 0; i * lanes < Width; ++i) {
      Ops::copy16_part(out + to_ + i * lanes * Piece, from,
                       i * lanes < lanes_ ? depths * int(sizeof(T)) : 0);
      from += step_;
    }
    from_ += Piece;
  }

 private:
  int k_, lane_, to_;  ///< this thread's first depth, lane, and where they go
  int lanes_ = 0;      ///< how many of the tile's lanes the matrix has from lane_ on
  std::int64_t step_ = 0;
  const T* from_ = nullptr;
};

}  // namespace acc::backends::cuda

#endif
