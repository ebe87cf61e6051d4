// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_GEMV_RING_HPP
#define ACC_BACKENDS_CUDA_GEMM_GEMV_RING_HPP

/// \file
/// How a warp's rows of A, and the part of x that they meet, reach scratch memory: through a ring
/// of stages, of which all but one are under way. A warp waits for nothing but its own copies.
///
/// A stage has a fixed number of bytes of A, and behind them as many k of x; what is beyond the
/// matrix is zero. The rows are a power of two, at most 32, which the launch chooses: the fewer,
/// the more k has a stage. Three ways, as of panels (panel_stage.hpp):
///  - mn_vectors: 16 bytes along A's rows at a time, where those are contiguous;
///  - k_vectors: 16 bytes along k at a time, where those are contiguous;
///  - elements: one element at a time, from any strides.
/// stage_place has where elements are.

#include <acc/backends/cuda/gemm/panel_stage.hpp>
#include <acc/backends/cuda/warp.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::cuda {

/// The bytes that exist of 16, where `left` elements exist from the first of them on.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION int present_bytes(int left) {
  constexpr int vector = 16 / int(sizeof(T));
  const int n = left < vector ? left : vector;
  return n < 0 ? 0 : n * int(sizeof(T));
}

/// Calls f(copy), where copy(dst, src, present) copies the first `bytes` of 16, and writes zeros
/// for the others, or for all if not present. A copy that may be of a part is five instructions
/// longer.
template <class Ops, class F>
KOKKOS_FORCEINLINE_FUNCTION void with_copy16(int bytes, const F& f) {
  if (bytes == 16)
    f([](void* dst, const void* src, bool present) { Ops::copy16(dst, src, present); });
  else
    f([bytes](void* dst, const void* src, bool present) {
      Ops::copy16_part(dst, src, present ? bytes : 0);
    });
}

/// Copies an element, or writes a zero. No asynchronous copy is as short as two bytes.
template <class Ops, class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_element(T* dst, const T* src, bool present) {
  if constexpr (sizeof(T) == 2)
    *dst = present ? *src : T(0);
  else
    Ops::copy(dst, src, present);
}

consteval int log2_of(int power_of_two) {
  return power_of_two == 1 ? 0 : 1 + log2_of(power_of_two / 2);
}

/// Where a stage has its elements. Vectors along rows: k by k, as they are in memory, so that 128
/// bytes that arrive together are written together (a GPU copies them twice as fast as to eight
/// places). Otherwise row by row, each one vector longer than its elements, so that what a warp
/// reads at once, a vector along k of each row, is in different banks.
template <class T, panel_access Access, int StageBytes>
struct stage_place {
  static constexpr int vector = 16 / int(sizeof(T));
  static constexpr bool by_k = Access == panel_access::mn_vectors;
  int log2_rows;

  KOKKOS_FORCEINLINE_FUNCTION explicit stage_place(int log2) : log2_rows(log2) {}
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int stage_k(int log2_rows) {
    return StageBytes / int(sizeof(T)) >> log2_rows;
  }
  /// Elements of a stage.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int size(int log2_rows) {
    return StageBytes / int(sizeof(T)) + (by_k ? 0 : vector << log2_rows);
  }
  /// A row's k = 0.
  KOKKOS_FORCEINLINE_FUNCTION int row(int r) const {
    return by_k ? r : r * (stage_k(log2_rows) + vector);
  }
  /// From k to k + 1.
  KOKKOS_FORCEINLINE_FUNCTION int step() const { return by_k ? 1 << log2_rows : 1; }
};

/// A thread's share of the copies of A.
template <class Ops, class T, panel_access Access, int StageBytes>
class gemv_copies;

template <class Ops, class T, int StageBytes>
class gemv_copies<Ops, T, panel_access::k_vectors, StageBytes> {
  static constexpr int vector = 16 / int(sizeof(T));
  static constexpr int copies = StageBytes / 16 / warp_size;
  using place = stage_place<T, panel_access::k_vectors, StageBytes>;

 public:
  KOKKOS_FORCEINLINE_FUNCTION gemv_copies(int lane_id, int log2_rows)
      : log2_vectors_(log2_of(StageBytes / 16) - log2_rows),
        row_step_(warp_size >> log2_vectors_),
        row_(lane_id >> log2_vectors_),
        k_((lane_id - (row_ << log2_vectors_)) * vector),
        to_(place(log2_rows).row(row_) + k_),
        to_step_(place(log2_rows).row(row_step_)) {}

  /// The warp's first element is at `from`; A has `rows` rows from there on.
  KOKKOS_FORCEINLINE_FUNCTION void begin(const T* from, int rows, std::int64_t row_stride,
                                         std::int64_t) {
    rows_left_ = rows - row_;
    step_ = row_step_ * row_stride;
    from_ = from + row_ * row_stride + k_;
  }
  /// Begins the copies of the next stage; left: k from there on.
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* to, int left) {
    with_copy16<Ops>(present_bytes<T>(left - k_), [&](const auto& copy16) {
      const T* from = from_;
      T* at = to + to_;
      ACC_UNROLL for (int i = 0; i < copies; ++i) {
        copy16(at, from, i * row_step_ < rows_left_);
        from += step_;
        at += to_step_;
      }
    });
    from_ += vector << log2_vectors_;
  }

 private:
  int log2_vectors_;  ///< of a row
  int row_step_;      ///< rows that the warp copies at a time
  int row_, k_;       ///< this thread's first vector of a stage
  int to_, to_step_;  ///< where it is, and from there to the next one
  int rows_left_ = 0;
  std::int64_t step_ = 0;
  const T* from_ = nullptr;
};

template <class Ops, class T, int StageBytes>
class gemv_copies<Ops, T, panel_access::mn_vectors, StageBytes> {
  static constexpr int vector = 16 / int(sizeof(T));
  static constexpr int together = warp_size * vector;  ///< elements that the warp copies at a time
  static constexpr int copies = StageBytes / 16 / warp_size;

 public:
  KOKKOS_FORCEINLINE_FUNCTION gemv_copies(int lane_id, int log2_rows)
      : to_(lane_id * vector),
        k_step_(together >> log2_rows),
        k_(to_ >> log2_rows),
        row_(to_ - (k_ << log2_rows)) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const T* from, int rows, std::int64_t,
                                         std::int64_t k_stride) {
    present_ = present_bytes<T>(rows - row_);
    step_ = k_step_ * k_stride;
    from_ = from + row_ + k_ * k_stride;
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* to, int left) {
    with_copy16<Ops>(present_, [&](const auto& copy16) {
      ACC_UNROLL for (int i = 0; i < copies; ++i) {
        copy16(to + to_ + i * together, from_, i * k_step_ < left - k_);
        from_ += step_;
      }
    });
  }

 private:
  int to_, k_step_, k_, row_;
  int present_ = 0;
  std::int64_t step_ = 0;
  const T* from_ = nullptr;
};

/// Neighboring threads have neighboring k, those of 32 bytes, if these are contiguous; otherwise
/// neighboring rows.
template <class Ops, class T, int StageBytes>
class gemv_copies<Ops, T, panel_access::elements, StageBytes> {
  static constexpr int copies = StageBytes / int(sizeof(T)) / warp_size;
  static constexpr int log2_run = log2_of(32 / int(sizeof(T)));
  using place = stage_place<T, panel_access::elements, StageBytes>;

 public:
  KOKKOS_FORCEINLINE_FUNCTION gemv_copies(int lane_id, int log2_rows)
      : lane_id_(lane_id), log2_rows_(log2_rows) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const T* from, int rows, std::int64_t row_stride,
                                         std::int64_t k_stride) {
    rows_ = rows;
    row_stride_ = row_stride;
    k_stride_ = k_stride;
    from_ = from;
    log2_together_ = k_stride == 1 ? log2_run : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* to, int left) {
    ACC_UNROLL_BY(4) for (int i = 0; i < copies; ++i) {
      const int e = i * warp_size + lane_id_;
      const int run = e >> log2_together_;
      const int row = run & ((1 << log2_rows_) - 1);
      const int k = (run >> log2_rows_ << log2_together_) + (e & ((1 << log2_together_) - 1));
      copy_element<Ops>(to + place(log2_rows_).row(row) + k,
                        from_ + row * row_stride_ + k * k_stride_, row < rows_ && k < left);
    }
    from_ += (StageBytes / int(sizeof(T)) >> log2_rows_) * k_stride_;
  }

 private:
  int lane_id_, log2_rows_;
  int log2_together_ = 0;  ///< k that neighboring threads have
  int rows_ = 0;
  std::int64_t row_stride_ = 0, k_stride_ = 0;
  const T* from_ = nullptr;
};

/// A thread's share of the copies of x.
template <class Ops, class T>
class vector_copies {
  static constexpr int vector = 16 / int(sizeof(T));

 public:
  KOKKOS_FORCEINLINE_FUNCTION void begin(const T* from, std::int64_t stride, bool has_vectors) {
    from_ = from;
    stride_ = stride;
    has_vectors_ = has_vectors;
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* to, int lane_id, int stage_k, int left) {
    if (has_vectors_) {
      const int end = left < stage_k ? left : stage_k;  // what is beyond is not read
      int k = lane_id * vector;
      ACC_NO_UNROLL for (; k + vector <= end; k += warp_size * vector)
          Ops::copy16(to + k, from_ + k, true);
      if (k < end) Ops::copy16_part(to + k, from_ + k, present_bytes<T>(end - k));
    } else {
      ACC_NO_UNROLL for (int k = lane_id; k < stage_k; k += warp_size)
          copy_element<Ops>(to + k, from_ + k * stride_, k < left);
    }
    from_ += stage_k * stride_;
  }

 private:
  const T* from_ = nullptr;
  std::int64_t stride_ = 0;
  bool has_vectors_ = false;
};

/// A warp's ring.
template <class Ops, class T, panel_access Access, int StageBytes, int Stages>
class gemv_ring {
  static constexpr int vector = 16 / int(sizeof(T));
  using place = stage_place<T, Access, StageBytes>;
  static_assert(Stages >= 2 && StageBytes % 512 == 0);

 public:
  /// Bytes of each of a batch's two parts, which a thread has in registers.
  static constexpr int batch_bytes = 64;
  static constexpr int batch = batch_bytes / int(sizeof(T));  ///< products
  static_assert(StageBytes >= warp_size * batch_bytes);       // a stage has a batch for each row

  struct numbers {
    T a[batch], x[batch];
  };

  /// Bytes of the ring for so many rows.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int bytes(int log2_rows) {
    return Stages * (place::size(log2_rows) + place::stage_k(log2_rows)) * int(sizeof(T));
  }
  /// The fewest rows: a copy of the warp is of one row or more, and a vector along rows of no
  /// other.
  static constexpr int min_rows = Access == panel_access::k_vectors    ? StageBytes / 512
                                  : Access == panel_access::mn_vectors ? vector
                                                                       : 1;

  KOKKOS_FORCEINLINE_FUNCTION gemv_ring(int lane_id, int log2_rows, void* memory)
      : stage_k(place::stage_k(log2_rows)),
        lane_id_(lane_id),
        row_(place(log2_rows).row(lane_id)),
        step_(place(log2_rows).step()),
        x_at_(place::size(log2_rows)),
        size_(x_at_ + stage_k),
        memory_(static_cast<T*>(memory)),
        a_(lane_id, log2_rows) {}

  /// Begins the copies of all stages but one. A's first element is `a`, and it has `rows` rows and
  /// `k` columns from there on; x has k elements.
  KOKKOS_FORCEINLINE_FUNCTION void begin(const T* a, int rows, std::int64_t row_stride,
                                         std::int64_t k_stride, const T* x, std::int64_t x_stride,
                                         bool x_vectors, int k) {
    a_.begin(a, rows, row_stride, k_stride);
    x_.begin(x, x_stride, x_vectors);
    left_ = k;
    at_ = 0;
    to_ = 0;
    ACC_NO_UNROLL for (int s = 0; s < Stages - 1; ++s) { copy(); }
  }
  /// Waits for the next stage, and begins the copies of a later one to the place of the last one.
  KOKKOS_FORCEINLINE_FUNCTION void advance() {
    Ops::template wait<Stages - 2>();
    Ops::sync_warp();
    stage_ = memory_ + at_;
    at_ = after(at_);
    copy();
  }

  /// Products [k, k + batch) of this thread's row; k is a multiple of batch.
  KOKKOS_FORCEINLINE_FUNCTION void read(int k, numbers& n) const {
    const T* const row = &a(k);
    if constexpr (place::by_k) {
      ACC_UNROLL for (int i = 0; i < batch; ++i) { n.a[i] = row[i * step_]; }
    } else {
      read_vectors(row, n.a);
    }
    read_vectors(&x(k), n.x);
  }
  KOKKOS_FORCEINLINE_FUNCTION const T& a(int k) const { return stage_[row_ + k * step_]; }
  KOKKOS_FORCEINLINE_FUNCTION const T& x(int k) const { return stage_[x_at_ + k]; }

  int stage_k;  ///< k of a stage

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void read_vectors(const T* from, T (&to)[batch]) {
    using vector_type = panel_vector<T, vector>;
    ACC_UNROLL for (int i = 0; i < batch; i += vector) {
      const vector_type v = *reinterpret_cast<const vector_type*>(from + i);
      ACC_UNROLL for (int e = 0; e < vector; ++e) { to[i + e] = v.x[e]; }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION int after(int at) const {
    return at + size_ == Stages * size_ ? 0 : at + size_;
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy() {
    if (left_ > 0) {
      a_.copy(memory_ + to_, left_);
      x_.copy(memory_ + to_ + x_at_, lane_id_, stage_k, left_);
    }
    Ops::commit();
    to_ = after(to_);
    left_ -= stage_k;
  }

  int lane_id_;
  int row_, step_;   ///< of a stage: where this thread's row is, and from k to k + 1
  int x_at_, size_;  ///< where x is, and elements
  T* memory_;
  const T* stage_ = nullptr;  ///< in use
  int at_ = 0, to_ = 0;  ///< where the next stage is, and where the next one to be copied will be
  int left_ = 0;         ///< k from the next stage to be copied on
  gemv_copies<Ops, T, Access, StageBytes> a_;
  vector_copies<Ops, T> x_;
};

}  // namespace acc::backends::cuda

#endif
