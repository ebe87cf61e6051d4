// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_RESIDUE_GEMM_HPP
#define ACC_BACKENDS_CUDA_RESIDUE_GEMM_HPP

/// \file
/// Exact matrix products on Hopper by residues modulo small numbers (core/exact/moduli.hpp), by
/// kernels after one another:
///  - residues/ranges.hpp: what bits the numbers of each row of op(A) and column of op(B) hold;
///  - residues/plan.hpp: units, which rows and columns the moduli hold, in which order they come,
///    and how many moduli each part of C takes;
///  - residues/convert.hpp: residues, a byte each, in the layout of the products;
///  - kernels/residue_products.cpp: their products on the integer tensor cores;
///  - residues/narrow.hpp: both of these at once, where C has few rows or columns;
///  - residues/finish.hpp: the integers that these are, each rounded once.
/// The numbers of moduli stay on the device, so the caller's stream does not wait.
///
/// Rows and columns that the moduli do not hold, and those with infinities or NaN, go to the
/// windows of generic/exact_gemm.hpp. An entry's bits depend on neither.

#include <acc/backends/cuda/gemm/launch_check.hpp>
#include <acc/backends/cuda/kernels/residue_products.hpp>
#include <acc/backends/cuda/launch_teams.hpp>
#include <acc/backends/cuda/residues/convert.hpp>
#include <acc/backends/cuda/residues/finish.hpp>
#include <acc/backends/cuda/residues/narrow.hpp>
#include <acc/backends/cuda/residues/plan.hpp>
#include <acc/backends/cuda/residues/ranges.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/generic/exact_gemm.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/exact/complex_residues.hpp>
#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/gemm/exact_entry.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/ieee_number.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace acc::backends::cuda {

/// Two kernels of teams in one launch: the first has so many teams.
template <class First, class Second>
struct both_kernels {
  First first;
  Second second;
  std::int64_t first_teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t index = team.league_rank();
    if (index < first_teams)
      first.run(team, index);
    else
      second.run(team, index - first_teams);
  }
};

/// Entries in rows and columns that the moduli do not hold.
struct unfitting_entries {
  const impl::row_scale *rows, *columns;
  const residue_plan* plan;

  KOKKOS_FORCEINLINE_FUNCTION bool any() const { return plan->others != 0; }
  KOKKOS_FORCEINLINE_FUNCTION bool in_tile(std::int64_t i, std::int64_t end_i, std::int64_t j,
                                           std::int64_t end_j) const {
    bool found = false;
    for (; i < end_i; ++i) found = found || !rows[i].finite();
    for (; j < end_j; ++j) found = found || !columns[j].finite();
    return found;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has(std::int64_t i, std::int64_t j) const {
    return !rows[i].finite() || !columns[j].finite();
  }
};

/// Blocks of C and sections of k whose residues fit into about so many bytes for each modulus and
/// plane: one and a half times, and those of the least block more, 2048 rows of X and of Y.
struct residue_cut {
  std::int64_t x, y;  ///< rows of X and Y: whole pairs of tiles, and whole tiles
  std::int64_t section;

  residue_cut(std::int64_t rows_x, std::int64_t rows_y, std::int64_t depth, double bytes)
      : section(std::min(up(depth, residue_blocks::depth),
                         residue_products::max_depth_blocks * residue_blocks::depth)) {
    // The least blocks of X and Y take these bytes at most, if one block of k does.
    const auto fitting = std::int64_t(bytes) / (2 * least) / residue_blocks::depth;
    section = std::min(section, std::max<std::int64_t>(1, fitting) * residue_blocks::depth);
    // Half of it is for rows of X: the others' residues are made anew for each block of those. The
    // other half has to hold C's residues of so many rows and the least number of Y's.
    const std::int64_t least_y = std::min(up(rows_y, 256), least);
    x = std::min(up(rows_x, 256), whole(bytes / 2 / double(std::max(section, least_y))));
    y = std::min(up(rows_y, 256), whole(bytes / 2 / double(section + x)));
  }
  std::int64_t bytes() const { return x * section + y * section + x * y; }

  static std::int64_t up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }
  /// Rows of the least block, or a multiple of them.
  static std::int64_t whole(double rows) {
    return std::max<std::int64_t>(1, std::int64_t(rows) / least) * least;
  }

 private:
  static constexpr std::int64_t least = 2048;
};

/// An exact product.
template <class Problem>
class residue_entries {
  using in = typename Problem::in;
  using operands = impl::exact_operands<in>;
  using tuning = tuning::residue_gemm;
  using ranges = residue_ranges_kernel<in>;
  static constexpr int parts = Problem::parts, planes = impl::residue_planes<parts>;

 public:
  using launch_check = cuda::launch_check;

  /// The most moduli of this type's products.
  static constexpr int most_moduli =
      impl::ieee<typename operands::real>::is_float && !impl::cuts_numbers<typename Problem::method>
          ? tuning::most_moduli_of_float
          : impl::byte_moduli::count;
  // All rows that are cut fit, so that their units are all that others need to know.
  static_assert(!impl::cuts_numbers<typename Problem::method> ||
                impl::capacity<impl::byte_moduli>(most_moduli) >= 64 + 64 + 48);

  template <class Exec>
  residue_entries(const Exec& exec, const Problem& p) : problem_(p), others_(exec, p) {
    depth_ = p.reads_products() ? p.depth() : 0;
    rows_ = p.c.rows;
    columns_ = p.c.columns;
    constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();  // residue_rows
    possible_ = depth_ >= 1 && p.batches > 0 && std::max(rows_, columns_) <= most_rows &&
                has_residue_products();
    const auto [few, many] = std::minmax({rows_, parts * columns_});
    const bool is_short = few < tuning::least_rows;
    large_ = many >= tuning::least_rows &&
             (!is_short || depth_ >= tuning::least_depth_of_few_rows ||
              impl::cuts_numbers<typename Problem::method>) &&
             parts * parts * double(rows_) * double(columns_) * double(depth_) >=
                 (p.batches == 1 ? tuning::least_products : tuning::least_products_of_batch);
    if (!possible_) return;
    // Neighbours in C are rows of Y, except where one dimension is so small that tiles of few rows
    // of Y serve.
    const bool few_rows = rows_ <= residue_tile::few_y,
               few_columns = columns_ <= residue_tile::few_y;
    y_is_rows_ = few_rows != few_columns ? few_rows : p.c.row_stride <= p.c.column_stride;
    multiprocessors_ = exec.cuda_device_prop().multiProcessorCount;
    most_bytes_ = double(exec.cuda_device_prop().totalGlobalMem) / tuning::part_of_memory;
    if (is_short) most_bytes_ = std::min(most_bytes_, tuning::most_bytes_of_few_rows);
    narrow_ = is_narrow();
    choose_blocks();
  }

  std::size_t bytes() const {
    return worthwhile() ? std::max(others_.bytes(), memory(nullptr).bytes) : others_.bytes();
  }

  template <class Exec>
  void launch(const Exec& exec, const char* label, void* data) const {
    if (worthwhile()) return by_residues(exec, label, static_cast<std::byte*>(data));
    others_.launch(exec, label, data);
  }

  /// For tests: this many moduli more than are needed.
  int more_moduli = 0;
  /// For tests: also where the others would be faster.
  bool always = false;
  /// For tests: by the kernels for many rows and columns.
  void use_tiles() {
    narrow_ = false;
    if (possible_) choose_blocks();
  }
  /// For tests: blocks of C, and sections of k, no longer than this.
  void limit_blocks(std::int64_t rows, std::int64_t depth) {
    block_x_ = std::min(block_x_, rows);
    if (narrow_) return;
    block_y_ = std::min(block_y_, rows);
    section_ = std::min(section_, depth);
    divide_k();
  }

 private:
  bool worthwhile() const { return possible_ && (large_ || always); }
  std::int64_t count_x() const { return y_is_rows_ ? columns_ : rows_; }
  std::int64_t count_y() const { return y_is_rows_ ? rows_ : columns_; }

  /// Whether Y has few rows, and X so few that their strips leave k to be divided. (Of more, the
  /// residues of Y's rows would be made too many times.)
  bool is_narrow() const {
    if constexpr (parts == 1) {
      if (count_y() > residue_tile::few_y) return false;
      return with_y_tiles([this]<int YTiles>(std::integral_constant<int, YTiles>) {
        return residue_narrow_kernel<Problem, YTiles>::strips_of(count_x()) *
                   tuning::least_teams_of_strip <=
               multiprocessors_;
      });
    }
    return false;
  }
  void choose_blocks() {
    const double bytes = most_bytes_ / (most_moduli * planes);
    if (narrow_) {
      // Sums of two bytes, of as many columns as words have.
      const double rows = bytes / (2 * narrow_columns());
      block_x_ =
          std::min(residue_cut::up(count_x(), residue_squares::rows), residue_cut::whole(rows));
      block_y_ = residue_squares::rows;
      section_ = residue_cut::up(depth_, residue_blocks::depth);
      return;
    }
    const residue_cut cut(count_x(), count_y(), depth_, bytes);
    block_x_ = cut.x;
    block_y_ = cut.y;
    section_ = cut.section;
    // Parts of k are computed side by side, so a section may be as long as all of them.
    if (const std::int64_t parts = wanted_parts(); parts > 1) {
      const std::int64_t room = std::int64_t(bytes) - parts * block_x_ * block_y_;
      const std::int64_t fits = room / (block_x_ + block_y_) / residue_blocks::depth;
      const std::int64_t blocks =
          std::min({fits, parts * residue_products::max_depth_blocks, blocks_of(depth_)});
      section_ = std::max(section_, blocks * residue_blocks::depth);
    }
    divide_k();
  }
  /// Calls f with a constant: how many tiles of 8 rows Y takes.
  template <class F>
  auto with_y_tiles(const F& f) const {
    static_assert(residue_tile::few_y == 64);
    if (count_y() <= 16) return f(std::integral_constant<int, 2>());
    if (count_y() <= 32) return f(std::integral_constant<int, 4>());
    return f(std::integral_constant<int, 8>());
  }
  /// Of a narrow_tile.
  int narrow_words() const {
    return with_y_tiles(
        []<int YTiles>(std::integral_constant<int, YTiles>) { return narrow_tile<YTiles>::words; });
  }
  /// Of the sums of so many tiles.
  std::int64_t words_of_sums(std::int64_t tiles_x) const {
    return most_moduli * tiles_x * narrow_words();
  }
  std::int64_t narrow_columns() const { return narrow_words() * 4 / residue_tile::x; }
  /// So many of a section, where C has few tiles.
  std::int64_t wanted_parts() const {
    const std::int64_t tiles = block_x_ / residue_tile::x * block_y_ / residue_tile::y;
    const std::int64_t wanted = tuning::rounds_of_parts * multiprocessors_ /
                                std::max<std::int64_t>(1, tiles * tuning::usual_moduli * planes);
    return std::clamp<std::int64_t>(wanted, 1, residue_products::max_parts);
  }
  /// Into sections of about the same length, and these into parts where C has few tiles.
  void divide_k() {
    const std::int64_t all = blocks_of(depth_);
    const std::int64_t blocks = quotient(all, quotient(all * residue_blocks::depth, section_));
    section_ = blocks * residue_blocks::depth;
    const std::int64_t most = std::max<std::int64_t>(1, blocks / tuning::least_part_blocks);
    k_parts_ = parts_of(blocks, std::min(wanted_parts(), most));
  }
  /// As many parts, or less where the last ones would be empty.
  static int parts_of(std::int64_t blocks, std::int64_t parts) {
    return int(quotient(blocks, quotient(blocks, parts)));
  }
  /// Of so many products.
  static std::int64_t blocks_of(std::int64_t k) { return quotient(k, residue_blocks::depth); }
  /// Rounded up.
  static std::int64_t quotient(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

  struct places {
    merged_range* ranges[2];
    residue_rows side[2];  ///< rows of A, columns of B
    residue_plan* plan;
    residue_blocks_of_c blocks;
    const residue_tables* tables;
    std::uint8_t *x, *y;
    std::uint32_t* residues;
    std::uint64_t* sums;
    std::byte* sections;  ///< of the others
    std::size_t bytes;
  };

  static auto tiles_of(const Problem& p, const unfitting_entries& entries) {
    using tiles = generic::exact_tiles_kernel<Problem, unfitting_entries>;
    static_assert(tuning::threads_of_others <= tiles::most_threads);
    return tiles(p, tuning::threads_of_others, entries);
  }

  places memory(std::byte* data) const {
    places m{};
    std::size_t at = 0;
    const auto take = [&](auto*& to, std::int64_t n) {
      if (data) to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(data + at);
      at = (at + std::size_t(n) * sizeof(*to) + 1023) / 1024 * 1024;
    };
    for (int e = 0; e < 2; ++e) {
      residue_rows& side = m.side[e];
      side.count = e == 0 ? problem_.c.rows : problem_.c.columns;
      side.block = bool(e) == y_is_rows_ ? block_x_ : block_y_;
      take(m.ranges[e], ranges::parts_for(side.count, problem_.depth()) * side.count);
      take(side.scales, side.count);
      take(side.sizes, side.count);
      take(side.places, side.count);
      take(side.rows, side.count);
      take(side.group_sizes, side.groups());
      take(side.group_moduli, side.groups());
    }
    take(m.plan, 1);
    const std::int64_t blocks = m.side[0].blocks() * m.side[1].blocks();
    m.blocks.squares = block_x_ / residue_squares::rows * (block_y_ / residue_squares::rows);
    m.blocks.most_moduli = most_moduli;
    take(m.blocks.moduli, blocks * m.blocks.squares);
    take(m.blocks.items, blocks * m.blocks.squares * most_moduli);
    take(m.blocks.item_counts, blocks);
    take(m.sections, std::int64_t(others_.bytes_of_sections()));
    if (narrow_) {
      take(m.sums, words_of_sums(block_x_ / residue_tile::x));
      m.bytes = at;
      return m;
    }
    take(m.x, planes * most_moduli * block_x_ * section_);
    take(m.y, planes * most_moduli * block_y_ * section_);
    take(m.residues, planes * most_moduli * k_parts_ * block_x_ * block_y_ / 4);
    m.bytes = at;
    return m;
  }

  template <class Exec>
  void by_residues(const Exec& exec, const char* label, std::byte* data) const {
    places m = memory(data);
    m.tables = residue_tables_on_device();
    for (std::int64_t batch = 0; batch < problem_.batches; ++batch) {
      Problem p = problem_.of_batch(batch);
      p.batches = 1;
      one_product(exec, label, p, m);
    }
  }

  template <class Exec>
  void one_product(const Exec& exec, const char* label, Problem p, const places& m) const {
    launch_plan(exec, label, p, m);
    if constexpr (impl::cuts_numbers<typename Problem::method>) {
      p.row_scales = m.side[0].scales;
      p.column_scales = m.side[1].scales;
    }
    std::int64_t n = 0;
    for (std::int64_t x = 0; x < count_x(); x += block_x_) {
      const std::int64_t end_x = std::min(x + block_x_, count_x());
      for (std::int64_t y = 0; y < count_y(); y += block_y_) {
        const std::int64_t end_y = std::min(y + block_y_, count_y());
        const block b = y_is_rows_ ? block{y, end_y, x, end_x} : block{x, end_x, y, end_y};
        const residue_blocks_of_c takes = m.blocks.of(n++);
        // Even numbers of X's tiles.
        const auto tiles_x = int(residue_cut::up(end_x - x, 2 * residue_tile::x) / residue_tile::x);
        const auto tiles_y = int(residue_cut::up(end_y - y, residue_tile::y) / residue_tile::y);
        if (narrow_)
          launch_narrow(exec, label, p, m, takes, x, end_x, tiles_x);
        else
          launch_sections(exec, label, p, m, b, takes, tiles_x, tiles_y, y == 0);
        launch_finish(exec, label, p, m, b, takes, tiles_x, tiles_y);
      }
    }
    const unfitting_entries others{m.side[0].scales, m.side[1].scales, m.plan};
    if (others_.divided())
      others_.launch_sections(exec, label, p, others, m.sections);
    else
      generic::launch_exact_tiles(exec, label, tiles_of(p, others),
                                  multiprocessors_ * tuning::teams_of_others);
  }

  template <class Exec>
  void launch_plan(const Exec& exec, const char* label, const Problem& p, const places& m) const {
    ranges of_rows(p.a, m.ranges[0]), of_columns(p.b.transposed(), m.ranges[1]);
    if (narrow_) {
      ranges& larger = of_rows.teams() < of_columns.teams() ? of_columns : of_rows;
      larger.zeros = m.sums;
      larger.zero_count = words_of_sums(block_x_ / residue_tile::x);
    }
    launch_both(exec, label, of_rows, of_columns, ranges::scratch_bytes + 64);
    residue_plan_kernel<Problem> plan(parts * depth_, most_moduli, more_moduli);
    for (int e = 0; e < 2; ++e) {
      plan.side[e] = m.side[e];
      plan.ranges[e] = m.ranges[e];
      plan.range_parts[e] = (e == 0 ? of_rows : of_columns).parts();
    }
    plan.plan = m.plan;
    plan.blocks = m.blocks;
    plan.y_is_rows = y_is_rows_;
    plan.few_rows = tuning::few_rows;
    plan.bits = 0;
    if constexpr (impl::cuts_numbers<typename Problem::method>) plan.bits = p.bits;
    Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<residue_plan_kernel<Problem>::threads, 1>> policy(
        exec, 1, plan.threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(plan.scratch_bytes + 64));
    Kokkos::parallel_for(label, by_arguments(policy), plan);
  }

  /// A block of C.
  struct block {
    std::int64_t row, end_row, column, end_column;
  };

  /// Residues of a block of C, one section of k after another. is_first: of those with these rows
  /// of X.
  template <class Exec>
  void launch_sections(const Exec& exec, const char* label, const Problem& p, const places& m,
                       const block& b, const residue_blocks_of_c& takes, int tiles_x, int tiles_y,
                       bool is_first) const {
    const std::int64_t rows = b.end_row - b.row, columns = b.end_column - b.column;
    for (std::int64_t k = 0; k < depth_; k += section_) {
      const std::int64_t end_k = std::min(k + section_, depth_);
      const std::int64_t blocks = blocks_of(end_k - k);
      // X's residues stay, if they are of all of k.
      launch_conversion(exec, label, p, m, b, k, end_k, is_first || section_ < depth_);
      launch_residue_products(exec.cuda_stream(), {.x = m.x,
                                                   .y = m.y,
                                                   .residues = m.residues,
                                                   .items = takes.items,
                                                   .item_count = takes.item_counts,
                                                   .moduli = most_moduli,
                                                   .planes = planes,
                                                   .x_rows = y_is_rows_ ? columns : rows,
                                                   .y_rows = y_is_rows_ ? rows : columns,
                                                   .x_tiles = tiles_x,
                                                   .y_tiles = tiles_y,
                                                   .x_stride = block_x_ * section_,
                                                   .y_stride = block_y_ * section_,
                                                   .depth_blocks = blocks,
                                                   .parts = parts_of(blocks, k_parts_),
                                                   .adds = k > 0});
    }
  }

  /// Residues of b's rows and columns, of numbers [k, end_k); X's only if makes_x.
  template <class Exec>
  void launch_conversion(const Exec& exec, const char* label, const Problem& p, const places& m,
                         const block& b, std::int64_t k, std::int64_t end_k, bool makes_x) const {
    const operands both{p.a, p.b};
    const std::int64_t x_stride = block_x_ * section_, y_stride = block_y_ * section_;
    const residue_convert_kernel<Problem, false> of_a{
        .x = both,
        .side = m.side[0],
        .plan = m.plan,
        .tables = m.tables,
        .bytes = y_is_rows_ ? m.y : m.x,
        .first = b.row,
        .end = makes_x || y_is_rows_ ? b.end_row : b.row,
        .k_first = k,
        .k_end = end_k,
        .stride = y_is_rows_ ? y_stride : x_stride,
        .plane_stride = most_moduli * (y_is_rows_ ? y_stride : x_stride),
        .along_k = p.a.column_stride == 1};
    const residue_convert_kernel<Problem, true> of_b{
        .x = both,
        .side = m.side[1],
        .plan = m.plan,
        .tables = m.tables,
        .bytes = y_is_rows_ ? m.x : m.y,
        .first = b.column,
        .end = makes_x || !y_is_rows_ ? b.end_column : b.column,
        .k_first = k,
        .k_end = end_k,
        .stride = y_is_rows_ ? x_stride : y_stride,
        .plane_stride = most_moduli * (y_is_rows_ ? x_stride : y_stride),
        .along_k = p.b.row_stride == 1};
    launch_both(exec, label, of_a, of_b, of_a.scratch_bytes + 64);
  }

  /// Sums of residues of a block of C: of X's rows [x, end_x) and all of Y's.
  template <class Exec>
  void launch_narrow(const Exec& exec, const char* label, const Problem& p, const places& m,
                     const residue_blocks_of_c& takes, std::int64_t x, std::int64_t end_x,
                     int tiles_x) const {
    if constexpr (parts == 1) {
      if (x > 0)  // before, they are zero (launch_plan)
        fill_with_zeros(exec, label, m.sums, std::size_t(words_of_sums(tiles_x)) * sizeof(*m.sums));
      with_y_tiles([&]<int YTiles>(std::integral_constant<int, YTiles>) {
        using kernel = residue_narrow_kernel<Problem, YTiles>;
        const auto operand_of = [](const impl::matrix_data<const in>& by_rows) {
          const auto at = reinterpret_cast<std::uintptr_t>(by_rows.data);
          const bool along_k = by_rows.column_stride == 1;
          return typename kernel::operand{
              by_rows, along_k,
              along_k && at % 16 == 0 && by_rows.row_stride * std::int64_t(sizeof(in)) % 16 == 0};
        };
        const std::int64_t strips = kernel::strips_of(end_x - x);
        const int teams = kernel::teams_for(strips, multiprocessors_, most_moduli);
        Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<kernel::threads, 1>> policy(
            exec, int(strips * teams), kernel::threads);
        const bool two = kernel::scratch_bytes(2) + 64 <= policy.scratch_size_max(0);
        policy.set_scratch_size(0, Kokkos::PerTeam(kernel::scratch_bytes(two ? 2 : 1) + 64));
        const auto a = operand_of(p.a), b = operand_of(p.b.transposed());
        launch_teams(label, by_arguments(policy),
                     kernel{{y_is_rows_ ? b : a, y_is_rows_ ? a : b},
                            {m.side[y_is_rows_], m.side[!y_is_rows_]},
                            m.plan,
                            m.tables,
                            takes.moduli,
                            m.sums,
                            x,
                            end_x,
                            depth_,
                            tiles_x,
                            y_is_rows_,
                            teams,
                            two});
      });
    }
  }

  template <class Exec>
  void launch_finish(const Exec& exec, const char* label, const Problem& p, const places& m,
                     const block& b, const residue_blocks_of_c& takes, int tiles_x,
                     int tiles_y) const {
    const auto launch = [&]<bool RoundsOnly>() {
      constexpr auto shape = tuning::finish_shape(most_moduli);
      using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>,
                                         Kokkos::LaunchBounds<shape.threads, shape.teams_per_sm>>;
      const int words = narrow_ ? narrow_words() : residue_tile::words;
      const policy range(exec, 0, std::int64_t(tiles_x) * tiles_y * words);
      Kokkos::parallel_for(label, by_arguments(range),
                           residue_finish_kernel<Problem, RoundsOnly, most_moduli>{
                               p, m.side[0], m.side[1], m.plan, takes.moduli, most_moduli, m.tables,
                               m.residues, tiles_x, tiles_y, b.row, b.end_row, b.column,
                               b.end_column, k_parts_, y_is_rows_, m.sums, words});
    };
    using out = typename Problem::out;
    if constexpr (std::is_same_v<out, float> || std::is_same_v<out, double>) {
      if (p.scale.alpha[0] == 1.0 && !p.reads_c()) return launch.template operator()<true>();
    }
    launch.template operator()<false>();
  }

  /// The policy of a kernel that goes as arguments: Kokkos copies objects of more than 512 bytes to
  /// constant memory, and waits, on the host, until the last kernel that read it has ended.
  template <class Policy>
  static auto by_arguments(const Policy& policy) {
    return Kokkos::Experimental::require(policy,
                                         Kokkos::Experimental::WorkItemProperty::HintLightWeight);
  }

  template <class Exec, class First, class Second>
  static void launch_both(const Exec& exec, const char* label, const First& first,
                          const Second& second, int scratch_bytes) {
    const std::int64_t teams = first.teams() + second.teams();
    if (teams == 0) return;
    Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<First::threads, First::teams_per_sm>> policy(
        exec, int(teams), First::threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
    Kokkos::parallel_for(label, by_arguments(policy),
                         both_kernels<First, Second>{first, second, first.teams()});
  }

  Problem problem_;
  generic::exact_entries<Problem> others_;
  bool possible_ = false, large_ = false, y_is_rows_ = false;
  bool narrow_ = false;  ///< of one kernel for residues and products
  double most_bytes_ = 0;
  std::int64_t depth_ = 0, rows_ = 0, columns_ = 0;
  std::int64_t block_x_ = 0, block_y_ = 0, section_ = 0;
  int k_parts_ = 1, multiprocessors_ = 1;
};

}  // namespace acc::backends::cuda

#endif
