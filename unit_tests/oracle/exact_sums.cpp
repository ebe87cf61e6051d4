// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact_sums.hpp"

#include <bit>
#include <cassert>
#include <cstddef>

namespace acc_oracle {
namespace {

/// x = (-1)^negative * significand * 2^(exponent - bias), for finite x.
struct Parts {
  unsigned negative;
  int exponent;  // 1 to 2046; 2047 for infinities and NaN
  std::uint64_t significand;
};
constexpr int bias = 1075;
constexpr int special_exponent = 2047;

Parts split(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t(1) << 52) - 1);
  const std::uint64_t hidden = field > 0 ? std::uint64_t(1) << 52 : 0;
  return {static_cast<unsigned>(bits >> 63), field > 0 ? field : 1, hidden | fraction};
}

template <class T>
Accumulator sum_of(std::span<const T> x) {
  Accumulator sum;
  for (const T v : x) sum.add(v);
  return sum;
}

template <class T>
Accumulator dot_of(std::span<const T> x, std::span<const T> y) {
  assert(x.size() == y.size());
  Accumulator sum;
  for (std::size_t i = 0; i < x.size(); ++i) sum.add_product(x[i], y[i]);
  return sum;
}

}  // namespace

void Accumulator::deposit(unsigned negative, int exponent, Word significand) {
  Bin& bin = bins_[negative * exponents + static_cast<unsigned>(exponent)];
  bin.low += significand;
  bin.carries += bin.low < significand;
}

void Accumulator::add(double x) {
  const Parts a = split(x);
  if (a.exponent == special_exponent) {
    special_ += x;
  } else {
    deposit(a.negative, a.exponent + bias, a.significand);
  }
}

void Accumulator::add_product(double x, double y) {
  const Parts a = split(x), b = split(y);
  if (a.exponent == special_exponent || b.exponent == special_exponent) {
    special_ += x * y;
  } else {
    deposit(a.negative ^ b.negative, a.exponent + b.exponent, Word(a.significand) * b.significand);
  }
}

Exact Accumulator::join(int sign_of_negative) const {
  if (special_ != 0) return special_;
  // Horner's rule in 2 over the exponents, the largest first; few are in use.
  mpz_class sum;
  int weight = 0;  // of the sum so far
  for (int e = exponents - 1; e >= 0; --e) {
    for (const bool negative : {false, true}) {
      const Bin& bin = bins_[static_cast<std::size_t>(negative * exponents + e)];
      if (bin.low == 0 && bin.carries == 0) continue;
      if (weight > e) sum <<= static_cast<mp_bitcnt_t>(weight - e);
      weight = e;
      const std::uint64_t words[] = {static_cast<std::uint64_t>(bin.low),
                                     static_cast<std::uint64_t>(bin.low >> 64), bin.carries};
      mpz_class value;
      mpz_import(value.get_mpz_t(), 3, -1, sizeof(std::uint64_t), 0, 0, words);
      if (negative && sign_of_negative < 0) {
        sum -= value;
      } else {
        sum += value;
      }
    }
  }
  return {std::move(sum), weight - 2L * bias};
}

template <class T>
Exact exact_sum(std::span<const T> x) {
  return sum_of(x).total();
}
template <class T>
Exact exact_abs_sum(std::span<const T> x) {
  return sum_of(x).magnitude();
}
template <class T>
Exact exact_dot(std::span<const T> x, std::span<const T> y) {
  return dot_of(x, y).total();
}
template <class T>
Exact exact_abs_dot(std::span<const T> x, std::span<const T> y) {
  return dot_of(x, y).magnitude();
}
template <class T>
double condition_of_sum(std::span<const T> x) {
  const Accumulator sum = sum_of(x);
  return ratio(sum.magnitude(), sum.total(), Direction::up);
}
template <class T>
double condition_of_dot(std::span<const T> x, std::span<const T> y) {
  const Accumulator dot = dot_of(x, y);
  return 2 * ratio(dot.magnitude(), dot.total(), Direction::up);
}

#define ACC_ORACLE_INSTANTIATE(T)                                       \
  template Exact exact_sum(std::span<const T>);                         \
  template Exact exact_abs_sum(std::span<const T>);                     \
  template Exact exact_dot(std::span<const T>, std::span<const T>);     \
  template Exact exact_abs_dot(std::span<const T>, std::span<const T>); \
  template double condition_of_sum(std::span<const T>);                 \
  template double condition_of_dot(std::span<const T>, std::span<const T>);
ACC_ORACLE_INSTANTIATE(float)
ACC_ORACLE_INSTANTIATE(double)
#undef ACC_ORACLE_INSTANTIATE

}  // namespace acc_oracle
