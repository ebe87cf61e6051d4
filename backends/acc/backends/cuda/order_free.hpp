// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_ORDER_FREE_HPP
#define ACC_BACKENDS_CUDA_ORDER_FREE_HPP

/// \file
/// Order-free sums on NVIDIA GPUs, exact and reproducible: threads deposit their terms in integer
/// bins of their own, teams add those up, and the last team to do so has the sum. Of a complex sum,
/// threads keep the two parts in turn.

#include <acc/backends/cuda/sums/binned_registers.hpp>
#include <acc/backends/cuda/sums/exact_bins.hpp>
#include <acc/backends/cuda/sums/stripe_stream.hpp>
#include <acc/backends/cuda/unroll.hpp>
#include <acc/backends/workspace.hpp>

#include <algorithm>

namespace acc::backends::cuda {

template <class R>
using bins_of =
    std::conditional_t<impl::is_reproducible<typename R::method>, binned_bins<R>, exact_bins<R>>;

/// Small: each thread has no more than one group, so there is less code to fetch.
template <class R, bool Small>
struct order_free_kernel {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using reader = term_reader<R>;
  using term = typename reader::term;
  using bins = bins_of<R>;
  static constexpr int threads = bins::threads, teams_per_sm = bins::shape.teams;
  static constexpr bool has_y = reader::has_y;
  static constexpr int parts = reader::parts;
  static constexpr int width = 16 / sizeof(element);      ///< elements in a load
  static constexpr int steps = width / reader::elements;  ///< terms of a thread in a load
  /// Loads of a vector that are used, and then reloaded, together; such groups in flight.
  static constexpr int loads = std::max(1, bins::shape.terms / steps),
                       groups = Small ? 1 : bins::shape.groups;
  static constexpr int vectors_of_group = threads / parts * loads;  ///< of a team
  /// A team adds to one of so many copies of the sum: atomics on one word take turns.
  static constexpr int copies = bins::rows > 128 ? 4 : 8;

  R reduction;
  std::int64_t head;         ///< elements before the first load
  std::int64_t vectors;      ///< loads of 16 bytes of all threads
  std::int64_t full_groups;  ///< of each thread
  bool has_part;             ///< there is a further group, of which a part is there

  /// What teams add to; zero between launches.
  struct shared_sum {
    std::int64_t row[copies][parts][bins::rows][2];  ///< low and high 32 bits apart
    unsigned kinds[copies][parts], top[copies][parts];
    unsigned done;  ///< teams
  };
  static_assert(sizeof(shared_sum) <= zeroed_words * sizeof(std::int64_t));
  shared_sum* sum;

  template <class Exec>
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, teams_per_sm>>;

  /// What a team has in its scratch memory.
  struct team_memory {
    typename bins::memory bin;
    std::int64_t digit[parts][bins::digits + 2];
    unsigned kinds[parts], top[parts];
    unsigned is_last;
  };
  static_assert(sizeof(team_memory) <= 48 << 10);

  template <class Team>
  __device__ void operator()(const Team& team) const {
    auto& memory =
        *static_cast<team_memory*>(team.team_scratch(0).get_shmem_aligned(sizeof(team_memory), 16));
    const int thread = team.team_rank(), part = thread % parts;
    for (int i = thread; i < parts * (bins::digits + 2); i += threads) memory.digit[0][i] = 0;
    if (thread < parts) memory.kinds[thread] = memory.top[thread] = 0;
    bins b(memory.bin, memory.digit[part], thread, part);
    const std::int64_t all = std::int64_t(team.league_size()) * threads / parts;
    const std::int64_t me = (std::int64_t(team.league_rank()) * threads + thread) / parts;
    team.team_barrier();
    add_vectors(b, me, all);
    add_others(b, me, all);
    finish_team(team, memory, b);
  }

 private:
  struct group {
    loaded<element> x[loads], y[has_y ? loads : 1];
    unsigned present;  ///< a bit a term

    /// From this thread's place on; `stride` elements are between loads.
    __device__ void load(const element* xs, const element* ys, std::int64_t stride) {
      ACC_UNROLL for (int i = 0; i < loads; ++i) {
        x[i] = load_streaming(xs + i * stride);
        if constexpr (has_y) y[i] = load_streaming(ys + i * stride);
      }
      present = ~0u;
    }
    /// The same where `left` elements are left; the others are 0.
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

  /// This thread's term of a step.
  __device__ static term term_of(int part, const element* x, const element* y, int u) {
    term t[parts];
    reader::read(x, y, u, t);
    if (parts == 2 && part == 1) return t[parts - 1];
    return t[0];
  }
  __device__ static void add_group(bins& b, const group& g) {
    typename bins::template batch<loads * steps> terms;
    ACC_UNROLL for (int i = 0; i < loads; ++i) {
      ACC_UNROLL for (int u = 0; u < steps; ++u) {
        terms.t[i * steps + u] = term_of(b.part, g.x[i].e, g.y[has_y ? i : 0].e, u);
      }
    }
    b.add(terms, g.present);
  }

  /// What loads of 16 bytes can bring: a warp's loads of a group are adjacent.
  __device__ void add_vectors(bins& b, std::int64_t me, std::int64_t all) const {
    if (vectors == 0) return;
    constexpr int lanes = warp_size / parts;
    const std::int64_t stride = lanes * width, step = all * loads * width;
    const std::int64_t first = (me / lanes * (lanes * loads) + me % lanes) * width;
    const element *xs = reduction.x.data + head + first, *ys = reduction.y.data + head + first;
    std::int64_t left = vectors * width - first;  // elements, from this thread's next group on
    group g[groups];
    ACC_UNROLL for (int j = 0; j < groups; ++j) {
      g[j].load_some(xs, ys, stride, left);
      xs += step;
      ys += step;
      left -= step;
    }
    if constexpr (Small) return add_group(b, g[0]);
    std::int64_t rest = full_groups;
    ACC_NO_UNROLL for (; rest >= 2 * groups; rest -= groups) {
      ACC_UNROLL for (int j = 0; j < groups; ++j) {
        add_group(b, g[j]);
        g[j].load(xs, ys, stride);
        xs += step;
        ys += step;
      }
      left -= groups * step;
    }
    // A warp's threads stay together: the last group may be empty for some of them.
    ACC_NO_UNROLL for (rest += has_part; rest > 0; rest -= groups) {
      ACC_UNROLL for (int j = 0; j < groups; ++j) {
        if (j < rest) add_group(b, g[j]);
        g[j].load_some(xs, ys, stride, left);
        xs += step;
        ys += step;
        left -= step;
      }
    }
  }

  /// The elements that no load of 16 bytes brings: all, where there are none.
  __device__ void add_others(bins& b, std::int64_t me, std::int64_t all) const {
    const std::int64_t skipped = vectors * width, rest = reduction.x.size - skipped;
    constexpr int e = reader::elements, block = 4;
    constexpr int read = parts == 2 ? 2 : 1;  // elements that a step may look at
    ACC_NO_UNROLL for (std::int64_t begin = 0; begin < rest; begin += block * all * read) {
      typename bins::template batch<block * read / e> terms;
      unsigned present = 0;
      ACC_UNROLL for (int k = 0; k < block; ++k) {
        element x[2] = {}, y[2] = {};
        ACC_UNROLL for (int i = 0; i < read; ++i) {
          std::int64_t at = begin + (k * all + me) * read + i;
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
  __device__ void finish_team(const Team& team, team_memory& memory, bins& b) const {
    const int thread = team.team_rank(), lane = thread % warp_size;
    if (b.kinds().bits != 0) atomicOr(&memory.kinds[b.part], b.kinds().bits);
    b.finish_thread(memory.bin, memory.top, lane);
    team.team_barrier();
    if (team.league_size() == 1) {
      bins::for_each_row(memory.bin, memory.digit, thread,
                         [&](int part, int row, auto low, auto high) {
                           if (!bins::is_digit(row)) add_row(memory, part, row, low, high);
                         });
    } else {
      const int copy = team.league_rank() % copies;
      bins::for_each_row(
          memory.bin, memory.digit, thread, [&](int part, int row, auto low, auto high) {
            auto* const to = reinterpret_cast<unsigned long long*>(sum->row[copy][part][row]);
            if (low != 0) atomicAdd(to, low);
            if (high != 0) atomicAdd(to + 1, high);
          });
      if (thread < parts) {
        if (memory.kinds[thread] != 0) atomicOr(&sum->kinds[copy][thread], memory.kinds[thread]);
        if (memory.top[thread] != 0) atomicMax(&sum->top[copy][thread], memory.top[thread]);
      }
      __threadfence();
      team.team_barrier();
      if (thread == 0)
        memory.is_last = atomicAdd(&sum->done, 1u) + 1 == unsigned(team.league_size());
      team.team_barrier();
      if (!memory.is_last) return;
      __threadfence();
      take_sum(team, memory);
    }
    team.team_barrier();
    if (thread < warp_size) finish_sum(memory, lane);
  }

  __device__ static void add_row(team_memory& memory, int part, int row, std::int64_t low,
                                 std::int64_t high) {
    const int bit = bins::bit_of(row, memory.top[part]);
    if (bit >= bins::lowest_bit) add_to_digits(memory.digit[part], bit, low, high);
  }

  /// Moves the sum of all teams to the digits of this one.
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
    for (int i = thread; i < parts * bins::rows; i += threads) {
      std::int64_t low = 0, high = 0;
      ACC_UNROLL for (int c = 0; c < copies; ++c) {
        auto* const from = reinterpret_cast<longlong2*>(sum->row[c][0][i]);
        const longlong2 v = __ldcg(from);
        low += v.x;
        high += v.y;
        if ((v.x | v.y) != 0) *from = {0, 0};
      }
      if ((low | high) != 0) add_row(memory, i / bins::rows, i % bins::rows, low, high);
    }
    if (thread < copies * parts) sum->kinds[0][thread] = sum->top[0][thread] = 0;
    if (thread == 0) sum->done = 0;
  }

  /// An order-free sum that is only rounded any more.
  struct rounded_sum {
    scalar rounded;
    __device__ scalar value() const { return rounded; }
  };
  /// By a warp.
  __device__ void finish_sum(team_memory& memory, int lane) const {
    if constexpr (R::writes_value) {
      impl::sums<rounded_sum, parts> total;
      ACC_NO_UNROLL for (int p = 0; p < parts; ++p) {
        total.part[p].rounded = round_digits<scalar>(
            memory.digit[p], bins::digits, bins::unit_of(memory.top[p]), {memory.kinds[p]}, lane);
      }
      if (lane == 0) reduction.finish(total);
    } else {
      if (lane == 0) finish_accumulator(*this, memory);
    }
  }
  __device__ __noinline__ static void finish_accumulator(order_free_kernel k,
                                                         const team_memory& memory) {
    typename R::total total;
    for (int p = 0; p < parts; ++p) {
      bins::add_digits(total.part[p], memory.digit[p], memory.top[p]);
      total.part[p].add_kinds({memory.kinds[p]});
    }
    k.reduction.finish(total);
  }
};

template <class Kernel, class Exec, class R>
void launch_order_free_kernel(const Exec& exec, workspace<Exec>& memory, const char* label,
                              const R& r, std::int64_t groups, int most, std::int64_t head) {
  const int teams =
      int(std::clamp<std::int64_t>((groups + Kernel::groups - 1) / Kernel::groups, 1, most));
  const std::int64_t vectors = head < 0 ? 0 : (r.x.size - head) / Kernel::width;
  const std::int64_t all = std::int64_t(teams) * Kernel::vectors_of_group;
  const Kernel k{.reduction = r,
                 .head = std::max<std::int64_t>(head, 0),
                 .vectors = vectors,
                 .full_groups = vectors / all,
                 .has_part = vectors % all != 0,
                 .sum = reinterpret_cast<typename Kernel::shared_sum*>(memory.zeros())};
  typename Kernel::template policy<Exec> policy(exec, teams, Kernel::threads);
  Kokkos::parallel_for(
      label, policy.set_scratch_size(0, Kokkos::PerTeam(sizeof(typename Kernel::team_memory) + 16)),
      k);
}

/// Runs r on exec.
template <class Exec, class R>
void order_free(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  using kernel = order_free_kernel<R, false>;
  constexpr std::int64_t a_group = kernel::vectors_of_group * kernel::width;
  const int most = kernel::teams_per_sm * exec.cuda_device_prop().multiProcessorCount;
  const std::int64_t groups = (r.x.size + a_group - 1) / a_group, head = elements_before_loads(r);
  if (groups <= most) {
    launch_order_free_kernel<order_free_kernel<R, true>>(exec, memory, label, r, groups, most,
                                                         head);
  } else {
    launch_order_free_kernel<kernel>(exec, memory, label, r, groups, most, head);
  }
}

}  // namespace acc::backends::cuda

#endif
