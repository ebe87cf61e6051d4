// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_EXACT_HPP
#define ACC_BACKENDS_CUDA_EXACT_HPP

/// \file
/// Exact sums of real vectors on NVIDIA GPUs. A thread keeps integer bins of its own in scratch
/// memory, a row for each range of exponents, so that no data makes threads collide. A number
/// enters two rows by three additions that lose nothing (docs/arithmetic.md, "On a GPU").

#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order_free.hpp>

#include <algorithm>

namespace acc::backends {

/// A thread's column of bins, each row 2^Width times the one below.
template <int Width, int Rows, int Threads>
struct bin_column {
  static constexpr int width = Width, rows = Rows, threads = Threads;

  std::int64_t* column;

  __device__ std::int64_t& row(int r) const { return column[r * threads]; }
  __device__ void carry() const {
#pragma unroll 1
    for (int r = 0; r < rows - 1; ++r) {
      const std::int64_t over = row(r) >> width;
      row(r) -= over << width;
      row(r + 1) += over;
    }
  }
};

/// A thread's bins: row r counts units of 2^(width r + lowest).
template <class T>
struct exact_bins;

template <>
struct exact_bins<double> : bin_column<48, 44, 128> {
  static constexpr int lowest = -1074, teams = 4, loads = 4;
  /// Deposits between two carries: an addend is at most 2^52, and a row holds less than 2^49 then.
  static constexpr int capacity = 1920;
  /// High words from here on are too large for deposit: 2^993 and more, infinities and NaN.
  static constexpr unsigned too_large = 2017u << 20;

  __device__ static unsigned high_word(double x) { return __double2hiint(x) & 0x7fffffffu; }

  /// x, |x| < 2^993, `up` rows above its place. The exponent e belongs to q = (e - 1) / 48. Adding
  /// M = 1.5 2^53 units of row q + 1 rounds x to two of those units; subtracting M + N for
  /// N = 1.5 2^52 units of row q leaves x minus what was rounded off plus N. Both low words count
  /// units: bits(x + M) - bits(M) in twos of row q + 1, bits(s) - bits(N) in row q.
  __device__ void deposit(double x, int up = 0) const {
    const int e = (__double2hiint(x) >> 20) & 0x7ff;
    const int q = (e * 21845) >> 20;
    const int high = q * (width << 20) + (50 << 20 | 0x80000);
    const double m = __hiloint2double(high, 0), m_and_n = __hiloint2double(high, 12);
    const double t = __dadd_rn(x, m);
    const double s = __dsub_rn(x, __dsub_rn(t, m_and_n));
    row(q + up + 1) += (__double_as_longlong(t) - __double_as_longlong(m)) * 2;
    row(q + up) +=
        __double_as_longlong(s) - __double_as_longlong(__hiloint2double(high - (49 << 20), 0));
  }
  /// Any finite x.
  __device__ void deposit_large(double x) const {
    if (high_word(x) < too_large) {
      deposit(x);
    } else {
      deposit(x * 0x1p-48, 1);
    }
  }
};

template <>
struct exact_bins<float> : bin_column<16, 16, 256> {
  static constexpr int lowest = -150, teams = 4, loads = 2;
  /// An addend is at most 2^39.
  static constexpr int capacity = 1 << 22;
  static constexpr unsigned too_large = 255u << 23;

  __device__ static unsigned high_word(float x) { return __float_as_uint(x) & 0x7fffffffu; }

  /// As for double; a float's 24 digits need one row.
  __device__ void deposit(float x) const {
    const unsigned bits = __float_as_uint(x);
    const double m = __hiloint2double(((bits & 0x78000000u) >> 3) + (925 << 20 | 0x80000), 0);
    const double t = __dadd_rn(double(x), m);
    row((bits >> 27) & 15) += __double_as_longlong(t) - __double_as_longlong(m);
  }
  __device__ void deposit_large(float x) const { deposit(x); }
};

/// Limbs of 32 bits, from the lowest row's unit up, that teams add their bins to.
inline constexpr int exact_limbs = 72;
static_assert(exact_limbs + 1 <= zeroed_words);

template <class R>
struct cuda_exact_kernel {
  using scalar = typename R::scalar;
  using bins = exact_bins<scalar>;
  static constexpr int threads = bins::threads, warps = threads / warp_size;
  static constexpr int width = 16 / sizeof(scalar);      ///< numbers in a load
  static constexpr int loads = bins::loads, groups = 3;  ///< loads used and reloaded together
  static constexpr bool takes_magnitudes = std::is_same_v<typename R::terms, impl::magnitude_terms>;

  R reduction;
  bool aligned;
  std::int64_t* limbs;  ///< zero between launches
  unsigned* state;      ///< kinds of elements; teams that are done. Zero between launches

  using policy = Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<threads, bins::teams>>;
  using member = typename policy::member_type;

  static constexpr int scratch_bytes = bins::rows * threads * 8 + 32;

  struct thread_state {
    bins b;
    int deposits = 0;
    unsigned other_than_minus_zero = 0;  ///< bits of the elements that differ from -0's
    element_kinds kinds{};

    __device__ void room_for(int n) {
      if ((deposits += n) <= bins::capacity) return;
      b.carry();
      deposits = n;
    }
    __device__ void note(double x) {
      other_than_minus_zero |=
          (unsigned(__double2hiint(x)) ^ 0x80000000u) | unsigned(__double2loint(x));
    }
    __device__ void note(float x) { other_than_minus_zero |= __float_as_uint(x) ^ 0x80000000u; }
    __device__ void add_any(scalar x) {
      note(x);
      if (impl::is_finite(x)) {
        b.deposit_large(x);
      } else {
        kinds.merge(element_kinds::of(x));
      }
    }
  };

  __device__ static scalar term(scalar x) {
    if constexpr (takes_magnitudes) return impl::magnitude(x);
    return x;
  }

  __device__ void operator()(const member& team) const {
    auto* const memory = static_cast<std::int64_t*>(
        team.team_scratch(0).get_shmem_aligned(bins::rows * threads * 8, 16));
    const int thread = team.team_rank();
    thread_state s{bins{{memory + thread}}};
    for (int r = 0; r < bins::rows; ++r) s.b.row(r) = 0;
    const std::int64_t all = std::int64_t(team.league_size()) * threads;
    const std::int64_t me = std::int64_t(team.league_rank()) * threads + thread;
    std::int64_t done = 0;
    if (aligned) done = add_rows(s, me, all);
    for (std::int64_t i = done + me; i < reduction.x.size; i += all) {
      s.room_for(1);
      s.add_any(term(scalar(reduction.x[i])));
    }
    finish_team(team, memory, s);
  }

 private:
  struct group {
    uint4 v[loads];
    __device__ void load(const uint4* p, std::int64_t stride) {
#pragma unroll
      for (int i = 0; i < loads; ++i) v[i] = load_streaming(p + i * stride);
    }
  };
  struct elements {
    scalar e[width];
  };

  __device__ static void add_group(thread_state& s, const group& g) {
    s.room_for(loads * width);
    elements x[loads];
    unsigned largest = 0;
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      x[i] = Kokkos::bit_cast<elements>(g.v[i]);
#pragma unroll
      for (int j = 0; j < width; ++j) largest = max(largest, bins::high_word(x[i].e[j]));
    }
    if (__any_sync(all_lanes, largest >= bins::too_large)) {
#pragma unroll 1
      for (int i = 0; i < loads; ++i)
#pragma unroll
        for (int j = 0; j < width; ++j) s.add_any(term(pick(x, i).e[j]));
      return;
    }
#pragma unroll
    for (int i = 0; i < loads; ++i)
#pragma unroll
      for (int j = 0; j < width; ++j) {
        s.note(term(x[i].e[j]));
        s.b.deposit(term(x[i].e[j]));
      }
  }
  __device__ static elements pick(const elements (&x)[loads], int i) {
    elements chosen = x[0];
#pragma unroll
    for (int k = 1; k < loads; ++k)
      if (i == k) chosen = x[k];
    return chosen;
  }

  /// Rows of one load a thread each, in groups; returns the elements that are done.
  __device__ std::int64_t add_rows(thread_state& s, std::int64_t me, std::int64_t all) const {
    const std::int64_t count = reduction.x.size / width / all / loads;  // groups a thread
    if (count == 0) return 0;
    const uint4* next = reinterpret_cast<const uint4*>(reduction.x.data) + me;
    const std::int64_t step = loads * all;
    group g[groups];
#pragma unroll
    for (int j = 0; j < groups; ++j) {
      if (j < count) g[j].load(next, all);
      next += step;
    }
    std::int64_t at = 0;
#pragma unroll 1
    for (; at + 2 * groups <= count; at += groups) {
#pragma unroll
      for (int j = 0; j < groups; ++j) {
        add_group(s, g[j]);
        g[j].load(next, all);
        next += step;
      }
    }
#pragma unroll 1
    for (; at < count; at += groups) {
#pragma unroll
      for (int j = 0; j < groups; ++j) {
        if (at + j < count) add_group(s, g[j]);
        if (at + j + groups < count) g[j].load(next, all);
        next += step;
      }
    }
    return count * loads * width * all;
  }

  /// Adds the team's bins to the limbs; the last team to do so has the sum.
  __device__ void finish_team(const member& team, std::int64_t* memory, thread_state& s) const {
    const int thread = team.team_rank(), warp = thread / warp_size, lane = thread % warp_size;
    if (s.other_than_minus_zero != 0) s.kinds.merge({element_kinds::nonzero});
    const unsigned kinds = __reduce_or_sync(all_lanes, s.kinds.bits);
    if (lane == 0 && kinds != 0) atomicOr(&state[0], kinds);
    team.team_barrier();
#pragma unroll 1
    for (int r = warp; r < bins::rows; r += warps) {
      std::int64_t low = 0, high = 0;
      for (int t = lane; t < threads; t += warp_size) {
        const std::int64_t v = memory[r * threads + t];
        low += v & 0xffffffff;
        high += v >> 32;
      }
      for (int d = warp_size / 2; d > 0; d /= 2) {
        low += __shfl_down_sync(all_lanes, low, d);
        high += __shfl_down_sync(all_lanes, high, d);
      }
      if (lane == 0 && (low != 0 || high != 0)) add_to_limbs(r * bins::width, low, high);
    }
    __threadfence();
    team.team_barrier();
    auto* const is_last = reinterpret_cast<unsigned*>(memory);
    if (thread == 0) *is_last = atomicAdd(&state[1], 1u) + 1 == unsigned(team.league_size());
    team.team_barrier();
    if (!*is_last) return;
    team.team_barrier();
    __threadfence();
    if (thread < exact_limbs) {
      memory[thread] = __ldcg(reinterpret_cast<const long long*>(limbs) + thread);
      limbs[thread] = 0;
    }
    team.team_barrier();
    if (thread == 0) finish_sum(memory);
  }

  /// Adds (low + 2^32 high) * 2^bit. |low|, |high| < 2^40.
  __device__ void add_to_limbs(int bit, std::int64_t low, std::int64_t high) const {
    auto* const at = reinterpret_cast<unsigned long long*>(limbs) + bit / 32;
    const __int128 total = (((__int128)high << 32) + low) << (bit % 32);
    const auto first = std::uint64_t(total & 0xffffffff),
               second = std::uint64_t(total >> 32 & 0xffffffff);
    const auto rest = std::uint64_t(total >> 64);
    if (first != 0) atomicAdd(at, first);
    if (second != 0) atomicAdd(at + 1, second);
    if (rest != 0) atomicAdd(at + 2, rest);
  }

  __device__ __noinline__ void finish_sum(const std::int64_t* limb) const {
    element_kinds kinds{__ldcg(&state[0])};
    state[0] = state[1] = 0;
    // No other kind than -0 was noted: there was nothing else, or nothing at all.
    if (kinds.bits == 0 && reduction.x.size > 0) kinds = element_kinds::zero(true);
    typename R::total total;
    total.part[0].add_kinds(kinds);
    for (int i = 0; i < exact_limbs; ++i)
      if (limb[i] != 0) total.part[0].add_integer(limb[i], bins::lowest + 32 * i);
    reduction.finish(total);
  }
};

/// Whether the kernel above serves r; what it does not, the generic engine does.
template <class R>
inline constexpr bool is_exact_sum_of_reals =
    std::is_same_v<typename R::method, exact> && R::terms::inputs == 1 && R::terms::results == 1 &&
    std::is_same_v<typename R::element, typename R::scalar> &&
    !std::is_same_v<typename R::terms, impl::square_terms>;

/// Runs r on exec.
template <class R>
void launch_exact_on_cuda(const Kokkos::Cuda& exec, workspace<Kokkos::Cuda>& memory,
                          const char* label, const R& r) {
  using kernel = cuda_exact_kernel<R>;
  using bins = typename kernel::bins;
  const std::int64_t a_team = bins::threads * kernel::width * kernel::loads;
  const int most = bins::teams * exec.cuda_device_prop().multiProcessorCount;
  const int teams = int(std::clamp<std::int64_t>((r.x.size + a_team - 1) / a_team, 1, most));
  const bool aligned = r.x.contiguous() && reinterpret_cast<std::uintptr_t>(r.x.data) % 16 == 0;
  std::int64_t* const limbs = memory.zeros.data();
  const kernel k{r, aligned, limbs, reinterpret_cast<unsigned*>(limbs + exact_limbs)};
  typename kernel::policy policy(exec, teams, bins::threads);
  Kokkos::parallel_for(label, policy.set_scratch_size(0, Kokkos::PerTeam(kernel::scratch_bytes)),
                       k);
}

}  // namespace acc::backends

#endif
