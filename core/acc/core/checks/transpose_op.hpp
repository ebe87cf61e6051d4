// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_CHECKS_TRANSPOSE_OP_HPP
#define ACC_CORE_CHECKS_TRANSPOSE_OP_HPP

#include <string_view>

namespace acc::impl {

/// The one of `known`, which are capitals, that a letter in upper or lower case is; 0 of another.
constexpr char known_letter(char letter, std::string_view known) {
  for (const char c : known)
    if (letter == c || letter == c - 'A' + 'a') return c;
  return '\0';
}

/// 'N', 'T' or 'C' of a BLAS argument's letter, in upper or lower case; 0 of another.
constexpr char transpose_op(char letter) { return known_letter(letter, "NTC"); }

}  // namespace acc::impl

#endif
