// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_PANEL_STAGE_HPP
#define ACC_BACKENDS_CUDA_GEMM_PANEL_STAGE_HPP

/// \file
/// A piece of A's rows or B's columns ("lanes") on its way into team scratch memory, where it lies
/// as out[k * Step + lane]; lanes and depths beyond the matrix are zero. Two ways: in vectors of 16
/// bytes along the lanes, where they lie so in memory, or number by number from any strides.

#include <acc/backends/cuda/unroll.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::cuda {

/// N numbers of a panel, read at once.
template <class T, int N>
struct alignas(N * sizeof(T)) panel_vector {
  T x[N];
};

/// Whether all vectors of 16 bytes along the lanes are aligned.
template <class T>
bool is_16_byte_vectorizable(const T* data, std::int64_t lane_stride, std::int64_t depth_stride,
                             std::int64_t batch_stride) {
  constexpr std::int64_t vector = 16 / std::int64_t(sizeof(T));
  return lane_stride == 1 && depth_stride % vector == 0 && batch_stride % vector == 0 &&
         reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

/// A matrix as a panel of lanes: A's rows or B's columns.
template <class T>
struct panel_data {
  T* data;
  std::int64_t lanes, depth, lane_stride, depth_stride, batch_stride;

  /// Whether all vectors of lanes are whole and aligned.
  bool has_vectors() const {
    return lanes % (16 / int(sizeof(T))) == 0 &&
           is_16_byte_vectorizable(data, lane_stride, depth_stride, batch_stride);
  }
  /// The same of vectors of depths, the last of which need not be whole.
  bool has_deep_vectors() const {
    return is_16_byte_vectorizable(data, depth_stride, lane_stride, batch_stride);
  }
};

/// One thread's share of copies in vectors of Width lanes, Piece deep, by Threads threads.
template <class Ops, class T, int Width, int Piece, int Step, int Threads>
class vector_stage {
  static constexpr int vector = 16 / int(sizeof(T));
  static constexpr int depths = Threads / (Width / vector);  ///< at a time
  static_assert(Threads % (Width / vector) == 0 && Piece % depths == 0 && Step % vector == 0);

 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit vector_stage(int thread)
      : lane_(thread % (Width / vector) * vector), k_(thread / (Width / vector)) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const panel_data<const T>& p, std::int64_t first_lane) {
    present_ = first_lane + lane_ < p.lanes;
    step_ = depths * p.depth_stride;
    from_ = p.data + first_lane + lane_ + k_ * p.depth_stride;
  }

  /// Begins the copies of the next piece; left: depths from there on.
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* out, int left) {
    T* const to = out + k_ * Step + lane_;
    ACC_UNROLL for (int i = 0; i * depths < Piece; ++i) {
      Ops::copy16(to + i * depths * Step, from_, present_ && k_ + i * depths < left);
      from_ += step_;
    }
  }

 private:
  int lane_, k_;  ///< this thread's first lane and depth in a piece
  bool present_ = false;
  std::int64_t step_ = 0;
  const T* from_ = nullptr;
};

/// One thread's share of copies number by number, the threads along the lanes or along the depth,
/// whichever lie side by side.
template <class Ops, class T, int Width, int Piece, int Step, int Threads>
class scalar_stage {
  /// What threads side by side read of a lane whose depths lie side by side: a sector of 32 bytes,
  /// or more where there would be more threads than lanes.
  static constexpr int sector = 32 / int(sizeof(T));
  static constexpr int run = sector < Threads / Width ? Threads / Width : sector;
  static_assert(Threads % Width == 0 && Piece % (Threads / Width) == 0);
  static_assert(Piece % run == 0 && Width % (Threads / run) == 0);

 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit scalar_stage(int thread) : thread_(thread) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const panel_data<const T>& p, std::int64_t first_lane) {
    along_depth_ = p.depth_stride == 1;
    lane_ = along_depth_ ? thread_ / run : thread_ % Width;
    k_ = along_depth_ ? thread_ % run : thread_ / Width;
    const std::int64_t lanes = p.lanes - first_lane;
    lanes_ = (lanes < Width ? int(lanes) : Width) - lane_;
    lane_stride_ = p.lane_stride;
    depth_stride_ = p.depth_stride;
    from_ = p.data + (first_lane + lane_) * lane_stride_ + k_ * depth_stride_;
  }

  KOKKOS_FORCEINLINE_FUNCTION void copy(T* out, int left) {
    T* const to = out + k_ * Step + lane_;
    if (along_depth_) {
      constexpr int lanes = Threads / run;
      ACC_UNROLL for (int i = 0; i < Width; i += lanes) {
        ACC_UNROLL for (int k = 0; k < Piece; k += run) {
          Ops::copy(to + k * Step + i, from_ + i * lane_stride_ + k, i < lanes_ && k + k_ < left);
        }
      }
    } else {
      constexpr int depths = Threads / Width;
      ACC_UNROLL for (int k = 0; k < Piece; k += depths) {
        Ops::copy(to + k * Step, from_ + k * depth_stride_, 0 < lanes_ && k + k_ < left);
      }
    }
    from_ += Piece * depth_stride_;
  }

 private:
  int thread_;
  bool along_depth_ = false;
  int lane_ = 0, k_ = 0;  ///< this thread's first lane and depth in a piece
  int lanes_ = 0;         ///< how many of the tile's lanes the matrix has from lane_ on
  std::int64_t lane_stride_ = 0, depth_stride_ = 0;
  const T* from_ = nullptr;
};

}  // namespace acc::backends::cuda

#endif
