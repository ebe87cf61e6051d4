// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_WORKSPACE_HPP
#define ACC_BACKENDS_WORKSPACE_HPP

/// \file
/// Memory that a reduction needs besides its arguments: one block for each execution space
/// instance, allocated by the first call on it and freed by Kokkos::finalize.

#include <acc/backends/until_finalize.hpp>

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
/// Memory for the exact sums of statistics, three superaccumulators at most.
inline constexpr std::size_t exact_sums_bytes = 3 * 1152;
/// Memory for the nodes of prefix sums and segmented sums.
inline constexpr std::size_t nodes_bytes = std::size_t(8) << 20;
/// Memory for what the tiles of prefix sums publish, at first: enough for 2^27 real numbers; before
/// Kokkos 5.2, with which tiles of doubles are half as large, for 2^26 doubles.
inline constexpr std::size_t scan_bytes = std::size_t(1) << 20;
/// What a word of a mailbox holds that has nothing to say: a NaN, as a float or in pairs as a
/// double.
inline constexpr std::uint32_t unset_word = 0xfff7acc0;
/// Words that are zero between launches, for kernels that add to them.
inline constexpr int zeroed_words = 3072;

/// Counters of segmented sums, which are zero between launches.
inline constexpr std::size_t arrival_words = std::size_t(3) << 16;

/// Parts of a vector whose largest elements are found by themselves, and memory for these.
inline constexpr int most_largest = 1024;
inline constexpr std::size_t largest_bytes = std::size_t(most_largest) * 16;

/// What a part of a workspace takes, so that the next one is aligned.
inline std::size_t aligned_size(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// A league's size is an int.
inline constexpr std::int64_t max_league_size = std::int64_t(1) << 30;

/// Whether an execution space's threads are a host's: what it launches may read the host's memory.
template <class Exec>
concept runs_on_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// Whether a kernel of an execution space has run when its launch returns (dispatch.hpp).
template <class Exec>
inline constexpr bool runs_at_once = false;

/// Memory that the host can read once a kernel that writes it has finished.
#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
using host_result_space = Kokkos::SharedHostPinnedSpace;
#else
using host_result_space = Kokkos::HostSpace;
#endif

/// Whether the caller is the last of `count` work items that call this in a launch; if so, it sees
/// what the others wrote before, and the counter is zero again.
KOKKOS_INLINE_FUNCTION bool arrives_last(unsigned* arrived, unsigned count) {
  Kokkos::memory_fence();
  if (Kokkos::atomic_fetch_add(arrived, 1u) + 1 != count) return false;
  Kokkos::memory_fence();
  *arrived = 0;
  return true;
}

struct zeros_kernel {
  std::uint32_t* words;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { words[i] = 0; }
};
/// Enqueues zeros into some bytes, a multiple of 4, of exec's memory. A kernel, which has the
/// caller's label: tools would be shown a deep copy without one.
template <class Exec>
void fill_with_zeros(const Exec& exec, const char* label, void* data, std::size_t bytes) {
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(label, range(exec, 0, std::int64_t(bytes / 4)),
                       zeros_kernel{static_cast<std::uint32_t*>(data)});
}

/// Each kind of memory is allocated by the first launch that asks for it, and kept.
template <class Exec>
class workspace {
  template <class T>
  using memory = Kokkos::View<T*, typename Exec::memory_space>;

 public:
  Exec exec;
  /// Count of arrived work items, zero between launches.
  Kokkos::View<unsigned, typename Exec::memory_space> arrived;
  /// Exact sums, which order-free launches add to.
  Kokkos::View<std::byte[exact_sums_bytes], typename Exec::memory_space> exact_sums;
  /// The largest elements of parts of a vector.
  Kokkos::View<std::byte[largest_bytes], typename Exec::memory_space> largest;
  Kokkos::View<std::byte[exact_sums_bytes], host_result_space> result;
  std::mutex in_use;

  explicit workspace(const Exec& instance)
      : exec(instance),
        arrived(Kokkos::view_alloc(instance, "acc::workspace: arrived work items")),
        exact_sums(Kokkos::view_alloc(instance, Kokkos::WithoutInitializing,
                                      "acc::workspace: exact sums")),
        largest(Kokkos::view_alloc(instance, Kokkos::WithoutInitializing,
                                   "acc::workspace: largest elements")),
        result(Kokkos::view_alloc(Kokkos::WithoutInitializing, "acc::workspace: result")) {}

  /// partials_bytes for roots of subtrees.
  std::uint32_t* partials() {
    return allocated(partials_, "acc::workspace: partials", partials_bytes);
  }
  /// partials_bytes of words that are unset_word between launches.
  std::uint32_t* mailboxes() {
    const bool first = mailboxes_.extent(0) == 0;
    std::uint32_t* const words = allocated(mailboxes_, "acc::workspace: mailboxes", partials_bytes);
    if (first) Kokkos::deep_copy(exec, mailboxes_, unset_word);
    return words;
  }
  /// zeroed_words words that are zero between launches.
  std::int64_t* zeros() {
    if (zeros_.extent(0) == 0)
      zeros_ =
          memory<std::int64_t>(Kokkos::view_alloc(exec, "acc::workspace: zeros"), zeroed_words);
    return zeros_.data();
  }
  /// arrival_words counters that are zero between launches.
  unsigned* arrivals() {
    if (arrivals_.extent(0) == 0)
      arrivals_ =
          memory<unsigned>(Kokkos::view_alloc(exec, "acc::workspace: arrivals"), arrival_words);
    return arrivals_.data();
  }
  /// order_free_bytes for partial sums.
  std::uint64_t* order_free_partials() {
    return allocated(order_free_, "acc::workspace: order-free sums", order_free_bytes);
  }
  /// nodes_bytes for nodes of prefix sums and segmented sums.
  std::uint64_t* nodes() { return allocated(nodes_, "acc::workspace: nodes", nodes_bytes); }

  /// Memory for GEMM, as much as the largest so far has asked for; prepare(data, bytes) is called
  /// when it was allocated.
  template <class Prepare>
  void* gemm_memory(std::size_t bytes, const Prepare& prepare) {
    if (gemm_.extent(0) < bytes) {
      gemm_ = {};  // before the next is allocated
      prepare(static_cast<void*>(allocated(gemm_, "acc::workspace: gemm", bytes)), bytes);
    }
    return gemm_.data();
  }
  /// Memory for prefix sums, scan_bytes or as much as the longest so far has asked for. Zero when
  /// it is allocated.
  std::byte* scan_memory(const char* label, std::size_t bytes) {
    if (bytes < scan_bytes) bytes = scan_bytes;
    if (scan_.extent(0) < bytes) {
      scan_ = {};  // before the next is allocated
      allocated(scan_, "acc::workspace: prefix sums", bytes);
      fill_with_zeros(exec, label, scan_.data(), bytes);
    }
    return scan_.data();
  }
  /// Memory for sums by index, as much as the largest call so far has asked for.
  void* scatter_memory(std::size_t bytes) {
    return grown(scatter_, "acc::workspace: sums by index", bytes);
  }
  /// Memory for lists of a matrix's rows, as much as the largest call so far has asked for.
  std::byte* list_memory(std::size_t bytes) {
    return grown(list_, "acc::workspace: lists of rows", bytes);
  }
  /// Memory for offsets of segments, as much as the largest call so far has asked for.
  std::int64_t* segment_offsets(std::size_t count) {
    return grown(offsets_, "acc::workspace: offsets of segments", count * sizeof(std::int64_t));
  }

 private:
  template <class T>
  T* allocated(memory<T>& view, const char* label, std::size_t bytes) {
    if (view.extent(0) == 0)
      view = memory<T>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
                       bytes / sizeof(T));
    return view.data();
  }

  template <class T>
  T* grown(memory<T>& view, const char* label, std::size_t bytes) {
    if (view.extent(0) * sizeof(T) < bytes) view = {};  // before the next is allocated
    return allocated(view, label, bytes);
  }

  memory<std::uint32_t> partials_, mailboxes_;
  memory<std::int64_t> zeros_, offsets_;
  memory<unsigned> arrivals_;
  memory<std::uint64_t> order_free_, nodes_;
  memory<std::byte> gemm_, scan_, scatter_, list_;
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
    const std::lock_guard lock(guard);
    auto& all = until_finalize<list>();
    for (const auto& w : all)
      if (w->exec == exec) return w;
    return all.emplace_back(std::make_shared<workspace<Exec>>(exec));
  }

  std::shared_ptr<workspace<Exec>> workspace_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace acc::backends

#endif
