// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_PANEL_SUBSTITUTION_HPP
#define ACC_BLAS_PANEL_SUBSTITUTION_HPP

/// \file
/// Substitution with many right-hand sides (docs/arithmetic.md, TR4). They do not depend on one
/// another, so threads share them.

#include <acc/backends/host/gemm/blocking.hpp>
#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/topology.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/scaling.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "equations.hpp"
#include "gemv_kernels.hpp"
#include "triangles.hpp"

namespace acc::blas {

/// A thread takes a group of right-hand sides from the first block to the last. What is solved lies
/// in panels of B, as the microkernels of acc::gemm read them (kernels/gemm.hpp), so X is packed
/// once; a block's coefficients are packed once for a group.
///
/// A complex unknown has two rows of a panel. It is solved in them as it is; then they become the
/// factors of its first and of its second real products. From the left the coefficient is a
/// product's first factor, as in acc::gemm. From the right x's number is: a coefficient has a row
/// of a tile for each part, x has a column, and the parts are put side by side before they are
/// scaled.
template <class T>
class panel_substitution {
  using S = impl::real_t<T>;
  using method = impl::gemm_default_t<T>;
  using host = Kokkos::DefaultHostExecutionSpace;
  static constexpr int parts = impl::components_of<T>;

 public:
  panel_substitution(const equations<T>& all, T alpha)
      : all_(all),
        by_(functions_of<method>()),
        fallback_(functions_of<impl::fallback>()),
        pack_(backends::host::pack_for_this_processor<S, S>()),
        scale_{{S(-1), S(0)}, {alpha_part(alpha, 0), alpha_part(alpha, 1)}},
        nr_(by_.kernels->nr),
        tile_rows_(all.left ? 1 : parts),
        width_(nr_ / parts * tile_rows_),
        step_(nr_ * parts / tile_rows_) {
    using backends::host::divide_up;
    const std::int64_t rows = divide_up(solved_at_once, divide_up(solved_at_once, by_.kernels->mr));
    mr_ = by_.kernels->at_least(rows).mr;
    assert(mr_ % tile_rows_ == 0 && nr_ <= max_nr);
    tiles_ = int(divide_up(solved_at_once * tile_rows_, mr_));
  }

  /// Whether panels are faster than products of whole blocks, or one right-hand side after another:
  /// they are as wide as the kernels', and a thread has one at least.
  bool serves(std::int64_t threads) const {
    if (all_.left && all_.width == 1) return false;
    if (tile_rows_ == 2 && (all_.order <= most_of_products || all_.width < least_panels * width_))
      return false;
    const std::int64_t panels = backends::host::divide_up(all_.width, width_);
    return 4 * std::int64_t(all_.width) > width_ &&
           (all_.order <= gemm_section || 4 * panels >= threads);
  }

  /// By the threads of exec. scale_first_block() multiplies the first block, which has no products,
  /// by alpha: when there is memory.
  template <class F>
  void run(const host& exec, const F& scale_first_block) {
    const std::int64_t threads = exec.concurrency();
    choose_group(threads);
    const std::int64_t groups = backends::host::divide_up(all_.width, panels_of_group_ * width_);
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
    for (std::int64_t g = 0; g * width_ < all_.width; ++g) solve_group(g, own);
    return true;
  }

 private:
  static constexpr std::size_t alignment = 64;
  static constexpr std::int64_t section = gemm_section * parts;
  /// X of a group takes so many times the second cache, so that it may wait in the last one; where
  /// panels are larger, a block's coefficients are packed for so many all the same.
  static constexpr std::int64_t caches_of_group = 8, least_panels = 4;
  /// Of complex numbers from the right, whose parts have to be put side by side, products of whole
  /// blocks are faster up to this order, and for fewer panels.
  static constexpr int most_of_products = 128;
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
    int components_of_sums;
  };
  template <class Method>
  static functions functions_of() {
    using namespace backends::host;
    return {&microkernels_for_this_processor<Method, S>(), section_for_this_processor<Method, S>(),
            epilogue_for_this_processor<Method, S, S>(),
            impl::has_strips<Method> ? impl::strip_of(gemm_default<T>) * parts : section,
            impl::has_low<Method> ? 2 : 1};
  }
  static S alpha_part(const T& alpha, int part) {
    return part < parts ? parts_at(&alpha)[part] : S(0);
  }

  void choose_group(std::int64_t threads) {
    const std::int64_t panels = backends::host::divide_up(all_.width, width_);
    const auto second = std::int64_t(backends::host::caches().second);
    const std::int64_t bytes = of_panel() * std::int64_t(sizeof(S));
    panels_of_group_ = std::min(backends::host::divide_up(panels, threads),
                                std::max(least_panels, caches_of_group * second / bytes));
  }
  /// Numbers of a panel, and of a worker: X of a group, and a block's coefficients.
  std::int64_t of_panel() const { return std::int64_t(all_.order) * nr_ * parts; }
  std::int64_t numbers() const {
    return of_panel() * panels_of_group_ + std::int64_t(all_.order) * tiles_ * mr_ * parts;
  }

  void solve_group(std::int64_t group, S* x) const {
    S* const a = x + of_panel() * panels_of_group_;
    const std::int64_t first = group * panels_of_group_ * width_;
    const std::int64_t end = std::min<std::int64_t>(all_.width, first + panels_of_group_ * width_);
    for (int n = 0; n < all_.blocks(); ++n) {
      const block of = all_.block_of(n);
      pack_coefficients(of, a);
      S* panel = x;
      for (std::int64_t w = first; w < end; w += width_, panel += of_panel()) {
        S* const rows = panel + of.first * nr_ * parts;
        T* const unknowns = reinterpret_cast<T*>(rows);
        const int columns = int(std::min<std::int64_t>(width_, end - w));
        all_.read_rows(of, w, columns, nr_, unknowns);
        if (of.n > 0) subtract(of, panel, a);
        all_.solve_rows(of, unknowns, nr_, width_);
        all_.write_rows(of, w, columns, nr_, unknowns);
        if constexpr (parts == 2) make_factors(of.count, rows);
      }
    }
  }
  /// Two rows of each unknown, from its numbers.
  void make_factors(int count, S* rows) const {
    using product = impl::complex_product;
    for (int n = 0; n < count; ++n, rows += 2 * nr_) {
      if (tile_rows_ == 1) {
        for (int l = 0; l < nr_; l += 2) {
          const S x[2] = {rows[l], rows[l + 1]};
          rows[nr_ + l] = product::factor<0, 1>(x);
          rows[nr_ + l + 1] = product::factor<1, 1>(x);
        }
      } else {
        S second[max_nr];
        for (int l = 0; l < nr_; ++l) {
          second[l] = rows[2 * l + 1];
          rows[l] = rows[2 * l];
        }
        std::copy_n(second, nr_, rows + nr_);
      }
    }
  }
  void pack_coefficients(const block& of, S* to) const {
    using backends::host::panel_kind;
    const auto [row, column] = all_.strides();
    const S* const from = parts_at(all_.a.data + of.first * row + of.solved * column);
    const auto kind = parts == 1        ? panel_kind::real
                      : tile_rows_ == 1 ? panel_kind::complex_rows
                                        : panel_kind::complex_columns;
    const int unknowns = mr_ / tile_rows_;  // of a tile
    for (int r = 0; r < of.count; r += unknowns, to += mr_ * parts * of.n) {
      const int mn = std::min(unknowns, of.count - r);
      pack_(kind, {from + r * row * parts, row * parts, column * parts, mn, of.n, all_.conjugates},
            mr_, to);
    }
  }
  /// What the block's equations have of the unknowns that are solved.
  void subtract(const block& of, S* panel, const S* a) const {
    const std::int64_t depth = std::int64_t(of.n) * parts;
    for (int r = 0; r < of.count * tile_rows_; r += mr_, a += mr_ * depth) {
      std::uint64_t wanted[max_mr];
      std::fill_n(wanted, mr_, ~std::uint64_t(0));
      const int rows = std::min(mr_, of.count * tile_rows_ - r);
      S* const c = panel + of.first * nr_ * parts + r * step_;
      const S* const b = panel + of.solved * nr_ * parts;
      // A complex number's parts read both parts of c: the second time, what was there the first.
      S before[parts == 2 ? max_mr * max_nr : 1];
      if constexpr (parts == 2)
        for (int n = 0; n < rows; ++n) std::copy_n(c + n * step_, nr_, before + n * nr_);
      multiply(by_, depth, a, b, rows, c, step_, wanted, false);
      if (std::none_of(wanted, wanted + rows, [](std::uint64_t bits) { return bits != 0; }))
        continue;
      if constexpr (parts == 1)
        multiply(fallback_, depth, a, b, rows, c, step_, wanted, true);
      else
        replace_by_fallback(depth, a, b, rows, c, before, wanted);
    }
  }
  void replace_by_fallback(std::int64_t depth, const S* a, const S* b, int rows, S* c, S* before,
                           std::uint64_t* wanted) const {
    std::uint64_t replaced[max_mr];
    std::copy_n(wanted, rows, replaced);
    multiply(fallback_, depth, a, b, rows, before, nr_, wanted, true);
    for (int n = 0; n < rows; ++n)
      for (int l = 0; l < nr_; ++l)
        if (replaced[n] >> l & 1) c[n * step_ + l] = before[n * nr_ + l];
  }
  /// A tile of right-hand sides: c = alpha c - a b. a is a panel, b one of so many products.
  void multiply(const functions& by, std::int64_t depth, const S* a, const S* b, int rows, S* c,
                std::int64_t step, std::uint64_t* wanted, bool keeps_nan) const {
    const auto& kernel = by.kernels->at_least(mr_);
    alignas(alignment) S state[3 * max_mr * max_nr], sums[2 * max_mr * max_nr];
    for (std::int64_t k = 0; k < depth; k += section) {
      const std::int64_t count = std::min(section, depth - k);
      const S* const factors = b + k * nr_;
      kernel.multiply({.k = count,
                       .strip = by.strip,
                       .until_close = by.strip,
                       .first = true,
                       .last = true,
                       .a = a + k * mr_,
                       .b = factors,
                       .b_step = nr_,
                       .state = state,
                       .next_b = factors,
                       .next_state = state});
      if (k + count < depth) by.end_section(mr_, state, k == 0, sums);
    }
    if (tile_rows_ == 2) {
      put_parts_side_by_side(state, by.kernels->components * mr_);
      if (depth > section) put_parts_side_by_side(sums, by.components_of_sums * mr_);
    }
    by.finish(mr_, {.state = state,
                    .before = depth > section ? sums : nullptr,
                    .scale = scale_,
                    .parts = parts,
                    .rows = rows,
                    .columns = nr_,
                    .c = c,
                    .step = step,
                    .wanted = wanted,
                    .keeps_nan = keeps_nan});
  }

  /// Each row of real parts is followed by its imaginary parts: both become rows of complex
  /// numbers.
  void put_parts_side_by_side(S* rows, int count) const {
    for (int r = 0; r < count; r += 2, rows += 2 * nr_) {
      S both[2 * max_nr];
      for (int l = 0; l < nr_; ++l) {
        both[2 * l] = rows[l];
        both[2 * l + 1] = rows[nr_ + l];
      }
      std::copy_n(both, 2 * nr_, rows);
    }
  }

  const equations<T>& all_;
  const functions by_, fallback_;
  const backends::host::pack_function<S, S> pack_;
  const impl::scaling<S> scale_;
  const int nr_;             ///< real numbers in a row of a panel, and of a tile
  const int tile_rows_;      ///< of an unknown
  const int width_;          ///< right-hand sides of a panel
  const std::int64_t step_;  ///< from one row of a tile to the next, in the panel
  int mr_, tiles_;           ///< of a block
  std::int64_t panels_of_group_ = 1;
};

}  // namespace acc::blas

#endif
