// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ELEMENTS_RULES_HPP
#define ACC_CORE_ELEMENTS_RULES_HPP

/// \file
/// One call of axpby, scal, update, mult, abs, reciprocal, fill, swap or rot as a value: its
/// arrays, and what becomes of an element. Each element is by itself, so that backends decide who
/// computes which, and in which order.
///
/// A rule has
///  - number, reads: the type of what it reads, and from how many arrays;
///  - each_read(i, j, f): f(k, matrix) of each array whose element (i, j) it reads;
///  - value(i, j, x): what it becomes, x[k] being that element of array k;
///  - result, writes: the type of what it writes, and to how many arrays;
///  - each_written(value, f): f(k, matrix, number) of each;
///  - each_array(f): f(matrix_data&) of all its arrays, of one shape; f may transpose them;
///  - is_uniform(): no coefficient depends on the column.

#include <acc/core/elements/combination.hpp>
#include <acc/core/elements/modulus.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Complex.hpp>
#include <cstdint>

namespace acc::impl {

/// A coefficient: one number, or numbers in a View, one for each column or one for all.
template <class T>
struct column_coefficient {
  T number;
  matrix_data<const T> numbers;  ///< without data: number

  KOKKOS_FORCEINLINE_FUNCTION T operator()(std::int64_t i, std::int64_t j) const {
    return numbers.data == nullptr ? number : numbers(i, j);
  }
  bool is_uniform() const { return numbers.data == nullptr; }
};

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void parts_into(Real x, Real (&parts)[1]) {
  parts[0] = x;
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void parts_into(Kokkos::complex<Real> x, Real (&parts)[2]) {
  parts[0] = x.real();
  parts[1] = x.imag();
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real from_parts(const Real (&parts)[1]) {
  return as_result<Real>(parts[0]);
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<Real> from_parts(const Real (&parts)[2]) {
  return {as_result<Real>(parts[0]), as_result<Real>(parts[1])};
}

/// Coefficient k of a combination.
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION void set_coefficient(combination<real_t<T>, N>& c, int k, T x) {
  real_t<T> parts[components_of<T>];
  parts_into(x, parts);
  c.re[k] = parts[0];
  c.im[k] = components_of<T> == 2 ? parts[components_of<T> - 1] : real_t<T>(0);
}

/// out = c_0 in_0 + ... in the order of combination.hpp. What has the coefficient 0 is not read.
template <class T, int N>
struct linear_combination {
  using number = T;
  using result = T;
  using real = real_t<T>;
  static constexpr int parts = components_of<T>, reads = N, writes = 1;

  matrix_data<T> out;
  matrix_data<const T> in[N];
  column_coefficient<T> c[N];

  KOKKOS_FORCEINLINE_FUNCTION combination<real, N> coefficients(std::int64_t i,
                                                                std::int64_t j) const {
    combination<real, N> r;
    for (int k = 0; k < N; ++k) set_coefficient(r, k, c[k](i, j));
    return r;
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_read(std::int64_t i, std::int64_t j, const F& f) const {
    const auto r = coefficients(i, j);
    for (int k = 0; k < N; ++k)
      if (r.has(k)) f(k, in[k]);
  }
  KOKKOS_FORCEINLINE_FUNCTION T value(std::int64_t i, std::int64_t j, const T* of) const {
    const auto r = coefficients(i, j);
    real x[N][parts], y[parts];
    for (int k = 0; k < N; ++k) parts_into(of[k], x[k]);
    for (int part = 0; part < parts; ++part) {
      product_sum<real> sum;
      add_combination<parts>(sum, r, x, part);
      y[part] = sum.sum;
    }
    return from_parts(y);
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_written(T x, const F& f) const {
    f(0, out, x);
  }
  template <class F>
  void each_array(const F& f) {
    f(out);
    for (auto& m : in) f(m);
    for (auto& k : c) f(k.numbers);
  }
  bool is_uniform() const {
    bool uniform = true;
    for (const auto& k : c) uniform = uniform && k.is_uniform();
    return uniform;
  }
};

/// y = gamma y + (alpha a) x, as multiply_elements has it. What has the coefficient 0 is not read.
template <class T>
struct multiply {
  using number = T;
  using result = T;
  using real = real_t<T>;
  static constexpr int parts = components_of<T>, reads = 3, writes = 1;

  matrix_data<T> y;
  matrix_data<const T> a, x;
  T gamma, alpha;

  KOKKOS_FORCEINLINE_FUNCTION static combination<real, 1> of(T number) {
    combination<real, 1> c;
    set_coefficient(c, 0, number);
    return c;
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_read(std::int64_t, std::int64_t, const F& f) const {
    if (of(gamma).has(0)) f(0, y);
    if (of(alpha).has(0)) {
      f(1, a);
      f(2, x);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION T value(std::int64_t, std::int64_t, const T* yax) const {
    real ys[1][parts], as[1][parts], xs[parts], made[parts];
    parts_into(yax[0], ys[0]);
    parts_into(yax[1], as[0]);
    parts_into(yax[2], xs);
    multiply_elements<parts>(of(gamma), ys, of(alpha), as, xs, made);
    return from_parts(made);
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_written(T v, const F& f) const {
    f(0, y, v);
  }
  template <class F>
  void each_array(const F& f) {
    f(y);
    f(a);
    f(x);
  }
  static constexpr bool is_uniform() { return true; }
};

struct absolute {
  template <class Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION static Out of(T x) {
    return Out(modulus(x));
  }
};
struct inverse {
  template <class Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION static Out of(T x) {
    return reciprocal_of(x);
  }
};

/// out = F(in).
template <class F, class Out, class T>
struct transform {
  using number = T;
  using result = Out;
  static constexpr int reads = 1, writes = 1;

  matrix_data<Out> out;
  matrix_data<const T> in;

  template <class G>
  KOKKOS_FORCEINLINE_FUNCTION void each_read(std::int64_t, std::int64_t, const G& g) const {
    g(0, in);
  }
  KOKKOS_FORCEINLINE_FUNCTION Out value(std::int64_t, std::int64_t, const T* x) const {
    return F::template of<Out>(x[0]);
  }
  template <class G>
  KOKKOS_FORCEINLINE_FUNCTION void each_written(Out x, const G& g) const {
    g(0, out, x);
  }
  template <class G>
  void each_array(const G& g) {
    g(out);
    g(in);
  }
  static constexpr bool is_uniform() { return true; }
};

/// out = x.
template <class T>
struct assign {
  using number = T;
  using result = T;
  static constexpr int reads = 0, writes = 1;

  matrix_data<T> out;
  T x;

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_read(std::int64_t, std::int64_t, const F&) const {}
  KOKKOS_FORCEINLINE_FUNCTION T value(std::int64_t, std::int64_t, const T*) const { return x; }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_written(T v, const F& f) const {
    f(0, out, v);
  }
  template <class F>
  void each_array(const F& f) {
    f(out);
  }
  static constexpr bool is_uniform() { return true; }
};

/// x and y exchanged.
template <class T>
struct exchange {
  using number = T;
  using result = T;
  static constexpr int reads = 2, writes = 2;

  matrix_data<T> x, y;
  struct pair {
    T x, y;
  };

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_read(std::int64_t, std::int64_t, const F& f) const {
    f(0, x);
    f(1, y);
  }
  KOKKOS_FORCEINLINE_FUNCTION pair value(std::int64_t, std::int64_t, const T* xy) const {
    return {xy[1], xy[0]};
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_written(const pair& p, const F& f) const {
    f(0, x, p.x);
    f(1, y, p.y);
  }
  template <class F>
  void each_array(const F& f) {
    f(x);
    f(y);
  }
  static constexpr bool is_uniform() { return true; }
};

/// x = c x + s y and y = c y - conj(s) x at once: a plane rotation. c is real.
template <class T>
struct rotate {
  using number = T;
  using result = T;
  using real = real_t<T>;
  static constexpr int parts = components_of<T>, reads = 2, writes = 2;

  matrix_data<T> x, y;
  column_coefficient<real> c;
  column_coefficient<T> s;
  using pair = typename exchange<T>::pair;

  /// The new x is a combination of y and x, the new y one of x and y.
  KOKKOS_FORCEINLINE_FUNCTION void set_coefficients(std::int64_t i, std::int64_t j,
                                                    combination<real, 2>& of_x,
                                                    combination<real, 2>& of_y) const {
    set_coefficient(of_x, 0, s(i, j));
    set_coefficient(of_x, 1, T(c(i, j)));
    of_y = of_x;
    of_y.re[0] = -of_x.re[0];  // -conj(s)
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_read(std::int64_t, std::int64_t, const F& f) const {
    f(0, x);
    f(1, y);
  }
  KOKKOS_FORCEINLINE_FUNCTION pair value(std::int64_t i, std::int64_t j, const T* of) const {
    combination<real, 2> of_x, of_y;
    set_coefficients(i, j, of_x, of_y);
    real yx[2][parts], xy[2][parts], new_x[parts], new_y[parts];
    parts_into(of[1], yx[0]);
    parts_into(of[0], yx[1]);
    for (int part = 0; part < parts; ++part) {
      xy[0][part] = yx[1][part];
      xy[1][part] = yx[0][part];
    }
    for (int part = 0; part < parts; ++part) {
      product_sum<real> sum_x, sum_y;
      add_combination<parts>(sum_x, of_x, yx, part);
      add_combination<parts>(sum_y, of_y, xy, part);
      new_x[part] = sum_x.sum;
      new_y[part] = sum_y.sum;
    }
    return {from_parts(new_x), from_parts(new_y)};
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_written(const pair& p, const F& f) const {
    f(0, x, p.x);
    f(1, y, p.y);
  }
  template <class F>
  void each_array(const F& f) {
    f(x);
    f(y);
    f(c.numbers);
    f(s.numbers);
  }
  bool is_uniform() const { return c.is_uniform() && s.is_uniform(); }
};

}  // namespace acc::impl

#endif
