// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MPI_SCATTER_SUM_HPP
#define ACC_MPI_SCATTER_SUM_HPP

/// \file
/// Merging the sums to which the kernels of all ranks have added.

#include <acc/backends/scatter.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/impl/exact_sums.hpp>
#include <acc/mpi/all_reduce.hpp>
#include <acc/mpi/error.hpp>
#include <acc/mpi/kept.hpp>
#include <acc/scatter_sum.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <string>
#include <type_traits>
#include <utility>

namespace acc::mpi {
namespace impl {

/// Writes the limbs of sums, carried: digits, which 2^30 ranks add up to less than 2^46, and the
/// last limb in two words, as the sum of many may not fit one.
template <class Sums>
struct write_limbs_kernel {
  Sums sums;
  std::int64_t* words;
  std::uint32_t* kinds;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const int count = sums.window.count;
    const auto limb = sums.sum(first + i);
    sums.window.carry(limb);
    std::int64_t* to = words + i * (count + 1);
    for (int k = 0; k < count - 1; ++k) to[k] = limb(k);
    to[count - 1] = limb(count - 1) & 0xffffffff;
    to[count] = limb(count - 1) >> 32;
    kinds[i] = sums.kinds[first + i];
  }
};
/// Reads what all ranks' add up to. A sum that its limbs do not hold is noted.
template <class Sums>
struct read_limbs_kernel {
  Sums sums;
  const std::int64_t* words;
  const std::uint32_t* kinds;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const int count = sums.window.count;
    const auto limb = sums.sum(first + i);
    const std::int64_t* from = words + i * (count + 1);
    std::int64_t carry = 0;
    for (int k = 0; k < count - 1; ++k) {
      carry += from[k];
      limb(k) = carry & 0xffff;
      carry >>= 16;
    }
    static_assert(decltype(sums.window)::spacing == 16);
    carry += from[count - 1];
    const std::int64_t high = from[count] + (carry >> 32);
    constexpr std::int64_t most = std::int64_t(1) << 30;
    const bool fits = high < most && high >= -most;
    limb(count - 1) = fits ? high * (std::int64_t(1) << 32) + (carry & 0xffffffff) : 0;
    const bool held = fits && sums.window.holds(limb(count - 1));
    sums.kinds[first + i] = kinds[i] | (held ? 0u : backends::outside_range);
  }
};

/// Sums of a stated range, at root, or, where root is negative, on all ranks: their limbs, which
/// are few, by MPI's own integer sum, and the kinds of their numbers.
template <class Exec, class S>
void reduce_limbs(const char* function, MPI_Comm comm, int root, const Exec& exec, const S& s) {
  using memory = typename S::memory_space;
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const auto sums = acc::impl::scatter_internals::sums_of(s);
  using sums_type = std::remove_const_t<decltype(sums)>;
  constexpr int parts = acc::impl::components_of<typename S::value_type>;
  const std::int64_t n = s.size() * parts, most = std::min(n, sums_at_once);
  const std::int64_t words = sums.window.count + 1;
  const auto bytes =
      static_cast<std::size_t>(most) * (static_cast<std::size_t>(words) * sizeof(std::int64_t) + 4);
  const kept_memory<Exec, memory> there_memory(function, exec, bytes);
  const kept_host_memory here_memory(function, {}, bytes);
  const auto there = there_memory.template as<std::byte>(bytes);
  const auto here = here_memory.template as<std::byte>(bytes);
  const Kokkos::Profiling::ScopedRegion region(function);
  const auto words_at = [](std::byte* at) { return reinterpret_cast<std::int64_t*>(at); };
  for (std::int64_t first = 0; first < n; first += most) {
    const std::int64_t some = std::min(n - first, most);
    const auto kinds_at = [&](std::byte* at) {
      return reinterpret_cast<std::uint32_t*>(words_at(at) + some * words);
    };
    const std::pair<std::size_t, std::size_t> used(
        0, static_cast<std::size_t>(some) *
               (static_cast<std::size_t>(words) * sizeof(std::int64_t) + 4));
    Kokkos::parallel_for(
        function, policy(exec, 0, some),
        write_limbs_kernel<sums_type>{sums, words_at(there.data()), kinds_at(there.data()), first});
    std::byte* at = there.data();
    if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, memory>::accessible) {
      Kokkos::deep_copy(exec, Kokkos::subview(here, used), Kokkos::subview(there, used));
      at = here.data();
    }
    exec.fence(function);
    const bool here_too = reduce_in_place(function, comm, root, words_at(at),
                                          static_cast<int>(some * words), MPI_INT64_T, MPI_SUM);
    reduce_in_place(function, comm, root, kinds_at(at), static_cast<int>(some), MPI_UINT32_T,
                    MPI_BOR);
    if (!here_too) continue;
    if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, memory>::accessible)
      Kokkos::deep_copy(exec, Kokkos::subview(there, used), Kokkos::subview(here, used));
    Kokkos::parallel_for(
        function, policy(exec, 0, some),
        read_limbs_kernel<sums_type>{sums, words_at(there.data()), kinds_at(there.data()), first});
  }
  exec.fence(function);  // before its memory is left to others
}

/// Sums of any numbers, as exact sums.
template <class Exec, class S>
void reduce_exact_sums(const char* function, MPI_Comm comm, int root, const Exec& exec,
                       const S& s) {
  using total = superaccumulator<typename S::value_type>;
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using internals = acc::impl::scatter_internals;
  const std::int64_t n = s.size(), most = std::min(n, sums_at_once);
  const kept_memory<Exec, typename S::memory_space> memory(
      function, exec, static_cast<std::size_t>(most) * sizeof(total));
  const auto totals = memory.template as<total>(static_cast<std::size_t>(most));
  const bool here = gets_result(function, comm, root);
  for (std::int64_t first = 0; first < n; first += most) {
    const std::int64_t count = std::min(most, n - first);
    const auto block = Kokkos::subview(totals, std::pair<std::int64_t, std::int64_t>(0, count));
    Kokkos::parallel_for(function, policy(exec, 0, count),
                         acc::impl::empty_sums_kernel<total>{block.data()});
    internals::add_to(exec, function, s, first, block);
    reduce_view(function, comm, root, exec, block);
    if (here) internals::set(exec, function, s, first, block);
  }
  exec.fence(function);  // before its memory is left to others
}

/// All the sums of a scatter_sum.
template <class Exec, class S>
void reduce_scattered(const char* function, MPI_Comm comm, int root, const Exec& exec, const S& s) {
  using internals = acc::impl::scatter_internals;
  check_ranks(function, comm, root);
  check_same(function, comm,
             {{"the number of sums is", s.size()},
              {"the sums' unit is 2 to the power of", internals::sums_of(s).window.unit},
              {"the sums' top is 2 to the power of", internals::top_of(s)},
              {"the sums have a number of limbs of", internals::sums_of(s).window.count}});
  if (s.size() == 0) return;
  if (internals::has_stated_range(s))
    reduce_limbs(function, comm, root, exec, s);
  else
    reduce_exact_sums(function, comm, root, exec, s);
}

}  // namespace impl

/// Merges the sums of an acc::scatter_sum, to which this rank's kernels have added, with those of
/// all other ranks of comm: sum b with sum b. Afterwards every rank has the sums of what all ranks
/// have added, with the same bits for any number of ranks and any distribution.
///
/// \param comm  intra-communicator; collective: every rank calls with as many sums of the same type
///              and range
/// \param exec  execution space instance that reaches the sums; fenced. What other instances add
///              must be there: fence them
/// \param sums  this rank's sums
///
/// For 2^16 sums at a time. First one message of eight integers. Sums of a stated range then take
/// two messages, 12 bytes per sum and part and 8 for each limb; their memory is the same, on the
/// device and on the host. Sums of any numbers take one message as all_reduce of exact sums, 128
/// bytes (float: 100) per sum and part; their memory is a superaccumulator for each. The memory is
/// kept for later calls.
/// `round` throws on all ranks if a number on any rank was beyond the range, or if a sum, on one
/// rank or merged, does not fit.
/// \throws std::invalid_argument as all_reduce of accumulators, and on all ranks if they do not
///         have as many sums of the same range
template <kokkos_execution_space Exec, class T, class Space>
void all_reduce(MPI_Comm comm, const Exec& exec, const scatter_sum<T, Space>& sums) {
  using memory = typename scatter_sum<T, Space>::memory_space;
  ACC_CHECK_REACHES("acc::mpi::all_reduce", Exec, memory);
  impl::reduce_scattered("acc::mpi::all_reduce", comm, -1, exec, sums);
}
/// On the default instance of the sums' execution space.
template <class T, class Space>
void all_reduce(MPI_Comm comm, const scatter_sum<T, Space>& sums) {
  all_reduce(comm, typename scatter_sum<T, Space>::execution_space{}, sums);
}

/// As all_reduce, but the rank `root` alone gets the sums of all ranks; the others' are what they
/// were. Sums of any numbers go by MPI_SUM of their wire forms, 1128 bytes (float: 216) per sum and
/// part. `round` throws for a number beyond the range at root, and on the rank that has it.
/// \throws std::invalid_argument as all_reduce, and if comm has no rank `root`
template <kokkos_execution_space Exec, class T, class Space>
void reduce(MPI_Comm comm, int root, const Exec& exec, const scatter_sum<T, Space>& sums) {
  using memory = typename scatter_sum<T, Space>::memory_space;
  ACC_CHECK_REACHES("acc::mpi::reduce", Exec, memory);
  impl::check_root("acc::mpi::reduce", root);
  impl::reduce_scattered("acc::mpi::reduce", comm, root, exec, sums);
}
/// On the default instance of the sums' execution space.
template <class T, class Space>
void reduce(MPI_Comm comm, int root, const scatter_sum<T, Space>& sums) {
  reduce(comm, root, typename scatter_sum<T, Space>::execution_space{}, sums);
}

}  // namespace acc::mpi

#endif
