// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MPI_SUM_HPP
#define ACC_MPI_SUM_HPP

/// \file
/// Sums, dot products and norms of vectors that are distributed over ranks.

#include <acc/asum.hpp>
#include <acc/core/binned.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/exact/root.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/dot.hpp>
#include <acc/impl/reduce.hpp>
#include <acc/mpi/all_reduce.hpp>
#include <acc/mpi/merge_operation.hpp>
#include <acc/nrm2.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>
#include <type_traits>

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

/// Of terms of x and y.
template <class Terms, class Method, class X>
using accumulator_of_terms =
    std::conditional_t<Terms::results == 1, part_t<typename accumulator_for<Method, X>::type>,
                       typename accumulator_for<Method, X>::type>;

/// What the terms of x and y leave in an accumulator, on the host; fences exec. Allocates nothing.
template <class Terms, class Method, class Exec, class X, class Y>
auto local_sum(const char* function, const Exec& exec, const X& x, const Y& y) {
  return acc::impl::reduce_to_host<accumulator_of_terms<Terms, Method, X>, Terms, Method,
                                   acc::impl::store_sum>(exec, function, x, y);
}
/// The same of all ranks.
template <class Terms, class Method, class Exec, class X, class Y>
auto sum_of_ranks(const char* function, MPI_Comm comm, const Exec& exec, const X& x, const Y& y) {
  auto s = local_sum<Terms, Method>(function, exec, x, y);
  reduce_sums(function, comm, -1, &s, 1);
  return s;
}

}  // namespace impl

/// The sum of a vector, or of an array, that is distributed over the ranks of comm. Every rank gets
/// the same bits: those of acc::sum of all elements by the same method, for any number of ranks and
/// any distribution.
///
/// \param comm   intra-communicator; collective: every rank calls with the same types
/// \param exec   execution space instance of this rank; fenced
/// \param x      this rank's elements, none or more: a View of rank 1 to 8 as for acc::sum
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
  ACC_CHECK_ARRAY("acc::mpi::sum", "x", 1, 8, Exec, X);
  ACC_CHECK_TYPE_OR_HALF("acc::mpi::sum", typename X::non_const_value_type, "");
  acc::impl::check_array_data("acc::mpi::sum", "x", x);
  using terms = acc::impl::sum_terms<acc::impl::components_of<typename X::non_const_value_type>>;
  return impl::sum_of_ranks<terms, Method>("acc::mpi::sum", comm, exec, x, x).value();
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
  return impl::sum_of_ranks<terms, Method>("acc::mpi::dot", comm, exec, x, y).value();
}

/// The same without conjugation: the sum of x_i y_i, as acc::dotu.
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view Y, sum_method Method = exact>
auto dotu(MPI_Comm comm, const Exec& exec, const X& x, const Y& y, Method = {}) {
  ACC_CHECK_MPI_METHOD("acc::mpi::dotu", Method);
  ACC_CHECK_TWO_VECTORS("acc::mpi::dotu", Exec, X, Y, x, y);
  ACC_CHECK_TYPE_OR_HALF("acc::mpi::dotu", typename X::non_const_value_type, "");
  using terms = acc::impl::dot_terms<typename X::non_const_value_type, false>;
  return impl::sum_of_ranks<terms, Method>("acc::mpi::dotu", comm, exec, x, y).value();
}

/// The sum of magnitudes, |re| + |im| of complex numbers, as acc::asum, under the same terms as
/// `sum`; x has no half precision.
template <kokkos_execution_space Exec, kokkos_view X, sum_method Method = exact>
auto asum(MPI_Comm comm, const Exec& exec, const X& x, Method = {}) {
  ACC_CHECK_MPI_METHOD("acc::mpi::asum", Method);
  ACC_CHECK_ASUM("acc::mpi::asum", Method, Exec, X, x);
  return impl::sum_of_ranks<acc::impl::magnitude_terms, Method>("acc::mpi::asum", comm, exec, x, x)
      .value();
}

/// The Euclidean norm, the correctly rounded root of the exact sum of squares, as acc::nrm2 by
/// exact, under the same terms as `sum`; x has no half precision.
template <kokkos_execution_space Exec, kokkos_view X>
auto nrm2(MPI_Comm comm, const Exec& exec, const X& x, exact = {}) {
  ACC_CHECK_NRM2("acc::mpi::nrm2", exact, Exec, X, x);
  return acc::impl::rounded_root_of<acc::impl::real_t<typename X::non_const_value_type>>(
      impl::sum_of_ranks<acc::impl::square_terms, exact>("acc::mpi::nrm2", comm, exec, x, x));
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
/// On the default instance of x's execution space.
template <kokkos_view X, kokkos_view Y, sum_method Method = exact>
auto dotu(MPI_Comm comm, const X& x, const Y& y, Method method = {}) {
  return dotu(comm, typename X::execution_space{}, x, y, method);
}
/// On the default instance of x's execution space.
template <kokkos_view X, sum_method Method = exact>
auto asum(MPI_Comm comm, const X& x, Method method = {}) {
  return asum(comm, typename X::execution_space{}, x, method);
}
/// On the default instance of x's execution space.
template <kokkos_view X>
auto nrm2(MPI_Comm comm, const X& x, exact method = {}) {
  return nrm2(comm, typename X::execution_space{}, x, method);
}

}  // namespace acc::mpi

#endif
