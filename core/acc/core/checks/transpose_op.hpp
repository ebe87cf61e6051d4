// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_CHECKS_TRANSPOSE_OP_HPP
#define ACC_CORE_CHECKS_TRANSPOSE_OP_HPP

namespace acc::impl {

/// 'N', 'T' or 'C' of a BLAS argument's letter, in either case; 0 of another.
constexpr char transpose_op(char letter) {
  switch (letter) {
    case 'n':
    case 'N':
      return 'N';
    case 't':
    case 'T':
      return 'T';
    case 'c':
    case 'C':
      return 'C';
    default:
      return '\0';
  }
}

}  // namespace acc::impl

#endif
