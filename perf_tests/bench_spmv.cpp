// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse matrices times a vector: acc's methods beside the peer's algorithms (sparse.hpp).

#include "products.hpp"
#include "sparse.hpp"

#include <acc/spmv.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace {

using namespace perf;

/// The pattern of a matrix.
struct pattern {
  std::int64_t columns = 0;
  std::vector<int> row_map = {0}, column;
  void end_row() { row_map.push_back(int(column.size())); }
};

/// The neighbors of each point of a cube, and itself.
pattern stencil(int n) {
  pattern p;
  p.columns = std::int64_t(n) * n * n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        for (int a = std::max(i - 1, 0); a <= std::min(i + 1, n - 1); ++a)
          for (int b = std::max(j - 1, 0); b <= std::min(j + 1, n - 1); ++b)
            for (int c = std::max(k - 1, 0); c <= std::min(k + 1, n - 1); ++c)
              p.column.push_back((a * n + b) * n + c);
        p.end_row();
      }
  return p;
}

/// The neighbors of each point of a square along its sides, and itself.
pattern five_points(int n) {
  pattern p;
  p.columns = std::int64_t(n) * n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int at = i * n + j;
      if (i > 0) p.column.push_back(at - n);
      if (j > 0) p.column.push_back(at - 1);
      p.column.push_back(at);
      if (j + 1 < n) p.column.push_back(at + 1);
      if (i + 1 < n) p.column.push_back(at + n);
      p.end_row();
    }
  return p;
}

/// Rows of 4 to 500,000 entries, whose number falls with the power -2.25 of their length, in any
/// columns.
pattern power_law(int rows) {
  pattern p;
  p.columns = rows;
  std::mt19937_64 random(20260101);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < rows; ++i) {
    const double length = 4 * std::pow(1 - uniform(random), -1 / 1.25);
    const int most = std::min(500000, rows / 2);
    for (int k = 0; k < int(std::min<double>(length, most)); ++k)
      p.column.push_back(int(random() % std::uint64_t(rows)));
    p.end_row();
  }
  return p;
}

vector<int> on_device(const std::vector<int>& v) {
  const vector<int> d(Kokkos::view_alloc("pattern", Kokkos::WithoutInitializing), v.size());
  Kokkos::deep_copy(
      d, Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(v.data(), v.size()));
  return d;
}

template <class T, class Method>
void measure_spmv(benchmark::State& state, const pattern& p, Method method) {
  const auto row_map = on_device(p.row_map), column = on_device(p.column);
  const auto value = data<T>(std::int64_t(p.column.size()), 0), x = data<T>(p.columns, 1);
  const auto rows = std::int64_t(p.row_map.size()) - 1;
  const vector<T> y("y", std::size_t(rows));
  const acc::crs_matrix a{rows, p.columns, row_map, column, value};
  const sparse::matrix<T> m{rows,           p.columns,     std::int64_t(p.column.size()),
                            row_map.data(), column.data(), value.data()};
  std::vector<rival> rivals;
  for (int k = 0; const char* name : sparse::names)
    rivals.push_back({name, [peer = std::make_shared<sparse::product<T>>(m, x.data(), y.data(),
                                                                         k++)] { (*peer)(); }});
#if defined(ACC_HAS_KOKKOS_KERNELS)
  for (int k = 0; const char* name : sparse::kokkos_names)
    rivals.push_back({name, [peer = std::make_shared<sparse::kokkos_product<T>>(
                                 m, x.data(), y.data(), k++)] { (*peer)(); }});
#endif
  measure_product(
      state, 2.0 * double(p.column.size()),
      [&] { acc::spmv(Exec(), "N", T(1), a, x, T(0), y, method); }, rivals);
}

template <class T>
void add_type(const std::string& type) {
  const auto add = [=](const std::string& matrix, auto make) {
    const auto by = [=](const std::string& name, auto method) {
      add_product("spmv/" + type + "/" + matrix + "/acc " + name,
                  [=](benchmark::State& state) { measure_spmv<T>(state, make(), method); });
    };
    by("plain", acc::plain{});
    by("compensated", acc::compensated{});
    by("exact", acc::exact{});
  };
  add("27-point stencil", [] { return stencil(on_gpu ? 160 : 80); });
  add("5-point stencil", [] { return five_points(on_gpu ? 2000 : 200); });
  add("power law", [] { return power_law(on_gpu ? 1 << 20 : 1 << 17); });
}

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  return true;
}();

}  // namespace
