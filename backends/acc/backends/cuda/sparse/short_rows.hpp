// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SPARSE_SHORT_ROWS_HPP
#define ACC_BACKENDS_CUDA_SPARSE_SHORT_ROWS_HPP

/// \file
/// The first kernel of a sparse product, in three forms: it sums short rows and lists long ones.

#include <acc/backends/cuda/sparse/row_list.hpp>
#include <acc/backends/cuda/sparse/warp_row.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// The first kernel, as far as all its forms have it. A warp has some rows of a stripe or less at
/// once. ListsAll: it lists all longer ones.
template <class S, bool ListsAll>
struct rows_of_warp : warp_row<S> {
  using base = warp_row<S>;
  using base::rows, base::width, base::skips_padding;
  using typename base::Acc, typename base::R, typename base::element, typename base::group,
      typename base::ordinal, typename base::row, typename base::sums, typename base::terms;

  row_list<typename base::node> list;
  std::int64_t longest;  ///< of rows that are not listed, at most a leaf

  /// A row of at most Slots * Threads groups: a thread has every Threads-th group, from its own
  /// number on. It loads `together` of them at once; more need registers that other warps lack
  /// then.
  template <int Threads, int Slots>
  __device__ sums sum_stripe(const row& r, int of_row) const {
    constexpr int together = Slots < 4 ? Slots : 4;
    sums of_slot[Slots];
    ACC_UNROLL for (int first = 0; first < Slots; first += together) {
      if (!skips_padding || first * Threads * width < r.size) {
        group g[together];
        ACC_UNROLL for (int s = 0; s < together; ++s) g[s] =
            this->load(r, ((first + s) * Threads + of_row) * width);
        ACC_UNROLL for (int s = 0; s < together; ++s) {
          if (!skips_padding || (first + s) * Threads * width < r.size) {
            Acc lane[width][terms::sums];
            base::deposit(lane, g[s]);
            of_slot[first + s] = impl::combine_lanes<Acc, R>(lane);
          }
        }
      }
    }
    ACC_UNROLL for (int stride = Slots / 2; stride > 0; stride /= 2) {
      ACC_UNROLL for (int s = 0; s < stride; ++s) {
        if (!skips_padding || (s + stride) * Threads * width < r.size)
          of_slot[s].merge(of_slot[s + stride]);
      }
    }
    return base::template combine_threads<Threads>(of_slot[0]);
  }

  /// Brings entries [begin, end) to the cache, where rows of another warp are, which comes later: a
  /// line by each thread. They are found by the row map alone, so this is right for any matrix.
  /// What a warp waits for is the latency of three loads in turn (the row map, columns, x), and it
  /// has too few of them under way to hide that of DRAM.
  __device__ void prefetch(std::int64_t begin, std::int64_t end, int lane_id) const {
    if (end - begin > S::leaf) return;
    const int entries = int(end - begin);
    prefetch_lines(rows.values.data + begin * base::components,
                   entries * int(base::components * sizeof(element)), lane_id);
    prefetch_lines(rows.x.index + begin, entries * int(sizeof(ordinal)), lane_id);
  }

  /// Row i, entries [begin, end), of each thread where is_longer, by the warp.
  __device__ void sum_or_list(bool is_longer, std::int64_t i, std::int64_t begin, std::int64_t end,
                              int lane_id) const {
    unsigned left = __ballot_sync(full_warp, is_longer);
    ACC_NO_UNROLL for (; left != 0; left &= left - 1) {
      const int from = impl::trailing_zeros(left);
      sum_or_list_row(__shfl_sync(full_warp, i, from), __shfl_sync(full_warp, begin, from),
                      __shfl_sync(full_warp, end, from), lane_id);
    }
  }

 private:
  __device__ void sum_or_list_row(std::int64_t i, std::int64_t begin, std::int64_t end,
                                  int lane_id) const {
    if (ListsAll || end - begin > longest)
      return list.template add<int(S::leaf), listed_by_warp<S>>(i, begin, end, lane_id);
    if constexpr (!ListsAll) {
      const sums of_leaf = this->template sum_leaf<tuning::row_groups_in_flight>(
          this->row_from(begin, end - begin), lane_id);
      if (lane_id == 0) this->finish(i, begin, end, of_leaf);
    }
  }
  static constexpr int line = 128;  ///< of the cache, in bytes
  __device__ static void prefetch_lines(const void* data, int size, int lane_id) {
    const int at = line * lane_id;
    if (at < size)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(data) + at));
  }
};

/// Whether so many threads for each row of a stripe leave all longer ones to the list. Where a sum
/// is two numbers, sums of longer rows by the same warp take registers that a stripe's needs.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool lists_all(int threads) {
  return threads < warp_size && S::reduction::accumulator::components > 1;
}

/// Threads: of a row of at most a stripe.
template <class S, int Threads>
struct packed_rows : rows_of_warp<S, lists_all<S>(Threads)> {
  using base = rows_of_warp<S, lists_all<S>(Threads)>;
  using base::rows;
  using typename base::sums;
  static constexpr int in_warp = warp_size / Threads;  ///< rows
  static constexpr int slots = impl::groups_per_stripe / Threads;

  template <class Exec>
  using policy =
      Kokkos::RangePolicy<Exec,
                          Kokkos::LaunchBounds<tuning::threads_of_rows, tuning::teams_of_rows>,
                          Kokkos::IndexType<std::int64_t>>;

  __device__ void operator()(std::int64_t thread) const {
    const int lane_id = int(thread % warp_size), of_row = lane_id % Threads;
    const std::int64_t i = thread / warp_size * in_warp + lane_id / Threads;
    std::int64_t begin = 0, end = 0;
    const bool exists = i < rows.count;
    if (exists) {
      begin = rows.offset(i);
      end = rows.offset(i + 1);
    }
    const std::int64_t ahead = (thread / warp_size + tuning::warps_ahead_of_rows) * in_warp;
    std::int64_t ahead_begin = 0, ahead_end = 0;
    if (ahead + in_warp <= rows.count) {
      ahead_begin = rows.offset(ahead);
      ahead_end = rows.offset(ahead + in_warp);
    }
    const std::int64_t size = end - begin;
    const bool is_short = size <= S::stripe;
    const sums total = this->template sum_stripe<Threads, slots>(
        this->row_from(begin, is_short ? size : 0), of_row);
    this->prefetch(ahead_begin, ahead_end, lane_id);
    if (of_row == 0 && exists && is_short) this->finish(i, begin, end, total);
    this->sum_or_list(of_row == 0 && !is_short, i, begin, end, lane_id);
  }
};

/// A warp has 32 rows and sums those of about the same length at once, four threads per row: all
/// take as long as the longest. Real numbers alone, as the padding of complex ones is not skipped.
template <class S>
struct sorted_rows : rows_of_warp<S, lists_all<S>(4)> {
  static constexpr int threads = 4;          ///< of a row
  static constexpr int in_warp = warp_size;  ///< rows
  using base = rows_of_warp<S, lists_all<S>(threads)>;
  using base::rows, base::width;
  using typename base::sums;
  static constexpr int at_once = warp_size / threads;  ///< rows
  static constexpr int slots = impl::groups_per_stripe / threads;
  /// Whether 32 rows are finished together. Larger sums would take more registers than there are.
  static constexpr bool finishes_together = sizeof(sums) <= 8;
  static_assert(S::components == 1 && base::skips_padding);

  template <class Exec>
  using policy = typename packed_rows<S, threads>::template policy<Exec>;

  __device__ void operator()(std::int64_t thread) const {
    const int lane_id = int(thread % warp_size), of_row = lane_id % threads;
    const std::int64_t first = thread - lane_id;
    std::int64_t begin = 0, end = 0;
    const bool exists = thread < rows.count;
    if (exists) {
      begin = rows.offset(thread);
      end = rows.offset(thread + 1);
    }
    const std::int64_t ahead = first + tuning::warps_ahead_of_sorted_rows * warp_size;
    std::int64_t ahead_begin = 0;  // of each eighth row, and the end of the last
    if (ahead + warp_size <= rows.count && lane_id <= threads)
      ahead_begin = rows.offset(ahead + lane_id * at_once);
    const bool is_short = exists && end - begin <= S::stripe;
    const int size = is_short ? int(end - begin) : 0;
    const int sorted = lane_of_rank(size, lane_id);
    sums own;
    ACC_NO_UNROLL for (int part = 0; part < threads; ++part) {
      const int from = __shfl_sync(full_warp, sorted, part * at_once + lane_id / threads);
      const std::int64_t row_begin = __shfl_sync(full_warp, begin, from);
      const int row_size = __shfl_sync(full_warp, size, from);
      const sums total =
          this->template sum_stripe<threads, slots>(this->row_from(row_begin, row_size), of_row);
      this->prefetch(__shfl_sync(full_warp, ahead_begin, part),
                     __shfl_sync(full_warp, ahead_begin, part + 1), lane_id);
      if constexpr (finishes_together) {
        const sums of_part = shuffle_from(total, lane_id % at_once * threads);
        if (lane_id / at_once == part) own = of_part;
      } else {
        const bool is_there = __shfl_sync(full_warp, is_short, from);
        if (of_row == 0 && is_there)
          this->finish(first + from, row_begin, row_begin + row_size, total);
      }
    }
    if constexpr (finishes_together) {
      const std::int64_t row_begin = __shfl_sync(full_warp, begin, sorted);
      const int row_size = __shfl_sync(full_warp, size, sorted);
      if (__shfl_sync(full_warp, is_short, sorted))
        this->finish(first + sorted, row_begin, row_begin + row_size, own);
    }
    this->sum_or_list(exists && !is_short, thread, begin, end, lane_id);
  }

 private:
  /// The thread whose row comes after lane_id others, by the steps that it takes: most first.
  /// A bitonic sort (K. E. Batcher, Sorting networks and their applications, AFIPS 1968).
  __device__ static int lane_of_rank(int size, int lane_id) {
    constexpr int step = threads * width;
    const unsigned steps = unsigned(size + step - 1) / step;
    if (__all_sync(full_warp, steps == __shfl_sync(full_warp, steps, 0))) return lane_id;
    unsigned key = steps * warp_size + unsigned(lane_id);
    ACC_UNROLL for (int run = 2; run <= warp_size; run *= 2) {
      ACC_UNROLL for (int stride = run / 2; stride > 0; stride /= 2) {
        const unsigned other = __shfl_xor_sync(full_warp, key, stride);
        const bool takes_larger = ((lane_id & run) == 0) == ((lane_id & stride) == 0);
        key = takes_larger == (key > other) ? key : other;
      }
    }
    return int(key % warp_size);
  }
};

/// A thread sums a row. Its warp brings the products of neighboring rows to smem, as many as fit,
/// entry by entry. Rows of a few entries are read in place. Real numbers alone: a part of a complex
/// product is that of two neighboring numbers.
template <class S>
struct staged_rows : rows_of_warp<S, lists_all<S>(1)> {
  using base = rows_of_warp<S, lists_all<S>(1)>;
  using base::rows, base::width;
  using typename base::Acc, typename base::R, typename base::element, typename base::ordinal,
      typename base::sums, typename base::terms;
  static constexpr tuning::staged_shape shape = tuning::staged_shape_of(Acc::components);
  static constexpr int in_team = tuning::warps_of_staged_rows * warp_size;  ///< rows
  static constexpr int few = tuning::entries_in_place, few_groups = few / width;
  static_assert(S::components == 1 && base::skips_padding);
  static_assert(few % width == 0 && (few_groups & (few_groups - 1)) == 0 && few <= S::stripe);

  /// Kokkos refuses a launch whose smem leaves room for fewer teams than the bounds name. So one
  /// large team bounds the registers.
  template <class Exec>
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<shape.threads_per_sm, 1>>;

  int capacity;  ///< of a warp, in products; at least a stripe

  static int capacity_for(std::int64_t mean) {
    constexpr std::int64_t most = shape.bytes_of_warp / sizeof(Acc);
    static_assert(most >= S::stripe);
    return int(std::clamp<std::int64_t>(warp_size * (mean + mean / 8), S::stripe, most));
  }
  /// Places of a warp: a row may have an empty one after it.
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t places(int capacity) {
    return std::size_t(capacity) + warp_size;
  }
  /// Of a team.
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int capacity) {
    return tuning::warps_of_staged_rows * places(capacity) * sizeof(Acc);
  }

  template <class Team>
  __device__ void operator()(const Team& team) const {
    const int lane_id = team.team_rank() % warp_size, warp = team.team_rank() / warp_size;
    Acc* const staged =
        static_cast<Acc*>(team.team_scratch(0).get_shmem_aligned(bytes(capacity), sizeof(Acc))) +
        warp * places(capacity);
    const std::int64_t i = std::int64_t(team.league_rank()) * in_team + team.team_rank();
    std::int64_t begin = 0, end = 0;
    const bool exists = i < rows.count;
    if (exists) {
      begin = rows.offset(i);
      end = rows.offset(i + 1);
    }
    const bool is_short = exists && end - begin <= S::stripe;
    const int size = is_short ? int(end - begin) : 0;
    if (!__any_sync(full_warp, size > few)) {
      const sums total = this->template sum_stripe<1, few_groups>(this->row_from(begin, size), 0);
      if (is_short) this->finish(i, begin, end, total);
    } else {
      sum_staged(staged, is_short, i, begin, end, lane_id);
    }
    this->sum_or_list(exists && !is_short, i, begin, end, lane_id);
  }

 private:
  __device__ void sum_staged(Acc* staged, bool is_short, std::int64_t i, std::int64_t begin,
                             std::int64_t end, int lane_id) const {
    unsigned left = __ballot_sync(full_warp, is_short);
    ACC_NO_UNROLL while (left != 0) {
      // From the first row that is left to the last before one that is longer or does not fit.
      const int first = impl::trailing_zeros(left);
      const std::int64_t start = __shfl_sync(full_warp, begin, first);
      const unsigned others = ~__ballot_sync(full_warp, is_short && end - start <= capacity);
      const unsigned after = others & (full_warp << first);
      const int last = after == 0 ? warp_size : impl::trailing_zeros(after);
      const bool is_own = lane_id >= first && lane_id < last;
      const int size = is_own ? int(end - begin) : 0;
      const int count = int(__shfl_sync(full_warp, end, last - 1) - start);
      const int of_first = __shfl_sync(full_warp, size, first);
      int place = is_own ? int(begin - start) : 0;
      if (of_first % 2 == 0 && __all_sync(full_warp, !is_own || size == of_first)) {
        // Equal and even: they would begin in few banks of smem, and threads wait for each other.
        // So a place after each row is empty.
        const unsigned per_row = of_first == 0 ? 0 : 0xffffffffu / unsigned(of_first) + 1;
        stage(staged, start, count, lane_id,
              [=](int k) { return k + int(__umulhi(unsigned(k), per_row)); });  // k / of_first
        if (is_own) place += lane_id - first;
      } else {
        stage(staged, start, count, lane_id, [](int k) { return k; });
      }
      __syncwarp();
      const sums total = sum_row(staged + place, size);
      if (is_own) this->finish(i, begin, end, total);
      __syncwarp();
      left = last == warp_size ? 0 : left & (full_warp << last);
    }
  }
  /// The products of `count` entries from `start` on, number k to place(k).
  template <class Place>
  __device__ void stage(Acc* staged, std::int64_t start, int count, int lane_id,
                        const Place& place) const {
    constexpr int step = shape.loads_in_flight * warp_size;
    int first = 0;
    ACC_NO_UNROLL for (; first + step <= count; first += step) stage_step<true>(
        staged, start + first, step, lane_id, [=](int k) { return place(first + k); });
    if (first < count)
      stage_step<false>(staged, start + first, count - first, lane_id,
                        [=](int k) { return place(first + k); });
  }
  /// The same in one step. No load has a condition, so that all are under way together: threads
  /// without an entry read the last one. Values and columns, which are read once, leave the cache
  /// to x.
  template <bool IsWhole, class Place>
  __device__ void stage_step(Acc* staged, std::int64_t start, int count, int lane_id,
                             const Place& place) const {
    constexpr int together = shape.loads_in_flight;
    const element* const values = rows.values.data + start;
    const ordinal* const index = rows.x.index + start;
    element a[together], b[together];
    ordinal column[together];
    ACC_UNROLL for (int t = 0; t < together; ++t) {
      const int k = lane_id + t * warp_size, at = IsWhole || k < count ? k : count - 1;
      column[t] = this->load_once(index + at);
      a[t] = this->load_once(values + at);
    }
    ACC_UNROLL for (int t = 0; t < together; ++t) b[t] = __ldg(this->x_at(column[t]));
    ACC_UNROLL for (int t = 0; t < together; ++t) {
      const int k = lane_id + t * warp_size;
      Acc product[terms::sums];
      terms::deposit(product, a[t], b[t], b[t], 0);
      if (IsWhole || k < count) staged[place(k)] = product[0];
    }
  }
  /// A thread's row of `size` products. All threads of a warp take the same way.
  __device__ static sums sum_row(const Acc* row, int size) {
    const auto fit = [&](int groups) { return !__any_sync(full_warp, size > groups * width); };
    if (fit(4)) return sum_groups<1, 4>(row, size, 0);
    if (fit(8)) return sum_groups<1, 8>(row, size, 0);
    if (fit(16)) return sum_groups<1, 16>(row, size, 0);
    return sum_groups<1, impl::groups_per_stripe>(row, size, 0);
  }
  /// Groups g, g + Step, ... of the first Groups, by the stripe's tree.
  template <int Step, int Groups>
  __device__ static sums sum_groups(const Acc* row, int size, int g) {
    if constexpr (Step == Groups) {
      Acc lane[width][terms::sums];
      ACC_UNROLL for (int j = 0; j < width; ++j) {
        if (g * width + j < size) lane[j][0] = row[g * width + j];
      }
      return impl::combine_lanes<Acc, R>(lane);
    } else {
      sums s = sum_groups<2 * Step, Groups>(row, size, g);
      s.merge(sum_groups<2 * Step, Groups>(row, size, g + Step));
      return s;
    }
  }
};

}  // namespace acc::backends::cuda

#endif
