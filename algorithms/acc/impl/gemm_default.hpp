// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_GEMM_DEFAULT_HPP
#define ACC_IMPL_GEMM_DEFAULT_HPP

/// \file
/// Which method a matrix product takes when the caller names none.

#include <acc/core/gemm_method.hpp>
#include <acc/core/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace acc {

namespace impl {

#if defined(KOKKOS_ENABLE_CUDA)
template <class Exec>
inline constexpr bool is_cuda = std::is_same_v<Exec, Kokkos::Cuda>;
#else
template <class Exec>
inline constexpr bool is_cuda = false;
#endif

/// What sums half precision must be widened. As docs/performance.md has it:
///  - on hosts seeded strips of 256 are as fast as plain, and the error is a tenth of plain's and
///    less;
///  - with CUDA the tensor cores make float's widened faster than plain, and no other method of
///    double is as fast as plain.
template <class T, class Exec>
constexpr auto default_gemm_method() {
  if constexpr (is_half_scalar<T> || (is_cuda<Exec> && std::is_same_v<T, float>)) {
    return widened{};
  } else if constexpr (is_cuda<Exec> && std::is_same_v<T, double>) {
    return plain{};
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
