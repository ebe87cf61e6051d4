// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_NUMBERS_COMPLEX_PRODUCT_HPP
#define ACC_CORE_NUMBERS_COMPLEX_PRODUCT_HPP

/// \file
/// The order of a complex product (docs/arithmetic.md, "Matrix products"). It is stated here and
/// nowhere else: kernels that lay numbers out, or change their signs, ask this header.

#include <acc/core/numbers/macros.hpp>

namespace acc::impl {

/// A complex product a b is two sums: part 0, the real part, and part 1, the imaginary part. Each
/// sum takes two real products, q = 0 before q = 1. Real product q of part p multiplies part q of a
/// by part (p xor q) of b, and the factor of b is negated where p = 0 and q = 1:
///
///   part 0: re a * re b, then im a * -im b;    part 1: re a * im b, then im a * re b.
///
/// A conjugated factor is the number whose imaginary part is negated, so signs combine.
struct complex_product {
  ACC_FUNCTION static constexpr int part_of_b(int p, int q) { return p ^ q; }
  ACC_FUNCTION static constexpr bool negates(int p, int q, bool conjugates_a = false,
                                             bool conjugates_b = false) {
    if (q == 0) return part_of_b(p, 0) == 1 && conjugates_b;
    return ((p == 0) != conjugates_a) != (part_of_b(p, 1) == 1 && conjugates_b);
  }
  /// The factor of b in real product Q of part P.
  template <int P, int Q, class Real>
  ACC_FUNCTION static Real factor(const Real (&b)[2]) {
    const Real x = b[part_of_b(P, Q)];
    if constexpr (negates(P, Q)) {
      return -x;
    } else {
      return x;
    }
  }
  /// The four factors of b, as kernels read them: to[2 q + p] is that of real product q of part p.
  template <class Real>
  ACC_FUNCTION static void lay_out_factors(const Real (&b)[2], bool conjugates_a, bool conjugates_b,
                                           Real* to) {
    for (int q = 0; q < 2; ++q) {
      for (int p = 0; p < 2; ++p) {
        const Real x = b[part_of_b(p, q)];
        to[2 * q + p] = negates(p, q, conjugates_a, conjugates_b) ? -x : x;
      }
    }
  }
};

/// Deposits a b in the sums of real and imaginary parts; a[0] and b[0] are the real parts.
template <class Sum, class Real>
ACC_FUNCTION void add_complex_product(Sum& re, Sum& im, const Real (&a)[2], const Real (&b)[2]) {
  re.add_product(a[0], complex_product::factor<0, 0>(b));
  re.add_product(a[1], complex_product::factor<0, 1>(b));
  im.add_product(a[0], complex_product::factor<1, 0>(b));
  im.add_product(a[1], complex_product::factor<1, 1>(b));
}

}  // namespace acc::impl

#endif
