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

/// The first n elements of vector number `which`, uniform in [-1, 1]; made once for the largest n.
template <class T>
vector<T> data(std::int64_t n, int which = 0) {
  static vector<T> all[2];
  static bool hooked = false;
  if (!hooked) {
    Kokkos::push_finalize_hook([] { all[0] = all[1] = {}; });
    hooked = true;
  }
  if (std::int64_t(all[which].extent(0)) < n) {
    all[which] = {};
    all[which] = vector<T>(Kokkos::view_alloc("data", Kokkos::WithoutInitializing), n);
    Kokkos::Random_XorShift64_Pool<Exec> pool(20260101 + which);
    Kokkos::fill_random(all[which], pool, T(-1), T(1));
    Kokkos::fence();
  }
  return Kokkos::subview(all[which], Kokkos::make_pair(std::int64_t(0), n));
}

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

/// Registers body(state, n) as name/2^k for every size.
template <class Body>
void add(const std::string& name, const Body& body) {
  const std::initializer_list<int> gpu = {10, 14, 17, 20, 24, 28, 30}, cpu = {10, 15, 20, 27};
  for (const int k : on_gpu ? gpu : cpu) {
    benchmark::RegisterBenchmark(
        (name + "/2^" + std::to_string(k)).c_str(),
        [=](benchmark::State& state) { body(state, std::int64_t(1) << k); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace perf

#endif
