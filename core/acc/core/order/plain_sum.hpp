// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_PLAIN_SUM_HPP
#define ACC_CORE_ORDER_PLAIN_SUM_HPP

/// \file
/// The accumulator of the methods plain and widened: one number.
///
/// Every accumulator has the same members. T may be float, double, or a simd of them (host
/// kernels).
///  - a default constructor that makes the empty sum: -0, the identity of IEEE addition, so that
///    an absent element changes no bit;
///  - add(x), add_product(x, y), add_pair(p, e): deposit x, x * y, or p + e;
///  - merge(other): deposit another accumulator, in this order;
///  - value(): the sum, rounded;
///  - component(k), k < components: the numbers whose sum it is, the leading one first.

#include <acc/core/eft.hpp>
#include <acc/core/numbers/macros.hpp>

namespace acc {

/// An ordinary floating-point sum.
template <class T>
struct plain_sum {
  using scalar_type = T;
  static constexpr int components = 1;

  T sum;

  /// Not a default member initialiser: with one, nvcc 13.0 makes the constant -0 a zero of all
  /// bits.
  ACC_FUNCTION plain_sum() : sum(T(-0.0)) {}

  ACC_FUNCTION T& component(int) { return sum; }
  ACC_FUNCTION const T& component(int) const { return sum; }

  ACC_FUNCTION void add(T x) {
    using impl::rounded;
    sum = impl::add(sum, rounded(x));
  }
  ACC_FUNCTION void add_product(T x, T y) {
    using impl::fma;
    sum = fma(x, y, sum);
  }
  ACC_FUNCTION void add_pair(T p, T e) { sum = impl::add(sum, impl::add(p, e)); }
  ACC_FUNCTION void merge(const plain_sum& other) { add(other.sum); }
  ACC_FUNCTION T value() const { return sum; }
};

}  // namespace acc

#endif
