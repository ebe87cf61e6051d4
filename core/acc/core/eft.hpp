// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_EFT_HPP
#define ACC_CORE_EFT_HPP

/// \file
/// Error-free transformations: sums and products with their rounding errors.
///
/// This is the one place that knows how to keep a compiler from fusing or reordering. A C++
/// compiler may contract a * b + c into an FMA across statements (GCC's default, nvcc's
/// --fmad=true, hipcc's -ffp-contract=fast-honor-pragmas, Clang with -ffp-contract=fast), also when
/// the product was formed by the caller of an inlined function. In an error-free transformation
/// that is fatal: the sum would be the sum of another number than the one whose error is computed.
/// So every operand that comes from outside and every product passes `rounded`, which hides from
/// the optimiser where the value came from; on CUDA the operations are the intrinsics that are
/// never fused. HIP has intrinsics of the same names, which are plain operators. There is a pragma,
/// too, which -ffp-contract=fast ignores.

#include <acc/core/config.hpp>  // IWYU pragma: keep
#include <acc/core/numbers/macros.hpp>

#include <cmath>
#include <type_traits>

/// Whether a compiler could fuse a product with the operations below: the target has an instruction
/// for it, and they are no intrinsics. For HIP's devices Clang defines the host's macros, too.
#if defined(__CUDA_ARCH__)
#define ACC_MAY_CONTRACT 0
#elif defined(__HIP_DEVICE_COMPILE__) || defined(__FMA__) || defined(__FMA4__) || \
    !(defined(__x86_64__) || defined(__i386__))
#define ACC_MAY_CONTRACT 1
#else
#define ACC_MAY_CONTRACT 0
#endif

namespace acc {

/// An operation's rounded value and the error of the rounding: value + error is exact.
template <class T>
struct sum_and_error {
  T value;
  T error;
};

/// An FMA's rounded value and its error, which takes two numbers.
template <class T>
struct fma_and_errors {
  T value;
  T error;
  T error2;
};

namespace impl {

/// x itself, of which the optimiser no longer knows that it may be a product.
template <class T>
  requires std::is_floating_point_v<T>
ACC_FUNCTION T rounded(T x) {
#if ACC_MAY_CONTRACT && defined(__GNUC__)
#if defined(__HIP_DEVICE_COMPILE__) || defined(__AVX512F__)  // a vector register of either
  __asm__("" : "+v"(x));
#elif defined(__x86_64__)
  __asm__("" : "+x"(x));
#elif defined(__aarch64__)
  __asm__("" : "+w"(x));
#else
  __asm__("" : "+m"(x));
#endif
#elif ACC_MAY_CONTRACT
  volatile T hidden = x;
  x = hidden;
#endif
  return x;
}

/// a + b, rounded once, whatever the flags.
template <class T>
ACC_FUNCTION T add(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, double>) return __dadd_rn(a, b);
  if constexpr (std::is_same_v<T, float>) return __fadd_rn(a, b);
#endif
  return a + b;
}

/// a - b, rounded once.
template <class T>
ACC_FUNCTION T sub(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, double>) return __dsub_rn(a, b);
  if constexpr (std::is_same_v<T, float>) return __fsub_rn(a, b);
#endif
  return a - b;
}

/// a * b, rounded once and never part of an FMA.
template <class T>
ACC_FUNCTION T mul(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, double>) return __dmul_rn(a, b);
  if constexpr (std::is_same_v<T, float>) return __fmul_rn(a, b);
#endif
  return rounded(a * b);
}

/// a * b + c, rounded once. Without FMA hardware the C library's correct, slow one.
template <class T>
  requires std::is_floating_point_v<T>
ACC_FUNCTION T fma(T a, T b, T c) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, double>) return __fma_rn(a, b, c);
  if constexpr (std::is_same_v<T, float>) return __fmaf_rn(a, b, c);
#endif
  return std::fma(a, b, c);
}

/// sqrt(a), correctly rounded also where a compiler may replace it by an approximation.
template <class T>
ACC_FUNCTION T sqrt(T a) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, double>) return __dsqrt_rn(a);
  if constexpr (std::is_same_v<T, float>) return __fsqrt_rn(a);
#endif
  return std::sqrt(a);
}

/// a / b, correctly rounded.
template <class T>
ACC_FUNCTION T div(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, double>) return __ddiv_rn(a, b);
  if constexpr (std::is_same_v<T, float>) return __fdiv_rn(a, b);
#endif
  return a / b;
}

/// two_sum of operands that are known not to be products of the caller.
template <class T>
ACC_FUNCTION sum_and_error<T> two_sum_of_rounded(T a, T b) {
  const T s = add(a, b);
  const T b_in_s = sub(s, a);
  const T a_in_s = sub(s, b_in_s);
  return {s, add(sub(a, a_in_s), sub(b, b_in_s))};
}

/// fast_two_sum of operands that are known not to be products of the caller.
template <class T>
ACC_FUNCTION sum_and_error<T> fast_two_sum_of_rounded(T a, T b) {
  const T s = add(a, b);
  return {s, sub(b, sub(s, a))};
}

/// Veltkamp's splitting of a: high and low halves that have at most p/2 bits each.
/// Exact for |a| < 2^(emax - p/2): beyond, the product with the splitter overflows.
template <class T>
ACC_FUNCTION sum_and_error<T> split(T a) {
  constexpr T splitter = std::is_same_v<T, float> ? T(4097) : T(134217729);  // 2^ceil(p/2) + 1
  const T c = mul(splitter, a);
  const T high = sub(c, sub(c, a));
  return {high, sub(a, high)};
}

}  // namespace impl

/// a + b = value + error, value the rounded sum. 6 operations, no branch.
///
/// Exact for all finite a and b whose rounded sum is finite, subnormal numbers included; the only
/// exception is an overflow inside when |a| or |b| is within a rounding of the largest number
/// (Boldo, Graillat, Muller 2017): then error is NaN or infinite, never silently wrong.
/// With an infinity or NaN in value, error is NaN. Source: Knuth, TAOCP 2, 4.2.2, theorem B.
template <class T>
ACC_FUNCTION sum_and_error<T> two_sum(T a, T b) {
  using impl::rounded;
  return impl::two_sum_of_rounded(rounded(a), rounded(b));
}

/// a + b = value + error where |a| >= |b|, or a = 0, or a is a multiple of b's unit in the last
/// place. 3 operations. For other a and b, value is still the rounded sum and value + error differs
/// from a + b by a rounding of error. Source: Dekker 1971.
template <class T>
ACC_FUNCTION sum_and_error<T> fast_two_sum(T a, T b) {
  using impl::rounded;
  return impl::fast_two_sum_of_rounded(rounded(a), rounded(b));
}

/// a * b = value + error by a multiplication and an FMA (2ProdFMA).
///
/// Exact where value is finite and the product's last bit is representable: the exponents satisfy
/// e_a + e_b >= emin + p - 1, i.e. |a b| >= 2^-968 (double) or 2^-101 (float) suffices, or a b = 0.
/// Below, error is the exact error rounded to the subnormal grid: off by at most 2^-1075 (2^-150).
/// On overflow value is infinite and error is infinite or NaN.
template <class T>
ACC_FUNCTION sum_and_error<T> two_prod(T a, T b) {
  using impl::fma;
  using impl::rounded;
  a = rounded(a);
  b = rounded(b);
  const T p = impl::mul(a, b);
  return {p, fma(a, b, T(-p))};
}

/// a * b = value + error in 17 operations without FMA: the reference for two_prod.
///
/// As two_prod, and besides |a|, |b| < 2^996 (double), 2^115 (float), where the splitting does not
/// overflow; outside that range error is NaN or infinite. Source: Dekker 1971, Veltkamp's
/// splitting.
template <class T>
ACC_FUNCTION sum_and_error<T> two_prod_dekker(T a, T b) {
  using impl::mul;
  using impl::rounded;
  using impl::sub;
  a = rounded(a);
  b = rounded(b);
  const T p = mul(a, b);
  const auto [a1, a2] = impl::split(a);
  const auto [b1, b2] = impl::split(b);
  const T rest = sub(sub(sub(p, mul(a1, b1)), mul(a2, b1)), mul(a1, b2));
  return {p, sub(mul(a2, b2), rest)};
}

/// a * b + c = value + error + error2, value the FMA (3FMA, ErrFmaNearest). error is the rounded
/// error, |error2| <= ulp(error) / 2.
///
/// Exact where nothing underflows or overflows inside: neither two_prod(a, b) (see there) nor the
/// sums. Source: Boldo and Muller 2005, "Some functions computable with a fused-mac", algorithm 5.
template <class T>
ACC_FUNCTION fma_and_errors<T> err_fma(T a, T b, T c) {
  using impl::fma;
  using impl::rounded;
  a = rounded(a);
  b = rounded(b);
  c = rounded(c);
  const T value = fma(a, b, c);
  const auto product = two_prod(a, b);
  using impl::two_sum_of_rounded;
  const auto low = two_sum_of_rounded(c, product.error);
  const auto high = two_sum_of_rounded(product.value, low.value);
  const T gamma = impl::add(impl::sub(high.value, value), high.error);
  const auto errors = impl::fast_two_sum_of_rounded(gamma, low.error);
  return {value, errors.value, errors.error};
}

}  // namespace acc

#endif
