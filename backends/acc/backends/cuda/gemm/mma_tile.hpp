// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_MMA_TILE_HPP
#define ACC_BACKENDS_CUDA_GEMM_MMA_TILE_HPP

/// \file
/// Tiles whose products the FP64 tensor cores sum: products of doubles, and of floats for
/// `widened`. An instruction multiplies 16 x 4 mma_k4 by 4 mma_k4 x 8; a warp keeps the results of
/// mma_m x mma_n instructions in registers.
///
/// The 16 rows of an instruction are not adjacent rows of C, because a thread reads elements that
/// are adjacent in memory; likewise the 8 columns. k is in order. An instruction takes four k. At a
/// strip's end or at the end of k fewer products may be due; the others are then -0 times +0, which
/// change no sum, not even a zero's sign.
///
/// A complex product is two real ones with twice the k, which share A: re a_0, im a_0, re a_1,
/// ... times re b_0, -im b_0, re b_1, ... and times im b_0, re b_0, im b_1, ...: real k 2 l + q of
/// part p is real product q of part p of complex product l (complex_product).

#include <acc/backends/cuda/gemm/tile_sums.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// Elements of a panel, of the Count that a thread has along mn, that are adjacent in memory: 16
/// bytes, or fewer if it has fewer. Parts of complex numbers are read one by one.
template <class In, int Count>
consteval int mma_vector() {
  constexpr int vector = impl::components_of<In> == 1 ? 16 / int(sizeof(In)) : 1;
  return vector < Count ? vector : Count;
}

/// How a thread of a warp reads a panel of a stage for the tensor cores. With g = lane_id / 4 and
/// q = lane_id % 4 it has k + q of Count elements along mn: v g, v g + 1, ..., of which v are
/// adjacent, then again from 8 v on.
///
/// k counts real numbers here: a complex number is two adjacent k, its real part and its imaginary
/// part. Other = 1: not the part that k + q is, but the other part of the same complex number.
template <class In, int Count, int Ld, int TileK, panel_access Access>
class mma_panel {
  using real = impl::real_t<In>;
  static constexpr int parts = impl::components_of<In>;

 public:
  static constexpr int vector = mma_vector<In, Count>(), vectors = Count / vector;
  using fragment = panel_vector<real, vector>;

  KOKKOS_FORCEINLINE_FUNCTION mma_panel(int first_mn, int lane_id)
      : at_((lane_id % 4 / parts * Ld + first_mn + lane_id / 4 * vector) * parts +
            lane_id % 4 % parts) {}

  /// Vector v.
  template <int Other>
  KOKKOS_FORCEINLINE_FUNCTION fragment read(const In* stage, int k, int v) const {
    const real* const from = start<Other>(stage, k) + v * 8 * vector * parts;
    return *reinterpret_cast<const fragment*>(from);
  }
  /// Element i.
  template <int Other>
  KOKKOS_FORCEINLINE_FUNCTION real element(const In* stage, int k, int i) const {
    return start<Other>(stage, k)[(i / vector * 8 * vector + i % vector) * parts];
  }

 private:
  template <int Other>
  KOKKOS_FORCEINLINE_FUNCTION const real* start(const In* stage, int k) const {
    const int at = at_ ^ Other;
    return reinterpret_cast<const real*>(stage) + k * Ld + at;
  }

  int at_;
};

/// The same of a stage that is contiguous in k (k_order).
template <class In, int Count, int Ld, int TileK>
class mma_panel<In, Count, Ld, TileK, panel_access::k_vectors> {
  using real = impl::real_t<In>;
  static constexpr int real_k = TileK * impl::components_of<In>;

 public:
  static constexpr int vector = mma_vector<In, Count>(), vectors = Count / vector;
  using fragment = panel_vector<real, vector>;
  using order = k_order<real, real_k, vector>;

  KOKKOS_FORCEINLINE_FUNCTION mma_panel(int first_mn, int lane_id)
      : at_((first_mn + lane_id / 4) * real_k + lane_id % 4), turn_(order::turn(lane_id / 4)) {}

  template <int Other>
  KOKKOS_FORCEINLINE_FUNCTION fragment read(const In* stage, int k, int v) const {
    fragment f;
    ACC_UNROLL for (int i = 0; i < vector; ++i) {
      f.x[i] = element<Other>(stage, k, v * vector + i);
    }
    return f;
  }
  template <int Other>
  KOKKOS_FORCEINLINE_FUNCTION real element(const In* stage, int k, int i) const {
    const int at = at_ ^ Other;
    return (reinterpret_cast<const real*>(stage) + (at + (k / 4 ^ turn_) * 4))[i * 8 * real_k];
  }

 private:
  int at_, turn_;
};

/// Panels are padded by 32 bytes, of complex numbers by 64: what a warp reads at once, four real or
/// two complex k, is in different banks.
template <class In, tuning::mma_tile_shape Shape>
inline constexpr team_extents mma_extents = {.warps_m = Shape.warps_m,
                                             .warps_n = Shape.warps_n,
                                             .warp_tile_m = 16 * Shape.mma_m,
                                             .warp_tile_n = 8 * Shape.mma_n,
                                             .tile_k = Shape.tile_k,
                                             .stages = Shape.stages,
                                             .smem_padding = 32 * impl::components_of<In>,
                                             .vector_m = mma_vector<In, 2 * Shape.mma_m>(),
                                             .vector_n = mma_vector<In, Shape.mma_n>()};

template <class Problem, tuning::mma_tile_shape Shape, panel_access A, panel_access B, class Ops>
using mma_sums =
    tile_sums<Problem,
              tile_layout<typename Problem::in, mma_extents<typename Problem::in, Shape>, A, B>,
              Ops, Shape.mma_m * Shape.mma_n * 4, Shape.totals_in_smem, Shape.sums, false>;

/// A, B: how the panels reach scratch memory.
template <class Problem, tuning::mma_tile_shape Shape, panel_access A, panel_access B, class Ops>
class mma_tile : public mma_sums<Problem, Shape, A, B, Ops> {
  using base = mma_sums<Problem, Shape, A, B, Ops>;
  using base::chains_;
  using base::panels_;
  using base::parts;
  using typename base::in;
  static constexpr int mma_m = Shape.mma_m, mma_n = Shape.mma_n, mma_k4 = Shape.mma_k4;
  static constexpr int real_k = Shape.tile_k * parts;  ///< of a stage
  static_assert(std::is_same_v<typename Problem::real, double>);
  using product = impl::complex_product;
  /// Of a number of B, real k 2 l + q of part p takes part q if this is 0, otherwise the other
  /// part.
  template <int P>
  static constexpr int other = product::part_of_b(P, 0);
  static_assert(product::part_of_b(0, 1) == (1 ^ other<0>) &&
                product::part_of_b(1, 1) == (1 ^ other<1>));

 public:
  using typename base::layout;
  static constexpr bool conjugates = true;
  static constexpr int teams_per_sm = Shape.teams_per_sm;
  /// Whether chains may be closed while the next strip's first products are multiplied.
  static constexpr bool closes_late = Problem::totals::components > 0;
  /// The same tile with panels that reach scratch memory in other ways.
  template <panel_access OtherA, panel_access OtherB>
  using with_access = mma_tile<Problem, Shape, OtherA, OtherB, Ops>;

  KOKKOS_FORCEINLINE_FUNCTION mma_tile(int thread, void* scratch)
      : base(thread, scratch),
        q_(thread % 4),
        row_(thread / 32 % layout::warps_m * layout::warp_tile_m),
        column_(thread / 32 / layout::warps_m * layout::warp_tile_n),
        g_(thread % 32 / 4),
        rows_(row_, thread % 32),
        columns_(column_, thread % 32) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column, std::int64_t first_k,
                                         std::int64_t end_k) {
    base::begin(p, first_row, first_column, first_k, end_k);
    if constexpr (parts == 2) {
      ACC_UNROLL for (int part = 0; part < 2; ++part) {
        const bool negates = product::negates(part, q_ % 2, p.a.conjugate, p.b.conjugate);
        sign_[part] = negates ? minus : 0;
      }
    }
  }
  /// Waits for the first stage.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void first_stage(const Team& team) {
    panels_.first(team);
    b_ = read_b(0);
    a_ = read_a(0, 0);
  }
  /// Leaves a stage whose last products multiply_some took.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void next_stage(const Team& team) {
    panels_.advance(team);
    b_ = read_b(0);
    a_ = read_a(0, 0);
  }
  /// Multiplies all of the stage, and goes on to the next: the first elements of the next stage are
  /// read before the last of this one are multiplied.
  /// Closes: a strip has ended. Its chains are closed one instruction at a time, while the tensor
  /// cores multiply for others.
  template <bool Closes = false, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_stage(const Team& team) {
    ACC_UNROLL for (int k = 0; k < real_k; k += 4 * mma_k4) {
      ACC_UNROLL for (int s = 0; s < slices; ++s) {
        const bool last = s + 1 == slices;
        const int next_k = last ? (k + 4 * mma_k4) % real_k : k;
        if (last && next_k == 0) panels_.advance(team);
        const a_fragments next_a = read_a(next_k, last ? 0 : s + 1);
        const b_fragments next_b = last ? read_b(next_k) : b_;
        if (Closes && k == 0)
          multiply_slice<true>(s);
        else
          multiply_slice<false>(s);
        a_ = next_a;
        b_ = next_b;
      }
    }
  }
  /// Multiplies k in [first, end) of the stage.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_some(int first, int end) {
    constexpr int four = 4 / parts;  // real k
    ACC_NO_UNROLL for (int k = first / four * four; k < end; k += four) {
      multiply_four(k * parts, first - k, end - k);
    }
  }

  /// Group (v mma_n + n) 2 + f: the vector_m rows of vector v, of column f of instruction n.
  KOKKOS_FORCEINLINE_FUNCTION void write(const Problem& p, const entry_sink<Problem>& sink,
                                         std::int64_t first_row, std::int64_t first_column) const {
    const auto entry = [](int g, int r) {
      const int m = g / 2 / mma_n * vector_m + r, n = g / 2 % mma_n;
      return 4 * (m / 2 * mma_n + n) + m % 2 * 2 + g % 2;
    };
    const auto place = [&](int g) {
      const int n = g / 2 % mma_n;
      return entry_place{first_row + row_ + (g / 2 / mma_n * 8 + g_) * vector_m,
                         first_column + column_ + n / vector_n * 8 * vector_n +
                             (2 * q_ + g % 2) * vector_n + n % vector_n};
    };
    this->template write_groups<vector_m>(p, sink, entry, place);
  }

 private:
  using a_panel = mma_panel<in, 2 * mma_m, layout::a_smem_ld, Shape.tile_k, A>;
  using b_panel = mma_panel<in, mma_n, layout::b_smem_ld, Shape.tile_k, B>;
  static constexpr int vector_m = a_panel::vector, vector_n = b_panel::vector;
  /// A's rows that a thread reads at once, of the two that it has in each instruction: a slice.
  static constexpr int slice = vector_m < 2 ? 2 : vector_m, slices = 2 * mma_m / slice;

  struct a_fragments {
    typename a_panel::fragment x[mma_k4][slice / vector_m];
  };
  struct b_fragments {
    typename b_panel::fragment x[parts][mma_k4][b_panel::vectors];
  };

  /// k + q, k + q + 4 of a thread's rows of slice s, and of its columns.
  KOKKOS_FORCEINLINE_FUNCTION a_fragments read_a(int k, int s) const {
    a_fragments f;
    ACC_UNROLL for (int d = 0; d < mma_k4; ++d) {
      ACC_UNROLL for (int v = 0; v < slice / vector_m; ++v) {
        f.x[d][v] = rows_.template read<0>(panels_.a(), k + 4 * d, s * slice / vector_m + v);
      }
    }
    return f;
  }
  KOKKOS_FORCEINLINE_FUNCTION b_fragments read_b(int k) const {
    b_fragments f;
    ACC_UNROLL for (int d = 0; d < mma_k4; ++d) {
      ACC_UNROLL for (int v = 0; v < b_panel::vectors; ++v) {
        f.x[0][d][v] = columns_.template read<other<0>>(panels_.b(), k + 4 * d, v);
        if constexpr (parts == 2)
          f.x[1][d][v] = columns_.template read<other<1>>(panels_.b(), k + 4 * d, v);
      }
    }
    return f;
  }

  /// Multiplies slice s, whose rows are in a_.
  template <bool Closes>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_slice(int s) {
    double b[parts][mma_n][mma_k4];
    ACC_UNROLL for (int p = 0; p < parts; ++p) {
      ACC_UNROLL for (int n = 0; n < mma_n; ++n) {
        ACC_UNROLL for (int d = 0; d < mma_k4; ++d) {
          b[p][n][d] = with_sign(b_.x[p][d][n / vector_n].x[n % vector_n], p);
        }
      }
    }
    ACC_UNROLL for (int m = 0; m < slice / 2; ++m) {
      double a[mma_k4][2];
      ACC_UNROLL for (int d = 0; d < mma_k4; ++d) {
        ACC_UNROLL for (int h = 0; h < 2; ++h) {
          const int i = 2 * m + h;
          a[d][h] = double(a_.x[d][i / vector_m].x[i % vector_m]);
        }
      }
      ACC_UNROLL for (int n = 0; n < mma_n; ++n) {
        ACC_UNROLL for (int p = 0; p < parts; ++p) {
          const int instruction = (s * slice / 2 + m) * mma_n + n;
          if constexpr (Closes)
            this->template close_entries<4>((p * mma_m * mma_n + instruction) * 4);
          multiply(instruction, p, a, b[p][n]);
        }
      }
    }
  }

  /// Multiplies those in [first, end) of the four real k from k on.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_four(int k, int first, int end) {
    const bool mine = first <= q_ / parts && q_ / parts < end;
    ACC_UNROLL for (int m = 0; m < mma_m; ++m) {
      double a[1][2];
      ACC_UNROLL for (int h = 0; h < 2; ++h) {
        const auto x = rows_.template element<0>(panels_.a(), k, 2 * m + h);
        a[0][h] = mine ? double(x) : -0.0;
      }
      ACC_UNROLL for (int n = 0; n < mma_n; ++n) {
        multiply_part<0>(m, n, k, mine, a);
        if constexpr (parts == 2) multiply_part<1>(m, n, k, mine, a);
      }
    }
  }
  template <int P>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_part(int m, int n, int k, bool mine,
                                                 const double (&a)[1][2]) {
    const auto x = columns_.template element<other<P>>(panels_.b(), k, n);
    const double b[1] = {mine ? with_sign(x, P) : 0.0};
    multiply(m * mma_n + n, P, a, b);
  }

  /// One instruction: adds to part p of its results.
  template <int K4>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(int instruction, int p, const double (&a)[K4][2],
                                            const double (&b)[K4]) {
    const int first = (p * mma_m * mma_n + instruction) * 4;
    double c[4];
    ACC_UNROLL for (int e = 0; e < 4; ++e) { c[e] = chains_[first + e].sum; }
    Ops::multiply(c, a, b);
    ACC_UNROLL for (int e = 0; e < 4; ++e) { chains_[first + e].sum = c[e]; }
  }

  /// What of B enters the sums of part p.
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION double with_sign(Number number, int p) const {
    const double x(number);
    if constexpr (parts == 1) {
      return x;
    } else {
      const std::uint64_t sign = std::uint64_t(sign_[p]) << 32;
      return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x) ^ sign);
    }
  }

  static constexpr std::uint32_t minus = std::uint32_t(1) << 31;
  int q_, row_, column_, g_;  ///< the warp's first row and column; this thread's place in a warp
  a_panel rows_;
  b_panel columns_;
  std::uint32_t sign_[2] = {};  ///< of the numbers of B that enter real and imaginary parts
  a_fragments a_;
  b_fragments b_;
};

}  // namespace acc::backends::cuda

#endif
