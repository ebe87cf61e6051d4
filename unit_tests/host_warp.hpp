// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp of the CUDA machine on a host, for its code that names the GPU's instructions: include
// this before that code. The threads of a warp take turns, and the warp's instructions are
// exchanges between them. The instructions themselves are not tested.
#pragma once

#include <acc/core/eft.hpp>
#include <acc/core/order/canonical_order.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include <setjmp.h>
#include <ucontext.h>

namespace {

constexpr std::size_t lanes = 32;
constexpr std::size_t stack_bytes = 1 << 17;

/// The threads of a warp are contexts of one thread that take turns: each runs up to its next
/// exchange, and the last one to get there is followed by the first. A context that has begun is
/// gone back to by _longjmp, which asks nothing of the system.
struct Warp {
  std::array<ucontext_t, lanes> thread{};
  std::array<jmp_buf, lanes> at{};
  std::array<bool, lanes> has_begun{};
  ucontext_t caller{};
  std::vector<char> stacks = std::vector<char>(lanes * stack_bytes);
  std::function<void(std::size_t)> body;
  std::size_t lane = 0, running = 0;
  std::array<std::array<std::uint64_t, lanes>, 2> exchanged{};  // one is read, one written
  std::array<std::size_t, lanes> exchanges{};
};
Warp warp;

[[noreturn]] void go_to(std::size_t lane) {
  warp.lane = lane;
  if (warp.has_begun[lane]) _longjmp(warp.at[lane], 1);
  warp.has_begun[lane] = true;
  setcontext(&warp.thread[lane]);
  std::abort();
}
void start_lane() {
  warp.body(warp.lane);
  // All end after the same exchange, so in turn.
  --warp.running;
  if (warp.running != 0) go_to(warp.lane + 1);
  setcontext(&warp.caller);
}
void run_as_warp(const std::function<void(std::size_t)>& body) {
  warp.body = body;
  warp.lane = 0;
  warp.running = lanes;
  for (std::size_t i = 0; i < lanes; ++i) {
    getcontext(&warp.thread[i]);
    warp.thread[i].uc_stack.ss_sp = warp.stacks.data() + i * stack_bytes;
    warp.thread[i].uc_stack.ss_size = stack_bytes;
    makecontext(&warp.thread[i], start_lane, 0);
  }
  warp.has_begun = {true};
  swapcontext(&warp.caller, &warp.thread[0]);
}

/// Asynchronous copies: at once, or as late as may be, where their group is waited for. Each thread
/// of the warp has groups of its own.
struct HostCopies {
  static inline bool late = false;

  static void copy16(void* to, const void* from, bool) {
    do_or_defer([=] { std::memcpy(to, from, 16); });
  }
  template <class T>
  static void copy(T* to, const T* from, bool) {
    do_or_defer([=] { *to = *from; });
  }
  static void commit() { groups().emplace_back(); }
  template <int N>
  static void wait() {
    for (auto& g = groups(); g.size() > N + 1; g.pop_front())
      for (const auto& copy : g.front()) copy();
  }
  static void sync_warp() {}

 private:
  using group = std::vector<std::function<void()>>;
  static inline std::array<std::deque<group>, lanes> waiting;  // the last group of each is open

  static std::deque<group>& groups() {
    auto& g = waiting[warp.lane];
    if (g.empty()) g.emplace_back();
    return g;
  }
  static void do_or_defer(std::function<void()> copy) {
    if (late)
      groups().back().push_back(std::move(copy));
    else
      copy();
  }
};

/// What all threads of the warp have put in.
std::array<std::uint64_t, lanes> exchange(std::uint64_t mine) {
  const std::size_t me = warp.lane;
  auto& all = warp.exchanged[warp.exchanges[me]++ % 2];
  all[me] = mine;
  if (_setjmp(warp.at[me]) == 0) go_to((me + 1) % lanes);
  return all;
}

// The GPU's instructions, by their names.
#define __device__
#define __shared__
#define __noinline__
[[maybe_unused]] unsigned __ballot_sync(unsigned, bool here) {
  const auto all = exchange(here);
  unsigned threads = 0;
  for (std::size_t i = 0; i < lanes; ++i) threads |= unsigned(all[i] != 0) << i;
  return threads;
}
[[maybe_unused]] bool __any_sync(unsigned mask, bool here) {
  return __ballot_sync(mask, here) != 0;
}
template <class T>
T __shfl_sync(unsigned, T x, int lane) {
  return T(exchange(std::uint64_t(x))[std::size_t(lane) % lanes]);
}
template <class T>
T __shfl_down_sync(unsigned, T x, int distance) {
  const std::size_t from = warp.lane + std::size_t(distance);
  return T(exchange(std::uint64_t(x))[from < lanes ? from : warp.lane]);
}
template <class T>
T __shfl_up_sync(unsigned, T x, int distance) {
  const std::size_t d = std::size_t(distance);
  return T(exchange(std::uint64_t(x))[warp.lane >= d ? warp.lane - d : warp.lane]);
}
template <class T>
T __shfl_xor_sync(unsigned, T x, int distance) {
  return T(exchange(std::uint64_t(x))[warp.lane ^ std::size_t(distance)]);
}
template <class T>
T __reduce_max_sync(unsigned, T x) {
  T r = x;
  for (const std::uint64_t other : exchange(std::uint64_t(x))) r = std::max(r, T(other));
  return r;
}
[[maybe_unused]] void atomicAdd(unsigned long long* to, unsigned long long x) { *to += x; }
[[maybe_unused]] void atomicMax(unsigned* to, unsigned x) { *to = std::max(*to, x); }
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
// Some of what follows no test here calls, but the headers name it.
[[maybe_unused]] void __syncwarp() { exchange(0); }
[[maybe_unused]] int __clzll(long long x) { return std::countl_zero(std::uint64_t(x)); }
[[maybe_unused]] int __reduce_min_sync(unsigned, int x) {
  int r = x;
  for (const std::uint64_t other : exchange(std::uint64_t(x))) r = std::min(r, int(other));
  return r;
}
[[maybe_unused]] double __dmul_rn(double x, double y) { return acc::impl::mul(x, y); }
[[maybe_unused]] double __dadd_rn(double x, double y) { return acc::impl::add(x, y); }
[[maybe_unused]] double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }
[[maybe_unused]] unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
[[maybe_unused]] float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
[[maybe_unused]] long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
[[maybe_unused]] int __double2hiint(double x) { return int(std::bit_cast<std::int64_t>(x) >> 32); }
[[maybe_unused]] int __double2loint(double x) { return int(std::bit_cast<std::int64_t>(x)); }
[[maybe_unused]] double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(std::uint64_t(std::uint32_t(high)) << 32 | std::uint32_t(low));
}
[[maybe_unused]] std::uint64_t __umul64hi(std::uint64_t x, std::uint64_t y) {
  return std::uint64_t(static_cast<unsigned __int128>(x) * y >> 64);
}

template <class T>
[[maybe_unused]] T __reduce_add_sync(unsigned, T x) {
  T r = 0;
  for (const std::uint64_t other : exchange(std::uint64_t(x))) r = T(unsigned(r) + unsigned(other));
  return r;
}
[[maybe_unused]] unsigned __reduce_or_sync(unsigned, unsigned x) {
  unsigned r = 0;
  for (const std::uint64_t other : exchange(x)) r |= unsigned(other);
  return r;
}
[[maybe_unused]] void __nanosleep(unsigned) {}
[[maybe_unused]] struct {
  unsigned x, y;
} blockIdx, blockDim, threadIdx;
[[maybe_unused]] float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }

}  // namespace

namespace acc::backends::cuda {
namespace {

template <class T>
struct loaded {
  T e[16 / sizeof(T)];
};
/// Refuses what a GPU refuses: addresses that are no multiples of 16.
template <class T>
[[maybe_unused]] loaded<T> load_streaming(const T* p) {
  if (reinterpret_cast<std::uintptr_t>(p) % 16 != 0) std::abort();
  loaded<T> v;
  std::memcpy(static_cast<void*>(&v), p, sizeof(v));
  return v;
}
template <class T>
[[maybe_unused]] T shuffle_down(const T& value, int distance) {
  static_assert(sizeof(T) % 4 == 0);
  std::array<unsigned, sizeof(T) / 4> words;
  std::memcpy(words.data(), static_cast<const void*>(&value), sizeof(T));
  for (unsigned& w : words) w = __shfl_down_sync(0, w, distance);
  T result;
  std::memcpy(static_cast<void*>(&result), words.data(), sizeof(T));
  return result;
}
[[maybe_unused]] void end_thread() {}

}  // namespace
}  // namespace acc::backends::cuda
