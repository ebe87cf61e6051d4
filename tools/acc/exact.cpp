// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace acc_tool {
namespace {

/// x = (-1)^negative * significand * 2^(exponent - 1075), for finite x.
struct Parts {
  unsigned negative;
  int exponent;  // 1 to 2046; 2047 for infinities and NaN
  std::uint64_t significand;
};

Parts split(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t(1) << 52) - 1);
  const std::uint64_t hidden = field > 0 ? std::uint64_t(1) << 52 : 0;
  return {static_cast<unsigned>(bits >> 63), field > 0 ? field : 1, hidden | fraction};
}

constexpr int bias = 1075;
constexpr int special_exponent = 2047;
static_assert(3 * bias == Exact::unit_exponent);

/// An mpz_class from 64-bit words, least significant first.
template <std::size_t N>
mpz_class from_words(const std::array<std::uint64_t, N>& words) {
  mpz_class value;
  mpz_import(value.get_mpz_t(), N, -1, sizeof(std::uint64_t), 0, 0, words.data());
  return value;
}

mpz_class scaled(const Parts& x) {
  mpz_class value = from_words<1>({x.significand}) << (x.exponent + 2 * bias);
  return x.negative ? -value : value;
}

}  // namespace

Exact::Exact(double x) {
  if (std::isfinite(x)) {
    scaled_ = scaled(split(x));
  } else {
    special_ = x;
  }
}

Exact Exact::product(double x, double y) {
  const Parts a = split(x), b = split(y);
  Exact result;
  if (a.exponent == special_exponent || b.exponent == special_exponent) {
    result.special_ = x * y;
    return result;
  }
  result.scaled_ = from_words<1>({a.significand}) * from_words<1>({b.significand});
  result.scaled_ <<= static_cast<mp_bitcnt_t>(a.exponent + b.exponent + bias);
  if (a.negative != b.negative) result.scaled_ = -result.scaled_;
  return result;
}

Exact& Exact::operator+=(const Exact& other) {
  scaled_ += other.scaled_;
  special_ += other.special_;
  return *this;
}

Exact& Exact::operator-=(const Exact& other) {
  scaled_ -= other.scaled_;
  special_ -= other.special_;
  return *this;
}

Exact& Exact::operator*=(double factor) {
  const Parts f = split(factor);
  scaled_ *= from_words<1>({f.significand});
  scaled_ <<= static_cast<mp_bitcnt_t>(f.exponent);
  scaled_ >>= bias;  // exact: what was multiplied less than twice has 2^bias as a factor
  if (f.negative) scaled_ = -scaled_;
  special_ *= factor;
  return *this;
}

double Exact::rounded(Precision p) const {
  if (!finite()) return special_;
  if (zero()) return 0;
  const mpz_class magnitude = abs(scaled_);
  const int length = static_cast<int>(mpz_sizeinbase(magnitude.get_mpz_t(), 2));
  const int quantum = std::max(length - unit_exponent - p.bits, p.least_exponent);
  const auto dropped = static_cast<mp_bitcnt_t>(quantum + unit_exponent);  // > 0, see Precision

  mpz_class kept = magnitude >> dropped;
  const bool half = mpz_tstbit(magnitude.get_mpz_t(), dropped - 1);
  const bool sticky = mpz_scan1(magnitude.get_mpz_t(), 0) < dropped - 1;
  if (half && (sticky || mpz_odd_p(kept.get_mpz_t()))) ++kept;

  double value = std::ldexp(kept.get_d(), quantum);
  // A double that overflows has done so in ldexp; a float has not.
  if (p.bits == 24 && value > std::numeric_limits<float>::max()) {
    value = std::numeric_limits<double>::infinity();
  }
  return sgn(scaled_) < 0 ? -value : value;
}

double Exact::ratio(const Exact& a, const Exact& b) {
  if (!a.finite() || !b.finite()) return std::numeric_limits<double>::quiet_NaN();
  if (b.zero()) {
    return a.zero() ? std::numeric_limits<double>::quiet_NaN()
                    : std::numeric_limits<double>::infinity();
  }
  signed long exponent_a = 0, exponent_b = 0;
  const double fraction_a = mpz_get_d_2exp(&exponent_a, a.scaled_.get_mpz_t());
  const double fraction_b = mpz_get_d_2exp(&exponent_b, b.scaled_.get_mpz_t());
  return std::ldexp(std::abs(fraction_a / fraction_b), static_cast<int>(exponent_a - exponent_b));
}

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
  Exact result;
  // Horner's rule in 2 over the exponents, the largest first; few are in use.
  int weight = 0;  // of the result so far
  for (int e = exponents - 1; e >= 0; --e) {
    for (const bool negative : {false, true}) {
      const Bin& bin = bins_[static_cast<std::size_t>(negative * exponents + e)];
      if (bin.low == 0 && bin.carries == 0) continue;
      if (weight > e) result.scaled_ <<= static_cast<mp_bitcnt_t>(weight - e);
      weight = e;
      const mpz_class value =
          from_words<3>({static_cast<std::uint64_t>(bin.low),
                         static_cast<std::uint64_t>(bin.low >> 64), bin.carries});
      if (negative && sign_of_negative < 0) {
        result.scaled_ -= value;
      } else {
        result.scaled_ += value;
      }
    }
  }
  result.scaled_ <<= static_cast<mp_bitcnt_t>(weight + bias);
  result.special_ = special_;
  return result;
}

}  // namespace acc_tool
