// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_PRODUCT_ERRORS_HPP
#define ACC_PERF_TESTS_PRODUCT_ERRORS_HPP

/// \file
/// How far the entries of a product are from the correctly rounded ones.

#include "products.hpp"

#include <acc/gemm.hpp>

#include <cmath>

namespace perf {

template <class T>
struct absolute_values {
  T* x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x[i] = Kokkos::abs(x[i]); }
};

/// The errors of entries in units of u |A| |B|, u the unit roundoff, and how many are wrong. A unit
/// is half to a whole unit in the last place of an entry without cancellation. Units in the last
/// place of the entry itself would tell how near to zero the entry that is nearest to it lies.
template <class T>
struct entry_errors {
  const T *result, *exact, *magnitude;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest, double& squares,
                                  std::int64_t& wrong) const {
    if (result[i] == exact[i]) return;
    constexpr double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
    const double error = Kokkos::abs((double(result[i]) - double(exact[i])) / magnitude[i]) / unit;
    largest = Kokkos::max(largest, error);
    squares += error * error;
    ++wrong;
  }
};

/// Counters of a row: the largest and the root mean square error of C's entries, in these units,
/// and the share of entries that are not the correctly rounded ones, for C = A B.
template <class T>
void report_errors(benchmark::State& state, const blas::matrix<const T>& a,
                   const blas::matrix<const T>& b, const blas::matrix<T>& c) {
  const auto copy = [](auto m, const vector<T>& to) {
    Kokkos::deep_copy(to, Kokkos::View<const T*, Exec>(m.data, std::size_t(m.size())));
    m.data = to.data();
    return m;
  };
  const auto product = [](const auto& x, const auto& y, blas::matrix<T> z, const vector<T>& to,
                          auto method) {
    z.data = to.data();
    acc::gemm(Exec(), "N", "N", T(1), view(x), view(y), T(0), view(z), method);
  };
  const auto all = [](std::int64_t n) {
    return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n);
  };
  const auto room = [](const auto& m) { return vector<T>("errors", std::size_t(m.size())); };
  const vector<T> exact = room(c), magnitude = room(c), a_data = room(a), b_data = room(b);
  product(a, b, c, exact, acc::exact{});
  const auto abs_a = copy(a, a_data), abs_b = copy(b, b_data);
  Kokkos::parallel_for(all(a.size()), absolute_values<T>{a_data.data()});
  Kokkos::parallel_for(all(b.size()), absolute_values<T>{b_data.data()});
  product(abs_a, abs_b, c, magnitude, acc::plain{});

  double largest = 0, squares = 0;
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce(all(c.size()), entry_errors<T>{c.data, exact.data(), magnitude.data()},
                          Kokkos::Max<double>(largest), Kokkos::Sum<double>(squares),
                          Kokkos::Sum<std::int64_t>(wrong));
  const double entries = double(c.size());
  state.counters["largest"] = largest;
  state.counters["rms"] = std::sqrt(squares / entries);
  state.counters["wrong"] = double(wrong) / entries;
}

}  // namespace perf

#endif
