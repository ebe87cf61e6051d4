// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle.hpp"

#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <vector>

namespace acc_test {
namespace {

using Wide = __int128;

/// x = mantissa * 2^exponent with |mantissa| < 2^53.
struct Parts {
  std::int64_t mantissa;
  int exponent;
};

Parts split(double x) {
  assert(std::isfinite(x));
  int e = 0;
  const double m = std::frexp(x, &e);
  return {static_cast<std::int64_t>(std::ldexp(m, 53)), e - 53};
}

mpz_class to_mpz(Wide v) {
  const bool negative = v < 0;
  const auto u = negative ? -static_cast<unsigned __int128>(v) : static_cast<unsigned __int128>(v);
  const std::uint64_t words[2] = {static_cast<std::uint64_t>(u),
                                  static_cast<std::uint64_t>(u >> 64)};
  mpz_class z;
  mpz_import(z.get_mpz_t(), 2, -1, sizeof(std::uint64_t), 0, 0, words);
  return negative ? mpz_class(-z) : z;
}

mpz_class shift_left(const mpz_class& m, long bits) {
  mpz_class z;
  mpz_mul_2exp(z.get_mpz_t(), m.get_mpz_t(), static_cast<mp_bitcnt_t>(bits));
  return z;
}

long bit_length(const mpz_class& m) {
  return sgn(m) == 0 ? 0 : static_cast<long>(mpz_sizeinbase(m.get_mpz_t(), 2));
}

/// One 128-bit sum for each exponent of a product of two doubles (so of a double too).
class Bins {
 public:
  Bins() : bin_(highest - lowest + 1, 0) {}

  void add(Wide mantissa, int exponent) {
    bin_[static_cast<std::size_t>(exponent - lowest)] += mantissa;
    if (++count_ == capacity) flush();
  }

  Exact total() {
    flush();
    return total_;
  }

 private:
  // A product's mantissa is below 2^106, so 2^20 of them stay below 2^127.
  static constexpr int capacity = 1 << 20;
  static constexpr int lowest = 2 * (-1073 - 53), highest = 2 * (1024 - 53);

  void flush() {
    mpz_class m = 0;  // Horner's rule from the highest exponent down
    std::size_t at = bin_.size();
    for (std::size_t k = bin_.size(); k-- > 0;) {
      if (bin_[k] == 0) continue;
      m = shift_left(m, static_cast<long>(at - k)) + to_mpz(bin_[k]);
      at = k;
      bin_[k] = 0;
    }
    if (at < bin_.size()) total_ += Exact(m, lowest + static_cast<long>(at));
    count_ = 0;
  }

  std::vector<Wide> bin_;
  Exact total_;
  int count_ = 0;
};

Wide magnitude(Wide v) { return v < 0 ? -v : v; }

template <class T>
Exact sum_of(std::span<const T> x, bool absolute) {
  Bins bins;
  for (const T v : x) {
    const Parts p = split(v);
    bins.add(absolute ? magnitude(p.mantissa) : Wide{p.mantissa}, p.exponent);
  }
  return bins.total();
}

template <class T>
Exact dot_of(std::span<const T> x, std::span<const T> y, bool absolute) {
  assert(x.size() == y.size());
  Bins bins;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Parts p = split(x[i]), q = split(y[i]);
    const Wide m = Wide{p.mantissa} * q.mantissa;
    bins.add(absolute ? magnitude(m) : m, p.exponent + q.exponent);
  }
  return bins.total();
}

}  // namespace

Exact::Exact(double x) {
  const Parts p = split(x);
  m_ = to_mpz(p.mantissa);
  e_ = p.exponent;
}

Exact operator+(const Exact& a, const Exact& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  if (a.e_ < b.e_) return {a.m_ + shift_left(b.m_, b.e_ - a.e_), a.e_};
  return {shift_left(a.m_, a.e_ - b.e_) + b.m_, b.e_};
}

Exact operator-(const Exact& a, const Exact& b) { return a + (-b); }

Exact operator*(const Exact& a, const Exact& b) { return {a.m_ * b.m_, a.e_ + b.e_}; }

int compare(const Exact& a, const Exact& b) { return (a - b).sign(); }

Exact abs(const Exact& a) { return {::abs(a.mantissa()), a.exponent()}; }

Exact pow2(long e) { return {1, e}; }

template <class T>
T round_to(const Exact& a) {
  return round_to<T>(a, Direction::nearest);
}

template <class T>
T round_to(const Exact& a, Direction direction) {
  using Limits = std::numeric_limits<T>;
  if (a.is_zero()) return T(0);
  mpz_class m = ::abs(a.mantissa());
  // The spacing of T around |a|: p bits below its leading bit, but no finer than the subnormals.
  const long spacing = std::max(a.exponent() + bit_length(m) - Limits::digits,
                                static_cast<long>(Limits::min_exponent - Limits::digits));
  const long drop = spacing - a.exponent();
  // Directions are those of the number; m is its magnitude.
  const bool negative = a.sign() < 0;
  const bool away = direction == (negative ? Direction::down : Direction::up);
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
  // m <= 2^p now: exact as a double, and ldexp of a value on T's grid does not round again.
  const double r = std::ldexp(m.get_d(), static_cast<int>(std::min(spacing, 4000L)));
  const T beyond = away || direction == Direction::nearest ? Limits::infinity() : Limits::max();
  const T t = r > static_cast<double>(Limits::max()) ? beyond : static_cast<T>(r);
  return negative ? -t : t;
}

double ratio_up(const Exact& a, const Exact& b) {
  if (a.is_zero()) return 0;
  if (b.is_zero()) return std::numeric_limits<double>::infinity();
  const mpz_class n = ::abs(a.mantissa()), d = ::abs(b.mantissa());
  const long shift = std::max(0L, 60 + bit_length(d) - bit_length(n));
  mpz_class q = shift_left(n, shift) / d;
  long e = a.exponent() - b.exponent() - shift;
  while (bit_length(q) > 52) {
    q >>= 1;
    ++e;
  }
  ++q;  // truncation went down: the next integer is above
  return std::ldexp(q.get_d(), static_cast<int>(std::max(-4000L, std::min(e, 4000L))));
}

double relative_error(const Exact& computed, const Exact& exact) {
  return ratio_up(computed - exact, exact);
}

std::string to_string(const Exact& a) {
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

template <class T>
Exact exact_sum(std::span<const T> x) {
  return sum_of(x, false);
}
template <class T>
Exact exact_abs_sum(std::span<const T> x) {
  return sum_of(x, true);
}
template <class T>
Exact exact_dot(std::span<const T> x, std::span<const T> y) {
  return dot_of(x, y, false);
}
template <class T>
Exact exact_abs_dot(std::span<const T> x, std::span<const T> y) {
  return dot_of(x, y, true);
}
template <class T>
double condition_of_sum(std::span<const T> x) {
  return ratio_up(exact_abs_sum(x), exact_sum(x));
}
template <class T>
double condition_of_dot(std::span<const T> x, std::span<const T> y) {
  return 2 * ratio_up(exact_abs_dot(x, y), exact_dot(x, y));
}

#define ACC_TEST_INSTANTIATE(T)                                         \
  template T round_to<T>(const Exact&);                                 \
  template T round_to<T>(const Exact&, Direction);                      \
  template Exact exact_sum(std::span<const T>);                         \
  template Exact exact_abs_sum(std::span<const T>);                     \
  template Exact exact_dot(std::span<const T>, std::span<const T>);     \
  template Exact exact_abs_dot(std::span<const T>, std::span<const T>); \
  template double condition_of_sum(std::span<const T>);                 \
  template double condition_of_dot(std::span<const T>, std::span<const T>);
ACC_TEST_INSTANTIATE(float)
ACC_TEST_INSTANTIATE(double)
#undef ACC_TEST_INSTANTIATE

}  // namespace acc_test
