// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MPI_SUM_BY_INDEX_HPP
#define ACC_MPI_SUM_BY_INDEX_HPP

/// \file
/// Sums by index of numbers that are distributed over ranks.

#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/impl/exact_sums.hpp>
#include <acc/impl/reduce.hpp>
#include <acc/impl/sum_by_index.hpp>
#include <acc/mpi/all_reduce.hpp>
#include <acc/mpi/error.hpp>
#include <acc/mpi/kept.hpp>
#include <acc/scatter_sum.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <string>
#include <utility>

namespace acc::mpi {
namespace impl {

/// The first index beyond r.
template <class Index>
struct find_wrong_index_kernel {
  Index index;
  std::int64_t rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    using integer = typename Index::non_const_value_type;
    const integer b = index(i);
    if (b >= integer(0) && std::uint64_t(b) >= std::uint64_t(rows) && i < first) first = i;
  }
};

/// Element (i, j) of a vector or a matrix.
template <class View>
KOKKOS_FORCEINLINE_FUNCTION auto& number_at(const View& v, std::int64_t i, std::int64_t j) {
  if constexpr (View::rank == 2)
    return v(i, j);
  else
    return v(i);
}

/// Numbers to the sums [first, first + sums.size()) of r's elements, row by row.
template <class Index, class X, class Sums>
struct deposit_kernel {
  Index index;
  X x;
  Sums sums;
  std::int64_t columns, first;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const std::int64_t i = columns == 1 ? e : e / columns, j = columns == 1 ? 0 : e % columns;
    const auto b = index(i);
    if (b < decltype(b)(0)) return;
    const std::int64_t to = std::int64_t(b) * columns + j - first;
    if (to >= 0 && to < sums.size()) sums.add(to, typename Sums::value_type(number_at(x, i, j)));
  }
};
/// The sums, rounded, to r.
template <class Sum, class R>
struct round_deposits_kernel {
  const Sum* sums;
  R r;
  std::int64_t columns, first;
  KOKKOS_FUNCTION void operator()(std::int64_t s) const {
    const std::int64_t e = first + s;
    number_at(r, e / columns, e % columns) = sums[s].value();
  }
};

}  // namespace impl

/// Sums by index of numbers that are distributed over the ranks of comm: r(b) is the sum of all
/// ranks' x(i) with index(i) = b, correctly rounded. Every rank gets r, with the same bits: those
/// of acc::sum_by_index of all numbers, for any number of ranks and any distribution.
///
/// \param comm   intra-communicator; collective: every rank calls with the same types and an r of
///               the same extents
/// \param exec   execution space instance of this rank; fenced
/// \param r, index, x  as for acc::sum_by_index: this rank's numbers, none or more, and indexes of
///               all of r. r is overwritten
///
/// One message of 128 bytes per sum and part (float: 100), as all_reduce, for 2^16 sums at a time,
/// after one of two integers per dimension of r. Memory: for each of these sums a superaccumulator
/// and acc::scatter_sum's, 2140 bytes (float 316; complex twice that). Each rank reads its numbers
/// once for every 2^16 sums. The memory is kept for later calls on exec until Kokkos::finalize,
/// that of four sizes at most.
/// \throws std::invalid_argument as acc::sum_by_index and all_reduce (what acc::sum_by_index
/// rejects
///         is rejected before any communication, on that rank alone; the other ranks wait for it),
///         and on all ranks if they do not have r's of the same extents
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view Index, kokkos_view X>
void sum_by_index(MPI_Comm comm, const Exec& exec, const R& r, const Index& index, const X& x,
                  exact = {}) {
  constexpr const char* function = "acc::mpi::sum_by_index";
  ACC_CHECK_BY_INDEX("acc::mpi::sum_by_index", Exec, R, Index, X, exact);
  using value = acc::impl::result_t<typename X::non_const_value_type>;
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using deposits = scatter_sum<value, Exec>;
  using total = superaccumulator<value>;
  acc::impl::check_by_index(function, r, index, x);
  const auto rows = std::int64_t(r.extent(0)), n = std::int64_t(x.extent(0));
  std::int64_t wrong = n;
  Kokkos::parallel_reduce(function, policy(exec, 0, n),
                          impl::find_wrong_index_kernel<Index>{index, rows},
                          Kokkos::Min<std::int64_t>(wrong));
  if (wrong < n) {
    typename Index::non_const_value_type first;
    Kokkos::deep_copy(exec, first, Kokkos::subview(index, wrong));
    exec.fence(function);
    acc::impl::reject(function, "index(" + std::to_string(wrong) + ") is " + std::to_string(first) +
                                    ", but r has extent " + std::to_string(rows));
  }
  std::int64_t columns = 1;
  if constexpr (R::rank == 2) columns = std::int64_t(r.extent(1));
  impl::check_communicator(function, comm);
  impl::check_same_extent(function, comm, "r has extent", rows);
  if constexpr (R::rank == 2)
    impl::check_same_extent(function, comm, "r has a number of columns of", columns);
  const std::int64_t size = rows * columns;
  if (size == 0) return;
  const std::int64_t most = std::min(size, impl::sums_at_once);
  const impl::kept_memory<Exec> memory(function, exec, std::size_t(most) * sizeof(total));
  const auto totals = memory.template as<total>(std::size_t(most));
  const impl::kept<Exec, deposits> of_numbers(
      exec, [=](const deposits& d) { return d.size() == most; },
      [](const deposits&, const deposits&) { return false; },
      [=] { return deposits(function, std::size_t(most)); });
  const deposits& sums = *of_numbers;
  for (std::int64_t first = 0; first < size; first += most) {
    const std::int64_t count = std::min(most, size - first);
    if (first > 0 || !of_numbers.is_new()) sums.reset(exec);
    Kokkos::parallel_for(function, policy(exec, 0, most),
                         acc::impl::empty_sums_kernel<total>{totals.data()});
    Kokkos::parallel_for(function, policy(exec, 0, n * columns),
                         impl::deposit_kernel<Index, X, deposits>{index, x, sums, columns, first});
    const auto block = Kokkos::subview(totals, std::pair<std::int64_t, std::int64_t>(0, count));
    sums.add_to(exec, totals);
    impl::reduce_view(function, comm, -1, exec, block);
    Kokkos::parallel_for(function, policy(exec, 0, count),
                         impl::round_deposits_kernel<total, R>{block.data(), r, columns, first});
  }
  exec.fence(function);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view Index, kokkos_view X>
void sum_by_index(MPI_Comm comm, const R& r, const Index& index, const X& x, exact method = {}) {
  sum_by_index(comm, typename X::execution_space{}, r, index, x, method);
}

}  // namespace acc::mpi

#endif
