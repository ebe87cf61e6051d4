// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MPI_ALL_REDUCE_HPP
#define ACC_MPI_ALL_REDUCE_HPP

/// \file
/// Merging the accumulators of all ranks.

#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/exact/wire.hpp>
#include <acc/mpi/error.hpp>
#include <acc/mpi/kept.hpp>
#include <acc/mpi/merge_operation.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace acc::mpi {
namespace impl {

/// Room for n elements of a message: on the stack up to a page.
template <class Element>
class message {
 public:
  explicit message(std::int64_t n) {
    if (n > small)
      large_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(n) *
                                                           sizeof(Element));
  }
  Element* data() { return reinterpret_cast<Element*>(large_ ? large_.get() : small_); }

 private:
  static constexpr std::int64_t page = 4096;
  static constexpr std::int64_t small = page / sizeof(Element);
  alignas(Element) std::byte small_[page];
  std::unique_ptr<std::byte[]> large_;
};

/// Whether this rank gets what is merged at root, or, where root is negative, on all ranks.
inline bool gets_result(const char* function, MPI_Comm comm, int root) {
  if (root < 0) return true;
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), function, "MPI_Comm_rank");
  return rank == root;
}

/// MPI_Allreduce, or, where root is not negative, MPI_Reduce, in place. Whether the result is here.
inline bool reduce_in_place(const char* function, MPI_Comm comm, int root, void* data, int count,
                            MPI_Datatype type, MPI_Op op) {
  const bool here = gets_result(function, comm, root);
  if (root < 0)
    check(MPI_Allreduce(MPI_IN_PLACE, data, count, type, op, comm), function, "MPI_Allreduce");
  else
    check(here ? MPI_Reduce(MPI_IN_PLACE, data, count, type, op, root, comm)
               : MPI_Reduce(data, nullptr, count, type, op, root, comm),
          function, "MPI_Reduce");
  return here;
}

/// Exact sums by MPI's own integer sum of their wire forms. part(i) is the i-th of n.
template <class Part, class PartAt>
void reduce_wires(const char* function, MPI_Comm comm, int ranks, int root, std::int64_t n,
                  const PartAt& part) {
  struct wire {
    std::int64_t word[Part::wire_words];
  };
  message<wire> m(n);
  for (std::int64_t i = 0; i < n; ++i) part(i).to_wire(m.data()[i].word);
  if (!reduce_in_place(function, comm, root, m.data(), static_cast<int>(n) * Part::wire_words,
                       MPI_INT64_T, MPI_SUM))
    return;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t* words = m.data()[i].word;
    if (words[1] != ranks)
      acc::impl::reject_wire(function, "[1] is not the number of ranks", words[1], ranks);
    part(i) = Part::from_wire(words, Part::wire_words);
  }
}

/// What n sums travel as, merged in host memory by their MPI_Op. How many of them are wide, which
/// all ranks agree on; -1 where the result is not here.
template <class Element>
std::int64_t merge_elements_of_ranks(const char* function, MPI_Comm comm, int ranks, int root,
                                     std::int64_t n, Element* elements) {
  const auto [type, op] = owned_merge_operation<Element>::get(function);
  if (!reduce_in_place(function, comm, root, elements, static_cast<int>(n), type, op)) return -1;
  std::int64_t wide = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    elements[i].check(function, ranks);
    wide += elements[i].wide();
  }
  return wide;
}

/// Any sums by the MPI_Op that merges what they travel as. On all ranks those that are wide, of
/// which there hardly ever are any, go once more, all of them in one message.
template <class Part, class PartAt>
void reduce_elements(const char* function, MPI_Comm comm, int ranks, int root, std::int64_t n,
                     const PartAt& part) {
  using element = element_t<Part>;
  message<element> m(n);
  for (std::int64_t i = 0; i < n; ++i) new (m.data() + i) element(part(i));
  const std::int64_t wide = merge_elements_of_ranks(function, comm, ranks, root, n, m.data());
  if (wide < 0) return;
  if constexpr (wire_is_summable<Part>) {
    if (wide != 0) {
      std::vector<std::int64_t> which;
      for (std::int64_t i = 0; i < n; ++i)
        if (m.data()[i].wide()) which.push_back(i);
      reduce_wires<Part>(function, comm, ranks, root, wide,
                         [&](std::int64_t i) -> Part& { return part(which[std::size_t(i)]); });
    }
  }
  for (std::int64_t i = 0; i < n; ++i)
    if (wide == 0 || !m.data()[i].wide()) part(i) = m.data()[i].sum();
}

/// Parts of a message at most; of exact sums, 128 MiB, or, if all are wide, 1.1 GiB.
inline constexpr std::int64_t message_parts = std::int64_t(1) << 20;

/// The ranks of comm, which must have `root`, if that is not negative, and not too many.
inline int check_ranks(const char* function, MPI_Comm comm, int root) {
  const int ranks = check_communicator(function, comm);
  if (root >= ranks)
    throw std::invalid_argument(std::string(function) + ": root is " + std::to_string(root) +
                                ", but comm has " + std::to_string(ranks) + " ranks");
  if (ranks > max_wire_contributions)
    throw std::invalid_argument(std::string(function) + ": comm has more than 2^30 ranks");
  return ranks;
}

/// Merges n accumulators each with those of the other ranks, at root, or, where root is negative,
/// on all ranks: by one message up to MessageParts, else as many as it takes.
/// A: anything with parts_of.
template <std::int64_t MessageParts = message_parts, class A>
void reduce_sums(const char* function, MPI_Comm comm, int root, A* sums, std::int64_t n) {
  using parts = parts_of<A>;
  using part = part_t<A>;
  const int ranks = check_ranks(function, comm, root);
  const Kokkos::Profiling::ScopedRegion region(function);  // a profiler shows the wait for others
  for (std::int64_t first = 0; first < n * parts::count; first += MessageParts) {
    const std::int64_t rest = n * parts::count - first;
    const auto at = [&](std::int64_t i) -> part& {
      return parts::get(sums[(first + i) / parts::count],
                        static_cast<int>((first + i) % parts::count));
    };
    // To a root, who alone would know which sums are wide, exact ones go as a whole.
    if constexpr (wire_is_summable<part>) {
      if (root >= 0) {
        reduce_wires<part>(function, comm, ranks, root, std::min(rest, MessageParts), at);
        continue;
      }
    }
    reduce_elements<part>(function, comm, ranks, root, std::min(rest, MessageParts), at);
  }
}

inline void check_root(const char* function, int root) {
  if (root < 0)
    throw std::invalid_argument(std::string(function) + ": root is " + std::to_string(root));
}

/// A number that all ranks must have alike. `what`: "r has extent".
struct same_number {
  const char* what;
  std::int64_t value;
};
/// Throws on all ranks where they do not have the same numbers. One message.
template <std::size_t N>
void check_same(const char* function, MPI_Comm comm, const same_number (&numbers)[N]) {
  std::int64_t most[2 * N];
  for (std::size_t k = 0; k < N; ++k) {
    most[2 * k] = numbers[k].value;
    most[2 * k + 1] = -numbers[k].value;
  }
  check(MPI_Allreduce(MPI_IN_PLACE, most, static_cast<int>(2 * N), MPI_INT64_T, MPI_MAX, comm),
        function, "MPI_Allreduce");
  for (std::size_t k = 0; k < N; ++k)
    if (most[2 * k] != -most[2 * k + 1])
      throw std::invalid_argument(std::string(function) + ": " + numbers[k].what + " " +
                                  std::to_string(numbers[k].value) + " on this rank, but " +
                                  std::to_string(-most[2 * k + 1]) + " to " +
                                  std::to_string(most[2 * k]) + " on all");
}
/// The same of one number.
inline void check_same_extent(const char* function, MPI_Comm comm, const char* what,
                              std::int64_t extent) {
  check_same(function, comm, {{what, extent}});
}

/// Sums that are there at the same time: 67 MiB for doubles, complex twice that.
inline constexpr std::int64_t sums_at_once = std::int64_t(1) << 16;

template <class V>
concept accumulator_view =
    kokkos_view<V> && accumulator<typename V::non_const_value_type> &&
    std::is_same_v<typename V::value_type, typename V::non_const_value_type> && V::rank <= 1;

/// The same for a View of rank 1 by way of a copy in host memory. exec is fenced.
template <class Exec, accumulator_view V>
void reduce_copy(const char* function, MPI_Comm comm, int root, const Exec& exec, const V& sums) {
  using sum = typename V::value_type;
  using space = typename V::memory_space;
  const std::size_t n = sums.extent(0), bytes = n * sizeof(sum);
  // Spaces are crossed by contiguous Views alone.
  const bool contiguous = sums.span_is_contiguous();
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  std::optional<kept_memory<Exec, space>> together;
  Kokkos::View<sum*, space, unmanaged> packed(sums.data(), n);
  if (!contiguous) {
    packed = together.emplace(function, exec, bytes).template as<sum>(n);
    Kokkos::deep_copy(exec, packed, sums);
  }
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, space>::accessible) {
    exec.fence(function);
    reduce_sums(function, comm, root, packed.data(), static_cast<std::int64_t>(n));
  } else {
    const kept_host_memory here(function, {}, bytes);
    const auto host = here.template as<sum>(n);
    Kokkos::deep_copy(exec, host, packed);
    exec.fence(function);
    reduce_sums(function, comm, root, host.data(), static_cast<std::int64_t>(n));
    Kokkos::deep_copy(exec, packed, host);
    exec.fence(function);
  }
  if (!contiguous) Kokkos::deep_copy(exec, sums, packed);
  exec.fence(function);
}

/// Writes what sums travel as, from the part `first` on.
template <class V>
struct write_elements_kernel {
  using parts = parts_of<typename V::non_const_value_type>;
  using element = element_t<typename parts::type>;
  V sums;
  element* elements;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t p = first + i;
    new (elements + i) element(parts::get(sums(p / parts::count), int(p % parts::count)));
  }
};
/// Reads it, once it is merged.
template <class V>
struct read_elements_kernel {
  using parts = parts_of<typename V::non_const_value_type>;
  using element = element_t<typename parts::type>;
  V sums;
  const element* elements;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t p = first + i;
    parts::get(sums(p / parts::count), int(p % parts::count)) = elements[i].sum();
  }
};

/// The same on all ranks for a View that exec's kernels read and write: what travels, an eighth of
/// an exact sum of doubles, is all that is copied to the host and back. exec is fenced.
template <std::int64_t MessageParts = message_parts, class Exec, accumulator_view V>
void all_reduce_by_kernels(const char* function, MPI_Comm comm, const Exec& exec, const V& sums) {
  using write = write_elements_kernel<V>;
  using read = read_elements_kernel<V>;
  using element = typename write::element;
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  constexpr std::int64_t parts = write::parts::count;
  static_assert(MessageParts % parts == 0);
  const int ranks = check_ranks(function, comm, -1);
  const Kokkos::Profiling::ScopedRegion region(function);
  const std::int64_t n = static_cast<std::int64_t>(sums.extent(0)) * parts;
  const auto bytes = static_cast<std::size_t>(std::min(n, MessageParts)) * sizeof(element);
  const kept_memory<Exec, typename V::memory_space> there_memory(function, exec, bytes);
  const kept_host_memory here_memory(function, {}, bytes);
  const auto there = there_memory.template as<std::byte>(bytes);
  const auto here = here_memory.template as<std::byte>(bytes);
  auto* const on_device = reinterpret_cast<element*>(there.data());
  auto* const on_host = reinterpret_cast<element*>(here.data());
  for (std::int64_t first = 0; first < n; first += MessageParts) {
    const std::int64_t some = std::min(n - first, MessageParts);
    const std::pair<std::size_t, std::size_t> used(0, std::size_t(some) * sizeof(element));
    Kokkos::parallel_for(function, policy(exec, 0, some), write{sums, on_device, first});
    Kokkos::deep_copy(exec, Kokkos::subview(here, used), Kokkos::subview(there, used));
    exec.fence(function);
    if (merge_elements_of_ranks(function, comm, ranks, -1, some, on_host) == 0) {
      Kokkos::deep_copy(exec, Kokkos::subview(there, used), Kokkos::subview(here, used));
      Kokkos::parallel_for(function, policy(exec, 0, some), read{sums, on_device, first});
    } else {  // the wide ones have been lost
      reduce_copy(function, comm, -1, exec,
                  Kokkos::subview(sums, std::pair(std::size_t(first / parts),
                                                  std::size_t((first + some) / parts))));
    }
  }
  exec.fence(function);
}

/// Sums whose copies take less time than the kernels that would shorten them.
inline constexpr std::size_t sums_to_copy = 64;

/// The same for a View of rank 0 or 1 in any memory space. exec is fenced. MPI is given host
/// memory, never a device's.
template <class Exec, accumulator_view V>
void reduce_view(const char* function, MPI_Comm comm, int root, const Exec& exec, const V& sums) {
  acc::impl::check_data(function, "sums", sums);
  exec.fence(function);
  if constexpr (V::rank == 0) {
    reduce_view(function, comm, root, exec,
                Kokkos::View<typename V::value_type*, typename V::memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>(sums.data(), 1));
  } else if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                                  typename V::memory_space>::accessible) {
    if (sums.span_is_contiguous())
      return reduce_sums(function, comm, root, sums.data(),
                         static_cast<std::int64_t>(sums.extent(0)));
    reduce_copy(function, comm, root, exec, sums);
  } else {
    if constexpr (Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible) {
      if (root < 0 && sums.extent(0) > sums_to_copy)
        return all_reduce_by_kernels(function, comm, exec, sums);
    }
    reduce_copy(function, comm, root, exec, sums);
  }
}

}  // namespace impl

/// Merges each rank's `sum` with those of all other ranks of comm. Afterwards every rank has the
/// normalized state of one accumulator that holds all elements: the same bits for any number of
/// ranks and any distribution. A rank without elements gives an empty accumulator.
///
/// Collective: every rank calls it with an accumulator of the same type. One MPI_Allreduce of 128
/// bytes (superaccumulator<double>; float: 100) or A::wire_words 64-bit integers (binned) a real
/// sum, from the stack, with a commutative MPI_Op that is made at the first call and freed by
/// MPI_Finalize. Where the elements of an exact sum of doubles, all ranks', span more than 260
/// decades, a second one: MPI's own MPI_SUM of their wire forms, 1128 bytes (docs/distributed.md).
///
/// \throws std::invalid_argument if comm is MPI_COMM_NULL or an inter-communicator, or if what MPI
///         has merged is not of this type, version and number of ranks (ranks with different
///         accumulators, or versions of acc). sum is then unspecified.
/// \throws std::runtime_error if MPI reports an error and comm's error handler returns it
template <accumulator A>
void all_reduce(MPI_Comm comm, A& sum) {
  impl::reduce_sums("acc::mpi::all_reduce", comm, -1, &sum, 1);
}

/// Many accumulators in one message: sums[i] with the sums[i] of all other ranks. All ranks have
/// the same number of them; MPI need not detect a mismatch. More than 2^20 real sums take several
/// messages. A buffer of the message's size is allocated if that is above 4 KiB.
template <accumulator A, std::size_t N>
void all_reduce(MPI_Comm comm, std::span<A, N> sums) {
  impl::reduce_sums("acc::mpi::all_reduce", comm, -1, sums.data(),
                    static_cast<std::int64_t>(sums.size()));
}
/// A std::array of them: their number is part of the type.
template <accumulator A, std::size_t N>
void all_reduce(MPI_Comm comm, std::array<A, N>& sums) {
  all_reduce(comm, std::span(sums));
}

/// The same for a View of rank 0 or 1, in the memory of any execution space and of any layout.
/// The call waits for exec first. MPI reads and writes host memory, so it need not know of devices:
/// from a device's memory what travels is copied to the host and back, and kernels write and read
/// it; up to 64 accumulators, which take no longer, are copied themselves.
/// \throws std::invalid_argument as above, and if sums has elements but no data
template <kokkos_execution_space Exec, impl::accumulator_view V>
void all_reduce(MPI_Comm comm, const Exec& exec, const V& sums) {
  impl::reduce_view("acc::mpi::all_reduce", comm, -1, exec, sums);
}
/// On the default instance of the View's execution space.
template <impl::accumulator_view V>
void all_reduce(MPI_Comm comm, const V& sums) {
  all_reduce(comm, typename V::execution_space{}, sums);
}

/// As all_reduce, but the rank `root` alone gets the merged sum; the others' are unchanged. Exact
/// sums go by MPI_SUM of their wire forms.
/// \throws std::invalid_argument as all_reduce (about the wire form: at root alone), and if comm
///         has no rank `root`
template <accumulator A>
void reduce(MPI_Comm comm, int root, A& sum) {
  impl::check_root("acc::mpi::reduce", root);
  impl::reduce_sums("acc::mpi::reduce", comm, root, &sum, 1);
}
/// Many accumulators, as in all_reduce.
template <accumulator A, std::size_t N>
void reduce(MPI_Comm comm, int root, std::span<A, N> sums) {
  impl::check_root("acc::mpi::reduce", root);
  impl::reduce_sums("acc::mpi::reduce", comm, root, sums.data(),
                    static_cast<std::int64_t>(sums.size()));
}
/// A std::array of them, as in all_reduce.
template <accumulator A, std::size_t N>
void reduce(MPI_Comm comm, int root, std::array<A, N>& sums) {
  reduce(comm, root, std::span(sums));
}
/// A View of accumulators, as in all_reduce.
template <kokkos_execution_space Exec, impl::accumulator_view V>
void reduce(MPI_Comm comm, int root, const Exec& exec, const V& sums) {
  impl::check_root("acc::mpi::reduce", root);
  impl::reduce_view("acc::mpi::reduce", comm, root, exec, sums);
}
/// On the default instance of the View's execution space.
template <impl::accumulator_view V>
void reduce(MPI_Comm comm, int root, const V& sums) {
  reduce(comm, root, typename V::execution_space{}, sums);
}

}  // namespace acc::mpi

#endif
