// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a GPU's team on a host: contexts of one thread that take turns. Each runs up to a
// barrier. So a barrier costs no call of the system, and every run of a test has the same order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>

#include <setjmp.h>
#include <ucontext.h>

namespace acc_test {

class HostThreads {
 public:
  static constexpr std::size_t most = 1024;

  /// body(i) for every i < n, n <= most. Which of two threads is first changes from run to run and
  /// from barrier to barrier: what lacks a barrier between them finds the other's numbers missing.
  void run(std::size_t n, const std::function<void(std::size_t)>& body) {
    body_ = &body;
    running_ = n;
    turns_in_vain_ = 0;
    has_begun_.fill(false);
    const bool upwards = random_() % 2 == 0;
    for (std::size_t i = 0; i < n; ++i) {
      next_[i] = (upwards ? i + 1 : i + n - 1) % n;
      previous_[next_[i]] = i;
    }
    if (n == 0) return;
    current_ = random_() % n;
    getcontext(&first_);
    begin(&caller_);
  }

  std::size_t current() const { return current_; }

  /// The turn of all others.
  void yield() {
    if (++turns_in_vain_ > 2 * running_) {
      std::fputs("host_threads.hpp: threads wait for others that do not come\n", stderr);
      std::abort();
    }
    if (_setjmp(at_[current_]) == 0) go_to(following());
  }
  /// Whoever waits has something to go on with.
  void wake() { turns_in_vain_ = 0; }
  /// Turns may go the other way from now on.
  void turn_around() { forwards_ = random_() % 2 == 0; }

 private:
  std::size_t following() const { return (forwards_ ? next_ : previous_)[current_]; }

  static constexpr std::size_t stack_bytes = std::size_t(1) << 17;

  /// Begins the current thread, and comes back to `from`.
  void begin(ucontext_t* from) {
    has_begun_[current_] = true;
    ucontext_t thread = first_;
    thread.uc_stack.ss_sp = stacks_.get() + current_ * stack_bytes;
    thread.uc_stack.ss_size = stack_bytes;
    thread.uc_link = nullptr;
    self_ = this;
    makecontext(&thread, [] { self_->run_current(); }, 0);
    swapcontext(from, &thread);
  }
  void run_current() {
    (*body_)(current_);
    wake();
    next_[previous_[current_]] = next_[current_];
    previous_[next_[current_]] = previous_[current_];
    if (--running_ == 0) setcontext(&caller_);
    go_to(following());
  }
  /// A context that has begun is gone back to by _longjmp, which asks nothing of the system.
  [[noreturn]] void go_to(std::size_t i) {
    current_ = i;
    if (has_begun_[i]) _longjmp(at_[i], 1);
    ucontext_t left;
    begin(&left);
    std::abort();
  }

  static inline HostThreads* self_ = nullptr;
  const std::function<void(std::size_t)>* body_ = nullptr;
  std::size_t current_ = 0, running_ = 0, turns_in_vain_ = 0;
  std::array<std::size_t, most> next_{}, previous_{};
  bool forwards_ = true;
  std::array<bool, most> has_begun_{};
  std::array<jmp_buf, most> at_{};
  ucontext_t first_{}, caller_{};
  std::unique_ptr<char[]> stacks_ = std::make_unique_for_overwrite<char[]>(most * stack_bytes);
  std::mt19937 random_{1};
};
inline HostThreads host_threads;

/// A barrier of `count` of these threads.
class HostBarrier {
 public:
  explicit HostBarrier(std::size_t count) : count_(count) {}
  void arrive_and_wait() {
    const std::size_t mine = passed_;
    if (++arrived_ == count_) {
      arrived_ = 0;
      ++passed_;
      host_threads.wake();
      host_threads.turn_around();
    }
    while (passed_ == mine) host_threads.yield();
  }

 private:
  std::size_t count_, arrived_ = 0, passed_ = 0;
};

}  // namespace acc_test
