// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the host kernels' instruction sets this processor has, by the operating system's word:
// acc itself asks the processor.
#pragma once

#include <string_view>

namespace acc_test {

/// Whether `set` is one that acc has kernels for and that this processor lacks.
bool processor_lacks(std::string_view set);

/// The exit status of a program that cannot run here what it was asked to: ctest skips the test.
inline constexpr int skipped = 77;

}  // namespace acc_test
