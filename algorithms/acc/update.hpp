// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_UPDATE_HPP
#define ACC_UPDATE_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/elements.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/elements.hpp>

namespace acc {

/// z = alpha x + beta y + gamma z, element by element, as KokkosBlas::update; the same bits for
/// every execution space, thread count, layout and stride. Asynchronous if exec is.
///
/// \param exec    execution space instance
/// \param alpha, beta, gamma coefficients: numbers, or Views of rank 0 or 1 of z's value type,
///                accessible from exec, with one element or, for matrices, one for each column
/// \param x, y, z Views of rank 1 or 2, all of n or of m x n elements of one type: float, double or
///                Kokkos::complex of them; any layouts, accessible from exec. They may be the same
///                elements
///
/// Real elements become fma(alpha, x, fma(beta, y, gamma z)) with gamma z rounded. Complex ones
/// have six products in a fixed order (docs/arithmetic.md, "Element by element"). A coefficient of
/// zero, or part of one, leaves its products out, and its View is not read. A NaN is the one NaN.
/// \throws std::invalid_argument as acc::axpby
template <kokkos_execution_space Exec, class Alpha, kokkos_view X, class Beta, kokkos_view Y,
          class Gamma, kokkos_view Z>
void update(const Exec& exec, const Alpha& alpha, const X& x, const Beta& beta, const Y& y,
            const Gamma& gamma, const Z& z) {
  using T = typename Z::non_const_value_type;
  ACC_CHECK_ELEMENTS("acc::update", "x", Exec, X, x);
  ACC_CHECK_ELEMENTS("acc::update", "y", Exec, Y, y);
  ACC_CHECK_WRITTEN_ELEMENTS("acc::update", "z", Exec, Z, z);
  ACC_CHECK_SAME_VALUE("acc::update", "x", X, "z", Z);
  ACC_CHECK_SAME_VALUE("acc::update", "y", Y, "z", Z);
  ACC_CHECK_SAME_SHAPE("acc::update", "x", X, x, "z", Z, z);
  ACC_CHECK_SAME_SHAPE("acc::update", "y", Y, y, "z", Z, z);
  ACC_CHECK_COEFFICIENT("acc::update", "alpha", Exec, Alpha, alpha, T, "z's value type", "z", z);
  ACC_CHECK_COEFFICIENT("acc::update", "beta", Exec, Beta, beta, T, "z's value type", "z", z);
  ACC_CHECK_COEFFICIENT("acc::update", "gamma", Exec, Gamma, gamma, T, "z's value type", "z", z);
  const impl::linear_combination<T, 3> rule{
      impl::matrix_data_of(z),
      {impl::read_elements_of(z), impl::read_elements_of(y), impl::read_elements_of(x)},
      {impl::coefficient_of<T>(gamma), impl::coefficient_of<T>(beta),
       impl::coefficient_of<T>(alpha)}};
  impl::launch_elements(exec, "acc::update", rule, z);
}

/// On the default instance of z's execution space.
template <class Alpha, kokkos_view X, class Beta, kokkos_view Y, class Gamma, kokkos_view Z>
void update(const Alpha& alpha, const X& x, const Beta& beta, const Y& y, const Gamma& gamma,
            const Z& z) {
  update(typename Z::execution_space{}, alpha, x, beta, y, gamma, z);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(update, sum_method, "(exec,) alpha, x, beta, y, gamma, z", "left out",
                           "nvnvnv", "")

}  // namespace acc

#endif
