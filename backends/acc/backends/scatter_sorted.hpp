// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_SCATTER_SORTED_HPP
#define ACC_BACKENDS_SCATTER_SORTED_HPP

/// \file
/// Sums of rows by index on GPUs: rows are sorted by the sums that they go to. Then a thread has
/// one number of each of some rows next to each other there, adds up those that go to one sum in
/// registers, and adds to most limbs once for all of these. Neighbouring threads have neighbouring
/// numbers of the same rows. Sums are exact, so rows with one index may be in any order.

#include <acc/backends/workspace.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace acc::backends {

/// a / b; a GPU divides 32 bits in a fraction of the time that 64 take.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return (std::uint64_t(a) | std::uint64_t(b)) >> 32 == 0
             ? std::int64_t(std::uint32_t(a) / std::uint32_t(b))
             : a / b;
}

/// Rows in the order of their indexes, those without a sum left out; in memory that the call has.
struct sorted_rows {
  std::uint32_t* first;  ///< of each index, the place of its first row; one more
  std::uint32_t* rank;   ///< of each row, among those of its index
  std::uint32_t* row;    ///< by place

  static std::size_t bytes(std::int64_t rows, std::int64_t sums) {
    return std::size_t(2 * rows + sums + 1) * sizeof(std::uint32_t);
  }
  sorted_rows(void* memory, std::int64_t rows, std::int64_t sums)
      : first(static_cast<std::uint32_t*>(memory)), rank(first + sums + 1), row(rank + rows) {}
};

/// How many rows an index has.
template <class Problem>
struct count_rows_kernel {
  Problem p;
  sorted_rows s;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto b = p.index_of(i);
    if (p.names_row(b)) s.rank[i] = Kokkos::atomic_fetch_add(s.first + std::int64_t(b), 1u);
  }
};
/// Counts to places.
struct first_rows_kernel {
  sorted_rows s;
  KOKKOS_FUNCTION void operator()(std::int64_t b, std::uint32_t& before, bool last) const {
    const std::uint32_t count = s.first[b];
    if (last) s.first[b] = before;
    before += count;
  }
};
template <class Problem>
struct place_rows_kernel {
  Problem p;
  sorted_rows s;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto b = p.index_of(i);
    if (p.names_row(b)) s.row[s.first[std::int64_t(b)] + s.rank[i]] = std::uint32_t(i);
  }
};

/// Enqueues the sort of p's rows, fewer than 2^32.
template <class Exec, class Problem>
void sort_rows(const Exec& exec, const char* label, const Problem& p, const sorted_rows& s) {
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  fill_with_zeros(exec, label, s.first, std::size_t(p.r.rows + 1) * sizeof(std::uint32_t));
  Kokkos::parallel_for(label, policy(exec, 0, p.x.rows), count_rows_kernel<Problem>{p, s});
  Kokkos::parallel_scan(label, policy(exec, 0, p.r.rows + 1), first_rows_kernel{s});
  Kokkos::parallel_for(label, policy(exec, 0, p.x.rows), place_rows_kernel<Problem>{p, s});
}

/// A sum's limbs in registers: some next to each other. Others are added to at once.
template <int Limbs>
struct gathered_limbs {
  int lowest = -1;
  std::int64_t limb[Limbs] = {};

  /// Of so many limbs; around the first one that is added to.
  KOKKOS_FORCEINLINE_FUNCTION void choose(int i, int count) {
    const int low = i - Limbs / 2, most = count > Limbs ? count - Limbs : 0;
    lowest = low < 0 ? 0 : low > most ? most : low;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool add(int i, std::int64_t v) {
    const int own = i - lowest;
    for (int k = 0; k < Limbs; ++k) limb[k] += own == k ? v : 0;
    return own >= 0 && own < Limbs;
  }
  template <class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_to(const Sum& sum) {
    for (int k = 0; k < Limbs; ++k) {
      if (limb[k] != 0) Kokkos::atomic_add(&sum(lowest + k), limb[k]);
      limb[k] = 0;
    }
  }
};

/// A work item adds some numbers next to each other, of each of some rows of the block, to
/// counted_limbs.
template <class Block>
struct scatter_sorted_kernel {
  using T = typename Block::number;
  static constexpr bool is_float = impl::ieee<T>::is_float;
  static constexpr int columns = is_float ? 4 : 2, rows_at_once = 4;
  /// A float is one piece, and a double two.
  using gathered = gathered_limbs<is_float ? 2 : 4>;
  Block block;
  sorted_rows rows;
  std::int64_t per_item;  ///< rows, a multiple of rows_at_once
  std::int64_t parts;     ///< of a row

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const auto& p = block.p;
    const std::int64_t group = quotient(item, parts), j = (item - group * parts) * columns;
    const int present = p.x.width - j < columns ? int(p.x.width - j) : columns;
    const std::int64_t begin = rows.first[block.first] + group * per_item,
                       all = rows.first[block.first + block.count],
                       end = begin + per_item < all ? begin + per_item : all;
    gathered own[columns];
    std::int64_t to = -1;
    for (std::int64_t first = begin; first < end; first += rows_at_once) {
      std::int64_t sum[rows_at_once];
      T x[rows_at_once][columns];
      for (int k = 0; k < rows_at_once; ++k) {
        const bool here = first + k < end;
        const std::int64_t i = rows.row[here ? first + k : end - 1];
        sum[k] = here ? block.sum_of(p.index_of(i), j) : -1;
        for (int c = 0; c < columns; ++c) x[k][c] = c < present ? T(p.x(i, j + c)) : T(0);
      }
      for (int k = 0; k < rows_at_once; ++k) {
        if (sum[k] != to) {
          if (to >= 0) flush(own, to);
          to = sum[k];
        }
        if (to < 0) continue;
        for (int c = 0; c < columns; ++c)
          if (c < present) add(own[c], to + c, x[k][c]);
      }
    }
    if (to >= 0) flush(own, to);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add(gathered& own, std::int64_t to, T x) const {
    const auto& sums = block.sums;
    if (sums.kinds != nullptr) sums.template note<false>(to, element_kinds::of(x).bits);
    if (!impl::is_finite(x)) return;
    sums.window.cut(impl::ieee<T>::parts(x), [&](int i, std::int64_t v) {
      if (own.lowest < 0) own.choose(i, sums.window.count);
      if (!own.add(i, v)) Kokkos::atomic_add(&sums.sum(to)(i), v);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void flush(gathered (&own)[columns], std::int64_t to) const {
    for (int c = 0; c < columns; ++c) own[c].add_to(block.sums.sum(to + c));
  }
};

}  // namespace acc::backends

#endif
