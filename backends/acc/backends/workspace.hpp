// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_WORKSPACE_HPP
#define ACC_BACKENDS_WORKSPACE_HPP

/// \file
/// Memory that a reduction needs besides its arguments: one block for each execution space
/// instance, allocated by the first call on it and freed by Kokkos::finalize.

#include <acc/backends/host/machine.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

namespace acc::backends {

/// Teams in a launch of the host's and the generic kernels, each with a subtree of leaves.
inline constexpr int max_teams = 16384;
/// Memory for the subtrees' roots. The largest root is 144 bytes: the eight doubles and the scale
/// of fold<8>, twice for a complex sum.
inline constexpr std::size_t partials_bytes = std::size_t(8) << 20;
/// Partial sums of an order-free launch, and memory for them: two superaccumulators each.
inline constexpr int max_order_free_partials = 1024;
inline constexpr std::size_t order_free_bytes = std::size_t(max_order_free_partials) * 2304;
/// Memory for the nodes of scans and segmented sums.
inline constexpr std::size_t nodes_bytes = std::size_t(8) << 20;
/// What a word of the partials holds that has nothing to say: a NaN, as a float or in pairs as a
/// double.
inline constexpr std::uint32_t unset_word = 0xfff7acc0;

/// Words that are zero between launches, for kernels of GPUs that add to them.
inline constexpr int zeroed_words = 3072;

/// Memory that the host can read once a kernel that writes it has finished.
#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
using host_result_space = Kokkos::SharedHostPinnedSpace;
#else
using host_result_space = Kokkos::HostSpace;
#endif

template <class Exec>
struct workspace {
  Exec exec;
  Kokkos::View<std::uint32_t*, typename Exec::memory_space> partials;
  /// Count of finished teams, zero between launches.
  Kokkos::View<unsigned, typename Exec::memory_space> finished;
  Kokkos::View<std::byte[64], host_result_space> result;
  Kokkos::View<std::int64_t[zeroed_words], typename Exec::memory_space> zeros;
  /// Memory for order-free sums, allocated by the first of them.
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> order_free;
  /// Memory for scans and segmented sums, allocated by the first of them.
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> nodes;
  /// Memory for matrix products, as much as the largest so far has asked for.
  Kokkos::View<std::byte*, typename Exec::memory_space> gemm;
  std::mutex in_use;

  void* gemm_memory(std::size_t bytes) {
    if (gemm.extent(0) < bytes) {
      gemm = {};  // before the next is allocated
      gemm = decltype(gemm)(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "acc::workspace: gemm"), bytes);
      if constexpr (std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>)
        host::prefer_large_pages(gemm.data(), bytes);
    }
    return gemm.data();
  }

  std::uint64_t* order_free_memory() {
    if (order_free.extent(0) == 0)
      order_free = decltype(order_free)(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "acc::workspace: order-free sums"),
          order_free_bytes / sizeof(std::uint64_t));
    return order_free.data();
  }

  std::uint64_t* nodes_memory() {
    if (nodes.extent(0) == 0)
      nodes = decltype(nodes)(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "acc::workspace: nodes"),
          nodes_bytes / sizeof(std::uint64_t));
    return nodes.data();
  }

  explicit workspace(const Exec& instance)
      : exec(instance),
        partials(Kokkos::view_alloc(instance, Kokkos::WithoutInitializing, "acc::workspace"),
                 partials_bytes / sizeof(std::uint32_t)),
        finished(Kokkos::view_alloc(instance, "acc::workspace: finished teams")),
        result(Kokkos::view_alloc(Kokkos::WithoutInitializing, "acc::workspace: result")),
        zeros(Kokkos::view_alloc(instance, "acc::workspace: zeros")) {
    // A host's pages stay untouched until they are used.
    if constexpr (!std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>)
      Kokkos::deep_copy(instance, partials, unset_word);
  }
};

/// The instance's workspace, locked: launches on one instance from several host threads take turns.
/// Instances compare by identity; the workspace holds one, so a stream is not reused under it.
template <class Exec>
class locked_workspace {
 public:
  explicit locked_workspace(const Exec& exec) : workspace_(find(exec)), lock_(workspace_->in_use) {}
  workspace<Exec>& get() const { return *workspace_; }

 private:
  using list = std::vector<std::shared_ptr<workspace<Exec>>>;

  static std::shared_ptr<workspace<Exec>> find(const Exec& exec) {
    static std::mutex guard;
    static list* all = nullptr;
    const std::lock_guard lock(guard);
    if (!all) {
      all = new list;
      Kokkos::push_finalize_hook([] {
        delete all;
        all = nullptr;
      });
    }
    for (const auto& w : *all)
      if (w->exec == exec) return w;
    return all->emplace_back(std::make_shared<workspace<Exec>>(exec));
  }

  std::shared_ptr<workspace<Exec>> workspace_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace acc::backends

#endif
