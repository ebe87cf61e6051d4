// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of files and arguments may hold any byte, and so may files: what of them is shown must
// neither steer a terminal nor look like lines of the tool's own.
#pragma once

#include <string>
#include <string_view>

namespace acc_tool {

/// The text on one line: '?' stands for each control character, and for each byte that is not
/// UTF-8.
std::string printable(std::string_view text);

}  // namespace acc_tool
