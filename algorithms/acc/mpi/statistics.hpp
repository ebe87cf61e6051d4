// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MPI_STATISTICS_HPP
#define ACC_MPI_STATISTICS_HPP

/// \file
/// Statistics of numbers that are distributed over ranks, and merging those of all ranks.

#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/exact/quotient.hpp>
#include <acc/core/exact/wire.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/impl/exact_sums.hpp>
#include <acc/impl/reduce.hpp>
#include <acc/mpi/all_reduce.hpp>
#include <acc/mpi/merge_operation.hpp>
#include <acc/mpi/sum.hpp>
#include <acc/statistics.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

/// Some sums of the same numbers, and their count.
template <class T, int N>
struct counted_sums {
  std::int64_t count;
  superaccumulator<T> sum[N];
};
template <class T, int N>
struct parts_of<counted_sums<T, N>> {
  using type = superaccumulator<T>;
  static constexpr int count = N;
  static type& get(counted_sums<T, N>& s, int i) { return s.sum[i]; }
};

template <class S>
inline constexpr bool is_statistics = false;
template <class T>
inline constexpr bool is_statistics<statistics<T>> = true;
template <class T>
inline constexpr bool is_statistics<joint_statistics<T>> = true;

/// The sums and the count of statistics S, as an element of a message: 32-bit words all of them.
template <class S>
struct merged_statistics {
  using parts = parts_of<S>;
  using window = element_t<typename parts::type>;
  static constexpr int words = parts::count * window::words + 2;

  window sum[parts::count];
  std::uint32_t low, high;  ///< of the count

  explicit merged_statistics(S& s)
      : merged_statistics(s, std::make_integer_sequence<int, parts::count>()) {}
  static MPI_Datatype word_type() { return MPI_UINT32_T; }
  bool wide() const {
    return std::any_of(sum, sum + parts::count, [](const window& w) { return w.wide(); });
  }
  void check(const char* function, int ranks) const {
    for (const window& w : sum) w.check(function, ranks);
  }
  std::int64_t count() const { return static_cast<std::int64_t>(std::uint64_t(high) << 32 | low); }
  void merge(const merged_statistics& other) {
    for (int k = 0; k < parts::count; ++k) sum[k].merge(other.sum[k]);
    const std::uint64_t all =
        static_cast<std::uint64_t>(count()) + static_cast<std::uint64_t>(other.count());
    low = static_cast<std::uint32_t>(all);
    high = static_cast<std::uint32_t>(all >> 32);
  }

 private:
  template <int... K>
  merged_statistics(S& s, std::integer_sequence<int, K...>)
      : sum{window(parts::get(s, K))...},
        low(static_cast<std::uint32_t>(s.count)),
        high(static_cast<std::uint32_t>(static_cast<std::uint64_t>(s.count) >> 32)) {}
};

/// On all ranks: sums and counts in one message. Sums that are wide, of which there hardly ever are
/// any, go once more, all of them in a second one.
template <class S>
void all_reduce_statistics(const char* function, MPI_Comm comm, int ranks, std::span<S> all) {
  using element = merged_statistics<S>;
  using parts = parts_of<S>;
  const auto n = static_cast<std::int64_t>(all.size());
  message<element> m(n);
  for (std::int64_t i = 0; i < n; ++i) new (m.data() + i) element(all[std::size_t(i)]);
  std::vector<part_t<S>*> wide;
  if (merge_elements_of_ranks(function, comm, ranks, -1, n, m.data()) != 0) {
    for (std::int64_t i = 0; i < n; ++i)
      for (int k = 0; k < parts::count; ++k)
        if (m.data()[i].sum[k].wide()) wide.push_back(&parts::get(all[std::size_t(i)], k));
    reduce_wires<part_t<S>>(
        function, comm, ranks, -1, static_cast<std::int64_t>(wide.size()),
        [&](std::int64_t i) -> part_t<S>& { return *wide[static_cast<std::size_t>(i)]; });
  }
  for (std::int64_t i = 0; i < n; ++i) {
    S& s = all[std::size_t(i)];
    const element& e = m.data()[i];
    s.count = e.count();
    for (int k = 0; k < parts::count; ++k)
      if (!e.sum[k].wide()) parts::get(s, k) = e.sum[k].sum();
  }
}

/// To one rank, who alone would know which sums are wide: wire forms and counts, in one message by
/// MPI's own integer sum.
template <class S>
void reduce_statistics_to(const char* function, MPI_Comm comm, int ranks, int root,
                          std::span<S> all) {
  using parts = parts_of<S>;
  constexpr int words = part_t<S>::wire_words;
  struct wire {
    std::int64_t word[parts::count][words], count;
  };
  const auto n = static_cast<std::int64_t>(all.size());
  message<wire> m(n);
  for (std::int64_t i = 0; i < n; ++i) {
    S& s = all[std::size_t(i)];
    for (int k = 0; k < parts::count; ++k) parts::get(s, k).to_wire(m.data()[i].word[k]);
    m.data()[i].count = s.count;
  }
  constexpr int all_words = sizeof(wire) / sizeof(std::int64_t);
  if (!reduce_in_place(function, comm, root, m.data(), static_cast<int>(n) * all_words, MPI_INT64_T,
                       MPI_SUM))
    return;
  for (std::int64_t i = 0; i < n; ++i) {
    S& s = all[std::size_t(i)];
    for (int k = 0; k < parts::count; ++k) {
      const std::int64_t* w = m.data()[i].word[k];
      if (w[1] != ranks)
        acc::impl::reject_wire(function, "[1] is not the number of ranks", w[1], ranks);
      parts::get(s, k) = part_t<S>::from_wire(w, words);
    }
    s.count = m.data()[i].count;
  }
}

/// Merges statistics with those of the other ranks, at root, or, where that is negative, on all
/// ranks: by one message up to message_parts sums, else as many as it takes.
template <class S>
void reduce_statistics(const char* function, MPI_Comm comm, int root, std::span<S> all) {
  constexpr auto most = static_cast<std::size_t>(message_parts / parts_of<S>::count);
  const int ranks = check_ranks(function, comm, root);
  const Kokkos::Profiling::ScopedRegion region(function);
  for (std::size_t first = 0; first < all.size(); first += most) {
    const auto some = all.subspan(first, std::min(most, all.size() - first));
    if (root < 0)
      all_reduce_statistics(function, comm, ranks, some);
    else
      reduce_statistics_to(function, comm, ranks, root, some);
  }
}

}  // namespace impl

/// Merges each rank's statistics with those of all other ranks of comm: afterwards mean, variance
/// and covariance have on every rank the bits of all numbers at once, for any number of ranks and
/// any distribution. S: acc::statistics or acc::joint_statistics.
///
/// Collective, under the terms of all_reduce of accumulators: two or three exact sums and the count
/// in one message.
template <class S>
  requires impl::is_statistics<S>
void all_reduce(MPI_Comm comm, S& one) {
  impl::reduce_statistics("acc::mpi::all_reduce", comm, -1, std::span<S>(&one, 1));
}
/// Those of many fields: all[i] with the all[i] of the other ranks, all of them in one message.
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

/// The mean of the numbers of all ranks, correctly rounded. Every rank gets the same bits: those of
/// acc::mean of all of them, for any number of ranks and any distribution.
///
/// \param comm   intra-communicator; collective: every rank calls with the same types
/// \param exec   execution space instance of this rank; fenced
/// \param x      this rank's numbers, none or more: a View of rank 1 to 8 as for acc::mean
/// \return       the mean in the type that acc::mean returns; error and special values are its own
///
/// One message of 136 bytes (float: 108): an exact sum, as all_reduce, and the count.
/// \throws std::invalid_argument as acc::mean and all_reduce. What acc::mean rejects is rejected
///         before any communication, on that rank alone; the other ranks wait for it.
template <kokkos_execution_space Exec, kokkos_view X>
auto mean(MPI_Comm comm, const Exec& exec, const X& x) {
  using T = acc::impl::result_t<typename X::non_const_value_type>;
  ACC_CHECK_NUMBERS("acc::mpi::mean", "x", Exec, X, x);
  impl::counted_sums<T, 1> all{
      acc::impl::elements_of(x),
      {impl::local_sum<acc::impl::sum_terms<1>, exact>("acc::mpi::mean", exec, x, x)}};
  impl::reduce_statistics("acc::mpi::mean", comm, -1, std::span(&all, 1));
  return acc::impl::rounded_mean(all.sum[0], all.count);
}

/// The weighted mean (sum of w_i x_i) / (sum of w_i) of the numbers of all ranks, as
/// acc::weighted_mean, under the same terms as `mean`.
/// \throws std::invalid_argument as `mean`, and if this rank's x and w differ in their extents
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view W>
auto weighted_mean(MPI_Comm comm, const Exec& exec, const X& x, const W& w) {
  using T = acc::impl::result_t<typename X::non_const_value_type>;
  ACC_CHECK_PAIRS("acc::mpi::weighted_mean", "x", "w", Exec, X, W, x, w);
  const acc::impl::exact_sums<T, 2> own(
      exec, "acc::mpi::weighted_mean",
      acc::impl::sums_for_weighted_mean(exec, "acc::mpi::weighted_mean", x, w));
  impl::counted_sums<T, 2> all{acc::impl::elements_of(x), {own.of[0], own.of[1]}};
  impl::reduce_statistics("acc::mpi::weighted_mean", comm, -1, std::span(&all, 1));
  return acc::impl::rounded_ratio(all.sum[0], all.sum[1]);
}

/// The variance of the numbers of all ranks, as acc::variance, under the same terms as `mean`. All
/// ranks give the same ddof.
/// \throws std::invalid_argument as `mean`, and if ddof is negative
template <kokkos_execution_space Exec, kokkos_view X>
auto variance(MPI_Comm comm, const Exec& exec, const X& x, std::int64_t ddof = 0) {
  ACC_CHECK_NUMBERS("acc::mpi::variance", "x", Exec, X, x);
  acc::impl::check_ddof("acc::mpi::variance", ddof);
  auto all = acc::impl::statistics_of(exec, "acc::mpi::variance", x);
  impl::reduce_statistics("acc::mpi::variance", comm, -1, std::span(&all, 1));
  return all.variance(ddof);
}

/// The covariance of the numbers of all ranks, as acc::covariance, under the same terms as
/// `variance`.
/// \throws std::invalid_argument as `mean`, and if this rank's x and y differ in their extents
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view Y>
auto covariance(MPI_Comm comm, const Exec& exec, const X& x, const Y& y, std::int64_t ddof = 0) {
  ACC_CHECK_PAIRS("acc::mpi::covariance", "x", "y", Exec, X, Y, x, y);
  acc::impl::check_ddof("acc::mpi::covariance", ddof);
  auto all = acc::impl::statistics_of(exec, "acc::mpi::covariance", x, y);
  impl::reduce_statistics("acc::mpi::covariance", comm, -1, std::span(&all, 1));
  return all.covariance(ddof);
}

// On the default instance of x's execution space.
template <kokkos_view X>
auto mean(MPI_Comm comm, const X& x) {
  return mean(comm, typename X::execution_space{}, x);
}
template <kokkos_view X, kokkos_view W>
auto weighted_mean(MPI_Comm comm, const X& x, const W& w) {
  return weighted_mean(comm, typename X::execution_space{}, x, w);
}
template <kokkos_view X>
auto variance(MPI_Comm comm, const X& x, std::int64_t ddof = 0) {
  return variance(comm, typename X::execution_space{}, x, ddof);
}
template <kokkos_view X, kokkos_view Y>
auto covariance(MPI_Comm comm, const X& x, const Y& y, std::int64_t ddof = 0) {
  return covariance(comm, typename X::execution_space{}, x, y, ddof);
}

}  // namespace acc::mpi

#endif
