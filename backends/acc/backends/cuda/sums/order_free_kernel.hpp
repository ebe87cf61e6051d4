// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_ORDER_FREE_KERNEL_HPP
#define ACC_BACKENDS_CUDA_SUMS_ORDER_FREE_KERNEL_HPP

/// \file
/// The kernel of order-free sums: threads deposit terms in bins of their own, teams add their bins
/// to the sum in global memory, and the last team to do so rounds it. The threads of a complex sum
/// keep the real and the imaginary part in turn.

#include <acc/backends/cuda/sums/binned_registers.hpp>
#include <acc/backends/cuda/sums/exact_bins.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// A thread's bins.
template <class R>
using bins_of = std::conditional_t<impl::is_reproducible<typename R::method>, binned_registers<R>,
                                   exact_bins<R>>;

/// What a warp makes of the digits of a sum.
template <class R, class Bins>
struct order_free_result {
  using scalar = typename R::scalar;
  static constexpr int parts = R::terms::results;
  using part_digits = std::int64_t[Bins::digits + 2];

  /// Rounds the digits, and writes the result.
  __device__ static void write(const R& r, part_digits* digit, const unsigned* top,
                               const unsigned* kinds, int lane_id) {
    if constexpr (R::writes_value) {
      impl::sums<rounded_sum, parts> total;
      ACC_NO_UNROLL for (int p = 0; p < parts; ++p) {
        total.part[p].rounded = round_digits<scalar>(digit[p], Bins::digits, Bins::unit_of(top[p]),
                                                     {kinds[p]}, lane_id);
      }
      if (lane_id == 0) r.finish(total);
    } else {
      if (lane_id == 0) write_accumulator(r, digit, top, kinds);
    }
  }

 private:
  struct rounded_sum {
    scalar rounded;
    __device__ scalar value() const { return rounded; }
  };
  /// For what needs the accumulator itself: square roots, accumulators of the user's.
  __device__ __noinline__ static void write_accumulator(R r, const part_digits* digit,
                                                        const unsigned* top,
                                                        const unsigned* kinds) {
    typename R::total total;
    for (int p = 0; p < parts; ++p) {
      Bins::add_digits(total.part[p], digit[p], top[p]);
      total.part[p].add_kinds({kinds[p]});
    }
    r.finish(total);
  }
};

/// IsSmall: each thread has at most one batch, so there is less code to fetch. Copies: of the sum
/// in global memory, or 0 for as many as one sum is added up in fastest.
template <class R, bool IsSmall, int Copies = 0>
struct order_free_kernel {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using reader = term_reader<R>;
  using term = typename reader::term;
  using bins = bins_of<R>;
  static constexpr int threads = bins::threads, teams_per_sm = bins::shape.teams_per_sm;
  static constexpr bool has_y = reader::has_y;
  static constexpr int parts = reader::parts;
  static constexpr int width = 16 / sizeof(element);      ///< elements per load
  static constexpr int steps = width / reader::elements;  ///< terms of a thread per load
  /// A batch: loads of each vector whose terms are deposited together, and which are then issued
  /// again. So many batches are in flight.
  static constexpr int loads = std::max(1, bins::shape.terms / steps),
                       batches = IsSmall ? 1 : bins::shape.batches;
  static constexpr int loads_of_team = threads / parts * loads;  ///< in a batch
  static constexpr int copies = Copies > 0 ? Copies : tuning::copies_of_sum(bins::team_bins);

  R reduction;
  std::int64_t head;          ///< elements before the first load
  std::int64_t vectors;       ///< loads of 16 bytes of all threads
  std::int64_t full_batches;  ///< of each thread
  bool has_part;              ///< there is one more batch, which is not full for all threads

  /// The sum that teams add to; zero between launches. A team adds to one of several copies:
  /// atomics on one word take turns. Aligned for loads of both halves of a bin.
  struct alignas(16) shared_sum {
    std::int64_t bin[copies][parts][bins::team_bins][2];  ///< low and high 32 bits apart
    unsigned kinds[copies][parts], top[copies][parts];
    unsigned done;  ///< teams
  };
  static_assert(sizeof(shared_sum) <= zeroed_words * sizeof(std::int64_t));
  shared_sum* sum;

  template <class Exec>
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, teams_per_sm>>;

  /// A team's scratch memory.
  struct team_memory {
    typename bins::memory bin;
    std::int64_t digit[parts][bins::digits + 2];
    unsigned kinds[parts], top[parts];
    unsigned is_last;
  };
  static_assert(sizeof(team_memory) <= 48 << 10);

  template <class Team>
  __device__ void operator()(const Team& team) const {
    run(team, team.league_rank(), team.league_size());
  }

  /// What team `index` of `teams` does.
  template <class Team>
  __device__ void run(const Team& team, std::int64_t index, int teams) const {
    auto& memory =
        *static_cast<team_memory*>(team.team_scratch(0).get_shmem_aligned(sizeof(team_memory), 16));
    const int thread = team.team_rank(), part = thread % parts;
    for (int i = thread; i < parts * (bins::digits + 2); i += threads) memory.digit[0][i] = 0;
    if (thread < parts) memory.kinds[thread] = memory.top[thread] = 0;
    bins b(memory.bin, memory.digit[part], thread, part);
    // The threads that keep the parts of the same elements count as one worker.
    const std::int64_t workers = std::int64_t(teams) * threads / parts;
    const std::int64_t worker = (index * threads + thread) / parts;
    team.team_barrier();
    add_vectors(b, worker, workers);
    add_others(b, worker, workers);
    finish_team(team, memory, b, int(index), teams);
  }

 private:
  struct batch {
    loaded<element> x[loads], y[has_y ? loads : 1];
    unsigned present;  ///< a bit per term

    /// Loads from this thread's place on; `stride` elements are between loads.
    __device__ void load(const element* xs, const element* ys, std::int64_t stride) {
      ACC_UNROLL for (int i = 0; i < loads; ++i) {
        x[i] = load_streaming(xs + i * stride);
        if constexpr (has_y) y[i] = load_streaming(ys + i * stride);
      }
      present = ~0u;
    }
    /// The same if only `left` elements are left; the others are 0.
    __device__ void load_some(const element* xs, const element* ys, std::int64_t stride,
                              std::int64_t left) {
      present = 0;
      ACC_UNROLL for (int i = 0; i < loads; ++i) {
        x[i] = y[has_y ? i : 0] = {};
        if (i * stride >= left) continue;
        x[i] = load_streaming(xs + i * stride);
        if constexpr (has_y) y[i] = load_streaming(ys + i * stride);
        present |= ((1u << steps) - 1) << i * steps;
      }
    }
  };

  /// The term of this thread's part in step u of a load.
  __device__ static term term_of(int part, const element* x, const element* y, int u) {
    term t[parts];
    reader::read(x, y, u, t);
    if (parts == 2 && part == 1) return t[parts - 1];
    return t[0];
  }
  __device__ static void add_batch(bins& b, const batch& g) {
    typename bins::template batch<loads * steps> terms;
    ACC_UNROLL for (int i = 0; i < loads; ++i) {
      ACC_UNROLL for (int u = 0; u < steps; ++u) {
        terms.t[i * steps + u] = term_of(b.part, g.x[i].e, g.y[has_y ? i : 0].e, u);
      }
    }
    b.add(terms, g.present);
  }

  /// Adds the elements that loads of 16 bytes bring. A warp's loads of a batch are adjacent.
  __device__ void add_vectors(bins& b, std::int64_t worker, std::int64_t workers) const {
    if (vectors == 0) return;
    constexpr int in_warp = warp_size / parts;  // workers
    const std::int64_t stride = in_warp * width, step = workers * loads * width;
    const std::int64_t first = (worker / in_warp * (in_warp * loads) + worker % in_warp) * width;
    const element *xs = reduction.x.data + head + first, *ys = reduction.y.data + head + first;
    std::int64_t left = vectors * width - first;  // elements, from this thread's next batch on
    batch g[batches];
    ACC_UNROLL for (int j = 0; j < batches; ++j) {
      g[j].load_some(xs, ys, stride, left);
      xs += step;
      ys += step;
      left -= step;
    }
    if constexpr (IsSmall) return add_batch(b, g[0]);
    std::int64_t rest = full_batches;
    ACC_NO_UNROLL for (; rest >= 2 * batches; rest -= batches) {
      ACC_UNROLL for (int j = 0; j < batches; ++j) {
        add_batch(b, g[j]);
        g[j].load(xs, ys, stride);
        xs += step;
        ys += step;
      }
      left -= batches * step;
    }
    // A warp's threads stay together: the last batch may be empty for some of them.
    ACC_NO_UNROLL for (rest += has_part; rest > 0; rest -= batches) {
      ACC_UNROLL for (int j = 0; j < batches; ++j) {
        if (j < rest) add_batch(b, g[j]);
        g[j].load_some(xs, ys, stride, left);
        xs += step;
        ys += step;
        left -= step;
      }
    }
  }

  /// Adds the elements that no load of 16 bytes brings: without such loads, all.
  __device__ void add_others(bins& b, std::int64_t worker, std::int64_t workers) const {
    const std::int64_t skipped = vectors * width, rest = reduction.x.size - skipped;
    constexpr int e = reader::elements, steps_in_flight = tuning::strided_steps_in_flight;
    constexpr int read = parts == 2 ? 2 : 1;  // elements that a step may look at
    ACC_NO_UNROLL for (std::int64_t begin = 0; begin < rest;
                       begin += steps_in_flight * workers * read) {
      typename bins::template batch<steps_in_flight * read / e> terms;
      unsigned present = 0;
      ACC_UNROLL for (int k = 0; k < steps_in_flight; ++k) {
        element x[2] = {}, y[2] = {};
        ACC_UNROLL for (int i = 0; i < read; ++i) {
          std::int64_t at = begin + (k * workers + worker) * read + i;
          if (at >= rest) continue;
          if (at >= head) at += skipped;
          x[i] = reduction.x[at];
          if constexpr (has_y) y[i] = reduction.y[at];
          if (i < read / e) present |= 1u << (k * (read / e) + i);
        }
        ACC_UNROLL for (int u = 0; u < read / e; ++u) {
          terms.t[k * (read / e) + u] = term_of(b.part, x, y, u);
        }
      }
      b.add(terms, present);
    }
  }

  /// Adds the team's bins to the sum; the last team to do so has it all.
  template <class Team>
  __device__ void finish_team(const Team& team, team_memory& memory, bins& b, int index,
                              int teams) const {
    const int thread = team.team_rank(), lane_id = thread % warp_size;
    if (b.kinds().bits != 0) atomicOr(&memory.kinds[b.part], b.kinds().bits);
    b.finish_thread(memory.bin, memory.top, lane_id);
    team.team_barrier();
    if (teams == 1) {
      bins::for_each_bin(memory.bin, memory.digit, thread,
                         [&](int part, int bin, auto low, auto high) {
                           if (!bins::is_digit(bin)) add_bin(memory, part, bin, low, high);
                         });
    } else {
      const int copy = index % copies;
      bins::for_each_bin(
          memory.bin, memory.digit, thread, [&](int part, int bin, auto low, auto high) {
            auto* const to = reinterpret_cast<unsigned long long*>(sum->bin[copy][part][bin]);
            if (low != 0) atomicAdd(to, low);
            if (high != 0) atomicAdd(to + 1, high);
          });
      if (thread < parts) {
        if (memory.kinds[thread] != 0) atomicOr(&sum->kinds[copy][thread], memory.kinds[thread]);
        if (memory.top[thread] != 0) atomicMax(&sum->top[copy][thread], memory.top[thread]);
      }
      __threadfence();
      team.team_barrier();
      if (thread == 0) memory.is_last = atomicAdd(&sum->done, 1u) + 1 == unsigned(teams);
      team.team_barrier();
      if (!memory.is_last) return;
      __threadfence();
      take_sum(team, memory);
    }
    team.team_barrier();
    if (thread < warp_size)
      order_free_result<R, bins>::write(reduction, memory.digit, memory.top, memory.kinds, lane_id);
  }

  /// Adds a bin to the team's digits.
  __device__ static void add_bin(team_memory& memory, int part, int bin, std::int64_t low,
                                 std::int64_t high) {
    const int bit = bins::bit_of(bin, memory.top[part]);
    if (bit >= bins::lowest_bit) add_to_digits(memory.digit[part], bit, low, high);
  }

  /// Moves the sum of all teams to the digits of this team.
  template <class Team>
  __device__ void take_sum(const Team& team, team_memory& memory) const {
    const int thread = team.team_rank();
    for (int i = thread; i < parts * (bins::digits + 2); i += threads) memory.digit[0][i] = 0;
    if (thread < parts) {
      unsigned kinds = 0, top = 0;
      for (int c = 0; c < copies; ++c) {
        kinds |= __ldcg(&sum->kinds[c][thread]);
        top = max(top, __ldcg(&sum->top[c][thread]));
      }
      memory.kinds[thread] = kinds;
      memory.top[thread] = top;
    }
    team.team_barrier();
    for (int i = thread; i < parts * bins::team_bins; i += threads) {
      std::int64_t low = 0, high = 0;
      ACC_UNROLL for (int c = 0; c < copies; ++c) {
        auto* const from = reinterpret_cast<longlong2*>(sum->bin[c][0][i]);
        const longlong2 v = __ldcg(from);
        low += v.x;
        high += v.y;
        if ((v.x | v.y) != 0) *from = {0, 0};
      }
      if ((low | high) != 0) add_bin(memory, i / bins::team_bins, i % bins::team_bins, low, high);
    }
    if (thread < copies * parts) sum->kinds[0][thread] = sum->top[0][thread] = 0;
    if (thread == 0) sum->done = 0;
  }
};

}  // namespace acc::backends::cuda

#endif
