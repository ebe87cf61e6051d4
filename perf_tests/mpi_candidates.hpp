// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_MPI_CANDIDATES_HPP
#define ACC_PERF_TESTS_MPI_CANDIDATES_HPP

/// \file
/// Calls that all ranks make together, timed in turns.
///
/// A round times every candidate once, its calls in a row after a barrier. A candidate's figure is
/// the median over rounds of the first rank's time; its ratio the median of the ratios to the first
/// candidate within rounds.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <mpi.h>
#include <string>
#include <vector>

namespace perf {

struct Candidate {
  std::string name;
  std::function<void()> call;
  int times = 1;  ///< a call does it so often
  std::vector<double> seconds = {};
};

inline double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

inline void time_candidates(std::vector<Candidate>& all, int rounds, int calls) {
  for (int round = -5; round < rounds; ++round) {
    for (auto& c : all) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      for (int k = 0; k < calls; ++k) c.call();
      if (round >= 0) c.seconds.push_back((MPI_Wtime() - start) / calls / c.times);
    }
  }
}

/// Microseconds and ratios.
inline void print_candidates(const std::string& title, const std::vector<Candidate>& all) {
  std::printf("%-62s %9s %7s\n", title.c_str(), "us", "ratio");
  for (const auto& c : all) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < c.seconds.size(); ++i)
      ratios.push_back(c.seconds[i] / all[0].seconds[i]);
    std::printf("%-62s %9.3f %7.3f\n", c.name.c_str(), 1e6 * median(c.seconds), median(ratios));
  }
}

/// "Open MPI v4.1.4, ...", in short.
inline std::string mpi_library() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  return std::string(version, std::size_t(length)).substr(0, 40);
}

}  // namespace perf

#endif
