// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_SCATTER_HPP
#define ACC_BACKENDS_SCATTER_HPP

/// \file
/// Sums by index: numbers go to sums in shared limbs (core/exact/shared_limbs.hpp).
///
/// A first kernel looks at all numbers and indexes. Its answer comes to the host: whether an index
/// is wrong, before anything is written, and how few limbs hold the sums of these numbers. Where
/// these take much memory, blocks of sums follow each other, and each reads all indexes.
///
/// Threads add by atomics. On hosts with few sums each has a copy of all of them instead.

#include <acc/backends/workspace.hpp>
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

/// Bytes at most for the sums of a call, and for the copies of the sums that threads have. They
/// change time alone.
struct scatter_tuning {
  std::size_t sums = std::size_t(1) << 30, copies = std::size_t(1) << 26;
};

/// A kind besides those of element_kinds: a sum had a number that its limbs do not hold.
inline constexpr std::uint32_t outside_range = element_kinds::all + 1;

/// Real sums of numbers of type T.
template <class T>
struct scattered_sums {
  impl::shared_limbs<T> window;
  std::int64_t* limbs;
  std::uint32_t* kinds;  ///< element_kinds; null where they do not count
  std::int64_t sum_stride, limb_stride;

  /// Neighbouring sums are neighbours in a limb on a GPU, and have their limbs together on a host.
  template <class Exec>
  KOKKOS_FUNCTION static scattered_sums of(const impl::shared_limbs<T>& window, std::int64_t count,
                                           std::int64_t* limbs, std::uint32_t* kinds) {
    constexpr bool on_host = runs_on_host<Exec>;
    return {window, limbs, kinds, on_host ? window.count : 1, on_host ? 1 : count};
  }

  KOKKOS_FORCEINLINE_FUNCTION auto sum(std::int64_t b) const {
    return [at = limbs + b * sum_stride, step = limb_stride](int i) -> std::int64_t& {
      return at[i * step];
    };
  }
  /// Alone: no other thread adds to this sum. Whether the last limb held it.
  template <bool Alone>
  KOKKOS_FORCEINLINE_FUNCTION bool add(std::int64_t b, T x) const {
    if (kinds != nullptr) note<Alone>(b, element_kinds::of(x).bits);
    return !impl::is_finite(x) || window.template add<Alone>(impl::ieee<T>::parts(x), sum(b));
  }
  template <bool Alone>
  KOKKOS_FORCEINLINE_FUNCTION void note(std::int64_t b, std::uint32_t kind) const {
    if constexpr (Alone)
      kinds[b] |= kind;
    else if ((Kokkos::atomic_load(&kinds[b]) & kind) != kind)
      Kokkos::atomic_or(&kinds[b], kind);
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
    // Both are below 2^59 then, except the last, which is carried to.
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
    return b >= Index(0) && std::uint64_t(b) < std::uint64_t(r.rows);
  }
};

/// What a sum's limbs depend on.
struct scatter_range {
  std::int64_t wrong;  ///< the first i whose index is beyond r, or none: the number of indexes
  impl::number_range numbers;  ///< the finite ones
  bool kinds;                  ///< there are infinities, NaN or -0
};

template <class Problem>
struct look_kernel;
template <class T, class Real, class Index>
struct look_kernel<scatter_problem<T, Real, Index>> {
  using value_type = scatter_range;
  scatter_problem<T, Real, Index> p;

  KOKKOS_FUNCTION void init(value_type& v) const { v = {p.x.rows, {}, false}; }
  KOKKOS_FUNCTION void join(value_type& v, const value_type& u) const {
    if (u.wrong < v.wrong) v.wrong = u.wrong;
    v.numbers.merge(u.numbers);
    v.kinds = v.kinds || u.kinds;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& v) const {
    if (i >= p.x.rows) {  // a row of r
      for (std::int64_t j = 0; j < p.r.width; ++j) see(p.r(i - p.x.rows, j), v);
      return;
    }
    const Index b = p.index_of(i);
    if (b < Index(0)) return;
    if (!p.names_row(b)) {
      if (i < v.wrong) v.wrong = i;
      return;
    }
    for (std::int64_t j = 0; j < p.x.width; ++j) see(T(p.x(i, j)), v);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void see(T x, value_type& v) {
    if (!impl::is_finite(x) || (x == T(0) && impl::ieee<T>::is_negative(x)))
      v.kinds = true;
    else
      v.numbers.merge(impl::number_range::of(x));
  }
};

/// Rows [first, first + count) of r: the sums, and those of the threads' copies after them.
template <class Problem>
struct scatter_block;
template <class T, class Real, class Index>
struct scatter_block<scatter_problem<T, Real, Index>> {
  using problem = scatter_problem<T, Real, Index>;
  problem p;
  scattered_sums<T> sums;
  std::int64_t first, count;

  /// Adds row i, to sums that lie `copy` sums behind the first ones.
  template <bool Alone>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t i, std::int64_t copy) const {
    const Index b = p.index_of(i);
    if (b < Index(0) || std::int64_t(b) < first || std::int64_t(b) >= first + count) return;
    const std::int64_t to = copy + (std::int64_t(b) - first) * p.x.width;
    for (std::int64_t j = 0; j < p.x.width; ++j) sums.template add<Alone>(to + j, T(p.x(i, j)));
  }
};

/// Makes sums empty.
template <class T>
struct clear_kernel {
  scattered_sums<T> sums;
  std::int64_t count;  ///< of sums; each has a limb or more
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    sums.limbs[i] = 0;
    if (sums.kinds != nullptr && i < count) sums.kinds[i] = 0;
  }
};
/// By atomics: one number at a time, so that neighbouring threads have neighbouring numbers.
template <class Block>
struct scatter_atomically_kernel {
  Block block;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const auto& p = block.p;
    const std::int64_t i = p.x.width == 1 ? e : e / p.x.width,
                       j = p.x.width == 1 ? 0 : e % p.x.width;
    const auto b = p.index_of(i);
    if (b < decltype(b)(0) || std::int64_t(b) < block.first ||
        std::int64_t(b) >= block.first + block.count)
      return;
    using T = std::remove_cvref_t<decltype(p.r(0, 0))>;
    block.sums.template add<false>((std::int64_t(b) - block.first) * p.x.width + j, T(p.x(i, j)));
  }
};
/// Into copies: a part of the numbers for each.
template <class Block>
struct scatter_copies_kernel {
  Block block;
  std::int64_t copies;
  KOKKOS_FUNCTION void operator()(std::int64_t copy) const {
    const std::int64_t n = block.p.x.rows;
    const auto begin = [&](std::int64_t c) {
      return n / copies * c + (c < n % copies ? c : n % copies);
    };
    const std::int64_t to = copy * block.count * block.p.x.width;
    for (std::int64_t i = begin(copy); i < begin(copy + 1); ++i) block.template add<true>(i, to);
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
    if (p.adds) s.template add<true>(e, r);
    for (std::int64_t copy = 1; copy < copies; ++copy)
      s.merge(e, s, copy * block.count * p.r.width + e);
    r = s.value(e);
  }
};

/// Looks at the numbers; waits for exec.
template <class Exec, class Problem>
scatter_range look(const Exec& exec, const char* label, const Problem& p) {
  scatter_range range;
  const look_kernel<Problem> kernel{p};
  kernel.init(range);
  Kokkos::parallel_reduce(label,
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                              exec, 0, p.x.rows + (p.adds ? p.r.rows : 0)),
                          kernel, range);
  return range;
}

/// Sums the numbers, of this range, none of whose indexes is wrong.
template <class Exec, class T, class Real, class Index>
void scatter(const Exec& exec, workspace<Exec>& memory, const char* label,
             const scatter_problem<T, Real, Index>& p, const scatter_range& range,
             const scatter_tuning& tuning) {
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using block = scatter_block<scatter_problem<T, Real, Index>>;
  if (p.r.size() == 0) return;
  int carry_bits = 2;
  for (std::int64_t n = p.x.rows; n > 0; n /= 2) ++carry_bits;
  // Without a number that is not zero there is one limb, and nothing in it.
  const impl::number_range& all = range.numbers;
  const auto window = all.zero() ? impl::shared_limbs<T>{0, 1}
                                 : impl::shared_limbs<T>::for_range(all.low, all.top, carry_bits);
  const std::size_t sum_bytes = std::size_t(window.count) * 8 + (range.kinds ? 4 : 0);
  const std::size_t row_bytes = sum_bytes * std::size_t(p.r.width);
  const auto rows = std::clamp<std::int64_t>(std::int64_t(tuning.sums / row_bytes), 1, p.r.rows);
  std::int64_t copies = 1;
  bool alone = false;
  if constexpr (runs_on_host<Exec>) {
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
    const block b{p, scattered_sums<T>::template of<Exec>(window, sums, limbs, kinds), first,
                  count};
    Kokkos::parallel_for(label, policy(exec, 0, sums * window.count),
                         clear_kernel<T>{b.sums, sums});
    if (alone)
      Kokkos::parallel_for(label, policy(exec, 0, copies), scatter_copies_kernel<block>{b, copies});
    else
      Kokkos::parallel_for(label, policy(exec, 0, p.x.size()), scatter_atomically_kernel<block>{b});
    Kokkos::parallel_for(label, policy(exec, 0, count * p.r.width),
                         scatter_round_kernel<block>{b, copies});
  }
}

}  // namespace acc::backends

#endif
