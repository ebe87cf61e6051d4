// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "printable.hpp"

#include <algorithm>
#include <cstddef>

namespace acc_tool {
namespace {

/// The bytes of the character that the text begins with, in UTF-8; 0 if it may not be shown.
std::size_t shown_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= ' ' && byte(0) != 0x7f ? 1 : 0;
  if (byte(0) < 0xc2 || byte(0) > 0xf4) return 0;
  const std::size_t length = byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  // U+0080 to U+009F are controls, too: U+009B is ESC [ in one.
  return byte(0) == 0xc2 && byte(1) < 0xa0 ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = shown_bytes(text);
    shown += bytes == 0 ? "?" : text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return shown;
}

}  // namespace acc_tool
