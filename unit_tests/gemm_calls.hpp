// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of matrix products share: matrices that lie in memory in every way, their methods,
// and products that are compared with reference_gemm.hpp.
#pragma once

#include "device.hpp"
#include "reference_gemm.hpp"

#include <acc/core/numbers/scalar_traits.hpp>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace acc_test {

/// A matrix as a View of strides, which every matrix can be.
template <class T>
using StridedView = Kokkos::View<T**, Kokkos::LayoutStride, Exec>;

/// The arguments of acc::gemm.
template <class In, class Out>
struct GemmCall {
  using Factor = std::conditional_t<acc::impl::is_half_scalar<Out>, float, Out>;
  const char *trans_a, *trans_b;
  Factor alpha;
  StridedView<const In> a, b;
  Factor beta;
  StridedView<Out> c;
};

/// acc::gemm. Compiled in gemm_instances.hpp, for every method and type once, as is the next.
template <class Method, class In, class Out>
void call_gemm(const Exec& exec, const GemmCall<In, Out>& call, const Method& method);
/// The same by the tiles of any Kokkos team, which a host has but does not use.
template <class Method, class In, class Out>
void call_generic_gemm(const Exec& exec, const GemmCall<In, Out>& call, const Method& method);
/// The same by the host machine, divided by k or not. Another machine chooses.
template <class Method, class In, class Out>
void call_gemm_divided(const Exec& exec, const GemmCall<In, Out>& call, const Method& method,
                       bool divides_k);
/// The same by its tiles of matrix times vector; C has one column, or one row of real numbers.
template <class Method, class In, class Out>
void call_gemv_divided(const Exec& exec, const GemmCall<In, Out>& call, const Method& method,
                       bool divides_k);

/// acc::gemm by a method whose sums are exact, by the generic machine, which every execution space
/// has, divided by k or not.
template <class Method, class In, class Out>
void call_generic_exact_gemm(const Exec& exec, const GemmCall<In, Out>& call, const Method& method,
                             bool divides_k);

/// acc::gemv by it: op(B) and C have one column.
template <class Method, class In, class Out>
void call_exact_gemv(const Exec& exec, const GemmCall<In, Out>& call, const Method& method);
/// acc::batched_gemm by it: a product for each row of op(A) and C, where A is not transposed.
template <class Method, class In, class Out>
void call_exact_batched_gemm(const Exec& exec, const GemmCall<In, Out>& call, const Method& method);

inline std::string name(const acc::fixed_point& m) {
  return "fixed_point" + std::to_string(m.bits);
}
inline std::string name(const acc::blocked& m) { return "blocked" + std::to_string(m.strip); }
inline std::string name(const acc::selective<acc::kahan>& m) {
  return "kahan" + std::to_string(m.strip);
}
inline std::string name(const acc::selective<acc::priest>& m) {
  return "priest" + std::to_string(m.strip);
}
inline std::string name(const acc::selective<acc::seeded>& m) {
  return "seeded" + std::to_string(m.strip);
}

/// Calls body with every method that has strips of one length.
template <class Body>
void for_strip_methods(std::int64_t strip, const Body& body) {
  body(acc::blocked{strip});
  body(acc::selective<acc::kahan>{strip});
  body(acc::selective<acc::priest>{strip});
  body(acc::selective<acc::seeded>{strip});
}
/// Calls body with every method that takes elements of type T, those that have strips once for each
/// of these.
template <class T, class Body>
void for_methods(std::initializer_list<std::int64_t> strips, const Body& body) {
  body(acc::plain{});
  body(acc::compensated{});
  if constexpr (sizeof(real_t<T>) == 4) body(acc::widened{});
  for (const std::int64_t strip : strips) for_strip_methods(strip, body);
}

/// How a matrix lies in memory: whole, as a block of a larger one, or as every second row of a
/// block. right_apart, which is none of all_lays: rows a power of two, 512, or a multiple of it
/// apart.
enum class Lay { left, right, left_block, right_block, strided, right_apart };
inline constexpr Lay all_lays[] = {Lay::left, Lay::right, Lay::left_block, Lay::right_block,
                                   Lay::strided};

/// A matrix on the host, with the memory around and between its elements.
template <class T>
struct Matrix {
  std::size_t rows, columns, offset = 0, row_stride = 1, column_stride = 1;
  std::vector<T> memory;

  Matrix(std::size_t m, std::size_t n, Lay lay, T around) : rows(m), columns(n) {
    if (lay == Lay::left) column_stride = m;
    if (lay == Lay::right) row_stride = n;
    if (lay == Lay::left_block) offset = 3, column_stride = m + 5;
    if (lay == Lay::right_block) offset = 1, row_stride = n + 2;
    if (lay == Lay::right_apart) row_stride = (n + 511) / 512 * 512;
    if (lay == Lay::strided) offset = 5, row_stride = 2, column_stride = 2 * m + 3;
    memory.assign(offset + m * row_stride + n * column_stride + 8, around);
  }
  const T& operator()(std::size_t i, std::size_t j) const {
    return memory[offset + i * row_stride + j * column_stride];
  }
  T& operator()(std::size_t i, std::size_t j) {
    return memory[offset + i * row_stride + j * column_stride];
  }
  /// Element (i, j) of op(matrix).
  T operated(const char* op, std::size_t i, std::size_t j) const {
    if (op[0] == 'N' || op[0] == 'n') return (*this)(i, j);
    const T x = (*this)(j, i);
    if constexpr (is_complex<T>) {
      if (op[0] == 'C' || op[0] == 'c') return T(x.real(), -x.imag());
    }
    return x;
  }
  /// Takes the elements of x, row after row.
  template <class X>
  void fill(const std::vector<X>& x) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) (*this)(i, j) = static_cast<T>(x[i * columns + j]);
    }
  }
  template <class Value = T>
  StridedView<Value> in(const Kokkos::View<T*, Exec>& device) const {
    return StridedView<Value>(device.data() + offset,
                              Kokkos::LayoutStride(rows, row_stride, columns, column_stride));
  }
};

/// Whether tests may touch the execution space's memory: for hundreds of small products Kokkos's
/// deep copies, by all threads, would take more time than all else.
inline constexpr bool on_host_memory =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

template <class T>
Kokkos::View<T*, Exec> to_device(const std::vector<T>& x) {
  if constexpr (on_host_memory) {
    const Kokkos::View<T*, Exec> d(Kokkos::view_alloc("x", Kokkos::WithoutInitializing), x.size());
    std::copy(x.begin(), x.end(), d.data());
    return d;
  } else {
    return on_device(x);
  }
}
template <class T>
std::vector<T> from_device(const Kokkos::View<T*, Exec>& d) {
  std::vector<T> x(d.extent(0));
  if constexpr (on_host_memory) {
    std::copy_n(d.data(), x.size(), x.begin());
  } else {
    using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(Host(x.data(), x.size()), d);
  }
  return x;
}

/// m, n, k and how the matrices lie.
struct Shape {
  std::size_t m, n, k;
  Lay a = Lay::left, b = Lay::right, c = Lay::right_block;
};

/// A product with its data: the elements of A and B lie among NaN, those of C among a number.
template <class In, class Out = In>
struct Product {
  using Factor = typename GemmCall<In, Out>::Factor;
  const char *trans_a, *trans_b;
  std::size_t depth;
  Factor alpha = 1, beta = 0;
  Matrix<In> a, b;
  Matrix<Out> c;

  static bool plain(const char* op) { return op[0] == 'N' || op[0] == 'n'; }
  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();

  Product(const Shape& s, const char* ta, const char* tb)
      : trans_a(ta),
        trans_b(tb),
        depth(s.k),
        a(plain(ta) ? s.m : s.k, plain(ta) ? s.k : s.m, s.a, static_cast<In>(nan)),
        b(plain(tb) ? s.k : s.n, plain(tb) ? s.n : s.k, s.b, static_cast<In>(nan)),
        c(s.m, s.n, s.c, static_cast<Out>(12345.0f)) {}
  /// With data of these families.
  Product(const Shape& s, const char* ta, const char* tb, Data data_a, Data data_b,
          std::uint64_t seed)
      : Product(s, ta, tb) {
    a.fill(elements<In>(data_a, a.rows * a.columns, seed));
    b.fill(elements<In>(data_b, b.rows * b.columns, seed + 1));
    c.fill(elements<Out>(Data::uniform, s.m * s.n, seed + 2));
  }

  /// C after the product, entry by entry.
  template <class Method>
  Matrix<Out> by_definition(const Method& method) const {
    std::vector<std::vector<In>> columns(c.columns, std::vector<In>(depth));
    for (std::size_t j = 0; j < c.columns; ++j) {
      for (std::size_t k = 0; k < depth; ++k) columns[j][k] = b.operated(trans_b, k, j);
    }
    Matrix<Out> r = c;
    std::vector<In> row(depth);
    for (std::size_t i = 0; i < c.rows; ++i) {
      for (std::size_t k = 0; k < depth; ++k) row[k] = a.operated(trans_a, i, k);
      for (std::size_t j = 0; j < c.columns; ++j)
        r(i, j) = reference::gemm_entry(method, alpha, row, columns[j], beta, c(i, j));
    }
    return r;
  }

  /// C after the call f(exec, arguments).
  template <class F>
  Matrix<Out> by(const F& f) const {
    const Exec exec;
    const auto da = to_device(a.memory), db = to_device(b.memory);
    const auto dc = to_device(c.memory);
    f(exec, GemmCall<In, Out>{trans_a, trans_b, alpha, a.template in<const In>(da),
                              b.template in<const In>(db), beta, c.in(dc)});
    exec.fence();
    Matrix<Out> r = c;
    r.memory = from_device(dc);
    return r;
  }
  template <class Method>
  Matrix<Out> by_gemm(const Method& method) const {
    return by([&](const Exec& e, const auto& call) { call_gemm(e, call, method); });
  }

  /// acc::gemm gives the bits of the definition, and writes nothing else; so do the generic tiles.
  template <class Method>
  void expect_definition(const Method& method, const std::string& what = "") const {
    const Matrix<Out> want = by_definition(method);
    const std::string text = name(method) + " " + trans_a + trans_b + " " + what;
    expect_same(want, by_gemm(method), text);
    if constexpr (on_host_memory) {
      expect_same(want,
                  by([&](const Exec& e, const auto& call) { call_generic_gemm(e, call, method); }),
                  text + ", by the generic tiles");
      for (const bool divides_k : {false, true}) {
        if (depth <= std::size_t(acc::gemm_section)) break;  // nothing to divide
        const auto got = by([&](const Exec& e, const auto& call) {
          call_gemm_divided(e, call, method, divides_k);
        });
        expect_same(want, got, text + (divides_k ? ", divided" : ", not divided"));
        if (c.columns != 1 && (c.rows != 1 || is_complex<In>)) continue;
        const auto by_gemv = by([&](const Exec& e, const auto& call) {
          call_gemv_divided(e, call, method, divides_k);
        });
        expect_same(want, by_gemv, text + (divides_k ? ", divided gemv" : ", gemv not divided"));
      }
    }
  }

  static std::string text(const Out& x) {
    std::string s;
    for (const auto p : parts(x)) {
      s += bits(static_cast<double>(p));
      s += ' ';
    }
    return s;
  }
  static void expect_same(const Matrix<Out>& want, const Matrix<Out>& got,
                          const std::string& what) {
    ASSERT_EQ(want.memory.size(), got.memory.size());
    std::size_t differ = 0, first = 0;
    for (std::size_t e = want.memory.size(); e-- > 0;) {
      if (std::memcmp(&want.memory[e], &got.memory[e], sizeof(Out)) == 0) continue;
      ++differ;
      first = e;
    }
    if (differ == 0) return;
    for (std::size_t i = 0; i < want.rows; ++i) {
      for (std::size_t j = 0; j < want.columns; ++j) {
        if (&want(i, j) != &want.memory[first]) continue;
        ADD_FAILURE() << what << ": " << want.rows << " x " << want.columns << ", " << differ
                      << " entries differ; C(" << i << ", " << j << ") is " << text(got(i, j))
                      << "and not " << text(want(i, j));
        return;
      }
    }
    ADD_FAILURE() << what << ": wrote outside of C, at " << first;
  }
};

/// Row i of A and column i of B have a product of condition 100^i, up to `top`: entry (i, i) shows
/// ever more of a method's corrections.
template <class T>
Product<T> ill_conditioned_product(std::size_t depth, double top) {
  using R = real_t<T>;
  std::vector<Pair<R>> rows;
  for (double condition = 1; condition <= top * 1.01; condition *= 100)
    rows.push_back(ill_conditioned_dot<R>(depth, condition, rows.size()));
  Product<T> p({rows.size(), rows.size(), depth}, "N", "N");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < depth; ++k) {
      if constexpr (is_complex<T>) {  // the real part is twice that product
        p.a(i, k) = T(rows[i].x[k], rows[i].x[k]);
        p.b(k, i) = T(rows[i].y[k], -rows[i].y[depth - 1 - k]);
      } else {
        p.a(i, k) = rows[i].x[k];
        p.b(k, i) = rows[i].y[k];
      }
    }
  }
  p.c.fill(std::vector<T>(rows.size() * rows.size(), T(0)));
  return p;
}

}  // namespace acc_test
