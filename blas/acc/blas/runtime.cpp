// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.hpp"

#include <acc/backends/host/kernels/instruction_set.hpp>
#include <acc/backends/host/topology.hpp>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "gemv_kernels.hpp"

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define ACC_BLAS_HAS_FORK
#endif

namespace acc::blas {

constinit std::atomic<bool> runs{false};

namespace {

using host = Kokkos::DefaultHostExecutionSpace;

/// This process is a fork of one that had started Kokkos, whose threads and GPU it does not have:
/// whatever asks them to do something waits for ever, Kokkos::finalize too.
bool is_left_behind = false;

/// Whether a forked process can compute with what it inherits of Kokkos. OpenMP runs a region of
/// one thread in the calling one; a GPU is lost, and with it all of Kokkos's fences.
constexpr bool survives_forks = std::is_same_v<host, Kokkos::DefaultExecutionSpace>
#if defined(KOKKOS_ENABLE_OPENMP)
                                && std::is_same_v<host, Kokkos::OpenMP>;
#elif defined(KOKKOS_ENABLE_SERIAL)
                                && std::is_same_v<host, Kokkos::Serial>;
#else
                                && false;
#endif

/// Calls come in side by side, a fork alone. Two atomic additions for a call: it may be a product
/// of two numbers. While a fork waits no call comes in, so that calls without end do not keep it
/// waiting.
class gate {
 public:
  void enter() {
    for (;;) {
      calls_.fetch_add(1);
      if (!is_closed_.load()) return;
      leave();
      is_closed_.wait(true);
    }
  }
  void leave() {
    if (calls_.fetch_sub(1) == 1 && is_closed_.load()) calls_.notify_all();
  }
  void close() {
    turn_.lock();
    is_closed_.store(true);
    for (int calls = calls_.load(); calls != 0; calls = calls_.load()) calls_.wait(calls);
  }
  void open() {
    is_closed_.store(false);
    is_closed_.notify_all();
    turn_.unlock();
  }

 private:
  // In one order for all threads: either a call sees that the gate is closed, or who closes it sees
  // the call.
  std::atomic<int> calls_{0};
  std::atomic<bool> is_closed_{false};
  std::mutex turn_;  ///< of forks
};

/// Never destroyed: a thread may still compute, or fork, while the process exits.
gate& the_gate() {
  static gate* const one = new gate;
  return *one;
}

/// Calls under way in this thread. A fork in such a call (of a profiling tool, of a handler of a
/// signal) does not wait for itself.
thread_local int calls_here = 0;

#if defined(ACC_BLAS_HAS_FORK)
void before_fork() {
  if (calls_here > 0) return;
  the_gate().close();
}

void after_fork_in_parent() {
  if (calls_here > 0) return;
  the_gate().open();
}

void after_fork_in_child() {
  // Made anew rather than opened: to some mutexes the child's thread is not the one that locked,
  // and calls of other threads are not there.
  new (&the_gate()) gate;
  if (calls_here > 0) the_gate().enter();
  if (!Kokkos::is_initialized()) return;
  is_left_behind = true;
  if constexpr (!survives_forks) runs.store(false);
}

/// When the library is loaded: the program may start Kokkos, and fork, before any call.
[[maybe_unused]] const int watches_forks =
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
#endif

}  // namespace

fork_waits::fork_waits() {
  if (calls_here++ == 0) the_gate().enter();
}

fork_waits::~fork_waits() {
  if (--calls_here == 0) the_gate().leave();
}

void need_kokkos() {
  static std::once_flag once;
  // Through call_once every time: a second thread may not look at Kokkos while a first starts it.
  std::call_once(once, [] {
    if (Kokkos::is_finalized()) return;
    if (!Kokkos::is_initialized()) {
      Kokkos::initialize();
      // After Kokkos and CUDA have registered what they do at exit, so before they do it.
      std::atexit([] {
        if (Kokkos::is_initialized() && !is_left_behind) Kokkos::finalize();
      });
    }
    // What is chosen once has a lock, which a fork may find taken outside of calls of with_kokkos.
    (void)backends::host::instruction_set();
    (void)backends::host::caches();
    gemv_kernels<float>::of_this_processor();
    gemv_kernels<double>::of_this_processor();
    gemv_kernels<Kokkos::complex<float>>::of_this_processor();
    gemv_kernels<Kokkos::complex<double>>::of_this_processor();
    // A tool is shown every launch, so with one there is no way around them. (One that is set later
    // sees no product that the calling thread computes by itself.)
    if (Kokkos::Tools::profileLibraryLoaded()) return;
    Kokkos::push_finalize_hook([] { runs.store(false); });
    runs.store(!is_left_behind || survives_forks);
  });
  if (!Kokkos::is_initialized())
    throw std::runtime_error("Kokkos has been finalized and cannot be initialized again");
  if (is_left_behind && !survives_forks)
    throw std::runtime_error(
        "Kokkos was started before the fork, and a forked process has none of its threads and "
        "GPUs");
}

host host_space() {
#if defined(KOKKOS_ENABLE_OPENMP)
  if (is_left_behind) {
    // Never destroyed, as the child's Kokkos is not finalized.
    static const host* const one_thread = new host(1);
    return *one_thread;
  }
#endif
  return host();
}

int count_host_threads() {
  const int threads = host_space().concurrency();
  known_host_threads.store(threads, std::memory_order_relaxed);
  return threads;
}

bool is_in_parallel_region() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return omp_get_level() > 0;
#else
  return false;
#endif
}

}  // namespace acc::blas
