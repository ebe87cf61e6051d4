// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_PRODUCTS_HPP
#define ACC_PERF_TESTS_PRODUCTS_HPP

/// \file
/// What the benchmarks of matrix products share: matrices for acc and for its peer, rows that let
/// the two take turns.

#include "blas.hpp"
#include "harness.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdlib>
#include <functional>
#include <thread>
#include <type_traits>
#include <vector>

namespace perf {

inline const char* letter(bool transposed) { return transposed ? "T" : "N"; }

/// A matrix that BLAS can take as View: of one type whichever way it lies, so that all benchmarks
/// of a method share its code.
template <class Space = Exec, class T>
auto view(const blas::matrix<T>& m) {
  const std::size_t rows = std::size_t(m.rows), columns = std::size_t(m.columns);
  const std::size_t step = std::size_t(m.step);
  return Kokkos::View<T**, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>(
      m.data, Kokkos::LayoutStride(rows, m.by_rows ? step : 1, columns, m.by_rows ? 1 : step));
}

/// A matrix that op() makes rows x columns, in the execution space's own layout (on a host by rows)
/// or the other.
template <class T>
blas::matrix<T> matrix_of(T* data, std::int64_t rows, std::int64_t columns, bool transposed = false,
                          bool own_layout = true) {
  if (transposed) std::swap(rows, columns);
  const bool by_rows = own_layout != on_gpu;
  return {data, rows, columns, by_rows ? columns : rows, by_rows, transposed};
}

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<Kokkos::complex<R>> = true;

template <class T>
struct rounded_numbers {
  vector<T> to;
  vector<float> from;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = T(from(i)); }
};

/// As `data`: of complex numbers both parts, of half precision what floats round to.
template <class T>
vector<T> numbers(std::int64_t n, int which, family of = family::uniform) {
  if constexpr (is_complex<T>) {
    const auto parts = data<typename T::value_type>(2 * n, which, of);
    return vector<T>(reinterpret_cast<T*>(parts.data()), std::size_t(n));
  } else if constexpr (sizeof(T) == 2) {
    const vector<T> rounded("data", std::size_t(n));
    Kokkos::parallel_for(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
                         rounded_numbers<T>{rounded, data<float>(n, which, of)});
    return rounded;
  } else {
    return data<T>(n, which, of);
  }
}

inline double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + std::ptrdiff_t(x.size() / 2), x.end());
  return x[x.size() / 2];
}

/// The seconds that call() takes; before it nothing runs for ACC_PERF_IDLE seconds (environment;
/// else 0), as a chip that gets hot or reaches its power limit slows down.
template <class Call>
double seconds_rested(const Call& call) {
  static const char* const given = std::getenv("ACC_PERF_IDLE");
  static const std::chrono::duration<double> idle(given ? std::atof(given) : 0);
  if (idle.count() > 0) std::this_thread::sleep_for(idle);
  return seconds(call);
}

/// Runs call as benchmark iterations: counts its floating-point operations.
template <class Call>
void measure_product(benchmark::State& state, double operations, const Call& call) {
  for (double spent = 0, i = 0; i < 3 && spent < 0.1; ++i) spent += seconds(call);
  for (auto _ : state) state.SetIterationTime(seconds_rested(call));
  state.counters["GFLOP/s"] =
      benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

/// Who runs in turn with a call, and the counter for the median of their times' ratio: how many
/// times as fast as this rival the call was at the same time on the same machine.
struct rival {
  const char* counter;
  std::function<void()> call;
};

/// The same, and the rivals after each call.
template <class Call>
void measure_product(benchmark::State& state, double operations, const Call& call,
                     const std::vector<rival>& rivals) {
  for (double spent = 0, i = 0; i < 3 && spent < 0.1; ++i) {
    spent += seconds(call);
    for (const rival& r : rivals) spent += seconds(r.call);
  }
  std::vector<std::vector<double>> ratios(rivals.size());
  for (auto _ : state) {
    const double time = seconds_rested(call);
    state.SetIterationTime(time);
    for (std::size_t i = 0; i < rivals.size(); ++i)
      ratios[i].push_back(seconds_rested(rivals[i].call) / time);
  }
  state.counters["GFLOP/s"] =
      benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  for (std::size_t i = 0; i < rivals.size(); ++i)
    if (!ratios[i].empty()) state.counters[rivals[i].counter] = median(ratios[i]);
}
template <class Call, class Peer>
void measure_product(benchmark::State& state, double operations, const Call& call, const Peer& peer)
  requires std::invocable<Peer>
{
  std::vector<rival> rivals;
  if (blas::exists) rivals.push_back({"ratio", peer});
  measure_product(state, operations, call, rivals);
}

/// Registers body(state) under a name.
template <class Body>
void add_product(const std::string& name, const Body& body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

}  // namespace perf

#endif
