// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_NEIGHBOR_SUMS_HPP
#define ACC_BACKENDS_CUDA_SUMS_NEIGHBOR_SUMS_HPP

/// \file
/// Exact sums of slices that are neighbors in memory. The threads of a warp have a slice each, so
/// that they read neighboring numbers, and bins of their own (exact_bins.hpp). A team has as many
/// slices as a warp, and a stretch of their elements, which we call rows: warps take rows in turn,
/// and several rows at once where there are fewer slices than threads. Teams add their bins to a
/// sum for each slice in global memory; a second launch rounds these.

#include <acc/backends/cuda/sums/exact_bins.hpp>
#include <acc/backends/cuda/sums/order_free_kernel.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>

namespace acc::backends::cuda {

/// S: slices of real numbers, summed exactly.
template <class S>
struct neighbor_sums {
  using R = typename S::reduction;
  using element = typename R::element;
  using scalar = typename R::scalar;
  using bins = exact_bins<R, warp_size>;
  using reader = term_reader<R>;
  using policy = typename bins::policy;
  static_assert(R::terms::results == 1 && decltype(R::x)::components == 1);
  static constexpr int threads = bins::threads, teams_per_sm = bins::shape.teams_per_sm;
  static constexpr int warps = threads / warp_size;
  static constexpr bool has_y = reader::has_y;
  /// Rows of a warp whose terms are deposited together; so many batches are in flight.
  static constexpr int rows = has_y ? tuning::neighbor_rows_of_two : tuning::neighbor_rows,
                       batches = has_y ? tuning::neighbor_batches_of_two : tuning::neighbor_batches;

  /// Whether all sums are exact: of products of doubles a word of `digit` takes at most 2^33 from
  /// each term, and from each time that a thread moves its bins, and shall be below 2^62.
  static bool holds(const S& s) { return !policy::has_wide || s.x.size <= std::int64_t(1) << 28; }

  /// The sum of a slice that teams add to; all zero before.
  struct alignas(16) sum {
    std::int64_t bin[bins::own_bins::count][2];                   ///< low and high 32 bits apart
    std::int64_t digit[policy::has_wide ? bins::digits + 2 : 1];  ///< of wide products
    unsigned kinds;
  };

  S slices;
  std::int64_t first, end;  ///< slices
  sum* sums;                ///< of slice `first`, and so on; one more, which nobody reads
  int log2_in_row;          ///< slices of a team
  std::int64_t groups;      ///< of so many slices
  std::int64_t team_rows;   ///< of a team

  using memory = typename bins::memory;

  template <class Team>
  __device__ void operator()(const Team& team) const {
    auto& m = *static_cast<memory*>(team.team_scratch(0).get_shmem_aligned(sizeof(memory), 16));
    const int thread = team.team_rank(), lane_id = thread % warp_size;
    const std::int64_t rank = team.league_rank(), chunk = rank / groups;
    const std::int64_t slice =
        first + ((rank - chunk * groups) << log2_in_row) + (lane_id & ((1 << log2_in_row) - 1));
    // A thread beyond the last slice sums that one once more, into what nobody reads.
    sum* const to = sums + (min(slice, end) - first);
    bins b(m, to->digit, thread, 0);
    add_rows(b, slices.of(min(slice, end - 1)), chunk * team_rows, thread);
    if (b.kinds().bits != 0) atomicOr(&to->kinds, b.kinds().bits);
    b.finish_thread(m, nullptr, lane_id);
    team.team_barrier();
    bins::for_each_thread_bin(m, thread, [&](int, int bin, auto low, auto high) {
      auto* const at = reinterpret_cast<unsigned long long*>(to->bin[bin]);
      if (low != 0) atomicAdd(at, low);
      if (high != 0) atomicAdd(at + 1, high);
    });
  }

 private:
  struct batch {
    element x[rows], y[has_y ? rows : 1];
    unsigned present;  ///< a bit per row
  };

  /// Adds this thread's rows of r among the team's, which begin at `begin`.
  __device__ void add_rows(bins& b, const R& r, std::int64_t begin, int thread) const {
    const int at_once = warp_size >> log2_in_row;  // rows of a warp
    const int own = thread / warp_size * at_once + (thread % warp_size >> log2_in_row);
    const int step = warps * at_once;
    const element *x = r.x.data + (begin + own) * r.x.stride,
                  *y = r.y.data + (begin + own) * r.y.stride;
    const std::int64_t x_step = step * r.x.stride, y_step = step * r.y.stride;
    std::int64_t left = min(team_rows, r.x.size - begin);  // rows of the team, from the batch on
    std::int64_t rest = (left + rows * step - 1) / (rows * step);
    const auto load = [&](batch& g) {
      const bool whole = left >= rows * step;
      g.present = 0;
      ACC_UNROLL for (int k = 0; k < rows; ++k) {
        const bool here = whole || k * step + own < left;
        g.x[k] = here ? x[k * x_step] : element(0);
        if constexpr (has_y) g.y[k] = here ? y[k * y_step] : element(0);
        g.present |= unsigned(here) << k;
      }
      x += rows * x_step;
      y += rows * y_step;
      left -= rows * step;
    };
    batch g[batches];
    ACC_UNROLL for (int j = 0; j < batches; ++j) load(g[j]);
    ACC_NO_UNROLL for (; rest > 0; rest -= batches) {
      ACC_UNROLL for (int j = 0; j < batches; ++j) {
        if (j < rest) add_batch(b, g[j]);
        load(g[j]);
      }
    }
  }
  __device__ static void add_batch(bins& b, const batch& g) {
    typename bins::template batch<rows> terms;
    ACC_UNROLL for (int k = 0; k < rows; ++k) {
      typename reader::term t[1];
      reader::read(&g.x[k], &g.y[has_y ? k : 0], 0, t);
      terms.t[k] = t[0];
    }
    b.add(terms, g.present);
  }
};

/// Rounds such sums: a warp per slice.
template <class S>
struct neighbor_results {
  using sums = neighbor_sums<S>;
  using R = typename S::reduction;
  using bins = typename sums::bins;
  static constexpr int digits = bins::digits;

  S slices;
  std::int64_t first;
  const typename sums::sum* sum;

  template <class Exec>
  using policy = Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<warp_size, 16>,
                                     Kokkos::IndexType<std::int64_t>>;

  __device__ void operator()(std::int64_t thread) const {
    __shared__ std::int64_t digit[1][digits + 2];
    const int lane_id = int(thread % warp_size);
    const auto& from = sum[thread / warp_size];
    ACC_NO_UNROLL for (int i = lane_id; i < digits + 2; i += warp_size) {
      digit[0][i] = sums::policy::has_wide && i < digits ? from.digit[i] : 0;
    }
    __syncwarp();
    ACC_NO_UNROLL for (int i = lane_id; i < bins::own_bins::count; i += warp_size) {
      if ((from.bin[i][0] | from.bin[i][1]) != 0)
        add_to_digits(digit[0], bins::bit_of(i, 0), from.bin[i][0], from.bin[i][1]);
    }
    __syncwarp();
    const unsigned top = 0, kinds = from.kinds;
    order_free_result<R, bins>::write(slices.of(first + thread / warp_size), digit, &top, &kinds,
                                      lane_id);
  }
};

/// Enqueues s on exec, which sums exactly.
template <class Exec, class S>
void launch_neighbor_sums(const Exec& exec, workspace<Exec>& memory, const char* label,
                          const S& s) {
  using kernel = neighbor_sums<S>;
  using results = neighbor_results<S>;
  using sum = typename kernel::sum;
  const std::int64_t max_teams =
      std::int64_t(kernel::teams_per_sm) * exec.cuda_device_prop().multiProcessorCount;
  const auto quotient = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  int in_row = int(std::bit_ceil(std::uint64_t(std::min<std::int64_t>(s.count, warp_size))));
  // Groups of half as many slices where those leave fewer threads without one.
  if (in_row == warp_size && 5 * quotient(s.count, 16) * 16 < 4 * quotient(s.count, 32) * 32)
    in_row = 16;
  const std::int64_t at_once = kernel::warps * warp_size / in_row;
  auto* const sums = reinterpret_cast<sum*>(memory.nodes());
  const std::int64_t room = (std::int64_t(nodes_bytes / sizeof(sum)) - 1) / warp_size * warp_size;
  for (std::int64_t first = 0; first < s.count; first += room) {
    const std::int64_t count = std::min(room, s.count - first);
    const std::int64_t groups = (count + in_row - 1) / in_row;
    // As many teams as fit the GPU at once, or some times as many where those leave less of it
    // idle.
    std::int64_t rounds = 1;
    while (rounds < tuning::most_rounds_of_neighbors &&
           20 * (rounds * max_teams / groups * groups) < 17 * rounds * max_teams)
      ++rounds;
    const std::int64_t chunks = std::clamp<std::int64_t>(
        rounds * max_teams / groups, 1, quotient(s.x.size, at_once * tuning::least_neighbor_rows));
    const std::int64_t team_rows = quotient(quotient(s.x.size, chunks), at_once) * at_once;
    const std::int64_t used = quotient(s.x.size, team_rows);
    fill_with_zeros(exec, label, sums, std::size_t(count + 1) * sizeof(sum));
    Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<kernel::threads, kernel::teams_per_sm>> policy(
        exec, int(groups * used), kernel::threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(int(sizeof(typename kernel::memory)) + 16));
    Kokkos::parallel_for(label, policy,
                         kernel{s, first, first + count, sums, std::countr_zero(unsigned(in_row)),
                                groups, team_rows});
    Kokkos::parallel_for(label, typename results::template policy<Exec>(exec, 0, count * warp_size),
                         results{s, first, sums});
  }
}

}  // namespace acc::backends::cuda

#endif
