// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_CALL_HPP
#define ACC_BLAS_CALL_HPP

/// \file
/// One call of an entry point as a value, and what may be wrong with it. A call of any function has
///  - place_type: the places of its arguments, 0 (none) for no argument;
///  - illegal_argument(call): the first argument that the reference BLAS would refuse, in the order
///    in which it looks;
///  - is_done(): nothing is to be computed;
///  - operands(): the arrays that are read or written, the result last.

#include <acc/blas.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace acc::blas {

/// An array of a call, and its place among the arguments.
struct operand {
  const void* data;
  int place;
};
/// The last `count` of up to three.
struct operands_of_call {
  std::array<operand, 3> all;
  std::size_t count;
  const operand* begin() const { return all.data() + (all.size() - count); }
  const operand* end() const { return all.data() + all.size(); }
  const operand& result() const { return all.back(); }
};

/// Places of xGEMM's arguments. In cblas_xgemm, after the layout, each is one more.
enum place : int {
  none = 0,
  of_transa = 1,
  of_transb,
  of_m,
  of_n,
  of_k,
  of_a = 7,
  of_lda,
  of_b,
  of_ldb,
  of_c = 12,
  of_ldc
};

/// The arguments that are not of the matrices' type.
struct shape {
  bool row_major;
  char transa, transb;  ///< 'N', 'T', 'C', or '\0' where it is none of these
  int m, n, k, lda, ldb, ldc;
};

template <class T>
struct call : shape {
  T alpha, beta;
  const T *a, *b;
  T* c;

  /// The products count; if not, A and B are not read.
  bool reads_products() const { return k > 0 && alpha != T(0); }
  /// C stays as it is.
  bool is_done() const { return m == 0 || n == 0 || (!reads_products() && beta == T(1)); }
  operands_of_call operands() const {
    return {{{{a, of_a}, {b, of_b}, {c, of_c}}}, reads_products() ? std::size_t(3) : 1};
  }
};

/// What may be wrong with an argument.
struct fault {
  bool is_there;
  int place;
};
/// The place of the first fault that is there, or none.
template <std::size_t N>
constexpr int first_fault(const fault (&faults)[N]) {
  for (const fault& f : faults)
    if (f.is_there) return f.place;
  return none;
}
constexpr bool too_short(int leading, int span) { return leading < std::max(1, span); }

/// The first argument that the reference BLAS would refuse, in the order in which it looks.
inline int illegal_argument(const shape& s) {
  // The leading dimension spans a column, or by rows a row, of the matrix before op.
  const int a_span = s.row_major == (s.transa == 'N') ? s.k : s.m;
  const int b_span = s.row_major == (s.transb == 'N') ? s.n : s.k;
  const fault transa{s.transa == '\0', of_transa}, transb{s.transb == '\0', of_transb};
  const fault m{s.m < 0, of_m}, n{s.n < 0, of_n}, k{s.k < 0, of_k};
  const fault lda{too_short(s.lda, a_span), of_lda}, ldb{too_short(s.ldb, b_span), of_ldb};
  const fault ldc{too_short(s.ldc, s.row_major ? s.n : s.m), of_ldc};
  // At once: nearly always there is none, and a product may take no longer than to look for it.
  if (!(int(transa.is_there) | transb.is_there | m.is_there | n.is_there | k.is_there |
        lda.is_there | ldb.is_there | ldc.is_there))
    return none;
  // By rows the reference forms C^T = op(B)^T op(A)^T, and so looks at B's arguments first.
  if (s.row_major) return first_fault({transa, transb, n, m, k, ldb, lda, ldc});
  return first_fault({transa, transb, m, n, k, lda, ldb, ldc});
}

/// Places of xGEMV's arguments.
struct gemv_place {
  enum : int { trans = 1, m, n, a = 5, lda, x, incx, y = 10, incy };
};

struct gemv_shape {
  bool row_major;
  char trans;  ///< as above
  int m, n, lda, incx, incy;
};

template <class T>
struct gemv_call : gemv_shape {
  T alpha, beta;
  const T *a, *x;
  T* y;

  bool reads_products() const { return alpha != T(0); }
  /// y stays as it is: in the BLAS also where x has no elements, whatever beta is.
  bool is_done() const { return m == 0 || n == 0 || (!reads_products() && beta == T(1)); }
  operands_of_call operands() const {
    return {{{{a, gemv_place::a}, {x, gemv_place::x}, {y, gemv_place::y}}},
            reads_products() ? std::size_t(3) : 1};
  }
};

inline int illegal_argument(const gemv_shape& s) {
  using at = gemv_place;
  const fault trans{s.trans == '\0', at::trans}, m{s.m < 0, at::m}, n{s.n < 0, at::n};
  const fault lda{too_short(s.lda, s.row_major ? s.n : s.m), at::lda};
  const fault incx{s.incx == 0, at::incx}, incy{s.incy == 0, at::incy};
  if (s.row_major)
    return first_fault({trans, n, m, lda, incx, incy});  // it forms A^T x, of columns
  return first_fault({trans, m, n, lda, incx, incy});
}

/// 'N', 'T' or 'C' for a letter of either case, or '\0'. As impl::transpose_op, without branches: a
/// product may take no longer than them.
constexpr char operation_of_letter(char letter) {
  const char upper = char(letter & ~0x20);
  const bool is_one = int(upper == 'N') | int(upper == 'T') | int(upper == 'C');
  return is_one ? upper : '\0';
}
/// The letter of a CBLAS_TRANSPOSE, or '\0'.
constexpr char operation_of_constant(int constant) {
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

#endif
