// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The measurements behind docs/paper-tables.md, as comma-separated lines for paper_tables.py.
//
//   acc_paper_tables machine        what it runs on
//   acc_paper_tables tables N...    errors and speeds (Badin et al. 2011, tables 4 to 9)
//   acc_paper_tables rounding       FMADD and FMA (their tables 2 and 3)
//   acc_paper_tables threads N      speeds with the threads that there are (their table 1)
//   acc_paper_tables figures N...   preload and postload (Badin et al. 2013, figures 1 and 2)
//   acc_paper_tables ngemm N...     recursive products (their figures 6, 7, 10 and 11)
//   acc_paper_tables depths N...    their errors by depth, without signs and with them

#include "paper_ngemm.hpp"
#include "paper_rounding.hpp"

#include <acc/print_configuration.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>

namespace {

using namespace perf;
using experiment = paper::experiment<float>;

/// A way to multiply, its first call's time and those of later calls.
struct contender {
  std::string name;
  std::int64_t strip;
  std::function<void()> multiply;
  double first = 0;
  std::vector<double> times = {};
  paper::error error = {};

  void call_first(const experiment& x) {
    first = seconds(multiply);
    error = x.errors();
  }
  /// Not again if a call takes more than 2 seconds: then the first one counts.
  void call_again() {
    if (first < 2) times.push_back(seconds(multiply));
  }
  /// The median's GFLOP/s, slowest less fastest as a part of the median, and how many calls.
  void print_speed(std::int64_t n) {
    if (times.empty()) times = {first};
    const auto [fastest, slowest] = std::minmax_element(times.begin(), times.end());
    const double middle = median(times), operations = 2e-9 * std::pow(double(n), 3);
    std::printf("%.4g,%.3f,%d\n", operations / middle, (*slowest - *fastest) / middle,
                int(times.size()));
  }
};

/// Calls all of them in turn, so that none has the machine's good or bad moments for itself.
void take_turns(std::vector<contender>& all, const experiment& x) {
  for (contender& c : all) c.call_first(x);
  const int rounds = all.front().first > 0.1 ? 3 : all.front().first > 0.01 ? 5 : 21;
  for (int round = 0; round < rounds; ++round)
    for (contender& c : all) c.call_again();
}

template <class Method>
contender by(const experiment& x, const char* name, std::int64_t strip, const Method& method) {
  return {name, strip, [=, &x] { x.multiply(method); }};
}

void tables(std::int64_t n) {
  for (const bool signs : {false, true}) {
    const experiment x(n, 1, signs);
    std::vector<contender> all = {by(x, "plain", 0, acc::plain{})};
    if constexpr (blas::exists) all.push_back({"BLAS", 0, [&] { x.multiply_by_peer(); }});
    for (const std::int64_t strip : {1, 16, 32, 64, 128, 256}) {
      all.push_back(by(x, "priest", strip, acc::selective<acc::priest>{.strip = strip}));
      all.push_back(by(x, "kahan", strip, acc::selective<acc::kahan>{.strip = strip}));
    }
    for (const std::int64_t strip : {64, 128, 256})
      all.push_back(by(x, "seeded", strip, acc::selective<acc::seeded>{.strip = strip}));
    all.push_back(by(x, "blocked", 64, acc::blocked{.strip = 64}));
    all.push_back(by(x, "compensated", 0, acc::compensated{}));
    all.push_back(by(x, "widened", 0, acc::widened{}));
    take_turns(all, x);
    for (contender& c : all) {
      std::printf("product,%s,%s,%d,%d,%.6g,%.6g,%.6g,", signs ? "[-1 1]" : "[0 1]", c.name.c_str(),
                  int(c.strip), int(n), c.error.mean, c.error.least, c.error.greatest);
      c.print_speed(n);
    }
    std::fflush(stdout);
  }
}

void threads(std::int64_t n) {
  const experiment x(n, 1, false);
  std::vector<contender> all;
  for (const std::int64_t strip : {16, 32, 64})
    all.push_back(by(x, "priest", strip, acc::selective<acc::priest>{.strip = strip}));
  take_turns(all, x);
  for (contender& c : all) {
    std::printf("threads,%d,%d,%d,", Exec().concurrency(), int(c.strip), int(n));
    c.print_speed(n);
  }
}

void figures(std::int64_t n) {
  constexpr int runs = 10;
  paper::error plain{}, blocked{}, seeded{}, peer{};
  for (int run = 0; run < runs; ++run) {
    const experiment x(n, std::uint64_t(100 + run), false);
    x.multiply(acc::plain{});
    plain.keep_greatest(x.errors());
    x.multiply(acc::blocked{.strip = 64});
    blocked.keep_greatest(x.errors());
    x.multiply(acc::selective<acc::seeded>{.strip = 256});
    seeded.keep_greatest(x.errors());
    x.multiply_by_peer();
    peer.keep_greatest(x.errors());
  }
  const auto row = [&](const char* name, const paper::error& e) {
    std::printf("figure,%s,%d,%.6g,%.6g\n", name, int(n), e.greatest, e.relative);
    std::fflush(stdout);
  };
  row("plain", plain);
  row("blocked 64", blocked);
  row("seeded 256", seeded);
  if constexpr (blas::exists) row("BLAS", peer);
}

void describe_machine() {
  std::printf("# device: %s\n# execution space: %s\n# concurrency: %d\n", on_gpu ? "gpu" : "host",
              Exec::name(), Exec().concurrency());
  std::ostringstream configuration;
  acc::print_configuration(configuration);
  std::printf("# Kokkos: %d\n# compiler: %s\n# acc: %s", KOKKOS_VERSION, __VERSION__,
              configuration.str().c_str());
#if defined(KOKKOS_ENABLE_CUDA)
  std::printf("# GPU: %s\n# CUDA: %d\n", Kokkos::Cuda().cuda_device_prop().name, CUDART_VERSION);
#endif
  if constexpr (blas::exists) std::printf("# BLAS: %s\n", blas::description().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const std::string what = argc > 1 ? argv[1] : "";
  const auto each_size = [&](void (*f)(std::int64_t)) {
    for (int i = 2; i < argc; ++i) f(std::atoll(argv[i]));
  };
  if (what == "machine")
    describe_machine();
  else if (what == "tables")
    each_size(tables);
  else if (what == "rounding")
    paper::print_rounding();
  else if (what == "threads")
    each_size(threads);
  else if (what == "figures")
    each_size(figures);
  else if (what == "ngemm")
    each_size(paper::print_ngemm);
  else if (what == "depths")
    each_size(paper::print_depths);
  else
    return std::fprintf(stderr, "usage: see paper_tables.cpp\n"), 1;
}
