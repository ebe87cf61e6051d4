// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums: acc's methods, Kokkos::parallel_reduce, CUB or a hand-vectorised loop.

#include "harness.hpp"
#include "peers_host.hpp"

#include <acc/sum.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cub/device/device_reduce.cuh>
#endif

namespace {

using namespace perf;

template <class T>
struct plain_reduction {
  vector<T> x;
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i, T& s) const {
    s += x(i);
  }
};

/// A method's row for data of a family.
template <class T, class Method>
auto row(Method method, family of = family::uniform) {
  return [=](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n, 0, of);
    const Kokkos::View<T, Exec> r("r");
    const Exec exec;
    measure(state, double(n * sizeof(T)), [&] { acc::sum(exec, r, x, method); });
  };
}
#if !defined(KOKKOS_ENABLE_CUDA)
template <class T>
auto loop(family of = family::uniform) {
  return [=](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n, 0, of);
    measure(state, double(n * sizeof(T)),
            [&] { benchmark::DoNotOptimize(peers::vectorised_sum(x.data(), n)); });
  };
}
#endif

template <class T, class Method>
void add_method(const std::string& type, const std::string& name, Method method) {
  add("sum/" + type + "/acc " + name, row<T>(method));
}

/// The order-free methods, whose time may depend on the numbers.
template <class T>
void add_order_free(const std::string& type) {
  add_method<T>(type, "reproducible<2>", acc::reproducible<2>{});
  add_method<T>(type, "reproducible<3>", acc::reproducible<3>{});
  add_method<T>(type, "exact", acc::exact{});
  for_each_family([&](family of, const std::string& name, std::initializer_list<int> sizes) {
    const std::string begin = "sum/" + type + "/" + name + "/";
#if !defined(KOKKOS_ENABLE_CUDA)
    add(begin + "vectorised loop", loop<T>(of), sizes);
#endif
    add(begin + "acc reproducible<2>", row<T>(acc::reproducible<2>{}, of), sizes);
    add(begin + "acc reproducible<3>", row<T>(acc::reproducible<3>{}, of), sizes);
    add(begin + "acc exact", row<T>(acc::exact{}, of), sizes);
  });
}

template <class T>
void add_type(const std::string& type) {
#if defined(KOKKOS_ENABLE_CUDA)
  add("sum/" + type + "/CUB", [](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n);
    const Kokkos::View<T, Exec> r("r");
    const cudaStream_t stream = Exec().cuda_stream();
    std::size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, x.data(), r.data(), n, stream);
    const Kokkos::View<char*, Exec> scratch("scratch", bytes);
    measure(state, double(n * sizeof(T)),
            [&] { cub::DeviceReduce::Sum(scratch.data(), bytes, x.data(), r.data(), n, stream); });
  });
#else
  add("sum/" + type + "/vectorised loop", loop<T>());
#endif
  // As most write it, with int indices; and with 64-bit ones, which unroll better on GPUs.
  add("sum/" + type + "/Kokkos::parallel_reduce", [](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n);
    const Kokkos::View<T, Exec> r("r");
    measure(state, double(n * sizeof(T)),
            [&] { Kokkos::parallel_reduce(int(n), plain_reduction<T>{x}, r); });
  });
  add("sum/" + type + "/Kokkos::parallel_reduce int64",
      [](benchmark::State& state, std::int64_t n) {
        const auto x = data<T>(n);
        const Kokkos::View<T, Exec> r("r");
        const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> range(0, n);
        measure(state, double(n * sizeof(T)),
                [&] { Kokkos::parallel_reduce(range, plain_reduction<T>{x}, r); });
      });
  add_method<T>(type, "plain", acc::plain{});
  add_method<T>(type, "compensated", acc::compensated{});
  add_method<T>(type, "double_word", acc::double_word{});
  add_method<T>(type, "fold<3>", acc::fold<3>{});
  add_method<T>(type, "fold<4>", acc::fold<4>{});
  add_method<T>(type, "fold<8>", acc::fold<8>{});
  add_order_free<T>(type);
}

#if !defined(KOKKOS_ENABLE_CUDA)
template <double (*F)(const double*, std::int64_t)>
void add_sequential(const std::string& name) {
  add("sum/f64/sequential " + name, [](benchmark::State& state, std::int64_t n) {
    const auto x = data<double>(n);
    measure(state, double(n * sizeof(double)), [&] { benchmark::DoNotOptimize(F(x.data(), n)); });
  });
}
#endif

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  add_method<float>("f32", "widened", acc::widened{});
#if !defined(KOKKOS_ENABLE_CUDA)
  add_sequential<peers::sum2>("Sum2");
  add_sequential<peers::sum_xblas>("double-double (XBLAS)");
#endif
  return true;
}();

}  // namespace
