// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_SYMV_HPP
#define ACC_BACKENDS_HOST_KERNELS_SYMV_HPP

/// \file
/// The kernel of a symmetric matrix of which a triangle is stored, times a vector, as its callers
/// see it.

#include <cstdint>

namespace acc::backends::host {

/// y = alpha A x + beta y with the entries of the default method, for a depth of one section.
template <class S>
struct symv_arguments {
  std::int64_t n, strip;
  const S* a;  ///< the number of column j and row i, or of row j and column i: a[j * a_step + i]
  std::int64_t a_step;
  bool from_diagonal;  ///< those with i >= j are read, else those with i <= j
  const S* x;          ///< neighbors
  S* y;
  std::int64_t y_step;  ///< from y_i to y_(i+1); may be negative
  S alpha, beta;        ///< alpha is not 0
};

/// False where the method's own value of an entry is NaN, before its fallback: then nothing is
/// written. n is no more than a
/// section (gemm_section), and the strip a multiple of 32.
template <class S>
using symv_function = bool (*)(const symv_arguments<S>&);
template <class Method, class S>
symv_function<S> symv_for_this_processor();

}  // namespace acc::backends::host

#endif
