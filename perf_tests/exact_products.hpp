// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_EXACT_PRODUCTS_HPP
#define ACC_PERF_TESTS_EXACT_PRODUCTS_HPP

/// \file
/// What the benchmarks of exact matrix products share: their time depends on the numbers.

#include "products.hpp"

#include <acc/gemm.hpp>

#include <type_traits>

namespace perf {

struct product_shape {
  int m, n, k;

  product_shape(int m, int n, int k) : m(m), n(n), k(k) {}
  explicit product_shape(int n) : product_shape(n, n, n) {}
  std::string name() const {
    if (m == n && n == k) return std::to_string(n);
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  }
};

/// C = A B of numbers of a family.
template <class In, class Out = In>
struct exact_product {
  vector<In> a_data, b_data;
  vector<Out> c_data;
  blas::matrix<const In> a, b;
  blas::matrix<Out> c;

  exact_product(const product_shape& s, family of)
      : a_data(numbers<In>(std::int64_t(s.m) * s.k, 0, of)),
        b_data(numbers<In>(std::int64_t(s.k) * s.n, 1, of)),
        c_data("c", std::size_t(s.m) * std::size_t(s.n)),
        a(matrix_of<const In>(a_data.data(), s.m, s.k)),
        b(matrix_of<const In>(b_data.data(), s.k, s.n)),
        c(matrix_of<Out>(c_data.data(), s.m, s.n)) {}

  static constexpr bool has_peer = blas::exists && std::is_same_v<In, Out>;
  void by_peer() const {
    if constexpr (has_peer) blas::gemm(a, b, c);
  }
  template <class Method>
  void by(const Method& method) const {
    acc::gemm(Exec(), "N", "N", Out(1), view(a), view(b), Out(0), view(c), method);
  }
  /// Of real numbers.
  double operations() const {
    return (is_complex<In> ? 8.0 : 2.0) * double(a.size()) * double(b.columns);
  }
};

/// Registers row(state, product), for numbers of a family.
template <class In, class Out = In, class Row>
void add_exact(const std::string& type, const product_shape& s, family of, const std::string& name,
               const Row& row) {
  add_product("exact gemm/" + type + " " + family_names[int(of)] + "/" + s.name() + "/" + name,
              [=](benchmark::State& state) { row(state, exact_product<In, Out>(s, of)); });
}

}  // namespace perf

#endif
