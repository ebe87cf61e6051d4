// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_EXACT_GEMM_HPP
#define ACC_BACKENDS_GENERIC_EXACT_GEMM_HPP

/// \file
/// Exact matrix products by any Kokkos team: right for every input. A thread has an entry of a
/// tile, and passes over k twice: for the exponent of its largest product, then for the products in
/// the window below it (exact_sum.hpp). Codes of exponents and numbers come through team scratch
/// memory, where the windows are, too. What its window does not decide is summed again by the whole
/// team, in one superaccumulator that all of its threads add to.
///
/// Where there are few entries, each is divided by k: into superaccumulators in memory, which are
/// merged.

#include <acc/backends/workspace.hpp>
#include <acc/core/exact/exact_part.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/gemm/exact_entry.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/macros.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace acc::backends::generic {

/// Which entries a kernel computes: all.
struct all_entries {
  KOKKOS_FORCEINLINE_FUNCTION bool any() const { return true; }
  KOKKOS_FORCEINLINE_FUNCTION bool in_tile(std::int64_t, std::int64_t, std::int64_t,
                                           std::int64_t) const {
    return true;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has(std::int64_t, std::int64_t) const { return true; }
};

/// An entry by all threads of a team.
template <class Problem>
struct exact_team_entry {
  using operands = impl::operands_t<Problem>;
  using part = impl::exact_long_part<typename operands::real>;
  static constexpr int parts = Problem::parts;

  /// In scratch memory.
  struct memory {
    part parts_of_sum[parts];
    impl::exact_scaled_sum sum;
  };

  template <class Team>
  ACC_COLD_FUNCTION static void write(const Team& team, const Problem& p, std::int64_t i,
                                      std::int64_t j, memory& m) {
    part* const s = m.parts_of_sum;
    const operands x = impl::operands_of(p).of_entry(i, j);
    const std::int64_t depth = x.depth();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int q = 0; q < parts; ++q) s[q] = part();
    });
    team.team_barrier();
    for (std::int64_t first = 0; first < depth; first += part::max_products) {
      const std::int64_t end =
          depth - first < part::max_products ? depth : first + part::max_products;
      for (int q = 0; q < parts; ++q) {
        element_kinds kinds;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, end), [&](std::int64_t k) {
          kinds.merge(s[q].deposit(x.a(i, k), x.b(k, parts * j + q)));
        });
        Kokkos::atomic_or(&s[q].kinds.bits, kinds.bits);
      }
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        for (int q = 0; q < parts; ++q) s[q].magnitude.carry();
      });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int q = 0; q < parts; ++q) {
        s[q].settle();
        s[q].lift(x.lift(i, j));
      }
      impl::exact_part<superaccumulator<typename operands::real>::limbs>* const sums = s;
      impl::write_exact_entry(p, i, j, sums, m.sum);
    });
    team.team_barrier();
  }
};

/// A tile of entries, by a team.
template <class Problem, class Entries = all_entries>
struct exact_tiles_kernel {
  using in = typename Problem::in;
  using operands = impl::operands_t<Problem>;
  using real = typename operands::real;
  using window = impl::exact_window<real>;
  using code = impl::exponent_code;
  using team_entry = exact_team_entry<Problem>;
  static constexpr int parts = Problem::parts;
  static constexpr int kc = 32;
  static constexpr int most_threads = 256;

  Problem problem;
  int thread_rows, thread_columns;
  std::int64_t grid_rows, grid_columns, count;
  Entries entries;

  exact_tiles_kernel(const Problem& p, int threads, const Entries& e = {})
      : problem(p), thread_columns(1), entries(e) {
    while (thread_columns * thread_columns < threads) thread_columns *= 2;
    thread_rows = threads / thread_columns;
    grid_rows = (p.c.rows + thread_rows - 1) / thread_rows;
    grid_columns = (p.c.columns + thread_columns - 1) / thread_columns;
    count = grid_rows * grid_columns * p.batches;
  }

  KOKKOS_FORCEINLINE_FUNCTION int threads() const { return thread_rows * thread_columns; }
  /// A bit for each entry.
  KOKKOS_FORCEINLINE_FUNCTION int words() const { return (threads() + 31) / 32; }
  KOKKOS_FORCEINLINE_FUNCTION int staged() const { return kc * (thread_rows + thread_columns); }
  std::size_t scratch_bytes() const {
    return std::size_t(threads()) * window::limbs * sizeof(std::int64_t) +
           std::size_t(staged()) * (sizeof(real) + sizeof(std::int16_t)) +
           std::size_t(words()) * sizeof(std::uint32_t) + sizeof(typename team_entry::memory) + 80;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto take = [&](std::size_t bytes) {
      return team.team_scratch(0).get_shmem_aligned(std::ptrdiff_t(bytes), 16);
    };
    auto* const limb = static_cast<std::int64_t*>(
                           take(std::size_t(threads()) * window::limbs * sizeof(std::int64_t))) +
                       team.team_rank();
    auto* const numbers = static_cast<real*>(take(std::size_t(staged()) * sizeof(real)));
    auto* const codes =
        static_cast<std::int16_t*>(take(std::size_t(staged()) * sizeof(std::int16_t)));
    auto* const undecided =
        static_cast<std::uint32_t*>(take(std::size_t(words()) * sizeof(std::uint32_t)));
    auto& memory =
        *static_cast<typename team_entry::memory*>(take(sizeof(typename team_entry::memory)));
    if (!entries.any()) return;
    for (std::int64_t tile = team.league_rank(); tile < count; tile += team.league_size()) {
      const Problem p = problem.of_batch(tile / (grid_rows * grid_columns));
      const std::int64_t first_row = tile % grid_rows * thread_rows;
      const std::int64_t first_column = tile / grid_rows % grid_columns * thread_columns;
      if (!entries.in_tile(first_row, Kokkos::min(first_row + thread_rows, p.c.rows), first_column,
                           Kokkos::min(first_column + thread_columns, p.c.columns)))
        continue;
      // It has a barrier unless k is 0. Then every entry is decided.
      const bool decided = one_tile(team, p, first_row, first_column, limb, numbers, codes);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, words()),
                           [&](int w) { undecided[w] = 0; });
      team.team_barrier();
      const int rank = team.team_rank();
      if (!decided) Kokkos::atomic_or(&undecided[rank / 32], std::uint32_t(1) << rank % 32);
      team.team_barrier();
      for (int w = 0; w < words(); ++w)
        for (std::uint32_t bits = undecided[w]; bits != 0; bits &= bits - 1) {
          const int e = 32 * w + impl::trailing_zeros(bits);
          team_entry::write(team, p, first_row + e % thread_rows, first_column + e / thread_rows,
                            memory);
        }
    }
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION bool one_tile(const Team& team, const Problem& p, std::int64_t first_row,
                                std::int64_t first_column, std::int64_t* limb, real* numbers,
                                std::int16_t* codes) const {
    const operands x = impl::operands_of(p);
    const std::int64_t depth = x.depth();
    const int row = team.team_rank() % thread_rows, column = team.team_rank() / thread_rows;
    const std::int64_t i = first_row + row, j = first_column + column;
    const bool exists = i < p.c.rows && j < p.c.columns && entries.has(i, j);
    constexpr bool rounds = !impl::is_entry_accumulator<typename Problem::out>;
    impl::exact_part<window::limbs> s[parts];
    bool held = depth <= window::max_products;
    for (int part = 0; part < parts; ++part) {
      int top = 2 * code::zero;
      each_product<false>(team, p, x, first_row, first_column, part, numbers, codes,
                          [&](int a, int b) { top = Kokkos::max(top, codes[a] + codes[b]); });
      const bool finite = top >= code::least && top <= code::greatest;
      const int unit = finite ? window::unit_for(top) : code::not_finite * 4;
      std::int64_t skipped = 0;
      for (int n = 0; n < window::limbs; ++n) limb[n * threads()] = 0;
      each_product<true>(team, p, x, first_row, first_column, part, numbers, codes,
                         [&](int a, int b) {
                           const int exponent = codes[a] + codes[b];
                           if (exponent >= unit)
                             window::add(limb, threads(), numbers[a], numbers[b], exponent - unit);
                           else if (exponent >= code::least)
                             ++skipped;
                         });
      held = held && top <= code::greatest;
      if (!exists || !held) continue;
      s[part].unit = finite ? unit : 0;
      for (int n = 0; n < window::limbs; ++n) s[part].magnitude.limb[n] = limb[n * threads()];
      s[part].kinds = finite ? element_kinds{element_kinds::nonzero}
                             : impl::kinds_of_products<false, rounds>(x, i, parts * j + part);
      s[part].settle();
      s[part].skips = skipped != 0;
      s[part].bound = window::bound(unit, skipped);
      s[part].lift(x.lift(i, j));
    }
    return !exists || (held && impl::write_exact_entry(p, i, j, s));
  }

  /// f(place of a, place of b) for each product of the thread's real entry.
  template <bool Numbers, class Team, class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_product(const Team& team, const Problem& p,
                                                const operands& x, std::int64_t first_row,
                                                std::int64_t first_column, int part, real* numbers,
                                                std::int16_t* codes, const F& f) const {
    const std::int64_t depth = x.depth();
    const int b_at = kc * thread_rows;
    const int row = team.team_rank() % thread_rows, column = team.team_rank() / thread_rows;
    const auto put = [&](int at, real v) {
      codes[at] = std::int16_t(impl::exponent_code::of(v));
      if constexpr (Numbers) numbers[at] = v;
    };
    const bool a_by_rows = p.a.row_stride != 1, b_by_columns = p.b.column_stride != 1;
    for (std::int64_t k = 0; k < depth; k += kc) {
      team.team_barrier();  // until all have used what was there
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, kc * thread_rows), [&](int e) {
        const int r = a_by_rows ? e / kc : e % thread_rows;
        const int kk = a_by_rows ? e % kc : e / thread_rows;
        const bool inside = first_row + r < p.c.rows && k + kk < depth;
        put(kk * thread_rows + r, inside ? x.a(first_row + r, k + kk) : real(0));
      });
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, kc * thread_columns), [&](int e) {
        const int c = b_by_columns ? e / kc : e % thread_columns;
        const int kk = b_by_columns ? e % kc : e / thread_columns;
        const bool inside = first_column + c < p.c.columns && k + kk < depth;
        put(b_at + kk * thread_columns + c,
            inside ? x.b(k + kk, parts * (first_column + c) + part) : real(0));
      });
      team.team_barrier();
      const int steps = depth - k < kc ? int(depth - k) : kc;
      for (int kk = 0; kk < steps; ++kk)
        f(kk * thread_rows + row, b_at + kk * thread_columns + column);
    }
  }
};

/// How rows of A and columns of B are cut (fixed_point), by a team each.
template <class Problem>
struct cut_scales_kernel {
  using operands = impl::exact_operands<typename Problem::in>;
  using real = typename operands::real;
  static constexpr int parts = Problem::parts;

  Problem problem;
  impl::row_scale* rows;     ///< of all batches
  impl::row_scale* columns;  ///< the same

  KOKKOS_FUNCTION std::int64_t count() const {
    return problem.batches * (problem.c.rows + problem.c.columns);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t of_batch = problem.c.rows + problem.c.columns;
    for (std::int64_t n = team.league_rank(); n < count(); n += team.league_size()) {
      const std::int64_t batch = n / of_batch, i = n % of_batch, j = i - problem.c.rows;
      const Problem p = problem.of_batch(batch);
      const operands x{p.a, p.b};
      // Of a column's two real ones the first has all numbers, apart from signs.
      const impl::row_scale scale = scale_of(
          team, x.depth(), [&](std::int64_t k) { return j < 0 ? x.a(i, k) : x.b(k, parts * j); });
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        (j < 0 ? rows[batch * problem.c.rows + i] : columns[batch * problem.c.columns + j]) = scale;
      });
    }
  }

 private:
  template <class Team, class Number>
  KOKKOS_FUNCTION impl::row_scale scale_of(const Team& team, std::int64_t depth,
                                           const Number& number) const {
    using range = impl::number_range;
    using ends = Kokkos::MinMaxScalar<int>;
    ends all;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, depth),
        [&](std::int64_t k, ends& e) {
          const range r = range::of(number(k));
          e.min_val = Kokkos::min(e.min_val, r.low);
          e.max_val = Kokkos::max(e.max_val, r.top);
        },
        Kokkos::MinMax<int>(all));
    range r;
    r.merge({all.max_val, all.min_val});
    return impl::cut_scale_of(r, problem.bits);
  }
};

/// A section of an entry, by a thread.
template <class Problem, class Entries>
struct exact_sections_kernel {
  using in = typename Problem::in;
  using sum = impl::exact_sum<in>;

  Problem problem;
  std::int64_t sections, length;
  sum* memory;
  Entries entries;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    if (!entries.any()) return;
    const std::int64_t entry = item / sections, first = item % sections * length;
    const std::int64_t column = entry / problem.c.rows, j = column % problem.c.columns;
    const Problem p = problem.of_batch(column / problem.c.columns);
    const std::int64_t i = entry % problem.c.rows;
    if (!entries.has(i, j)) return;
    const auto x = impl::operands_of(p).of_entry(i, j);
    const std::int64_t end = first + length < x.depth() ? first + length : x.depth();
    memory[item] = sum();
    memory[item].add(x, i, j, first, end);
  }
};

/// Merges an entry's sections.
template <class Problem, class Entries>
struct exact_merge_kernel {
  using sum = impl::exact_sum<typename Problem::in>;

  Problem problem;
  std::int64_t sections;
  sum* memory;
  Entries entries;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (!entries.any()) return;
    const std::int64_t entry = team.league_rank(), column = entry / problem.c.rows;
    const std::int64_t i = entry % problem.c.rows, j = column % problem.c.columns;
    if (!entries.has(i, j)) return;
    sum* const of_entry = memory + entry * sections;
    for (std::int64_t stride = 1; stride < sections; stride *= 2) {
      const std::int64_t pairs = (sections - stride + 2 * stride - 1) / (2 * stride);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, pairs), [&](std::int64_t n) {
        of_entry[2 * stride * n].merge(of_entry[2 * stride * n + stride]);
      });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      const Problem p = problem.of_batch(column / problem.c.columns);
      impl::write_exact_entry(p, i, j, of_entry[0]);
    });
  }
};

/// Memory for the scales of a problem that cuts numbers, and the pass that finds them.
template <class Problem>
struct cut_scales {
  static std::size_t bytes(const Problem& p) {
    if (!impl::cuts_numbers<typename Problem::method>) return 0;
    return std::size_t(p.batches * (p.c.rows + p.c.columns)) * sizeof(impl::row_scale);
  }
  /// Enqueues it; the problem with its scales.
  template <class Exec>
  static Problem launch(const Exec& exec, const char* label, Problem p, void* memory) {
    if constexpr (impl::cuts_numbers<typename Problem::method>) {
      auto* const rows = static_cast<impl::row_scale*>(memory);
      const cut_scales_kernel<Problem> kernel{p, rows, rows + p.batches * p.c.rows};
      const int teams = int(std::min(kernel.count(), max_league_size));
      // Kokkos's own choice of a team is for kernels that use all of its threads' memory.
      const int threads = runs_on_host<Exec> ? 1 : 128;
      Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, teams, threads), kernel);
      p.row_scales = kernel.rows;
      p.column_scales = kernel.columns;
    }
    return p;
  }
};

/// Enqueues the kernel of tiles, of so many teams at most.
template <class Exec, class Problem, class Entries>
void launch_exact_tiles(const Exec& exec, const char* label,
                        const exact_tiles_kernel<Problem, Entries>& tiles,
                        std::int64_t most_teams = max_league_size) {
  // So many teams have their scratch memory on a multiprocessor of a Hopper GPU.
  using bounds = Kokkos::LaunchBounds<exact_tiles_kernel<Problem, Entries>::most_threads, 4>;
  Kokkos::parallel_for(label,
                       Kokkos::TeamPolicy<Exec, bounds>(
                           exec, int(std::min(tiles.count, most_teams)), tiles.threads())
                           .set_scratch_size(0, Kokkos::PerTeam(tiles.scratch_bytes())),
                       tiles);
}

/// An exact product.
template <class Problem>
class exact_entries {
 public:
  using sum = impl::exact_sum<typename Problem::in>;

  /// divides_k: whether to divide it by k, if that is not to be chosen here.
  template <class Exec>
  exact_entries(const Exec& exec, const Problem& p, std::optional<bool> divides_k = std::nullopt)
      : problem_(p),
        entries_(p.c.rows * p.c.columns * p.batches),
        threads_(runs_on_host<Exec> ? 1 : exact_tiles_kernel<Problem>::most_threads) {
    if (!p.reads_products()) problem_.a.columns = problem_.b.rows = 0;
    const std::int64_t depth = Problem::parts * problem_.depth();
    const std::int64_t threads = exec.concurrency();
    const bool divides = divides_k.value_or(!fills(threads) && depth >= 2 * min_section);
    if (!divides || entries_ == 0 || depth == 0) return;
    const std::int64_t items = std::min(std::max<std::int64_t>(threads, 4), max_sums);
    const std::int64_t wanted =
        std::max<std::int64_t>(2, items / std::max<std::int64_t>(entries_, 1));
    length_ = std::max(divides_k ? std::int64_t(1) : min_section, (depth + wanted - 1) / wanted);
    sections_ = (depth + length_ - 1) / length_;
  }

  const Problem& problem() const { return problem_; }
  bool divided() const { return sections_ > 0; }
  std::size_t bytes() const {
    if (entries_ == 0) return 0;
    return aligned_size(bytes_of_sections()) + cut_scales<Problem>::bytes(problem_);
  }
  std::size_t bytes_of_sections() const {
    return divided() ? std::size_t(entries_ * sections_) * sizeof(sum) : 0;
  }

  template <class Exec>
  void launch(const Exec& exec, const char* label, void* memory) const {
    if (entries_ == 0) return;
    const Problem problem = cut_scales<Problem>::launch(
        exec, label, problem_, static_cast<std::byte*>(memory) + aligned_size(bytes_of_sections()));
    if (divided())
      launch_sections(exec, label, problem, all_entries{}, memory);
    else
      launch_exact_tiles(exec, label, exact_tiles_kernel<Problem>(problem, threads_));
  }

  /// Some entries, divided, of a problem that has its scales; p: the whole one, or one of its
  /// batches.
  template <class Exec, class Entries>
  void launch_sections(const Exec& exec, const char* label, const Problem& p,
                       const Entries& entries, void* memory) const {
    const std::int64_t count = p.c.rows * p.c.columns * p.batches;
    auto* const sums = static_cast<sum*>(memory);
    Kokkos::parallel_for(
        label,
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count * sections_),
        exact_sections_kernel<Problem, Entries>{p, sections_, length_, sums, entries});
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, int(count), Kokkos::AUTO),
                         exact_merge_kernel<Problem, Entries>{p, sections_, sums, entries});
  }

 private:
  /// Products of real numbers in a section, at least; superaccumulators, at most.
  static constexpr std::int64_t min_section = 256, max_sums = 32768;

  /// Whether a thread an entry is enough.
  bool fills(std::int64_t threads) const { return entries_ * 4 >= threads; }

  Problem problem_;
  std::int64_t entries_;
  int threads_;                             ///< of a tile
  std::int64_t sections_ = 0, length_ = 0;  ///< no sections where it is not divided
};

}  // namespace acc::backends::generic

#endif
