// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_WORKSPACE_HPP
#define ACC_BACKENDS_WORKSPACE_HPP

/// \file
/// Memory that a reduction needs besides its arguments: one block for each execution space
/// instance, allocated by the first call on it and freed by Kokkos::finalize.

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace acc::backends {

/// Teams in a launch, each with a subtree of leaves: enough for every multiprocessor of the largest
/// GPU to get many.
inline constexpr int max_teams = 16384;
/// Roots that they may leave in memory for others to combine, on all levels of the tree above them.
inline constexpr int max_partials = max_teams + max_teams / 64;
/// Room for one: the eight doubles and the scale of fold<8>, twice for a complex sum.
inline constexpr int max_partial_bytes = 144;

/// Memory that the host can read once a kernel that writes it has finished.
#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
using host_result_space = Kokkos::SharedHostPinnedSpace;
#else
using host_result_space = Kokkos::HostSpace;
#endif

template <class Exec>
struct workspace {
  Exec exec;
  Kokkos::View<std::byte*, typename Exec::memory_space> partials;
  /// Counts of finished teams, zero between launches.
  Kokkos::View<unsigned[max_teams / 64], typename Exec::memory_space> finished;
  Kokkos::View<std::byte[16], host_result_space> result;
  std::mutex in_use;

  explicit workspace(const Exec& instance)
      : exec(instance),
        partials(Kokkos::view_alloc(instance, Kokkos::WithoutInitializing, "acc::workspace"),
                 std::size_t(max_partials) * max_partial_bytes),
        finished(Kokkos::view_alloc(instance, "acc::workspace: finished teams")),
        result(Kokkos::view_alloc(Kokkos::WithoutInitializing, "acc::workspace: result")) {}
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
