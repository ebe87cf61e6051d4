// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_RESIDUES_RANGES_HPP
#define ACC_BACKENDS_CUDA_RESIDUES_RANGES_HPP

/// \file
/// What bits the numbers of rows and columns hold, the sums of their squares, and whether a number
/// has a sign.

#include <acc/core/exact/row_norm.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// The bits that numbers hold, as words that maximum merges, and their squares' sum (row_norm.hpp);
/// 0 of none. In memory the sum has a sign where one of the numbers has: merged ranges have not.
struct merged_range {
  static constexpr int far = impl::number_range::far;
  std::uint32_t top, low;
  double squares;

  KOKKOS_FORCEINLINE_FUNCTION bool has_sign() const { return Kokkos::signbit(squares); }
  KOKKOS_FORCEINLINE_FUNCTION merged_range with_sign(bool has) const {
    return {top, low, has ? -squares : squares};
  }
  KOKKOS_FORCEINLINE_FUNCTION impl::number_range range() const {
    return {int(top) - far, far - int(low)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void merge(const merged_range& b) {
    if (b.top > top) top = b.top;
    if (b.low > low) low = b.low;
    squares += Kokkos::abs(b.squares);
  }
  KOKKOS_FORCEINLINE_FUNCTION void merge_atomically(const merged_range& b) {
    Kokkos::atomic_max(&top, b.top);
    Kokkos::atomic_max(&low, b.low);
    Kokkos::atomic_add(&squares, Kokkos::abs(b.squares));
  }
};

/// The ranges of a matrix' rows. A team has some rows and a part of k: a range for each of both, in
/// memory that is not zero before.
template <class T>
struct residue_ranges_kernel {
  static constexpr int rows = 32, threads = 256, warps = threads / 32;
  static constexpr int teams_per_sm = 4;
  /// For a part's numbers of a row at least.
  static constexpr std::int64_t least_depth = 256;
  struct shared {
    merged_range merged[rows];
    std::uint32_t have_sign;  ///< a bit for each row
  };
  static constexpr int scratch_bytes = sizeof(shared);
  using real = typename impl::exact_operands<T>::real;

  impl::matrix_data<const T> m;
  merged_range* ranges;  ///< part after part, of all rows
  std::int64_t depth;    ///< of a part
  /// What other kernels want to be zero after this one, which saves a launch.
  std::uint64_t* zeros = nullptr;
  std::int64_t zero_count = 0;

  /// Parts of k for so many rows: few for many rows, as one team reads all ranges, and they take
  /// memory.
  static int parts_for(std::int64_t rows_of_m, std::int64_t k) {
    const std::int64_t most = rows_of_m > 1 << 20 ? 1
                              : rows_of_m > 2048  ? 4
                              : rows_of_m < 256   ? 32
                                                  : 8192 / rows_of_m;
    const std::int64_t parts = (k + least_depth - 1) / least_depth;
    return int(parts < 1 ? 1 : parts < most ? parts : most);
  }
  residue_ranges_kernel(const impl::matrix_data<const T>& matrix, merged_range* memory)
      : m(matrix), ranges(memory), depth(1) {
    const int n = parts_for(m.rows, m.columns);
    if (m.columns > 0) depth = ((m.columns + n - 1) / n + 31) / 32 * 32;
  }
  KOKKOS_FUNCTION std::int64_t grid_rows() const { return (m.rows + rows - 1) / rows; }
  /// As many as parts_for, or less where the last ones were empty.
  KOKKOS_FUNCTION int parts() const { return int((m.columns + depth - 1) / depth); }
  KOKKOS_FUNCTION std::int64_t teams() const { return grid_rows() * parts(); }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t index) const {
    shared& s = *static_cast<shared*>(
        team.team_scratch(0).get_shmem_aligned(std::ptrdiff_t(scratch_bytes), 16));
    const std::int64_t grid = (m.rows + rows - 1) / rows;
    const std::int64_t first_row = index % grid * rows;
    const std::int64_t part = index / grid, first = part * depth;
    const std::int64_t end = first + depth < m.columns ? first + depth : m.columns;
    const int lane = team.team_rank() % 32, warp = team.team_rank() / 32;
    for (std::int64_t i = index * threads + team.team_rank(); i < zero_count;
         i += teams() * threads)
      zeros[i] = 0;
    if (warp == 0) s.merged[lane] = {0, 0, 0};
    if (team.team_rank() == 0) s.have_sign = 0;
    team.team_barrier();
    if (m.row_stride == 1 || m.column_stride != 1) {
      const std::int64_t i = first_row + lane;
      if (i < m.rows && first + warp < end)
        put(s, lane,
            range_of(&m(i, first + warp), warps * m.column_stride,
                     int(end - first - warp + warps - 1) / warps));
    } else {
      for (int n = warp; n < rows && first_row + n < m.rows; n += warps) {
        found f = range_of(&m(first_row + n, first + lane), 32, int(end - first - lane + 31) / 32);
#if defined(__CUDA_ARCH__)
        f.range.top = __reduce_max_sync(0xffffffffu, f.range.top);
        f.range.low = __reduce_min_sync(0xffffffffu, f.range.low);
        for (int step = 16; step > 0; step /= 2)
          f.squares += __shfl_xor_sync(0xffffffffu, f.squares, step);
        f.has_sign = __any_sync(0xffffffffu, f.has_sign);
        if (lane != 0) continue;
#endif
        put(s, n, f);
      }
    }
    team.team_barrier();
    if (warp == 0 && first_row + lane < m.rows)
      ranges[part * m.rows + first_row + lane] =
          s.merged[lane].with_sign((s.have_sign >> lane & 1) != 0);
  }

 private:
  struct found {
    impl::number_range range;
    double squares;
    bool has_sign;
  };
  struct sums {
    impl::number_range_sum<real> range;
    impl::square_sum<real> squares;

    KOKKOS_FORCEINLINE_FUNCTION void add(real x) {
      range.add(x);
      squares.add(x);
    }
    KOKKOS_FORCEINLINE_FUNCTION void add_scalar(const T& x) {
      if constexpr (impl::components_of<T> == 2) {
        add(x.real());
        add(x.imag());
      } else {
        add(real(x));
      }
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION static found range_of(const T* x, std::int64_t step, int count) {
    // So many loads are under way at once.
    constexpr int together = 16;
    static_assert(2 * together <= impl::square_sum<real>::most_together);
    sums s;
    for (; count >= together; count -= together) {
      T batch[together];
#pragma unroll
      for (int n = 0; n < together; ++n, x += step) batch[n] = *x;
#pragma unroll
      for (int n = 0; n < together; ++n) s.add_scalar(batch[n]);
      s.squares.end_batch();
    }
    for (; count > 0; --count, x += step) s.add_scalar(*x);
    s.squares.end_batch();
    return {s.range.range(), s.squares.sum(), s.range.has_sign()};
  }
  KOKKOS_FORCEINLINE_FUNCTION static void put(shared& s, int row, const found& f) {
    constexpr int far = merged_range::far;
    s.merged[row].merge_atomically(
        {std::uint32_t(f.range.top + far), std::uint32_t(far - f.range.low), f.squares});
    if (f.has_sign) Kokkos::atomic_or(&s.have_sign, std::uint32_t(1) << row);
  }
};

}  // namespace acc::backends::cuda

#endif
