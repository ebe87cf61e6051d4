// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: acc_blas_lifetime CASE
// Who initializes and finalizes Kokkos. Exits with 0 if all is as it should be.
#include <acc/blas.h>
#include <acc/c.h>

#include <Kokkos_Core.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

thread_local int place = -1;  // that xerbla_ was last told of

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::_Exit(1);
}

bool is_cut_off = false;  // a fork without Kokkos's threads

/// 2 x 3, and the sum of 2 alone; whether they came out right.
bool multiplies() {
  const int m = 1, k = 1;
  const double a = 2, b = 3, zero = 0, one = 1;
  double c = 0;
  place = -1;
  dagemm_("N", "N", &m, &m, &k, &one, &a, &m, &b, &m, &zero, &c, &m);
  double sum = 7;
  const int status = acc_dsum_exact(1, &a, 1, &sum);
  return c == 6 && place == -1 && status == ACC_SUCCESS && sum == 2;
}

}  // namespace

extern "C" void xerbla_(const char*, const int* where, std::size_t) { place = *where; }

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  // Registered first, so called last.
  std::atexit(
      [] { expect(is_cut_off || Kokkos::is_finalized(), "Kokkos is finalized in the end"); });

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
  } else if (name.starts_with("fork")) {
    // A child that ends as programs do; where it waits for threads, alarm ends it otherwise.
    expect(multiplies(), "a product");
    using host = Kokkos::DefaultHostExecutionSpace;
    const bool has_threads =
        !std::is_same_v<host, Kokkos::DefaultExecutionSpace> || host().concurrency() > 1;
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      is_cut_off = has_threads;
      expect(multiplies() != is_cut_off, "the child multiplies if it needs no threads");
      expect(!is_cut_off || (place == 0 && std::string(acc_last_error()) ==
                                               "acc_dsum_exact: the threads of Kokkos do not live "
                                               "on in a forked process"),
             "else it is told why not");
      return 0;
    }
    int status = -1;
    expect(waitpid(child, &status, 0) == child && status == 0, "the child ends well");
    expect(multiplies(), "a product beside it");
  } else {
    expect(false, "the case's name is known");
  }
  return 0;
}
