// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_GEMM_HPP
#define ACC_BACKENDS_HOST_GEMM_HPP

/// \file
/// Matrix products in host execution spaces: a team is one thread, which packs a block of A and one
/// of B into memory of its own and multiplies them by the library's vector kernels.
///
/// Goto and van de Geijn's blocking (2008), except that a piece of depth does not add to C: the
/// chains and totals of unfinished entries wait in memory for the next piece, because an entry's
/// chain must not be cut.

#include <acc/backends/host/gemm/blocking.hpp>
#include <acc/backends/host/gemm/epilogue.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace acc::backends::host {

template <class Problem>
class gemm_tiles {
 public:
  using in_kernel = gemm_tiles;
  using real = typename Problem::real;
  using in = typename Problem::in;
  using out = typename Problem::out;
  using method = std::conditional_t<std::is_same_v<typename Problem::method, widened>, plain,
                                    typename Problem::method>;
  static constexpr int parts = Problem::parts;
  /// What a panel is packed from, and what a tile is scaled into: real numbers that the library's
  /// kernels know.
  using panel_in = std::conditional_t<impl::is_half_scalar<in>, float, impl::real_t<in>>;
  using panel_out = std::conditional_t<impl::is_half_scalar<out>, real, impl::real_t<out>>;

  Problem problem;
  host_gemm_plan plan;
  std::int64_t count;  ///< blocks of all batches
  std::int64_t depth, kc;
  real* memory = nullptr;
  host::pack_function<panel_in, real> pack;
  host::finish_function<method, real, panel_out> finish;
  host::finish_function<impl::fallback, real, panel_out> finish_fallback;

  template <class Exec>
  gemm_tiles(const Exec& exec, const Problem& p) : problem(p) {
    const int threads = std::max(1, int(exec.concurrency()));
    // C's rows shall be long and contiguous: else C^T = B^T A^T is computed. The parts of a complex
    // product would change places in their sums, so a complex C goes by way of a copy of each tile.
    const bool by_columns = p.c.columns == 1 || (p.c.column_stride != 1 && p.c.row_stride == 1);
    if constexpr (parts == 1)
      if (by_columns && p.c.rows != 1) problem = p.transposed();
    if (!problem.reads_products()) problem.a.columns = problem.b.rows = 0;
    const auto kernel = host::tile_for_this_processor<method, real>(problem.c.rows);
    const bool b_in_place = parts == 1 && std::is_same_v<in, real> && problem.b.column_stride == 1;
    plan = plan_for_host(problem.c.rows, problem.c.columns * parts, problem.depth() * parts,
                         problem.batches, b_in_place, kernel.rows, kernel.columns,
                         kernel.components, sizeof(real), threads);
    count = plan.grid_rows * plan.grid_columns * problem.batches;
    depth = plan.depth;
    kc = plan.piece;
    pack = host::pack_for_this_processor<panel_in, real>();
    finish = host::finish_for_this_processor<method, real, panel_out>();
    finish_fallback = host::finish_for_this_processor<impl::fallback, real, panel_out>();
    teams = int(std::clamp<std::int64_t>(count, 1, threads));
  }

  int teams;
  std::size_t bytes() const {
    return std::size_t(plan.team_size()) * std::size_t(teams) * sizeof(real);
  }
  void use(void* workspace) { memory = static_cast<real*>(workspace); }
  template <class Exec>
  void prepare(const Exec&) const {}
  template <class Exec>
  auto policy(const Exec& exec) const {
    return Kokkos::TeamPolicy<Exec>(exec, teams, 1);
  }

  template <class Team>
  class tile;
};

/// One thread's blocks of C.
template <class Problem>
template <class Team>
class gemm_tiles<Problem>::tile : public host_result<gemm_tiles<Problem>> {
  using base = host_result<gemm_tiles<Problem>>;
  using base::columns_;
  using base::first_column_;
  using base::first_row_;
  using base::kernel_for;
  using base::problem_;
  using base::rows_;
  using base::t_;

 public:
  tile(const gemm_tiles& tiles, const Team& team)
      : base(tiles),
        a_(tiles.memory + team.league_rank() * tiles.plan.team_size()),
        b_(a_ + tiles.plan.a_size()),
        state_(b_ + tiles.plan.b_size()),
        spare_(state_ + tiles.plan.state_size()) {}

  /// Packs depths [k, k + piece) of A's and B's block.
  void load(std::int64_t k) {
    const std::int64_t steps = std::min(t_.kc, t_.depth - k);
    const host_gemm_plan& p = t_.plan;
    each_panel(rows_, p.tile_rows, steps, problem_.a.row_stride == 1,
               [&](std::int64_t i, std::int64_t first, std::int64_t n) {
                 const int width = kernel_for(rows_ - i).rows;
                 this->pack_rows(first_row_ + i, rows_ - i, k + first, n,
                                 a_ + i * steps + first * width);
               });
    if (!p.packs_b) return;
    each_panel(columns_, p.tile_columns, steps, problem_.b.column_stride == 1,
               [&](std::int64_t j, std::int64_t first, std::int64_t n) {
                 this->pack_columns(first_column_ + j, columns_ - j, k + first, n,
                                    b_ + j * steps + first * p.tile_columns);
               });
  }

  void multiply(std::int64_t k) {
    const host_gemm_plan& p = t_.plan;
    const std::int64_t steps = std::min(t_.kc, t_.depth - k);
    const std::int64_t strip = strip_in_reals();
    host::tile_products<real> products{};
    products.depth = steps;
    products.strip = strip;
    products.until_close = strip - k % strip;
    products.first = k == 0;
    products.last = k + steps == t_.depth;
    for (std::int64_t i0 = 0; i0 < rows_; i0 += p.cached_rows) {
      const std::int64_t end = std::min(rows_, i0 + p.cached_rows);
      for (std::int64_t j = 0; j < columns_; j += p.tile_columns) {
        products.b = b_ + j * steps;
        products.b_step = p.tile_columns;
        if (!p.packs_b) place_b(j, k, steps, products);
        const std::int64_t next_j = j + p.tile_columns < columns_ ? j + p.tile_columns : 0;
        for (std::int64_t i = i0; i < end; i += p.tile_rows) {
          const auto kernel = kernel_for(rows_ - i);
          products.a = a_ + i * steps;
          products.state = state_of(i, j);
          products.next_state =
              i + p.tile_rows < end ? state_of(i + p.tile_rows, j) : state_of(i0, next_j);
          fetch_b((i - i0) / p.tile_rows, next_j, steps, products);
          if (products.last) this->fetch_c(i, j, kernel.rows);
          kernel.multiply(products);
          if (products.last) this->finish_tile(i, j, kernel.rows, products.state, spare_);
        }
      }
    }
  }

  void finish() {
    if (t_.depth > 0) return;  // tiles are finished as they end
    std::fill_n(state_, t_.plan.tile_size(), real(0));
    for (std::int64_t j = 0; j < columns_; j += t_.plan.tile_columns)
      for (std::int64_t i = 0; i < rows_; i += t_.plan.tile_rows)
        this->finish_tile(i, j, kernel_for(rows_ - i).rows, state_, spare_);
  }

 private:
  /// f(first lane, first depth, depths) for every panel: whole panels where a lane's numbers lie
  /// side by side, else slices of all panels in turn, because then the lanes do.
  template <class F>
  static void each_panel(std::int64_t lanes, std::int64_t width, std::int64_t steps,
                         bool lanes_side_by_side, const F& f) {
    const std::int64_t slice = lanes_side_by_side ? std::int64_t(32) : steps;
    for (std::int64_t k = 0; k < steps; k += slice)
      for (std::int64_t l = 0; l < lanes; l += width) f(l, k, std::min(slice, steps - k));
  }

  std::int64_t strip_in_reals() const {
    const std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 2;
    return problem_.strip > limit / parts ? limit : problem_.strip * parts;
  }
  real* state_of(std::int64_t i, std::int64_t j) const {
    const host_gemm_plan& p = t_.plan;
    if (p.depth <= p.piece) return state_;
    return state_ +
           ((j / p.tile_columns) * (p.block_rows / p.tile_rows) + i / p.tile_rows) * p.tile_size();
  }

  /// What the nth tile of this panel of B fetches of the next one: a part of it, or, in place,
  /// a line of each row a few panels on.
  void fetch_b(std::int64_t n, std::int64_t next_j, std::int64_t steps,
               host::tile_products<real>& products) const {
    constexpr std::int64_t line = 64 / std::int64_t(sizeof(real));
    products.next_b = products.b;
    products.next_b_step = line;
    if (t_.plan.packs_b) {
      if (n * line < t_.plan.tile_columns) products.next_b = b_ + next_j * steps + n * line * steps;
    } else if (products.b != b_) {
      products.next_b = products.b + 4 * t_.plan.tile_columns;
      products.next_b_step = products.b_step;
    }
  }

  /// B's columns where they lie, or, at the edge, packed after all.
  void place_b(std::int64_t j, std::int64_t k, std::int64_t steps,
               host::tile_products<real>& products) const {
    if constexpr (std::is_same_v<in, real>) {
      if (t_.plan.b_in_place && columns_ - j >= t_.plan.tile_columns) {
        products.b = &problem_.b(k, first_column_ + j);
        products.b_step = problem_.b.row_stride;
        return;
      }
    }
    this->pack_columns(first_column_ + j, columns_ - j, k, steps, b_);
    products.b = b_;
  }

  real *a_, *b_, *state_, *spare_;
};

}  // namespace acc::backends::host

#endif
