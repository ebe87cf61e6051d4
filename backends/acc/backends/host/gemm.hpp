// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_GEMM_HPP
#define ACC_BACKENDS_HOST_GEMM_HPP

/// \file
/// GEMM on hosts: blocks of C, packing, and the loop over tiles. A team is one thread. It packs its
/// part of A and B into memory of its own and multiplies the panels by the library's microkernels.
///
/// Goto and van de Geijn's blocking (2008), as in BLIS, with one difference: a step of kc does not
/// add to C. Within a section of k the chains and totals of unfinished entries wait in memory for
/// the next step, because an entry's chain must not be cut; from section to section their sums do.
///
/// Where threads outnumber the blocks of C and k has several sections, an item of work is one
/// section of a block (gemm_kernel.hpp).

#include <acc/backends/divided_sums.hpp>
#include <acc/backends/host/gemm/blocking.hpp>
#include <acc/backends/host/gemm/epilogue.hpp>
#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/topology.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace acc::backends::host {

/// What gemm_kernel.hpp asks for.
template <class Problem>
class gemm_tiles {
 public:
  using in_kernel = gemm_tiles;
  using problem_type = Problem;
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

  /// k counts real numbers, as the kernels do.
  static constexpr std::int64_t section = gemm_section * parts;

  Problem problem;
  gemm_blocking blocking;
  std::int64_t count;  ///< blocks of all batches
  std::int64_t depth, kc;
  divided_sums<Problem> divided;
  real* memory = nullptr;
  const microkernels<real>* kernels;
  pack_function<panel_in, real> pack;
  section_function<real> end_section;
  epilogue_function<real, panel_out> finish;
  epilogue_function<real, panel_out> finish_fallback;

  /// divides_k: whether to divide the product by k, where it has sections, if that is not to be
  /// chosen here.
  template <class Exec>
  gemm_tiles(const Exec& exec, const Problem& p, std::optional<bool> divides_k = std::nullopt)
      : problem(p) {
    // Where there are no products C is read and written all the same.
    const double products = double(p.c.rows) * double(p.c.columns) * double(p.depth() + 16) *
                            double(p.batches * parts * parts);
    const double worth = products / gemm_tuning::products_per_thread;
    const int threads =
        worth < 2 ? 1 : std::max(1, int(std::min(worth, double(exec.concurrency()))));
    // C's rows must be long and contiguous: else C^T = B^T A^T is computed. The parts of a complex
    // product would change places in their sums, so a complex C goes by way of a copy of each tile.
    const bool by_columns = p.c.columns == 1 || (p.c.column_stride != 1 && p.c.row_stride == 1);
    if constexpr (parts == 1)
      if (by_columns && p.c.rows != 1) problem = p.transposed();
    if (!problem.reads_products()) problem.a.columns = problem.b.rows = 0;
    kernels = &microkernels_for_this_processor<method, real>();
    constexpr bool may_read_a = parts == 1 && std::is_same_v<in, real>;
    const bool may_read_b = may_read_a && problem.b.column_stride == 1;
    blocking = {};
    blocking.m = problem.c.rows;
    blocking.n = problem.c.columns * parts;
    blocking.k = problem.depth() * parts;
    blocking.section = section;
    blocking.mr = kernels->at_least(std::max<std::int64_t>(1, problem.c.rows)).mr;
    blocking.nr = kernels->nr;
    blocking.components = kernels->components;
    blocking.sum_components = impl::has_low<method> ? 2 : 1;
    choose_blocks(blocking, problem.batches, may_read_a, may_read_b, sizeof(real), threads,
                  divides_k);
    if (blocking.divides_k) divided = divided_sums<Problem>(problem);
    count = blocking.grid_m * blocking.grid_n * problem.batches;
    depth = blocking.k;
    kc = blocking.kc;
    pack = pack_for_this_processor<panel_in, real>();
    end_section = section_for_this_processor<method, real>();
    finish = epilogue_for_this_processor<method, real, panel_out>();
    finish_fallback = epilogue_for_this_processor<impl::fallback, real, panel_out>();
    teams = threads == 1
                ? 1
                : int(std::clamp<std::int64_t>(blocking.items(problem.batches), 1, threads));
    if (count > 1 && count == problem.batches && blocking.a_in_place) {
      const std::int64_t entries = problem.a.rows * problem.a.columns +
                                   problem.b.rows * problem.b.columns +
                                   problem.c.rows * problem.c.columns;
      const std::int64_t held = std::int64_t(caches().second) * gemm_tuning::batch_in_caches;
      if (entries * count * std::int64_t(sizeof(real)) > held) tiles_to_fetch_in = blocking.tiles();
    }
    team_size = blocking.team_size();
    if (team_size <= gemm_tuning::own_numbers) team_size = 0;
  }

  int teams;
  /// Of a batch: the tiles of a product with which the next product is fetched, if at all.
  std::int64_t tiles_to_fetch_in = 0;
  std::int64_t team_size;  ///< numbers of workspace; none where a thread's own are enough
  std::size_t bytes() const { return std::size_t(team_size) * std::size_t(teams) * sizeof(real); }
  void use(void* workspace) { memory = static_cast<real*>(workspace); }
  template <class Exec>
  void prepare(const Exec&) const {}
  template <class Exec>
  bool in_caller(const Exec&) const {
    return runs_at_once<Exec> && teams == 1 && divided.sections == 0;
  }
  template <class Exec>
  auto policy(const Exec& exec, std::int64_t) const {
    return Kokkos::TeamPolicy<Exec>(exec, teams, 1);
  }

  template <class Team>
  class tile;
  template <class Team>
  auto tile_of(const Team& team) const {
    return tile<Team>(*this, team);
  }
};

/// One thread's blocks of C. (i, j): a tile's place in the block.
template <class Problem>
template <class Team>
class gemm_tiles<Problem>::tile {
 public:
  tile(const gemm_tiles& tiles, const Team& team)
      : t_(tiles),
        team_count_(team.league_size()),
        a_(tiles.memory ? tiles.memory + team.league_rank() * tiles.team_size : own_),
        b_(a_ + tiles.blocking.a_size()),
        state_(b_ + tiles.blocking.b_size()),
        sums_(state_ + tiles.blocking.state_size()) {}

  /// Block `index` of all batches, and [first, end) of k.
  void begin(std::int64_t index, std::int64_t first, std::int64_t end) {
    const gemm_blocking& p = t_.blocking;
    const std::int64_t blocks = p.grid_m * p.grid_n;
    batch_ = blocks == 1 ? index : index / blocks;
    problem_ = t_.problem.of_batch(batch_);
    first_ = first;
    end_ = end;
    const std::int64_t b = blocks == 1 ? 0 : index % blocks;
    block_.row = b == 0 ? 0 : b % p.grid_m * p.block_m;
    block_.column = b == 0 ? 0 : b / p.grid_m * p.block_n;
    block_.rows = std::min(p.block_m, p.m - block_.row);
    block_.columns = std::min(p.block_n, p.n - block_.column);
    const std::int64_t next = index + team_count_;
    if (t_.tiles_to_fetch_in > 0 && next < t_.count) {
      const Problem n = t_.problem.of_batch(next);
      next_[0].begin(n.a, t_.tiles_to_fetch_in);
      next_[1].begin(n.b, t_.tiles_to_fetch_in);
      next_[2].begin(n.c, t_.tiles_to_fetch_in);
    } else {
      for (auto& matrix : next_) matrix = {};
    }
  }

  /// Packs [k, k + kc) of the block's part of A, and of B; less where the section ends.
  void load(std::int64_t k, std::int64_t) {
    const gemm_blocking& p = t_.blocking;
    const std::int64_t kc_now = std::min(t_.kc, section_end(k) - k);
    if (!p.a_in_place) {
      each_panel(block_.rows, p.mr, kc_now, problem_.a.row_stride == 1,
                 [&](std::int64_t i, std::int64_t first, std::int64_t n) {
                   const int mr = kernel_for(i).mr;
                   pack_a(i, mr, k + first, n, a_ + i * kc_now + first * mr);
                 });
    }
    if (!p.packs_b) return;
    each_panel(block_.columns, p.nr, kc_now, problem_.b.column_stride == 1,
               [&](std::int64_t j, std::int64_t first, std::int64_t n) {
                 pack_b(j, k + first, n, b_ + j * kc_now + first * p.nr);
               });
  }

  void multiply(std::int64_t k, std::int64_t) {
    const gemm_blocking& p = t_.blocking;
    const std::int64_t kc_now = std::min(t_.kc, section_end(k) - k);
    const std::int64_t strip = problem_.strip * parts;
    const std::int64_t in_section = k % t_.section;
    const epilogue<gemm_tiles> to_c(t_, problem_, block_);
    microkernel_arguments<real> products{};
    products.k = kc_now;
    products.strip = strip;
    products.until_close = in_section == 0 ? strip : strip - in_section % strip;
    products.first = in_section == 0;
    products.last = k + kc_now == section_end(k);
    const bool to_c_now = products.last && section_end(k) == end_ && t_.divided.sections == 0;
    const bool whole = p.a_in_place && products.first && to_c_now && k == 0 &&
                       problem_.c.column_stride == 1 && !problem_.reads_c();
    const bool adds_sums = products.last && k >= first_ + t_.section;
    for (std::int64_t i0 = 0; i0 < block_.rows; i0 += p.mc) {
      const std::int64_t end = std::min(block_.rows, i0 + p.mc);
      for (std::int64_t j = 0; j < block_.columns; j += p.nr) {
        products.b = b_ + j * kc_now;
        products.b_step = p.nr;
        if (!p.packs_b) place_b(j, k, kc_now, products);
        const std::int64_t next_j = j + p.nr < block_.columns ? j + p.nr : 0;
        for (std::int64_t i = i0; i < end;) {
          const auto& kernel = kernel_for(i);
          place_a(i, k, kc_now, products);
          for (auto& matrix : next_) matrix.fetch();
          if (whole && j + p.nr <= block_.columns && multiply_to_c(kernel, i, j, products)) {
            i += kernel.mr;
            continue;
          }
          products.state = state_of(i, j);
          products.next_state =
              i + kernel.mr < end ? state_of(i + kernel.mr, j) : state_of(i0, next_j);
          fetch_b((i - i0) / p.mr, next_j, kc_now, products);
          if (to_c_now) to_c.fetch_c(i, j, kernel.mr);
          if (adds_sums) fetch_sums(i, j);
          (p.a_in_place ? kernel.multiply_in_place : kernel.multiply)(products);
          if (to_c_now)
            finish_tile(to_c, i, j, kernel.mr, products.state, adds_sums ? sums_of(i, j) : nullptr);
          else if (products.last && t_.divided.sections == 0)
            t_.end_section(kernel.mr, products.state, !adds_sums, sums_of(i, j));
          else if (products.last)
            keep_section(i, j, kernel.mr, products.state);
          i += kernel.mr;
        }
      }
    }
  }

  /// Tiles end their sections as they come to them, while they are in the caches.
  void end_section(bool) {}

  void finish(std::int64_t) {
    if (t_.depth > 0) return;  // tiles are finished as they end
    const gemm_blocking& p = t_.blocking;
    const epilogue<gemm_tiles> to_c(t_, problem_, block_);
    std::fill_n(state_, p.tile_size(), real(0));
    for (std::int64_t j = 0; j < block_.columns; j += p.nr)
      for (std::int64_t i = 0; i < block_.rows; i += kernel_for(i).mr)
        finish_tile(to_c, i, j, kernel_for(i).mr, state_, nullptr);
  }

 private:
  /// The microkernel for the rows of the block from i on. In place it has no rows beyond the edge.
  const microkernel<real>& kernel_for(std::int64_t i) const {
    const std::int64_t rows = std::min<std::int64_t>(block_.rows - i, t_.blocking.mr);
    return t_.blocking.a_in_place ? t_.kernels->at_most(rows) : t_.kernels->at_least(rows);
  }
  /// Where k's section ends.
  std::int64_t section_end(std::int64_t k) const {
    return std::min(t_.depth, (k / t_.section + 1) * t_.section);
  }
  /// Entries of the tiles before this one. (At the edge a tile of mr rows may be several.)
  std::int64_t entries_before(std::int64_t i, std::int64_t j) const {
    const gemm_blocking& p = t_.blocking;
    return j * p.block_m + i * p.nr;
  }
  real* state_of(std::int64_t i, std::int64_t j) const {
    const gemm_blocking& p = t_.blocking;
    return p.states_wait() ? state_ + entries_before(i, j) * p.components : state_;
  }
  /// The sums of a tile's sections so far.
  real* sums_of(std::int64_t i, std::int64_t j) const {
    return sums_ + entries_before(i, j) * t_.blocking.sum_components;
  }
  void fetch_sums(std::int64_t i, std::int64_t j) const {
    const real* const sums = sums_of(i, j);
    constexpr std::int64_t line = 64 / std::int64_t(sizeof(real));
    for (std::int64_t n = 0; n < t_.blocking.sum_size(); n += line)
      __builtin_prefetch(sums + n, 1, 2);
  }
  /// The sums of a section of a divided product, to where they are added.
  void keep_section(std::int64_t i, std::int64_t j, int mr, const real* state) const {
    const int nr = t_.blocking.nr;
    t_.end_section(mr, state, true, sums_);
    const std::int64_t rows = std::min<std::int64_t>(mr, block_.rows - i);
    const std::int64_t columns = std::min<std::int64_t>(nr, block_.columns - j);
    for (std::int64_t column = 0; column < columns; ++column) {
      for (std::int64_t row = 0; row < rows; ++row) {
        auto& sum = t_.divided.at(first_ / t_.section, batch_, block_.row + i + row,
                                  (block_.column + j + column) / parts);
        auto& part = sum.x[column % parts];
        for (int k = 0; k < t_.blocking.sum_components; ++k)
          part.component(k) = sums_[(k * mr + row) * nr + column];
      }
    }
  }
  /// Whether that could be done: by a microkernel that is its own epilogue.
  bool multiply_to_c(const microkernel<real>& kernel, std::int64_t i, std::int64_t j,
                     microkernel_arguments<real>& products) const {
    if constexpr (parts == 1 && std::is_same_v<out, real>) {
      products.alpha = problem_.scale.alpha[0];
      products.c = &problem_.c(block_.row + i, block_.column + j);
      products.c_step = problem_.c.row_stride;
      products.state = state_;
      return kernel.multiply_to_c(products);
    } else {
      return false;
    }
  }
  void finish_tile(const epilogue<gemm_tiles>& to_c, std::int64_t i, std::int64_t j, int mr,
                   const real* state, const real* before) const {
    to_c.finish_tile(i, j, mr, state, before,
                     [&](std::int64_t i_, std::int64_t j_, int width, std::int64_t k,
                         std::int64_t n, real* a, real* b) {
                       pack_a(i_, width, k, n, a);
                       pack_b(j_, k, n, b);
                     });
  }

  /// f(mn, k, count) for every panel of an extent: whole panels where the numbers of a row of A (a
  /// column of B) are contiguous, else packing_k of all panels in turn, because then those of one k
  /// are.
  template <class F>
  static void each_panel(std::int64_t extent, std::int64_t width, std::int64_t kc_now,
                         bool contiguous_in_mn, const F& f) {
    const std::int64_t step = contiguous_in_mn ? gemm_tuning::packing_k : kc_now;
    for (std::int64_t k = 0; k < kc_now; k += step)
      for (std::int64_t mn = 0; mn < extent; mn += width) f(mn, k, std::min(step, kc_now - k));
  }
  /// Packs [k, k + n) of a panel of A, as many rows as the microkernel has.
  void pack_a(std::int64_t i, int width, std::int64_t k, std::int64_t n, real* to) const {
    const int mn = int(std::min<std::int64_t>(block_.rows - i, width));
    pack_panel(parts == 1 ? panel_kind::real : panel_kind::complex_rows, problem_.a,
               problem_.a.row_stride, problem_.a.column_stride, block_.row + i, mn, k / parts,
               n / parts, width, to);
  }
  /// The same of B.
  void pack_b(std::int64_t j, std::int64_t k, std::int64_t n, real* to) const {
    const int width = t_.blocking.nr;
    const int mn = int(std::min<std::int64_t>(block_.columns - j, width)) / parts;
    pack_panel(parts == 1 ? panel_kind::real : panel_kind::complex_columns, problem_.b,
               problem_.b.column_stride, problem_.b.row_stride, (block_.column + j) / parts, mn,
               k / parts, n / parts, width, to);
  }
  void pack_panel(panel_kind kind, const impl::matrix_data<const in>& matrix,
                  std::int64_t mn_stride, std::int64_t k_stride, std::int64_t first_mn, int mn,
                  std::int64_t first_k, std::int64_t k, int width, real* to) const {
    const in* from = matrix.data + first_mn * mn_stride + first_k * k_stride;
    if constexpr (impl::is_half_scalar<in>) {
      for (std::int64_t i = 0; i < k; ++i)
        for (int l = 0; l < width; ++l)
          *to++ = l < mn ? real(from[l * mn_stride + i * k_stride]) : real(0);
    } else {
      t_.pack(kind,
              {reinterpret_cast<const panel_in*>(from), mn_stride * parts, k_stride * parts, mn, k,
               matrix.conjugate},
              width, to);
    }
  }

  /// What the nth tile of this panel of B fetches of the next one: a part of it, or, in place,
  /// a line of each row a few panels on.
  void fetch_b(std::int64_t n, std::int64_t next_j, std::int64_t kc_now,
               microkernel_arguments<real>& products) const {
    constexpr std::int64_t line = 64 / std::int64_t(sizeof(real));
    products.next_b = products.b;
    products.next_b_step = line;
    if (t_.blocking.packs_b) {
      if (n * line < t_.blocking.nr) products.next_b = b_ + next_j * kc_now + n * line * kc_now;
    } else if (products.b != b_) {
      products.next_b = products.b + gemm_tuning::in_place_panels_ahead * t_.blocking.nr;
      products.next_b_step = products.b_step;
    }
  }
  /// A's rows in place, or their panel.
  void place_a(std::int64_t i, std::int64_t k, std::int64_t kc_now,
               microkernel_arguments<real>& products) const {
    if constexpr (std::is_same_v<in, real>) {
      if (t_.blocking.a_in_place) {
        products.a = &problem_.a(block_.row + i, k);
        products.a_row = problem_.a.row_stride;
        products.a_k = problem_.a.column_stride;
        return;
      }
    }
    products.a = a_ + i * kc_now;
  }
  /// B's columns in place, or, at the edge, packed after all.
  void place_b(std::int64_t j, std::int64_t k, std::int64_t kc_now,
               microkernel_arguments<real>& products) const {
    if constexpr (std::is_same_v<in, real>) {
      if (t_.blocking.b_in_place && block_.columns - j >= t_.blocking.nr) {
        products.b = &problem_.b(k, block_.column + j);
        products.b_step = problem_.b.row_stride;
        return;
      }
    }
    pack_b(j, k, kc_now, b_);
    products.b = b_;
  }

  /// A small matrix of the next product of a batch, which is fetched from memory meanwhile: a part
  /// of it with each tile.
  struct next_matrix {
    static constexpr std::int64_t line = 64;
    const char *at = nullptr, *end = nullptr;
    std::int64_t part = 0;  ///< bytes

    template <class T>
    void begin(const impl::matrix_data<T>& m, std::int64_t tiles) {
      at = end = nullptr;
      const bool whole = (m.row_stride == 1 && m.column_stride == m.rows) ||
                         (m.column_stride == 1 && m.row_stride == m.columns);
      if (!whole) return;
      const std::int64_t bytes = m.rows * m.columns * std::int64_t(sizeof(T));
      at = reinterpret_cast<const char*>(m.data);
      end = at + bytes;
      part = bytes / tiles + line;
    }
    void fetch() {
      const char* const until = end - at > part ? at + part : end;
      for (; at < until; at += line) __builtin_prefetch(at, 0, 2);
    }
  };

  const gemm_tiles& t_;
  int team_count_;
  next_matrix next_[3];
  Problem problem_;
  gemm_block block_;
  std::int64_t batch_ = 0, first_ = 0, end_ = 0;
  alignas(64) real own_[gemm_tuning::own_numbers];
  real *a_, *b_, *state_, *sums_;
};

}  // namespace acc::backends::host

#endif
