// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MPI_SUM_HPP
#define ACC_MPI_SUM_HPP

/// \file
/// Sums and dot products of vectors that are distributed over ranks.

#include <acc/core/binned.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/dot.hpp>
#include <acc/impl/reduce.hpp>
#include <acc/mpi/all_reduce.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

namespace acc::mpi {
namespace impl {

#define ACC_CHECK_MPI_METHOD(function, Method)                                                   \
  static_assert(::acc::impl::is_order_free<Method>, function                                     \
                ": method must be exact or reproducible<K>; the others need the order that the " \
                "elements of all ranks have together")

template <class Method, class X>
struct accumulator_for;
template <class X>
struct accumulator_for<exact, X> {
  using type = superaccumulator<acc::impl::result_t<typename X::non_const_value_type>>;
};
template <int K, class X>
struct accumulator_for<reproducible<K>, X> {
  using type = binned<acc::impl::result_t<typename X::non_const_value_type>, K>;
};

/// What the terms of x and y leave in an accumulator, on the host; fences exec. Allocates nothing.
template <class Terms, class Method, class Exec, class X, class Y>
auto local_sum(const char* function, const Exec& exec, const X& x, const Y& y) {
  return acc::impl::reduce_to_host<typename accumulator_for<Method, X>::type, Terms, Method,
                                   acc::impl::store_sum>(exec, function, x, y);
}

}  // namespace impl

/// The sum of a vector that is distributed over the ranks of comm. Every rank gets the same bits:
/// those of acc::sum of the whole vector by the same method, for any number of ranks and any
/// distribution.
///
/// \param comm   intra-communicator; collective: every rank calls with the same types
/// \param exec   execution space instance of this rank; fenced
/// \param x      this rank's elements, none or more: a rank-1 View as for acc::sum
/// \param method exact (default) or reproducible<K>
/// \return       the sum, in the type that acc::sum returns; error bounds and special values are
///               acc::sum's
///
/// One kernel, which leaves an accumulator in host memory, and one all_reduce of that.
/// \throws std::invalid_argument as acc::sum and all_reduce. What acc::sum rejects is rejected
///         before any communication, on that rank alone; the other ranks wait for it.
template <kokkos_execution_space Exec, kokkos_view X, sum_method Method = exact>
auto sum(MPI_Comm comm, const Exec& exec, const X& x, [[maybe_unused]] Method method = {}) {
  ACC_CHECK_MPI_METHOD("acc::mpi::sum", Method);
  ACC_CHECK_VECTOR("acc::mpi::sum", "x", Exec, X);
  ACC_CHECK_TYPE_OR_HALF("acc::mpi::sum", typename X::non_const_value_type, "");
  acc::impl::check_data("acc::mpi::sum", "x", x);
  using terms = acc::impl::sum_terms<acc::impl::components_of<typename X::non_const_value_type>>;
  auto s = impl::local_sum<terms, Method>("acc::mpi::sum", exec, x, x);
  impl::reduce_sums("acc::mpi::sum", comm, -1, &s, 1);
  return s.value();
}

/// The dot product of two vectors that are distributed alike: the sum of conj(x_i) y_i, as
/// acc::dot, under the same terms as `sum`.
/// \throws std::invalid_argument as `sum`, and if this rank's x and y differ in length
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view Y, sum_method Method = exact>
auto dot(MPI_Comm comm, const Exec& exec, const X& x, const Y& y, Method = {}) {
  ACC_CHECK_MPI_METHOD("acc::mpi::dot", Method);
  ACC_CHECK_TWO_VECTORS("acc::mpi::dot", Exec, X, Y, x, y);
  ACC_CHECK_TYPE_OR_HALF("acc::mpi::dot", typename X::non_const_value_type, "");
  using terms = acc::impl::dot_terms<typename X::non_const_value_type, true>;
  auto s = impl::local_sum<terms, Method>("acc::mpi::dot", exec, x, y);
  impl::reduce_sums("acc::mpi::dot", comm, -1, &s, 1);
  return s.value();
}

/// On the default instance of x's execution space.
template <kokkos_view X, sum_method Method = exact>
auto sum(MPI_Comm comm, const X& x, Method method = {}) {
  return sum(comm, typename X::execution_space{}, x, method);
}
/// On the default instance of x's execution space.
template <kokkos_view X, kokkos_view Y, sum_method Method = exact>
auto dot(MPI_Comm comm, const X& x, const Y& y, Method method = {}) {
  return dot(comm, typename X::execution_space{}, x, y, method);
}

}  // namespace acc::mpi

#endif
