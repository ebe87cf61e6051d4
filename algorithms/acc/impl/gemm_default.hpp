// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_GEMM_DEFAULT_HPP
#define ACC_IMPL_GEMM_DEFAULT_HPP

/// \file
/// Which method a matrix product takes when the caller names none.

#include <acc/backends/dispatch.hpp>

namespace acc {

namespace impl {

template <class T, class Exec>
using gemm_default_t = decltype(backends::machine_of<Exec>::template default_gemm_method<T>());

}  // namespace impl

/// The method of acc::gemm, gemv and batched_gemm for elements of type T on Exec where the caller
/// names none: the most accurate that is not slower than plain there. May differ between execution
/// spaces, and change between versions of acc.
template <class T, class Exec>
inline constexpr impl::gemm_default_t<T, Exec> gemm_default =
    backends::machine_of<Exec>::template default_gemm_method<T>();

}  // namespace acc

#endif
