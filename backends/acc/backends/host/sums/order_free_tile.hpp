// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SUMS_ORDER_FREE_TILE_HPP
#define ACC_BACKENDS_HOST_SUMS_ORDER_FREE_TILE_HPP

/// \file
/// Blocks of numbers on their way into an order-free sum, whatever the method.

#include <acc/backends/host/kernels/window.hpp>
#include <acc/core/eft.hpp>
#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/exact/magic.hpp>
#include <acc/core/exact/order_free.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/terms.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

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
  static bool negated(int s, int parity) {
    return impl::complex_product::negates(s, parity, Conjugate);
  }
};

/// A block of contiguous numbers: a multiple of host::window_step of them.
template <class T>
struct order_free_block {
  const T *x, *y;
  int size;

  /// Deposits it number by number in `parts`, of any type with add and add_product.
  template <class Terms, class Acc>
  void deposit(Acc* parts) const {
    deposit<Terms>(parts, 0, size);
  }
  template <class Terms, class Acc>
  void deposit(Acc* parts, int begin, int end) const {
    for (int k = begin; k < end; ++k) {
      const int lane = k & 1;
      const T neighbour = Terms::sums == 2 ? y[k ^ 1] : y[k];
      const int first = Terms::sums == 1 && Terms::results == 2 ? lane : 0;
      Terms::deposit(parts + first, x[k], y[k], neighbour, lane);
    }
  }
};

/// The magic number of the unit 2^exponent.
inline double window_magic(int exponent) {
  return std::bit_cast<double>(impl::magic_number::bits(exponent));
}
/// The least e with |x| < 2^e for the number of these bits.
inline int window_exponent(std::uint64_t bits) {
  return bits >> 52 == 0 ? -1022 : int(bits >> 52) - 1022;
}

/// A look at the block's terms.
template <class R>
host::block_summary summarize(const order_free_block<typename R::scalar>& b) {
  using kernel_terms = typename window_terms<typename R::terms>::type;
  static const auto kernel = host::summary_for_this_processor<kernel_terms, typename R::scalar>();
  host::block_summary look;
  kernel(b.x, b.y, b.size, &look);
  return look;
}

/// Whether the kinds of a block's terms, apart from infinities and NaN, may still matter: until a
/// sum has had a nonzero term.
template <class R>
bool kinds_matter(const typename R::total& sum) {
  bool matter = false;
  for (const auto& part : sum.part) matter |= (part.kinds().bits & element_kinds::nonzero) == 0;
  return matter;
}
/// Tells the sums of them. Whether all terms are zeros, which need no deposit. underflows_count: a
/// product of nonzero numbers that is rounded to zero is none.
template <class R>
bool note_kinds(typename R::total& sum, const host::block_summary& look, bool underflows_count) {
  using parts = window_part<typename R::terms>;
  bool zeros = true;
  for (int s = 0; s < window_terms<typename R::terms>::type::sums; ++s) {
    for (int parity = 0; parity < 2; ++parity) {
      const std::uint64_t any = look.any[s][parity], sign = std::uint64_t(1) << 63;
      const bool nonzero =
          (any & ~sign) != 0 || (underflows_count && look.underflow[s][parity] != 0);
      element_kinds kinds{element_kinds::nonzero};
      if (!nonzero)
        kinds = {(any != 0 ? element_kinds::minus_zero : 0) |
                 (look.all[s][parity] == 0 ? element_kinds::plus_zero : 0)};
      sum.part[parts::result(s, parity)].add_kinds(parts::negated(s, parity) ? kinds.negated()
                                                                             : kinds);
      zeros &= !nonzero;
    }
  }
  return zeros;
}

/// Deposits terms of finite numbers alone, or (Finite = false) the others alone.
template <class Sum, bool Finite>
struct only_terms {
  Sum* sum;
  template <class T>
  void add(T x) {
    if (impl::is_finite(x) == Finite) sum->add(x);
  }
  template <class T>
  void add_product(T x, T y) {
    if ((impl::is_finite(x) && impl::is_finite(y)) == Finite) sum->add_product(x, y);
  }
};
/// Whether a step's numbers are finite: the greatest exponent field, and 1, carry into the sign.
template <class T>
bool all_finite(const T* x) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr bits one = bits(1) << (impl::ieee<T>::digits - 1), sign = bits(1)
                                                                      << (8 * sizeof(T) - 1);
  bits carries = 0;
  for (int i = 0; i < host::window_step; ++i) carries |= (std::bit_cast<bits>(x[i]) & ~sign) + one;
  return (carries & sign) == 0;
}
template <class R, bool Finite>
void deposit_only(typename R::total& sum, const order_free_block<typename R::scalar>& b) {
  only_terms<typename R::accumulator, Finite> terms[R::terms::results];
  for (int i = 0; i < R::terms::results; ++i) terms[i].sum = &sum.part[i];
  for (int k = 0; k < b.size; k += host::window_step) {
    // Few steps of a block have an infinity, so a quick look comes first.
    const bool finite = all_finite(b.x + k) && (b.x == b.y || all_finite(b.y + k));
    if (Finite || !finite) b.template deposit<typename R::terms>(terms, k, k + host::window_step);
  }
}

/// A block's finite numbers, scaled, and zeros for the others.
template <class T>
struct finite_block {
  alignas(64) T x[host::window_block], y[host::window_block];

  order_free_block<T> of(const order_free_block<T>& b, T factor) {
    copy(x, b.x, b.size, factor);
    if (b.y == b.x) return {x, x, b.size};
    copy(y, b.y, b.size, factor);
    return {x, y, b.size};
  }

 private:
  static void copy(T* to, const T* from, int n, T factor) {
    for (int k = 0; k < n; ++k)
      to[k] = from[k] - from[k] == T(0) ? impl::mul(from[k], factor) : T(0);
  }
};

/// How blocks enter a sum of the method, with what is worth remembering from block to block.
template <class R, class Accumulator>
class block_depositor;

}  // namespace acc::backends::host

#endif
