// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "paper_ngemm.hpp"

#include "paper_experiment.hpp"

#include <acc/ngemm.hpp>

#include <cstdio>

namespace perf::paper {

namespace {

constexpr int runs = 10;

template <class T>
constexpr const char* type_name = sizeof(T) == 4 ? "float" : "double";

/// Of how many rows errors are taken: not of all where the reference would take too long.
std::int64_t sample(std::int64_t n) { return n > 4096 ? 256 : n; }

template <class T, class... Method>
void by_recursion(const experiment<T>& x, const acc::ngemm_options& options,
                  const Method&... method) {
  acc::ngemm(Exec(), "N", "N", T(1), view(x.a), view(x.b), T(0), view(x.c), options, method...);
}

template <class T>
void print_figures(std::int64_t n) {
  // The break-even points of the paper's figures 8 and 9.
  const acc::ngemm_options paper_cutoff{.cutoff = sizeof(T) == 4 ? 1024 : 2048};
  const acc::ngemm_options pieces{.recursion = acc::ngemm_recursion::outer_product};
  error plain{}, peer{}, outer{}, leaves{}, by_default{};
  for (int run = 0; run < runs; ++run) {
    const experiment<T> x(n, std::uint64_t(100 + run), false, sample(n));
    x.multiply(acc::plain{});
    plain.keep_greatest(x.errors());
    x.multiply_by_peer();
    peer.keep_greatest(x.errors());
    // Pieces of the inner dimension: an entry's bits do not depend on the other rows.
    acc::ngemm(Exec(), "N", "N", T(1), x.sampled(x.a), view(x.b), T(0), x.sampled(x.c), pieces,
               acc::plain{});
    outer.keep_greatest(x.errors());
    by_recursion(x, paper_cutoff, acc::plain{});
    leaves.keep_greatest(x.errors());
    by_recursion(x, {});
    by_default.keep_greatest(x.errors());
  }
  const auto row = [&](const char* name, const error& e) {
    std::printf("ngemm,%s,%s,%d,%.6g,%.6g\n", type_name<T>, name, int(n), e.greatest, e.relative);
  };
  row("plain", plain);
  if constexpr (blas::exists) row("BLAS", peer);
  row("outer product", outer);
  row("plain leaves", leaves);
  row("default", by_default);
  std::fflush(stdout);
}

template <class T>
void print_errors_by_depth(std::int64_t n, bool signs) {
  constexpr int depths = 5;
  error of_depth[depths] = {};
  for (int run = 0; run < runs; ++run) {
    const experiment<T> x(n, std::uint64_t(100 + run), signs, sample(n));
    for (int depth = 0; depth < depths; ++depth) {
      by_recursion(x, {.depth = depth}, acc::plain{});
      of_depth[depth].keep_greatest(x.errors());
    }
  }
  for (int depth = 0; depth < depths; ++depth)
    std::printf("depth,%s,%s,%d,%d,%.6g,%.6g\n", type_name<T>, signs ? "[-1 1]" : "[0 1]", int(n),
                depth, of_depth[depth].greatest, of_depth[depth].relative);
  std::fflush(stdout);
}

}  // namespace

void print_ngemm(std::int64_t n) {
  print_figures<float>(n);
  print_figures<double>(n);
}

void print_depths(std::int64_t n) {
  for (const bool signs : {false, true}) {
    print_errors_by_depth<float>(n, signs);
    print_errors_by_depth<double>(n, signs);
  }
}

}  // namespace perf::paper
