// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MPI_COLUMNS_HPP
#define ACC_MPI_COLUMNS_HPP

/// \file
/// Sums, dot products and norms of the columns of matrices whose rows are distributed over ranks.

#include <acc/asum.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/exact/root.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/dot.hpp>
#include <acc/impl/exact_sums.hpp>
#include <acc/impl/reduce.hpp>
#include <acc/impl/slices.hpp>
#include <acc/mpi/all_reduce.hpp>
#include <acc/mpi/error.hpp>
#include <acc/mpi/kept.hpp>
#include <acc/mpi/sum.hpp>
#include <acc/nrm2.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <string>
#include <type_traits>
#include <utility>

namespace acc::mpi {
namespace impl {

/// What is made of a sum: its value, or its root.
struct value_of_sum {
  template <class Result, class Sum>
  KOKKOS_FUNCTION static Result of(const Sum& sum) {
    return sum.value();
  }
};
struct root_of_sum {
  template <class Result, class Sum>
  KOKKOS_FUNCTION static Result of(const Sum& sum) {
    return acc::impl::rounded_root_of<Result>(sum);
  }
};
/// Rounds sums to some elements of r.
template <class Rounding, class Sum, class R>
struct round_sums_kernel {
  const Sum* sums;
  R r;
  std::int64_t first;  ///< of r
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    r(first + i) = Rounding::template of<typename R::value_type>(sums[i]);
  }
};

/// Some columns of a matrix; a vector is each column's.
template <class View>
auto columns_of(const View& v, const std::pair<std::int64_t, std::int64_t>& range) {
  if constexpr (View::rank == 2)
    return Kokkos::subview(v, Kokkos::ALL, range);
  else
    return v;
}

/// The sums of terms of columns, some columns at a time.
template <class Terms, class Method, class Rounding = value_of_sum, class Exec, class R, class X,
          class Y>
void reduce_columns(const char* function, MPI_Comm comm, const Exec& exec, const R& r, const X& x,
                    const Y& y) {
  using sum = accumulator_of_terms<Terms, Method, X>;
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const auto n = static_cast<std::int64_t>(r.extent(0));
  check_communicator(function, comm);
  check_same_extent(function, comm, "r has extent", n);
  if (n == 0) return;
  const std::int64_t most = std::min(n, sums_at_once);
  const kept_memory<Exec> memory(function, exec, std::size_t(most) * sizeof(sum));
  const auto sums = memory.template as<sum>(std::size_t(most));
  for (std::int64_t first = 0; first < n; first += most) {
    const std::int64_t count = std::min(most, n - first);
    const std::pair<std::int64_t, std::int64_t> range(first, first + count);
    const auto block = Kokkos::subview(sums, std::pair<std::int64_t, std::int64_t>(0, count));
    Kokkos::parallel_for(function, policy(exec, 0, count),
                         acc::impl::empty_sums_kernel<sum>{block.data()});
    acc::impl::reduce_slices<Terms, Method, acc::impl::merge_into>(
        exec, function, block, columns_of(x, range), columns_of(y, range), 0);
    reduce_view(function, comm, -1, exec, block);
    Kokkos::parallel_for(function, policy(exec, 0, count),
                         round_sums_kernel<Rounding, sum, R>{block.data(), r, first});
  }
  exec.fence(function);
}

}  // namespace impl

/// The sums of the columns of a matrix whose rows are distributed over the ranks of comm: all of
/// them in one message. Every rank gets the same bits: those of acc::sum over each column of the
/// whole matrix by the same method, for any number of ranks and any distribution of the rows.
///
/// \param comm   intra-communicator; collective: every rank calls with the same types and the same
///               number of columns
/// \param exec   execution space instance of this rank; fenced
/// \param r      rank-1 View of n results, of the type that acc::sum gives, any layout
/// \param x      this rank's rows, none or more: a rank-2 View of n columns as for acc::sum
/// \param method exact (default) or reproducible<K>
///
/// For 2^16 columns at a time: accumulators in memory of exec, one all_reduce, and one rounding.
/// The memory is kept for later calls on exec until Kokkos::finalize, that of four sizes at most.
/// Before them, one message of two integers: whether all ranks have as many columns.
/// \throws std::invalid_argument as acc::sum of columns and all_reduce (what acc::sum rejects is
///         rejected before any communication, on that rank alone; the other ranks wait for it), and
///         on all ranks if they do not have as many columns
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, sum_method Method = exact>
void sum(MPI_Comm comm, const Exec& exec, const R& r, const X& x,
         [[maybe_unused]] Method method = {}) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_MPI_METHOD("acc::mpi::sum", Method);
  ACC_CHECK_TYPE_OR_HALF("acc::mpi::sum", value, "");
  ACC_CHECK_COLUMNS("acc::mpi::sum", Exec, R, X, r, x,
                    (std::is_same_v<typename R::value_type, acc::impl::result_t<value>>));
  impl::reduce_columns<acc::impl::sum_terms<acc::impl::components_of<value>>, Method>(
      "acc::mpi::sum", comm, exec, r, x, x);
}

/// The dot products of the columns of two matrices that are distributed alike: r(j) is the sum of
/// conj(x(i, j)) y(i, j), as acc::dot of columns, under the same terms as `sum` of columns. One of
/// x and y may be a vector, which counts as each column.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view Y,
          sum_method Method = exact>
void dot(MPI_Comm comm, const Exec& exec, const R& r, const X& x, const Y& y, Method = {}) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_MPI_METHOD("acc::mpi::dot", Method);
  ACC_CHECK_TYPE_OR_HALF("acc::mpi::dot", value, "");
  static_assert(X::rank == 2 || Y::rank == 2, "acc::mpi::dot: x or y must be a rank-2 View");
  ACC_CHECK_TWO_COLUMNS("acc::mpi::dot", Exec, R, X, Y, r, x, y,
                        (std::is_same_v<typename R::value_type, acc::impl::result_t<value>>));
  impl::reduce_columns<acc::impl::dot_terms<value, true>, Method>("acc::mpi::dot", comm, exec, r, x,
                                                                  y);
}

/// The same without conjugation, as acc::dotu of columns.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view Y,
          sum_method Method = exact>
void dotu(MPI_Comm comm, const Exec& exec, const R& r, const X& x, const Y& y, Method = {}) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_MPI_METHOD("acc::mpi::dotu", Method);
  ACC_CHECK_TYPE_OR_HALF("acc::mpi::dotu", value, "");
  static_assert(X::rank == 2 || Y::rank == 2, "acc::mpi::dotu: x or y must be a rank-2 View");
  ACC_CHECK_TWO_COLUMNS("acc::mpi::dotu", Exec, R, X, Y, r, x, y,
                        (std::is_same_v<typename R::value_type, acc::impl::result_t<value>>));
  impl::reduce_columns<acc::impl::dot_terms<value, false>, Method>("acc::mpi::dotu", comm, exec, r,
                                                                   x, y);
}

/// The sums of magnitudes of the columns, as acc::asum of columns, under the same terms as `sum` of
/// columns: r has the real type, and x no half precision.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, sum_method Method = exact>
void asum(MPI_Comm comm, const Exec& exec, const R& r, const X& x, Method = {}) {
  ACC_CHECK_MPI_METHOD("acc::mpi::asum", Method);
  ACC_CHECK_ASUM_COLUMNS("acc::mpi::asum", Method, Exec, R, X, r, x);
  impl::reduce_columns<acc::impl::magnitude_terms, Method>("acc::mpi::asum", comm, exec, r, x, x);
}

/// The Euclidean norms of the columns, each the correctly rounded root of the exact sum of squares,
/// as acc::nrm2 of columns by exact, under the same terms as `asum` of columns.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
void nrm2(MPI_Comm comm, const Exec& exec, const R& r, const X& x, exact = {}) {
  ACC_CHECK_NRM2_COLUMNS("acc::mpi::nrm2", exact, Exec, R, X, r, x);
  impl::reduce_columns<acc::impl::square_terms, exact, impl::root_of_sum>("acc::mpi::nrm2", comm,
                                                                          exec, r, x, x);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, sum_method Method = exact>
void sum(MPI_Comm comm, const R& r, const X& x, Method method = {}) {
  sum(comm, typename X::execution_space{}, r, x, method);
}
/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, kokkos_view Y, sum_method Method = exact>
void dot(MPI_Comm comm, const R& r, const X& x, const Y& y, Method method = {}) {
  dot(comm, typename X::execution_space{}, r, x, y, method);
}
/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, kokkos_view Y, sum_method Method = exact>
void dotu(MPI_Comm comm, const R& r, const X& x, const Y& y, Method method = {}) {
  dotu(comm, typename X::execution_space{}, r, x, y, method);
}
/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, sum_method Method = exact>
void asum(MPI_Comm comm, const R& r, const X& x, Method method = {}) {
  asum(comm, typename X::execution_space{}, r, x, method);
}
/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X>
void nrm2(MPI_Comm comm, const R& r, const X& x, exact method = {}) {
  nrm2(comm, typename X::execution_space{}, r, x, method);
}

}  // namespace acc::mpi

#endif
