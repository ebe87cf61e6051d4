// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_DOUBLE_WORD_HPP
#define ACC_CORE_DOUBLE_WORD_HPP

/// \file
/// Double-word arithmetic after Joldes, Muller and Popescu, "Tight and rigorous error bounds for
/// basic building blocks of double-word arithmetic", ACM TOMS 44(2), 2017 (JMP below), with the
/// sharper constants of Muller and Rideau, ACM TOMS 48(1), 2022.

#include <acc/core/eft.hpp>
#include <acc/core/numbers/macros.hpp>

#if !defined(ACC_HOST_KERNELS)
#include <acc/core/numbers/complex_sum.hpp>

#include <Kokkos_Complex.hpp>
#endif

namespace acc {

/// A double-word number (JMP): hi + lo with |lo| <= ulp(hi) / 2, twice the precision of T in T's
/// exponent range. The method acc::double_word sums in it.
template <class T>
struct double_word_number {
  using scalar_type = T;
  static constexpr int components = 2;

  T hi;
  T lo;

  /// The empty sum, -0.
  ACC_FUNCTION double_word_number() : hi(T(-0.0)), lo(T(-0.0)) {}
  ACC_FUNCTION double_word_number(T x) : hi(rounded_operand(x)), lo(T(-0.0)) {}
  /// hi + lo, which must be a double word already: hi is the rounded sum.
  ACC_FUNCTION double_word_number(T high, T low)
      : hi(rounded_operand(high)), lo(rounded_operand(low)) {}

  ACC_FUNCTION T& component(int k) { return k == 0 ? hi : lo; }
  ACC_FUNCTION const T& component(int k) const { return k == 0 ? hi : lo; }

  /// DWPlusFP (JMP algorithm 4): relative error at most 2 u^2. 10 operations.
  ACC_FUNCTION void add(T x) {
    using impl::two_sum_of_rounded;
    const auto s = two_sum_of_rounded(hi, rounded_operand(x));
    renormalise(s.value, impl::add(lo, s.error));
  }

  /// AccurateDWPlusDW (JMP algorithm 6): relative error at most 3 u^2 / (1 - 4 u). 20 operations.
  ACC_FUNCTION void merge(const double_word_number& y) {
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
  ACC_FUNCTION void add_pair(T p, T e) { merge({p, e}); }

  ACC_FUNCTION double_word_number& operator+=(T x) { return add(x), *this; }
  ACC_FUNCTION double_word_number& operator+=(const double_word_number& y) {
    return merge(y), *this;
  }
  ACC_FUNCTION double_word_number& operator-=(const double_word_number& y) {
    return merge(-y), *this;
  }

  /// DWTimesFP3 (JMP algorithm 9): relative error at most 2 u^2. 6 operations.
  ACC_FUNCTION double_word_number& operator*=(T y) {
    using impl::fma;
    y = rounded_operand(y);
    const auto c = two_prod(hi, y);
    renormalise(c.value, fma(lo, y, c.error));
    return *this;
  }
  /// DWTimesDW3 (JMP algorithm 12): relative error below 4 u^2 (Muller, Rideau). 9 operations.
  ACC_FUNCTION double_word_number& operator*=(const double_word_number& y) {
    using impl::fma;
    const auto c = two_prod(hi, y.hi);
    const T t = fma(hi, y.lo, impl::mul(lo, y.lo));
    renormalise(c.value, impl::add(c.error, fma(lo, y.hi, t)));
    return *this;
  }

  ACC_FUNCTION double_word_number operator-() const { return {T(-hi), T(-lo)}; }
  ACC_FUNCTION friend double_word_number operator+(double_word_number x,
                                                   const double_word_number& y) {
    return x += y;
  }
  ACC_FUNCTION friend double_word_number operator-(double_word_number x,
                                                   const double_word_number& y) {
    return x -= y;
  }
  ACC_FUNCTION friend double_word_number operator*(double_word_number x,
                                                   const double_word_number& y) {
    return x *= y;
  }
  ACC_FUNCTION friend double_word_number operator+(double_word_number x, T y) { return x += y; }
  ACC_FUNCTION friend double_word_number operator*(double_word_number x, T y) { return x *= y; }

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

#if !defined(ACC_HOST_KERNELS)
/// A complex double word: real and imaginary part are double words of their own.
template <class T>
struct double_word_number<Kokkos::complex<T>>
    : impl::complex_sum<double_word_number<Kokkos::complex<T>>, double_word_number<T>> {
  using base = impl::complex_sum<double_word_number, double_word_number<T>>;

  ACC_DEFAULTED_FUNCTION double_word_number() = default;
  ACC_FUNCTION double_word_number(Kokkos::complex<T> x) : base(x.real(), x.imag()) {}
  ACC_FUNCTION double_word_number(const double_word_number<T>& real,
                                  const double_word_number<T>& imag)
      : base(real, imag) {}

  ACC_FUNCTION double_word_number& operator+=(Kokkos::complex<T> x) { return this->add(x), *this; }
  ACC_FUNCTION double_word_number& operator+=(const double_word_number& y) {
    return this->merge(y), *this;
  }
  /// Four products and two sums of double words; bounded component-wise by 8 u^2 (|x||y|).
  ACC_FUNCTION friend double_word_number operator*(const double_word_number& x,
                                                   const double_word_number& y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
  ACC_FUNCTION friend double_word_number operator+(double_word_number x,
                                                   const double_word_number& y) {
    return x += y;
  }
  ACC_FUNCTION friend double_word_number operator-(const double_word_number& x,
                                                   const double_word_number& y) {
    return {x.re - y.re, x.im - y.im};
  }
};
#endif

template <class T>
double_word_number(T) -> double_word_number<T>;
template <class T>
double_word_number(T, T) -> double_word_number<T>;

}  // namespace acc

#endif
