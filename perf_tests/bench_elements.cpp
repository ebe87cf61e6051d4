// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// axpy, axpby, scal, update and nrminf beside plain loops by Kokkos, which a compiler may contract
// or not.

#include "harness.hpp"

#include <acc/axpby.hpp>
#include <acc/nrminf.hpp>
#include <acc/scal.hpp>
#include <acc/update.hpp>

#include <cstdint>
#include <string>

namespace {

using namespace perf;

/// y = a x + b y, z = x + a y + b z and so on, as most write them.
template <class T>
struct plain_loop {
  T a, b;
  vector<T> x, y;
  int kind;

  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i) const {
    if (kind == 0) y(i) += a * x(i);
    if (kind == 1) y(i) = a * x(i) + b * y(i);
    if (kind == 2) y(i) = a * x(i);
    if (kind == 3) y(i) = x(i) + a * y(i) + b * y(i);
  }
};

template <class T>
struct largest_loop {
  vector<T> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, T& most) const {
    const T m = Kokkos::abs(x(i));
    if (m > most) most = m;
  }
};

/// Rows of one function: arrays times its elements are read and written.
template <class T, class Call>
void add_function(const std::string& name, const std::string& type, int kind, int arrays,
                  const Call& call) {
  const std::string begin = name + "/" + type + "/";
  add(begin + "acc", [=](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n, 0), y = data<T>(n, 1);
    measure(state, double(n) * arrays * sizeof(T), [&] { call(Exec(), x, y); });
  });
  add(begin + "Kokkos::parallel_for", [=](benchmark::State& state, std::int64_t n) {
    const plain_loop<T> loop{T(0.5), T(-0.25), data<T>(n, 0), data<T>(n, 1), kind};
    measure(state, double(n) * arrays * sizeof(T), [&] {
      Kokkos::parallel_for(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n), loop);
    });
  });
}

template <class T>
void add_type(const std::string& type) {
  const T a(0.5), b(-0.25);
  add_function<T>("axpy", type, 0, 3, [=](const Exec& exec, const auto& x, const auto& y) {
    acc::axpy(exec, a, x, y);
  });
  add_function<T>("axpby", type, 1, 3, [=](const Exec& exec, const auto& x, const auto& y) {
    acc::axpby(exec, a, x, b, y);
  });
  add_function<T>("scal", type, 2, 2, [=](const Exec& exec, const auto& x, const auto& y) {
    acc::scal(exec, y, a, x);
  });
  add_function<T>("update", type, 3, 3, [=](const Exec& exec, const auto& x, const auto& y) {
    acc::update(exec, T(1), x, a, y, b, y);
  });
  add("nrminf/" + type + "/acc", [](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n, 0);
    const Kokkos::View<T, Exec> r("r");
    measure(state, double(n) * sizeof(T), [&] { acc::nrminf(Exec(), r, x); });
  });
  add("nrminf/" + type + "/Kokkos::parallel_reduce", [](benchmark::State& state, std::int64_t n) {
    const largest_loop<T> loop{data<T>(n, 0)};
    const Kokkos::View<T, Exec> r("r");
    measure(state, double(n) * sizeof(T), [&] {
      Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
                              loop, Kokkos::Max<T, Exec::memory_space>(r));
    });
  });
}

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  return true;
}();

}  // namespace
