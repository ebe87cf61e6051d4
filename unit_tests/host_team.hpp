// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the CUDA machine on a host. Their code takes the GPU's instructions as a type. Here
// each thread of a team is a thread of the host, and a copy is done as early as it may be, at once,
// or as late, when it is waited for. So indices, edges, strips and the order of stages are checked
// without a GPU. The instructions themselves are not.
#pragma once

#include "device.hpp"

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace acc_test {

inline thread_local int this_thread = 0;
inline std::array<std::barrier<>*, 8> warp_barriers;
/// What copies may read: from the first byte to before the second.
inline std::vector<std::pair<const char*, const char*>> readable;

/// Whether copies are done when they are waited for.
inline bool late_copies = false;
/// A thread's copies that are not done: groups of them, the last one still open.
inline thread_local std::deque<std::vector<std::function<void()>>> late_groups;

struct HostOps {
  template <class Copy>
  static void do_or_defer(const Copy& copy) {
    if (!late_copies) return copy();
    if (late_groups.empty()) late_groups.emplace_back();
    late_groups.back().push_back(copy);
  }
  static void expect_readable(const void* src, int bytes) {
    const char* const from = static_cast<const char*>(src);
    bool found = false;
    for (const auto& [begin, end] : readable)
      found = found || (begin <= from && from + bytes <= end);
    ASSERT_TRUE(found);
  }
  static void copy16_part(void* dst, const void* src, int bytes) {
    ASSERT_TRUE(bytes >= 0 && bytes <= 16);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(dst) % 16, 0U);
    if (bytes > 0) {
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(src) % 16, 0U);
      expect_readable(src, bytes);
    }
    do_or_defer([=] {
      std::memset(dst, 0, 16);
      if (bytes > 0) std::memcpy(dst, src, static_cast<std::size_t>(bytes));
    });
  }
  template <class T>
  static void copy(T* dst, const T* src, bool present) {
    if (present) expect_readable(src, int(sizeof(T)));
    do_or_defer([=] { *dst = present ? *src : T(0); });
  }
  static void commit() {
    if (late_groups.empty()) late_groups.emplace_back();
    late_groups.emplace_back();
  }
  template <int N>
  static void wait() {
    for (; late_groups.size() > N + 1; late_groups.pop_front())
      for (const auto& copy : late_groups.front()) copy();
  }

  static void sync_warp() {
    warp_barriers[static_cast<std::size_t>(this_thread / 32)]->arrive_and_wait();
  }
  template <class Team>
  static void barrier(const Team& team) {
    team.team_barrier();
  }
};

struct Scratch {
  unsigned char* memory;
  void* get_shmem_aligned(int bytes, int) const {
    EXPECT_LE(bytes, 48 * 1024);
    return memory;
  }
};
struct Team {
  int rank;
  std::barrier<>& barrier;
  unsigned char* memory;
  int team_rank() const { return rank; }
  int league_rank() const { return 0; }
  int league_size() const { return 1; }
  void team_barrier() const { barrier.arrive_and_wait(); }
  Scratch team_scratch(int) const { return {memory}; }
};

/// A kernel by one team of `threads`, a multiple of 32.
template <class Kernel>
void run(const Kernel& kernel, int threads) {
  alignas(128) static unsigned char memory[48 * 1024];
  std::memset(memory, 0xff, sizeof memory);  // NaN wherever nothing is copied
  std::barrier<> barrier(threads);
  std::vector<std::unique_ptr<std::barrier<>>> of_warps;
  for (int w = 0; w < threads / 32; ++w) {
    of_warps.push_back(std::make_unique<std::barrier<>>(32));
    warp_barriers[static_cast<std::size_t>(w)] = of_warps.back().get();
  }
  std::vector<std::thread> team;
  for (int i = 0; i < threads; ++i) {
    team.emplace_back([&, i] {
      this_thread = i;
      kernel(Team{i, barrier, memory});
    });
  }
  for (std::thread& t : team) t.join();
}

}  // namespace acc_test
