// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_HARNESS_HPP
#define ACC_PERF_TESTS_HARNESS_HPP

/// \file
/// Data, timing and registration that all benchmarks share.

#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <benchmark/benchmark.h>
#include <chrono>
#include <string>

namespace perf {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using vector = Kokkos::View<T*, Exec>;

inline constexpr bool on_gpu =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;

/// What numbers a vector has: the order-free methods take other ways through other numbers.
enum class family {
  uniform,  ///< in [-1, 1]
  decades,  ///< uniform times 2^k, -100 <= k < 100 (float: 40)
  any,      ///< any finite bits
  constant,
  zeros,
  half_zeros,  ///< every other number of a uniform vector
  subnormal,
  huge,       ///< near overflow
  drifting,   ///< uniform times powers of two that rise by 1600 (float: 200) from end to end
  spiked,     ///< uniform, but each 1009th number is 2^60 times as large
  infinite,   ///< uniform, but each 1009th number is infinite
  fractions,  ///< in [0, 1], for products of non-negative matrices
  grid,       ///< in [0, 1), multiples of 2^-53 (float: 2^-24), as random numbers are made
  words,      ///< in (-1, 1), multiples of 2^-32 with all digits of their type
  full,       ///< the same of 2^-64
  normal,     ///< of mean 0 and variance 1
};
inline constexpr const char* family_names[] = {
    "uniform",   "60 decades", "all exponents", "constant", "zeros",    "half zeros",
    "subnormal", "huge",       "drifting",      "spiked",   "infinite", "fractions",
    "grid",      "32 bits",    "full",          "normal"};

template <class T>
struct fill {
  vector<T> x;
  Kokkos::Random_XorShift64_Pool<Exec> pool;
  family of;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto random = pool.get_state();
    x(i) = number(random, i);
    pool.free_state(random);
  }

 private:
  template <class Random>
  KOKKOS_FUNCTION T number(Random& random, std::int64_t i) const {
    constexpr bool is_float = sizeof(T) == 4;
    constexpr int most = is_float ? 127 : 1023, span = is_float ? 200 : 1600;
    const T u = T(random.drand(-1, 1));
    switch (of) {
      case family::uniform:
        return u;
      case family::decades:
        return u * power(random.rand(200) * (is_float ? 2 : 5) / 5 - (is_float ? 40 : 100));
      case family::any:
        return (random.urand(2) ? T(1) : T(-1)) * (1 + Kokkos::abs(u)) *
               power(random.rand(2 * most - 2) - most + 1);
      case family::constant:
        return T(0.1);
      case family::zeros:
        return T(0);
      case family::half_zeros:
        return random.urand(2) ? u : T(0);
      case family::subnormal:
        return u * power(-most + 1) / 64;
      case family::huge:
        return u * power(most);
      case family::drifting:
        return u * power(int(i * span / std::int64_t(x.extent(0))) - span / 2);
      case family::spiked:
        return i % 1009 == 0 ? u * power(60) : u;
      case family::infinite:
        return i % 1009 == 0 ? Kokkos::Experimental::infinity_v<T> : u;
      case family::fractions:
        return Kokkos::abs(u);
      case family::grid:
        return T(random.urand64() >> (is_float ? 40 : 11)) * power(is_float ? -24 : -53);
      case family::words:
        return (random.urand(2) ? T(1) : T(-1)) * T(random.urand()) * power(-32);
      case family::full:
        return (random.urand(2) ? T(1) : T(-1)) * T(random.urand64() | 1) * power(-64);
      case family::normal:
        return T(random.normal());
    }
    return u;
  }
  /// 2^e, a normal number.
  KOKKOS_FUNCTION static T power(int e) {
    if constexpr (sizeof(T) == 4) return Kokkos::bit_cast<float>(std::uint32_t(e + 127) << 23);
    if constexpr (sizeof(T) == 8) return Kokkos::bit_cast<double>(std::uint64_t(e + 1023) << 52);
  }
};

/// The first n elements of vector number `which`; made once for the largest n, and again where
/// another family is asked for.
template <class T>
vector<T> data(std::int64_t n, int which = 0, family of = family::uniform) {
  static vector<T> all[2];
  static family have[2];
  static bool hooked = false;
  if (!hooked) {
    Kokkos::push_finalize_hook([] { all[0] = all[1] = {}; });
    hooked = true;
  }
  // A drifting vector is one for each length.
  const bool drifts = of == family::drifting && std::int64_t(all[which].extent(0)) != n;
  if (std::int64_t(all[which].extent(0)) < n || have[which] != of || drifts) {
    all[which] = {};
    all[which] = vector<T>(Kokkos::view_alloc("data", Kokkos::WithoutInitializing), n);
    have[which] = of;
    const Kokkos::Random_XorShift64_Pool<Exec> pool(20260101 + which);
    Kokkos::parallel_for(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
                         fill<T>{all[which], pool, of});
    Kokkos::fence();
  }
  return Kokkos::subview(all[which], Kokkos::make_pair(std::int64_t(0), n));
}

/// For algorithms of peers.
struct plain_addition {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

/// Seconds that call() takes on the execution space: between events on a GPU, else wall clock.
template <class Call>
double seconds(const Call& call) {
#if defined(KOKKOS_ENABLE_CUDA)
  static cudaEvent_t start = nullptr, stop = nullptr;
  if (!start) {
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
  }
  const cudaStream_t stream = Exec().cuda_stream();
  cudaEventRecord(start, stream);
  call();
  cudaEventRecord(stop, stream);
  cudaEventSynchronize(stop);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);
  return ms * 1e-3;
#else
  const auto start = std::chrono::steady_clock::now();
  call();
  Exec().fence();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
#endif
}

/// Runs call, an asynchronous reduction that reads `bytes`, as benchmark iterations.
template <class Call>
void measure(benchmark::State& state, double bytes, const Call& call) {
  for (int warm_up = 0; warm_up < 3; ++warm_up) seconds(call);
  for (auto _ : state) state.SetIterationTime(seconds(call));
  state.counters["GB/s"] =
      benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

/// Registers body(state, n) as name/2^k for every k of `sizes`.
template <class Body>
void add(const std::string& name, const Body& body, std::initializer_list<int> sizes) {
  for (const int k : sizes) {
    benchmark::RegisterBenchmark(
        (name + "/2^" + std::to_string(k)).c_str(),
        [=](benchmark::State& state) { body(state, std::int64_t(1) << k); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}
template <class Body>
void add(const std::string& name, const Body& body) {
  if (on_gpu) return add(name, body, {10, 14, 17, 20, 24, 28, 30});
  add(name, body, {10, 15, 18, 20, 23, 27});
}

/// Calls rows(family, its name, sizes) for every family but the first, which `add` is for, and
/// fractions, which sums take as they take uniform numbers: within a cache, and where memory is the
/// limit. Rows of a family follow each other, on the same data.
template <class Rows>
void for_each_family(const Rows& rows) {
  const std::initializer_list<int> gpu = {20, 28}, cpu = {15, 27};
  for (int f = 1; f <= int(family::infinite); ++f)
    rows(family(f), family_names[f], on_gpu ? gpu : cpu);
}

}  // namespace perf

#endif
