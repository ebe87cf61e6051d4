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

/// Sums of the groups of a block and of all subtrees of these, as expansion<T, 2>: first numbers
/// and second ones. From first_of_level(l) on those of 2^l groups each.
template <class T>
struct scan_tree {
  static constexpr int levels = 7, size = 2 * scan_block_groups - 1, room = size + 65;
  static constexpr int first_of_level(int l) {
    return 2 * scan_block_groups - (2 * scan_block_groups >> l);
  }
  alignas(64) T high[room] = {}, low[room] = {};  ///< kernels read and write beyond the size
};

template <class T>
struct scan_kernels {
  /// The subtrees of x. Whether all numbers of their sums are below `limit` in magnitude.
  bool (*subtrees)(const T* x, T limit, scan_tree<T>& tree);
  /// The prefixes r of x after high[0] + low[0], which becomes one sum per group: what is before
  /// it. Whether the numbers of these sums, and of those with the group, are below `limit`; else r
  /// has no meaning.
  bool (*prefixes)(const T* x, T limit, const scan_tree<T>& tree, T* high, T* low, T* r);
};
template <class T>
const scan_kernels<T>& scan_kernels_for_this_processor();

}  // namespace acc::backends::host

#endif
