// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a recording of bits begins (--record-bits): with lines "what: which" of everything that the
// bits must not depend on, then an empty line. The cases follow (golden.hpp); acc-bits reads it.
#pragma once

#include <acc/backends/host/kernels/instruction_set.hpp>
#include <acc/core/config.hpp>

#include <Kokkos_Core.hpp>

#include <fstream>
#include <string>
#include <type_traits>

namespace acc_test {

inline std::string compiler() {
  std::string text;
#if defined(__CUDACC_VER_MAJOR__)
  text = "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
         std::to_string(__CUDACC_VER_MINOR__) + ", ";
#endif
#if defined(__clang__)
  return text + __VERSION__;  // "Clang 19.1.7 ..."
#else
  return text + "GCC " + __VERSION__;
#endif
}

/// The GPU by its name; on hosts the instruction set that the kernels are run with.
template <class Exec>
std::string device([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) return exec.cuda_device_prop().name;
#endif
  if constexpr (Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible) {
    return std::string("host, ") + acc::backends::host::instruction_set();
  } else {
    return Exec::name();
  }
}

/// Begins `file` anew; false if it cannot be written.
template <class Exec>
bool begin_recording(const std::string& file) {
  const Exec exec;
  std::ofstream out(file);
  out << "acc: " << ACC_VERSION_STRING << "\nbits_version: " << acc::bits_version
      << "\nkokkos: " << KOKKOS_VERSION / 10000 << "." << KOKKOS_VERSION / 100 % 100 << "."
      << KOKKOS_VERSION % 100 << "\ncompiler: " << compiler() << "\nspace: " << Exec::name()
      << "\nconcurrency: " << exec.concurrency() << "\ndevice: " << device(exec) << "\n\n";
  return bool(out.flush());
}

}  // namespace acc_test
