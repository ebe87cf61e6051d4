// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prefix sums, segmented sums and sums by key: acc's methods, Kokkos::parallel_scan, CUB or a
// sequential loop.

#include "harness.hpp"

#include <acc/prefix_sum.hpp>
#include <acc/segmented_sum.hpp>
#include <acc/sum_by_key.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#endif

namespace {

using namespace perf;

template <class T>
struct plain_scan {
  vector<T> x, r;
  KOKKOS_FUNCTION void operator()(std::int64_t i, T& s, bool is_final) const {
    s += x(i);
    if (is_final) r(i) = s;
  }
};

/// x with exponents spread by 2^(+-spread): what three doubles do not hold.
template <class T>
struct widen {
  vector<T> from, to;
  int spread;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to(i) = from(i) * Kokkos::exp2(T((i * 7919) % (2 * spread) - spread));
  }
};

template <class T>
vector<T> results(std::int64_t n) {
  return vector<T>(Kokkos::view_alloc("r", Kokkos::WithoutInitializing), n);
}

template <class T, class Method>
void add_scan(const std::string& type, const std::string& name, Method method, int spread = 0) {
  add("scan/" + type + "/acc " + name, [=](benchmark::State& state, std::int64_t n) {
    auto x = data<T>(n);
    const auto r = results<T>(n);
    const Exec exec;
    if (spread != 0) {
      const auto wide = results<T>(n);
      Kokkos::parallel_for(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                           widen<T>{x, wide, spread});
      x = wide;
    }
    measure(state, double(2 * n * sizeof(T)), [&] { acc::prefix_sum(exec, r, x, method); });
  });
}

/// n elements in segments of `length`.
vector<std::int64_t> equal_segments(std::int64_t n, std::int64_t length) {
  const vector<std::int64_t> offsets("offsets", n / length + 1);
  const auto mirror = Kokkos::create_mirror_view(offsets);
  for (std::size_t i = 0; i < mirror.extent(0); ++i) mirror(i) = std::int64_t(i) * length;
  Kokkos::deep_copy(offsets, mirror);
  return offsets;
}

template <class T, class Method>
void add_segments(const std::string& type, std::int64_t length, const std::string& name,
                  Method method) {
  add("segments of " + std::to_string(length) + "/" + type + "/acc " + name,
      [=](benchmark::State& state, std::int64_t n) {
        const auto x = data<T>(n);
        const auto offsets = equal_segments(n, std::min(n, length));
        const auto r = results<T>(std::int64_t(offsets.extent(0)) - 1);
        const Exec exec;
        measure(state, double(n * sizeof(T)),
                [&] { acc::segmented_sum(exec, r, x, offsets, method); });
      });
}

/// n sorted keys in runs of `length`.
vector<int> equal_runs(std::int64_t n, std::int64_t length) {
  const vector<int> keys("keys", n);
  const auto mirror = Kokkos::create_mirror_view(keys);
  for (std::int64_t i = 0; i < n; ++i) mirror(i) = int(i / length);
  Kokkos::deep_copy(keys, mirror);
  return keys;
}

template <class T, class Method>
void add_keys(const std::string& type, std::int64_t length, const std::string& name,
              Method method) {
  add("runs of " + std::to_string(length) + "/" + type + "/acc " + name,
      [=](benchmark::State& state, std::int64_t n) {
        const auto x = data<T>(n);
        const auto keys = equal_runs(n, length);
        const std::int64_t m = (n + length - 1) / length;
        const auto r = results<T>(m);
        const auto unique = results<int>(m);
        const Kokkos::View<int, Exec> count("count");
        const Exec exec;
        measure(state, double(n * (sizeof(T) + sizeof(int))),
                [&] { acc::sum_by_key(exec, r, unique, count, keys, x, method); });
      });
}

template <class T>
void add_key_peers(const std::string& type, std::int64_t length) {
  const std::string name = "runs of " + std::to_string(length) + "/" + type;
#if defined(KOKKOS_ENABLE_CUDA)
  add(name + "/CUB", [=](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n);
    const auto keys = equal_runs(n, length);
    const std::int64_t m = (n + length - 1) / length;
    const auto r = results<T>(m);
    const auto unique = results<int>(m);
    const Kokkos::View<int, Exec> count("count");
    const cudaStream_t stream = Exec().cuda_stream();
    std::size_t bytes = 0;
    const auto call = [&](void* scratch) {
      cub::DeviceReduce::ReduceByKey(scratch, bytes, keys.data(), unique.data(), x.data(), r.data(),
                                     count.data(), plain_addition{}, n, stream);
    };
    call(nullptr);
    const Kokkos::View<char*, Exec> scratch("scratch", bytes);
    measure(state, double(n * (sizeof(T) + sizeof(int))), [&] { call(scratch.data()); });
  });
#else
  add(name + "/sequential loop", [=](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n);
    const auto keys = equal_runs(n, length);
    const auto r = results<T>((n + length - 1) / length);
    const auto unique = results<int>(std::int64_t(r.extent(0)));
    measure(state, double(n * (sizeof(T) + sizeof(int))), [&] {
      std::int64_t run = -1;
      for (std::int64_t i = 0; i < n; ++i) {
        if (i == 0 || keys(i) != keys(i - 1)) {
          unique(++run) = keys(i);
          r(run) = 0;
        }
        r(run) += x(i);
      }
      benchmark::ClobberMemory();
    });
  });
#endif
}

template <class T>
void add_peers(const std::string& type) {
  add("scan/" + type + "/Kokkos::parallel_scan", [](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n);
    const auto r = results<T>(n);
    const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> range(0, n);
    measure(state, double(2 * n * sizeof(T)),
            [&] { Kokkos::parallel_scan(range, plain_scan<T>{x, r}); });
  });
#if defined(KOKKOS_ENABLE_CUDA)
  add("scan/" + type + "/CUB", [](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n);
    const auto r = results<T>(n);
    const cudaStream_t stream = Exec().cuda_stream();
    std::size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(nullptr, bytes, x.data(), r.data(), n, stream);
    const Kokkos::View<char*, Exec> scratch("scratch", bytes);
    measure(state, double(2 * n * sizeof(T)), [&] {
      cub::DeviceScan::InclusiveSum(scratch.data(), bytes, x.data(), r.data(), n, stream);
    });
  });
#else
  add("scan/" + type + "/sequential loop", [](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n);
    const auto r = results<T>(n);
    measure(state, double(2 * n * sizeof(T)), [&] {
      T s = 0;
      for (std::int64_t i = 0; i < n; ++i) r(i) = s += x(i);
      benchmark::ClobberMemory();
    });
  });
#endif
}

template <class T>
void add_segment_peers(const std::string& type, std::int64_t length) {
  const std::string name = "segments of " + std::to_string(length) + "/" + type;
#if defined(KOKKOS_ENABLE_CUDA)
  add(name + "/CUB", [=](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n);
    const auto offsets = equal_segments(n, std::min(n, length));
    const std::int64_t m = std::int64_t(offsets.extent(0)) - 1;
    const auto r = results<T>(m);
    const cudaStream_t stream = Exec().cuda_stream();
    std::size_t bytes = 0;
    const auto call = [&](void* scratch) {
      cub::DeviceSegmentedReduce::Sum(scratch, bytes, x.data(), r.data(), m, offsets.data(),
                                      offsets.data() + 1, stream);
    };
    call(nullptr);
    const Kokkos::View<char*, Exec> scratch("scratch", bytes);
    measure(state, double(n * sizeof(T)), [&] { call(scratch.data()); });
  });
#else
  add(name + "/sequential loop", [=](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n);
    const auto offsets = equal_segments(n, std::min(n, length));
    const std::int64_t m = std::int64_t(offsets.extent(0)) - 1;
    const auto r = results<T>(m);
    measure(state, double(n * sizeof(T)), [&] {
      for (std::int64_t i = 0; i < m; ++i) {
        T s = 0;
        for (std::int64_t k = offsets(i); k < offsets(i + 1); ++k) s += x(k);
        r(i) = s;
      }
      benchmark::ClobberMemory();
    });
  });
#endif
}

template <class T>
void add_type(const std::string& type) {
  add_peers<T>(type);
  add_scan<T>(type, "compensated", acc::compensated{});
  add_scan<T>(type, "exact", acc::exact{});
  add_scan<T>(type, "exact, wide", acc::exact{}, sizeof(T) == 4 ? 100 : 300);
  for (const std::int64_t length : {8, 200, 10000, 1 << 30}) {
    add_segment_peers<T>(type, length);
    add_segments<T>(type, length, "compensated", acc::compensated{});
    add_segments<T>(type, length, "exact", acc::exact{});
  }
  for (const std::int64_t length : {8, 200}) {
    add_key_peers<T>(type, length);
    add_keys<T>(type, length, "compensated", acc::compensated{});
    add_keys<T>(type, length, "exact", acc::exact{});
  }
}

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  return true;
}();

}  // namespace
