// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_PANEL_SUBSTITUTION_HPP
#define ACC_BLAS_PANEL_SUBSTITUTION_HPP

/// \file
/// Substitution with many right-hand sides of real numbers (docs/arithmetic.md, TR4). They do not
/// depend on one another, so threads share them.

#include <acc/backends/host/gemm/blocking.hpp>
#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/topology.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/core/gemm_method.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "equations.hpp"
#include "triangles.hpp"

namespace acc::blas {

/// A thread takes a group of right-hand sides from the first block to the last. What is solved lies
/// in panels of B, as the microkernels of acc::gemm read them (kernels/gemm.hpp), so X is packed
/// once; a block's coefficients are packed once for a group.
template <class S>
class panel_substitution {
  using method = impl::gemm_default_t<S>;
  using host = Kokkos::DefaultHostExecutionSpace;

 public:
  panel_substitution(const equations<S>& all, S alpha)
      : all_(all),
        by_(functions_of<method>()),
        fallback_(functions_of<impl::fallback>()),
        pack_(backends::host::pack_for_this_processor<S, S>()),
        alpha_(alpha),
        nr_(by_.kernels->nr) {
    tiles_ = int(backends::host::divide_up(solved_at_once, by_.kernels->mr));
    mr_ = by_.kernels->at_least(backends::host::divide_up(solved_at_once, tiles_)).mr;
  }

  /// Whether panels are faster than products of whole blocks, or one right-hand side after another:
  /// they are as wide as the kernels', and a thread has one at least.
  bool serves(std::int64_t threads) const {
    const std::int64_t panels = backends::host::divide_up(all_.width, nr_);
    return 4 * std::int64_t(all_.width) > nr_ &&
           (all_.order <= gemm_section || 4 * panels >= threads);
  }

  /// By the threads of exec. scale_first_block() multiplies the first block, which has no products,
  /// by alpha: when there is memory.
  template <class F>
  void run(const host& exec, const F& scale_first_block) {
    const std::int64_t threads = exec.concurrency();
    choose_group(threads);
    const std::int64_t groups = backends::host::divide_up(all_.width, panels_of_group_ * nr_);
    const std::int64_t workers = std::min(threads, groups);
    const memory all(static_cast<S*>(
        ::operator new(std::size_t(numbers() * workers) * sizeof(S), std::align_val_t(alignment))));
    scale_first_block();
    std::atomic<std::int64_t> next{0};
    const auto work = [&, this](std::int64_t worker) {
      for (std::int64_t g; (g = next.fetch_add(1, std::memory_order_relaxed)) < groups;)
        solve_group(g, all.get() + worker * numbers());
    };
    Kokkos::parallel_for(
        "acc::blas: right-hand sides",
        Kokkos::RangePolicy<host, Kokkos::IndexType<std::int64_t>>(exec, 0, workers), work);
    exec.fence("acc::blas: right-hand sides");
  }
  /// By the calling thread, where alpha is 1; or false, and nothing is done, as it needs more
  /// memory.
  template <std::size_t Numbers>
  [[gnu::noinline]] bool run_with_own_memory() {
    alignas(alignment) S own[Numbers];
    if (numbers() > std::int64_t(Numbers)) return false;
    for (std::int64_t g = 0; g * nr_ < all_.width; ++g) solve_group(g, own);
    return true;
  }

 private:
  static constexpr std::size_t alignment = 64;
  /// X of a group takes so many times the second cache, so that it may wait in the last one; where
  /// panels are larger, a block's coefficients are packed for so many all the same.
  static constexpr std::int64_t caches_of_group = 8, least_panels = 4;
  static constexpr int max_mr = backends::host::microkernel_tuning::most_rows, max_nr = 64;

  struct deletes {
    void operator()(S* p) const { ::operator delete(p, std::align_val_t(alignment)); }
  };
  using memory = std::unique_ptr<S, deletes>;

  struct functions {
    const backends::host::microkernels<S>* kernels;
    backends::host::section_function<S> end_section;
    backends::host::epilogue_function<S, S> finish;
    std::int64_t strip;
  };
  template <class Method>
  static functions functions_of() {
    using namespace backends::host;
    return {&microkernels_for_this_processor<Method, S>(), section_for_this_processor<Method, S>(),
            epilogue_for_this_processor<Method, S, S>(),
            impl::has_strips<Method> ? impl::strip_of(gemm_default<S>) : gemm_section};
  }

  void choose_group(std::int64_t threads) {
    const std::int64_t panels = backends::host::divide_up(all_.width, nr_);
    const auto second = std::int64_t(backends::host::caches().second);
    const std::int64_t bytes = std::int64_t(all_.order) * nr_ * std::int64_t(sizeof(S));
    panels_of_group_ = std::min(backends::host::divide_up(panels, threads),
                                std::max(least_panels, caches_of_group * second / bytes));
  }
  /// Of a worker: X of a group, and a block's coefficients.
  std::int64_t numbers() const { return all_.order * (panels_of_group_ * nr_ + tiles_ * mr_); }

  void solve_group(std::int64_t group, S* x) const {
    S* const a = x + all_.order * panels_of_group_ * nr_;
    const std::int64_t first = group * panels_of_group_ * nr_;
    const std::int64_t end = std::min<std::int64_t>(all_.width, first + panels_of_group_ * nr_);
    for (int n = 0; n < all_.blocks(); ++n) {
      const block of = all_.block_of(n);
      pack_coefficients(of, a);
      S* panel = x;
      for (std::int64_t w = first; w < end; w += nr_, panel += all_.order * nr_) {
        S* const rows = panel + of.first * nr_;
        const int columns = int(std::min<std::int64_t>(nr_, end - w));
        all_.read_rows(of, w, columns, nr_, rows);
        if (of.n > 0) subtract(of, panel, a);
        all_.solve_rows(of, rows, nr_, nr_);
        all_.write_rows(of, w, columns, nr_, rows);
      }
    }
  }
  void pack_coefficients(const block& of, S* to) const {
    const auto [row, column] = all_.strides();
    const S* from = all_.a.data + of.first * row + of.solved * column;
    for (int r = 0; r < of.count; r += mr_, to += mr_ * of.n) {
      const int mn = std::min(mr_, of.count - r);
      pack_(backends::host::panel_kind::real, {from + r * row, row, column, mn, of.n, false}, mr_,
            to);
    }
  }
  /// What the block's equations have of the unknowns that are solved.
  void subtract(const block& of, S* panel, const S* a) const {
    for (int r = 0; r < of.count; r += mr_, a += mr_ * of.n) {
      std::uint64_t wanted[max_mr];
      std::fill_n(wanted, mr_, ~std::uint64_t(0));
      const int rows = std::min(mr_, of.count - r);
      S* const c = panel + (of.first + r) * nr_;
      const S* const b = panel + of.solved * nr_;
      multiply(by_, of.n, a, b, rows, c, wanted, false);
      if (std::any_of(wanted, wanted + rows, [](std::uint64_t bits) { return bits != 0; }))
        multiply(fallback_, of.n, a, b, rows, c, wanted, true);
    }
  }
  /// A tile of right-hand sides: c = alpha c - a b. a is a panel, b one of so many unknowns.
  void multiply(const functions& by, std::int64_t depth, const S* a, const S* b, int rows, S* c,
                std::uint64_t* wanted, bool keeps_nan) const {
    const auto& kernel = by.kernels->at_least(mr_);
    alignas(alignment) S state[3 * max_mr * max_nr], sums[2 * max_mr * max_nr];
    for (std::int64_t k = 0; k < depth; k += gemm_section) {
      const std::int64_t count = std::min(gemm_section, depth - k);
      const S* const unknowns = b + k * nr_;
      kernel.multiply({.k = count,
                       .strip = by.strip,
                       .until_close = by.strip,
                       .first = true,
                       .last = true,
                       .a = a + k * mr_,
                       .b = unknowns,
                       .b_step = nr_,
                       .state = state,
                       .next_b = unknowns,
                       .next_state = state});
      if (k + count < depth) by.end_section(mr_, state, k == 0, sums);
    }
    by.finish(mr_, {.state = state,
                    .before = depth > gemm_section ? sums : nullptr,
                    .scale = {{S(-1), S(0)}, {alpha_, S(0)}},
                    .parts = 1,
                    .rows = rows,
                    .columns = nr_,
                    .c = c,
                    .step = nr_,
                    .wanted = wanted,
                    .keeps_nan = keeps_nan});
  }

  const equations<S>& all_;
  const functions by_, fallback_;
  const backends::host::pack_function<S, S> pack_;
  const S alpha_;
  const int nr_;
  int tiles_, mr_;  ///< of a block
  std::int64_t panels_of_group_ = 1;
};

}  // namespace acc::blas

#endif
