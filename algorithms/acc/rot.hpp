// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_ROT_HPP
#define ACC_ROT_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/elements.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/impl/elements.hpp>

namespace acc {

/// A plane rotation of vectors, x = c x + s y and y = c y - conj(s) x at once, as KokkosBlas::rot;
/// the same bits for every execution space, thread count, layout and stride. Asynchronous if exec
/// is.
///
/// \param exec execution space instance
/// \param x, y rank-1 Views of n elements of one type: float, double or Kokkos::complex of them;
///             any layouts, accessible from exec
/// \param c    a real number, or a View of rank 0 or 1 of one, of x's real type
/// \param s    a number, or a View of rank 0 or 1 of one, of x's type
///
/// Real elements become fma(c, x, s y) and fma(c, y, -s x) with s y and s x rounded. Complex ones:
/// docs/arithmetic.md, "Element by element". A c or s of zero, or a part of s, leaves its products
/// out. A NaN is the one NaN. The BLAS conjugates s; KokkosBlas's own kernel does not.
/// \throws std::invalid_argument if the lengths differ, a View has elements but no data, x and y
///         overlap, two elements of x or y share a place, or a View of a coefficient has several
///         elements or overlaps x or y
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view Y, class C, class S>
void rot(const Exec& exec, const X& x, const Y& y, const C& c, const S& s) {
  using T = typename X::non_const_value_type;
  using real = impl::real_t<T>;
  ACC_CHECK_VECTOR("acc::rot", "x", Exec, X);
  ACC_CHECK_VECTOR("acc::rot", "y", Exec, Y);
  ACC_CHECK_WRITTEN_ELEMENTS("acc::rot", "x", Exec, X, x);
  ACC_CHECK_WRITTEN_ELEMENTS("acc::rot", "y", Exec, Y, y);
  ACC_CHECK_SAME_VALUE("acc::rot", "x", X, "y", Y);
  impl::check_same_length("acc::rot", x, y);
  impl::check_not_shared("acc::rot", "x", x, "y", y);
  ACC_CHECK_COEFFICIENT("acc::rot", "c", Exec, C, c, real, "x's real type", "x", x);
  ACC_CHECK_COEFFICIENT("acc::rot", "s", Exec, S, s, T, "x's value type", "x", x);
  impl::check_coefficient("acc::rot", "c", c, "y", y);
  impl::check_coefficient("acc::rot", "s", s, "y", y);
  impl::launch_elements(exec, "acc::rot",
                        impl::rotate<T>{impl::matrix_data_of(x), impl::matrix_data_of(y),
                                        impl::coefficient_of<real>(c), impl::coefficient_of<T>(s)},
                        x);
}

/// On the default instance of x's execution space.
template <kokkos_view X, kokkos_view Y, class C, class S>
void rot(const X& x, const Y& y, const C& c, const S& s) {
  rot(typename X::execution_space{}, x, y, c, s);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(rot, sum_method, "(exec,) x, y, c, s", "left out", "vvnn", "")

}  // namespace acc

#endif
