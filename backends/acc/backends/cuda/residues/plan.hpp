// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_RESIDUES_PLAN_HPP
#define ACC_BACKENDS_CUDA_RESIDUES_PLAN_HPP

/// \file
/// From ranges: units, which rows and columns the moduli hold, and how many moduli.

#include <acc/backends/cuda/residues/ranges.hpp>
#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/residues.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/gemm_method.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// What the plan kernel finds, and the kernels after it read.
struct residue_plan {
  int moduli;
  int words_a, words_b;  ///< of the integers in rows of A and columns of B
  int others;            ///< whether a row or a column does not fit
};

/// Units of rows and columns, and the plan, by one team.
template <class Problem>
struct residue_plan_kernel {
  using family = impl::byte_moduli;
  static constexpr int threads = 1024;

  std::int64_t rows, columns;
  const merged_range *row_ranges, *column_ranges;
  int row_parts, column_parts;  ///< of k, each with ranges of its own
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
    units(team.team_rank(), rows, row_ranges, row_parts, row_scales, found->widest[0]);
    units(team.team_rank(), columns, column_ranges, column_parts, column_scales, found->widest[1]);
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
                                         int parts, impl::row_scale* scales, int& widest) const {
    int most_width = 0;
    for (std::int64_t first = thread; first < n; first += together * threads) {
      merged_range batch[together] = {};
#pragma unroll
      for (int u = 0; u < together; ++u)
        if (first + u * threads < n) batch[u] = ranges[first + u * threads];
      for (int part = 1; part < parts; ++part) {
        merged_range next[together] = {};
#pragma unroll
        for (int u = 0; u < together; ++u)
          if (first + u * threads < n) next[u] = ranges[part * n + first + u * threads];
#pragma unroll
        for (int u = 0; u < together; ++u) batch[u].merge(next[u]);
      }
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

}  // namespace acc::backends::cuda

#endif
