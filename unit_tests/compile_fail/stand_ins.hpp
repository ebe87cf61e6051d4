// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the cases call with, and what stands in for another device and for half precision.
#pragma once

#include <acc/acc.hpp>

#include <Kokkos_Core.hpp>

// Memory that no host execution space can access, also where no device is enabled.
struct FarMemory {
  using memory_space = FarMemory;
  using execution_space = Kokkos::DefaultHostExecutionSpace;
  using device_type = Kokkos::Device<execution_space, memory_space>;
  using size_type = std::size_t;
};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::HostSpace, FarMemory> {
  enum : bool { assignable = false, accessible = false, deepcopy = false };
};

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Vector = Kokkos::View<T*, Kokkos::HostSpace>;
template <class T>
using Scalar = Kokkos::View<T, Kokkos::HostSpace>;
using Complex = Kokkos::complex<double>;

/// Stands in for half_t, which is float where Kokkos has no half precision.
struct Half {};
template <>
inline constexpr bool acc::impl::is_half_scalar<Half> = true;

/// Stands in for a View in memory of another device; never called.
template <class T>
struct FarView : Kokkos::View<T, Kokkos::HostSpace> {
  using memory_space = FarMemory;
};
template <class T>
struct Kokkos::is_view<FarView<T>> : std::true_type {};
