// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: acc_blas_lifetime CASE
// Who initializes and finalizes Kokkos, and what a fork does with it. Exits with 0 if all is as it
// should be.
#include <acc/blas.h>
#include <acc/c.h>

#include <Kokkos_Core.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

thread_local int place = -1;       // that xerbla_ was last told of
bool xerbla_returns = false;       // or leaves dagemm_ by an exception
bool leaves_kokkos_alone = false;  // a child, of whose parent Kokkos is

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::_Exit(1);
}

/// 2 x 3, and the sum of 2 alone; whether they came out right.
bool multiplies() {
  const int m = 1, k = 1;
  const double a = 2, b = 3, zero = 0, one = 1;
  double c = 0;
  place = -1;
  try {
    dagemm_("N", "N", &m, &m, &k, &one, &a, &m, &b, &m, &zero, &c, &m);
  } catch (int) {
    expect(c == 0, "C is as it was");
  }
  double sum = 7;
  const int status = acc_dsum_exact(1, &a, 1, &sum);
  return c == 6 && place == -1 && status == ACC_SUCCESS && sum == 2;
}

/// The wait status of a child that ends as programs do, with 0 if body() is true. Where it waits
/// for threads, alarm ends it.
template <class Body>
int status_of_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    leaves_kokkos_alone = Kokkos::is_initialized();
    std::exit(body() ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}

bool is_aborted(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT; }

/// In a child of a process whose Kokkos has started.
bool multiplies_or_is_refused() {
#if ACC_TEST_REFUSES_IN_CHILD
  return !multiplies() && place == 0;
#else
  return multiplies();
#endif
}

}  // namespace

extern "C" void xerbla_(const char*, const int* where, std::size_t) {
  place = *where;
  if (!xerbla_returns) throw place;
}

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  // Registered first, so called last.
  std::atexit(
      [] { expect(Kokkos::is_finalized() != leaves_kokkos_alone, "who started Kokkos ends it"); });

  if (name == "first_use") {
    // Whichever thread comes first.
    std::vector<int> right(4);
    std::vector<std::thread> threads;
    for (int& r : right) threads.emplace_back([&r] { r = multiplies(); });
    for (auto& t : threads) t.join();
    for (const int r : right) expect(r, "every thread's product");
    expect(Kokkos::is_initialized(), "the first call initializes Kokkos");
    expect(multiplies(), "a later product");
  } else if (name == "parallel_region") {
    // Where Kokkos's OpenMP itself gives up. In a build without OpenMP it is no region.
    int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    for (int i = 0; i < 5; ++i) wrong += !multiplies();
    expect(wrong == 0, "every product in the region");
    expect(multiplies(), "a later product");
  } else if (name == "users_kokkos") {
    {
      Kokkos::ScopeGuard guard(argc, argv);
      expect(multiplies(), "a product in the program's own Kokkos");
    }
    expect(!multiplies() && place == 0, "no product after Kokkos::finalize");
  } else if (name == "after_finalize") {
    {
      Kokkos::ScopeGuard guard(argc, argv);
    }
    expect(!multiplies() && place == 0, "no first product after Kokkos::finalize");
    double sum = 7;
    expect(acc_dsum_exact(1, &sum, 1, &sum) == ACC_FAILURE && sum == 7, "no first sum after it");
    expect(
        acc_last_error() == std::string("acc_dsum_exact: Kokkos has been finalized and cannot be "
                                        "initialized again"),
        "the reason");
  } else if (name == "finalized_by_user") {
    expect(multiplies(), "a product");
    Kokkos::finalize();  // at exit it is not finalized twice
    expect(!multiplies() && place == 0, "no product after Kokkos::finalize");
  } else if (name == "ends_without_kokkos") {
    // Who does not hear of an error from a status ends, rather than go on with a C that is none.
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    {
      Kokkos::ScopeGuard guard(argc, argv);
    }
    xerbla_returns = true;
    expect(is_aborted(status_of_child(multiplies)), "dagemm_ ends the process");
    expect(is_aborted(status_of_child([] {
             const double two = 2;
             double c = 0;
             cblas_dagemm(AccRowMajor, AccNoTrans, AccNoTrans, 1, 1, 1, 1, &two, 1, &two, 1, 0, &c,
                          1);
             return true;
           })),
           "cblas_dagemm ends the process");
    const int minus_one = -1, one = 1;
    const double two = 2;
    double c = 7;
    dagemm_("N", "N", &minus_one, &one, &one, &two, &two, &one, &two, &one, &two, &c, &one);
    expect(place == 3 && c == 7, "after a wrong argument it returns, as any BLAS");
  } else if (name == "fork_before_first_use") {
    // The child has a Kokkos of its own, with all threads, and ends it.
    expect(status_of_child([] {
             bool is_right = multiplies();
#if defined(KOKKOS_ENABLE_OPENMP)
             is_right = is_right && Kokkos::OpenMP().concurrency() == 3;  // as the test sets
#endif
             return is_right;
           }) == 0,
           "the child multiplies");
    expect(!Kokkos::is_initialized(), "the parent has no Kokkos yet");
    expect(multiplies(), "a product beside it");
  } else if (name == "fork_of_accs_kokkos") {
    expect(multiplies(), "a product");
    expect(status_of_child(multiplies_or_is_refused) == 0, "the child leaves Kokkos to its parent");
    expect(multiplies(), "a product beside it");
  } else if (name == "fork_during_first_use") {
    // Another thread starts Kokkos, which takes some milliseconds. Each process has one first use.
    for (int delay = 0; delay < 40; ++delay) {
      const int status = status_of_child([delay] {
        std::thread first([] { expect(multiplies(), "the first product"); });
        usleep(useconds_t(delay * 250));
        const int of_its_child = status_of_child(
            [] { return leaves_kokkos_alone ? multiplies_or_is_refused() : multiplies(); });
        first.join();
        return of_its_child == 0;
      });
      expect(status == 0, "a child forked while Kokkos starts");
    }
    expect(multiplies(), "a product in the end");
  } else if (name == "fork_of_users_kokkos") {
    // acc sees the fork though no call of it came before.
    Kokkos::initialize(argc, argv);
    Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, 1000),
                         [](int) {});
    expect(status_of_child(multiplies_or_is_refused) == 0, "the child of a user of Kokkos");
    expect(multiplies(), "a product beside it");
    Kokkos::finalize();
  } else if (name == "fork_in_region") {
    expect(multiplies(), "a product");
    int status = 0;
#pragma omp parallel num_threads(3) reduction(| : status)
    {
      const pid_t child = fork();
      if (child == 0) {
        alarm(60);
        // It may not leave the region: the threads at its end are not there.
        std::_Exit(multiplies_or_is_refused() ? 0 : 1);
      }
      int ended = -1;
      status |= waitpid(child, &ended, 0) == child ? ended : -1;
    }
    expect(status == 0, "the children of each thread of a region");
    expect(multiplies(), "a product beside it");
  } else {
    expect(false, "the case's name is known");
  }
  return 0;
}
