// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_TRIANGLES_HPP
#define ACC_BLAS_TRIANGLES_HPP

/// \file
/// Products and solutions with a matrix of which one triangle is read or written, by acc::gemm and
/// acc::gemv with their default method (docs/arithmetic.md, "Triangles"). T is float, double or
/// Kokkos::complex of them.
///
/// \throws std::invalid_argument if the result overlaps an operand, or lies in memory of a GPU:
/// these compute on the host alone

#include "memory.hpp"
#include "triangle_calls.hpp"

namespace acc::blas {

/// The entries of acc::gemv with the whole matrix.
template <class T>
void symmetric_vector_product(memory where, const symv_call<T>& c);

/// The entries of acc::gemm with the whole matrix.
template <class T>
void symmetric_product(memory where, const symm_call<T>& c);

/// The triangle's entries of acc::gemm; a Hermitian diagonal's are real.
template <class T>
void rank_k_update(memory where, const syrk_call<T>& c);

/// Unknowns that are solved between two updates by acc::gemm. It decides bits.
inline constexpr int solved_at_once = 16;

/// Substitution in blocks of solved_at_once.
template <class T>
void solve_vector(memory where, const trsv_call<T>& c);
template <class T>
void solve(memory where, const trsm_call<T>& c);

/// The same by the calling thread alone, without a lock, where that is no slower; or false, and
/// nothing has been done: there are too many numbers, or an entry is NaN before its fallback, or
/// the arguments may have to be refused, or Kokkos does not run yet.
template <class T>
bool symmetric_vector_product_at_once(const symv_call<T>& c) noexcept;
template <class T>
bool symmetric_product_at_once(const symm_call<T>& c) noexcept;
template <class T>
bool rank_k_update_at_once(const syrk_call<T>& c) noexcept;
template <class T>
bool solve_vector_at_once(const trsv_call<T>& c) noexcept;
template <class T>
bool solve_at_once(const trsm_call<T>& c) noexcept;

}  // namespace acc::blas

#endif
