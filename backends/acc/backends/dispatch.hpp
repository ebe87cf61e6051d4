// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_DISPATCH_HPP
#define ACC_BACKENDS_DISPATCH_HPP

/// \file
/// Which machine serves which execution space: the one place that names execution spaces. The
/// choice changes time, never bits.
///
/// A machine is a folder. Its machine.hpp has a type with static members, one for each job; what a
/// machine does no better than generic it inherits from generic::machine, which lists them all.
/// To add one: write the folder, include its machine.hpp here, and specialize machine_for.

#include <acc/backends/generic/machine.hpp>
#include <acc/backends/host/kernels/instruction_set.hpp>
#include <acc/backends/host/machine.hpp>
#include <acc/backends/workspace.hpp>

#include <Kokkos_Core.hpp>

// The CUDA machine's kernels are for nvcc: another CUDA compiler gets generic's.
#if defined(KOKKOS_ENABLE_CUDA) && defined(KOKKOS_COMPILER_NVCC)
#define ACC_HAS_CUDA_MACHINE
#include <acc/backends/cuda/machine.hpp>
#endif

namespace acc::backends {

/// machine_for<Exec>::type: the machine of an execution space.
template <class Exec>
struct machine_for {
  using type = generic::machine;
};

#if defined(KOKKOS_ENABLE_SERIAL)
template <>
inline constexpr bool runs_at_once<Kokkos::Serial> = true;
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
template <>
inline constexpr bool runs_at_once<Kokkos::OpenMP> = true;
#endif

/// Serial, OpenMP, Threads.
template <class Exec>
  requires runs_on_host<Exec>
struct machine_for<Exec> {
  using type = host::machine;
};

#if defined(ACC_HAS_CUDA_MACHINE)
template <>
struct machine_for<Kokkos::Cuda> {
  using type = cuda::machine;
};
#endif

template <class Exec>
using machine_of = typename machine_for<Exec>::type;

/// The instruction set that the host machine's kernels use: "avx512", "avx2", "baseline".
inline const char* host_instruction_set() { return host::instruction_set(); }

}  // namespace acc::backends

#endif
