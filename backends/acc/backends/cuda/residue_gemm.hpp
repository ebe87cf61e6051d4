// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_RESIDUE_GEMM_HPP
#define ACC_BACKENDS_CUDA_RESIDUE_GEMM_HPP

/// \file
/// Exact matrix products on Hopper by residues modulo small numbers (core/exact/moduli.hpp), five
/// kernels after one another:
///  - residue_ranges_kernel: what bits the numbers of each row of op(A) and column of op(B) hold;
///  - residue_plan_kernel: units, which rows and columns the moduli hold, and how many moduli;
///  - residue_convert_kernel: residues, a byte each, in the layout of the products;
///  - kernels/residue_products.cpp: their products on the integer tensor cores;
///  - residue_finish_kernel: the integers that these are, each rounded once.
/// The number of moduli stays on the device, so the caller's stream does not wait.
///
/// Rows and columns that the moduli do not hold, and those with infinities or NaN, go to the
/// windows of generic/exact_gemm.hpp. An entry's bits depend on neither.

#include <acc/backends/cuda/gemm/launch_check.hpp>
#include <acc/backends/cuda/kernels/residue_products.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/generic/exact_gemm.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/exact/crt.hpp>
#include <acc/core/exact/exact_part.hpp>
#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/residues.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/exact/scaled_integer.hpp>
#include <acc/core/gemm/exact_entry.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// What the plan kernel finds, and the kernels after it read.
struct residue_plan {
  int moduli;
  int words_a, words_b;  ///< of the integers in rows of A and columns of B
  int others;            ///< whether a row or a column does not fit
};

/// The bits that numbers hold, as words that maximum merges; 0 of none.
struct merged_range {
  static constexpr int far = impl::number_range::far;
  std::uint32_t top, low;

  KOKKOS_FORCEINLINE_FUNCTION impl::number_range range() const {
    return {int(top) - far, far - int(low)};
  }
};

/// Two kernels of teams in one launch: the first has so many teams.
template <class First, class Second>
struct both_kernels {
  First first;
  Second second;
  std::int64_t first_teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t index = team.league_rank();
    if (index < first_teams)
      first.run(team, index);
    else
      second.run(team, index - first_teams);
  }
};

/// The ranges of a matrix' rows. A team has some rows and a part of k.
template <class T>
struct residue_ranges_kernel {
  static constexpr int rows = 32, depth = 1024, threads = 256, warps = threads / 32;
  static constexpr int teams_per_sm = 4;
  using sum = impl::number_range_sum<typename impl::exact_operands<T>::real>;

  impl::matrix_data<const T> m;
  merged_range* ranges;  ///< zeros before

  std::int64_t grid_rows() const { return (m.rows + rows - 1) / rows; }
  std::int64_t teams() const { return grid_rows() * ((m.columns + depth - 1) / depth); }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t index) const {
    const std::int64_t grid = (m.rows + rows - 1) / rows;
    const std::int64_t first_row = index % grid * rows;
    const std::int64_t first = index / grid * depth;
    const std::int64_t end = first + depth < m.columns ? first + depth : m.columns;
    const int lane = team.team_rank() % 32, warp = team.team_rank() / 32;
    if (m.row_stride == 1 || m.column_stride != 1) {
      const std::int64_t i = first_row + lane;
      if (i >= m.rows || first + warp >= end) return;
      put(i, range_of(&m(i, first + warp), warps * m.column_stride,
                      int(end - first - warp + warps - 1) / warps));
    } else {
      for (int n = warp; n < rows; n += warps) {
        const std::int64_t i = first_row + n;
        if (i >= m.rows) return;
        impl::number_range r = range_of(&m(i, first + lane), 32, int(end - first - lane + 31) / 32);
#if defined(__CUDA_ARCH__)
        r.top = __reduce_max_sync(0xffffffffu, r.top);
        r.low = __reduce_min_sync(0xffffffffu, r.low);
        if (lane != 0) continue;
#endif
        put(i, r);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static impl::number_range range_of(const T* x, std::int64_t step,
                                                                 int count) {
    // So many loads are under way at once.
    constexpr int together = 16;
    sum r;
    for (; count >= together; count -= together) {
      T batch[together];
#pragma unroll
      for (int n = 0; n < together; ++n, x += step) batch[n] = *x;
#pragma unroll
      for (int n = 0; n < together; ++n) add(r, batch[n]);
    }
    for (; count > 0; --count, x += step) add(r, *x);
    return r.range();
  }
  KOKKOS_FORCEINLINE_FUNCTION static void add(sum& r, const T& x) {
    if constexpr (impl::components_of<T> == 2) {
      r.add(x.real());
      r.add(x.imag());
    } else {
      r.add(typename impl::exact_operands<T>::real(x));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(std::int64_t i, const impl::number_range& r) const {
    constexpr int far = merged_range::far;
    Kokkos::atomic_max(&ranges[i].top, std::uint32_t(r.top + far));
    Kokkos::atomic_max(&ranges[i].low, std::uint32_t(far - r.low));
  }
};

/// Units of rows and columns, and the plan, by one team.
template <class Problem>
struct residue_plan_kernel {
  using family = impl::byte_moduli;
  static constexpr int threads = 1024;

  std::int64_t rows, columns;
  const merged_range *row_ranges, *column_ranges;
  impl::row_scale *row_scales, *column_scales;
  residue_plan* plan;
  int bits;        ///< of fixed_point
  int depth_bits;  ///< of the number of products
  int most, more;  ///< moduli; more than are needed
  int capacity[family::count + 1];

  residue_plan_kernel(int most_moduli, int more_moduli) : most(most_moduli), more(more_moduli) {
    capacity[0] = -1;
    for (int l = 1; l <= family::count; ++l) capacity[l] = impl::capacity<family>(l);
  }

  struct maxima {
    int widest[2], width[2], others;
  };
  static constexpr int scratch_bytes = sizeof(maxima);

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const found = static_cast<maxima*>(
        team.team_scratch(0).get_shmem_aligned(std::ptrdiff_t(scratch_bytes), 16));
    if (team.team_rank() == 0) *found = {{0, 0}, {0, 0}, 0};
    team.team_barrier();
    units(team.team_rank(), rows, row_ranges, row_scales, found->widest[0]);
    units(team.team_rank(), columns, column_ranges, column_scales, found->widest[1]);
    team.team_barrier();
    // Where the widest of both do not fit together, each has half of the bits, or what the others
    // leave of them.
    const int limit = capacity[most] - depth_bits, half = limit / 2;
    constexpr int longest = 32 * impl::modulus_constants::max_words - 2;
    const int most_a = Kokkos::min(longest, limit - Kokkos::min(found->widest[1], half));
    const int most_b = Kokkos::min(longest, limit - Kokkos::min(found->widest[0], limit - half));
    fit(team.team_rank(), rows, row_scales, most_a, found->width[0], found->others);
    fit(team.team_rank(), columns, column_scales, most_b, found->width[1], found->others);
    team.team_barrier();
    if (team.team_rank() != 0) return;
    const int width_a = found->width[0], width_b = found->width[1];
    int l = 1;
    while (l < most && capacity[l] < width_a + width_b + depth_bits) ++l;
    *plan = {Kokkos::min(l + more, most), impl::words_for(width_a), impl::words_for(width_b),
             found->others};
  }

 private:
  /// So many loads of a thread are under way at once.
  static constexpr int together = 8;

  /// The maximum of all threads' numbers, none of them negative.
  KOKKOS_FORCEINLINE_FUNCTION static void raise(int& all, int x) {
#if defined(__CUDA_ARCH__)
    x = __reduce_max_sync(0xffffffffu, x);
    if (threadIdx.y % 32 != 0) return;
#endif
    if (x > 0) Kokkos::atomic_max(&all, x);
  }
  KOKKOS_FORCEINLINE_FUNCTION void units(int thread, std::int64_t n, const merged_range* ranges,
                                         impl::row_scale* scales, int& widest) const {
    int most_width = 0;
    for (std::int64_t first = thread; first < n; first += together * threads) {
      merged_range batch[together];
#pragma unroll
      for (int u = 0; u < together; ++u)
        if (first + u * threads < n) batch[u] = ranges[first + u * threads];
#pragma unroll
      for (int u = 0; u < together; ++u) {
        if (first + u * threads >= n) continue;
        impl::row_scale s;
        if constexpr (impl::cuts_numbers<typename Problem::method>)
          s = impl::cut_scale_of(batch[u].range(), bits);
        else
          s = impl::scale_of(batch[u].range());
        scales[first + u * threads] = s;
        if (s.finite() && s.width > most_width) most_width = s.width;
      }
    }
    raise(widest, most_width);
  }
  /// The widest of those that fit. Others count as infinite. A thread reads what it wrote.
  KOKKOS_FORCEINLINE_FUNCTION void fit(int thread, std::int64_t n, impl::row_scale* scales,
                                       int most_width, int& width, int& others) const {
    int widest = 0, without = 0;
    for (std::int64_t first = thread; first < n; first += together * threads) {
      int batch[together];
#pragma unroll
      for (int u = 0; u < together; ++u)
        batch[u] = first + u * threads < n ? scales[first + u * threads].width : 0;
#pragma unroll
      for (int u = 0; u < together; ++u) {
        if (batch[u] <= most_width) {
          if (batch[u] > widest) widest = batch[u];
        } else {
          scales[first + u * threads].width = impl::number_range::far;
          without = 1;
        }
      }
    }
    raise(width, widest);
    raise(others, without);
  }
};

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

/// Four numbers below 2^32 in words of 64 bits: `combine` reads its constants once for all.
struct word_quad {
  std::uint64_t x[4];

  word_quad() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit word_quad(std::uint64_t v) : x{v, v, v, v} {}
  KOKKOS_FORCEINLINE_FUNCTION friend word_quad operator+(word_quad a, const word_quad& b) {
    for (int i = 0; i < 4; ++i) a.x[i] += b.x[i];
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend word_quad operator-(word_quad a, const word_quad& b) {
    for (int i = 0; i < 4; ++i) a.x[i] -= b.x[i];
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend word_quad wide_product(word_quad a, std::uint32_t b) {
    for (int i = 0; i < 4; ++i) a.x[i] = std::uint64_t(std::uint32_t(a.x[i])) * b;
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend word_quad lower_word(word_quad a) {
    for (int i = 0; i < 4; ++i) a.x[i] = std::uint32_t(a.x[i]);
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend word_quad upper_word(word_quad a) {
    for (int i = 0; i < 4; ++i) a.x[i] >>= 32;
    return a;
  }
};

/// Entries from residues: a thread has a word of four residues of each modulus (residue_tile).
/// RoundsOnly: alpha is 1, beta is 0, and the result is float or double. Most: moduli.
template <class Problem, bool RoundsOnly, int Most>
struct residue_finish_kernel {
  using family = impl::byte_moduli;
  static constexpr int parts = Problem::parts;

  Problem problem;
  const impl::row_scale *row_scales, *column_scales;
  const residue_plan* plan;
  const residue_tables* tables;
  const std::uint32_t* residues;
  int x_tiles, y_tiles;
  std::int64_t first_row, end_row, first_column, end_column;  ///< of the block; columns of parts
  int k_parts;
  bool y_is_rows;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const int tile = int(n / residue_tile::words), w = int(n % residue_tile::words);
    const int thread = w / 4 % 128, j = 4 * (w / 512 % 8) + w % 4;
    const int x = 64 * (w / 4096) + 16 * (thread / 32) + thread % 32 / 4;
    const int y = 8 * j + 2 * (thread % 4);
    const std::int64_t x_at = std::int64_t(tile / y_tiles) * residue_tile::x + x;
    const std::int64_t y_at = std::int64_t(tile % y_tiles) * residue_tile::y + y;
    const std::int64_t i = first_row + (y_is_rows ? y_at : x_at);
    const std::int64_t column = first_column + (y_is_rows ? x_at : y_at);
    if (i >= end_row || column >= end_column) return;
    // Groups of moduli, and the words that so many moduli need.
    const int moduli = plan->moduli;
    if (moduli <= 3) return entries<3>(n, i, column);
    if (moduli <= 6) return entries<6>(n, i, column);
    if (moduli <= 8) return entries<8>(n, i, column);
    if (moduli <= 9) return entries<9>(n, i, column);
    if (moduli <= 12) return entries<12>(n, i, column);
    if (moduli <= 15) return entries<15>(n, i, column);
    if (moduli <= 16) return entries<16>(n, i, column);
    if constexpr (Most > 16) {
      if (moduli <= 18) return entries<18>(n, i, column);
      if (moduli <= 21) return entries<21>(n, i, column);
      return entries<24>(n, i, column);
    }
  }

 private:
  /// Residues of the parts of k, added.
  KOKKOS_FUNCTION std::uint32_t added(std::uint32_t first, int l, int moduli, std::int64_t plane,
                                      std::int64_t n) const {
    std::uint32_t sum[4], packed = 0;
    for (int e = 0; e < 4; ++e) sum[e] = first >> 8 * e & 255;
    for (int q = 1; q < k_parts; ++q) {
      const std::uint32_t next = residues[(std::int64_t(q) * moduli + l) * plane + n];
      for (int e = 0; e < 4; ++e) sum[e] += next >> 8 * e & 255;
    }
    for (int e = 0; e < 4; ++e)
      packed |= impl::residue_of_sum(std::int32_t(sum[e]), tables->modulus[l]) << 8 * e;
    return packed;
  }

  /// Upto: so many moduli at most.
  template <int Upto, int Groups = impl::groups_of<family>(Upto),
            int Words = impl::words_of_moduli<family>(Upto)>
  KOKKOS_FORCEINLINE_FUNCTION void entries(std::int64_t n, std::int64_t i,
                                           std::int64_t column) const {
    constexpr int most = Groups * family::group;
    const int moduli = plan->moduli;
    const std::int64_t plane = std::int64_t(x_tiles) * y_tiles * residue_tile::words;
    std::uint32_t packed[most];
#pragma unroll
    for (int l = 0; l < most; ++l) packed[l] = l < moduli ? residues[l * plane + n] : 0;
    if (k_parts > 1) {
#pragma unroll
      for (int l = 0; l < most; ++l)
        if (l < moduli) packed[l] = added(packed[l], l, moduli, plane, n);
    }
    word_quad r[most], v[Words];
#pragma unroll
    for (int l = 0; l < most; ++l)
#pragma unroll
      for (int e = 0; e < 4; ++e) r[l].x[e] = packed[l] >> 8 * e & 255;
    impl::combine<Groups, Words>(tables->crt[moduli - 1], r, v);
    // Residue e: X's row x + 8 (e / 2), Y's y + e % 2. What is outside does not fit, either.
    impl::row_scale of_x[2], of_y[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const std::int64_t row = i + (y_is_rows ? e : 8 * e), c = column + (y_is_rows ? 8 * e : e);
      const impl::row_scale outside = {0, impl::number_range::far};
      const impl::row_scale of_row = row < end_row ? row_scales[row] : outside;
      const impl::row_scale of_column = c < end_column ? column_scales[c / parts] : outside;
      of_x[e] = y_is_rows ? of_column : of_row;
      of_y[e] = y_is_rows ? of_row : of_column;
    }
    auto* const c = &problem.c(i, column / parts);
    const std::int64_t down = problem.c.row_stride, across = problem.c.column_stride;
    const std::int64_t next_x = 8 * (y_is_rows ? across : down), next_y = y_is_rows ? down : across;
#pragma unroll
    for (int e = 0; e < 4; e += parts) {
      const impl::row_scale a = of_x[e / 2], b = of_y[e % 2];
      if (!a.finite() || !b.finite()) continue;
      const std::int64_t at_i = i + (y_is_rows ? e % 2 : 8 * (e / 2));
      const std::int64_t at_j = column / parts + (y_is_rows ? 8 * (e / 2) : e % 2);
      if constexpr (RoundsOnly) {
        std::uint64_t word[Words], any = 0;
#pragma unroll
        for (int q = 0; q < Words; ++q) any |= word[q] = v[q].x[e];
        using out = typename Problem::out;
        c[(e / 2) * next_x + (e % 2) * next_y] =
            any != 0 ? impl::rounded_words<out, Words>(word, a.unit + b.unit)
                     : impl::zero_sum<out>(kinds(at_i, at_j));
      } else {
        impl::exact_part<Words> s[parts];
        for (int part = 0; part < parts; ++part) {
          std::uint64_t word[Words], any = 0;
#pragma unroll
          for (int q = 0; q < Words; ++q) any |= word[q] = v[q].x[e + part];
          s[part].magnitude = impl::carried_integer<Words>(word);
          s[part].unit = a.unit + b.unit;
          s[part].kinds =
              any == 0 ? kinds(at_i, parts * at_j + part) : element_kinds{element_kinds::nonzero};
          s[part].settle();
        }
        impl::write_exact_entry(problem, at_i, at_j, s);
      }
    }
  }

  /// Of the products of a real entry whose sum is zero.
  KOKKOS_FUNCTION element_kinds kinds(std::int64_t i, std::int64_t column) const {
    const impl::exact_operands<typename Problem::in> operands{problem.a, problem.b};
    constexpr bool cuts = impl::cuts_numbers<typename Problem::method>;
    constexpr bool rounds = !impl::is_entry_accumulator<typename Problem::out>;
    return impl::kinds_of_products<cuts, rounds>(operands, i, column);
  }
};

/// Entries in rows and columns that the moduli do not hold.
struct unfitting_entries {
  const impl::row_scale *rows, *columns;
  const residue_plan* plan;

  KOKKOS_FORCEINLINE_FUNCTION bool any() const { return plan->others != 0; }
  KOKKOS_FORCEINLINE_FUNCTION bool in_tile(std::int64_t i, std::int64_t end_i, std::int64_t j,
                                           std::int64_t end_j) const {
    bool found = false;
    for (; i < end_i; ++i) found = found || !rows[i].finite();
    for (; j < end_j; ++j) found = found || !columns[j].finite();
    return found;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has(std::int64_t i, std::int64_t j) const {
    return !rows[i].finite() || !columns[j].finite();
  }
};

/// An exact product.
template <class Problem>
class residue_entries {
  using in = typename Problem::in;
  using operands = impl::exact_operands<in>;
  using tuning = tuning::residue_gemm;
  static constexpr int parts = Problem::parts;
  /// What has been run on a GPU. The kernels are written for half precision, results of another
  /// type and sums in superaccumulators, too, which windows compute until then.
  static constexpr bool has_type =
      std::is_same_v<in, typename Problem::out> && !impl::is_half_scalar<in>;

 public:
  using launch_check = cuda::launch_check;

  /// The most moduli of this type's products.
  static constexpr int most_moduli =
      impl::ieee<typename operands::real>::is_float && !impl::cuts_numbers<typename Problem::method>
          ? tuning::most_moduli_of_float
          : impl::byte_moduli::count;
  // All rows that are cut fit, so that their units are all that others need to know.
  static_assert(!impl::cuts_numbers<typename Problem::method> ||
                impl::capacity<impl::byte_moduli>(most_moduli) >= 64 + 64 + 48);

  template <class Exec>
  residue_entries(const Exec& exec, const Problem& p) : problem_(p), others_(exec, p) {
    depth_ = p.reads_products() ? parts * p.depth() : 0;
    rows_ = p.c.rows;
    columns_ = parts * p.c.columns;
    possible_ = has_type && depth_ >= 1 && p.batches > 0 && has_residue_products();
    large_ = std::min(rows_, columns_) >= tuning::least_rows &&
             double(rows_) * double(columns_) * double(depth_) >=
                 (p.batches == 1 ? tuning::least_products : tuning::least_products_of_batch);
    if (!possible_) return;
    y_is_rows_ = parts == 1 && p.c.row_stride <= p.c.column_stride;
    multiprocessors_ = exec.cuda_device_prop().multiProcessorCount;
    choose_blocks(std::size_t(exec.cuda_device_prop().totalGlobalMem) / tuning::part_of_memory);
  }

  std::size_t bytes() const {
    return worthwhile() ? std::max(others_.bytes(), memory(nullptr).bytes) : others_.bytes();
  }

  template <class Exec>
  void launch(const Exec& exec, const char* label, void* data) const {
    if constexpr (has_type) {
      if (worthwhile()) return by_residues(exec, label, static_cast<std::byte*>(data));
    }
    others_.launch(exec, label, data);
  }

  /// For tests: this many moduli more than are needed.
  int more_moduli = 0;
  /// For tests: also where the others would be faster.
  bool always = false;
  /// For tests: blocks of C, and sections of k, no longer than this.
  void limit_blocks(std::int64_t rows, std::int64_t depth) {
    block_x_ = std::min(block_x_, rows);
    block_y_ = std::min(block_y_, rows);
    section_ = std::min(section_, depth);
    if (section_ < depth_) k_parts_ = 1;
  }

 private:
  static std::int64_t up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

  bool worthwhile() const { return possible_ && (large_ || always); }
  std::int64_t count_x() const { return y_is_rows_ ? columns_ : rows_; }
  std::int64_t count_y() const { return y_is_rows_ ? rows_ : columns_; }

  /// Blocks of C and sections of k whose residues fit into so many bytes, for all moduli.
  void choose_blocks(std::size_t most) {
    section_ = std::min(up(depth_, residue_blocks::depth),
                        residue_products::max_depth_blocks * residue_blocks::depth);
    const double bytes = double(most) / most_moduli;
    // Half of it is for rows of X: the others' residues are made anew for each block of those.
    const auto whole = [](double rows) {
      return std::max<std::int64_t>(1, std::int64_t(rows) / 2048) * 2048;
    };
    block_x_ = std::min(up(count_x(), 256), whole(bytes / 2 / double(section_)));
    block_y_ = std::min(up(count_y(), 256), whole(bytes / 2 / double(section_ + block_x_)));
    const std::int64_t tiles = block_x_ / residue_tile::x * block_y_ / residue_tile::y;
    const std::int64_t blocks = section_ / residue_blocks::depth;
    k_parts_ = 1;
    if (section_ >= depth_) {
      const std::int64_t wanted =
          multiprocessors_ / std::max<std::int64_t>(1, tiles * tuning::usual_moduli);
      const std::int64_t parts_of_k = std::clamp<std::int64_t>(
          wanted, 1, std::max<std::int64_t>(1, blocks / tuning::least_part_blocks));
      const std::int64_t part = (blocks + parts_of_k - 1) / parts_of_k;
      k_parts_ = int((blocks + part - 1) / part);
    }
  }

  struct places {
    merged_range *row_ranges, *column_ranges;
    impl::row_scale *row_scales, *column_scales;
    residue_plan* plan;
    std::uint32_t* undecided;
    std::uint8_t *x, *y;
    std::uint32_t* residues;
    std::size_t range_bytes, bytes;
  };

  generic::exact_tiles_kernel<Problem, unfitting_entries> tiles_of(const Problem& p,
                                                                   const places& m) const {
    return {p, tuning::threads_of_others, {m.row_scales, m.column_scales, m.plan}};
  }

  places memory(std::byte* data) const {
    places m{};
    std::size_t at = 0;
    const auto take = [&](auto*& to, std::int64_t n) {
      if (data) to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(data + at);
      at = (at + std::size_t(n) * sizeof(*to) + 1023) / 1024 * 1024;
    };
    take(m.row_ranges, problem_.c.rows);
    take(m.column_ranges, problem_.c.columns);
    m.range_bytes = at;
    take(m.row_scales, problem_.c.rows);
    take(m.column_scales, problem_.c.columns);
    take(m.plan, 1);
    const auto tiles = tiles_of(problem_, m);
    take(m.undecided, tiles.grid_rows * tiles.grid_columns * tiles.words());
    take(m.x, most_moduli * block_x_ * section_);
    take(m.y, most_moduli * block_y_ * section_);
    take(m.residues, most_moduli * k_parts_ * block_x_ * block_y_ / 4);
    m.bytes = at;
    return m;
  }

  template <class Exec>
  void by_residues(const Exec& exec, const char* label, std::byte* data) const {
    for (std::int64_t batch = 0; batch < problem_.batches; ++batch) {
      Problem p = problem_.of_batch(batch);
      p.batches = 1;
      one_product(exec, label, p, memory(data));
    }
  }

  template <class Exec>
  void one_product(const Exec& exec, const char* label, Problem p, const places& m) const {
    Kokkos::deep_copy(
        exec,
        Kokkos::View<std::uint32_t*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(
            &m.row_ranges->top, m.range_bytes / sizeof(std::uint32_t)),
        0u);
    using ranges = residue_ranges_kernel<in>;
    const ranges of_rows{p.a, m.row_ranges}, of_columns{p.b.transposed(), m.column_ranges};
    launch_both(exec, label, of_rows, of_columns, 0);
    residue_plan_kernel<Problem> plan(most_moduli, more_moduli);
    plan.rows = p.c.rows;
    plan.columns = p.c.columns;
    plan.row_ranges = m.row_ranges;
    plan.column_ranges = m.column_ranges;
    plan.row_scales = m.row_scales;
    plan.column_scales = m.column_scales;
    plan.plan = m.plan;
    plan.depth_bits = impl::depth_bits(depth_);
    plan.bits = 0;
    if constexpr (impl::cuts_numbers<typename Problem::method>) plan.bits = p.bits;
    Kokkos::parallel_for(label,
                         Kokkos::TeamPolicy<Exec>(exec, 1, plan.threads)
                             .set_scratch_size(0, Kokkos::PerTeam(plan.scratch_bytes + 64)),
                         plan);

    if constexpr (impl::cuts_numbers<typename Problem::method>) {
      p.row_scales = m.row_scales;
      p.column_scales = m.column_scales;
    }
    const residue_tables* const tables = residue_tables_on_device();
    const bool rounds_only = parts == 1 && p.scale.alpha[0] == 1.0 && !p.reads_c();
    for (std::int64_t x = 0; x < count_x(); x += block_x_) {
      const std::int64_t end_x = std::min(x + block_x_, count_x());
      for (std::int64_t y = 0; y < count_y(); y += block_y_) {
        const std::int64_t end_y = std::min(y + block_y_, count_y());
        const std::int64_t i = y_is_rows_ ? y : x, end_i = y_is_rows_ ? end_y : end_x;
        const std::int64_t j = y_is_rows_ ? x : y, end_j = y_is_rows_ ? end_x : end_y;
        residue_products products{};
        for (std::int64_t k = 0; k < depth_; k += section_) {
          const std::int64_t end_k = std::min(k + section_, depth_);
          // X's residues stay, if they are of all of k.
          const bool makes_x = y == 0 || section_ < depth_;
          const bool makes_a = makes_x || y_is_rows_, makes_b = makes_x || !y_is_rows_;
          const operands both{p.a, p.b};
          const residue_convert_kernel<Problem, false> of_a{
              both,
              m.row_scales,
              m.plan,
              tables,
              y_is_rows_ ? m.y : m.x,
              i,
              makes_a ? end_i : i,
              k,
              end_k,
              (y_is_rows_ ? block_y_ : block_x_) * section_,
              p.a.column_stride == 1};
          const residue_convert_kernel<Problem, true> of_b{
              both,
              m.column_scales,
              m.plan,
              tables,
              y_is_rows_ ? m.x : m.y,
              j,
              makes_b ? end_j : j,
              k,
              end_k,
              (y_is_rows_ ? block_x_ : block_y_) * section_,
              p.b.row_stride == 1};
          launch_both(exec, label, of_a, of_b, of_a.scratch_bytes + 64);
          products.x = m.x;
          products.y = m.y;
          products.residues = m.residues;
          products.moduli = &m.plan->moduli;
          products.x_tiles = up(end_x - x, 2 * residue_tile::x) / residue_tile::x;
          products.y_tiles = up(end_y - y, residue_tile::y) / residue_tile::y;
          products.depth_blocks = (end_k - k + residue_blocks::depth - 1) / residue_blocks::depth;
          products.x_stride = block_x_ * section_;
          products.y_stride = block_y_ * section_;
          products.parts = k_parts_;
          products.adds = k > 0;
          launch_residue_products(exec.cuda_stream(), products);
        }
        const auto finish = [&](const auto& kernel) {
          Kokkos::parallel_for(
              label,
              Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>,
                                  Kokkos::LaunchBounds<256, 2>>(
                  exec, 0, products.x_tiles * products.y_tiles * residue_tile::words),
              kernel);
        };
        using out = typename Problem::out;
        if constexpr (std::is_same_v<out, float> || std::is_same_v<out, double>) {
          if (rounds_only) {
            finish(residue_finish_kernel<Problem, true, most_moduli>{
                p, m.row_scales, m.column_scales, m.plan, tables, m.residues, int(products.x_tiles),
                int(products.y_tiles), i, end_i, j, end_j, k_parts_, y_is_rows_});
            continue;
          }
        }
        finish(residue_finish_kernel<Problem, false, most_moduli>{
            p, m.row_scales, m.column_scales, m.plan, tables, m.residues, int(products.x_tiles),
            int(products.y_tiles), i, end_i, j, end_j, k_parts_, y_is_rows_});
      }
    }
    generic::launch_exact_tiles(exec, label, tiles_of(p, m), m.undecided,
                                multiprocessors_ * tuning::teams_of_others);
  }

  template <class Exec, class First, class Second>
  static void launch_both(const Exec& exec, const char* label, const First& first,
                          const Second& second, int scratch_bytes) {
    const std::int64_t teams = first.teams() + second.teams();
    if (teams == 0) return;
    Kokkos::parallel_for(
        label,
        Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<First::threads, First::teams_per_sm>>(
            exec, int(teams), First::threads)
            .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes)),
        both_kernels<First, Second>{first, second, first.teams()});
  }

  Problem problem_;
  generic::exact_entries<Problem> others_;
  bool possible_ = false, large_ = false, y_is_rows_ = false;
  std::int64_t depth_ = 0, rows_ = 0, columns_ = 0;
  std::int64_t block_x_ = 0, block_y_ = 0, section_ = 0;
  int k_parts_ = 1, multiprocessors_ = 1;
};

}  // namespace acc::backends::cuda

#endif
