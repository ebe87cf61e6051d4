// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How elements may lie on ranks. All ranks make the same data from the same seed, and each takes
// its share: so every rank knows what the result must be.
#pragma once

#include "order_free.hpp"

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <vector>

namespace acc_test {

/// Where the distributed functions run, and where what they must give is computed.
using Device = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;

inline int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
inline int ranks() {
  int n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

enum class Split { blocks, cyclic, first, last, random };
inline constexpr Split all_splits[] = {Split::blocks, Split::cyclic, Split::first, Split::last,
                                       Split::random};

/// The elements of x that this rank has.
template <class E>
std::vector<E> share(const std::vector<E>& x, Split split, std::uint64_t seed) {
  Random random(seed);
  const auto n = static_cast<std::size_t>(ranks()), me = static_cast<std::size_t>(rank());
  std::vector<E> mine;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t owner = split == Split::blocks   ? i * n / x.size()
                              : split == Split::cyclic ? i % n
                              : split == Split::first  ? 0
                              : split == Split::last   ? n - 1
                                                       : random.below(n);
    if (owner == me) mine.push_back(x[i]);
  }
  return mine;
}

/// A vector's elements in the memory of Space.
template <class Space = Device, class E>
Kokkos::View<E*, Space> view_of(const std::vector<E>& x) {
  const Kokkos::View<const E*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      x.data(), x.size());
  Kokkos::View<E*, Space> view("x", x.size());
  Kokkos::deep_copy(view, host);
  return view;
}

}  // namespace acc_test
