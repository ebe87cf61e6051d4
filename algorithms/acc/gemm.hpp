// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_GEMM_HPP
#define ACC_GEMM_HPP

#include <acc/backends/gemm_kernel.hpp>
#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/matrix.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/impl/gemm.hpp>

#include <cstddef>
#include <initializer_list>

namespace acc {

namespace impl {

// The compile-time rejections of gemm; a macro for the literals in static_assert.
#define ACC_CHECK_GEMM(function, r, Method, Exec, A, B, C) \
  ACC_CHECK_OPERAND(function, "A", r, Exec, A);            \
  ACC_CHECK_OPERAND(function, "B", r, Exec, B);            \
  ACC_CHECK_OPERAND(function, "C", r, Exec, C);            \
  ACC_CHECK_GEMM_TYPES(function, Method, A, B, C, "A", "B", "C")

inline constexpr gemm_names names_of_gemm{"acc::gemm", "A",     "B",      "C",
                                          "op(A)",     "op(B)", "transA", "transB"};

}  // namespace impl

/// C = alpha op(A) op(B) + beta C, as KokkosBlas::gemm; the same bits for every execution space,
/// thread count, layout and shape of the rest of the product.
///
/// \param exec    execution space instance; the call is asynchronous if the instance is
/// \param transA, transB  "N", "T" (transposed) or "C" (conjugate transposed), in upper or lower
/// case; the
///                first character alone counts, so a pointer to one char or a word will do
/// \param A, B, C rank-2 Views with op(A) m x k, op(B) k x n, C m x n: float, double or
///                Kokkos::complex of them (A and B half_t or bhalf_t with widened, exact and
///                fixed_point), of any layouts, accessible from exec; C overlaps neither A nor B.
///                C's type is that of A and B. With widened, exact and fixed_point it may be any
///                other with as many parts
/// \param alpha, beta  of C's type (float where that is half_t or bhalf_t); alpha = 0 reads neither
///                A nor B, and beta = 0 does not read C
/// \param method  the arithmetic: plain, blocked{strip}, selective<kahan>{strip},
///                selective<priest>{strip}, selective<seeded>{strip}, compensated, widened, exact,
///                fixed_point{bits}.
///                The default is acc::gemm_default<T>, on every execution space:
///                selective<seeded>{.strip = 256}, for half precision widened
///
/// Each entry is defined by itself (docs/arithmetic.md, "Matrix products"): its products enter in
/// ascending k. With u the unit roundoff, S = sum |a_ik b_kj|, gamma_m = m u / (1 - m u), and s the
/// strip (2048 if it is longer), the error of an entry of a real product for alpha = 1, beta = 0 is
/// at most (C13 and C14 there have sharper bounds)
///   plain              gamma_k S
///   blocked            gamma_{s + ceil(k/s)} S           (Badin et al. 2013, eq. 3.4)
///   selective<C>       (2 u + gamma_s + O(k u^2)) S, kahan (3 u + gamma_s + O(k u^2)) S
///   compensated        u |c| + 2 gamma_{k+1}^2 S         (Ogita, Rump, Oishi 2005, Dot2)
///   widened            u |c| + (1 + u) k 2^-53 S
///   exact              u |c|, for any alpha and beta: alpha op(A) op(B) + beta C, rounded once
///                                                        (Kulisch 2013; Neal 2015)
///   fixed_point        u |c| + (1 + u) k (2^(1 - bits) + 2^(-2 bits)) max_k |a_ik| max_k |b_kj|
///                                                        (Ozaki, Ogita, Oishi, Rump 2012)
/// plus, where products are below 2^-968 (float 2^-101) or the result is subnormal,
/// (k + 1) 2^-1074 (float (k + 1) 2^-149). A complex
/// product's parts are sums of 2 k real products, so k and s count twice. exact is rounded to
/// nearest even for every input, with subnormal results, and overflows only where its result does;
/// k may change its order without changing a bit (docs/arithmetic.md, "Exact products").
/// fixed_point does the same with rows of op(A) and columns of op(B) that are rounded to `bits`
/// (8 to 64) binary digits of their largest number (docs/arithmetic.md, "Fixed point"). Where an
/// operand is infinite or NaN, exact and fixed_point give what IEEE arithmetic gives in exact
/// range. The compensated methods give what plain gives wherever their corrections would make a
/// NaN, so also where a sum overflows (C11, C12 there). There is one NaN.
///
/// \throws std::invalid_argument if extents do not match, a letter is unknown, strip < 1, bits
///         are not 8 to 64, C overlaps A or B, two entries of C share a place, a matrix has
///         elements but no data, or a stride of a dimension with two entries or more is negative.
///         The overlap check is conservative for interleaved strides: disjoint matrices whose
///         strides do not nest (as those of blocks of one array do) may be rejected
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view B, kokkos_view C,
          gemm_method Method = impl::gemm_default_t<typename A::non_const_value_type>>
void gemm(const Exec& exec, const char* transA, const char* transB, impl::coefficient_t<C> alpha,
          const A& a, const B& b, impl::coefficient_t<C> beta, const C& c,
          const Method& method = gemm_default<typename A::non_const_value_type>) {
  ACC_CHECK_GEMM("acc::gemm", 2, Method, Exec, A, B, C);
  impl::run_gemm(
      exec, "acc::gemm",
      impl::make_gemm_problem(impl::names_of_gemm, transA, transB, alpha, a, b, beta, c, method));
}

/// The same with the caller's workspace: a rank-1 View of at least acc::gemm_workspace(...)
/// std::byte, accessible from exec, aligned to 64 bytes, which nothing else uses until the product
/// is done.
///
/// \throws std::invalid_argument also if the workspace is too small or not aligned
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view B, kokkos_view C,
          gemm_method Method, kokkos_view Workspace>
void gemm(const Exec& exec, const char* transA, const char* transB, impl::coefficient_t<C> alpha,
          const A& a, const B& b, impl::coefficient_t<C> beta, const C& c, const Method& method,
          const Workspace& workspace) {
  ACC_CHECK_GEMM("acc::gemm", 2, Method, Exec, A, B, C);
  ACC_CHECK_WORKSPACE("acc::gemm", Exec, Workspace);
  impl::run_gemm(
      exec, "acc::gemm",
      impl::make_gemm_problem(impl::names_of_gemm, transA, transB, alpha, a, b, beta, c, method),
      workspace);
}

/// The bytes of workspace with which acc::gemm can be called for these arguments on exec, whatever
/// alpha and beta are; with some it needs fewer. If the caller gives no workspace, acc keeps one
/// per instance: the first call that needs it allocates it, later calls reuse it.
///
/// \param exec, transA, transB, A, B, C, method  those of the product; only shapes, layouts and
///                addresses count
/// \return        bytes; 0 where the product needs none
/// \throws std::invalid_argument as acc::gemm
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view B, kokkos_view C,
          gemm_method Method = impl::gemm_default_t<typename A::non_const_value_type>>
std::size_t gemm_workspace(const Exec& exec, const char* transA, const char* transB, const A& a,
                           const B& b, const C& c,
                           const Method& method = gemm_default<typename A::non_const_value_type>) {
  ACC_CHECK_GEMM("acc::gemm_workspace", 2, Method, Exec, A, B, C);
  using coefficient = impl::coefficient_t<C>;
  impl::gemm_names names = impl::names_of_gemm;
  names.function = "acc::gemm_workspace";
  // Where there is nothing to multiply, or C is not read, other tiles may serve.
  std::size_t most = 0;
  for (const int alpha : {0, 1}) {
    for (const int beta : {0, 2}) {
      const auto problem = impl::make_gemm_problem(names, transA, transB, coefficient(alpha), a, b,
                                                   coefficient(beta), c, method);
      const std::size_t bytes = impl::with_gemm_tiles(
          exec, problem, [](const auto& tiles) { return backends::gemm_bytes(tiles); });
      if (bytes > most) most = bytes;
    }
  }
  return most;
}

/// On the default instance of C's execution space.
template <kokkos_view A, kokkos_view B, kokkos_view C,
          gemm_method Method = impl::gemm_default_t<typename A::non_const_value_type>>
void gemm(const char* transA, const char* transB, impl::coefficient_t<C> alpha, const A& a,
          const B& b, impl::coefficient_t<C> beta, const C& c,
          const Method& method = gemm_default<typename A::non_const_value_type>) {
  gemm(typename C::execution_space{}, transA, transB, alpha, a, b, beta, c, method);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(
    gemm, gemm_method,
    "(exec,) transA, transB, alpha, A, B, beta, C (, method), or exec, ..., C, method, workspace",
    "plain, blocked, selective<C>, widened, compensated, exact or fixed_point", "ssnvvnv", "m",
    "mv")

}  // namespace acc

#endif
