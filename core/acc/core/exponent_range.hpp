// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_EXPONENT_RANGE_HPP
#define ACC_CORE_EXPONENT_RANGE_HPP

namespace acc {

/// What the caller knows of numbers: each is zero, or a multiple of 2^unit and below 2^top in
/// magnitude. (A fixed_point_sum rounds to multiples of 2^unit what is none.)
struct exponent_range {
  int unit, top;
};

}  // namespace acc

#endif
