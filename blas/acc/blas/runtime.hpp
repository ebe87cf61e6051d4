// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_RUNTIME_HPP
#define ACC_BLAS_RUNTIME_HPP

/// \file
/// Kokkos for callers that know nothing of it: who starts it, on which threads, and what a fork
/// does with it. Installed for the Python package, whose products are not among acc::blas's.

#include <Kokkos_Core.hpp>

#include <atomic>
#include <future>

namespace acc::blas {

/// While one of these lives, no fork happens: fork() waits for it, as a call begun later waits for
/// fork(). So a child finds no lock of Kokkos or acc taken, by a thread that it does not have.
class fork_waits {
 public:
  fork_waits();
  ~fork_waits();
  fork_waits(const fork_waits&) = delete;
  fork_waits& operator=(const fork_waits&) = delete;
};

/// Initializes Kokkos if nobody has, once, and then has it finalized at exit.
///
/// \throws std::runtime_error if Kokkos has been finalized, or if it was started before a fork and
/// cannot go on after it; what Kokkos::initialize throws
void need_kokkos();

/// What runs_already says: only runtime.cpp writes it. Not Kokkos's own word, which no thread may
/// ask while another one starts it.
extern std::atomic<bool> runs;
/// Whether Kokkos runs and host memory can be computed on, as a call of need_kokkos has found: then
/// what the calling thread computes by itself, without a lock of Kokkos or acc, needs no
/// with_kokkos. Where that says no, with_kokkos may find that it can all the same.
inline bool runs_already() noexcept { return runs.load(std::memory_order_acquire); }

/// Where the host computes. In a forked process whose Kokkos was started before the fork: the
/// calling thread alone, since Kokkos's other threads are not there. Threads change no bits.
Kokkos::DefaultHostExecutionSpace host_space();

/// 0 until they are asked for.
inline std::atomic<int> known_host_threads{0};
int count_host_threads();
/// The threads of host_space(), when Kokkos runs. After the first call it takes no longer than a
/// load.
inline int host_threads() {
  const int threads = known_host_threads.load(std::memory_order_relaxed);
  return threads != 0 ? threads : count_host_threads();
}

/// Whether the caller is in an OpenMP parallel region, and Kokkos's host space is OpenMP: it
/// refuses to start and to work there.
bool is_in_parallel_region();

/// f() with a Kokkos that runs, from a thread of its own if need be: to that one a region is none.
/// Calls from the threads of a region take turns then, by Kokkos's locks, each with all of Kokkos's
/// threads.
///
/// \throws what need_kokkos and f throw
template <class F>
auto with_kokkos(const F& f) {
  const auto call = [&f] {
    const fork_waits until_it_returns;
    need_kokkos();
    return f();
  };
  return is_in_parallel_region() ? std::async(std::launch::async, call).get() : call();
}

}  // namespace acc::blas

#endif
