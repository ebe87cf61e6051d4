// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many threads deposit numbers into a few or many accumulators: by Kokkos::atomic_add, and into
// copies of a ScatterView, one a thread, that meet at the end. Beside it, plain numbers.

#include "harness.hpp"

#include <acc/reducers.hpp>

#include <Kokkos_ScatterView.hpp>

namespace {

using namespace perf;

/// Number i's accumulator: neighbours go to different ones.
KOKKOS_INLINE_FUNCTION int place(std::int64_t i, int count) { return int(i * 7919 % count); }

template <class Value>
struct add_atomically {
  vector<double> x;
  vector<Value> sums;
  int count;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Kokkos::atomic_add(&sums(place(i, count)), Value(x(i)));
  }
};

template <class View>
struct scatter {
  using value = typename View::original_value_type;
  vector<double> x;
  View sums;
  int count;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto access = sums.access();
    access(place(i, count)) += value(x(i));
  }
};

template <class Value>
void add_rows(const std::string& name, int count) {
  using namespace Kokkos::Experimental;
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const auto measure_deposits = [](benchmark::State& state, std::int64_t n, const auto& call) {
    measure(state, double(n * sizeof(double)), call);
    state.counters["ns a deposit"] =
        benchmark::Counter(1e-9 * double(n), benchmark::Counter::kIsIterationInvariantRate |
                                                 benchmark::Counter::kInvert);
  };
  const std::string into = "scatter/f64/into " + std::to_string(count) + " ";
  const std::initializer_list<int> sizes = {17};
  add(
      into + "by atomic_add/" + name,
      [=](benchmark::State& state, std::int64_t n) {
        const auto x = data<double>(n);
        const vector<Value> sums("sums", count);
        measure_deposits(state, n, [&] {
          Kokkos::parallel_for(range(0, n), add_atomically<Value>{x, sums, count});
        });
      },
      sizes);
  if constexpr (!on_gpu) {
    add(
        into + "by a duplicated ScatterView/" + name,
        [=](benchmark::State& state, std::int64_t n) {
          using view = ScatterView<Value*, typename vector<Value>::array_layout, Exec, ScatterSum,
                                   ScatterDuplicated, ScatterNonAtomic>;
          const auto x = data<double>(n);
          vector<Value> sums("sums", count);
          view copies(sums);
          measure_deposits(state, n, [&] {
            copies.reset();
            Kokkos::parallel_for(range(0, n), scatter<view>{x, copies, count});
            contribute(Exec{}, sums, copies);
          });
        },
        sizes);
  }
}

const bool registered = [] {
  for (const int count : {8, 1024}) {
    add_rows<double>("plain double", count);
    add_rows<acc::superaccumulator<double>>("superaccumulator<double>", count);
    add_rows<acc::binned<double, 3>>("binned<double, 3>", count);
  }
  return true;
}();

}  // namespace
