// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SUMS_ORDER_FREE_TILE_HPP
#define ACC_BACKENDS_HOST_SUMS_ORDER_FREE_TILE_HPP

/// \file
/// A tile of an order-free sum, and what the methods share that sum it: the kernels' terms, its
/// summary, and deposits number by number.

#include <acc/backends/host/kernels/sums.hpp>
#include <acc/core/eft.hpp>
#include <acc/core/exact/magic.hpp>
#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/order_free.hpp>
#include <acc/core/order/terms.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

/// The kernel's terms that serve a reduction's terms.
template <class Terms>
struct kernel_terms_of {
  using type = Terms;
};
template <>
struct kernel_terms_of<impl::sum_terms<2>> {
  using type = impl::sum_terms<1>;
};
template <>
struct kernel_terms_of<impl::square_terms> {
  using type = impl::product_terms;
};
template <bool Conjugate>
struct kernel_terms_of<impl::complex_product_terms<Conjugate>> {
  using type = cross_terms;
};

/// Which result the kernel's sum s over lanes of a parity belongs to, and whether it is subtracted.
template <class Terms>
struct kernel_sum {
  static int result(int s, int parity) {
    return Terms::results == 1 ? 0 : Terms::sums == 1 ? parity : s;
  }
  static bool negated(int, int) { return false; }
};
template <bool Conjugate>
struct kernel_sum<impl::complex_product_terms<Conjugate>> {
  static int result(int s, int) { return s; }
  static bool negated(int s, int parity) {
    return impl::complex_product::negates(s, parity, Conjugate);
  }
};

/// Contiguous numbers: a multiple of tile_step of them, at most tile_numbers. (Where the terms have
/// one input, y is x.)
template <class T>
struct order_free_tile {
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
      const T neighbor = Terms::sums == 2 ? y[k ^ 1] : y[k];
      const int first = Terms::sums == 1 && Terms::results == 2 ? lane : 0;
      Terms::deposit(parts + first, x[k], y[k], neighbor, lane);
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

template <class R>
tile_summary summarize(const order_free_tile<typename R::scalar>& tile) {
  using kernel_terms = typename kernel_terms_of<typename R::terms>::type;
  static const auto kernel = summary_for_this_processor<kernel_terms, typename R::scalar>();
  tile_summary summary;
  kernel(tile.x, tile.y, tile.size, &summary);
  return summary;
}

/// Whether the kinds of a tile's terms, apart from infinities and NaN, may still matter: until a
/// sum has had a nonzero term.
template <class R>
bool kinds_matter(const typename R::total& sum) {
  bool matter = false;
  for (const auto& part : sum.part) matter |= (part.kinds().bits & element_kinds::nonzero) == 0;
  return matter;
}
/// Tells the sums of them. Returns whether all terms are zeros, which need no deposit.
/// underflows_count: a product of nonzero numbers that is rounded to zero is none.
template <class R>
bool note_kinds(typename R::total& sum, const tile_summary& summary, bool underflows_count) {
  using target = kernel_sum<typename R::terms>;
  bool zeros = true;
  for (int s = 0; s < kernel_terms_of<typename R::terms>::type::sums; ++s) {
    for (int parity = 0; parity < 2; ++parity) {
      const std::uint64_t any = summary.any[s][parity], sign = std::uint64_t(1) << 63;
      const bool nonzero =
          (any & ~sign) != 0 || (underflows_count && summary.underflow[s][parity] != 0);
      element_kinds kinds{element_kinds::nonzero};
      if (!nonzero)
        kinds = {(any != 0 ? element_kinds::minus_zero : 0) |
                 (summary.all[s][parity] == 0 ? element_kinds::plus_zero : 0)};
      sum.part[target::result(s, parity)].add_kinds(target::negated(s, parity) ? kinds.negated()
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
  for (int i = 0; i < tile_step; ++i) carries |= (std::bit_cast<bits>(x[i]) & ~sign) + one;
  return (carries & sign) == 0;
}
template <class R, bool Finite>
void deposit_only(typename R::total& sum, const order_free_tile<typename R::scalar>& tile) {
  only_terms<typename R::accumulator, Finite> terms[R::terms::results];
  for (int i = 0; i < R::terms::results; ++i) terms[i].sum = &sum.part[i];
  for (int k = 0; k < tile.size; k += tile_step) {
    // Few steps of a tile have an infinity, so a quick test comes first.
    const bool finite = all_finite(tile.x + k) && (tile.x == tile.y || all_finite(tile.y + k));
    if (Finite || !finite) tile.template deposit<typename R::terms>(terms, k, k + tile_step);
  }
}

}  // namespace acc::backends::host

#endif
