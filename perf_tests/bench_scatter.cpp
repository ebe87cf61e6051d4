// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many threads deposit numbers into a few or many accumulators: by Kokkos::atomic_add, and into
// copies of a ScatterView, one a thread, that meet at the end. Beside it, plain numbers. And by
// acc::scatter_sum and acc::sum_by_index, beside Kokkos::atomic_add of plain numbers by the same
// indexes.

#include "harness.hpp"

#include <acc/reducers.hpp>
#include <acc/scatter_sum.hpp>
#include <acc/sum_by_index.hpp>

#include <Kokkos_ScatterView.hpp>

#include <algorithm>
#include <optional>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#endif

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

/// Adds x(i) to sum index(i): sums(b, x).
template <class T, class Sums>
struct add_by_index {
  vector<T> x;
  vector<int> index;
  Sums sums;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sums(index(i), x(i)); }
};
template <class T>
struct plain_sums {
  vector<T> sums;
  KOKKOS_FUNCTION void operator()(int b, T x) const { Kokkos::atomic_add(&sums(b), x); }
};
template <class T>
struct exact_sums {
  acc::scatter_sum<T, Exec> sums;
  KOKKOS_FUNCTION void operator()(int b, T x) const { sums.add(b, x); }
};

/// How indexes are distributed: uniformly, in sorted runs of one length, or by Zipf's law, so that
/// sum b gets 1 / (b + 1) of what the first one gets.
enum class spread { uniform, sorted, zipf };

struct spread_indexes {
  vector<int> index;
  int count;
  spread how;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (how == spread::sorted) index(i) = int(i * count / std::int64_t(index.extent(0)));
    // A uniform number of 2^20 as the logarithm of the rank.
    if (how == spread::zipf)
      index(i) = int(Kokkos::pow(double(count), double(index(i)) / (1 << 20))) - 1;
  }
};

vector<int> indexes(std::int64_t n, int count, spread how) {
  const vector<int> index(Kokkos::view_alloc("index", Kokkos::WithoutInitializing), std::size_t(n));
  const Kokkos::Random_XorShift64_Pool<Exec> pool(1);
  Kokkos::fill_random(index, pool, how == spread::zipf ? 1 << 20 : count);
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
                       spread_indexes{index, count, how});
  Kokkos::fence();
  return index;
}

#if defined(KOKKOS_ENABLE_CUDA)
/// What gives the same bits from run to run by plain additions: the numbers are sorted by index,
/// then neighbours are added.
template <class T>
class sort_and_reduce {
 public:
  sort_and_reduce(std::int64_t n, const vector<int>& index, const vector<T>& x, const vector<T>& r)
      : n_(n),
        index_(index),
        x_(x),
        r_(r),
        keys_("keys", n),
        unique_("unique", r.extent(0)),
        sorted_("sorted", n),
        count_("count") {
    launch();
    scratch_ = Kokkos::View<char*, Exec>("scratch", std::max(sort_bytes_, reduce_bytes_));
  }
  void launch() {
    const cudaStream_t stream = Exec().cuda_stream();
    cub::DeviceRadixSort::SortPairs(scratch_.data(), sort_bytes_, index_.data(), keys_.data(),
                                    x_.data(), sorted_.data(), n_, 0, 32, stream);
    cub::DeviceReduce::ReduceByKey(scratch_.data(), reduce_bytes_, keys_.data(), unique_.data(),
                                   sorted_.data(), r_.data(), count_.data(), plain_addition{}, n_,
                                   stream);
  }

 private:
  std::int64_t n_;
  vector<int> index_;
  vector<T> x_, r_;
  vector<int> keys_, unique_;
  vector<T> sorted_;
  Kokkos::View<int, Exec> count_;
  Kokkos::View<char*, Exec> scratch_;
  std::size_t sort_bytes_ = 0, reduce_bytes_ = 0;
};
#endif

template <class T>
void add_indexed(const std::string& type, const std::string& name, int count,
                 spread how = spread::uniform) {
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const std::initializer_list<int> sizes = {on_gpu ? 26 : 22};
  const auto row = [&](const std::string& by, const auto& call, family of = family::full) {
    add(
        "deposits/" + type + "/into " + name + "/" + by,
        [=](benchmark::State& state, std::int64_t n) {
          const auto x = data<T>(n, 0, of);
          const auto index = indexes(n, count, how);
          const vector<T> r("r", count);
          auto made = call();
          measure(state, double(n) * double(sizeof(T) + sizeof(int)),
                  [&] { made(n, x, index, r); });
          state.counters["ns per number"] =
              benchmark::Counter(1e-9 * double(n), benchmark::Counter::kIsIterationInvariantRate |
                                                       benchmark::Counter::kInvert);
        },
        sizes);
  };
  row("Kokkos atomic_add", [] {
    return [](std::int64_t n, const auto& x, const auto& index, const auto& r) {
      Kokkos::parallel_for(range(0, n), add_by_index<T, plain_sums<T>>{x, index, {r}});
    };
  });
  row("acc sum_by_index", [] {
    return [](std::int64_t, const auto& x, const auto& index, const auto& r) {
      acc::sum_by_index(Exec(), r, index, x);
    };
  });
  row("acc sum_by_index, reproducible<3>", [] {
    return [](std::int64_t, const auto& x, const auto& index, const auto& r) {
      acc::sum_by_index(Exec(), r, index, x, acc::reproducible<3>{});
    };
  });
  row("acc scatter_sum", [count] {
    return [sums = acc::scatter_sum<T, Exec>("sums", std::size_t(count))](
               std::int64_t n, const auto& x, const auto& index, const auto&) {
      Kokkos::parallel_for(range(0, n), add_by_index<T, exact_sums<T>>{x, index, {sums}});
    };
  });
  row("acc scatter_sum, cleared and rounded", [count] {
    return [sums = acc::scatter_sum<T, Exec>("sums", std::size_t(count))](
               std::int64_t n, const auto& x, const auto& index, const auto& r) {
      sums.reset(Exec());
      Kokkos::parallel_for(range(0, n), add_by_index<T, exact_sums<T>>{x, index, {sums}});
      sums.round(Exec(), r);
    };
  });
  // Multiples of 2^-32 take one limb, those of 2^-53 two.
  const auto in_range = [&](const std::string& limbs, family of, int unit) {
    row(
        "acc scatter_sum, " + limbs,
        [=] {
          const acc::exponent_range numbers{.unit = unit, .top = 1};
          return [sums = acc::scatter_sum<T, Exec>("sums", std::size_t(count), numbers)](
                     std::int64_t n, const auto& x, const auto& index, const auto&) {
            sums.reset(Exec());  // else its range would end
            Kokkos::parallel_for(range(0, n), add_by_index<T, exact_sums<T>>{x, index, {sums}});
          };
        },
        of);
  };
  in_range("one limb", family::words, -32);
  if (sizeof(T) == 8) in_range("two limbs", family::grid, -53);
#if defined(KOKKOS_ENABLE_CUDA)
  row("CUB sort and reduce by key", [] {
    std::optional<sort_and_reduce<T>> peer;
    return [peer](std::int64_t n, const auto& x, const auto& index, const auto& r) mutable {
      if (!peer) peer.emplace(n, index, x, r);
      peer->launch();
    };
  });
#endif
}

/// Rows of `width` numbers into rows of sums.
template <class T>
void add_rows_by_index(const std::string& type, int width) {
  add("deposits/" + type + "/rows of " + std::to_string(width) + " into 2^12/acc sum_by_index",
      [=](benchmark::State& state, std::int64_t n) {
        using matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
        constexpr int count = 1 << 12;
        const std::int64_t rows = n / width;
        const Kokkos::View<const T**, Kokkos::LayoutRight, Exec, Kokkos::MemoryUnmanaged> x(
            data<T>(n, 0, family::full).data(), rows, width);
        const auto index = indexes(rows, count, spread::uniform);
        const matrix r("r", count, width);
        measure(state, double(n) * double(sizeof(T)),
                [&] { acc::sum_by_index(Exec(), r, index, x); });
      },
      {on_gpu ? 26 : 22});
}

const bool registered = [] {
  const auto add_both = [](const std::string& name, int count, spread how) {
    add_indexed<float>("f32", name, count, how);
    add_indexed<double>("f64", name, count, how);
  };
  add_both("1", 1, spread::uniform);
  add_both("2^10 sorted", 1 << 10, spread::sorted);
  add_both("2^20 sorted", 1 << 20, spread::sorted);
  add_both("2^16 Zipf", 1 << 16, spread::zipf);
  add_both("2^20 Zipf", 1 << 20, spread::zipf);
  for (const auto& [count, name] : {std::pair(8, "8"), std::pair(1 << 10, "2^10"),
                                    std::pair(1 << 16, "2^16"), std::pair(1 << 20, "2^20")}) {
    add_indexed<float>("f32", name, count);
    add_indexed<double>("f64", name, count);
  }
  for (const int width : {32, 128}) {
    add_rows_by_index<float>("f32", width);
    add_rows_by_index<double>("f64", width);
  }
  for (const int count : {8, 1024}) {
    add_rows<double>("plain double", count);
    add_rows<acc::superaccumulator<double>>("superaccumulator<double>", count);
    add_rows<acc::binned<double, 3>>("binned<double, 3>", count);
  }
  return true;
}();

}  // namespace
