// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products: acc's methods, cuBLAS, Kokkos::parallel_reduce, hand-written loops.

#include "harness.hpp"
#include "peers_host.hpp"

#include <acc/dot.hpp>
#include <acc/nrm2.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cublas_v2.h>
#endif

namespace {

using namespace perf;

template <class T>
struct plain_reduction {
  vector<T> x, y;
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i, T& s) const {
    s += x(i) * y(i);
  }
};

/// A method's row for data of a family (y is uniform).
template <class T, class Method>
auto row(Method method, family of = family::uniform) {
  return [=](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n, 0, of), y = data<T>(n, 1);
    const Kokkos::View<T, Exec> r("r");
    const Exec exec;
    measure(state, double(2 * n * sizeof(T)), [&] { acc::dot(exec, r, x, y, method); });
  };
}
#if !defined(KOKKOS_ENABLE_CUDA)
template <class T>
auto loop(family of = family::uniform) {
  return [=](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n, 0, of), y = data<T>(n, 1);
    measure(state, double(2 * n * sizeof(T)),
            [&] { benchmark::DoNotOptimize(peers::vectorised_dot(x.data(), y.data(), n)); });
  };
}
#endif

template <class T, class Method>
void add_method(const std::string& type, const std::string& name, Method method) {
  add("dot/" + type + "/acc " + name, row<T>(method));
}

/// The order-free methods, whose time may depend on the numbers.
template <class T>
void add_order_free(const std::string& type) {
  add_method<T>(type, "reproducible<2>", acc::reproducible<2>{});
  add_method<T>(type, "reproducible<3>", acc::reproducible<3>{});
  add_method<T>(type, "exact", acc::exact{});
  for_each_family([&](family of, const std::string& name, std::initializer_list<int> sizes) {
    const std::string begin = "dot/" + type + "/" + name + "/";
#if !defined(KOKKOS_ENABLE_CUDA)
    add(begin + "vectorised loop", loop<T>(of), sizes);
#endif
    add(begin + "acc reproducible<2>", row<T>(acc::reproducible<2>{}, of), sizes);
    add(begin + "acc reproducible<3>", row<T>(acc::reproducible<3>{}, of), sizes);
    add(begin + "acc exact", row<T>(acc::exact{}, of), sizes);
  });
}

#if defined(KOKKOS_ENABLE_CUDA)
void cublas_dot(cublasHandle_t h, std::int64_t n, const float* x, const float* y, float* r) {
  cublasSdot_64(h, n, x, 1, y, 1, r);
}
void cublas_dot(cublasHandle_t h, std::int64_t n, const double* x, const double* y, double* r) {
  cublasDdot_64(h, n, x, 1, y, 1, r);
}
#endif

template <class T>
void add_type(const std::string& type) {
#if defined(KOKKOS_ENABLE_CUDA)
  add("dot/" + type + "/cuBLAS", [](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n, 0), y = data<T>(n, 1);
    const Kokkos::View<T, Exec> r("r");
    static cublasHandle_t handle = nullptr;
    if (!handle) cublasCreate(&handle);
    cublasSetStream(handle, Exec().cuda_stream());
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    measure(state, double(2 * n * sizeof(T)),
            [&] { cublas_dot(handle, n, x.data(), y.data(), r.data()); });
  });
#else
  add("dot/" + type + "/vectorised loop", loop<T>());
#endif
  // As most write it, with int indices; and with 64-bit ones, which unroll better on GPUs.
  add("dot/" + type + "/Kokkos::parallel_reduce", [](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n, 0), y = data<T>(n, 1);
    const Kokkos::View<T, Exec> r("r");
    measure(state, double(2 * n * sizeof(T)),
            [&] { Kokkos::parallel_reduce(int(n), plain_reduction<T>{x, y}, r); });
  });
  add("dot/" + type + "/Kokkos::parallel_reduce int64",
      [](benchmark::State& state, std::int64_t n) {
        const auto x = data<T>(n, 0), y = data<T>(n, 1);
        const Kokkos::View<T, Exec> r("r");
        const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> range(0, n);
        measure(state, double(2 * n * sizeof(T)),
                [&] { Kokkos::parallel_reduce(range, plain_reduction<T>{x, y}, r); });
      });
  add_method<T>(type, "plain", acc::plain{});
  add_method<T>(type, "compensated", acc::compensated{});
  add_method<T>(type, "compensated_fma", acc::compensated_fma{});
  add_method<T>(type, "double_word", acc::double_word{});
  add_method<T>(type, "fold<3>", acc::fold<3>{});
  add_method<T>(type, "fold<4>", acc::fold<4>{});
  add_order_free<T>(type);
  add("nrm2/" + type + "/acc compensated", [](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n);
    const Kokkos::View<T, Exec> r("r");
    measure(state, double(n * sizeof(T)), [&] { acc::nrm2(Exec(), r, x); });
  });
}

#if !defined(KOKKOS_ENABLE_CUDA)
template <double (*F)(const double*, const double*, std::int64_t)>
void add_sequential(const std::string& name) {
  add("dot/f64/sequential " + name, [](benchmark::State& state, std::int64_t n) {
    const auto x = data<double>(n, 0), y = data<double>(n, 1);
    measure(state, double(2 * n * sizeof(double)),
            [&] { benchmark::DoNotOptimize(F(x.data(), y.data(), n)); });
  });
}
#endif

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  add_method<float>("f32", "widened", acc::widened{});
#if !defined(KOKKOS_ENABLE_CUDA)
  add_sequential<peers::dot_fma>("DotFMA");
  add_sequential<peers::comp_dot>("CompDot");
  add_sequential<peers::comp_dot_fma>("CompDotFMA");
  add_sequential<peers::dot_xblas>("double-double (XBLAS)");
#endif
  return true;
}();

}  // namespace
