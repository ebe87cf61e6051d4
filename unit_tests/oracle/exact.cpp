// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace acc_oracle {
namespace {

mpz_class shift_left(const mpz_class& m, long bits) {
  mpz_class z;
  mpz_mul_2exp(z.get_mpz_t(), m.get_mpz_t(), static_cast<mp_bitcnt_t>(bits));
  return z;
}

long bit_length(const mpz_class& m) {
  return sgn(m) == 0 ? 0 : static_cast<long>(mpz_sizeinbase(m.get_mpz_t(), 2));
}

}  // namespace

double Precision::largest() const {
  const int max_exponent = 3 - (least_exponent + bits);
  return std::ldexp(std::ldexp(1.0, bits) - 1, max_exponent - bits);
}

Exact::Exact(double x) {
  if (!std::isfinite(x)) {
    special_ = x;
    return;
  }
  int e = 0;
  m_ = std::ldexp(std::frexp(x, &e), 53);  // an integer
  e_ = e - 53;
}

void Exact::add(const Exact& b, bool negated) {
  special_ += negated ? -b.special_ : b.special_;
  if (e_ > b.e_) {
    m_ <<= static_cast<mp_bitcnt_t>(e_ - b.e_);
    e_ = b.e_;
  }
  const mpz_class shifted = e_ < b.e_ ? shift_left(b.m_, b.e_ - e_) : mpz_class();
  const mpz_class& aligned = e_ < b.e_ ? shifted : b.m_;
  if (negated) {
    m_ -= aligned;
  } else {
    m_ += aligned;
  }
}

Exact& Exact::operator*=(const Exact& b) {
  special_ = is_finite() && b.is_finite() ? 0 : sign_or_special() * b.sign_or_special();
  m_ *= b.m_;
  e_ += b.e_;
  return *this;
}

Exact operator-(Exact a) {
  a.m_ = -a.m_;
  a.special_ = -a.special_;
  return a;
}

std::partial_ordering operator<=>(const Exact& a, const Exact& b) {
  if (!a.is_finite() || !b.is_finite()) {
    // Infinity is beyond every sign, -1, 0 or 1, that stands here for a finite number.
    return a.sign_or_special() <=> b.sign_or_special();
  }
  return (a - b).sign() <=> 0;
}

Exact abs(const Exact& a) { return a.sign() < 0 ? -a : a; }

Exact pow2(long e) { return {1, e}; }

double round(const Exact& a, Precision precision, Direction direction) {
  if (!a.is_finite()) return a.special_;
  if (a.is_zero()) return 0;
  mpz_class m = ::abs(a.m_);
  // The spacing of the format around |a|: `bits` below its leading bit, but no finer than
  // subnormals.
  const long spacing =
      std::max(a.e_ + bit_length(m) - precision.bits, static_cast<long>(precision.least_exponent));
  const long drop = spacing - a.e_;
  // Directions are those of the number; m is its magnitude.
  const bool away = direction == (a.sign() < 0 ? Direction::down : Direction::up);
  if (drop <= 0) {
    m = shift_left(m, -drop);
  } else {
    mpz_class rest;
    mpz_fdiv_r_2exp(rest.get_mpz_t(), m.get_mpz_t(), static_cast<mp_bitcnt_t>(drop));
    mpz_fdiv_q_2exp(m.get_mpz_t(), m.get_mpz_t(), static_cast<mp_bitcnt_t>(drop));
    const int against_half = cmp(rest, shift_left(1, drop - 1));
    const bool odd = mpz_odd_p(m.get_mpz_t());
    if (direction == Direction::nearest ? against_half > 0 || (against_half == 0 && odd)
                                        : away && sgn(rest) != 0)
      ++m;
  }
  // m <= 2^bits now: exact as a double, and ldexp of a value on the format's grid does not round
  // again.
  double r = std::ldexp(m.get_d(), static_cast<int>(std::min(spacing, 4000L)));
  if (r > precision.largest())
    r = away || direction == Direction::nearest ? std::numeric_limits<double>::infinity()
                                                : precision.largest();
  return a.sign() < 0 ? -r : r;
}

double ratio(const Exact& a, const Exact& b, Direction direction) {
  using Limits = std::numeric_limits<double>;
  if (!a.is_finite() || !b.is_finite()) return Limits::quiet_NaN();
  if (b.is_zero()) return a.is_zero() ? Limits::quiet_NaN() : Limits::infinity();
  const mpz_class n = ::abs(a.mantissa()), d = ::abs(b.mantissa());
  // At least 64 bits of the quotient, then one bit that tells whether it goes on.
  const long shift = std::max(0L, 64 + bit_length(d) - bit_length(n));
  mpz_class quotient, rest;
  mpz_tdiv_qr(quotient.get_mpz_t(), rest.get_mpz_t(), shift_left(n, shift).get_mpz_t(),
              d.get_mpz_t());
  quotient = 2 * quotient + (sgn(rest) != 0 ? 1 : 0);
  return round(Exact(std::move(quotient), a.exponent() - b.exponent() - shift - 1),
               precision_of<double>(), direction);
}

double relative_error(const Exact& computed, const Exact& exact) {
  return computed == exact ? 0 : ratio(computed - exact, exact, Direction::up);
}

std::string to_string(const Exact& a) {
  if (!a.is_finite()) return std::to_string(round(a, precision_of<double>()));
  if (a.is_zero()) return "0";
  mpf_class f(a.mantissa(), static_cast<mp_bitcnt_t>(bit_length(a.mantissa()) + 64));
  if (a.exponent() >= 0) {
    mpf_mul_2exp(f.get_mpf_t(), f.get_mpf_t(), static_cast<mp_bitcnt_t>(a.exponent()));
  } else {
    mpf_div_2exp(f.get_mpf_t(), f.get_mpf_t(), static_cast<mp_bitcnt_t>(-a.exponent()));
  }
  char text[64];
  gmp_snprintf(text, sizeof text, "%.17Fe", f.get_mpf_t());
  return text;
}

void PrintTo(const Exact& a, std::ostream* out) { *out << to_string(a); }

}  // namespace acc_oracle
