// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_PANEL_STAGE_HPP
#define ACC_BACKENDS_CUDA_GEMM_PANEL_STAGE_HPP

/// \file
/// How panels reach scratch memory. A panel is A's rows or B's columns: its dimensions are mn and
/// k. A stage holds tile_mn x tile_k of it; what is beyond the matrix is zero. Three ways, by
/// panel_access:
///  - mn_vectors: 16 bytes along mn at a time, where those are contiguous;
///  - k_vectors: 16 bytes along k at a time, where those are contiguous. The stage keeps k
///    contiguous, so the panel need not be packed first;
///  - elements: one element at a time, from any strides.
/// In a stage of the first and the last, element (mn, k) is at k * Ld + mn. Of the other it is at
/// mn * Ld + k, or where k_order says.

#include <acc/backends/cuda/warp.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::cuda {

enum class panel_access { mn_vectors, k_vectors, elements };

/// N elements of a panel, read at once.
template <class T, int N>
struct alignas(N * sizeof(T)) panel_vector {
  T x[N];
};

/// Whether all vectors of 16 bytes along the contiguous dimension of a matrix are aligned.
template <class T>
bool is_16_byte_vectorizable(const T* data, std::int64_t contiguous_stride,
                             std::int64_t other_stride, std::int64_t batch_stride) {
  constexpr std::int64_t vector = 16 / std::int64_t(sizeof(T));
  return contiguous_stride == 1 && other_stride % vector == 0 && batch_stride % vector == 0 &&
         reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

/// A matrix as a panel.
template <class T>
struct panel_data {
  T* data;
  std::int64_t mn, k, mn_stride, k_stride, batch_stride;

  /// Whether all vectors along mn are whole and aligned.
  bool has_mn_vectors() const {
    return mn % (16 / int(sizeof(T))) == 0 &&
           is_16_byte_vectorizable(data, mn_stride, k_stride, batch_stride);
  }
  /// Whether all vectors along k are aligned; the last of them need not be whole.
  bool has_k_vectors() const {
    return is_16_byte_vectorizable(data, k_stride, mn_stride, batch_stride);
  }
};

/// One thread's share of copies by Threads threads, 16 bytes along mn at a time.
template <class Ops, class T, int TileMN, int TileK, int Ld, int Threads>
class mn_vector_stage {
  static constexpr int vector = 16 / int(sizeof(T));
  static constexpr int k_step = Threads / (TileMN / vector);  ///< k that the team copies at a time
  static_assert(Threads % (TileMN / vector) == 0 && TileK % k_step == 0 && Ld % vector == 0);

 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit mn_vector_stage(int thread)
      : mn_(thread % (TileMN / vector) * vector), k_(thread / (TileMN / vector)) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const panel_data<const T>& p, std::int64_t first_mn) {
    present_ = first_mn + mn_ < p.mn;
    step_ = k_step * p.k_stride;
    from_ = p.data + first_mn + mn_ + k_ * p.k_stride;
  }

  /// Begins the copies of the next stage; left: k from there on.
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* out, int left) {
    T* const to = out + k_ * Ld + mn_;
    ACC_UNROLL for (int i = 0; i * k_step < TileK; ++i) {
      Ops::copy16(to + i * k_step * Ld, from_, present_ && k_ + i * k_step < left);
      from_ += step_;
    }
  }

 private:
  int mn_, k_;  ///< this thread's first element of a stage
  bool present_ = false;
  std::int64_t step_ = 0;
  const T* from_ = nullptr;
};

/// Where a stage has elements that come in vectors along k: place by place, without padding, a
/// place being the TileK real numbers of one mn. A warp reads four k of eight mn at once, the mn
/// VectorMN apart; of doubles it has four of these mn at a time. All are in different banks: such
/// mn have adjacent places, and the fours of k are permuted by a turn that only places within the
/// same 128 bytes share.
template <class Real, int TileK, int VectorMN>
struct k_order {
  static constexpr int fours = TileK / 4;
  static constexpr int permuted = 8 * VectorMN;  ///< mn that change places among themselves
  static constexpr int fours_of_banks = 128 / (4 * int(sizeof(Real)));
  static constexpr int turns = fours < fours_of_banks ? fours : fours_of_banks;
  static constexpr int ld = TileK;  ///< from place to place
  static_assert(fours == 2 || fours == 4 || fours == 8);

  static KOKKOS_FORCEINLINE_FUNCTION int mn_at(int place) {
    return place / permuted * permuted + place % 8 * VectorMN + place / 8 % VectorMN;
  }
  static KOKKOS_FORCEINLINE_FUNCTION int turn(int place) {
    return place / (fours_of_banks / turns) % turns;
  }
  /// k, k + 1, ... of a four are at adjacent positions.
  static KOKKOS_FORCEINLINE_FUNCTION int at(int place, int k) {
    return place * TileK + (k / 4 ^ turn(place)) * 4 + k % 4;
  }
};

/// The same for warps that read 16 bytes along k of adjacent mn at once: those are in different
/// banks if places are an odd number of 16 bytes apart.
template <int Ld>
struct padded_k_order {
  static constexpr int permuted = 1, ld = Ld;

  static KOKKOS_FORCEINLINE_FUNCTION int mn_at(int place) { return place; }
  static KOKKOS_FORCEINLINE_FUNCTION int at(int place, int k) { return place * Ld + k; }
};

/// One thread's share of copies by Threads threads, 16 bytes along k at a time. Order counts real
/// numbers.
template <class Ops, class T, int TileMN, int TileK, class Order, int Threads>
class k_vector_stage {
  static constexpr int parts = impl::components_of<T>;
  static constexpr int vector = 16 / int(sizeof(T));
  static constexpr int mn_step = Threads / (TileK / vector);  ///< mn that the team copies at a time
  static_assert(Threads % (TileK / vector) == 0 && TileMN % mn_step == 0 &&
                mn_step % Order::permuted == 0);

 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit k_vector_stage(int thread)
      : k_(thread % (TileK / vector) * vector),
        mn_(Order::mn_at(thread / (TileK / vector))),
        to_(Order::at(thread / (TileK / vector), k_ * parts) / parts) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const panel_data<const T>& p, std::int64_t first_mn) {
    const std::int64_t rest = p.mn - first_mn;
    mn_left_ = (rest < TileMN ? int(rest) : TileMN) - mn_;
    step_ = mn_step * p.mn_stride;
    from_ = p.data + (first_mn + mn_) * p.mn_stride + k_;
  }

  /// Begins the copies of the next stage; left: k from there on.
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* out, int left) {
    const int rest = left - k_ < vector ? left - k_ : vector, present = rest < 0 ? 0 : rest;
    const T* from = from_;
    ACC_UNROLL for (int i = 0; i * mn_step < TileMN; ++i) {
      Ops::copy16_part(out + to_ + i * mn_step * (Order::ld / parts), from,
                       i * mn_step < mn_left_ ? present * int(sizeof(T)) : 0);
      from += step_;
    }
    from_ += TileK;
  }

 private:
  int k_, mn_, to_;  ///< this thread's first element of a stage, and its place there
  int mn_left_ = 0;  ///< mn of the tile that the matrix has from mn_ on
  std::int64_t step_ = 0;
  const T* from_ = nullptr;
};

/// One thread's share of copies by Threads threads, one element at a time. Neighboring threads have
/// neighboring k if those are contiguous, otherwise neighboring mn.
template <class Ops, class T, int TileMN, int TileK, int Ld, int Threads>
class element_stage {
  /// Neighboring threads read so many contiguous k: a sector of 32 bytes, or more if there were
  /// otherwise more threads than mn.
  static constexpr int sector = 32 / int(sizeof(T));
  static constexpr int run = sector < Threads / TileMN ? Threads / TileMN : sector;
  static_assert(Threads % TileMN == 0 && TileK % (Threads / TileMN) == 0);
  static_assert(TileK % run == 0 && TileMN % (Threads / run) == 0);

 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit element_stage(int thread) : thread_(thread) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const panel_data<const T>& p, std::int64_t first_mn) {
    along_k_ = p.k_stride == 1;
    mn_ = along_k_ ? thread_ / run : thread_ % TileMN;
    k_ = along_k_ ? thread_ % run : thread_ / TileMN;
    const std::int64_t rest = p.mn - first_mn;
    mn_left_ = (rest < TileMN ? int(rest) : TileMN) - mn_;
    mn_stride_ = p.mn_stride;
    k_stride_ = p.k_stride;
    from_ = p.data + (first_mn + mn_) * mn_stride_ + k_ * k_stride_;
  }

  /// Begins the copies of the next stage; left: k from there on.
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* out, int left) {
    T* const to = out + k_ * Ld + mn_;
    if (along_k_) {
      constexpr int mn_step = Threads / run;
      ACC_UNROLL for (int i = 0; i < TileMN; i += mn_step) {
        ACC_UNROLL for (int k = 0; k < TileK; k += run) {
          Ops::copy(to + k * Ld + i, from_ + i * mn_stride_ + k, i < mn_left_ && k + k_ < left);
        }
      }
    } else {
      constexpr int k_step = Threads / TileMN;
      ACC_UNROLL for (int k = 0; k < TileK; k += k_step) {
        Ops::copy(to + k * Ld, from_ + k * k_stride_, 0 < mn_left_ && k + k_ < left);
      }
    }
    from_ += TileK * k_stride_;
  }

 private:
  int thread_;
  bool along_k_ = false;
  int mn_ = 0, k_ = 0;  ///< this thread's first element of a stage
  int mn_left_ = 0;     ///< mn of the tile that the matrix has from mn_ on
  std::int64_t mn_stride_ = 0, k_stride_ = 0;
  const T* from_ = nullptr;
};

}  // namespace acc::backends::cuda

#endif
