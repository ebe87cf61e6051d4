// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_GEMM_METHOD_HPP
#define ACC_CORE_GEMM_METHOD_HPP

/// \file
/// The methods of matrix products, as tags; strip_sum.hpp has their arithmetic.

#include <acc/core/method.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace acc {

/// Products in a section. A matrix product's k is cut into sections, at multiples of this number;
/// each is summed by itself, and their sums are added in ascending order (docs/arithmetic.md,
/// C2). So a product can be divided by k, and its result does not depend on whether it is.
inline constexpr std::int64_t gemm_section = 2048;

/// Strips of `strip` products, each an FMA chain of its own, added by ordinary additions
/// ("postload": Badin, D'Alberto, Bic, Dillencourt, Nicolau 2013, equation 3.4).
struct blocked {
  std::int64_t strip = 64;
};

/// Kahan's compensated summation of the strips (Kahan 1965).
struct kahan {};
/// Priest's doubly compensated summation of the strips, ordered by magnitude (Priest 1992).
struct priest {};
/// The next strip's chain starts from the rounding error of this strip's addition: three additions
/// and one number per entry (Kahan's: four and two), as accurate.
struct seeded {};

/// Strips of `strip` products, each an FMA chain, added with the compensation C: kahan, priest or
/// seeded (Badin, Bic, Dillencourt, Nicolau 2011). strip = 1 compensates every product.
template <class C>
struct selective {
  static_assert(std::is_same_v<C, kahan> || std::is_same_v<C, priest> || std::is_same_v<C, seeded>,
                "acc::selective<C>: C must be acc::kahan, acc::priest or acc::seeded");
  std::int64_t strip = 256;
};

/// Exact sums of numbers that are cut: each row of op(A), and each column of op(B), is rounded to
/// `bits` binary digits of its largest number, and nothing else is rounded except the result, once.
/// So the order of k does not count, nor what other rows and columns hold, and the price hardly
/// depends on the numbers (Ozaki, Ogita, Oishi, Rump 2012; Ozaki, Uchino, Imamura 2025).
/// docs/arithmetic.md, "Fixed point".
struct fixed_point {
  static constexpr int min_bits = 8, max_bits = 64;
  int bits;
};

namespace impl {

template <class Method>
inline constexpr bool is_selective = false;
template <class C>
inline constexpr bool is_selective<selective<C>> = true;

template <class Method>
inline constexpr bool has_strips = std::is_same_v<Method, blocked> || is_selective<Method>;

/// Products in a strip. Strips start anew with each section, so none is longer; a method without
/// strips has one per section.
template <class Method>
constexpr std::int64_t strip_of(const Method& method) {
  if constexpr (has_strips<Method>) {
    return method.strip < gemm_section ? method.strip : gemm_section;
  } else {
    return gemm_section;
  }
}

/// Whether numbers are cut before they are multiplied.
template <class Method>
inline constexpr bool cuts_numbers = std::is_same_v<Method, fixed_point>;
/// Whether sums are exact, whatever the numbers are that are multiplied.
template <class Method>
inline constexpr bool sums_exactly = std::is_same_v<Method, exact> || cuts_numbers<Method>;

/// The real type in which a method sums products of real numbers of type T; where sums are exact,
/// that of alpha and beta.
template <class Method, class T>
using gemm_real_t =
    std::conditional_t<std::is_same_v<Method, widened> || sums_exactly<Method>, double, T>;

}  // namespace impl

/// A method of acc::gemm.
template <class Method>
concept gemm_method =
    std::same_as<Method, plain> || std::same_as<Method, compensated> ||
    std::same_as<Method, widened> || impl::sums_exactly<Method> || impl::has_strips<Method>;

}  // namespace acc

#endif
