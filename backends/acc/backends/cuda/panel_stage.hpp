// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_PANEL_STAGE_HPP
#define ACC_BACKENDS_CUDA_PANEL_STAGE_HPP

/// \file
/// A piece of A's rows or B's columns on its way into team scratch memory.

#include <acc/core/matrix_data.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends {

/// Which way a panel's numbers come: 16 bytes at a time along the lanes, or number by number with
/// the threads along the lanes or along the depth, whichever lie side by side.
enum class panel_route { vectors, along_lanes, along_depth };

/// The route for lanes of T at this place and these strides.
template <class T>
panel_route panel_route_of(const T* data, std::int64_t lane_stride, std::int64_t depth_stride,
                           std::int64_t batch_stride) {
  constexpr std::int64_t vector = 16 / std::int64_t(sizeof(T));
  if (lane_stride == 1 && depth_stride % vector == 0 && batch_stride % vector == 0 &&
      reinterpret_cast<std::uintptr_t>(data) % 16 == 0)
    return panel_route::vectors;
  return depth_stride == 1 ? panel_route::along_depth : panel_route::along_lanes;
}

/// One thread's share of the copies of Width lanes, Piece deep, by Threads threads. A piece lies in
/// scratch memory as out[k * Step + lane]; lanes and depths beyond the matrix are zero.
template <class Ops, class T, int Width, int Piece, int Step, int Threads>
class panel_stage {
  static constexpr int vector = 16 / int(sizeof(T));
  static_assert(Threads % (Width / vector) == 0 && Step % vector == 0);
  static_assert(Threads % Width == 0 || Width % Threads == 0);
  static_assert(Threads % Piece == 0 && Width % (Threads / Piece) == 0);

 public:
  KOKKOS_FORCEINLINE_FUNCTION panel_stage(panel_route route, int thread)
      : route_(route), thread_(thread) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const T* data, std::int64_t lane_stride,
                                         std::int64_t depth_stride, std::int64_t first_lane,
                                         std::int64_t lanes, std::int64_t depth) {
    lane_stride_ = lane_stride;
    depth_stride_ = depth_stride;
    lanes_ = int(lanes - first_lane < Width ? lanes - first_lane : std::int64_t(Width));
    left_ = depth;
    from_ = data + (first_lane + lane()) * lane_stride + k() * depth_stride;
  }

  /// Begins the copies of the next piece.
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* out) {
    if (left_ > 0) {
      if (route_ == panel_route::vectors) {
        copy_vectors(out);
      } else if (route_ == panel_route::along_depth) {
        copy_along_depth(out);
      } else {
        copy_along_lanes(out);
      }
    }
    from_ += Piece * depth_stride_;
    left_ -= Piece;
  }

 private:
  // This thread's first lane and depth in a piece.
  KOKKOS_FORCEINLINE_FUNCTION int lane() const {
    if (route_ == panel_route::vectors) return thread_ % (Width / vector) * vector;
    return route_ == panel_route::along_depth ? thread_ / Piece : thread_ % Width;
  }
  KOKKOS_FORCEINLINE_FUNCTION int k() const {
    if (route_ == panel_route::vectors) return thread_ / (Width / vector);
    return route_ == panel_route::along_depth ? thread_ % Piece : thread_ / Width;
  }

  KOKKOS_FORCEINLINE_FUNCTION void copy_vectors(T* out) const {
    constexpr int depths = Threads / (Width / vector);
    const int present = lanes_ - lane() < vector ? lanes_ - lane() : vector;
#pragma unroll
    for (int i = 0; i * depths < Piece; ++i) {
      const int at = k() + i * depths;
      if (Piece % depths != 0 && at >= Piece) break;
      const int count = present > 0 && at < left_ ? present : 0;
      Ops::copy16(out + at * Step + lane(), count > 0 ? from_ + i * depths * depth_stride_ : base(),
                  count * int(sizeof(T)));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy_along_depth(T* out) const {
    constexpr int lanes = Threads / Piece;
#pragma unroll
    for (int i = 0; i * lanes < Width; ++i) {
      const int at = lane() + i * lanes;
      const bool present = at < lanes_ && k() < left_;
      Ops::copy(out + k() * Step + at, present ? from_ + i * lanes * lane_stride_ : base(),
                present);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy_along_lanes(T* out) const {
    constexpr int depths = Threads / Width > 0 ? Threads / Width : 1;
    constexpr int lanes = Threads < Width ? Threads : Width;
#pragma unroll
    for (int i = 0; i * depths < Piece; ++i) {
      const int at = k() + i * depths;
      if (Piece % depths != 0 && at >= Piece) break;
#pragma unroll
      for (int j = 0; j * lanes < Width; ++j) {
        const int lane_at = thread_ % Width + j * lanes;
        const bool present = lane_at < lanes_ && at < left_;
        Ops::copy(out + at * Step + lane_at,
                  present ? from_ + i * depths * depth_stride_ + j * lanes * lane_stride_ : base(),
                  present);
      }
    }
  }
  /// An address that may be named although nothing is read from it.
  KOKKOS_FORCEINLINE_FUNCTION const T* base() const { return from_; }

  panel_route route_;
  int thread_;
  int lanes_ = 0;
  std::int64_t left_ = 0;
  std::int64_t lane_stride_ = 0, depth_stride_ = 0;
  const T* from_ = nullptr;
};

}  // namespace acc::backends

#endif
