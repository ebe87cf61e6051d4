// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_INCLUSIVE_SCAN_HPP
#define ACC_INCLUSIVE_SCAN_HPP

/// \file
/// The former name of prefix_sum. Its arguments were those of Kokkos::Experimental::inclusive_scan
/// the other way round, so that a call written for one compiled with the other and overwrote its
/// input.

#include <acc/prefix_sum.hpp>  // IWYU pragma: keep

namespace acc {

/// Does not compile: call prefix_sum(exec, r, x, method), the result first.
template <class... Args>
void inclusive_scan(const Args&...) {
  static_assert(sizeof...(Args) == 0 && sizeof...(Args) == 1,
                "acc::inclusive_scan is now acc::prefix_sum(exec, r, x, method), the result first");
}

}  // namespace acc

#endif
