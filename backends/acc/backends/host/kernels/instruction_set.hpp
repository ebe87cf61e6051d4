// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_INSTRUCTION_SET_HPP
#define ACC_BACKENDS_HOST_KERNELS_INSTRUCTION_SET_HPP

/// \file
/// The instruction sets that the host kernels are compiled for, and the one in use.

namespace acc::backends::host {

enum class isa { baseline, avx2, avx512 };

/// The best of the processor that the program runs on, or a lesser one that the environment
/// variable ACC_HOST_ISA names (for tests).
isa chosen_isa();

/// Whether the processor has the integer products of AVX-512 VNNI.
bool has_vnni();

/// Its name: "avx512", "avx2", "baseline".
const char* instruction_set();

}  // namespace acc::backends::host

#endif
