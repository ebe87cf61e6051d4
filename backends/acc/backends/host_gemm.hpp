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

#include <acc/backends/host/machine.hpp>
#include <acc/backends/host/tile.hpp>
#include <acc/core/gemm_problem.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>

namespace acc::backends {

/// How a product is cut for the host; extents count real numbers, as the kernels do.
struct host_gemm_plan {
  std::int64_t rows, columns, depth;  ///< of the product: complex numbers are taken apart
  std::int64_t block_rows, block_columns, piece;
  std::int64_t grid_rows, grid_columns;  ///< blocks
  std::int64_t cached_rows;              ///< rows of A that stay in the second cache
  int tile_rows, tile_columns, components;
  bool b_in_place;  ///< full panels of B are read where they lie
  bool packs_b;     ///< the whole block of B at once, else a panel at a time

  // Where things lie in a team's memory, in numbers.
  std::int64_t a_size() const { return block_rows * piece; }
  std::int64_t b_size() const { return packs_b ? block_columns * piece : tile_columns * piece; }
  std::int64_t tile_size() const { return std::int64_t(tile_rows) * tile_columns * components; }
  std::int64_t state_size() const {
    const std::int64_t tiles =
        depth > piece ? (block_rows / tile_rows) * (block_columns / tile_columns) : 1;
    return tiles * tile_size();
  }
  /// For tiles that are computed again: a piece of both panels, and chains.
  static constexpr std::int64_t spare_piece = 256;
  std::int64_t spare_size() const {
    return (tile_rows + tile_columns) * spare_piece + tile_rows * tile_columns;
  }
  std::int64_t team_size() const {
    const std::int64_t size = a_size() + b_size() + state_size() + spare_size();
    return (size + 63) / 64 * 64;
  }
};

inline std::int64_t round_up(std::int64_t x, std::int64_t multiple) {
  return (x + multiple - 1) / multiple * multiple;
}
inline std::int64_t divide_up(std::int64_t x, std::int64_t y) { return (x + y - 1) / y; }

/// Cuts an extent into blocks of whole tiles, none larger than `largest`.
inline std::int64_t block_extent(std::int64_t extent, std::int64_t tile, std::int64_t largest) {
  const std::int64_t blocks = std::max<std::int64_t>(1, divide_up(extent, largest));
  return std::max(tile, round_up(divide_up(extent, blocks), tile));
}

inline host_gemm_plan plan_for_host(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                                    std::int64_t batches, bool b_in_place, int tile_rows,
                                    int tile_columns, int components, std::size_t real_bytes,
                                    int threads) {
  const host::cache_sizes cache = host::caches();
  host_gemm_plan p{};
  p.rows = rows;
  p.columns = columns;
  p.depth = depth;
  p.tile_rows = tile_rows;
  p.tile_columns = tile_columns;
  p.components = components;
  // In the second cache: the rows of A in three eighths, a panel of B and the next one in a
  // sixteenth each; the rest is for what passes through.
  const std::int64_t numbers = std::int64_t(cache.second / real_bytes);
  p.piece = std::clamp<std::int64_t>(numbers / 16 / tile_columns / 64 * 64, 256, 2048);
  p.piece = std::min(p.piece, std::max<std::int64_t>(1, depth));
  p.cached_rows = std::max<std::int64_t>(1, numbers * 3 / 8 / p.piece / tile_rows) * tile_rows;
  // Packing takes time in proportion to 1 / block_rows + 1 / block_columns; blocks are smaller
  // only where threads would have nothing to do.
  constexpr std::int64_t largest_block = 2048;
  p.block_rows = block_extent(rows, tile_rows, largest_block);
  p.block_columns = block_extent(columns, tile_columns, largest_block);
  const auto count = [&] {
    return divide_up(rows, p.block_rows) * divide_up(columns, p.block_columns) * batches;
  };
  while (threads > 1 && count() < 2 * std::int64_t(threads) &&
         (p.block_rows > tile_rows || p.block_columns > tile_columns)) {
    const bool halves_rows = p.block_rows * 2 > p.block_columns ? p.block_rows > tile_rows
                                                                : p.block_columns <= tile_columns;
    std::int64_t& extent = halves_rows ? p.block_rows : p.block_columns;
    extent = round_up(divide_up(extent, 2), halves_rows ? tile_rows : tile_columns);
  }
  p.grid_rows = divide_up(rows, p.block_rows);
  p.grid_columns = divide_up(columns, p.block_columns);
  // A panel of B that meets all rows at once is packed just before, if at all: where few rows share
  // it, packing costs more than it saves. Then a piece is a few whole rows of B, in memory's order.
  p.packs_b = p.block_rows > p.cached_rows;
  const bool few_rows = p.block_rows <= 2 * tile_rows;
  const bool small = depth * columns <= numbers / 4;
  p.b_in_place = b_in_place && !p.packs_b && (few_rows || small);
  if (p.b_in_place && !small) p.piece = std::min<std::int64_t>(p.piece, 32);
  return p;
}

template <class Problem>
class host_tiles {
 public:
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
  std::int64_t depth, piece;
  real* memory = nullptr;
  host::pack_function<panel_in, real> pack;
  host::finish_function<method, real, panel_out> finish;
  host::finish_function<plain, real, panel_out> finish_plain;

  template <class Exec>
  host_tiles(const Exec& exec, const Problem& p) : problem(p) {
    const int threads = std::max(1, int(exec.concurrency()));
    // C's rows shall be long and contiguous: else C^T = B^T A^T is computed. The parts of a complex
    // product would change places in their sums, so a complex C goes by way of a copy of each tile.
    const bool by_columns = p.c.columns == 1 || (p.c.column_stride != 1 && p.c.row_stride == 1);
    if (parts == 1 && by_columns && p.c.rows != 1) {
      problem.a = p.b.transposed();
      problem.b = p.a.transposed();
      problem.c = p.c.transposed();
    }
    if (!problem.reads_products()) problem.a.columns = problem.b.rows = 0;
    const auto tile = host::tile_for_this_processor<method, real>(problem.c.rows);
    const bool b_in_place = parts == 1 && std::is_same_v<in, real> && problem.b.column_stride == 1;
    plan = plan_for_host(problem.c.rows, problem.c.columns * parts, problem.depth() * parts,
                         problem.batches, b_in_place, tile.rows, tile.columns, tile.components,
                         sizeof(real), threads);
    count = plan.grid_rows * plan.grid_columns * problem.batches;
    depth = plan.depth;
    piece = plan.piece;
    pack = host::pack_for_this_processor<panel_in, real>();
    finish = host::finish_for_this_processor<method, real, panel_out>();
    finish_plain = host::finish_for_this_processor<plain, real, panel_out>();
    teams = int(std::clamp<std::int64_t>(count, 1, threads));
  }

  int teams;
  std::size_t bytes() const {
    return std::size_t(plan.team_size()) * std::size_t(teams) * sizeof(real);
  }
  void use(void* workspace) { memory = static_cast<real*>(workspace); }
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
class host_tiles<Problem>::tile {
 public:
  tile(const host_tiles& tiles, const Team& team)
      : t_(tiles),
        a_(tiles.memory + team.league_rank() * tiles.plan.team_size()),
        b_(a_ + tiles.plan.a_size()),
        state_(b_ + tiles.plan.b_size()),
        spare_(state_ + tiles.plan.state_size()) {}

  void begin(std::int64_t index) {
    const host_gemm_plan& p = t_.plan;
    const std::int64_t blocks = p.grid_rows * p.grid_columns;
    problem_ = t_.problem.of_batch(index / blocks);
    const std::int64_t block = index % blocks;
    first_row_ = block % p.grid_rows * p.block_rows;
    first_column_ = block / p.grid_rows * p.block_columns;
    rows_ = std::min(p.block_rows, p.rows - first_row_);
    columns_ = std::min(p.block_columns, p.columns - first_column_);
  }

  /// Packs depths [k, k + piece) of A's and B's block.
  void load(std::int64_t k) {
    const std::int64_t depth = std::min(t_.piece, t_.depth - k);
    const host_gemm_plan& p = t_.plan;
    each_panel(rows_, p.tile_rows, depth, problem_.a.row_stride == 1,
               [&](std::int64_t i, std::int64_t first, std::int64_t count) {
                 const int width = kernel_for(rows_ - i).rows;
                 pack_rows(first_row_ + i, rows_ - i, k + first, count,
                           a_ + i * depth + first * width);
               });
    if (!p.packs_b) return;
    each_panel(columns_, p.tile_columns, depth, problem_.b.column_stride == 1,
               [&](std::int64_t j, std::int64_t first, std::int64_t count) {
                 pack_columns(first_column_ + j, columns_ - j, k + first, count,
                              b_ + j * depth + first * p.tile_columns);
               });
  }

  void multiply(std::int64_t k) {
    const host_gemm_plan& p = t_.plan;
    const std::int64_t depth = std::min(t_.piece, t_.depth - k);
    const std::int64_t strip = strip_in_reals();
    host::tile_products<real> products{};
    products.depth = depth;
    products.strip = strip;
    products.until_close = strip - k % strip;
    products.first = k == 0;
    products.last = k + depth == t_.depth;
    for (std::int64_t i0 = 0; i0 < rows_; i0 += p.cached_rows) {
      const std::int64_t end = std::min(rows_, i0 + p.cached_rows);
      for (std::int64_t j = 0; j < columns_; j += p.tile_columns) {
        products.b = b_ + j * depth;
        products.b_step = p.tile_columns;
        if (!p.packs_b) place_b(j, k, depth, products);
        const std::int64_t next_j = j + p.tile_columns < columns_ ? j + p.tile_columns : 0;
        for (std::int64_t i = i0; i < end; i += p.tile_rows) {
          const auto kernel = kernel_for(rows_ - i);
          products.a = a_ + i * depth;
          products.state = state_of(i, j);
          products.next_state =
              i + p.tile_rows < end ? state_of(i + p.tile_rows, j) : state_of(i0, next_j);
          fetch_b((i - i0) / p.tile_rows, next_j, depth, products);
          if (products.last) fetch_c(i, j, kernel.rows);
          kernel.multiply(products);
          if (products.last) finish_tile(i, j, kernel.rows, products.state);
        }
      }
    }
  }

  void finish() {
    if (t_.depth > 0) return;  // tiles are finished as they end
    std::fill_n(state_, t_.plan.tile_size(), real(0));
    for (std::int64_t j = 0; j < columns_; j += t_.plan.tile_columns)
      for (std::int64_t i = 0; i < rows_; i += t_.plan.tile_rows)
        finish_tile(i, j, kernel_for(rows_ - i).rows, state_);
  }

 private:
  using kernel = host::tile_functions<real>;
  static constexpr int max_tile_rows = 32;

  /// f(first lane, first depth, depths) for every panel: whole panels where a lane's numbers lie
  /// side by side, else slices of all panels in turn, because then the lanes do.
  template <class F>
  static void each_panel(std::int64_t lanes, std::int64_t width, std::int64_t depth,
                         bool lanes_side_by_side, const F& f) {
    const std::int64_t slice = lanes_side_by_side ? std::int64_t(32) : depth;
    for (std::int64_t k = 0; k < depth; k += slice)
      for (std::int64_t l = 0; l < lanes; l += width) f(l, k, std::min(slice, depth - k));
  }

  kernel kernel_for(std::int64_t rows) const {
    return host::tile_for_this_processor<method, real>(
        std::min<std::int64_t>(rows, t_.plan.tile_rows));
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

  /// Rows [i, i + rows) of A, as many as a tile has, from depth k on.
  void pack_rows(std::int64_t i, std::int64_t rows, std::int64_t k, std::int64_t depth,
                 real* to) const {
    const int width = kernel_for(rows).rows;
    const int lanes = int(std::min<std::int64_t>(rows, width));
    pack_panel(parts == 1 ? host::panel_kind::real : host::panel_kind::complex_rows, problem_.a,
               problem_.a.row_stride, problem_.a.column_stride, i, lanes, k / parts, depth / parts,
               width, to);
  }
  void pack_columns(std::int64_t j, std::int64_t columns, std::int64_t k, std::int64_t depth,
                    real* to) const {
    const int width = t_.plan.tile_columns;
    const int lanes = int(std::min<std::int64_t>(columns, width)) / parts;
    pack_panel(parts == 1 ? host::panel_kind::real : host::panel_kind::complex_columns, problem_.b,
               problem_.b.column_stride, problem_.b.row_stride, j / parts, lanes, k / parts,
               depth / parts, width, to);
  }
  void pack_panel(host::panel_kind kind, const impl::matrix_data<const in>& m,
                  std::int64_t lane_stride, std::int64_t depth_stride, std::int64_t first_lane,
                  int lanes, std::int64_t first, std::int64_t depth, int width, real* to) const {
    const in* from = m.data + first_lane * lane_stride + first * depth_stride;
    if constexpr (impl::is_half_scalar<in>) {
      for (std::int64_t k = 0; k < depth; ++k)
        for (int l = 0; l < width; ++l)
          *to++ = l < lanes ? real(from[l * lane_stride + k * depth_stride]) : real(0);
    } else {
      t_.pack(kind,
              {reinterpret_cast<const panel_in*>(from), lane_stride * parts, depth_stride * parts,
               lanes, depth, m.conjugate},
              width, to);
    }
  }

  /// What the tile-th tile of this panel of B fetches of the next one: a part of it, or, in place,
  /// a line of each row a few panels on.
  void fetch_b(std::int64_t tile, std::int64_t next_j, std::int64_t depth,
               host::tile_products<real>& products) const {
    constexpr std::int64_t line = 64 / std::int64_t(sizeof(real));
    products.next_b = products.b;
    products.next_b_step = line;
    if (t_.plan.packs_b) {
      if (tile * line < t_.plan.tile_columns)
        products.next_b = b_ + next_j * depth + tile * line * depth;
    } else if (products.b != b_) {
      products.next_b = products.b + 4 * t_.plan.tile_columns;
      products.next_b_step = products.b_step;
    }
  }

  /// B's columns where they lie, or, at the edge, packed after all.
  void place_b(std::int64_t j, std::int64_t k, std::int64_t depth,
               host::tile_products<real>& products) const {
    if constexpr (std::is_same_v<in, real>) {
      if (t_.plan.b_in_place && columns_ - j >= t_.plan.tile_columns) {
        products.b = &problem_.b(k, first_column_ + j);
        products.b_step = problem_.b.row_stride;
        return;
      }
    }
    pack_columns(first_column_ + j, columns_ - j, k, depth, b_);
    products.b = b_;
  }

  /// Fetches the tile of C that the products in hand will be written to.
  void fetch_c(std::int64_t i, std::int64_t j, int tile_rows) const {
    const auto& c = problem_.c;
    if (c.column_stride != 1) return;
    const std::int64_t rows = std::min<std::int64_t>(tile_rows, rows_ - i);
    const std::int64_t bytes = t_.plan.tile_columns / parts * std::int64_t(sizeof(out));
    for (std::int64_t r = 0; r < rows; ++r) {
      const char* row =
          reinterpret_cast<const char*>(&c(first_row_ + i + r, (first_column_ + j) / parts));
      for (std::int64_t b = 0; b < bytes; b += 64) __builtin_prefetch(row + b, 1, 2);
    }
  }

  /// Scales a tile into C; entries that come out as NaN are computed again, by plain.
  void finish_tile(std::int64_t i, std::int64_t j, int tile_rows, const real* state) {
    std::uint64_t wanted[max_tile_rows];
    std::fill_n(wanted, max_tile_rows, ~std::uint64_t(0));
    host::tile_result<real, panel_out> result{};
    result.scale = problem_.scale;
    result.parts = parts;
    result.rows = int(std::min<std::int64_t>(tile_rows, rows_ - i));
    result.columns = int(std::min<std::int64_t>(t_.plan.tile_columns, columns_ - j));
    result.wanted = wanted;
    result.state = state;
    result.keeps_nan = !impl::has_low<method>;
    write(i, j, result, [&] { t_.finish(tile_rows, result); });
    if constexpr (impl::has_low<method>) {
      const auto any = [&] {
        std::uint64_t bits = 0;
        for (int r = 0; r < result.rows; ++r) bits |= wanted[r];
        return bits != 0;
      };
      if (!any()) return;
      result.state = chains_of(i, j, tile_rows);
      result.keeps_nan = true;
      write(i, j, result, [&] { t_.finish_plain(tile_rows, result); });
    }
  }

  /// The tile's entries as chains of plain, over all depths.
  const real* chains_of(std::int64_t i, std::int64_t j, int tile_rows) const {
    const auto kernel = host::tile_for_this_processor<plain, real>(tile_rows);
    real* const b = spare_ + t_.plan.tile_rows * t_.plan.spare_piece;
    real* const state = b + t_.plan.tile_columns * t_.plan.spare_piece;
    std::fill_n(state, tile_rows * t_.plan.tile_columns, real(0));
    for (std::int64_t k = 0; k < t_.depth; k += t_.plan.spare_piece) {
      const std::int64_t depth = std::min(t_.plan.spare_piece, t_.depth - k);
      pack_rows(first_row_ + i, rows_ - i, k, depth, spare_);
      pack_columns(first_column_ + j, columns_ - j, k, depth, b);
      constexpr std::int64_t no_strip = std::numeric_limits<std::int64_t>::max();
      kernel.multiply({depth, no_strip, no_strip, k == 0, k + depth == t_.depth, spare_, b,
                       t_.plan.tile_columns, state, b, 0, state});
    }
    return state;
  }

  /// Points `result` to C, or to a copy of the tile where C's rows are not contiguous or hold
  /// another type, and runs f.
  template <class F>
  void write(std::int64_t i, std::int64_t j, host::tile_result<real, panel_out>& result,
             const F& f) const {
    constexpr bool same_type = std::is_same_v<panel_out, impl::real_t<out>>;
    const auto& c = problem_.c;
    out* const first = &c(first_row_ + i, (first_column_ + j) / parts);
    if (same_type && (c.column_stride == 1 || result.columns == parts)) {
      result.c = reinterpret_cast<panel_out*>(first);
      result.step = c.row_stride * parts;
      return f();
    }
    panel_out copy[max_tile_rows * 64];
    std::uint64_t wanted[max_tile_rows];
    result.c = copy;
    result.step = t_.plan.tile_columns;
    const auto each = [&](const auto& visit) {
      for (int r = 0; r < result.rows; ++r)
        for (int column = 0; column < result.columns; ++column)
          visit(copy[r * result.step + column],
                reinterpret_cast<impl::real_t<out>*>(
                    first + r * c.row_stride + column / parts * c.column_stride)[column % parts],
                r, column);
    };
    std::copy_n(result.wanted, result.rows, wanted);
    if (problem_.reads_c())
      each([](panel_out& x, const auto& old, int, int) { x = panel_out(old); });
    f();
    each([&](const panel_out& x, auto& entry, int r, int column) {
      if (wanted[r] >> column & 1 && !(result.wanted[r] >> column & 1))
        entry = impl::as_result<impl::real_t<out>>(x);
    });
  }

  const host_tiles& t_;
  real *a_, *b_, *state_, *spare_;
  Problem problem_;
  std::int64_t first_row_ = 0, first_column_ = 0, rows_ = 0, columns_ = 0;
};

}  // namespace acc::backends

#endif
