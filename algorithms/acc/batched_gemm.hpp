// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_BATCHED_GEMM_HPP
#define ACC_BATCHED_GEMM_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/gemm.hpp>

namespace acc {

namespace impl {

inline constexpr gemm_names names_of_batched_gemm{
    "acc::batched_gemm", "A", "B", "C", "op(A)", "op(B)", "transA", "transB"};

}  // namespace impl

/// C_i = alpha op(A_i) op(B_i) + beta C_i for a batch of matrices, in one launch: each has the bits
/// of acc::gemm. Methods, errors and bounds as there.
///
/// \param A, B, C  rank-3 Views of the same number of matrices: the first index counts matrices,
///                 the others are row and column
///
/// \throws std::invalid_argument as acc::gemm, and if the numbers of matrices differ
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view B, kokkos_view C,
          gemm_method Method = impl::gemm_default_t<typename A::non_const_value_type>>
void batched_gemm(const Exec& exec, const char* transA, const char* transB,
                  impl::coefficient_t<C> alpha, const A& a, const B& b, impl::coefficient_t<C> beta,
                  const C& c,
                  const Method& method = gemm_default<typename A::non_const_value_type>) {
  ACC_CHECK_GEMM("acc::batched_gemm", 3, Method, Exec, A, B, C);
  impl::run_gemm(exec, "acc::batched_gemm",
                 impl::make_gemm_problem(impl::names_of_batched_gemm, transA, transB, alpha, a, b,
                                         beta, c, method));
}

/// On the default instance of C's execution space.
template <kokkos_view A, kokkos_view B, kokkos_view C,
          gemm_method Method = impl::gemm_default_t<typename A::non_const_value_type>>
void batched_gemm(const char* transA, const char* transB, impl::coefficient_t<C> alpha, const A& a,
                  const B& b, impl::coefficient_t<C> beta, const C& c,
                  const Method& method = gemm_default<typename A::non_const_value_type>) {
  batched_gemm(typename C::execution_space{}, transA, transB, alpha, a, b, beta, c, method);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(
    batched_gemm, gemm_method, "(exec,) transA, transB, alpha, A, B, beta, C (, method)",
    "plain, blocked, selective<C>, widened, compensated, exact or fixed_point", "ssnvvnv", "m")

}  // namespace acc

#endif
