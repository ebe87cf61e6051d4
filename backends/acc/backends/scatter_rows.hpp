// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_SCATTER_ROWS_HPP
#define ACC_BACKENDS_SCATTER_ROWS_HPP

/// \file
/// Sums of rows by index on GPUs, where a row of r gets many rows of x: these are sorted by index
/// (a counting sort, in any order among equals). Then a thread takes some numbers of each row of a
/// stretch, and adds them up in registers (core/exact/counted_words.hpp). Where the index changes
/// it adds to limbs by atomics (core/exact/counted_limbs.hpp). Integers allow any order.
///
/// A look goes before, as in scatter.hpp, a rougher one. Numbers that span more bits than two words
/// hold, and infinities, NaN and -0, go the way of scatter.hpp.

#include <acc/backends/scatter.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/exact/counted_limbs.hpp>
#include <acc/core/exact/counted_words.hpp>
#include <acc/core/exact/rough_range.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/numbers/ieee_number.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace acc::backends {

/// Numbers of a row that a thread reads at once: 16 bytes.
template <class Real>
struct alignas(16) row_pack {
  static constexpr int size = 16 / int(sizeof(Real));
  Real number[size];
};

/// x's rows in packs.
template <class T, class Real>
struct packed_rows {
  using pack = row_pack<Real>;
  real_rows<const Real> x;
  std::int64_t packs;  ///< of a row; the last one may be shorter
  bool whole;          ///< each is 16 bytes, aligned

  explicit packed_rows(const real_rows<const Real>& rows)
      : x(rows),
        packs((rows.width + pack::size - 1) / pack::size),
        whole(rows.column_stride == rows.parts && rows.width % pack::size == 0 &&
              rows.row_stride * std::int64_t(sizeof(Real)) % 16 == 0 &&
              reinterpret_cast<std::uintptr_t>(rows.data) % 16 == 0) {}

  /// Past a row's end its last number once more.
  KOKKOS_FORCEINLINE_FUNCTION void read(std::int64_t i, std::int64_t n, T (&to)[pack::size]) const {
    if (whole) {
      const pack p = reinterpret_cast<const pack*>(x.data + i * x.row_stride)[n];
      for (int v = 0; v < pack::size; ++v) to[v] = T(p.number[v]);
    } else {
      for (int v = 0; v < pack::size; ++v) {
        const std::int64_t j = n * pack::size + v;
        to[v] = T(x(i, j < x.width ? j : x.width - 1));
      }
    }
  }
};

/// What sums of rows depend on.
template <class T>
struct rows_range {
  std::int64_t wrong;  ///< the first i whose index is beyond r, or none: the number of indexes
  impl::rough_range<T> numbers;
};

/// A work item looks at a pack of each of some rows next to each other, or at a row of r.
template <class T, class Real, class Index>
struct look_at_rows_kernel {
  using value_type = rows_range<T>;
  static constexpr int rows = 4;
  scatter_problem<T, Real, Index> p;
  packed_rows<T, Real> x;

  KOKKOS_FUNCTION std::int64_t items() const { return (p.x.rows + rows - 1) / rows * x.packs; }
  KOKKOS_FUNCTION void init(value_type& v) const { v = {p.x.rows, {}}; }
  KOKKOS_FUNCTION void join(value_type& v, const value_type& u) const {
    if (u.wrong < v.wrong) v.wrong = u.wrong;
    v.numbers.merge(u.numbers);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, value_type& v) const {
    if (item >= items()) {
      for (std::int64_t j = 0; j < p.r.width; ++j) v.numbers.add(p.r(item - items(), j));
      return;
    }
    const std::int64_t group = divided(item, x.packs), n = item - group * x.packs;
    T number[rows][row_pack<Real>::size];
    Index b[rows];
    for (int k = 0; k < rows; ++k) {
      // Past the end the last row once more: it changes nothing.
      const std::int64_t i = group * rows + k < p.x.rows ? group * rows + k : p.x.rows - 1;
      b[k] = p.index_of(i);
      x.read(i, n, number[k]);
    }
    for (int k = 0; k < rows; ++k) {
      if (is_below_zero(b[k])) continue;
      const std::int64_t i = group * rows + k;
      if (!p.names_row(b[k])) {
        if (i < v.wrong) v.wrong = i;
        continue;
      }
      for (const T a : number[k]) v.numbers.add(a);
    }
  }
};

/// x's rows sorted by index.
struct sorted_rows {
  std::int32_t* begins;  ///< of each index, before that their number; the last: of all
  std::int32_t* ranks;   ///< of each of x's rows among those of its index
  std::int32_t* order;   ///< x's rows
};

/// How many rows each index has, and each row's rank among them: whichever comes first.
template <class Problem>
struct count_rows_kernel {
  Problem p;
  sorted_rows sorted;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto b = p.index_of(i);
    if (!is_below_zero(b))
      sorted.ranks[i] = Kokkos::atomic_fetch_add(&sorted.begins[std::int64_t(b)], 1);
  }
};
/// From numbers of rows to where each index begins.
struct begin_rows_kernel {
  sorted_rows sorted;
  KOKKOS_FUNCTION void operator()(std::int64_t b, std::int32_t& before, bool is_final) const {
    const std::int32_t count = sorted.begins[b];
    if (is_final) sorted.begins[b] = before;
    before += count;
  }
};
template <class Problem>
struct sort_rows_kernel {
  Problem p;
  sorted_rows sorted;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto b = p.index_of(i);
    if (!is_below_zero(b))
      sorted.order[sorted.begins[std::int64_t(b)] + sorted.ranks[i]] = std::int32_t(i);
  }
};

/// A work item adds up a pack of each row of a stretch.
template <class Block, class T, class Real, int Words>
struct add_sorted_rows_kernel {
  static constexpr int pack = row_pack<Real>::size;
  static constexpr int loads = 4;  ///< rows under way at once
  Block block;
  packed_rows<T, Real> x;
  sorted_rows sorted;
  impl::counted_words<Words> words;
  int stretch;  ///< rows

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    using sum = typename impl::counted_words<Words>::sum;
    const auto& p = block.p;
    const std::int64_t part = divided(item, x.packs), n = item - part * x.packs;
    const std::int64_t all = sorted.begins[p.r.rows], first = part * stretch,
                       end = first + stretch < all ? first + stretch : all;
    sum sums[pack];
    std::int64_t to = -1;  // no row has it
    int added = 0;
    if (first >= end) return;
    // Places of the next rows are read while these rows are under way.
    std::int32_t rows[loads];
    const auto read_places = [&](std::int64_t at) {
      for (int k = 0; k < loads; ++k) rows[k] = sorted.order[at + k < end ? at + k : end - 1];
    };
    read_places(first);
    for (std::int64_t at = first; at < end; at += loads) {
      T number[loads][pack];
      std::int64_t b[loads];
      for (int k = 0; k < loads; ++k) {
        b[k] = std::int64_t(p.index_of(rows[k]));
        x.read(rows[k], n, number[k]);
      }
      read_places(at + loads);
      for (int k = 0; k < loads; ++k) {
        if (at + k >= end) break;
        if (b[k] != to) {
          deposit(to, n, sums, added);
          for (sum& s : sums) s = {};
          to = b[k];
          added = 0;
        }
        for (int v = 0; v < pack; ++v) words.add(sums[v], double(number[k][v]));
        ++added;
      }
    }
    deposit(to, n, sums, added);
  }

 private:
  /// Adds the sums of so many rows to those of row `to` of r.
  template <class Sums>
  KOKKOS_FORCEINLINE_FUNCTION void deposit(std::int64_t to, std::int64_t n, const Sums& sums,
                                           int added) const {
    if (added == 0) return;
    for (int v = 0; v < pack; ++v) {
      const std::int64_t j = n * pack + v;
      if (j >= x.x.width) break;
      const auto limb = block.sums.sum(to * x.x.width + j);
      for (int w = 0; w < Words; ++w)
        block.sums.window.cut_integer(
            words.word(sums[v], w, added), words.unit[w],
            [&](int i, std::int64_t a) { Kokkos::atomic_add(&limb(i), a); });
    }
  }
};

/// A call of sums of rows.
template <class Exec, class Problem>
struct scatter_rows_call;
template <class Exec, class T, class Real, class Index>
struct scatter_rows_call<Exec, scatter_problem<T, Real, Index>> {
  using problem = scatter_problem<T, Real, Index>;
  using window = impl::counted_limbs<T>;
  using sums_type = scattered_sums<T, window>;
  using block = scatter_block<problem, sums_type>;
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const Exec& exec;
  const char* label;
  const problem& p;
  const scatter_tuning& tuning;

  /// Whether sorting may pay: rows are long, and a row of r gets many of them.
  bool pays() const {
    constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max() - 1;
    if (p.x.width < 2 || p.x.rows > most_rows || p.r.rows > most_rows) return false;
    return tuning.sorts ||
           (tuning.counted && p.x.has_rows_together() && p.x.width >= tuning.least_width &&
            p.x.rows / 16 >= p.r.rows && p.x.size() >= tuning.least_sorted &&
            std::size_t(p.r.size()) * 16 > tuning.scratch);
  }
  /// Waits for exec.
  rows_range<T> look() const {
    rows_range<T> range;
    const look_at_rows_kernel<T, Real, Index> kernel{p, packed_rows<T, Real>(p.x)};
    kernel.init(range);
    Kokkos::parallel_reduce(label, policy(exec, 0, kernel.items() + (p.adds ? p.r.rows : 0)),
                            kernel, range);
    return range;
  }
  /// Whether it was done; nothing is written where it was not. No index is wrong.
  bool run(workspace<Exec>& memory, const rows_range<T>& range) const {
    if (range.numbers.has_special()) return false;
    const impl::number_range numbers = range.numbers.range();
    const int low = numbers.zero() ? 0 : numbers.low, top = numbers.zero() ? 1 : numbers.top;
    const int bits = bits_to_count(p.x.rows + (p.adds ? 1 : 0)) + 2;  // counted_limbs::cut_integer
    if (!window::can_count(bits)) return false;
    const auto limbs = window::for_range(low, top, bits, bits);
    if (bytes_of(limbs) > tuning.sums) return false;
    if constexpr (impl::ieee<T>::is_float) {  // a double's mantissa is longer than one word
      if (impl::counted_words<1>::fits(low, top)) return run<1>(memory, limbs, low);
    }
    if (impl::counted_words<2>::fits(low, top)) return run<2>(memory, limbs, low);
    return false;
  }

 private:
  std::size_t bytes_of(const window& limbs) const {
    return std::size_t(p.r.size()) * std::size_t(limbs.count) * 8 +
           std::size_t(p.r.rows + 1 + 2 * p.x.rows) * sizeof(std::int32_t);
  }
  template <int Words>
  bool run(workspace<Exec>& memory, const window& limbs, int low) const {
    const packed_rows<T, Real> x(p.x);
    const std::int64_t sums = p.r.size(), rows = p.x.rows, begins = p.r.rows + 1;
    auto* const data = static_cast<std::int64_t*>(memory.scatter_memory(bytes_of(limbs)));
    auto* const after = reinterpret_cast<std::int32_t*>(data + sums * limbs.count);
    const block b{p, sums_type::template of<Exec>(limbs, sums, data, nullptr), 0, p.r.rows};
    const sorted_rows sorted{after, after + begins, after + begins + rows};
    fill_with_zeros(exec, label, data,
                    std::size_t(sums) * std::size_t(limbs.count) * 8 +
                        std::size_t(begins) * sizeof(std::int32_t));
    Kokkos::parallel_for(label, policy(exec, 0, rows), count_rows_kernel<problem>{p, sorted});
    Kokkos::parallel_scan(label, policy(exec, 0, begins), begin_rows_kernel{sorted});
    Kokkos::parallel_for(label, policy(exec, 0, rows), sort_rows_kernel<problem>{p, sorted});
    // As many stretches as fill the machine, not so short that most of them end amid an index.
    const std::int64_t threads = std::max<std::int64_t>(exec.concurrency(), 1);
    const auto stretch = int(std::clamp<std::int64_t>(rows * x.packs / threads, 16,
                                                      impl::counted_words<Words>::most_numbers));
    const std::int64_t stretches = (rows + stretch - 1) / stretch;
    Kokkos::parallel_for(
        label, policy(exec, 0, stretches * x.packs),
        add_sorted_rows_kernel<block, T, Real, Words>{
            b, x, sorted, impl::counted_words<Words>::for_multiples_of(low), stretch});
    Kokkos::parallel_for(label, policy(exec, 0, sums), scatter_round_kernel<block>{b, 1});
    return true;
  }
};

}  // namespace acc::backends

#endif
