// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_GEMV_HPP
#define ACC_GEMV_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/impl/gemm.hpp>

namespace acc {

namespace impl {

#define ACC_CHECK_GEMV(function, Method, Exec, A, X, Y) \
  ACC_CHECK_OPERAND(function, "A", 2, Exec, A);         \
  ACC_CHECK_OPERAND(function, "x", 1, Exec, X);         \
  ACC_CHECK_OPERAND(function, "y", 1, Exec, Y);         \
  ACC_CHECK_GEMM_TYPES(function, Method, A, X, Y, "A", "x", "y")

inline constexpr gemm_names names_of_gemv{"acc::gemv", "A", "x",     "y",
                                          "op(A)",     "x", "trans", "trans"};

}  // namespace impl

/// y = alpha op(A) x + beta y, as KokkosBlas::gemv: the bits of acc::gemm with x and y as matrices
/// of one column. Methods, errors and bounds as there.
///
/// \param exec   execution space instance; the call is asynchronous if the instance is
/// \param trans  "N", "T" (transposed) or "C" (conjugate transposed), in upper or lower case; the
/// first
///               character alone counts
/// \param A, x, y  a rank-2 View and two rank-1 Views with op(A) m x k, x of k and y of m elements;
///               y overlaps neither A nor x
/// \param alpha, beta  of y's type; beta = 0 does not read y
///
/// \throws std::invalid_argument as acc::gemm
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view X, kokkos_view Y,
          gemm_method Method = impl::gemm_default_t<typename A::non_const_value_type>>
void gemv(const Exec& exec, const char* trans, impl::coefficient_t<Y> alpha, const A& a, const X& x,
          impl::coefficient_t<Y> beta, const Y& y,
          const Method& method = gemm_default<typename A::non_const_value_type>) {
  ACC_CHECK_GEMV("acc::gemv", Method, Exec, A, X, Y);
  impl::run_gemv(
      exec, "acc::gemv",
      impl::make_gemm_problem(impl::names_of_gemv, trans, "N", alpha, a, x, beta, y, method));
}

/// On the default instance of y's execution space.
template <kokkos_view A, kokkos_view X, kokkos_view Y,
          gemm_method Method = impl::gemm_default_t<typename A::non_const_value_type>>
void gemv(const char* trans, impl::coefficient_t<Y> alpha, const A& a, const X& x,
          impl::coefficient_t<Y> beta, const Y& y,
          const Method& method = gemm_default<typename A::non_const_value_type>) {
  gemv(typename Y::execution_space{}, trans, alpha, a, x, beta, y, method);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(
    gemv, gemm_method, "(exec,) trans, alpha, A, x, beta, y (, method)",
    "plain, blocked, selective<C>, widened, compensated, exact or fixed_point", "snvvnv", "m")

}  // namespace acc

#endif
