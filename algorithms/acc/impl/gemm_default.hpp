// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_GEMM_DEFAULT_HPP
#define ACC_IMPL_GEMM_DEFAULT_HPP

/// \file
/// Which method a matrix product takes when the caller names none.

#include <acc/core/gemm_method.hpp>
#include <acc/core/scalar_traits.hpp>

namespace acc {

namespace impl {

/// What sums half precision must be widened. Otherwise seeded strips: at 256 products a strip their
/// additions are a hundredth of the work (docs/performance.md), and the error is a tenth of plain's
/// and less.
template <class T, class Exec>
constexpr auto default_gemm_method() {
  if constexpr (is_half_scalar<T>) {
    return widened{};
  } else {
    return selective<seeded>{.strip = 256};
  }
}
template <class T, class Exec>
using gemm_default_t = decltype(default_gemm_method<T, Exec>());

}  // namespace impl

/// The method of acc::gemm, gemv and batched_gemm for elements of type T on Exec where the caller
/// names none: the most accurate that is not slower than plain there. May differ between execution
/// spaces, and change between versions of acc.
template <class T, class Exec>
inline constexpr impl::gemm_default_t<T, Exec> gemm_default = impl::default_gemm_method<T, Exec>();

}  // namespace acc

#endif
