// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_METHOD_HPP
#define ACC_CORE_METHOD_HPP

/// \file
/// The methods: tags that name an arithmetic, and what each means for a real scalar.

#include <acc/core/order/certified.hpp>
#include <acc/core/double_word.hpp>
#include <acc/core/expansion.hpp>
#include <acc/core/order/plain_sum.hpp>

#include <concepts>
#include <type_traits>

namespace acc {

/// Ordinary additions; products enter by one FMA. Error bound: gamma_d * sum |x_i|, d the depth of
/// the canonical order.
struct plain {};

/// (s, r): TwoSum, and TwoProd by FMA for products; the result is s + r rounded. As accurate as a
/// sum in twice the precision, rounded once (Ogita, Rump, Oishi 2005: Sum2, Dot2).
struct compensated {};

/// Dots only: an FMA chain whose errors 3FMA gives exactly (Boldo, Muller 2005; CompDotFMA of
/// Graillat, Langlois, Louvet 2006).
struct compensated_fma {};

/// Double-word arithmetic, renormalized at each step: sums in a double_word_number (Joldes, Muller,
/// Popescu 2017; DotXBLAS of Graillat, Langlois, Louvet 2006).
struct double_word {};

/// K-fold: as if in K times the precision, rounded once (Ogita, Rump, Oishi 2005: SumK, DotK).
template <int K>
struct fold {
  static_assert(2 <= K && K <= 8, "acc::fold<K>: K must be between 2 and 8");
};

/// float, half_t or bhalf_t in, sums and products in double, one final rounding.
struct widened {};

/// The exact sum, rounded once: correctly rounded for every input (superaccumulator).
struct exact {};

/// Order-free: a sum of K bins of 40 bits below the largest element (binned<T, K>), whose bits do
/// not depend on the order of the elements either.
template <int K = 3>
struct reproducible {
  static_assert(2 <= K && K <= 8, "acc::reproducible<K>: K must be between 2 and 8");
};

namespace impl {

/// accumulator_of<Method, T>::type is what a method sums numbers of type T in; value_type is the
/// type in which an element enters.
template <class Method, class T>
struct accumulator_of;

template <class T>
struct accumulator_of<plain, T> {
  using type = plain_sum<T>;
};
template <class T>
struct accumulator_of<compensated, T> {
  using type = expansion<T, 2>;
};
template <class T>
struct accumulator_of<compensated_fma, T> {
  using type = fma_expansion<T>;
};
template <class T>
struct accumulator_of<double_word, T> {
  using type = double_word_number<T>;
};
template <int K, class T>
struct accumulator_of<fold<K>, T> {
  using type = expansion<T, K>;
};
/// What acc::sum_with_bound and acc::dot_with_bound compute by.
struct certified_method {};
template <class T>
struct accumulator_of<certified_method, T> {
  using type = certified_expansion<T>;
};
template <class T>
struct accumulator_of<widened, T> {
  using type = plain_sum<double>;
};

template <class Method>
inline constexpr bool is_fold = false;
template <int K>
inline constexpr bool is_fold<fold<K>> = true;

template <class Method>
inline constexpr bool is_reproducible = false;
template <int K>
inline constexpr bool is_reproducible<reproducible<K>> = true;

/// Whether a method's result depends on the multiset of elements alone: it needs no canonical order
/// (order_free.hpp).
template <class Method>
inline constexpr bool is_order_free = std::is_same_v<Method, exact> || is_reproducible<Method>;

/// Whether finite data must not overflow inside (docs/arithmetic.md, "Leaves that overflow").
template <class Method>
inline constexpr bool is_guarded =
    !std::is_same_v<Method, plain> && !std::is_same_v<Method, widened>;

}  // namespace impl

/// A method that this version knows.
template <class Method>
concept sum_method =
    std::same_as<Method, plain> || std::same_as<Method, compensated> ||
    std::same_as<Method, compensated_fma> || std::same_as<Method, double_word> ||
    std::same_as<Method, widened> || impl::is_fold<Method> || impl::is_order_free<Method>;

}  // namespace acc

#endif
