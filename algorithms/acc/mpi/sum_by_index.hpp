// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MPI_SUM_BY_INDEX_HPP
#define ACC_MPI_SUM_BY_INDEX_HPP

/// \file
/// Sums by index of numbers that are distributed over ranks.

#include <acc/backends/scatter.hpp>
#include <acc/backends/scatter_binned.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/binned.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>
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
#include <type_traits>
#include <utility>

namespace acc::mpi {
namespace impl {

/// The first index beyond r.
template <class Index>
struct find_wrong_index_kernel {
  Index index;
  std::int64_t rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    if (i < first && acc::impl::is_beyond(index(i), rows)) first = i;
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
/// Sums of nothing, or of r's numbers.
template <class Sum, class R>
struct begin_deposits_kernel {
  Sum* sums;
  R r;
  std::int64_t columns, first;
  bool adds;
  KOKKOS_FUNCTION void operator()(std::int64_t s) const {
    const std::int64_t e = first + s;
    sums[s] = adds ? Sum(number_at(r, e / columns, e % columns)) : Sum();
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
/// The same of r's rows as real numbers.
template <class Sum, class Rows>
struct round_kept_bins_kernel {
  const Sum* sums;
  Rows r;
  std::int64_t first;  ///< row
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    r(first + e / r.width, e % r.width) = sums[e].value();
  }
};

template <class Exec>
using by_number = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// By exact: adds: whether r's numbers, as this rank has them, take part.
template <class Exec, class R, class Index, class X>
void add_up_by_index(const char* function, MPI_Comm comm, const Exec& exec, const R& r,
                     const Index& index, const X& x, std::int64_t columns, bool adds, exact) {
  using value = acc::impl::result_t<typename X::non_const_value_type>;
  using deposits = scatter_sum<value, Exec>;
  using total = superaccumulator<value>;
  using internals = acc::impl::scatter_internals;
  using policy = by_number<Exec>;
  const auto n = std::int64_t(x.extent(0)), size = std::int64_t(r.extent(0)) * columns;
  const std::int64_t most = std::min(size, sums_at_once);
  const kept_memory<Exec> memory(function, exec, std::size_t(most) * sizeof(total));
  const auto totals = memory.template as<total>(std::size_t(most));
  const kept<Exec, deposits> of_numbers(
      exec, [=](const deposits& d) { return d.size() == most; },
      [](const deposits&, const deposits&) { return false; },
      [=] { return deposits(function, std::size_t(most)); });
  const deposits& sums = *of_numbers;
  for (std::int64_t first = 0; first < size; first += most) {
    const std::int64_t count = std::min(most, size - first);
    if (first > 0 || !of_numbers.is_new()) internals::reset(exec, function, sums);
    const auto block = Kokkos::subview(totals, std::pair<std::int64_t, std::int64_t>(0, count));
    Kokkos::parallel_for(function, policy(exec, 0, count),
                         begin_deposits_kernel<total, R>{totals.data(), r, columns, first, adds});
    Kokkos::parallel_for(function, policy(exec, 0, n * columns),
                         deposit_kernel<Index, X, deposits>{index, x, sums, columns, first});
    internals::add_to(exec, function, sums, 0, block);
    reduce_view(function, comm, -1, exec, block);
    Kokkos::parallel_for(function, policy(exec, 0, count),
                         round_deposits_kernel<total, R>{block.data(), r, columns, first});
  }
  exec.fence(function);  // before its memory is left to others
}
/// By reproducible<K>: the bins that acc::sum_by_index has, kept for the message.
template <class Exec, class R, class Index, class X, int K>
void add_up_by_index(const char* function, MPI_Comm comm, const Exec& exec, const R& r,
                     const Index& index, const X& x, std::int64_t, bool adds, reproducible<K>) {
  const typename X::const_type read = x;
  const auto from = acc::impl::real_rows_of(read);
  const auto to = acc::impl::real_rows_of(r);
  using total = std::remove_pointer_t<decltype(to.data)>;
  using real = std::remove_const_t<std::remove_pointer_t<decltype(from.data)>>;
  using problem = backends::scatter_problem<total, real, typename Index::non_const_value_type>;
  using sum = binned<total, K>;
  const backends::bins_by_index<K, problem> bins(
      problem{from, to, index.data(), std::int64_t(index.stride(0)), adds}, true,
      backends::scatter_tuning::of<Exec>());
  const auto rows = std::clamp<std::int64_t>(sums_at_once / to.width, 1, to.rows);
  const auto room = std::size_t(rows * to.width);
  const kept_memory<Exec> memory(function, exec, room * sizeof(sum));
  const auto sums = memory.template as<sum>(room);
  for (std::int64_t first = 0; first < to.rows; first += rows) {
    const std::int64_t count = std::min(rows, to.rows - first), size = count * to.width;
    {  // no other rank is waited for meanwhile
      backends::locked_workspace workspace(exec);
      bins.keep(exec, workspace.get(), function, first, count, sums.data());
    }
    reduce_view(function, comm, -1, exec,
                Kokkos::subview(sums, std::pair<std::int64_t, std::int64_t>(0, size)));
    Kokkos::parallel_for(
        function, by_number<Exec>(exec, 0, size),
        round_kept_bins_kernel<sum, std::remove_const_t<decltype(to)>>{sums.data(), to, first});
  }
  exec.fence(function);  // before its memory is left to others
}

/// adds: r's numbers take part, as rank 0 has them.
template <class Exec, class R, class Index, class X, class Method>
void sum_by_index(const char* function, MPI_Comm comm, const Exec& exec, const R& r,
                  const Index& index, const X& x, bool adds, Method method) {
  acc::impl::check_by_index(function, r, index, x);
  const auto rows = std::int64_t(r.extent(0)), n = std::int64_t(x.extent(0));
  std::int64_t wrong = n;
  Kokkos::parallel_reduce(function, by_number<Exec>(exec, 0, n),
                          find_wrong_index_kernel<Index>{index, rows},
                          Kokkos::Min<std::int64_t>(wrong));
  if (wrong < n) acc::impl::reject_index(exec, function, r, index, wrong);
  std::int64_t columns = 1;
  if constexpr (R::rank == 2) columns = std::int64_t(r.extent(1));
  check_communicator(function, comm);
  check_same(function, comm, {{"r has extent", rows}, {"r has a number of columns of", columns}});
  if (rows * columns == 0) return;
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), function, "MPI_Comm_rank");
  add_up_by_index(function, comm, exec, r, index, x, columns, adds && rank == 0, method);
}

}  // namespace impl

/// Sums by index of numbers that are distributed over the ranks of comm: r(b) is the sum of all
/// ranks' x(i) with index(i) = b, by default correctly rounded. Every rank gets r, with the same
/// bits: those of acc::sum_by_index of all numbers by the same method, for any number of ranks and
/// any distribution.
///
/// \param comm   intra-communicator; collective: every rank calls with the same types and an r of
///               the same extents
/// \param exec   execution space instance of this rank; fenced
/// \param r, index, x  as for acc::sum_by_index: this rank's numbers, none or more, and indexes of
///               all of r. r is overwritten
/// \param method exact (default) or reproducible<K>
///
/// One message of 128 bytes per sum and part (float: 100; reproducible<K>: 24 + 16 K), as
/// all_reduce, for 2^16 sums at a time, after one of four integers. Memory: for each of these sums
/// a superaccumulator and acc::scatter_sum's, 2140 bytes (float 316; complex twice that;
/// reproducible<K>: a binned and acc::sum_by_index's bins). Each rank reads its numbers once
/// (reproducible<K>: twice) for every 2^16 sums. The memory is kept for later calls on exec until
/// Kokkos::finalize, that of four sizes at most.
/// \throws std::invalid_argument as acc::sum_by_index and all_reduce (what acc::sum_by_index
///         rejects is rejected before any communication, on that rank alone; the other ranks wait
///         for it), and on all ranks if they do not have r's of the same extents
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view Index, kokkos_view X,
          sum_method Method = exact>
void sum_by_index(MPI_Comm comm, const Exec& exec, const R& r, const Index& index, const X& x,
                  Method method = {}) {
  ACC_CHECK_BY_INDEX("acc::mpi::sum_by_index", Exec, R, Index, X, Method);
  impl::sum_by_index("acc::mpi::sum_by_index", comm, exec, r, index, x, false, method);
}

/// The same with r's own numbers, as rank 0 has them, as one more element of each sum, as
/// acc::add_by_index. Every rank gets r.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view Index, kokkos_view X,
          sum_method Method = exact>
void add_by_index(MPI_Comm comm, const Exec& exec, const R& r, const Index& index, const X& x,
                  Method method = {}) {
  ACC_CHECK_BY_INDEX("acc::mpi::add_by_index", Exec, R, Index, X, Method);
  impl::sum_by_index("acc::mpi::add_by_index", comm, exec, r, index, x, true, method);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view Index, kokkos_view X, sum_method Method = exact>
void sum_by_index(MPI_Comm comm, const R& r, const Index& index, const X& x, Method method = {}) {
  sum_by_index(comm, typename X::execution_space{}, r, index, x, method);
}
/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view Index, kokkos_view X, sum_method Method = exact>
void add_by_index(MPI_Comm comm, const R& r, const Index& index, const X& x, Method method = {}) {
  add_by_index(comm, typename X::execution_space{}, r, index, x, method);
}

}  // namespace acc::mpi

#endif
