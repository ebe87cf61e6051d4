// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_RESIDUES_CONVERT_HPP
#define ACC_BACKENDS_CUDA_RESIDUES_CONVERT_HPP

/// \file
/// Residues of numbers.

#include <acc/backends/cuda/kernels/residue_products.hpp>
#include <acc/backends/cuda/residues/plan.hpp>
#include <acc/core/exact/complex_residues.hpp>
#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/residues.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/gemm/exact_sum.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// The lowest bytes of four words.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packed_bytes(const std::uint32_t (&x)[4]) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(__byte_perm(x[0], x[1], 0x0040), __byte_perm(x[2], x[3], 0x0040), 0x5410);
#else
  std::uint32_t packed = 0;
  for (int j = 0; j < 4; ++j) packed |= (x[j] & 255) << 8 * j;
  return packed;
#endif
}

/// What residue_tables::divisors has at d.
template <int Words>
KOKKOS_FORCEINLINE_FUNCTION impl::byte_divisor<Words> divisor_at(const std::uint32_t* d) {
  impl::byte_divisor<Words> m;
  m.offset = d[0];
  m.number = Kokkos::bit_cast<float>(d[1]);
  m.reciprocal = Kokkos::bit_cast<float>(d[2]);
  m.shift = Kokkos::bit_cast<float>(d[3]);
#pragma unroll
  for (int t = 0; t < Words; ++t) m.weights[t] = d[4 + t];
  return m;
}

/// Residues of some rows of A, or columns of B, at their places, of each plane: a team has 32 of
/// them, or 16 where numbers take 16 bytes, and 128 numbers of each.
template <class Problem, bool OfB>
struct residue_convert_kernel {
  using in = typename Problem::in;
  using operands = impl::exact_operands<in>;
  using real = typename operands::real;
  static constexpr int parts = Problem::parts, planes = impl::residue_planes<parts>;
  static constexpr int rows = sizeof(in) == 16 ? 16 : 32, threads = 8 * rows, chunk = 16;
  static constexpr int depth = residue_blocks::depth, chunks = depth / chunk;
  static_assert(threads == rows * chunks);
  /// One number more for each chunk and row: threads read and write in different banks.
  static constexpr int pitch = depth + chunks + 1;

  operands x;
  residue_rows side;
  const residue_plan* plan;
  const residue_tables* tables;
  std::uint8_t* bytes;  ///< residue_blocks of rows [first, end) and numbers [k_first, k_end)
  std::int64_t first, end, k_first, k_end;
  std::int64_t stride;        ///< bytes from modulus to modulus
  std::int64_t plane_stride;  ///< from plane to plane
  bool along_k;               ///< neighbours in memory

  KOKKOS_FUNCTION std::int64_t row_groups() const { return (end - first + rows - 1) / rows; }
  KOKKOS_FUNCTION std::int64_t teams() const { return row_groups() * depth_blocks(); }
  KOKKOS_FUNCTION std::int64_t depth_blocks() const {
    return (k_end - k_first + depth - 1) / depth;
  }
  static constexpr int divisor_words = residue_tables::divisor_words;
  static constexpr int part_numbers = rows * pitch;
  static constexpr int number_bytes = (parts * part_numbers * int(sizeof(real)) + 15) / 16 * 16;
  static constexpr int scratch_bytes =
      number_bytes + residue_tables::family::count * divisor_words * 4;
  /// As many as have their scratch memory on a multiprocessor (200 KB of it), of 1024 threads.
  static constexpr int teams_per_sm =
      200000 / scratch_bytes < 1024 / threads ? 200000 / scratch_bytes : 1024 / threads;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t index) const {
    auto* const scratch = static_cast<char*>(
        team.team_scratch(0).get_shmem_aligned(std::ptrdiff_t(scratch_bytes), 16));
    auto* const numbers = reinterpret_cast<real*>(scratch);
    auto* const divisors = reinterpret_cast<std::uint32_t*>(scratch + number_bytes);
    const std::int64_t group = index % row_groups();
    const std::int64_t block = index / row_groups();
    const int thread = team.team_rank();
    const std::int64_t row = first + group * rows, k = k_first + block * depth;
    const int words = OfB ? plan->words_b : plan->words_a;
    const std::uint32_t* const of_words = tables->divisors[Kokkos::min(words, 5) - 1][0];
    for (int n = thread; n < residue_tables::family::count * divisor_words; n += threads)
      divisors[n] = of_words[n];
    read(thread, row, k, numbers);
    team.team_barrier();
    place to{row - first, thread, bytes + block * residue_blocks::bytes};
#pragma unroll 1
    for (int plane = 0; plane < planes; ++plane, to.bytes += plane_stride) {
      switch (words) {
        case 1:
          write<1, 16>(numbers, plane, divisors, to);
          break;
        case 2:
          write<2, 16>(numbers, plane, divisors, to);
          break;
        case 3:
          write<3, 8>(numbers, plane, divisors, to);
          break;
        case 4:
          write<4, 8>(numbers, plane, divisors, to);
          break;
        default:
          write<5, 8>(numbers, plane, divisors, to);
      }
    }
  }

 private:
  /// By rows.
  KOKKOS_FORCEINLINE_FUNCTION impl::matrix_data<const in> matrix() const {
    if constexpr (OfB)
      return x.b_.transposed();
    else
      return x.a_;
  }
  /// The team's numbers, from (row, k) on, part after part. What is outside is 0.
  KOKKOS_FORCEINLINE_FUNCTION void read(int thread, std::int64_t row, std::int64_t k,
                                        real* numbers) const {
    constexpr int count = rows * depth / threads;
    const auto m = matrix();
    if (row + rows <= end && k + depth <= k_end) {
      // Places are known when this is compiled, apart from the first.
      if (along_k) {
        const int r = thread / depth, kk = thread % depth;
        constexpr int step = threads / depth;
        copy<count, step * pitch, 0>(&m(row + r, k + kk), step * m.row_stride,
                                     numbers + r * pitch + kk + kk / chunk);
      } else {
        const int r = thread % rows, kk = thread / rows;
        constexpr int step = threads / rows;
        static_assert(chunk == 2 * step);
        copy<count, step, 1>(&m(row + r, k + kk), step * m.column_stride, numbers + r * pitch + kk);
      }
      return;
    }
    // A thread's numbers: as many rows apart, or as many k.
    const int r_first = along_k ? thread / depth : thread % rows;
    const int k_first_of = along_k ? thread % depth : thread / rows;
    const int r_step = along_k ? threads / depth : 0, k_step = along_k ? 0 : threads / rows;
#pragma unroll 4
    for (int n = 0; n < count; ++n) {
      const int r = r_first + n * r_step, kk = k_first_of + n * k_step;
      const bool inside = row + r < end && k + kk < k_end;
      for (int p = 0; p < parts; ++p)
        numbers[p * part_numbers + r * pitch + kk + kk / chunk] =
            inside ? part(&m(row + r, k + kk), p) : real(0);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static real part(const in* x, int p) {
    if constexpr (parts == 1)
      return real(*x);
    else
      return operands::part(*x, p);
  }
  /// Count numbers `from_step` apart to places ToStep apart, and Gap more after each second one.
  template <int Count, int ToStep, int Gap>
  KOKKOS_FORCEINLINE_FUNCTION static void copy(const in* from, std::int64_t from_step, real* to) {
    constexpr int together = Count / parts;
#pragma unroll
    for (int first = 0; first < Count; first += together) {
      real batch[parts][together];
#pragma unroll
      for (int n = 0; n < together; ++n, from += from_step)
        for (int p = 0; p < parts; ++p) batch[p][n] = part(from, p);
#pragma unroll
      for (int n = 0; n < together; ++n)
        for (int p = 0; p < parts; ++p)
          to[p * part_numbers + (first + n) * ToStep + (first + n) / 2 * Gap] = batch[p][n];
    }
  }

  /// The team's first row in the block of C, and where the first block of residues is to be.
  struct place {
    std::int64_t row;
    int thread;
    std::uint8_t* bytes;
  };
  /// Together: so many numbers at once. Neighbouring threads write neighbouring bytes.
  template <int Words, int Together>
  KOKKOS_FORCEINLINE_FUNCTION void write(const real* numbers, int plane,
                                         const std::uint32_t* divisors, const place& team) const {
    const bool conjugates = OfB ? x.b_.conjugate : x.a_.conjugate;
    constexpr int of_row = depth / Together, rows_at_once = threads / of_row;
    const int at_k = team.thread % of_row * Together;
#pragma unroll 1
    for (int pass = 0; pass < rows / rows_at_once; ++pass) {
      const int r = team.thread / of_row + pass * rows_at_once;
      const std::int64_t row = first + team.row + r;
      if (row >= end) return;
      const impl::row_scale s = side.scales[row];
      const std::int64_t place = side.places[row], at = place - first;
      const int moduli = side.group_moduli[place / residue_rows::group];
      const real* const from = numbers + r * pitch + at_k + at_k / chunk;
      std::uint32_t u[Together][Words];
#pragma unroll
      for (int j = 0; j < Together; ++j) {
        const auto part_of = [&](int p) {
          return s.finite() ? from[p * part_numbers + j] : real(0);
        };
        if constexpr (parts == 1)
          impl::biased_integer(part_of(0), s.unit, u[j]);
        else
          impl::biased_integer_of_plane(part_of(0), conjugates ? -part_of(1) : part_of(1), plane,
                                        s.unit, u[j]);
      }
      std::uint8_t* to = team.bytes +
                         at / residue_blocks::rows * depth_blocks() * residue_blocks::bytes +
                         at % residue_blocks::rows * residue_blocks::depth +
                         (at_k / chunk ^ int(at & 7)) * chunk + at_k % chunk;
      const std::uint32_t* d = divisors;
#pragma unroll 1
      for (int l = 0; l < moduli; ++l, d += divisor_words, to += stride) {
        const impl::byte_divisor<Words> m = divisor_at<Words>(d);
        std::uint32_t packed[Together / 4];
#pragma unroll
        for (int q = 0; q < Together / 4; ++q) {
          std::uint32_t byte[4];
#pragma unroll
          for (int j = 0; j < 4; ++j) byte[j] = impl::byte_residue(u[4 * q + j], m);
          packed[q] = packed_bytes(byte);
        }
        auto* const word = reinterpret_cast<std::uint32_t*>(to);
#if defined(__CUDA_ARCH__)
        if constexpr (Together == 16)
          *reinterpret_cast<uint4*>(word) = make_uint4(packed[0], packed[1], packed[2], packed[3]);
        else
          *reinterpret_cast<uint2*>(word) = make_uint2(packed[0], packed[1]);
#else
        for (int q = 0; q < Together / 4; ++q) word[q] = packed[q];
#endif
      }
    }
  }
};

}  // namespace acc::backends::cuda

#endif
