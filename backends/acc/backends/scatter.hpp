// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_SCATTER_HPP
#define ACC_BACKENDS_SCATTER_HPP

/// \file
/// Sums by index: numbers go to sums in limbs that threads share.
///
/// A first kernel looks at all numbers and indexes. Its answer comes to the host: whether an index
/// is wrong, before anything is written, and how few limbs hold the sums of these numbers. Where
/// these take much memory, blocks of sums follow each other, and each reads all indexes.
///
/// Who adds, and to which limbs:
///   few sums, hosts   threads, each to a copy of its own of all sums
///   few sums, GPUs    teams, each to a copy in its scratch memory; the copies add up by atomics
///   many sums         threads, by atomics
///   the same, GPUs,   teams, each to a table in its scratch memory of the sums that come first,
///   where some sums   and by atomics to others
///   get many numbers
/// GPUs have the limbs of core/exact/counted_limbs.hpp, whose atomics return nothing, unless they
/// are too many; hosts, to which that is one, those of core/exact/shared_limbs.hpp.

#include <acc/backends/workspace.hpp>
#include <acc/core/exact/counted_limbs.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/exact/shared_limbs.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace acc::backends {

/// What changes the time of a call alone.
struct scatter_tuning {
  /// Bytes at most for the sums, and for the copies of the sums that threads have.
  std::size_t sums = std::size_t(1) << 30, copies = std::size_t(1) << 26;
  /// Whether limbs may be counted_limbs; bytes at most for a team's copy of the sums.
  bool counted = false;
  std::size_t scratch = 0;
  /// For tests: tables wherever sums are counted, whatever the look finds.
  bool tables = false;
  /// Rows that are sorted (scatter_rows.hpp) have this width, and as many numbers, at least. For
  /// tests: all rows are.
  std::int64_t least_width = 16, least_sorted = std::int64_t(1) << 22;
  bool sorts = false;
  /// Numbers at most for bins of one word (scatter_binned.hpp): 2^22 or fewer.
  std::int64_t one_word = std::int64_t(1) << 22;

  template <class Exec>
  static scatter_tuning of() {
    scatter_tuning t;
    t.counted = !runs_on_host<Exec>;
    t.scratch = runs_on_host<Exec> ? 0 : 100000;  // two such teams fit an SM of a Hopper GPU
    return t;
  }
};
/// A team's threads on a GPU, and the teams for which the compiler leaves registers.
inline constexpr int scatter_team = 512, scatter_teams = 2;
/// Numbers that a thread has under way at once.
template <class Exec>
inline constexpr int scatter_loads = runs_on_host<Exec> ? 1 : 4;

/// Whether an index is negative. Compilers warn of such a question about unsigned ones.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION bool is_below_zero(Index i) {
  if constexpr (std::is_signed_v<Index>) {
    return i < 0;
  } else {
    return false;
  }
}
/// a / b; a GPU divides 32 bits in a fraction of the time that 64 take.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t divided(std::int64_t a, std::int64_t b) {
  return (std::uint64_t(a) | std::uint64_t(b)) >> 32 == 0
             ? std::int64_t(std::uint32_t(a) / std::uint32_t(b))
             : a / b;
}

/// The least k with 2^k >= n.
inline int bits_to_count(std::int64_t n) {
  int k = 0;
  while (k < 62 && (std::int64_t(1) << k) < n) ++k;
  return k;
}

/// A kind besides those of element_kinds: a sum had a number that its limbs do not hold.
inline constexpr std::uint32_t outside_range = element_kinds::all + 1;

/// Adds a kind of element to those of a sum. Alone: no other thread adds to it.
template <bool Alone>
KOKKOS_FORCEINLINE_FUNCTION void note_kind(std::uint32_t& kinds, std::uint32_t kind) {
  if constexpr (Alone)
    kinds |= kind;
  else if ((*static_cast<volatile const std::uint32_t*>(&kinds) & kind) != kind)
    // Bits are only set. One that this read misses is set again. (On a GPU Kokkos's atomic load
    // writes.)
    Kokkos::atomic_or(&kinds, kind);
}

/// Real sums of numbers of type T, in limbs of type Window.
template <class T, class Window = impl::shared_limbs<T>>
struct scattered_sums {
  Window window;
  std::int64_t* limbs;
  std::uint32_t* kinds;  ///< element_kinds; null where they do not count
  std::int64_t sum_stride, limb_stride;

  /// Neighbouring sums are neighbours in a limb on a GPU, and have their limbs together on a host.
  template <class Exec>
  KOKKOS_FUNCTION static scattered_sums of(const Window& window, std::int64_t count,
                                           std::int64_t* limbs, std::uint32_t* kinds) {
    constexpr bool on_host = runs_on_host<Exec>;
    return {window, limbs, kinds, on_host ? window.count : 1, on_host ? 1 : count};
  }

  KOKKOS_FORCEINLINE_FUNCTION auto sum(std::int64_t b) const {
    return [at = limbs + b * sum_stride, step = limb_stride](int i) -> std::int64_t& {
      return at[i * step];
    };
  }
  /// Whether the last limb held it.
  template <class Additions>
  KOKKOS_FORCEINLINE_FUNCTION bool add(std::int64_t b, T x, const Additions& additions) const {
    constexpr bool alone = Additions::alone;
    const bool finite = impl::is_finite(x);
    if constexpr (std::is_same_v<Window, impl::shared_limbs<T>>) {
      if (finite && x != T(0)) {
        const auto seen = window.add(impl::ieee<T>::parts(x), sum(b), additions);
        // The first one's note is enough: others need not even read the kinds.
        if (seen.first && kinds != nullptr) note<alone>(b, element_kinds::nonzero);
        return seen.held;
      }
      if (kinds != nullptr) note<alone>(b, element_kinds::of(x).bits);
    } else {
      if (kinds != nullptr) note<alone>(b, element_kinds::of(x).bits);
      if (finite) window.add(impl::ieee<T>::parts(x), sum(b), additions);
    }
    return true;
  }
  template <bool Alone>
  KOKKOS_FORCEINLINE_FUNCTION void note(std::int64_t b, std::uint32_t kind) const {
    note_kind<Alone>(kinds[b], kind);
  }
  KOKKOS_FUNCTION element_kinds kinds_of(std::int64_t b) const {
    element_kinds k;
    if (kinds == nullptr) return k;
    k.merge({kinds[b] & element_kinds::all});
    // A sum that lost something is no number.
    if ((kinds[b] & outside_range) != 0) k.merge({element_kinds::nan | element_kinds::nonzero});
    return k;
  }
  /// Adds another one's sum to sum b; whether the last limb held it. No other thread adds to
  /// either.
  KOKKOS_FUNCTION bool merge(std::int64_t b, const scattered_sums& other, std::int64_t from) const {
    const auto to = sum(b), limb = other.sum(from);
    // Both are below 2^59 then (counted: 2^62), except the last, which is carried to.
    for (int i = 0; i < window.count; ++i) to(i) += limb(i);
    window.carry(to);
    if (kinds != nullptr) kinds[b] |= other.kinds[from];
    return window.holds(to(window.count - 1));
  }
  KOKKOS_FUNCTION T value(std::int64_t b) const { return window.value(sum(b), kinds_of(b)); }
};

/// A matrix as rows of real numbers, `parts` of which are one scalar.
template <class Real>
struct real_rows {
  Real* data;
  std::int64_t rows, width, row_stride, column_stride;  ///< in real numbers
  int parts;

  KOKKOS_FORCEINLINE_FUNCTION Real& operator()(std::int64_t i, std::int64_t j) const {
    return data[i * row_stride + (parts == 1 ? j : j / parts) * column_stride +
                (parts == 1 ? 0 : j % parts)];
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t size() const { return rows * width; }
  /// Whether the numbers of a row are closer together than those of a column.
  KOKKOS_FORCEINLINE_FUNCTION bool has_rows_together() const {
    return width <= parts || column_stride < row_stride;
  }
};

/// Numbers x, rows of them by their indexes, into rows of r.
template <class T, class Real, class Index>
struct scatter_problem {
  real_rows<const Real> x;
  real_rows<T> r;
  const Index* index;
  std::int64_t index_stride;
  bool adds;  ///< r's numbers take part

  KOKKOS_FORCEINLINE_FUNCTION Index index_of(std::int64_t i) const {
    return index[i * index_stride];
  }
  /// Whether index i names a row of r; no negative one does.
  KOKKOS_FORCEINLINE_FUNCTION bool names_row(Index b) const {
    return !is_below_zero(b) && std::uint64_t(b) < std::uint64_t(r.rows);
  }
};

/// What a sum's limbs depend on. Small, as a reduction takes longer the larger it is.
struct scatter_range {
  std::int64_t wrong;  ///< the first i whose index is beyond r, or none: the number of indexes
  impl::number_range numbers;  ///< the finite ones
  bool kinds;                  ///< there are infinities, NaN or -0
  /// Pairs of rows with the same index, among some rows that are neighbours, and among as many that
  /// are far apart. Of more than 2^34 rows they may wrap, which costs time alone.
  std::uint32_t near, far;
  bool contended;  ///< so many pairs that neighbouring threads should add up first (set by `look`)
  bool frequent;   ///< so many far apart that some sums get many of the numbers (set by `look`)
};

/// A work item looks at `Loads` rows of x, `items` apart, at `Loads` numbers of a row, or at a row
/// of r.
template <class Problem, int Loads>
struct look_kernel;
template <class T, class Real, class Index, int Loads>
struct look_kernel<scatter_problem<T, Real, Index>, Loads> {
  using value_type = scatter_range;
  scatter_problem<T, Real, Index> p;
  std::int64_t items;

  /// Whether an item has a part of a row: then items next to each other read what is next to each
  /// other in memory.
  KOKKOS_FUNCTION static bool has_parts(const scatter_problem<T, Real, Index>& p) {
    return Loads > 1 && p.x.width > 1 && p.x.has_rows_together();
  }
  KOKKOS_FUNCTION static std::int64_t parts_of_row(const scatter_problem<T, Real, Index>& p) {
    return (p.x.width + Loads - 1) / Loads;
  }
  static std::int64_t items_of(const scatter_problem<T, Real, Index>& p) {
    return has_parts(p) ? p.x.rows * parts_of_row(p) : (p.x.rows + Loads - 1) / Loads;
  }

  KOKKOS_FUNCTION void init(value_type& v) const { v = {p.x.rows, {}, false, 0, 0, false, false}; }
  KOKKOS_FUNCTION void join(value_type& v, const value_type& u) const {
    if (u.wrong < v.wrong) v.wrong = u.wrong;
    v.numbers.merge(u.numbers);
    v.kinds = v.kinds || u.kinds;
    v.near += u.near;
    v.far += u.far;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, value_type& v) const {
    impl::number_range_sum<T> numbers;
    if (item >= items) {
      for (std::int64_t j = 0; j < p.r.width; ++j) see(p.r(item - items, j), numbers, v);
    } else if (p.x.width == 1) {
      Index b[Loads];
      Real x[Loads];
      for (int k = 0; k < Loads; ++k) {
        // Past the end the last row once more: it changes nothing.
        const std::int64_t i = row(item, k) < p.x.rows ? row(item, k) : p.x.rows - 1;
        b[k] = p.index_of(i);
        x[k] = p.x(i, 0);
      }
      if constexpr (Loads > 1) {
        const std::int64_t next = item + 1 < p.x.rows ? item + 1 : item;
        v.near += p.index_of(next) == b[0] ? 1 : 0;
        v.far += b[0] == b[1] ? 1 : 0;
      }
      for (int k = 0; k < Loads; ++k)
        if (row(item, k) < p.x.rows && has(row(item, k), b[k], v)) see(T(x[k]), numbers, v);
    } else if (has_parts(p)) {
      const std::int64_t i = divided(item, parts_of_row(p)),
                         first = (item - i * parts_of_row(p)) * Loads;
      Real x[Loads];
      for (int k = 0; k < Loads; ++k)
        x[k] = p.x(i, first + k < p.x.width ? first + k : p.x.width - 1);  // once more at the end
      if (has(i, p.index_of(i), v))
        for (int k = 0; k < Loads; ++k) see(T(x[k]), numbers, v);
    } else {
      for (int k = 0; k < Loads; ++k) {
        const std::int64_t i = row(item, k);
        if (i < p.x.rows && has(i, p.index_of(i), v))
          for (std::int64_t j = 0; j < p.x.width; ++j) see(T(p.x(i, j)), numbers, v);
      }
    }
    v.numbers.merge(numbers.range());
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row(std::int64_t item, int k) const {
    return item + k * items;
  }
  /// Whether row i goes to a sum.
  KOKKOS_FORCEINLINE_FUNCTION bool has(std::int64_t i, Index b, value_type& v) const {
    if (is_below_zero(b)) return false;
    if (p.names_row(b)) return true;
    if (i < v.wrong) v.wrong = i;
    return false;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void see(T x, impl::number_range_sum<T>& numbers,
                                              value_type& v) {
    if (!impl::is_finite(x) || (x == T(0) && impl::ieee<T>::is_negative(x)))
      v.kinds = true;
    else
      numbers.add(x);
  }
};

/// Rows [first, first + count) of r: the sums, and those of the threads' copies after them.
template <class Problem, class Sums>
struct scatter_block;
template <class T, class Real, class Index, class Sums>
struct scatter_block<scatter_problem<T, Real, Index>, Sums> {
  using number = T;
  using problem = scatter_problem<T, Real, Index>;
  problem p;
  Sums sums;
  std::int64_t first, count;

  /// The sum that number j of a row with index b goes to, or -1.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t sum_of(Index b, std::int64_t j) const {
    if (is_below_zero(b) || std::int64_t(b) < first || std::int64_t(b) >= first + count) return -1;
    return (std::int64_t(b) - first) * p.x.width + j;
  }
};

/// Makes sums empty.
template <class Sums>
struct clear_kernel {
  Sums sums;
  std::int64_t count;  ///< of sums; each has a limb or more
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    sums.limbs[i] = 0;
    if (sums.kinds != nullptr && i < count) sums.kinds[i] = 0;
  }
};
/// By atomics: one number at a time, so that neighbouring threads have neighbouring numbers.
template <class Block>
struct scatter_atomically_kernel {
  using T = typename Block::number;
  Block block;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const auto& p = block.p;
    const std::int64_t i = p.x.width == 1 ? e : e / p.x.width,
                       j = p.x.width == 1 ? 0 : e % p.x.width;
    const std::int64_t to = block.sum_of(p.index_of(i), j);
    if (to >= 0) block.sums.add(to, T(p.x(i, j)), impl::atomic_additions{});
  }
};
/// The same where neighbouring threads often have the same sum: single numbers, in counted_limbs.
template <class Atomics, class Block>
struct scatter_contended_kernel {
  using T = typename Block::number;
  Block block;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto& p = block.p;
    const auto& sums = block.sums;
    const std::int64_t to = block.sum_of(p.index_of(i), 0);
    if (to < 0) return;
    const T x = T(p.x(i, 0));
    if (sums.kinds != nullptr) sums.template note<false>(to, element_kinds::of(x).bits);
    if (!impl::is_finite(x)) return;
    const auto limb = sums.sum(to);
    sums.window.cut(impl::ieee<T>::parts(x),
                    [&](int k, std::int64_t v) { Atomics::add_contended(&limb(k), v); });
  }
};
/// Into copies: a part of the numbers for each.
template <class Block>
struct scatter_copies_kernel {
  using T = typename Block::number;
  Block block;
  std::int64_t copies;
  KOKKOS_FUNCTION void operator()(std::int64_t copy) const {
    const auto& p = block.p;
    const std::int64_t n = p.x.rows;
    const auto begin = [&](std::int64_t c) {
      return n / copies * c + (c < n % copies ? c : n % copies);
    };
    const std::int64_t first = copy * block.count * p.x.width;
    for (std::int64_t i = begin(copy); i < begin(copy + 1); ++i) {
      const std::int64_t to = block.sum_of(p.index_of(i), 0);
      if (to < 0) continue;
      for (std::int64_t j = 0; j < p.x.width; ++j)
        block.sums.add(first + to + j, T(p.x(i, j)), impl::lone_additions{});
    }
  }
};
/// Limbs in a team's scratch memory. GPUs add 32 bits there faster than 64: a limb is two words,
/// and who adds to the lower one carries to the upper one.
template <class Atomics>
struct scratch_limbs {
  static constexpr int bytes = 8;  ///< of a limb
  std::uint32_t *low, *high;

  template <class Team>
  KOKKOS_FUNCTION static scratch_limbs of(const Team& team, int count) {
    auto* const low = static_cast<std::uint32_t*>(team.team_scratch(0).get_shmem(count * bytes));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 2 * count), [&](int i) { low[i] = 0; });
    return {low, low + count};
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(int i, std::int64_t v) const {
    const auto bits = std::uint64_t(v);
    const auto lower = std::uint32_t(bits);
    const std::uint32_t sum = Atomics::fetch_add_scratch(&low[i], lower) + lower;
    const std::uint32_t upper = std::uint32_t(bits >> 32) + (sum < lower ? 1u : 0u);
    if (upper != 0) Atomics::fetch_add_scratch(&high[i], upper);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator[](int i) const {
    return std::int64_t(std::uint64_t(high[i]) << 32 | low[i]);
  }
};
/// A team's part of the numbers, `Loads` of them under way at once for each thread:
/// f(sum, number) for each finite number that goes to a sum of the block.
template <int Loads, class Block, class Team, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_of_team(const Block& block, const Team& team,
                                                  std::int64_t per_team, const F& f) {
  using T = typename Block::number;
  const auto& p = block.p;
  const auto& sums = block.sums;
  const std::int64_t first = team.league_rank() * per_team, size = p.x.size();
  const std::int64_t end = first + per_team < size ? first + per_team : size;
  const std::int64_t items = end > first ? (end - first + Loads - 1) / Loads : 0;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, items), [&](std::int64_t item) {
    std::int64_t to[Loads];
    T x[Loads];
    for (int k = 0; k < Loads; ++k) {
      const std::int64_t next = first + item + k * items, e = next < end ? next : end - 1;
      const std::int64_t i = p.x.width == 1 ? e : e / p.x.width,
                         j = p.x.width == 1 ? 0 : e % p.x.width;
      to[k] = block.sum_of(p.index_of(i), j);
      x[k] = T(p.x(i, j));
      if (next >= end) to[k] = -1;
    }
    for (int k = 0; k < Loads; ++k) {
      if (to[k] < 0) continue;
      if (sums.kinds != nullptr) sums.template note<false>(to[k], element_kinds::of(x[k]).bits);
      if (impl::is_finite(x[k])) f(to[k], x[k]);
    }
  });
}
/// Into copies in scratch memory, a part of the numbers for each team. Copies are carried before
/// they are added up: so limbs are as far apart as a team's numbers allow.
template <class Atomics, class Block, int Loads>
struct scatter_in_teams_kernel {
  using T = typename Block::number;
  Block block;
  std::int64_t per_team;  ///< numbers
  int copy;               ///< limbs of a team's copy

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto& p = block.p;
    const auto& sums = block.sums;
    const int count = int(block.count * p.x.width);
    const auto limbs = scratch_limbs<Atomics>::of(team, copy);
    team.team_barrier();
    for_each_of_team<Loads>(block, team, per_team, [&](std::int64_t to, T x) {
      sums.window.cut(impl::ieee<T>::parts(x),
                      [&](int i, std::int64_t v) { limbs.add(i * count + int(to), v); });
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](int b) {
      const auto total = sums.sum(b);
      std::int64_t c = 0;
      for (int i = 0; i < sums.window.count; ++i) {
        std::int64_t v = limbs[i * count + b] + c;
        if (i < sums.window.count - 1) {
          c = v >> sums.window.spacing;
          v -= c << sums.window.spacing;
        }
        if (v != 0) Kokkos::atomic_add(&total(i), v);
      }
    });
  }
};
/// Into tables in scratch memory, a part of the numbers for each team. The first sum that comes to
/// a place of the table has it: likely one that many numbers go to. Numbers of other sums go to
/// limbs by atomics.
template <class Atomics, class Block, int Loads>
struct scatter_by_tables_kernel {
  using T = typename Block::number;
  Block block;
  std::int64_t per_team;  ///< numbers
  int places;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto& sums = block.sums;
    const int count = sums.window.count;
    const auto limbs = scratch_limbs<Atomics>::of(team, places * count);
    // One more than the sum at each place, or 0.
    auto* const names = static_cast<std::uint32_t*>(
        team.team_scratch(0).get_shmem(places * std::ptrdiff_t(sizeof(std::uint32_t))));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, places), [&](int i) { names[i] = 0; });
    team.team_barrier();
    for_each_of_team<Loads>(block, team, per_team, [&](std::int64_t to, T x) {
      if (x == T(0)) return;
      const auto parts = impl::ieee<T>::parts(x);
      const int place = place_of(std::uint32_t(to));
      if (has(names[place], std::uint32_t(to) + 1)) {
        sums.window.cut(parts, [&](int i, std::int64_t v) { limbs.add(i * places + place, v); });
      } else {
        sums.window.add(parts, sums.sum(to), impl::atomic_additions{});
      }
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, places * count), [&](int e) {
      const int i = e / places, place = e - i * places;
      if (names[place] == 0) return;
      const std::int64_t v = limbs[e];
      if (v != 0) Kokkos::atomic_add(&sums.sum(std::int64_t(names[place]) - 1)(i), v);
    });
  }

 private:
  /// Sums next to each other come to places far apart (multiplication by 2^32 over the golden
  /// ratio).
  KOKKOS_FORCEINLINE_FUNCTION int place_of(std::uint32_t to) const {
    return int(std::uint64_t(to * 2654435769u) * std::uint32_t(places) >> 32);
  }
  /// Whether a place has this sum; an empty one has it from now on. Once set, a name stays.
  KOKKOS_FORCEINLINE_FUNCTION static bool has(std::uint32_t& name, std::uint32_t own) {
    std::uint32_t found = *static_cast<volatile const std::uint32_t*>(&name);
    if (found == 0) found = Kokkos::atomic_compare_exchange(&name, 0u, own);
    return found == 0 || found == own;
  }
};
/// One sum, of all copies and, where it takes part, r's number, to r.
template <class Block>
struct scatter_round_kernel {
  Block block;
  std::int64_t copies;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const auto& p = block.p;
    const auto& s = block.sums;
    const std::int64_t i = e / p.r.width, j = e % p.r.width;
    auto& r = p.r(block.first + i, j);
    if (p.adds) s.add(e, r, impl::lone_additions{});
    for (std::int64_t copy = 1; copy < copies; ++copy)
      s.merge(e, s, copy * block.count * p.r.width + e);
    r = s.value(e);
  }
};

/// Looks at the numbers; waits for exec.
template <class Exec, class Problem>
scatter_range look(const Exec& exec, const char* label, const Problem& p) {
  scatter_range range;
  constexpr int loads = scatter_loads<Exec>;
  const look_kernel<Problem, loads> kernel{p, look_kernel<Problem, loads>::items_of(p)};
  kernel.init(range);
  Kokkos::parallel_reduce(label,
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                              exec, 0, kernel.items + (p.adds ? p.r.rows : 0)),
                          kernel, range);
  // In a warp of uniform indexes into 2^10 sums one pair in a thousand meets.
  range.contended = std::int64_t(range.near) + range.far > kernel.items / 128;
  range.frequent = range.far > kernel.items / 256;
  return range;
}

/// A call whose numbers were looked at.
template <class Atomics, class Exec, class Problem>
struct scatter_call;
template <class Atomics, class Exec, class T, class Real, class Index>
struct scatter_call<Atomics, Exec, scatter_problem<T, Real, Index>> {
  using problem = scatter_problem<T, Real, Index>;
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using team_policy =
      Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::int64_t>,
                         Kokkos::LaunchBounds<runs_on_host<Exec> ? 0 : scatter_team,
                                              runs_on_host<Exec> ? 0 : scatter_teams>>;
  template <class Window>
  static constexpr bool is_counted = std::is_same_v<Window, impl::counted_limbs<T>>;
  const Exec& exec;
  workspace<Exec>& memory;
  const char* label;
  const problem& p;
  const scatter_range& range;
  const scatter_tuning& tuning;

  void run() const {
    using counted = impl::counted_limbs<T>;
    // Without a number that is not zero there is one limb, and nothing in it.
    const int unit = range.numbers.zero() ? 0 : range.numbers.low,
              top = range.numbers.zero() ? 1 : range.numbers.top;
    const int bits = bits_to_count(p.x.rows + (p.adds ? 1 : 0));
    const auto shared = impl::shared_limbs<T>::for_range(unit, top, bits + 2);
    if (tuning.counted && bits < 60) {
      const std::int64_t teams = most_teams();
      const std::int64_t per_team = (p.x.size() + teams - 1) / teams;
      const int together = bits_to_count(per_team);
      if (counted::can_count(together)) {
        const auto window = counted::for_range(unit, top, bits, together);
        if (std::size_t(p.r.size()) <= scratch() / (std::size_t(window.count) * 8))
          return in_blocks(window, per_team, std::int64_t(p.r.size()) * window.count);
      }
      if (counted::can_count(bits)) {
        const auto window = counted::for_range(unit, top, bits, bits);
        // A limb is cleared and read: some are worth it, for some numbers each, in as many blocks.
        const std::int64_t more = window.count - shared.count;
        if (more <= 0 || (more <= shared.count + 6 && more * p.r.size() <= 2 * p.x.size() &&
                          std::size_t(window.count) * 8 * std::size_t(p.r.size()) <= tuning.sums))
          return in_blocks(window, 0, 0);
      }
    }
    in_blocks(shared, 0, 0);
  }

 private:
  /// Bytes at most for a team's copy: Kokkos 5.2 gives a team all that a GPU has, earlier ones 48
  /// KiB.
  std::size_t scratch() const {
    if (tuning.scratch == 0) return 0;
    const std::int64_t most = Kokkos::TeamPolicy<Exec>(exec, 1, 1).scratch_size_max(0);
    return std::min(tuning.scratch, std::size_t(std::max<std::int64_t>(most - 1024, 0)));
  }
  /// Whether tables pay, of sums of so many limbs.
  bool has_tables(int limbs) const {
    return (range.frequent || tuning.tables) && places_of_table(limbs) >= 64;
  }
  /// A sum's limbs in a table, and its name.
  static constexpr std::size_t place_bytes(int limbs) {
    return std::size_t(limbs) * scratch_limbs<Atomics>::bytes + sizeof(std::uint32_t);
  }
  int places_of_table(int limbs) const { return int(scratch() / place_bytes(limbs)); }
  /// Teams, none of which has so few numbers that its copies take more time.
  std::int64_t most_teams() const {
    const std::int64_t most =
        runs_on_host<Exec> ? 3 : std::int64_t(exec.concurrency()) / scatter_team;
    return std::clamp<std::int64_t>(p.x.size() / (4 * (p.r.size() + scatter_team)), 1,
                                    std::max<std::int64_t>(most, 1));
  }

  template <class Window>
  void in_blocks(const Window& window, std::int64_t per_team, std::int64_t copy) const {
    using sums_type = scattered_sums<T, Window>;
    using block = scatter_block<problem, sums_type>;
    const std::size_t sum_bytes = std::size_t(window.count) * 8 + (range.kinds ? 4 : 0);
    const std::size_t row_bytes = sum_bytes * std::size_t(p.r.width);
    const auto rows =
        copy > 0 ? p.r.rows
                 : std::clamp<std::int64_t>(std::int64_t(tuning.sums / row_bytes), 1, p.r.rows);
    std::int64_t copies = 1;
    bool alone = false;
    if (runs_on_host<Exec> && copy == 0) {
      const auto threads = std::int64_t(exec.concurrency());
      if (row_bytes * std::size_t(rows) * std::size_t(threads) <= tuning.copies) copies = threads;
      // More sums in copies than numbers are not worth it.
      if (rows * copies > p.x.rows) copies = 1;
      alone = copies == threads;
    }
    const std::int64_t most_sums = rows * p.r.width * copies;
    auto* const limbs =
        static_cast<std::int64_t*>(memory.scatter_memory(std::size_t(most_sums) * sum_bytes));
    auto* const kinds =
        range.kinds ? reinterpret_cast<std::uint32_t*>(limbs + most_sums * window.count) : nullptr;
    for (std::int64_t first = 0; first < p.r.rows; first += rows) {
      const std::int64_t count = std::min(rows, p.r.rows - first);
      const std::int64_t sums = count * p.r.width * copies;
      const block b{p, sums_type::template of<Exec>(window, sums, limbs, kinds), first, count};
      Kokkos::parallel_for(label, policy(exec, 0, sums * window.count),
                           clear_kernel<sums_type>{b.sums, sums});
      if (alone)
        add_to_copies(b, copies);
      else if (copy > 0)
        add_in_teams(b, per_team, copy);
      else if (is_counted<Window> && has_tables(window.count))
        add_by_tables(b);
      else if (is_counted<Window> && range.contended)
        add_contended(b);
      else
        Kokkos::parallel_for(label, policy(exec, 0, p.x.size()),
                             scatter_atomically_kernel<block>{b});
      Kokkos::parallel_for(label, policy(exec, 0, count * p.r.width),
                           scatter_round_kernel<block>{b, copies});
    }
  }

  template <class Block>
  void add_to_copies(const Block& b, std::int64_t copies) const {
    if constexpr (runs_on_host<Exec>)
      Kokkos::parallel_for(label, policy(exec, 0, copies), scatter_copies_kernel<Block>{b, copies});
  }
  template <class Block>
  void add_contended(const Block& b) const {
    if constexpr (is_counted<decltype(b.sums.window)>)
      Kokkos::parallel_for(label, policy(exec, 0, p.x.rows),
                           scatter_contended_kernel<Atomics, Block>{b});
  }
  template <class Block>
  void add_in_teams(const Block& b, std::int64_t per_team, std::int64_t copy) const {
    if constexpr (is_counted<decltype(b.sums.window)>)
      launch_teams(
          per_team, std::size_t(copy) * scratch_limbs<Atomics>::bytes,
          scatter_in_teams_kernel<Atomics, Block, scatter_loads<Exec>>{b, per_team, int(copy)});
  }
  /// As many teams as a GPU has room for at once.
  template <class Block>
  void add_by_tables(const Block& b) const {
    if constexpr (is_counted<decltype(b.sums.window)>) {
      const int places = places_of_table(b.sums.window.count);
      const std::int64_t teams = std::max(exec.concurrency() / (2 * scatter_team), 1);
      const std::int64_t per_team = (p.x.size() + teams - 1) / teams;
      launch_teams(
          per_team, std::size_t(places) * place_bytes(b.sums.window.count),
          scatter_by_tables_kernel<Atomics, Block, scatter_loads<Exec>>{b, per_team, places});
    }
  }
  template <class Kernel>
  void launch_teams(std::int64_t per_team, std::size_t bytes, const Kernel& kernel) const {
    if (p.x.size() == 0) return;
    const auto teams = int((p.x.size() + per_team - 1) / per_team);
    Atomics::launch_teams(label,
                          team_policy(exec, teams, runs_on_host<Exec> ? 1 : scatter_team)
                              .set_scratch_size(0, Kokkos::PerTeam(bytes + 32)),
                          kernel);
  }
};

/// Sums the numbers, of this range, none of whose indexes is wrong.
template <class Atomics, class Exec, class Problem>
void scatter(const Exec& exec, workspace<Exec>& memory, const char* label, const Problem& p,
             const scatter_range& range, const scatter_tuning& tuning) {
  if (p.r.size() == 0) return;
  scatter_call<Atomics, Exec, Problem>{exec, memory, label, p, range, tuning}.run();
}

}  // namespace acc::backends

#endif
