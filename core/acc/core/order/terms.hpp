// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_TERMS_HPP
#define ACC_CORE_ORDER_TERMS_HPP

/// \file
/// What one element deposits, operation by operation.
///
/// A complex vector is read as its real and imaginary parts in turn, so its even lanes hold real
/// parts and its odd lanes imaginary ones. `deposit` takes one lane's accumulators, the lane's
/// numbers x and y, and the number of y in the neighbouring lane of the pair; Lane is int (a scalar
/// lane, odd or even) or a simd's tag (host kernels: all lanes of a vector register at once).
///  - inputs: vectors read;  - sums: accumulators per lane;
///  - results: numbers that the leaf's tree leaves over (a complex result has two).

#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/macros.hpp>

#include <cmath>
#include <type_traits>

namespace acc::impl {

/// What a sum has to be guarded against, where its method promises more than IEEE (guarded.hpp).
enum class guard { none, sums, products, squares };

/// x with the sign of odd lanes changed.
template <class T>
ACC_FUNCTION T negate_odd(T x, int lane) {
  return (lane & 1) ? -x : x;
}

/// |x|, keeping no sign of NaN.
template <class T>
  requires std::is_floating_point_v<T>
ACC_FUNCTION T magnitude(T x) {
  return std::fabs(x);
}

/// sum of a real (Components = 1) or complex (2) vector.
template <int Components>
struct sum_terms {
  static constexpr int inputs = 1, sums = 1, results = Components;
  static constexpr guard guarded = guard::sums;
  ACC_NO_EXECUTION_CHECK
  template <class Acc, class T, class Lane>
  ACC_FUNCTION static void deposit(Acc* a, T x, T, T, Lane) {
    a[0].add(x);
  }
};

/// sum of |x_i|; of |re| + |im| for complex elements.
struct magnitude_terms {
  static constexpr int inputs = 1, sums = 1, results = 1;
  static constexpr guard guarded = guard::sums;
  ACC_NO_EXECUTION_CHECK
  template <class Acc, class T, class Lane>
  ACC_FUNCTION static void deposit(Acc* a, T x, T, T, Lane) {
    a[0].add(magnitude(x));
  }
};

/// sum of x_i^2; of re^2 + im^2 for complex elements.
struct square_terms {
  static constexpr int inputs = 1, sums = 1, results = 1;
  static constexpr guard guarded = guard::squares;
  ACC_NO_EXECUTION_CHECK
  template <class Acc, class T, class Lane>
  ACC_FUNCTION static void deposit(Acc* a, T x, T, T, Lane) {
    a[0].add_product(x, x);
  }
};

/// sum of x_i y_i of real vectors.
struct product_terms {
  static constexpr int inputs = 2, sums = 1, results = 1;
  static constexpr guard guarded = guard::products;
  ACC_NO_EXECUTION_CHECK
  template <class Acc, class T, class Lane>
  ACC_FUNCTION static void deposit(Acc* a, T x, T y, T, Lane) {
    a[0].add_product(x, y);
  }
};

/// sum of conj(x_i) y_i (Conjugate) or x_i y_i of complex vectors: real part in a[0], imaginary
/// part in a[1]. Even lane: x = Re x_i, y = Re y_i; odd lane: x = Im x_i, y = Im y_i. So a lane
/// deposits one real product of each part (complex_product): that of its own part of x_i.
template <bool Conjugate>
struct complex_product_terms {
  static constexpr int inputs = 2, sums = 2, results = 2;
  static constexpr guard guarded = guard::products;
  ACC_NO_EXECUTION_CHECK
  template <class Acc, class T, class Lane>
  ACC_FUNCTION static void deposit(Acc* a, T x, T y, T y_neighbour, Lane lane) {
    a[0].add_product(x, factor<0>(y, y_neighbour, lane));
    a[1].add_product(x, factor<1>(y, y_neighbour, lane));
  }
  /// Whether the numbers that complete a stripe deposit a +0 in this part, not -0 alone.
  static constexpr bool pads_with_plus_zero(int part) {
    return complex_product::negates(part, 1, Conjugate);
  }

 private:
  template <int P, class T, class Lane>
  ACC_FUNCTION static T factor(T y, T y_neighbour, Lane lane) {
    using product = complex_product;
    static_assert(!product::negates(P, 0, Conjugate), "even lanes keep the sign");
    const T b = product::part_of_b(P, 0) == 0 ? y : y_neighbour;
    if constexpr (product::negates(P, 1, Conjugate)) {
      return negate_odd(b, lane);
    } else {
      return b;
    }
  }
};

/// The numbers that complete the last stripe of a vector: -0 times +0, which change no sum. (Where
/// a complex dot changes y's sign, the product is +0: it changes a sum of -0 alone, to +0.)
template <class T>
struct padding {
  static constexpr T x = T(-0.0), y = T(0.0);
};

}  // namespace acc::impl

#endif
