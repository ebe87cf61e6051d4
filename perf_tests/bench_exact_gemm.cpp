// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact matrix products, each in turn with the peer (blas.hpp) and with acc's plain product: their
// time depends on the numbers. `ratio` is the speed over the peer's, `plain` that over plain's.

#include "products.hpp"

#include <acc/gemm.hpp>

namespace {

using namespace perf;

struct shape {
  int m, n, k;
  std::string name() const {
    if (m == n && n == k) return std::to_string(n);
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  }
};

template <class T, class Method>
void add(const std::string& type, const shape& s, family of, const std::string& name,
         Method method) {
  const std::string begin =
      "exact gemm/" + type + " " + family_names[int(of)] + "/" + s.name() + "/";
  add_product(begin + "acc " + name, [=](benchmark::State& state) {
    const std::int64_t m = s.m, n = s.n, k = s.k;
    const vector<T> a_data = data<T>(m * k, 0, of), b_data = data<T>(k * n, 1, of);
    const vector<T> c_data("c", std::size_t(m * n));
    const auto a = matrix_of<const T>(a_data.data(), m, k);
    const auto b = matrix_of<const T>(b_data.data(), k, n);
    const auto c = matrix_of<T>(c_data.data(), m, n);
    const auto a_view = view(a), b_view = view(b);
    const auto c_view = view(c);
    const Exec exec;
    const auto product = [&](auto by) {
      acc::gemm(exec, "N", "N", T(1), a_view, b_view, T(0), c_view, by);
    };
    std::vector<rival> rivals = {{"plain", [&] { product(acc::plain{}); }}};
    if constexpr (blas::exists) rivals.push_back({"ratio", [&] { blas::gemm(a, b, c); }});
    measure_product(
        state, 2.0 * double(m) * double(n) * double(k), [&] { product(method); }, rivals);
  });
}

template <class T>
void add_type(const std::string& type) {
  constexpr int digits = sizeof(T) == 4 ? 24 : 53;
  std::vector<shape> shapes = {{512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}};
  for (const shape& s : shapes) {
    for (const family of : {family::grid, family::full, family::normal})
      add<T>(type, s, of, "exact", acc::exact{});
    add<T>(type, s, family::full, "fixed_point " + std::to_string(digits),
           acc::fixed_point{.bits = digits});
  }
  for (const shape& s : {shape{64, 64, 65536}, shape{2048, 16, 2048}})
    add<T>(type, s, family::grid, "exact", acc::exact{});
  // Rows that no moduli hold: every entry for itself.
  add<T>(type, {256, 256, 1024}, family::any, "exact", acc::exact{});
}

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  return true;
}();

}  // namespace
