// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dots of columns, sums along an axis and sums of arrays: acc's methods beside the vendor's gemv,
// which reads the same bytes.

#include "products.hpp"

#include <acc/along.hpp>
#include <acc/dot.hpp>
#include <acc/sum.hpp>

namespace {

using namespace perf;

/// Dots of the columns of X with one vector. By columns, those are contiguous.
template <class T>
void add_dots(const std::string& type, std::int64_t rows, std::int64_t columns, bool by_columns) {
  const auto add = [=](const std::string& name, auto method) {
    add_product("columns/" + type + "/dot " + std::to_string(rows) + " x " +
                    std::to_string(columns) + (by_columns ? " by columns" : " by rows") + "/acc " +
                    name,
                [=](benchmark::State& state) {
                  const auto x = data<T>(rows * columns, 0), y = data<T>(rows, 1);
                  const vector<T> r("r", std::size_t(columns));
                  // op(A) x with A = X^T.
                  const blas::matrix<const T> m{
                      x.data(), rows, columns, by_columns ? rows : columns, !by_columns, true};
                  const auto v = view(m);
                  measure_product(
                      state, 2.0 * double(rows) * double(columns),
                      [&] { acc::dot(Exec(), r, v, y, method); },
                      [&] {
                        if constexpr (blas::exists) blas::gemv<T>(m, y.data(), r.data());
                      });
                });
  };
  add("plain", acc::plain{});
  add("compensated", acc::compensated{});
  add("exact", acc::exact{});
}

template <class T>
void add_sums(const std::string& type, std::int64_t n, int axis) {
  const auto add = [=](const std::string& name, auto method) {
    add_product("along/" + type + "/sum " + std::to_string(n) + "^2, axis " + std::to_string(axis) +
                    "/acc " + name,
                [=](benchmark::State& state) {
                  const auto x = data<T>(n * n, 0);
                  const vector<T> r("r", std::size_t(n)), ones("ones", std::size_t(n));
                  Kokkos::deep_copy(ones, T(1));
                  const blas::matrix<const T> m{x.data(), n, n, n, true, axis == 0};
                  const auto v = view(m);
                  measure_product(
                      state, double(n) * double(n),
                      [&] { acc::sum_along(Exec(), r, v, axis, method); },
                      [&] {
                        if constexpr (blas::exists) blas::gemv<T>(m, ones.data(), r.data());
                      });
                });
  };
  add("compensated", acc::compensated{});
  add("exact", acc::exact{});
}

/// The sum of all elements, by columns: in index order no neighbors in memory follow each other.
template <class T>
void add_arrays(const std::string& type, std::int64_t rows, std::int64_t columns) {
  const auto add = [=](const std::string& name, auto method) {
    add_product("array/" + type + "/sum " + std::to_string(rows) + " x " + std::to_string(columns) +
                    " by columns/acc " + name,
                [=](benchmark::State& state) {
                  const auto x = data<T>(rows * columns, 0);
                  const vector<T> r("r", std::size_t(columns)), ones("ones", std::size_t(rows));
                  const Kokkos::View<T, Exec> total("total");
                  Kokkos::deep_copy(ones, T(1));
                  const blas::matrix<const T> m{x.data(), rows, columns, rows, false, true};
                  const auto v = view(m);
                  measure_product(
                      state, double(rows) * double(columns),
                      [&] { acc::sum(Exec(), total, v, method); },
                      [&] {
                        if constexpr (blas::exists) blas::gemv<T>(m, ones.data(), r.data());
                      });
                });
  };
  add("plain", acc::plain{});
  add("compensated", acc::compensated{});
  add("exact", acc::exact{});
}

template <class T>
void add_type(const std::string& type) {
  for (const bool by_columns : {true, false}) {
    add_dots<T>(type, std::int64_t(1) << 20, 64, by_columns);
    add_dots<T>(type, 10000, 8, by_columns);
  }
  for (const int axis : {0, 1}) add_sums<T>(type, 8192, axis);
  add_arrays<T>(type, 8192, 8192);
  add_arrays<T>(type, 20000000, 3);
  add_arrays<T>(type, 64, 1000000);
}

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  return true;
}();

}  // namespace
