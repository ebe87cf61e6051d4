// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace acc_tool {

enum class Symmetry { general, symmetric, skew_symmetric, hermitian };

struct Banner {
  bool coordinate = false;
  bool pattern = false;
  bool complex = false;
  Symmetry symmetry = Symmetry::general;
};

/// The first line of a Matrix Market file. Throws Error.
Banner parse_banner(std::string_view line, std::string_view name);

}  // namespace acc_tool
