// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_CANONICAL_ORDER_HPP
#define ACC_CORE_ORDER_CANONICAL_ORDER_HPP

/// \file
/// The order in which every sum and dot adds, on every machine. docs/arithmetic.md defines it in
/// words; changing a constant here changes bits and so needs a new bits version.
///
///  stripe  512 bytes of elements: 64 doubles or 128 floats, one element per lane
///  leaf    64 stripes; each lane adds its 64 elements in ascending order
///  group   16 bytes of a stripe, what a GPU thread loads at once; 32 groups per stripe
///
/// In a leaf the lanes of a group combine by stride halving (lane j takes lane j + stride), then
/// the 32 groups do, then leaf 2k takes leaf 2k + 1, level by level. A complex vector is its real
/// and imaginary parts, interleaved. Half-precision elements are ordered as floats, which is what
/// Kokkos makes of them on a host without half precision.

#include <acc/core/config.hpp>  // IWYU pragma: keep
#include <acc/core/numbers/macros.hpp>

#include <cstdint>
#include <type_traits>

namespace acc::impl {

inline constexpr int groups_per_stripe = 32;
inline constexpr int stripes_per_leaf = 64;

/// Real elements in a group.
template <class Element>
inline constexpr int group_width = std::is_same_v<Element, double> ? 2 : 4;

/// Real elements in a stripe: the lanes of a leaf.
template <class Element>
inline constexpr int lanes = groups_per_stripe * group_width<Element>;

/// Real elements in a leaf.
template <class Element>
inline constexpr std::int64_t leaf_size = std::int64_t(lanes<Element>) * stripes_per_leaf;

/// Combines nodes[0 .. width) by stride halving down to `results` nodes.
template <class Node>
ACC_FUNCTION void combine_by_halving(Node* nodes, int width, int results) {
  for (int stride = width / 2; stride >= results; stride /= 2)
    for (int j = 0; j < stride; ++j) nodes[j].merge(nodes[j + stride]);
}

/// The tree over consecutive leaves, built from left to right: a binary counter whose digit k,
/// where set, holds the finished subtree of 2^k leaves that still waits for its right neighbour.
/// Gives the bits of the level-by-level tree. Depth levels hold fewer than 2^Depth leaves.
template <class Node>
class leaf_tree {
 public:
  /// waiting: room for as many levels as the count of leaves has binary digits.
  /// count: leaves that were pushed into a tree of the same room before.
  ACC_FUNCTION explicit leaf_tree(Node* waiting, std::uint64_t count = 0)
      : waiting_(waiting), count_(count) {}

  ACC_FUNCTION void push(Node right) {
    int level = 0;
    for (std::uint64_t digits = count_; digits & 1; digits >>= 1, ++level) {
      Node left = waiting_[level];
      left.merge(right);
      right = left;
    }
    waiting_[level] = right;
    ++count_;
  }

  /// The root. At least one leaf must have been pushed.
  ACC_FUNCTION Node root() const {
    int level = 0;
    std::uint64_t digits = count_;
    for (; !(digits & 1); digits >>= 1) ++level;
    Node right = waiting_[level];
    for (digits >>= 1, ++level; digits != 0; digits >>= 1, ++level) {
      if (digits & 1) {
        Node left = waiting_[level];
        left.merge(right);
        right = left;
      }
    }
    return right;
  }

 private:
  Node* waiting_;
  std::uint64_t count_;
};

}  // namespace acc::impl

#endif
