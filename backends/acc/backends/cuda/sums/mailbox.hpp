// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_MAILBOX_HPP
#define ACC_BACKENDS_CUDA_SUMS_MAILBOX_HPP

/// \file
/// How warps hand nodes of the tree to each other.

#include <acc/backends/cuda/unroll.hpp>
#include <acc/backends/workspace.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// Nodes on their way from one warp to another through global memory, without a fence or a counter:
/// a warp that waits for those loads nothing, which costs a sum 3% of its speed. Instead each word
/// says itself whether it is there. Taking one leaves `unset` behind, a NaN that giving turns into
/// another NaN.
template <class Node>
class mailbox {
 public:
  using word = std::conditional_t<alignof(Node) == 8, std::uint64_t, std::uint32_t>;
  static_assert(sizeof(Node) % sizeof(word) == 0);

  __device__ explicit mailbox(std::uint32_t* memory) : memory_(reinterpret_cast<word*>(memory)) {}

  __device__ void give(int index, const Node& node) const {
    const auto words = Kokkos::bit_cast<words_of_node>(node);
    for (int i = 0; i < words_per_node; ++i)
      at(index, i) = words.w[i] == unset ? word(words.w[i] ^ 1) : words.w[i];
  }

  /// Waits for a node with one load at a time: waiting for many would keep the memory busy.
  __device__ void wait_for(int index) const {
    while (at(index, 0) == unset) __nanosleep(100);
  }

  /// Waits for nodes first .. first + count - 1, at most N, and takes them; the rest are empty.
  template <int N>
  __device__ void take(int first, int count, Node (&nodes)[N]) const {
    words_of_node words[N];
    for (bool complete = false; !complete;) {
      complete = true;
      ACC_UNROLL for (int n = 0; n < N; ++n) {
        ACC_UNROLL for (int i = 0; i < words_per_node; ++i) {
          words[n].w[i] = n < count ? word(at(first + n, i)) : word(0);
        }
      }
      ACC_UNROLL for (int n = 0; n < N; ++n) {
        ACC_UNROLL for (int i = 0; i < words_per_node; ++i) {
          complete = complete && words[n].w[i] != unset;
        }
      }
    }
    ACC_UNROLL for (int n = 0; n < N; ++n) {
      if (n >= count) continue;
      nodes[n] = Kokkos::bit_cast<Node>(words[n]);
      for (int i = 0; i < words_per_node; ++i) at(first + n, i) = unset;
    }
  }

 private:
  static constexpr int words_per_node = sizeof(Node) / sizeof(word);
  struct words_of_node {
    word w[words_per_node];
  };
  static constexpr word unset = word(std::uint64_t(unset_word) << 32 | unset_word);

  /// Volatile: every access goes to the cache that all multiprocessors share.
  __device__ volatile word& at(int index, int i) const {
    return memory_[std::int64_t(index) * words_per_node + i];
  }

  word* memory_;
};

}  // namespace acc::backends::cuda

#endif
