// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call.hpp"

#include <acc/blas.h>

#include <algorithm>
#include <array>
#include <utility>

namespace acc::blas {

int illegal_argument(const shape& s) {
  if (s.transa == '\0') return of_transa;
  if (s.transb == '\0') return of_transb;
  // The leading dimension spans a column, or by rows a row, of the matrix before op.
  const bool a_spans_k = s.row_major == (s.transa == 'N');
  const bool b_spans_k = s.row_major != (s.transb == 'N');
  const auto too_short = [](int leading, int span) { return leading < std::max(1, span); };
  std::array<std::pair<bool, place>, 6> faults{
      {{s.m < 0, of_m},
       {s.n < 0, of_n},
       {s.k < 0, of_k},
       {too_short(s.lda, a_spans_k ? s.k : s.m), of_lda},
       {too_short(s.ldb, b_spans_k ? s.k : s.n), of_ldb},
       {too_short(s.ldc, s.row_major ? s.n : s.m), of_ldc}}};
  // By rows the reference forms C^T = op(B)^T op(A)^T, and so looks at B's arguments first.
  if (s.row_major) {
    std::swap(faults[0], faults[1]);
    std::swap(faults[3], faults[4]);
  }
  for (const auto& [is_wrong, where] : faults)
    if (is_wrong) return where;
  return none;
}

int illegal_argument(const gemv_shape& s) {
  using at = gemv_place;
  if (s.trans == '\0') return at::trans;
  std::array<std::pair<bool, int>, 2> extents{{{s.m < 0, at::m}, {s.n < 0, at::n}}};
  if (s.row_major) std::swap(extents[0], extents[1]);  // it forms A^T x, of columns
  for (const auto& [is_wrong, where] : extents)
    if (is_wrong) return where;
  if (s.lda < std::max(1, s.row_major ? s.n : s.m)) return at::lda;
  if (s.incx == 0) return at::incx;
  if (s.incy == 0) return at::incy;
  return none;
}

char operation_of_constant(int constant) {
  switch (constant) {
    case AccNoTrans:
      return 'N';
    case AccTrans:
      return 'T';
    case AccConjTrans:
      return 'C';
    default:
      return '\0';
  }
}

}  // namespace acc::blas
