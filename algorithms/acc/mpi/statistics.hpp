// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MPI_STATISTICS_HPP
#define ACC_MPI_STATISTICS_HPP

/// \file
/// Merging the statistics of all ranks.

#include <acc/core/superaccumulator.hpp>
#include <acc/mpi/all_reduce.hpp>
#include <acc/mpi/merge_operation.hpp>
#include <acc/statistics.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <span>

namespace acc::mpi {
namespace impl {

template <class T>
struct parts_of<statistics<T>> {
  using type = superaccumulator<T>;
  static constexpr int count = 2;
  static type& get(statistics<T>& s, int i) { return i == 0 ? s.sum : s.squares; }
};
template <class T>
struct parts_of<joint_statistics<T>> {
  using type = superaccumulator<T>;
  static constexpr int count = 3;
  static type& get(joint_statistics<T>& s, int i) {
    return i == 0 ? s.sum_x : i == 1 ? s.sum_y : s.products;
  }
};

template <class S>
inline constexpr bool is_statistics = false;
template <class T>
inline constexpr bool is_statistics<statistics<T>> = true;
template <class T>
inline constexpr bool is_statistics<joint_statistics<T>> = true;

/// The sums as reduce_sums, and the counts by one message more for each of its messages.
template <class S>
void reduce_statistics(const char* function, MPI_Comm comm, int root, std::span<S> all) {
  const auto n = static_cast<std::int64_t>(all.size());
  reduce_sums(function, comm, root, all.data(), n);
  for (std::int64_t first = 0; first < n; first += message_parts) {
    const std::int64_t some = std::min(n - first, message_parts);
    message<std::int64_t> m(some);
    for (std::int64_t i = 0; i < some; ++i) m.data()[i] = all[std::size_t(first + i)].count;
    if (reduce_in_place(function, comm, root, m.data(), static_cast<int>(some), MPI_INT64_T,
                        MPI_SUM))
      for (std::int64_t i = 0; i < some; ++i) all[std::size_t(first + i)].count = m.data()[i];
  }
}

}  // namespace impl

/// Merges each rank's statistics with those of all other ranks of comm: afterwards mean, variance
/// and covariance have on every rank the bits of all numbers at once, for any number of ranks and
/// any distribution. S: acc::statistics or acc::joint_statistics.
///
/// Collective, under the terms of all_reduce of accumulators: two or three exact sums in one
/// message, and the count in another.
template <class S>
  requires impl::is_statistics<S>
void all_reduce(MPI_Comm comm, S& one) {
  impl::reduce_statistics("acc::mpi::all_reduce", comm, -1, std::span<S>(&one, 1));
}
/// Those of many fields: all[i] with the all[i] of the other ranks, all of them in two messages.
template <class S, std::size_t N>
  requires impl::is_statistics<S>
void all_reduce(MPI_Comm comm, std::span<S, N> all) {
  impl::reduce_statistics("acc::mpi::all_reduce", comm, -1, std::span<S>(all));
}
/// A std::array of them.
template <class S, std::size_t N>
  requires impl::is_statistics<S>
void all_reduce(MPI_Comm comm, std::array<S, N>& all) {
  impl::reduce_statistics("acc::mpi::all_reduce", comm, -1, std::span<S>(all));
}

/// As all_reduce, but the rank `root` alone gets the merged statistics; the others' are unchanged.
template <class S>
  requires impl::is_statistics<S>
void reduce(MPI_Comm comm, int root, S& one) {
  impl::check_root("acc::mpi::reduce", root);
  impl::reduce_statistics("acc::mpi::reduce", comm, root, std::span<S>(&one, 1));
}
/// Those of many fields.
template <class S, std::size_t N>
  requires impl::is_statistics<S>
void reduce(MPI_Comm comm, int root, std::span<S, N> all) {
  impl::check_root("acc::mpi::reduce", root);
  impl::reduce_statistics("acc::mpi::reduce", comm, root, std::span<S>(all));
}
/// A std::array of them.
template <class S, std::size_t N>
  requires impl::is_statistics<S>
void reduce(MPI_Comm comm, int root, std::array<S, N>& all) {
  reduce(comm, root, std::span(all));
}

}  // namespace acc::mpi

#endif
