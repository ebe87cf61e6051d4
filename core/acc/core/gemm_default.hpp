// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_GEMM_DEFAULT_HPP
#define ACC_CORE_GEMM_DEFAULT_HPP

/// \file
/// Which method a matrix product takes where the caller names none. It decides bits, so it is the
/// same on every execution space.

#include <acc/core/gemm_method.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

namespace acc {

namespace impl {

template <class T>
constexpr auto default_gemm_method() {
  if constexpr (is_half_scalar<T>)
    return widened{};  // of the methods with an order there is no other
  else
    return selective<seeded>{.strip = 256};
}
template <class T>
using gemm_default_t = decltype(default_gemm_method<T>());

}  // namespace impl

/// The method of acc::gemm, gemv, batched_gemm and ngemm's base products for elements of type T
/// where the caller names none: selective<seeded>{.strip = 256}, of half precision widened. Its
/// error is a third to a seventh of plain's from some thousand products on, at nearly its speed on
/// hosts. docs/methods.md says what plain and widened gain on a GPU.
template <class T>
inline constexpr impl::gemm_default_t<T> gemm_default = impl::default_gemm_method<T>();

}  // namespace acc

#endif
