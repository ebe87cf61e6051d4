// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_EXACT_HPP
#define ACC_BACKENDS_CUDA_EXACT_HPP

/// \file
/// Exact sums on NVIDIA GPUs. A thread keeps integer bins of its own in scratch memory, a row for
/// each range of exponents, so that no data makes threads collide; of a complex sum, threads keep
/// the two parts in turn.

#include <acc/backends/cuda/exact_bins.hpp>
#include <acc/backends/cuda/row_stream.hpp>
#include <acc/backends/workspace.hpp>

#include <algorithm>

namespace acc::backends {

template <class R>
struct cuda_exact_kernel {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using reader = term_reader<R>;
  using terms = exact_terms<scalar, reader::products>;
  using bins = typename terms::bins;
  static constexpr int threads = bins::threads, warps = threads / warp_size,
                       teams_per_processor = bins::teams;
  static constexpr bool has_y = reader::has_y;
  static constexpr int parts = reader::parts;
  static constexpr int width = 16 / sizeof(element);  ///< elements in a load
  /// Loads of a vector that are used, and then reloaded, together; such groups in flight.
  static constexpr int loads = terms::loads / (has_y ? 2 : 1), groups = 3;
  static constexpr int steps = width / reader::elements;  ///< terms of a thread in a load
  static constexpr int digits = terms::digits;

  R reduction;
  std::int64_t head;     ///< elements before the first load
  std::int64_t vectors;  ///< loads of 16 bytes of all threads
  std::int64_t* sum;     ///< digits of each part; zero between launches
  unsigned* state;       ///< kinds of each part; teams that are done. Zero between launches

  using policy =
      Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<threads, teams_per_processor>>;
  using member = typename policy::member_type;

  /// What a team has in its scratch memory.
  struct team_memory {
    std::int64_t bin[bins::rows][threads];
    std::int64_t sum[parts][digits];
    unsigned kinds[2];
    unsigned is_last;
  };
  static_assert(sizeof(team_memory) <= 48 << 10);
  static_assert(parts * digits + 2 <= zeroed_words);

  struct thread_state {
    bins b;
    int part;
    std::int64_t* team_sum;  ///< the part's digits
    int deposits = 0;
    bool has_nonzero = false;  ///< all threads of the warp have a term that is not 0
    element_kinds kinds{};

    __device__ void room_for(int n) {
      if ((deposits += n) <= bins::capacity) return;
      b.carry();
      deposits = n;
    }
  };

  __device__ void operator()(const member& team) const {
    auto& memory =
        *static_cast<team_memory*>(team.team_scratch(0).get_shmem_aligned(sizeof(team_memory), 16));
    const int thread = team.team_rank();
    for (int r = 0; r < bins::rows; ++r) memory.bin[r][thread] = 0;
    for (int i = thread; i < parts * digits; i += threads) memory.sum[0][i] = 0;
    if (thread < 2) memory.kinds[thread] = 0;
    team.team_barrier();
    const int part = thread % parts;
    thread_state s{{{&memory.bin[0][thread]}}, part, memory.sum[part]};
    const std::int64_t all = std::int64_t(team.league_size()) * threads / parts;
    const std::int64_t me = (std::int64_t(team.league_rank()) * threads + thread) / parts;
    add_vectors(s, me, all);
    add_others(s, me, all);
    finish_team(team, memory, s);
  }

 private:
  struct group {
    loaded<element> x[loads], y[has_y ? loads : 1];
    unsigned present;  ///< a bit a load

    /// From this thread's place on; `stride` elements are between loads.
    __device__ void load(const element* xs, const element* ys, std::int64_t stride) {
#pragma unroll
      for (int i = 0; i < loads; ++i) {
        x[i] = load_streaming(xs + i * stride);
        if constexpr (has_y) y[i] = load_streaming(ys + i * stride);
      }
      present = ~0u;
    }
    /// The same of a group of which `count` loads are left; the others are 0.
    __device__ void load_some(const element* xs, const element* ys, std::int64_t stride,
                              std::int64_t count) {
      present = 0;
#pragma unroll
      for (int i = 0; i < loads; ++i) {
        x[i] = y[has_y ? i : 0] = {};
        if (i >= count) continue;
        x[i] = load_streaming(xs + i * stride);
        if constexpr (has_y) y[i] = load_streaming(ys + i * stride);
        present |= 1u << i;
      }
    }
  };
  using term = typename reader::term;

  /// This thread's term of a step.
  __device__ static term term_of(const thread_state& s, const element* x, const element* y, int u) {
    term t[parts];
    reader::read(x, y, u, t);
    if (parts == 2 && s.part == 1) return t[parts - 1];
    return t[0];
  }
  /// Calls f(term, its load) for this thread's terms of a group.
  template <class F>
  __device__ static void for_each_term(const thread_state& s, const group& g, const F& f) {
#pragma unroll
    for (int i = 0; i < loads; ++i) {
#pragma unroll
      for (int u = 0; u < steps; ++u) f(term_of(s, g.x[i].e, g.y[has_y ? i : 0].e, u), i);
    }
  }

  __device__ static void add_group(thread_state& s, const group& g) {
    s.room_for(terms::deposits * loads * steps);
    unsigned range = 0;
    for_each_term(s, g, [&](const term& t, int) { range = max(range, terms::range_of(t.x, t.y)); });
    if (__any_sync(all_lanes, range >= terms::ordinary)) {
      s.kinds.merge(add_with_care(s.b, s.part, s.team_sum, g));
      return;
    }
    if (!s.has_nonzero) {
      zero_kinds zeros;
      for_each_term(s, g, [&](const term& t, int i) {
        if (g.present >> i & 1) zeros.note(reader::rounded(t));
      });
      const element_kinds kinds = g.present != 0 ? zeros.kinds() : element_kinds{};
      s.kinds.merge(kinds);
      if (!__any_sync(all_lanes, kinds.bits & element_kinds::nonzero)) return;
      s.has_nonzero = __all_sync(all_lanes, s.kinds.bits & element_kinds::nonzero);
    }
    // Addends first and side by side: each addition to memory has to wait for the one before.
    constexpr int all_terms = loads * steps, together = all_terms < 4 ? all_terms : 4;
#pragma unroll
    for (int begin = 0; begin < all_terms; begin += together) {
      typename bins::addend a[together][terms::deposits];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        const int i = (begin + k) / steps;
        const term t = term_of(s, g.x[i].e, g.y[has_y ? i : 0].e, (begin + k) % steps);
        terms::find_addends(t.x, t.y, a[k]);
      }
#pragma unroll
      for (int k = 0; k < together; ++k)
#pragma unroll
        for (int d = 0; d < terms::deposits; ++d) s.b.add(a[k][d]);
    }
  }

  /// A group with other than ordinary terms: rare, and so out of the way.
  __device__ __noinline__ static element_kinds add_with_care(bins b, int part,
                                                             std::int64_t* team_sum, group g) {
    thread_state s{b, part, team_sum};
    if constexpr (reader::products) {
      for_each_term(s, g, [&](const term& t, int i) {
        if (g.present >> i & 1) add_any(s, t);
      });
    } else {
      // Without branches but for what is not finite.
      zero_kinds zeros;
      for_each_term(s, g, [&](const term& t, int i) {
        if (g.present >> i & 1) zeros.note(reader::rounded(t));
        const bool finite = bins::high_word(t.x) < terms::not_finite;
        if (!finite) s.kinds.merge(element_kinds::of(t.x));
        terms::deposit_any(b, finite ? t.x : scalar(0), t.y, team_sum);
      });
      if (g.present != 0) s.kinds.merge(zeros.kinds());
    }
    return s.kinds;
  }
  __device__ static void add_any(thread_state& s, const term& t) {
    if (!impl::is_finite(t.x) || (reader::products && !impl::is_finite(t.y))) {
      s.kinds.merge(element_kinds::of(reader::products ? t.x * t.y : t.x));
    } else if (t.x == scalar(0) || (reader::products && t.y == scalar(0))) {
      zero_kinds zero;
      zero.note(reader::rounded(t));
      s.kinds.merge(zero.kinds());
    } else {
      s.kinds.merge({element_kinds::nonzero});
      terms::deposit_any(s.b, t.x, t.y, s.team_sum);
    }
  }

  /// Rows of one load a thread each, in groups.
  __device__ void add_vectors(thread_state& s, std::int64_t me, std::int64_t all) const {
    if (vectors == 0) return;
    const std::int64_t stride = all * width, step = loads * stride;
    const element *xs = reduction.x.data + head + me * width,
                  *ys = reduction.y.data + head + me * width;
    std::int64_t left = (vectors - me + all - 1) / all;  // loads of this thread, used or not
    std::int64_t to_load = left;
    group g[groups];
#pragma unroll
    for (int j = 0; j < groups; ++j, to_load -= loads)
      g[j].load_some(xs + j * step, ys + j * step, stride, to_load);
    // Trips in which all threads reload all groups.
    std::int64_t trips = vectors / all / loads / groups - 1;
#pragma unroll 1
    for (; trips > 0; --trips) {
#pragma unroll
      for (int j = 0; j < groups; ++j) {
        add_group(s, g[j]);
        g[j].load(xs + groups * step, ys + groups * step, stride);
        xs += step;
        ys += step;
      }
      left -= groups * loads;
    }
    // A warp's threads stay together: the last group may be empty for some of them.
    const std::int64_t most = (vectors + all - 1) / all;
    std::int64_t rest = most - ((vectors - me + all - 1) / all - left);
    to_load = left - groups * loads;
#pragma unroll 1
    for (; rest > 0; rest -= groups * loads) {
#pragma unroll
      for (int j = 0; j < groups; ++j, to_load -= loads) {
        if (j * loads < rest) add_group(s, g[j]);
        g[j].load_some(xs + groups * step, ys + groups * step, stride, to_load);
        xs += step;
        ys += step;
      }
    }
  }

  /// The elements that no load of 16 bytes brings: all, where there are none.
  __device__ void add_others(thread_state& s, std::int64_t me, std::int64_t all) const {
    const std::int64_t skipped = vectors * width, rest = reduction.x.size - skipped;
    constexpr int e = reader::elements, block = 4;
    constexpr int read = parts == 2 ? 2 : 1;  // elements that a step may look at
#pragma unroll 1
    for (std::int64_t i = me * read; i < rest; i += block * all * read) {
      element x[block][2], y[block][2];
#pragma unroll
      for (int k = 0; k < block * read; ++k) {
        std::int64_t at = i + k / read * all * read + k % read;
        if (at >= rest) continue;
        if (at >= head) at += skipped;
        x[k / read][k % read] = reduction.x[at];
        if constexpr (has_y) y[k / read][k % read] = reduction.y[at];
      }
      s.room_for(terms::deposits * block * 2);
#pragma unroll
      for (int k = 0; k < block; ++k)
#pragma unroll
        for (int u = 0; u < read / e; ++u)
          if (i + k * all * read < rest) add_any(s, term_of(s, x[k], y[k], u));
    }
  }

  /// Adds the team's bins to the sum; the last team to do so has it all.
  __device__ void finish_team(const member& team, team_memory& memory, thread_state& s) const {
    const int thread = team.team_rank(), warp = thread / warp_size, lane = thread % warp_size;
    if (s.kinds.bits != 0) atomicOr(&memory.kinds[s.part], s.kinds.bits);
    team.team_barrier();
#pragma unroll 1
    for (int r = warp; r < bins::rows; r += warps) {
      std::int64_t low = 0, high = 0;
      for (int t = lane; t < threads; t += warp_size) {
        low += memory.bin[r][t] & 0xffffffff;
        high += memory.bin[r][t] >> 32;
      }
      if (!__any_sync(all_lanes, (low | high) != 0)) continue;
      for (int d = warp_size / 2; d >= parts; d /= 2) {
        low += __shfl_down_sync(all_lanes, low, d);
        high += __shfl_down_sync(all_lanes, high, d);
      }
      if (lane < parts && (low | high) != 0)
        add_to_digits(memory.sum[lane], bins::lowest - terms::base + r * bins::width, low, high);
    }
    team.team_barrier();
    if (team.league_size() > 1) {
      carry_once(team, memory);
      auto* const all = reinterpret_cast<unsigned long long*>(sum);
      for (int i = thread; i < parts * digits; i += threads)
        if (memory.sum[0][i] != 0) atomicAdd(&all[i], memory.sum[0][i]);
      if (thread < parts && memory.kinds[thread] != 0)
        atomicOr(&state[thread], memory.kinds[thread]);
      __threadfence();
      team.team_barrier();
      if (thread == 0)
        memory.is_last = atomicAdd(&state[2], 1u) + 1 == unsigned(team.league_size());
      team.team_barrier();
      if (!memory.is_last) return;
      __threadfence();
      for (int i = thread; i < parts * digits; i += threads) {
        memory.sum[0][i] = __ldcg(reinterpret_cast<const long long*>(sum) + i);
        sum[i] = 0;
      }
      if (thread < parts) memory.kinds[thread] = __ldcg(&state[thread]);
      team.team_barrier();
      if (thread < 3) state[thread] = 0;
    }
    if (warp == 0) finish_sum(*this, memory, lane);
  }

  /// Leaves less than 2^33 in each digit but the last: then no count of teams overflows them. As
  /// bin_column::carry, to nearest.
  __device__ static void carry_once(const member& team, team_memory& memory) {
    constexpr int all = parts * digits, each = (all + threads - 1) / threads;
    const auto carry_of = [&](int i) {
      return i % digits == digits - 1 ? 0 : (memory.sum[0][i] + (1ll << 31)) >> 32;
    };
    std::int64_t carried[each];
    for (int k = 0; k < each; ++k) {
      const int i = team.team_rank() + k * threads;
      if (i >= all) continue;
      carried[k] = memory.sum[0][i] - (carry_of(i) << 32);
      if (i % digits > 0) carried[k] += carry_of(i - 1);
    }
    team.team_barrier();
    for (int k = 0; k < each; ++k) {
      const int i = team.team_rank() + k * threads;
      if (i < all) memory.sum[0][i] = carried[k];
    }
    team.team_barrier();
  }

  __device__ __noinline__ static void finish_sum(cuda_exact_kernel k, const team_memory& memory,
                                                 int lane) {
    if constexpr (std::is_same_v<typename R::finish_type, impl::write_value>) {
      int first[parts], last = 0;
      for (int p = 0; p < parts; ++p) {
        first[p] = digits;
        int end = 0;
        for (int i = lane; i < digits; i += warp_size) {
          if (memory.sum[p][i] == 0) continue;
          first[p] = min(first[p], i);
          end = i + 1;
        }
        first[p] = __reduce_min_sync(all_lanes, first[p]);
        last = max(last, __reduce_max_sync(all_lanes, end) - first[p]);
      }
      if (lane != 0) return;
      // A digit's word may reach into the two above it.
      if (last + 2 <= 16) {
        k.reduction.finish(rounded_digits<16>(memory, first));
      } else {
        for (int& f : first) f = 0;
        k.reduction.finish(rounded_digits<digits + 2>(memory, first));
      }
    } else {
      if (lane != 0) return;
      typename R::total total;
      for (int p = 0; p < parts; ++p) {
        total.part[p].add_kinds({memory.kinds[p]});
        for (int i = 0; i < digits; ++i)
          if (memory.sum[p][i] != 0)
            total.part[p].add_integer(memory.sum[p][i], terms::base + 32 * i);
      }
      k.reduction.finish(total);
    }
  }
  /// An exact sum that is only rounded any more.
  struct rounded_sum {
    scalar rounded;
    __device__ scalar value() const { return rounded; }
  };
  template <int Limbs>
  __device__ __noinline__ static impl::sums<rounded_sum, parts> rounded_digits(
      const team_memory& memory, const int (&first)[parts]) {
    impl::sums<rounded_sum, parts> total;
    for (int p = 0; p < parts; ++p) {
      impl::fixed_point<Limbs> sum;
      for (int i = 0; i < Limbs && first[p] + i < digits; ++i)
        sum.limb[i] = memory.sum[p][first[p] + i];
      total.part[p].rounded = impl::rounded_sum<scalar>(sum, terms::base + 32 * first[p],
                                                        {memory.kinds[p]}, rounding::nearest);
    }
    return total;
  }
};

/// Runs r on exec.
template <class R>
void launch_exact_on_cuda(const Kokkos::Cuda& exec, workspace<Kokkos::Cuda>& memory,
                          const char* label, const R& r) {
  using kernel = cuda_exact_kernel<R>;
  constexpr std::int64_t a_team = kernel::threads * kernel::loads * kernel::width / kernel::parts;
  const int most = kernel::teams_per_processor * exec.cuda_device_prop().multiProcessorCount;
  const int teams = int(std::clamp<std::int64_t>((r.x.size + a_team - 1) / a_team, 1, most));
  const std::int64_t head = elements_before_loads(r);
  const kernel k{
      .reduction = r,
      .head = std::max<std::int64_t>(head, 0),
      .vectors = head < 0 ? 0 : (r.x.size - head) / kernel::width,
      .sum = memory.zeros.data(),
      .state = reinterpret_cast<unsigned*>(memory.zeros.data() + kernel::parts * kernel::digits)};
  typename kernel::policy policy(exec, teams, kernel::threads);
  Kokkos::parallel_for(
      label, policy.set_scratch_size(0, Kokkos::PerTeam(sizeof(typename kernel::team_memory) + 16)),
      k);
}

}  // namespace acc::backends

#endif
