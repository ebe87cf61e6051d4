// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_ORDER_FREE_BLOCK_HPP
#define ACC_BACKENDS_HOST_ORDER_FREE_BLOCK_HPP

/// \file
/// Blocks of numbers on their way into an order-free sum, whatever the method.

#include <acc/backends/host/window.hpp>
#include <acc/core/order_free.hpp>

#include <bit>

namespace acc::backends {

/// The kernel's terms that serve a reduction's terms.
template <class Terms>
struct window_terms {
  using type = Terms;
};
template <>
struct window_terms<impl::sum_terms<2>> {
  using type = impl::sum_terms<1>;
};
template <>
struct window_terms<impl::square_terms> {
  using type = impl::product_terms;
};
template <bool Conjugate>
struct window_terms<impl::complex_product_terms<Conjugate>> {
  using type = host::cross_terms;
};

/// Which result the kernel's sum s of lanes of a parity belongs to, and whether it is subtracted.
template <class Terms>
struct window_part {
  static int result(int s, int parity) {
    return Terms::results == 1 ? 0 : Terms::sums == 1 ? parity : s;
  }
  static bool negated(int, int) { return false; }
};
template <bool Conjugate>
struct window_part<impl::complex_product_terms<Conjugate>> {
  static int result(int s, int) { return s; }
  static bool negated(int s, int parity) { return parity == 1 && s == int(Conjugate); }
};

/// A block of contiguous numbers: a multiple of host::window_step of them.
template <class T>
struct order_free_block {
  const T *x, *y;
  int size;

  /// Deposits it number by number in `parts`, of any type with add and add_product.
  template <class Terms, class Acc>
  void deposit(Acc* parts) const {
    for (int k = 0; k < size; ++k) {
      const int lane = k & 1;
      const T neighbour = Terms::sums == 2 ? y[k ^ 1] : y[k];
      const int first = Terms::sums == 1 && Terms::results == 2 ? lane : 0;
      Terms::deposit(parts + first, x[k], y[k], neighbour, lane);
    }
  }
};

/// 2^exponent * 1.5 * 2^52, which is a normal number.
inline double window_magic(int exponent) {
  return std::bit_cast<double>(std::uint64_t(exponent + 52 + 1023) << 52 | std::uint64_t(1) << 51);
}
/// The least e with |x| < 2^e for the number of these bits.
inline int window_exponent(std::uint64_t bits) {
  return bits >> 52 == 0 ? -1022 : int(bits >> 52) - 1022;
}

/// Looks at zeros: their signs, and products of nonzero numbers that underflow.
struct zero_scan {
  bool minus = false, plus = false, underflow = false;
  template <class T>
  void add(T x) {
    const bool negative = impl::ieee<T>::is_negative(x);
    minus |= negative;
    plus |= !negative;
  }
  template <class T>
  void add_product(T x, T y) {
    const double p = double(x) * double(y);
    underflow |= p == 0 && x != T(0) && y != T(0);
    add(p);
  }
  element_kinds kinds() const {
    return {(minus ? element_kinds::minus_zero : 0) | (plus ? element_kinds::plus_zero : 0)};
  }
};

/// Tells the sums which zeros the block has, where that may still matter.
template <class R>
void deposit_zeros(typename R::total& sum, const order_free_block<typename R::scalar>& b) {
  using terms = typename R::terms;
  bool matters = false;
  for (const auto& part : sum.part) matters |= (part.kinds().bits & element_kinds::nonzero) == 0;
  if (!matters) return;
  zero_scan scan[terms::results];
  b.template deposit<terms>(scan);
  for (int i = 0; i < terms::results; ++i) sum.part[i].add_kinds(scan[i].kinds());
}

/// Whether a term was infinite or NaN.
inline bool has_infinite(const host::window_totals& totals, int sums) {
  for (int s = 0; s < sums; ++s)
    for (int parity = 0; parity < 2; ++parity)
      if (window_exponent(totals.max[s][parity]) > 1024) return true;
  return false;
}

/// A block without its infinities and NaN, which are deposited, with what they meet, one by one.
template <class R>
struct finite_block {
  using terms = typename R::terms;
  using scalar = typename R::scalar;
  alignas(64) scalar x[host::window_block], y[host::window_block];

  /// Whether there were any.
  bool take(typename R::total& sum, const order_free_block<scalar>& b) {
    bool found = false;
    const auto is_finite = [&](int k) {
      return impl::is_finite(b.x[k]) && impl::is_finite(b.y[k]);
    };
    for (int k = 0; k < b.size; ++k) {
      const bool finite = is_finite(k) && (terms::sums == 1 || impl::is_finite(b.y[k ^ 1]));
      // A factor 0 rather than a pair of numbers: y may belong to the neighbour too.
      x[k] = finite ? b.x[k] : scalar(0);
      y[k] = impl::is_finite(b.y[k]) ? b.y[k] : scalar(0);
      if (finite) continue;
      found = true;
      const int first = terms::sums == 1 && terms::results == 2 ? k & 1 : 0;
      terms::deposit(sum.part + first, b.x[k], b.y[k], b.y[terms::sums == 2 ? k ^ 1 : k], k & 1);
    }
    return found;
  }
  order_free_block<scalar> block(const order_free_block<scalar>& b) const {
    return {x, b.y == b.x ? x : y, b.size};
  }
};

/// How blocks enter a sum of the method, with what is worth remembering from block to block.
template <class R, class Accumulator>
class block_depositor;

}  // namespace acc::backends

#endif
