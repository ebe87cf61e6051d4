// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_RESIDUES_PLAN_HPP
#define ACC_BACKENDS_CUDA_RESIDUES_PLAN_HPP

/// \file
/// From ranges: units, which rows and columns the moduli hold, and how many moduli each part of C
/// takes. Rows of a similar size (row_norm.hpp) are put side by side, so that a few with small
/// numbers among large ones do not cost the others moduli.

#include <acc/backends/cuda/kernels/residue_products.hpp>
#include <acc/backends/cuda/residues/ranges.hpp>
#include <acc/core/exact/complex_residues.hpp>
#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/residues.hpp>
#include <acc/core/exact/row_norm.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm_method.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// What the plan kernel finds, and the kernels after it read.
struct residue_plan {
  int words_a, words_b;  ///< of the integers in rows of A and columns of B
  int others;            ///< whether a row or a column does not fit
  int nonnegative;       ///< whether no sum is negative, as no number is
};

/// Rows of A, or columns of B, each with a place in X or Y. In each block of C, the largest are
/// first.
struct residue_rows {
  static constexpr int group = residue_squares::rows;  ///< places with one number of moduli

  std::int64_t count;
  std::int64_t block;  ///< in a block of C: whole groups
  impl::row_scale* scales;
  std::int32_t* sizes;         ///< norms, in eighths of a bit
  std::int32_t* places;        ///< of each row, from the first of all blocks on
  std::int32_t* rows;          ///< at each place
  std::int32_t* group_sizes;   ///< the largest of a group
  std::uint8_t* group_moduli;  ///< as many as the residues of its rows have

  KOKKOS_FUNCTION std::int64_t groups() const { return (count + group - 1) / group; }
  KOKKOS_FUNCTION std::int64_t blocks() const { return (count + block - 1) / block; }
};

/// What each block of C takes, block after block, those of a block of X's rows side by side.
struct residue_blocks_of_c {
  std::uint8_t* moduli;  ///< of each square
  residue_item* items;   ///< modulus after modulus
  int* item_counts;
  std::int64_t squares;  ///< that there is room for in each block
  int most_moduli;

  KOKKOS_FUNCTION residue_blocks_of_c of(std::int64_t block) const {
    return {moduli + block * squares, items + block * squares * most_moduli, item_counts + block,
            squares, most_moduli};
  }
};

/// Units of rows and columns, and the plan, by one team.
template <class Problem>
struct residue_plan_kernel {
  using family = impl::byte_moduli;
  using real = typename impl::exact_operands<typename Problem::in>::real;
  static constexpr int threads = 1024;

  residue_rows side[2];  ///< rows of A, columns of B
  const merged_range* ranges[2];
  int range_parts[2];  ///< of k, each with ranges of its own
  residue_plan* plan;
  residue_blocks_of_c blocks;
  bool y_is_rows;
  int bits;                ///< of fixed_point
  impl::row_length depth;  ///< the number of products of real numbers
  int most, more;          ///< moduli; more than are needed
  /// So few rows on both sides are sorted only where parts of C differ by more than one modulus:
  /// sorting would take longer than the products of one.
  std::int64_t few_rows = 0;
  impl::capacities_in_eighths<family> capacity;

  residue_plan_kernel(std::int64_t products, int most_moduli, int more_moduli)
      : depth(products),
        most(most_moduli),
        more(more_moduli),
        capacity(impl::all_capacities_in_eighths<family>) {}

  /// Rows are sorted into buckets of a bit. Stretches of them are counted apart, which keeps
  /// neighbours together.
  static constexpr int buckets = 64, stretches = 16, counters = buckets * stretches;
  static_assert(counters == threads);
  struct shared {
    merged_range merged[2][threads];
    int largest[2], all_largest[2], all_least[2], width[2], others, signs;
    int counts[counters + 32], sums[33];
  };
  static constexpr int scratch_bytes = sizeof(shared);

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    shared& s = *static_cast<shared*>(
        team.team_scratch(0).get_shmem_aligned(std::ptrdiff_t(scratch_bytes), 16));
    const int thread = team.team_rank();
    if (thread == 0) {
      for (int e = 0; e < 2; ++e) s.largest[e] = s.all_largest[e] = s.all_least[e] = s.width[e] = 0;
      s.others = s.signs = 0;
    }
#pragma unroll 1  // of all loops over both sides: what runs once waits for its code
    for (int e = 0; e < 2; ++e) s.merged[e][thread] = {};
    team.team_barrier();
#pragma unroll 1
    for (int e = 0; e < 2; ++e)
      if (side[e].count <= threads) merge_parts(thread, e, s);
    team.team_barrier();
#pragma unroll 1
    for (int e = 0; e < 2; ++e) find_sizes(thread, e, s);
    team.team_barrier();
    // Where the largest of both do not fit together, each has half of the bits, or what the others
    // leave of them.
    const bool nonnegative = Problem::parts == 1 && s.signs == 0;
    const int limit = capacity.of[nonnegative][most], half = limit / 2;
#pragma unroll 1
    for (int e = 0; e < 2; ++e)
      fit(thread, e, limit - Kokkos::min(s.largest[1 - e], e == 0 ? half : limit - half), s);
    team.team_barrier();
    if (thread == 0)
      *plan = {impl::words_for(s.width[0] + sum_bits), impl::words_for(s.width[1] + sum_bits),
               s.others, nonnegative};
    const auto moduli_for = [&](int eighths) { return moduli_of(eighths, nonnegative); };
    const int least[2] = {far - s.all_least[0], far - s.all_least[1]};
    const int moduli = moduli_for(s.all_largest[0] + s.all_largest[1]);
    const bool few = side[0].count <= few_rows && side[1].count <= few_rows;
    const bool alike = moduli - moduli_for(least[0] + least[1]) <= (few ? 1 : 0);
#pragma unroll 1
    for (int e = 0; e < 2; ++e) {
      if (alike || s.all_largest[e] - least[e] < 8 || side[e].count <= side[e].group)
        keep(thread, side[e]);
      else
        sort(team, side[e], s.all_largest[e], s);
    }
    if (alike) return take_all(thread, moduli);
    team.team_barrier();
#pragma unroll 1
    for (int e = 0; e < 2; ++e) find_group_sizes(thread, side[e]);
    team.team_barrier();
#pragma unroll 1
    for (int e = 0; e < 2; ++e)
      for (std::int64_t g = thread; g < side[e].groups(); g += threads)
        side[e].group_moduli[g] =
            std::uint8_t(moduli_for(side[e].group_sizes[g] + s.all_largest[1 - e]));
    for_each_block([&](const block& b) { find_square_moduli(thread, b, moduli_for); });
    team.team_barrier();
    for_each_block([&](const block& b) { list_items(team, b, s); });
  }

 private:
  static constexpr int far = impl::number_range::far;
  static constexpr int sum_bits = impl::bits_of_planes<Problem::parts>;

  KOKKOS_FORCEINLINE_FUNCTION int moduli_of(int eighths, bool nonnegative) const {
    int l = 1;
    while (l < most && capacity.of[nonnegative][l] < eighths) ++l;
    return Kokkos::min(l + more, most);
  }
  /// The maximum of all threads' numbers, none of them negative.
  KOKKOS_FORCEINLINE_FUNCTION static void raise(int& all, int x) {
#if defined(__CUDA_ARCH__)
    x = __reduce_max_sync(0xffffffffu, x);
    if (threadIdx.y % 32 != 0) return;
#endif
    if (x > 0) Kokkos::atomic_max(&all, x);
  }

  /// Ranges of few rows are of many parts of k, so a thread has any of them.
  KOKKOS_FORCEINLINE_FUNCTION void merge_parts(int thread, int e, shared& s) const {
    const int n = int(side[e].count), count = n * range_parts[e];
    int has_sign = 0;
    for (int i = thread; i < count; i += threads) {
      const merged_range of_part = ranges[e][i];
      s.merged[e][i % n].merge_atomically(of_part);
      has_sign |= int(of_part.has_sign());
    }
    raise(s.signs, has_sign);
  }
  KOKKOS_FORCEINLINE_FUNCTION void find_sizes(int thread, int e, shared& s) const {
    const std::int64_t n = side[e].count;
    constexpr bool cuts = impl::cuts_numbers<typename Problem::method>;
    int most_size = 0, has_sign = 0;
#pragma unroll 1
    for (std::int64_t i = thread; i < n; i += threads) {
      merged_range merged = n <= threads ? s.merged[e][i] : merged_range{};
      if (n > threads)
        for (int part = 0; part < range_parts[e]; ++part) {
          const merged_range of_part = ranges[e][part * n + i];
          merged.merge(of_part);
          has_sign |= int(of_part.has_sign());
        }
      const impl::number_range range = merged.range();
      impl::row_scale scale;
      if constexpr (cuts)
        scale = impl::cut_scale_of(range, bits);
      else
        scale = impl::scale_of(range);
      const int size = impl::norm_in_eighths<real, cuts>(merged.squares, range, scale, depth);
      side[e].scales[i] = scale;
      side[e].sizes[i] = size;
      most_size = Kokkos::max(most_size, size);
    }
    raise(s.largest[e], most_size);
    raise(s.signs, has_sign);
    for (std::int64_t g = thread; g < side[e].groups(); g += threads) side[e].group_sizes[g] = 0;
  }
  /// Those that are larger count as infinite, and of no size. A thread reads what it wrote.
  KOKKOS_FORCEINLINE_FUNCTION void fit(int thread, int e, int most_size, shared& s) const {
    constexpr int most_width = 32 * impl::modulus_constants::max_words - 2 - sum_bits;
    const std::int64_t n = side[e].count;
    int widest = 0, largest = 0, least = 0, without = 0;
#pragma unroll 1
    for (std::int64_t i = thread; i < n; i += threads) {
      impl::row_scale& scale = side[e].scales[i];
      if (scale.width > most_width || side[e].sizes[i] > most_size) {
        scale.width = far;
        side[e].sizes[i] = 0;
        without = 1;
      }
      widest = Kokkos::max(widest, scale.finite() ? scale.width : 0);
      largest = Kokkos::max(largest, side[e].sizes[i]);
      least = Kokkos::max(least, far - side[e].sizes[i]);
    }
    raise(s.width[e], widest);
    raise(s.all_largest[e], largest);
    raise(s.all_least[e], least);
    raise(s.others, without);
  }

  /// Rows where they are.
  KOKKOS_FORCEINLINE_FUNCTION static void keep(int thread, const residue_rows& r) {
#pragma unroll 1
    for (std::int64_t i = thread; i < r.count; i += threads)
      r.places[i] = r.rows[i] = std::int32_t(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int padded(int counter) { return counter + counter / 32; }
  /// In each block the larger ones first, by counting. Those of a bucket may come in any order.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void sort(const Team& team, const residue_rows& r, int largest,
                                               shared& s) {
    constexpr int of_stretch = threads / stretches;
    const int thread = team.team_rank(), stretch = thread / of_stretch;
    for (std::int64_t first = 0; first < r.count; first += r.block) {
      const std::int64_t n = Kokkos::min(r.block, r.count - first);
      const std::int64_t length = (n + threads - 1) / threads * of_stretch;
      const std::int64_t end = first + Kokkos::min((stretch + 1) * length, n);
      const auto for_each_row = [&](const auto& f) {
#pragma unroll 1
        for (std::int64_t i = first + stretch * length + thread % of_stretch; i < end;
             i += of_stretch) {
          const int bucket = Kokkos::min((largest - r.sizes[i]) / 8, buckets - 1);
          f(i, s.counts[padded(bucket * stretches + stretch)]);
        }
      };
      s.counts[padded(thread)] = 0;
      team.team_barrier();
      for_each_row([](std::int64_t, int& count) { Kokkos::atomic_inc(&count); });
      team.team_barrier();
      make_offsets(team, s);
      for_each_row([&](std::int64_t i, int& count) {
        const std::int64_t place = first + Kokkos::atomic_fetch_add(&count, 1);
        r.places[i] = std::int32_t(place);
        r.rows[place] = std::int32_t(i);
      });
      team.team_barrier();
    }
  }
  /// Of 32 counters each becomes the sum of those before it, and of `before`; the sum of all.
  template <class Counters>
  KOKKOS_FORCEINLINE_FUNCTION static int replace_by_offsets(const Counters& counter, int before) {
    int counts[32];
#pragma unroll
    for (int j = 0; j < 32; ++j) counts[j] = counter(j);
#pragma unroll
    for (int j = 0; j < 32; ++j) {
      counter(j) = before;
      before += counts[j];
    }
    return before;
  }
  /// Each counter becomes the sum of those before it; s.sums[32] is the sum of all.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void make_offsets(const Team& team, shared& s) {
    const int thread = team.team_rank();
    if (thread < 32) {
      int sum = 0;
#pragma unroll
      for (int j = 0; j < 32; ++j) sum += s.counts[padded(32 * thread + j)];
      s.sums[thread] = sum;
    }
    team.team_barrier();
    if (thread == 0) s.sums[32] = replace_by_offsets([&](int j) -> int& { return s.sums[j]; }, 0);
    team.team_barrier();
    if (thread < 32)
      replace_by_offsets([&](int j) -> int& { return s.counts[padded(32 * thread + j)]; },
                         s.sums[thread]);
    team.team_barrier();
  }

  KOKKOS_FORCEINLINE_FUNCTION static void find_group_sizes(int thread, const residue_rows& r) {
    // A warp's places are of one group, and all of its threads raise its size.
    for (std::int64_t first = thread / 32 * 32; first < r.count; first += threads) {
      const std::int64_t place = first + thread % 32;
      raise(r.group_sizes[first / r.group], place < r.count ? r.sizes[r.rows[place]] : 0);
    }
  }

  /// A block of C: its groups of X and Y, and what it takes.
  struct block {
    std::int64_t x, y;
    residue_squares squares;
    residue_blocks_of_c taken;
  };
  KOKKOS_FORCEINLINE_FUNCTION const residue_rows& x_side() const { return side[y_is_rows]; }
  KOKKOS_FORCEINLINE_FUNCTION const residue_rows& y_side() const { return side[!y_is_rows]; }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_block(const F& f) const {
    const residue_rows &x = x_side(), &y = y_side();
    const std::int64_t x_groups = x.block / x.group, y_groups = y.block / y.group;
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < x.groups(); i += x_groups)
      for (std::int64_t j = 0; j < y.groups(); j += y_groups)
        f(block{i,
                j,
                {int(Kokkos::min(x_groups, x.groups() - i)),
                 int(Kokkos::min(y_groups, y.groups() - j))},
                blocks.of(n++)});
  }
  template <class ModuliFor>
  KOKKOS_FORCEINLINE_FUNCTION void find_square_moduli(int thread, const block& b,
                                                      const ModuliFor& moduli_for) const {
    for (int n = thread; n < b.squares.count(); n += threads) {
      const auto at = b.squares.at(n);
      b.taken.moduli[n] = std::uint8_t(
          moduli_for(x_side().group_sizes[b.x + at.x] + y_side().group_sizes[b.y + at.y]));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static residue_item item_of(const block& b, int square, int l) {
    const auto at = b.squares.at(square);
    return {at.x, at.y, l};
  }
  /// Modulus after modulus, the squares that take it. A warp has a stretch of squares.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void list_items(const Team& team, const block& b, shared& s) {
    constexpr int warps = threads / 32;
    static_assert(family::count * warps <= counters);
    const int thread = team.team_rank(), warp = thread / 32, squares = b.squares.count();
    const int length = (squares + threads - 1) / threads * 32;
    const int end = Kokkos::min((warp + 1) * length, squares);
    const auto for_each_item = [&](const auto& f) {
      for (int n = warp * length + thread % 32; n < end; n += 32) {
        const int moduli = b.taken.moduli[n];
#pragma unroll 1
        for (int l = 0; l < moduli; ++l) f(n, l, s.counts[padded(l * warps + warp)]);
      }
    };
    s.counts[padded(thread)] = 0;
    team.team_barrier();
    for_each_item([](int, int, int& count) { Kokkos::atomic_inc(&count); });
    team.team_barrier();
    make_offsets(team, s);
    for_each_item([&](int n, int l, int& count) {
      b.taken.items[Kokkos::atomic_fetch_add(&count, 1)] = item_of(b, n, l);
    });
    if (thread == 0) *b.taken.item_counts = s.sums[32];
    team.team_barrier();
  }
  /// All squares take all moduli.
  KOKKOS_FORCEINLINE_FUNCTION void take_all(int thread, int moduli) const {
#pragma unroll 1
    for (int e = 0; e < 2; ++e)
      for (std::int64_t g = thread; g < side[e].groups(); g += threads)
        side[e].group_moduli[g] = std::uint8_t(moduli);
    for_each_block([&](const block& b) {
      const int squares = b.squares.count();
      for (int n = thread; n < squares; n += threads) {
        b.taken.moduli[n] = std::uint8_t(moduli);
#pragma unroll 1
        for (int l = 0; l < moduli; ++l) b.taken.items[l * squares + n] = item_of(b, n, l);
      }
      if (thread == 0) *b.taken.item_counts = moduli * squares;
    });
  }
};

}  // namespace acc::backends::cuda

#endif
