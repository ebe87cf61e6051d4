// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_CRS_ROWS_HPP
#define ACC_BACKENDS_CUDA_CRS_ROWS_HPP

/// \file
/// Products of CRS matrices with a vector on NVIDIA GPUs, in canonical order.
///
///   rows of            are summed
///   a few entries      by a thread each, in place, if all rows of its warp are so (staged_rows)
///   a stripe or less   by a thread each, from shared memory (staged_rows), or where rows have more
///                      entries, or complex ones, by some threads of a warp, which has several of
///                      them at once (packed_rows), for sums of two numbers those of about the
///                      same length (sorted_rows)
///   somewhat more      by that warp, one after the other, or, where lists_all, as longer ones
///   more than that     by another kernel (listed_rows), those of a few stripes by a warp each,
///                      leaves of others by a team each. The first kernel lists them, as the row
///                      map is known to the device alone. In which order they are listed changes no
///                      bit: a row's leaves are joined in the row's own tree.

#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/cuda/warp_arrival.hpp>
#include <acc/backends/generic/crs_rows.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/gemm/crs_rows.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace acc::backends::cuda {

/// Rows that another kernel sums: leaves of long rows from the first place on, where those of a row
/// are neighbors, and short rows from the last place back. So the kernel can begin with what takes
/// longest.
template <class Node>
struct row_list {
  /// A leaf of a long row, or a short row.
  struct piece {
    std::int64_t row;
    std::int64_t first;  ///< entry
    int size;            ///< in entries
    int number;          ///< among the row's leaves
  };

  unsigned *leaves_of_long_rows, *short_rows;  ///< counts
  unsigned* arrived;  ///< of a leaf of a long row: a counter of nodes that are there
  piece* pieces;
  unsigned places;
  Node* nodes;  ///< of a leaf, where its row has several

  __device__ const piece& short_row(unsigned k) const { return pieces[places - 1 - k]; }

  /// Row i, entries [begin, end), by a warp. Leaf, Short: entries of a leaf, and of a short row at
  /// most.
  template <int Leaf, int Short>
  __device__ void add(std::int64_t i, std::int64_t begin, std::int64_t end, int lane_id) const {
    static_assert(Short <= Leaf);
    const std::int64_t size = end - begin;
    if (size <= Short) {
      if (lane_id == 0)
        pieces[places - 1 - Kokkos::atomic_fetch_add(short_rows, 1u)] = {i, begin, int(size), 0};
      return;
    }
    const std::int64_t count = (size + Leaf - 1) / Leaf;
    unsigned place = 0;
    if (lane_id == 0) place = Kokkos::atomic_fetch_add(leaves_of_long_rows, unsigned(count));
    place = __shfl_sync(full_warp, place, 0);
    for (std::int64_t k = lane_id; k < count; k += warp_size) {
      const std::int64_t before = k * Leaf, left = size - before;
      pieces[place + k] = {i, begin + before, left < Leaf ? int(left) : Leaf, int(k)};
    }
  }
};

/// Entries of a listed row that a warp sums, at most.
template <class S>
inline constexpr int listed_by_warp = tuning::stripes_of_warp * int(S::stripe);

/// How a warp sums a row.
template <class S>
struct warp_row {
  using R = typename S::reduction;
  using element = typename S::element;
  using ordinal = typename S::ordinal;
  using Acc = typename R::accumulator;
  using terms = typename R::terms;
  using sums = typename R::leaf_sums;
  using node = typename R::leaf_node;
  static constexpr int width = R::width, components = S::components;
  /// Whether a group of padding is as none. (Of complex products it makes +0 of -0.)
  static constexpr bool skips_padding = terms::sums == 1;

  S rows;
  int x_bytes;  ///< between elements of x: one multiplication addresses one

  /// A group's numbers, and those of x that they meet.
  struct group {
    element a[width], x[width];
  };
  __device__ group pad() const {
    group g;
    ACC_UNROLL for (int j = 0; j < width; ++j) {
      g.a[j] = impl::padding<element>::x;
      g.x[j] = impl::padding<element>::y;
    }
    return g;
  }
  /// A row's values and columns.
  struct row {
    const element* values;
    const ordinal* index;
    int size;  ///< in real elements
  };
  __device__ row row_from(std::int64_t begin, std::int64_t size) const {
    return {rows.values.data + begin * components, rows.x.index + begin, int(size) * components};
  }
  __device__ const element* x_at(std::int64_t column) const {
    return reinterpret_cast<const element*>(reinterpret_cast<const char*>(rows.x.data) +
                                            column * x_bytes);
  }
  /// What is read once leaves the cache to x.
  template <class V>
  __device__ static V load_once(const V* p) {
    if constexpr (requires { __ldcs(p); }) {
      return __ldcs(p);
    } else {
      return *p;  // CUDA streams no char16_t, an index like any other
    }
  }
  /// A row's real elements from `first` on.
  __device__ group load(const row& r, int first) const {
    group g = pad();
    ACC_UNROLL for (int j = 0; j < width; j += components) {
      if (first + j < r.size) {
        const element* const x = x_at(r.index[(first + j) / components]);
        ACC_UNROLL for (int c = 0; c < components; ++c) {
          g.a[j + c] = r.values[first + j + c];
          g.x[j + c] = x[c];
        }
      }
    }
    return g;
  }
  __device__ static void deposit(Acc (&lane)[width][terms::sums], const group& g) {
    ACC_UNROLL for (int j = 0; j < width; ++j)
        terms::deposit(lane[j], g.a[j], g.x[j], g.x[j ^ 1], j);
  }
  /// Adds what the threads have, of which there are `threads` in a row, by halving strides.
  template <int Count>
  __device__ static sums combine_threads(sums s) {
    ACC_UNROLL for (int stride = Count / 2; stride > 0; stride /= 2)
        s.merge(shuffle_down(s, stride));
    return s;
  }

  /// A row of at most a leaf: a thread has a group of each stripe. It loads InFlight at once.
  template <int InFlight>
  __device__ sums sum_leaf(const row& r, int lane_id) const {
    Acc lane[width][terms::sums];
    const int own = lane_id * width;
    ACC_NO_UNROLL for (int stripe = 0; stripe < r.size; stripe += InFlight * R::stripe) {
      group g[InFlight];
      ACC_UNROLL for (int k = 0; k < InFlight; ++k) g[k] = load(r, stripe + k * R::stripe + own);
      ACC_UNROLL for (int k = 0; k < InFlight; ++k) {
        // A stripe that the row has, for all threads.
        if (stripe + k * R::stripe < r.size) deposit(lane, g[k]);
      }
    }
    return combine_threads<warp_size>(impl::combine_lanes<Acc, R>(lane));
  }

  /// The node of a leaf of row i, entries [first, last), in the lane that has their sums.
  __device__ node node_of_leaf(std::int64_t i, std::int64_t first, std::int64_t last,
                               const sums& s) const {
    return impl::range_check<R>(s).is_ordinary() ? impl::make_ordinary_node<R>(s)
                                                 : leaf_node_again(rows.of(i, first, last), s);
  }
  __device__ void finish(std::int64_t i, std::int64_t begin, std::int64_t end,
                         const sums& total) const {
    const R r = rows.of(i, begin, end);
    if (impl::range_check<R>(total).is_ordinary())
      r.finish(impl::make_ordinary_node<R>(total));
    else
      finish_again(r);
  }
  /// Out of line, as few rows need it.
  __device__ __noinline__ static void finish_again(R r) { impl::sum_short_row(r); }
  __device__ __noinline__ static node leaf_node_again(R leaf, sums s) {
    return impl::make_node<R>(s, impl::range_check<R>(s),
                              [&](auto tag) { return impl::sum_one_stripe<decltype(tag)>(leaf); });
  }
};

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
  static constexpr int threads = 4;  ///< of a row
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

/// What is listed. One warp would take most of the kernel's time for a leaf, so a team has it: a
/// thread adds a lane's numbers, or those of the two lanes of complex ones. The last team to sum a
/// leaf of a group of a row's leaves joins the group, and the last of these the groups. Then a warp
/// has one short row after the other.
template <class S>
struct listed_rows : warp_row<S> {
  using base = warp_row<S>;
  using base::width;
  using typename base::Acc, typename base::R, typename base::element, typename base::node,
      typename base::ordinal, typename base::row, typename base::sums, typename base::terms;
  static constexpr int parts = S::components;
  static constexpr int threads = int(S::stripe), warps = threads / warp_size;  ///< of a team
  static constexpr std::int64_t group_size = tuning::pieces_of_group;
  /// Stripes of a leaf that are loaded at once.
  static constexpr int together = tuning::listed_stripes_in_flight / parts;
  static_assert(threads % warp_size == 0);

  using lane_sums = Acc[terms::sums];
  static constexpr std::size_t bytes = threads * parts * sizeof(lane_sums);  ///< of smem

  template <class Exec>
  using policy =
      Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning::warps_of_listed_rows * warp_size, 1>>;

  row_list<node> list;

  template <class Team>
  __device__ void operator()(const Team& team) const {
    const int lane_id = team.team_rank() % warp_size;
    auto* const lanes = static_cast<lane_sums*>(
        team.team_scratch(0).get_shmem_aligned(std::size_t{bytes}, sizeof(Acc)));
    const unsigned teams = unsigned(team.league_size()), own = unsigned(team.league_rank());
    const unsigned leaves = *list.leaves_of_long_rows, count = *list.short_rows;
    for (unsigned k = own; k < leaves; k += teams) {
      const auto leaf = list.pieces[k];
      const sums s = sum_leaf_by_team(team, lanes, this->row_from(leaf.first, leaf.size));
      if (team.team_rank() < warp_size) join_leaf(leaf, k, s, lane_id);
    }
    const unsigned step = teams * warps;
    unsigned k = own * warps + unsigned(team.team_rank() / warp_size);
    if (k >= count) return;
    auto next = list.short_row(k);
    for (; k < count; k += step) {
      const auto of_row = next;
      next = list.short_row(k + step < count ? k + step : k);  // is there when this one is summed
      const sums s = this->template sum_leaf<tuning::row_groups_in_flight>(
          this->row_from(of_row.first, of_row.size), lane_id);
      if (lane_id == 0) this->finish(of_row.row, of_row.first, of_row.first + of_row.size, s);
    }
  }

 private:
  /// A leaf's sums, in the first warp's lane 0. lanes: smem.
  template <class Team>
  __device__ sums sum_leaf_by_team(const Team& team, lane_sums* lanes, const row& r) const {
    constexpr int step = together * int(R::stripe);
    const int own = team.team_rank() * parts;
    Acc lane[parts][terms::sums];
    int first = 0;
    ACC_NO_UNROLL for (; first + step <= r.size; first += step)
        deposit_stripes<true>(lane, r, first, own);
    if (first < r.size) deposit_stripes<false>(lane, r, first, own);
    ACC_UNROLL for (int c = 0; c < parts; ++c) {
      ACC_UNROLL for (int s = 0; s < terms::sums; ++s) lanes[own + c][s] = lane[c][s];
    }
    team.team_barrier();
    sums total;
    if (team.team_rank() < warp_size) {
      Acc group[width][terms::sums];
      ACC_UNROLL for (int j = 0; j < width; ++j) {
        ACC_UNROLL for (int s = 0; s < terms::sums; ++s) group[j][s] =
            lanes[team.team_rank() * width + j][s];
      }
      total = base::template combine_threads<warp_size>(impl::combine_lanes<Acc, R>(group));
    }
    team.team_barrier();
    return total;
  }
  /// A thread's numbers of some stripes from `first` on. No load has a condition, so that all are
  /// under way together: threads without a number read the last one.
  template <bool IsWhole>
  __device__ void deposit_stripes(Acc (&lane)[parts][terms::sums], const row& r, int first,
                                  int own) const {
    constexpr int stripe = int(R::stripe);
    element a[together][parts], b[together][parts];
    ordinal column[together];
    ACC_UNROLL for (int k = 0; k < together; ++k) {
      const int at = first + k * stripe + own, last = r.size - parts;
      const int e = IsWhole || at < last ? at : last;
      column[k] = this->load_once(r.index + e / parts);
      ACC_UNROLL for (int c = 0; c < parts; ++c) a[k][c] = this->load_once(r.values + e + c);
    }
    ACC_UNROLL for (int k = 0; k < together; ++k) {
      const element* const x = this->x_at(column[k]);
      ACC_UNROLL for (int c = 0; c < parts; ++c) b[k][c] = x[c];
    }
    ACC_UNROLL for (int k = 0; k < together; ++k) {
      const int at = first + k * stripe;
      // A stripe that the row has, for all threads.
      if (IsWhole || at < r.size) {
        const bool is_there = IsWhole || at + own < r.size;
        ACC_UNROLL for (int c = 0; c < parts; ++c) {
          if (!is_there) a[k][c] = impl::padding<element>::x, b[k][c] = impl::padding<element>::y;
        }
        ACC_UNROLL for (int c = 0; c < parts; ++c)
            terms::deposit(lane[c], a[k][c], b[k][c], b[k][parts - 1 - c], c);
      }
    }
  }
  /// Of the leaf at place k, by a warp, whose lane 0 has its sums.
  __device__ void join_leaf(const typename row_list<node>::piece& leaf, unsigned k, const sums& s,
                            int lane_id) const {
    const std::int64_t begin = this->rows.offset(leaf.row), end = this->rows.offset(leaf.row + 1);
    const bool is_alone = end - begin <= S::leaf;
    if (lane_id == 0) {
      const node n = this->node_of_leaf(leaf.row, leaf.first, leaf.first + leaf.size, s);
      if (is_alone)
        this->rows.of(leaf.row, begin, end).finish(n);
      else
        list.nodes[k] = n;
    }
    if (!is_alone) join(leaf.row, begin, end, k - unsigned(leaf.number), leaf.number, lane_id);
  }
  /// first: the place of the row's first leaf.
  __device__ void join(std::int64_t i, std::int64_t begin, std::int64_t end, std::int64_t first,
                       std::int64_t number, int lane_id) const {
    const std::int64_t leaves = (end - begin + S::leaf - 1) / S::leaf;
    const std::int64_t groups = (leaves + group_size - 1) / group_size;
    const std::int64_t start = number / group_size * group_size;
    const std::int64_t in_group = leaves - start < group_size ? leaves - start : group_size;
    // A group's counter is at its first leaf, that of groups at the row's second one.
    if (!warp_arrives_last(list.arrived + first + start, in_group, lane_id)) return;
    join_nodes(list.nodes + first + start, 1, in_group, lane_id);
    if (groups > 1) {
      if (!warp_arrives_last(list.arrived + first + 1, groups, lane_id)) return;
      join_nodes(list.nodes + first, group_size, groups, lane_id);
    }
    if (lane_id == 0) this->rows.of(i, begin, end).finish(list.nodes[first]);
  }
  /// The tree of leaf_tree over nodes[0], nodes[step], ..., into the first.
  __device__ static void join_nodes(node* nodes, std::int64_t step, std::int64_t count,
                                    int lane_id) {
    for (std::int64_t stride = 1; stride < count; stride *= 2) {
      for (std::int64_t k = 2 * stride * lane_id; k + stride < count; k += 2 * stride * warp_size)
        nodes[k * step].merge(nodes[(k + stride) * step]);
      __syncwarp();
    }
  }
};

template <class Exec, class S>
void launch_sorted_rows(const Exec& exec, const char* label, const warp_row<S>& row,
                        const row_list<typename warp_row<S>::node>& list, std::int64_t longest) {
  using kernel = sorted_rows<S>;
  const std::int64_t warps = (row.rows.count + warp_size - 1) / warp_size;
  Kokkos::parallel_for(label, typename kernel::template policy<Exec>(exec, 0, warps * warp_size),
                       kernel{{row, list, longest}});
}
template <int Threads, class Exec, class S>
void launch_packed_rows(const Exec& exec, const char* label, const warp_row<S>& row,
                        const row_list<typename warp_row<S>::node>& list, std::int64_t longest) {
  using kernel = packed_rows<S, Threads>;
  const std::int64_t warps = (row.rows.count + kernel::in_warp - 1) / kernel::in_warp;
  Kokkos::parallel_for(label, typename kernel::template policy<Exec>(exec, 0, warps * warp_size),
                       kernel{{row, list, longest}});
}
template <class Exec, class S>
void launch_staged_rows(const Exec& exec, const char* label, const warp_row<S>& row,
                        const row_list<typename warp_row<S>::node>& list, std::int64_t longest) {
  using kernel = staged_rows<S>;
  // 16 more bytes of smem: its first place is aligned.
  const int capacity = kernel::capacity_for(row.rows.size() / row.rows.count + 1);
  const std::int64_t teams = (row.rows.count + kernel::in_team - 1) / kernel::in_team;
  Kokkos::parallel_for(label,
                       typename kernel::template policy<Exec>(exec, int(teams), kernel::in_team, 1)
                           .set_scratch_size(0, Kokkos::PerTeam(kernel::bytes(capacity) + 16)),
                       kernel{{row, list, longest}, capacity});
}

template <class Exec, class S>
void launch_listed_rows(const Exec& exec, const char* label, const warp_row<S>& row,
                        const row_list<typename warp_row<S>::node>& list) {
  using kernel = listed_rows<S>;
  constexpr int teams_per_sm =
      tuning::rounds_of_listed_rows * tuning::warps_of_listed_rows / kernel::warps;
  const auto teams = int(std::min<std::int64_t>(
      list.places, teams_per_sm * exec.cuda_device_prop().multiProcessorCount));
  // 16 more bytes of smem: its first place is aligned.
  Kokkos::parallel_for(label,
                       typename kernel::template policy<Exec>(exec, teams, kernel::threads, 1)
                           .set_scratch_size(0, Kokkos::PerTeam(kernel::bytes + 16)),
                       kernel{row, list});
}

/// An empty list in the workspace, for rows of more than `longest` elements.
template <class Exec, class S>
row_list<typename warp_row<S>::node> list_of_rows(const Exec& exec, workspace<Exec>& memory,
                                                  const char* label, const S& s,
                                                  std::int64_t longest) {
  using node = typename warp_row<S>::node;
  using piece = typename row_list<node>::piece;
  // A row of n leaves has more entries than it could have without being listed for each, or n - 1
  // whole leaves and n < 2n - 1.
  const auto most = [&](std::int64_t unlisted) {
    return std::size_t(std::max(s.size() / unlisted, 2 * s.size() / S::leaf));
  };
  const std::size_t places = most(longest);
  const std::size_t leaves = most(std::max<std::int64_t>(longest, listed_by_warp<S>));
  const std::size_t counters = aligned_size((2 + leaves) * sizeof(unsigned));
  const std::size_t pieces = aligned_size(places * sizeof(piece));
  auto* const bytes = memory.list_memory(counters + pieces + leaves * sizeof(node));
  auto* const count = reinterpret_cast<unsigned*>(bytes);
  fill_with_zeros(exec, label, bytes, counters);
  return {.leaves_of_long_rows = count,
          .short_rows = count + 1,
          .arrived = count + 2,
          .pieces = reinterpret_cast<piece*>(bytes + counters),
          .places = unsigned(places),
          .nodes = reinterpret_cast<node*>(bytes + counters + pieces)};
}

/// Enqueues the products on exec.
template <class Exec, class S>
void crs_rows(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  // Matrices are contiguous. Others have generic kernels, and x of such strides.
  constexpr std::int64_t element_bytes = sizeof(typename S::element);
  if (s.values.stride != S::components || s.x.index_stride != 1 ||
      std::abs(s.x.stride) > std::numeric_limits<int>::max() / element_bytes)
    return generic::crs_rows(exec, memory, label, s);
  const warp_row<S> row{s, int(s.x.stride * element_bytes)};
  constexpr auto shape = tuning::staged_shape_of(S::reduction::accumulator::components);
  const bool are_staged = S::components == 1 && s.size() <= shape.most_entries * s.count;
  const std::int64_t groups = s.size() * S::components / (s.count * S::reduction::width);
  constexpr bool sorts = S::components == 1 && S::reduction::accumulator::components > 1;
  const int threads = are_staged                    ? 1
                      : groups <= (sorts ? 32 : 16) ? 4
                      : groups <= 32                ? 8
                                                    : warp_size;
  // Where most rows are long, the first kernel has enough warps for them.
  const std::int64_t longest =
      lists_all<S>(threads)
          ? std::int64_t(S::stripe)
          : std::clamp<std::int64_t>(tuning::mean_rows_unlisted * (s.size() / s.count),
                                     tuning::stripes_unlisted * S::stripe, S::leaf);
  const bool may_list = s.size() > longest;
  row_list<typename warp_row<S>::node> list{};
  if (may_list) list = list_of_rows(exec, memory, label, s, longest);
  if (are_staged) {
    if constexpr (S::components == 1) launch_staged_rows(exec, label, row, list, longest);
  } else if (threads == 4) {
    if constexpr (sorts)
      launch_sorted_rows(exec, label, row, list, longest);
    else
      launch_packed_rows<4>(exec, label, row, list, longest);
  } else if (threads == 8) {  // sorted rows have four
    if constexpr (!sorts) launch_packed_rows<8>(exec, label, row, list, longest);
  } else
    launch_packed_rows<warp_size>(exec, label, row, list, longest);
  if (may_list) launch_listed_rows(exec, label, row, list);
}

}  // namespace acc::backends::cuda

#endif
