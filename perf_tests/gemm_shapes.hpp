// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_GEMM_SHAPES_HPP
#define ACC_PERF_TESTS_GEMM_SHAPES_HPP

/// \file
/// Rows of matrix products: a shape, acc by a method, and its peer.

#include "products.hpp"

#include <acc/gemm.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace perf {

/// C = op(A) op(B), C m x n, depth k; which operands are transposed, and which lie the way that the
/// execution space's layout does not.
struct shape {
  std::int64_t m, n, k;
  bool trans_a = false, trans_b = false;
  bool turned_a = false, turned_b = false, turned_c = false;
};

template <class T>
struct operands {
  vector<T> a_data, b_data, c_data;
  blas::matrix<const T> a, b;
  blas::matrix<T> c;

  explicit operands(const shape& s)
      : a_data(numbers<T>(s.m * s.k, 0)),
        b_data(numbers<T>(s.k * s.n, 1)),
        c_data("c", std::size_t(s.m * s.n)),
        a(matrix_of<const T>(a_data.data(), s.m, s.k, s.trans_a, !s.turned_a)),
        b(matrix_of<const T>(b_data.data(), s.k, s.n, s.trans_b, !s.turned_b)),
        c(matrix_of<T>(c_data.data(), s.m, s.n, false, !s.turned_c)) {}

  void by_peer() const {
    if constexpr (blas::exists) blas::gemm(a, b, c);
  }
  /// Of real numbers.
  double operations() const {
    return (is_complex<T> ? 8.0 : 2.0) * double(a.size()) * double(b.columns);
  }
};

template <class T, class Method>
void add_method(const std::string& name, const shape& s, Method method) {
  add_product(name, [=](benchmark::State& state) {
    const operands<T> o(s);
    const auto a = view(o.a), b = view(o.b);
    const auto c = view(o.c);
    const Exec exec;
    measure_product(
        state, o.operations(),
        [&] { acc::gemm(exec, letter(s.trans_a), letter(s.trans_b), T(1), a, b, T(0), c, method); },
        [&] { o.by_peer(); });
  });
}
template <class T>
void add_peer(const std::string& name, const shape& s) {
  if (!blas::exists) return;
  add_product(name, [=](benchmark::State& state) {
    const operands<T> o(s);
    measure_product(state, o.operations(), [&] { o.by_peer(); });
  });
}

/// Plain, the default by its name, and the most accurate ones.
template <class T>
void add_shape(const std::string& type, const std::string& name, const shape& s) {
  const std::string begin = "gemm/" + type + "/" + name + "/";
  add_peer<T>(begin + blas::name, s);
  add_method<T>(begin + "acc plain", s, acc::plain{});
  add_method<T>(begin + "acc seeded 256", s, acc::gemm_default<T>);
  add_method<T>(begin + "acc compensated", s, acc::compensated{});
  if constexpr (std::is_same_v<T, float>) add_method<T>(begin + "acc widened", s, acc::widened{});
}

}  // namespace perf

#endif
