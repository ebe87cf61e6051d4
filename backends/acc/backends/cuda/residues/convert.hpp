// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_RESIDUES_CONVERT_HPP
#define ACC_BACKENDS_CUDA_RESIDUES_CONVERT_HPP

/// \file
/// Residues of numbers.

#include <acc/backends/cuda/kernels/residue_products.hpp>
#include <acc/backends/cuda/residues/plan.hpp>
#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/residues.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/gemm/exact_sum.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// Residues of some rows of A, or columns of B: a team has 32 of them, and 128 numbers of each.
template <class Problem, bool OfB>
struct residue_convert_kernel {
  using operands = impl::exact_operands<typename Problem::in>;
  using real = typename operands::real;
  static constexpr int rows = 32, threads = 256, chunk = 16;
  static constexpr int depth = residue_blocks::depth, chunks = depth / chunk;
  static_assert(threads == rows * chunks);
  /// One number more for each chunk and row: threads read and write in different banks.
  static constexpr int pitch = depth + chunks + 1;

  operands x;
  const impl::row_scale* scales;  ///< of scalars' rows or columns
  const residue_plan* plan;
  const residue_tables* tables;
  std::uint8_t* bytes;  ///< residue_blocks of rows [first, end) and numbers [k_first, k_end)
  std::int64_t first, end, k_first, k_end;
  std::int64_t stride;  ///< bytes from modulus to modulus
  bool along_k;         ///< neighbours in memory

  KOKKOS_FUNCTION std::int64_t row_groups() const { return (end - first + rows - 1) / rows; }
  KOKKOS_FUNCTION std::int64_t teams() const { return row_groups() * depth_blocks(); }
  KOKKOS_FUNCTION std::int64_t depth_blocks() const {
    return (k_end - k_first + depth - 1) / depth;
  }
  /// So many numbers of three words at once: what fits into the registers of three teams.
  static constexpr int large = sizeof(real) == 8 ? 16 : 8, teams_per_sm = 3;
  /// Of a modulus: byte_divisor's words.
  static constexpr int divisor_words = 8;
  static constexpr int number_bytes = (rows * pitch * int(sizeof(real)) + 15) / 16 * 16;
  static constexpr int scratch_bytes =
      number_bytes + residue_tables::family::count * divisor_words * 4;

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
    if (thread < residue_tables::family::count * divisor_words) {
      const impl::modulus_constants& m = tables->modulus[thread / divisor_words];
      const int w = thread % divisor_words;
      divisors[thread] = w == 0   ? m.p
                         : w == 1 ? m.upper
                         : w == 2 ? m.offset[Kokkos::min(words, 5) - 1]
                                  : m.weights[w - 3];
    }
    // A thread's numbers: as many rows apart, or as many k.
    constexpr int count = rows * depth / threads;
    const int r_first = along_k ? thread / depth : thread % rows;
    const int k_at = along_k ? thread % depth : thread / rows;
    const int r_step = along_k ? threads / depth : 0, k_step = along_k ? 0 : threads / rows;
    if constexpr (Problem::parts == 1) {
      const auto& m = matrix();
      const std::int64_t row_stride = OfB ? m.column_stride : m.row_stride;
      const std::int64_t k_stride = OfB ? m.row_stride : m.column_stride;
      const auto* from = m.data + (row + r_first) * row_stride + (k + k_at) * k_stride;
      const std::int64_t step = r_step * row_stride + k_step * k_stride;
      const std::int64_t left = along_k ? (k + k_at < k_end ? end - row - r_first : 0)
                                        : (row + r_first < end ? k_end - k - k_at : 0);
#pragma unroll
      for (int n = 0; n < count; ++n) {
        const int kk = k_at + n * k_step;
        const bool inside = n * (r_step + k_step) < left;
        numbers[(r_first + n * r_step) * pitch + kk + kk / chunk] =
            inside ? real(from[n * step]) : real(0);
      }
    } else {
#pragma unroll 8
      for (int n = 0; n < count; ++n) {
        const int r = r_first + n * r_step, kk = k_at + n * k_step;
        const bool inside = row + r < end && k + kk < k_end;
        numbers[r * pitch + kk + kk / chunk] = inside ? number(row + r, k + kk) : real(0);
      }
    }
    team.team_barrier();
    const int r = thread / chunks, c = thread % chunks;
    const std::int64_t i = row + r;
    if (i >= end) return;
    const impl::row_scale s = scales[OfB ? i / Problem::parts : i];
    const real* const from = numbers + r * pitch + c * (chunk + 1);
    const std::int64_t at = i - first;
    std::uint8_t* const to =
        bytes + (at / residue_blocks::rows * depth_blocks() + block) * residue_blocks::bytes +
        at % residue_blocks::rows * residue_blocks::depth + (c ^ int(at & 7)) * chunk;
    switch (words) {
      case 1:
        return write<1, 16>(from, divisors, s, to);
      case 2:
        return write<2, 16>(from, divisors, s, to);
      case 3:
        return write<3, large>(from, divisors, s, to);
      case 4:
        return write<4, 8>(from, divisors, s, to);
      default:
        return write<5, 8>(from, divisors, s, to);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION const auto& matrix() const {
    if constexpr (OfB)
      return x.b_;
    else
      return x.a_;
  }
  /// The lowest bytes of four words.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t packed_bytes(const std::uint32_t (&x)[4]) {
#if defined(__CUDA_ARCH__)
    return __byte_perm(__byte_perm(x[0], x[1], 0x0040), __byte_perm(x[2], x[3], 0x0040), 0x5410);
#else
    std::uint32_t packed = 0;
    for (int j = 0; j < 4; ++j) packed |= (x[j] & 255) << 8 * j;
    return packed;
#endif
  }
  KOKKOS_FORCEINLINE_FUNCTION real number(std::int64_t i, std::int64_t k) const {
    return OfB ? x.b(k, i) : x.a(i, k);
  }
  /// Together: so many numbers at once.
  template <int Words, int Together>
  KOKKOS_FORCEINLINE_FUNCTION void write(const real* from, const std::uint32_t* divisors,
                                         const impl::row_scale& s, std::uint8_t* to) const {
    const int moduli = plan->moduli;
    for (int n = 0; n < chunk; n += Together) {
      std::uint32_t u[Together][Words];
#pragma unroll
      for (int j = 0; j < Together; ++j)
        impl::biased_integer(s.finite() ? from[n + j] : real(0), s.unit, u[j]);
#pragma unroll 2
      for (int l = 0; l < moduli; ++l) {
        impl::byte_divisor<Words> m;
        const std::uint32_t* const d = divisors + l * divisor_words;
        m.p = d[0];
        m.upper = d[1];
        m.offset = d[2];
#pragma unroll
        for (int t = 0; t < Words; ++t) m.weights[t] = d[3 + t];
        std::uint32_t packed[Together / 4];
#pragma unroll
        for (int q = 0; q < Together / 4; ++q) {
          std::uint32_t byte[4];
#pragma unroll
          for (int j = 0; j < 4; ++j)
            byte[j] = std::uint32_t(impl::byte_residue(u[4 * q + j], m) + 128);
          packed[q] = packed_bytes(byte) ^ 0x80808080u;  // less 128 again
        }
        auto* const word = reinterpret_cast<std::uint32_t*>(to + l * stride + n);
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
