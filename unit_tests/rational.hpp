// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients of exact numbers, rounded once.
#pragma once

#include "oracle.hpp"

#include <algorithm>

namespace acc_test {

/// a / b, b > 0, rounded to T: with 400 bits and one that says whether there are more.
template <class T>
T rounded_quotient(const Exact& a, const Exact& b) {
  const mpz_class n = abs(a.mantissa()), d = b.mantissa();
  const long shift = std::max(
      0L, 400 + long(mpz_sizeinbase(d.get_mpz_t(), 2)) - long(mpz_sizeinbase(n.get_mpz_t(), 2)));
  const mpz_class scaled = n << static_cast<unsigned long>(shift);
  mpz_class q = scaled / d;
  q = 2 * q + (q * d == scaled ? 0 : 1);
  if (a.sign() < 0) q = -q;
  return round_to<T>(Exact(q, a.exponent() - b.exponent() - shift - 1));
}

}  // namespace acc_test
