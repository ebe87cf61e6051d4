// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_ELEMENTS_HPP
#define ACC_BACKENDS_HOST_KERNELS_ELEMENTS_HPP

/// \file
/// The kernels of functions of each element by itself, as their callers see them: those with FMAs,
/// for which a program that is compiled for any processor would call the C library.

#include <acc/core/elements/combination.hpp>

#include <cstdint>

namespace acc::backends::host {

/// So many numbers of one or two parts each, `step` parts from one to the next.
template <class S>
struct element_run {
  S* data;
  std::int64_t step;
};

/// out = c_0 in_0 + c_1 in_1 + c_2 in_2. Arrays with a coefficient of zero are not looked at.
template <class S>
struct combine_arguments {
  static constexpr int terms = 3;
  impl::combination<S, terms> c;
  std::int64_t count;
  element_run<const S> in[terms];
  element_run<S> out;
};

/// y = gamma y + (alpha a) x. Arrays with a coefficient of zero are not looked at.
template <class S>
struct multiply_arguments {
  impl::combination<S, 1> gamma, alpha;
  std::int64_t count;
  element_run<const S> a, x;
  element_run<S> y;
};

/// x = x_of y, x and y = y_of x, y at once: of_x has the coefficients of y and x in the new x, of_y
/// those of x and y in the new y.
template <class S>
struct rotate_arguments {
  impl::combination<S, 2> of_x, of_y;
  std::int64_t count;
  element_run<S> x, y;
};

/// Those of numbers of one part, and of two.
template <class S>
struct element_kernels {
  void (*combine[2])(const combine_arguments<S>&);
  void (*multiply[2])(const multiply_arguments<S>&);
  void (*rotate[2])(const rotate_arguments<S>&);
  /// y = beta y + alpha x of n real numbers that are neighbors: combine, for calls of a few
  /// numbers, which take less time than to write its arguments to memory and read them there.
  void (*axpby)(S alpha, const S* x, S beta, S* y, std::int64_t n);
};
template <class S>
const element_kernels<S>& element_kernels_for_this_processor();

}  // namespace acc::backends::host

#endif
