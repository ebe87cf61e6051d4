// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_ACCUMULATE_GEMM_HPP
#define ACC_ACCUMULATE_GEMM_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/matrix.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/method.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/impl/gemm.hpp>
#include <acc/impl/reduce.hpp>

#include <type_traits>

namespace acc {

namespace impl {
inline constexpr gemm_names names_of_accumulate_gemm{
    "acc::accumulate_gemm", "A", "B", "S", "op(A)", "op(B)", "transA", "transB"};

/// The exact sums of products of matrices of In.
template <class In>
using entry_accumulator = superaccumulator<result_t<In>>;
}  // namespace impl

/// S += op(A) op(B), and nothing is rounded: each entry of S is an exact sum. So k may be divided
/// in any way, over calls, ranks or a restart: an entry's state depends on the products alone that
/// it has had, and its value() is the correctly rounded entry of the whole product.
/// acc::mpi::all_reduce merges the sums of ranks.
///
/// \param exec    execution space instance; the call is asynchronous if the instance is
/// \param S       rank-2 View, m x n, of superaccumulator<T>, T the type of A and B (float for
///                half_t and bhalf_t), accessible from exec; it overlaps neither A nor B. A View
///                that is initialized (not WithoutInitializing) starts as empty sums. An entry
///                takes 1072 bytes per part (float 160)
/// \param transA, transB, A, B  as for acc::gemm with the method exact
///
/// \throws std::invalid_argument as acc::gemm
/// Source: docs/arithmetic.md, "Exact products" and L1 to L3.
template <kokkos_execution_space Exec, kokkos_view Sums, kokkos_view A, kokkos_view B>
void accumulate_gemm(const Exec& exec, const Sums& sums, const char* transA, const char* transB,
                     const A& a, const B& b) {
  using in = typename A::non_const_value_type;
  ACC_CHECK_OPERAND("acc::accumulate_gemm", "A", 2, Exec, A);
  ACC_CHECK_OPERAND("acc::accumulate_gemm", "B", 2, Exec, B);
  ACC_CHECK_OUTPUT("acc::accumulate_gemm", "S", 2, Exec, Sums);
  ACC_CHECK_TYPE_OR_HALF("acc::accumulate_gemm", in, "");
  static_assert(std::is_same_v<in, typename B::non_const_value_type>,
                "acc::accumulate_gemm: A and B must have the same value type");
  static_assert(std::is_same_v<typename Sums::value_type, impl::entry_accumulator<in>>,
                "acc::accumulate_gemm: S must be a View of acc::superaccumulator of A's value type "
                "(float for half_t, bhalf_t)");
  using one = impl::result_t<in>;
  impl::run_gemm(exec, "acc::accumulate_gemm",
                 impl::make_gemm_problem(impl::names_of_accumulate_gemm, transA, transB, one(1), a,
                                         b, one(1), sums, exact{}));
}

/// On the default instance of S's execution space.
template <kokkos_view Sums, kokkos_view A, kokkos_view B>
void accumulate_gemm(const Sums& sums, const char* transA, const char* transB, const A& a,
                     const B& b) {
  accumulate_gemm(typename Sums::execution_space{}, sums, transA, transB, a, b);
}

// Reject all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(accumulate_gemm, gemm_method, "(exec,) S, transA, transB, A, B",
                           "left out: it is always exact", "vssvv", "")

}  // namespace acc

#endif
