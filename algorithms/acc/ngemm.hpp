// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_NGEMM_HPP
#define ACC_NGEMM_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/ngemm_options.hpp>
#include <acc/gemm.hpp>
#include <acc/impl/ngemm.hpp>
#include <acc/impl/one_sign.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace acc {

namespace impl {

inline constexpr gemm_names names_of_ngemm{"acc::ngemm", "A",     "B",      "C",
                                           "op(A)",      "op(B)", "transA", "transB"};

// The compile-time rejections of ngemm; a macro for the literals in static_assert.
#define ACC_CHECK_NGEMM(function, Method, Exec, A, B, C)                                  \
  static_assert(std::is_same_v<typename C::non_const_value_type, float> ||                \
                    std::is_same_v<typename C::non_const_value_type, double>,             \
                function ": value type must be float or double");                         \
  static_assert(                                                                          \
      std::is_same_v<typename A::non_const_value_type, typename C::non_const_value_type>, \
      function ": A and C must have the same value type");                                \
  ACC_CHECK_GEMM(function, 2, typename ::acc::impl::ngemm_base<Method>::method, Exec, A, B, C)

/// The product as a plan, once every argument has passed.
template <class Method, class Exec, class A, class B, class C>
auto plan_ngemm(const Exec& exec, const char* function, const char* trans_a, const char* trans_b,
                coefficient_t<C> alpha, const A& a, const B& b, coefficient_t<C> beta, const C& c,
                const ngemm_options& options, const Method& method) {
  using base = ngemm_base<Method>;
  using in = typename A::non_const_value_type;
  gemm_names names = names_of_ngemm;
  names.function = function;
  if (options.recursion != ngemm_recursion::winograd &&
      options.recursion != ngemm_recursion::outer_product)
    reject(function, "recursion must be winograd or outer_product, but is " +
                         std::to_string(int(options.recursion)));
  if (options.cutoff < 0)
    reject(function, "cutoff must not be negative, but is " + std::to_string(options.cutoff));
  const auto p =
      make_gemm_problem(names, trans_a, trans_b, alpha, a, b, beta, c, base::method_of(method));
  return ngemm_plan<base, Exec, std::decay_t<decltype(p)>>(exec, p, options,
                                                           ngemm_cutoff<in>(options));
}

template <class Exec, class A, class B>
void check_signs(const Exec& exec, const char* function, const ngemm_options& options, const A& a,
                 const B& b) {
  if (!options.check_sign) return;
  check_one_sign(exec, function, "A", as_const(matrix_data_of(a)));
  check_one_sign(exec, function, "B", as_const(matrix_data_of(b)));
}

}  // namespace impl

/// A method of base products.
template <class Method>
concept ngemm_method = requires { typename impl::ngemm_base<Method>::method; };

/// C = alpha op(A) op(B) + beta C for matrices whose elements are of one sign and of similar size,
/// in fewer operations than acc::gemm: Winograd's variant of Strassen's algorithm forms seven
/// products of half the size at each level (Badin, D'Alberto, Bic, Dillencourt, Nicolau 2013). On
/// such input (for example uniform in [0, 1]) its errors are like those of its base products'
/// method. Entries that are much smaller than the largest lose digits and may come out negative, or
/// not zero: those of sparse or banded matrices, and small entries of matrices with mixed signs.
///
/// \param exec, transA, transB, alpha, A, B, beta, C  as acc::gemm; float or double
/// \param options  the recursion, its depth or cutoff, and whether signs are checked
/// \param method   of the base products: any of acc::gemm's, by default acc::gemm_default; or
///                 acc::kokkos_blas of <acc/ngemm_kokkos_blas.hpp>, which calls the vendor's GEMM:
///                 then the bits are the vendor's
///
/// The same bits for every execution space, thread count and layout, given method, recursion and
/// depth (docs/arithmetic.md, "Products of non-negative matrices"), the defaults included.
///
/// Rows, columns and inner dimension need not be even: gemm computes what 16 * 2^depth does not
/// divide, with gemm's accuracy. With max norms, k the inner dimension, n0 that of a base product
/// (plain or better), for alpha = 1, beta = 0, without underflow and to first order in u, for any
/// signs
///   |C - exact| <= (18^depth (n0^2 + 6 n0) - 6 k) u |A| |B|       (Higham 2002, theorem 23.3)
/// Entries that come out not finite are computed again by plain: an infinity or NaN stays in its
/// row or column, as with acc::gemm, and an overflow in the sums of quarters does not show. This
/// recomputation is slow (one entry's products, one after the other): avoid inputs with infinities
/// or NaN in many rows, and results that overflow everywhere.
///
/// \throws std::invalid_argument as acc::gemm; if cutoff < 0 or recursion is no known one; with
///         check_sign, if elements of A, or of B, have both signs: the text names the first
///         element, row by row, that follows one of the other sign. A and B are then read whatever
///         alpha is.
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view B, kokkos_view C,
          ngemm_method Method = impl::gemm_default_t<typename A::non_const_value_type>>
void ngemm(const Exec& exec, const char* transA, const char* transB, impl::coefficient_t<C> alpha,
           const A& a, const B& b, impl::coefficient_t<C> beta, const C& c,
           const ngemm_options& options = {},
           const Method& method = gemm_default<typename A::non_const_value_type>) {
  ACC_CHECK_NGEMM("acc::ngemm", Method, Exec, A, B, C);
  auto plan =
      impl::plan_ngemm(exec, "acc::ngemm", transA, transB, alpha, a, b, beta, c, options, method);
  impl::check_signs(exec, "acc::ngemm", options, a, b);
  impl::run_ngemm(exec, "acc::ngemm", plan);
}

/// The same without options.
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view B, kokkos_view C,
          ngemm_method Method>
void ngemm(const Exec& exec, const char* transA, const char* transB, impl::coefficient_t<C> alpha,
           const A& a, const B& b, impl::coefficient_t<C> beta, const C& c, const Method& method) {
  ngemm(exec, transA, transB, alpha, a, b, beta, c, ngemm_options{}, method);
}

/// The same with the caller's workspace: a rank-1 View of at least acc::ngemm_workspace(...)
/// std::byte, accessible from exec, aligned to 64, which nothing else uses until the product is
/// done.
///
/// \throws std::invalid_argument also if the workspace is too small or not aligned
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view B, kokkos_view C,
          ngemm_method Method, kokkos_view Workspace>
void ngemm(const Exec& exec, const char* transA, const char* transB, impl::coefficient_t<C> alpha,
           const A& a, const B& b, impl::coefficient_t<C> beta, const C& c,
           const ngemm_options& options, const Method& method, const Workspace& workspace) {
  ACC_CHECK_NGEMM("acc::ngemm", Method, Exec, A, B, C);
  ACC_CHECK_WORKSPACE("acc::ngemm", Exec, Workspace);
  auto plan =
      impl::plan_ngemm(exec, "acc::ngemm", transA, transB, alpha, a, b, beta, c, options, method);
  impl::check_signs(exec, "acc::ngemm", options, a, b);
  impl::run_ngemm(exec, "acc::ngemm", plan, workspace);
}

/// On the default instance of C's execution space.
template <kokkos_view A, kokkos_view B, kokkos_view C,
          ngemm_method Method = impl::gemm_default_t<typename A::non_const_value_type>>
void ngemm(const char* transA, const char* transB, impl::coefficient_t<C> alpha, const A& a,
           const B& b, impl::coefficient_t<C> beta, const C& c, const ngemm_options& options = {},
           const Method& method = gemm_default<typename A::non_const_value_type>) {
  ngemm(typename C::execution_space{}, transA, transB, alpha, a, b, beta, c, options, method);
}

/// The same without options.
template <kokkos_view A, kokkos_view B, kokkos_view C, ngemm_method Method>
void ngemm(const char* transA, const char* transB, impl::coefficient_t<C> alpha, const A& a,
           const B& b, impl::coefficient_t<C> beta, const C& c, const Method& method) {
  ngemm(typename C::execution_space{}, transA, transB, alpha, a, b, beta, c, ngemm_options{},
        method);
}

/// The bytes of workspace that acc::ngemm needs for these arguments on exec. For square matrices of
/// N^2 elements these are at most 3.7 N^2 elements, N^2 more unless alpha = 1 and beta = 0, and the
/// largest workspace of a gemm among its products. If the caller gives no workspace, acc keeps one
/// per instance: the first call that needs it allocates it, later calls reuse it.
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view B, kokkos_view C,
          ngemm_method Method = impl::gemm_default_t<typename A::non_const_value_type>>
std::size_t ngemm_workspace(const Exec& exec, const char* transA, const char* transB,
                            impl::coefficient_t<C> alpha, const A& a, const B& b,
                            impl::coefficient_t<C> beta, const C& c,
                            const ngemm_options& options = {},
                            const Method& method = gemm_default<typename A::non_const_value_type>) {
  ACC_CHECK_NGEMM("acc::ngemm_workspace", Method, Exec, A, B, C);
  return impl::plan_ngemm(exec, "acc::ngemm_workspace", transA, transB, alpha, a, b, beta, c,
                          options, method)
      .bytes();
}

/// The levels of recursion that an m x n product of elements T with inner dimension k takes with
/// these options.
template <class T>
constexpr int ngemm_depth(std::int64_t m, std::int64_t n, std::int64_t k,
                          const ngemm_options& options = {}) {
  return impl::ngemm_levels(m, n, k, options, impl::ngemm_cutoff<T>(options));
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(
    ngemm, ngemm_method,
    "(exec,) transA, transB, alpha, A, B, beta, C (, options) (, method), or exec, ..., C, "
    "options, method, workspace",
    "plain, blocked, selective<C>, widened, compensated, exact or fixed_point", "ssnvvnv", "o m om",
    "omv")

}  // namespace acc

#endif
