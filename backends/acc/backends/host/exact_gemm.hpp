// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_EXACT_GEMM_HPP
#define ACC_BACKENDS_HOST_EXACT_GEMM_HPP

/// \file
/// Exact matrix products on hosts. A thread packs a panel of op(B)'s real columns and, one after
/// the other, rows of op(A): numbers, and the codes of their exponents. An entry's codes alone, by
/// vector registers, tell which of its products are in the window (exact_sum.hpp). All products
/// enter a window of vector registers, if one holds them. Otherwise those in the window enter it
/// one by one where they are few, or else all enter the superaccumulator, by tiles
/// (host/sums/exact_tiles.hpp).

#include <acc/backends/generic/exact_gemm.hpp>
#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/sums/exact_tiles.hpp>
#include <acc/backends/host/sums/order_free_tile.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/exact/exact_part.hpp>
#include <acc/core/gemm/exact_entry.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/order/order_free.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

/// A row or columns of real numbers, each `stride` numbers, of which those from `depth` on are
/// zeros.
template <class Real>
struct exact_panel {
  Real* numbers;
  std::int16_t* codes;
  std::int64_t stride, depth;

  void put(std::int64_t column, std::int64_t k, Real x) const {
    numbers[column * stride + k] = x;
    codes[column * stride + k] = std::int16_t(impl::exponent_code::of(x));
  }
  exact_panel column(std::int64_t j) const {
    return {numbers + j * stride, codes + j * stride, stride, depth};
  }
};

/// One entry's real part: its sum, or as much as decides it.
template <class Real>
class exact_dot {
  using window = impl::exact_window<Real>;
  using code = impl::exponent_code;
  using reduction =
      impl::order_free_reduction<impl::product_terms, exact, Real, 1, impl::write_sum, Real>;
  using panel = exact_panel<Real>;

 public:
  using total = superaccumulator<Real>;

  /// The sum, or as much as decides it most often, in the window; whether it is there. Else it is
  /// in `sum`.
  bool add(const panel& a, const panel& b, impl::exact_part<window::limbs>& part, total& sum) {
    const std::int64_t n = a.stride;
    exponent_extremes all{2 * code::zero, 32767};
    for_tiles(n, [&](std::int64_t k, int size) {
      const exponent_extremes r = exponents_.range(a.codes + k, b.codes + k, size, code::least);
      all = {std::max(all.greatest, r.greatest), std::min(all.least, r.least)};
    });
    if (all.greatest < code::least) return part = zeros(a, b), true;
    if (all.greatest > code::greatest || n > window::max_products)
      return deposit_all(a, b, sum), false;
    const int unit = window::unit_for(all.greatest);
    part = {};
    part.unit = unit;
    part.kinds = {element_kinds::nonzero};
    if (n >= exact_gemm_tuning::min_by_vectors && by_vectors(a, b, all, part)) return true;
    std::int64_t inside = 0, seen = 0;
    for (; seen < n; seen += tile_numbers) {
      const int size = int(std::min<std::int64_t>(tile_numbers, n - seen));
      const int count = exponents_.select(a.codes + seen, b.codes + seen, size, unit, places_);
      if (count > size / exact_gemm_tuning::time_alone) return deposit_all(a, b, sum), false;
      inside += count;
      for (int i = 0; i < count; ++i) {
        const std::int64_t at = seen + places_[i];
        window::add(part.magnitude.limb, 1, a.numbers[at], b.numbers[at],
                    a.codes[at] + b.codes[at] - unit);
      }
    }
    part.settle();
    part.skips = all.least < unit;
    part.bound = window::bound(unit, n - inside);
    return true;
  }
  /// By a window of vector registers, if one holds all products.
  bool by_vectors(const panel& a, const panel& b, const exponent_extremes& all,
                  impl::exact_part<window::limbs>& part) {
    using tiles = exact_tiles<reduction>;
    const int top = all.greatest + 2 * impl::ieee<Real>::digits;
    int size = 0;
    const auto unit = [&](int bin) { return top - 50 - tiles::spacing * bin; };
    while (size < sizes && unit(bins[size] - 1) > all.least) ++size;
    if (size == sizes || top > tiles::highest_top || top < tiles::lowest_top(bins[size]))
      return false;
    const int count = bins[size];
    part.unit = unit(count - 1);
    double magic[max_window_bins];
    for (int bin = 0; bin < count; ++bin) magic[bin] = window_magic(unit(bin));
    for_tiles(a.stride, [&](std::int64_t k, int n) {
      window_totals totals;
      windows_[size](a.numbers + k, b.numbers + k, n, magic, &totals);
      for (int parity = 0; parity < 2; ++parity)
        for (int bin = 0; bin < count; ++bin) {
          const std::int64_t v = totals.total[0][parity][bin];
          part.magnitude.add(v < 0 ? 0 - std::uint64_t(v) : std::uint64_t(v), unit(bin) - part.unit,
                             v < 0);
        }
    });
    part.settle();
    return true;
  }
  /// By the superaccumulator, whatever the window would hold: the state after the products alone.
  void deposit_all(const panel& a, const panel& b, total& sum) {
    impl::sums<total, 1> t;
    for_tiles(a.stride, [&](std::int64_t k, int size) {
      tiles_.add(t, {a.numbers + k, b.numbers + k, size});
    });
    tiles_.flush(t);
    sum = t.part[0];
    // The zeros that fill a step are none of the entry's: they show where all products are zeros.
    if ((sum.kinds().bits & element_kinds::nonzero) == 0) {
      sum = total();
      sum.add_kinds(zeros(a, b).kinds);
    }
  }

 private:
  static constexpr bool is_float = std::is_same_v<Real, float>;
  /// Windows for ordinary and for wider data, whose totals the window has room for.
  static constexpr int sizes = 2, bins[sizes] = {is_float ? 2 : 3, is_float ? 3 : 6};

  /// The sum of products that are zeros.
  static impl::exact_part<window::limbs> zeros(const panel& a, const panel& b) {
    using format = impl::ieee<Real>;
    impl::exact_part<window::limbs> part;
    for (std::int64_t k = 0; k < a.depth; ++k)
      part.kinds.merge(element_kinds::zero(format::is_negative(a.numbers[k]) !=
                                           format::is_negative(b.numbers[k])));
    return part;
  }

  template <class F>
  static void for_tiles(std::int64_t n, const F& f) {
    for (std::int64_t k = 0; k < n; k += tile_numbers)
      f(k, int(std::min<std::int64_t>(tile_numbers, n - k)));
  }

  const exponent_functions exponents_ = exponents_for_this_processor();
  const window_function<Real> windows_[sizes] = {
      window_for_this_processor<impl::product_terms, Real>(bins[0], window_kind::keeps_residue),
      window_for_this_processor<impl::product_terms, Real>(bins[1], window_kind::keeps_residue)};
  exact_tiles<reduction> tiles_;
  std::int32_t places_[tile_numbers];
};

/// Rows of op(A) times a panel of op(B)'s columns, by a thread.
template <class Problem>
struct exact_panels_kernel {
  using operands = impl::operands_t<Problem>;
  using real = typename operands::real;
  using window = impl::exact_window<real>;
  static constexpr int parts = Problem::parts;

  Problem problem;
  std::int64_t stride;         ///< products of an entry, and zeros up to a whole step
  std::int64_t rows, columns;  ///< of an item of work, of entries
  std::int64_t grid_rows, grid_columns, count;
  int teams;
  std::byte* memory = nullptr;

  exact_panels_kernel(const Problem& p, int threads) : problem(p) {
    const std::int64_t depth = parts * p.depth();
    stride = (depth + tile_step - 1) / tile_step * tile_step;
    const std::int64_t bytes = std::max<std::int64_t>(1, stride) * number_bytes * parts;
    columns = std::clamp<std::int64_t>(exact_gemm_tuning::panel_bytes / bytes, 1,
                                       exact_gemm_tuning::max_columns);
    rows = exact_gemm_tuning::max_rows;
    // Smaller until each thread has some.
    const auto items = [&] {
      return (p.c.rows + rows - 1) / rows * ((p.c.columns + columns - 1) / columns) * p.batches;
    };
    while (threads > 1 && items() < exact_gemm_tuning::items_per_thread * threads &&
           (rows > 1 || columns > 1))
      (rows >= columns ? rows : columns) = (std::max(rows, columns) + 1) / 2;
    grid_rows = (p.c.rows + rows - 1) / rows;
    grid_columns = (p.c.columns + columns - 1) / columns;
    count = grid_rows * grid_columns * p.batches;
    teams = int(std::min<std::int64_t>(count, threads));
  }

  std::size_t team_bytes() const {
    return std::size_t((parts * columns + 1) * stride * number_bytes + 63) / 64 * 64;
  }
  std::size_t bytes() const { return team_bytes() * std::size_t(teams); }

  template <class Team>
  void operator()(const Team& team) const {
    auto* const numbers =
        reinterpret_cast<real*>(memory + std::size_t(team.league_rank()) * team_bytes());
    const std::int64_t held = (parts * columns + 1) * stride;
    auto* const codes = reinterpret_cast<std::int16_t*>(numbers + held);
    const std::int64_t depth = parts * problem.depth();
    const exact_panel<real> a{numbers, codes, stride, depth};
    const exact_panel<real> b{numbers + stride, codes + stride, stride, depth};
    exact_dot<real> dot;
    for (std::int64_t item = team.league_rank(); item < count; item += team.league_size())
      multiply(problem.of_batch(item / (grid_rows * grid_columns)), item % grid_rows * rows,
               item / grid_rows % grid_columns * columns, a, b, dot);
  }

 private:
  static constexpr std::int64_t number_bytes = sizeof(real) + sizeof(std::int16_t);

  void multiply(const Problem& p, std::int64_t first_row, std::int64_t first_column,
                const exact_panel<real>& a, const exact_panel<real>& b,
                exact_dot<real>& dot) const {
    const operands x = impl::operands_of(p);
    const std::int64_t depth = x.depth();
    const std::int64_t end_row = std::min(first_row + rows, p.c.rows);
    const std::int64_t end_column = std::min(first_column + columns, p.c.columns);
    const std::int64_t n = parts * (end_column - first_column);
    const auto pack_b = [&](std::int64_t j, std::int64_t k) {
      b.put(j, k, x.b(k, parts * first_column + j));
    };
    if (p.b.column_stride == 1) {
      for (std::int64_t k = 0; k < depth; ++k)
        for (std::int64_t j = 0; j < n; ++j) pack_b(j, k);
    } else {
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t k = 0; k < depth; ++k) pack_b(j, k);
    }
    // Products that are added change no sum: they are -0, and the sum of zeros leaves them out.
    for (std::int64_t k = depth; k < stride; ++k) {
      a.put(0, k, real(-0.0));
      for (std::int64_t j = 0; j < n; ++j) b.put(j, k, real(0));
    }
    for (std::int64_t i = first_row; i < end_row; ++i) {
      for (std::int64_t k = 0; k < depth; ++k) a.put(0, k, x.a(i, k));
      for (std::int64_t j = first_column; j < end_column; ++j)
        entry(p, i, j, a, b, parts * (j - first_column), dot);
    }
  }

  void entry(const Problem& p, std::int64_t i, std::int64_t j, const exact_panel<real>& a,
             const exact_panel<real>& b, std::int64_t column, exact_dot<real>& dot) const {
    impl::exact_part<window::limbs> s[parts];
    impl::exact_sum<typename Problem::in> sum;
    const operands x = impl::operands_of(p);
    if constexpr (impl::cuts_numbers<typename Problem::method>) {
      if (const operands uncut = x.of_entry(i, j); !uncut.cuts) {
        sum.add(uncut, i, j, 0, x.depth());
        return impl::write_exact_entry(p, i, j, sum);
      }
    }
    bool in_sum[2] = {false, false};
    if (stride > 0)
      for (int q = 0; q < parts; ++q)
        in_sum[q] = !dot.add(a, b.column(column + q), s[q], sum.part[q]);
    for (auto& part : s) part.lift(x.lift(i, j));
    if (!in_sum[0] && !in_sum[1] && stride > 0 && impl::write_exact_entry(p, i, j, s)) return;
    if (stride > 0)
      for (int q = 0; q < parts; ++q)
        if (!in_sum[q]) dot.deposit_all(a, b.column(column + q), sum.part[q]);
    impl::write_exact_entry(p, i, j, sum);
  }
};

/// An exact product: by panels or, where threads outnumber the entries, divided by k.
template <class Problem>
class exact_entries {
 public:
  template <class Exec>
  exact_entries(const Exec& exec, const Problem& p) : by_k_(exec, p), panels_(by_k_.problem(), 1) {
    const double products = double(p.c.rows) * double(p.c.columns) * double(p.depth() + 16) *
                            double(p.batches * Problem::parts * Problem::parts);
    const double worth = products / double(exact_gemm_tuning::products_per_thread);
    const int threads = int(std::clamp(worth, 1.0, double(exec.concurrency())));
    panels_ = exact_panels_kernel<Problem>(by_k_.problem(), threads);
  }

  std::size_t bytes() const {
    if (by_k_.divided()) return by_k_.bytes();
    return aligned_size(panels_.bytes()) + scales::bytes(panels_.problem);
  }

  template <class Exec>
  void launch(const Exec& exec, const char* label, void* memory) const {
    if (by_k_.divided()) return by_k_.launch(exec, label, memory);
    if (panels_.count == 0) return;
    exact_panels_kernel<Problem> kernel = panels_;
    kernel.memory = static_cast<std::byte*>(memory);
    kernel.problem =
        scales::launch(exec, label, kernel.problem, kernel.memory + aligned_size(panels_.bytes()));
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, kernel.teams, 1), kernel);
  }

 private:
  using scales = generic::cut_scales<Problem>;

  generic::exact_entries<Problem> by_k_;
  exact_panels_kernel<Problem> panels_;
};

}  // namespace acc::backends::host

#endif
