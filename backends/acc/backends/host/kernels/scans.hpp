// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_SCANS_HPP
#define ACC_BACKENDS_HOST_KERNELS_SCANS_HPP

/// \file
/// The kernels of compensated prefix sums, as their callers see them: the groups of a block
/// (core/order/prefix_sum.hpp), each of which is a lane of a register.

namespace acc::backends::host {

/// Groups, and elements of a group; a block's elements are contiguous.
inline constexpr int scan_block_groups = 64, scan_block_group = 16;
inline constexpr int scan_block = scan_block_groups * scan_block_group;

/// Sums are expansion<T, 2>, as two arrays: of their first numbers, and of their second ones.
template <class T>
struct scan_kernels {
  /// The sum of each group of x.
  void (*totals)(const T* x, T* high, T* low);
  /// The prefixes within each group of x. Sums: before each group; afterwards, with it.
  void (*prefixes)(const T* x, T* high, T* low, T* r);
};
template <class T>
const scan_kernels<T>& scan_kernels_for_this_processor();

}  // namespace acc::backends::host

#endif
