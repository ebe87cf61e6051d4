// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files behind methods.hpp, statistics.hpp and gemm_methods.hpp share: operands in the
// memory of the default execution space, and the clock. Only methods.cpp, batches.cpp,
// statistics.cpp and gemm_methods.cpp include this.
#pragma once

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <acc/core/numbers/kokkos_scalar.hpp>
#include <Kokkos_Core.hpp>

#include "method_table.hpp"
#include "methods.hpp"

namespace acc_tool {

template <class T>
using View = Kokkos::View<acc::impl::kokkos_scalar_t<T>*>;

template <class T>
struct Typed {
  View<T> x, y;
};
using Views = std::variant<Typed<float>, Typed<double>, Typed<std::complex<float>>,
                           Typed<std::complex<double>>>;

template <class T>
View<T> to_device(const std::vector<T>& values, const std::string& label) {
  using S = acc::impl::kokkos_scalar_t<T>;
  const Kokkos::View<const S*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      reinterpret_cast<const S*>(values.data()), values.size());
  View<T> device(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), values.size());
  Kokkos::deep_copy(device, host);
  return device;
}

/// The median of at least `repeats` calls, and more while they are short. prepare() comes before
/// each and is not timed.
template <class F, class Prepare>
double median_seconds(int repeats, F call, Prepare prepare) {
  using Clock = std::chrono::steady_clock;
  constexpr double enough = 0.05;  // seconds: short calls are repeated until they fill this
  constexpr std::size_t most = 1000;
  std::vector<double> times;
  for (double total = 0;
       std::cmp_less(times.size(), repeats) || (total < enough && times.size() < most);) {
    prepare();
    const auto start = Clock::now();
    call();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    total += times.back();
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}
template <class F>
double median_seconds(int repeats, F call) {
  return median_seconds(repeats, call, [] {});
}

template <class S>
std::complex<double> widen(const S& value) {
  if constexpr (std::is_floating_point_v<S>) {
    return static_cast<double>(value);
  } else {
    return {value.real(), value.imag()};
  }
}

struct Job::Operands {
  Operation operation;
  std::string_view type;
  Views views;
};

}  // namespace acc_tool
