// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the CUDA machine on a host. Their code takes the GPU's instructions as a type. Here
// the threads of a team take turns (host_threads.hpp); a copy is done as early as it may be, at
// once, or as late, when it is waited for; and a warp's multiplication is an exchange of numbers
// and a chain of FMAs. So indices, edges, strips, barriers and the order of stages are checked
// without a GPU. The instructions themselves are not.
#pragma once

#include "device.hpp"
#include "host_threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace acc_test {

template <class T>
T normal_number(std::mt19937& random) {
  const auto part = [&] { return static_cast<real_t<T>>(std::normal_distribution<>()(random)); };
  if constexpr (is_complex<T>) {
    const real_t<T> re = part();
    return {re, part()};
  } else {
    return part();
  }
}

/// What a warp's threads share: a barrier, and what they multiply.
struct HostWarp {
  HostBarrier barrier{32};
  std::array<double, 32> a0{}, a1{}, b{};
};
inline std::array<HostWarp, HostThreads::most / 32> warps;
inline HostWarp& this_warp() { return warps[host_threads.current() / 32]; }

/// What copies may read: from the first byte to before the second. Empty: anything.
inline std::vector<std::pair<const char*, const char*>> readable;

/// Whether copies are done when they are waited for.
inline bool late_copies = false;
/// Each thread's copies that are not done: groups of them, the last one still open.
using LateGroups = std::deque<std::vector<std::function<void()>>>;
inline std::array<LateGroups, HostThreads::most> late_groups;
inline LateGroups& my_late_groups() { return late_groups[host_threads.current()]; }

struct HostOps {
  template <class Copy>
  static void do_or_defer(const Copy& copy) {
    if (!late_copies) return copy();
    LateGroups& groups = my_late_groups();
    if (groups.empty()) groups.emplace_back();
    groups.back().push_back(copy);
  }
  static void expect_readable(const void* src, int bytes) {
    const char* const from = static_cast<const char*>(src);
    bool found = readable.empty();
    for (const auto& [begin, end] : readable)
      found = found || (begin <= from && from + bytes <= end);
    ASSERT_TRUE(found);
  }
  static void copy16(void* dst, const void* src, bool present) {
    copy16_part(dst, src, present ? 16 : 0);
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
  template <class T>
  static T read(const T* from) {
    expect_readable(from, int(sizeof(T)));
    return *from;
  }
  static void commit() {
    LateGroups& groups = my_late_groups();
    if (groups.empty()) groups.emplace_back();
    groups.emplace_back();
  }
  template <int N>
  static void wait() {
    for (LateGroups& groups = my_late_groups(); groups.size() > N + 1; groups.pop_front())
      for (const auto& copy : groups.front()) copy();
  }

  static void sync_warp() { this_warp().barrier.arrive_and_wait(); }
  template <class Team>
  static void barrier(const Team& team) {
    team.team_barrier();
  }

  template <int K4>
  static void multiply(double (&c)[4], const double (&a)[K4][2], const double (&b)[K4]) {
    for (int d = 0; d < K4; ++d) multiply_four(c, a[d], b[d]);
  }
  static void multiply_four(double (&c)[4], const double (&a)[2], double b) {
    HostWarp& warp = this_warp();
    const std::size_t lane_id = host_threads.current() % 32;
    warp.a0[lane_id] = a[0];
    warp.a1[lane_id] = a[1];
    warp.b[lane_id] = b;
    warp.barrier.arrive_and_wait();
    for (std::size_t e = 0; e < 4; ++e) {
      const auto& rows = e < 2 ? warp.a0 : warp.a1;
      const std::size_t row = lane_id / 4, column = lane_id % 4 * 2 + e % 2;
      for (std::size_t k = 0; k < 4; ++k)
        c[e] = std::fma(rows[row * 4 + k], warp.b[column * 4 + k], c[e]);
    }
    warp.barrier.arrive_and_wait();
  }
};

/// As much as Kokkos 5.2 gives a team on an H200, or more.
inline constexpr int host_scratch_bytes = 208 << 10;

struct Scratch {
  unsigned char* memory;
  void* get_shmem_aligned(int bytes, int) const {
    EXPECT_LE(bytes, host_scratch_bytes);
    return memory;
  }
};
struct Team {
  int rank;
  HostBarrier& barrier;
  unsigned char* memory;
  int team_rank() const { return rank; }
  int league_rank() const { return 0; }
  int league_size() const { return 1; }
  void team_barrier() const { barrier.arrive_and_wait(); }
  Scratch team_scratch(int) const { return {memory}; }
};

/// kernel(team), by all threads of one team.
template <class Kernel>
void run(const Kernel& kernel, int threads) {
  alignas(128) static unsigned char memory[host_scratch_bytes];
  std::memset(memory, 0xff, sizeof memory);  // NaN wherever nothing is copied
  const auto count = static_cast<std::size_t>(threads);
  ASSERT_LE(count, HostThreads::most);
  HostBarrier barrier(count);
  host_threads.run(count,
                   [&](std::size_t i) { kernel(Team{static_cast<int>(i), barrier, memory}); });
  for (LateGroups& groups : late_groups) groups.clear();
}

/// alpha and beta, and the imaginary parts of complex ones.
template <class T>
T scalar(double re, double im) {
  if constexpr (is_complex<T>)
    return {real_t<T>(re), real_t<T>(im)};
  else
    return T(re);
}
template <class T>
T conjugated_if(bool conjugate, const T& x) {
  if constexpr (is_complex<T>)
    return conjugate ? T(x.real(), -x.imag()) : x;
  else
    return x;
}

}  // namespace acc_test
