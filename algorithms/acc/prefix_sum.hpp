// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_PREFIX_SUM_HPP
#define ACC_PREFIX_SUM_HPP

#include <acc/backends/dispatch.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/prefix_sum.hpp>

#include <type_traits>

namespace acc {

namespace impl {

/// Of one of the two functions below.
template <class Method, class Exec, class R, class X>
void launch_prefix_sum(const char* function, const Exec& exec, const R& r, const X& x,
                       bool exclusive) {
  check_same_length(function, "x", x, "r", r);
  check_data(function, "x", x);
  check_data(function, "r", r);
  check_places(function, r);
  if (!are_same(r, x)) check_disjoint(function, "x", r, x);
  if (x.extent(0) == 0) return;
  backends::locked_workspace memory(exec);
  backends::machine_of<Exec>::scan(exec, memory.get(), function,
                                   make_prefix_sum<Method>(r, x, exclusive));
}

}  // namespace impl

/// The prefix sums r_i = x_0 + ... + x_i, the same bits for every execution space, thread count,
/// layout and stride. Asynchronous if exec is. The result comes first, as in KokkosBlas (and unlike
/// in Kokkos::Experimental::inclusive_scan).
///
/// \param exec   execution space instance
/// \param r      rank-1 View of n results, of x's type, any layout, accessible from exec. It may be
///               x: same data, stride and extent (in place)
/// \param x      rank-1 View of n float, double or Kokkos::complex of them; any layout, accessible
///               from exec
/// \param method the arithmetic: compensated (default) or exact
///
/// With s_i the exact prefix sum, S_i = |x_0| + ... + |x_i|, u the unit roundoff,
/// d = 32 + 2 ceil(log2(ceil(n / 16))) and gamma_d = d u / (1 - d u), the error of each r_i is at
/// most
///   compensated  u |s_i| + 2 gamma_d^2 S_i   (Ogita, Rump, Oishi 2005, Sum2; the order is that of
///                docs/arithmetic.md, "Prefix sums", not acc::sum's)
///   exact        half an ulp: every prefix is correctly rounded: acc::sum(exact) of x_0 to x_i
/// Real and imaginary parts are independent. From the place of a NaN or infinity on, prefixes are
/// what IEEE addition gives; there is one NaN. Finite data overflows only if a number within the
/// bound of the exact prefix does. A prefix of nothing but -0 is -0; one that cancels is +0.
///
/// \throws std::invalid_argument if the extents differ, x or r has elements but no data, two
///         elements of r share a place, or x and r overlap without being the same
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
void prefix_sum(const Exec& exec, const R& r, const X& x, Method = {}) {
  ACC_CHECK_VECTOR("acc::prefix_sum", "x", Exec, X);
  ACC_CHECK_SCAN_METHOD("acc::prefix_sum", Method, typename X::non_const_value_type);
  ACC_CHECK_RESULT_OF_RANK(
      "acc::prefix_sum", 1, Exec, R,
      (std::is_same_v<typename R::value_type, typename X::non_const_value_type>));
  impl::launch_prefix_sum<Method>("acc::prefix_sum", exec, r, x, false);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, sum_method Method = compensated>
void prefix_sum(const R& r, const X& x, Method method = {}) {
  prefix_sum(typename X::execution_space{}, r, x, method);
}

/// The same of the elements before each: r_0 = 0 and r_i = x_0 + ... + x_(i - 1). (exec,) r, x and
/// method are prefix_sum's, and so are bounds and what is thrown.
///
/// With exact, r_i has the bits of prefix_sum's r_(i - 1), except that -0 becomes +0: a prefix
/// begins with 0. With compensated this also holds, except where i is a multiple of 16: there r_i
/// is another number within the bound.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
void exclusive_prefix_sum(const Exec& exec, const R& r, const X& x, Method = {}) {
  ACC_CHECK_VECTOR("acc::exclusive_prefix_sum", "x", Exec, X);
  ACC_CHECK_SCAN_METHOD("acc::exclusive_prefix_sum", Method, typename X::non_const_value_type);
  ACC_CHECK_RESULT_OF_RANK(
      "acc::exclusive_prefix_sum", 1, Exec, R,
      (std::is_same_v<typename R::value_type, typename X::non_const_value_type>));
  impl::launch_prefix_sum<Method>("acc::exclusive_prefix_sum", exec, r, x, true);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, sum_method Method = compensated>
void exclusive_prefix_sum(const R& r, const X& x, Method method = {}) {
  exclusive_prefix_sum(typename X::execution_space{}, r, x, method);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(prefix_sum, sum_method, "(exec,) r, x (, method)",
                           "compensated or exact", "vv", "m")
ACC_REJECT_OTHER_ARGUMENTS(exclusive_prefix_sum, sum_method, "(exec,) r, x (, method)",
                           "compensated or exact", "vv", "m")

}  // namespace acc

#endif
