// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_DOUBLE_WORD_HPP
#define ACC_CORE_DOUBLE_WORD_HPP

/// \file
/// Double-word arithmetic after Joldes, Muller and Popescu, "Tight and rigorous error bounds for
/// basic building blocks of double-word arithmetic", ACM TOMS 44(2), 2017 (JMP below), with the
/// sharper constants of Muller and Rideau, ACM TOMS 48(1), 2022.

#include <acc/core/eft.hpp>
#include <acc/core/macros.hpp>

#if !defined(ACC_HOST_KERNELS)
#include <Kokkos_Complex.hpp>
#endif

namespace acc {

/// hi + lo with |lo| <= ulp(hi) / 2: twice the precision of T, T's exponent range.
/// double_word<> is the method tag of that name (acc/core/method.hpp).
template <class T = void>
struct double_word {
  using scalar_type = T;
  static constexpr int components = 2;

  T hi;
  T lo;

  /// The empty sum, -0.
  ACC_FUNCTION double_word() : hi(T(-0.0)), lo(T(-0.0)) {}
  ACC_FUNCTION double_word(T x) : hi(x), lo(T(-0.0)) {}
  /// hi + lo, which must be a double word already: hi is the rounded sum.
  ACC_FUNCTION double_word(T high, T low) : hi(high), lo(low) {}

  ACC_FUNCTION T& component(int k) { return k == 0 ? hi : lo; }
  ACC_FUNCTION const T& component(int k) const { return k == 0 ? hi : lo; }

  /// DWPlusFP (JMP algorithm 4): relative error at most 2 u^2. 10 operations.
  ACC_FUNCTION void add(T x) {
    using impl::two_sum_of_rounded;
    const auto s = two_sum_of_rounded(hi, rounded_operand(x));
    renormalise(s.value, impl::add(lo, s.error));
  }

  /// AccurateDWPlusDW (JMP algorithm 6): relative error at most 3 u^2 / (1 - 4 u). 20 operations.
  ACC_FUNCTION void merge(const double_word& y) {
    using impl::two_sum_of_rounded;
    const auto s = two_sum_of_rounded(hi, y.hi);
    const auto t = two_sum_of_rounded(lo, y.lo);
    const auto v = impl::fast_two_sum_of_rounded(s.value, impl::add(s.error, t.value));
    renormalise(v.value, impl::add(t.error, v.error));
  }

  /// Fused multiply-accumulate: the exact product x * y (two_prod) enters by AccurateDWPlusDW, so
  /// the relative error is that of one addition, at most 3 u^2 / (1 - 4 u). 22 operations.
  ACC_FUNCTION void add_product(T x, T y) {
    const auto p = two_prod(x, y);
    add_pair(p.value, p.error);
  }

  /// Deposits the double word p + e.
  ACC_FUNCTION void add_pair(T p, T e) { merge({rounded_operand(p), rounded_operand(e)}); }

  ACC_FUNCTION double_word& operator+=(T x) { return add(x), *this; }
  ACC_FUNCTION double_word& operator+=(const double_word& y) { return merge(y), *this; }
  ACC_FUNCTION double_word& operator-=(const double_word& y) { return merge(-y), *this; }

  /// DWTimesFP3 (JMP algorithm 9): relative error at most 2 u^2. 6 operations.
  ACC_FUNCTION double_word& operator*=(T y) {
    using impl::fma;
    y = rounded_operand(y);
    const auto c = two_prod(hi, y);
    renormalise(c.value, fma(lo, y, c.error));
    return *this;
  }
  /// DWTimesDW3 (JMP algorithm 12): relative error below 4 u^2 (Muller, Rideau). 9 operations.
  ACC_FUNCTION double_word& operator*=(const double_word& y) {
    using impl::fma;
    const auto c = two_prod(hi, y.hi);
    const T t = fma(hi, y.lo, impl::mul(lo, y.lo));
    renormalise(c.value, impl::add(c.error, fma(lo, y.hi, t)));
    return *this;
  }

  ACC_FUNCTION double_word operator-() const { return {T(-hi), T(-lo)}; }
  ACC_FUNCTION friend double_word operator+(double_word x, const double_word& y) { return x += y; }
  ACC_FUNCTION friend double_word operator-(double_word x, const double_word& y) { return x -= y; }
  ACC_FUNCTION friend double_word operator*(double_word x, const double_word& y) { return x *= y; }
  ACC_FUNCTION friend double_word operator+(double_word x, T y) { return x += y; }
  ACC_FUNCTION friend double_word operator*(double_word x, T y) { return x *= y; }

  /// The number rounded to T: hi, by the invariant.
  ACC_FUNCTION T value() const { return hi; }

 private:
  ACC_FUNCTION static T rounded_operand(T x) {
    using impl::rounded;
    return rounded(x);
  }
  ACC_FUNCTION void renormalise(T high, T low) {
    const auto s = impl::fast_two_sum_of_rounded(high, low);
    hi = s.value;
    lo = s.error;
  }
};

/// The method tag acc::double_word{}, that is double_word<void>: a sum or dot in double-word
/// arithmetic, renormalised at each step.
template <>
struct double_word<void> {};

#if !defined(ACC_HOST_KERNELS)
/// A complex double word: real and imaginary part are double words of their own.
template <class T>
struct double_word<Kokkos::complex<T>> {
  using scalar_type = Kokkos::complex<T>;

  double_word<T> re, im;

  ACC_DEFAULTED_FUNCTION double_word() = default;
  ACC_FUNCTION double_word(Kokkos::complex<T> x) : re(x.real()), im(x.imag()) {}
  ACC_FUNCTION double_word(const double_word<T>& real, const double_word<T>& imag)
      : re(real), im(imag) {}

  ACC_FUNCTION void add(Kokkos::complex<T> x) {
    re.add(x.real());
    im.add(x.imag());
  }
  /// Deposits x * y (no conjugation).
  ACC_FUNCTION void add_product(Kokkos::complex<T> x, Kokkos::complex<T> y) {
    re.add_product(x.real(), y.real());
    re.add_product(x.imag(), -y.imag());
    im.add_product(x.real(), y.imag());
    im.add_product(x.imag(), y.real());
  }
  ACC_FUNCTION void merge(const double_word& y) {
    re.merge(y.re);
    im.merge(y.im);
  }
  ACC_FUNCTION double_word& operator+=(Kokkos::complex<T> x) { return add(x), *this; }
  ACC_FUNCTION double_word& operator+=(const double_word& y) { return merge(y), *this; }
  /// Four products and two sums of double words; bounded component-wise by 8 u^2 (|x||y|).
  ACC_FUNCTION friend double_word operator*(const double_word& x, const double_word& y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
  ACC_FUNCTION friend double_word operator+(double_word x, const double_word& y) { return x += y; }
  ACC_FUNCTION friend double_word operator-(const double_word& x, const double_word& y) {
    return {x.re - y.re, x.im - y.im};
  }
  ACC_FUNCTION Kokkos::complex<T> value() const { return {re.value(), im.value()}; }
};
#endif

template <class T>
double_word(T) -> double_word<T>;
template <class T>
double_word(T, T) -> double_word<T>;
double_word() -> double_word<void>;

}  // namespace acc

#endif
