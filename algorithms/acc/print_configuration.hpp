// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_PRINT_CONFIGURATION_HPP
#define ACC_PRINT_CONFIGURATION_HPP

#include <acc/backends/dispatch.hpp>
#include <acc/core/config.hpp>

#include <ostream>

namespace acc {

/// Writes one line: version, bits version, and the instruction set of the host kernels.
inline void print_configuration(std::ostream& out) {
  out << "acc " ACC_VERSION_STRING ", bits version " << bits_version << ", host kernels "
      << backends::host_instruction_set() << '\n';
}

}  // namespace acc

#endif
