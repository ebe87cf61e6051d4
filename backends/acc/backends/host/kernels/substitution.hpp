// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_SUBSTITUTION_HPP
#define ACC_BACKENDS_HOST_KERNELS_SUBSTITUTION_HPP

/// \file
/// The kernel of a block of equations with a triangular matrix, as its callers see it
/// (docs/arithmetic.md, TR4).

#include <cstdint>

namespace acc::backends::host {

inline constexpr std::int64_t most_unknowns = 16;

/// Real equations in the order of solving: in equation i the unknowns up to i. Each unknown is
/// `width` numbers that are neighbors, and begins as the right-hand side.
template <class S>
struct substitution_arguments {
  std::int64_t count, width;  ///< count is at most most_unknowns
  const S* a;  ///< the coefficient of unknown j in equation i is a[i * a_row + j * a_column]
  std::int64_t a_row, a_column;
  S* x;  ///< unknown i begins at x + i * x_step
  std::int64_t x_step;
  bool divides;  ///< by the coefficients of unknown i in equation i, else they count as ones
};

template <class S>
using substitution_function = void (*)(const substitution_arguments<S>&);
template <class S>
substitution_function<S> substitution_for_this_processor();

/// Complex ones. Their numbers are pairs of neighbors, of which width counts, and distances count
/// real numbers.
template <class S>
struct complex_substitution_arguments {
  std::int64_t count, width;
  const S* a;
  std::int64_t a_row, a_column;
  bool conjugates;  ///< whether a's numbers are the coefficients' conjugates
  S* x;
  std::int64_t x_step;
  const S* reciprocals;  ///< of the coefficients of unknown i in equation i; null: they are ones
};

template <class S>
using complex_substitution_function = void (*)(const complex_substitution_arguments<S>&);
template <class S>
complex_substitution_function<S> complex_substitution_for_this_processor();

}  // namespace acc::backends::host

#endif
