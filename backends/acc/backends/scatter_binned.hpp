// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_SCATTER_BINNED_HPP
#define ACC_BACKENDS_SCATTER_BINNED_HPP

/// \file
/// Sums by index of K bins (reproducible<K>), after the look of scatter.hpp. A first kernel finds
/// the top bin of each sum, by atomic maxima. A second one adds what each number deposits in the K
/// bins below, by atomic additions: integers, so that no order counts. A third one makes a binned
/// sum of them and rounds it.
///
/// A deposit is 2^39 units at most. Up to 2^22 numbers fit one word: 2^61 units. Of more, a deposit
/// is cut into a multiple of 2^20 and a rest, a word each, which hold 2^42 numbers.

#include <acc/backends/scatter.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/binned.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::backends {

template <class T, int K>
struct scattered_bins {
  using sum = binned<T, K>;
  using format = impl::ieee<double>;
  static constexpr int rest = 20;  ///< bits of the second word

  std::int64_t* bins;
  int* top;
  std::uint32_t* kinds;  ///< null where they do not count
  std::int64_t sum_stride, word_stride;
  int words;  ///< of a bin: 1 or 2

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t& word(std::int64_t b, int k, int w) const {
    return bins[b * sum_stride + (k * words + w) * word_stride];
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool deposits(T x) { return impl::is_finite(x) && x != T(0); }
  /// Makes sum b one that keeps x.
  KOKKOS_FORCEINLINE_FUNCTION void raise(std::int64_t b, T x) const {
    if (kinds != nullptr) note_kind<false>(kinds[b], element_kinds::of(x).bits);
    if (!deposits(x)) return;
    const impl::number_parts n = format::parts(double(x));
    const int own = sum::top_of(n.exponent + format::length(n.mantissa));
    // Tops only rise: one that this read misses is asked for again.
    if (*static_cast<volatile const int*>(&top[b]) < own) Kokkos::atomic_max(&top[b], own);
  }
  /// Adds x to sum b, which was raised for all numbers.
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t b, T x) const {
    if (!deposits(x)) return;
    sum::cut(format::parts(double(x)), 0, top[b], [&](int k, std::int64_t units) {
      if (words == 1) {
        Kokkos::atomic_add(&word(b, k, 0), units);
      } else {
        Kokkos::atomic_add(&word(b, k, 0), units >> rest);
        Kokkos::atomic_add(&word(b, k, 1), units & ((std::int64_t(1) << rest) - 1));
      }
    });
  }
  KOKKOS_FUNCTION sum total(std::int64_t b) const {
    sum s;
    s.raise(top[b]);
    for (int k = 0; k < K; ++k) {
      const std::int64_t v = word(b, k, 0);
      if (words == 1) {
        s.add_to_bin(top[b] - k, v);
      } else {
        // v 2^20 is a multiple of the bin's upper word and what is left.
        constexpr int upper = sum::bin_width - rest;
        s.add_to_bin(top[b] - k, ((v & ((std::int64_t(1) << upper) - 1)) << rest) + word(b, k, 1),
                     v >> upper);
      }
    }
    if (kinds != nullptr) s.add_kinds({kinds[b] & element_kinds::all});
    return s;
  }
};

template <class Sums, int K>
struct clear_bins_kernel {
  Sums sums;
  KOKKOS_FUNCTION void operator()(std::int64_t b) const {
    sums.top[b] = K - 1;
    if (sums.kinds != nullptr) sums.kinds[b] = 0;
    for (int k = 0; k < K; ++k)
      for (int w = 0; w < sums.words; ++w) sums.word(b, k, w) = 0;
  }
};
/// Raises the sums for all numbers, or adds them.
template <class Block, bool Raise>
struct scatter_bins_kernel {
  using T = typename Block::number;
  Block block;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const auto& p = block.p;
    const std::int64_t i = p.x.width == 1 ? e : e / p.x.width,
                       j = p.x.width == 1 ? 0 : e % p.x.width;
    const std::int64_t to = block.sum_of(p.index_of(i), j);
    if (to < 0) return;
    if constexpr (Raise)
      block.sums.raise(to, T(p.x(i, j)));
    else
      block.sums.add(to, T(p.x(i, j)));
  }
};
template <class Block>
struct round_bins_kernel {
  Block block;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const auto& p = block.p;
    auto& r = p.r(block.first + e / p.r.width, e % p.r.width);
    auto s = block.sums.total(e);
    if (p.adds) s.add(r);
    r = s.value();
  }
};

/// Sums the numbers, none of whose indexes is wrong, by reproducible<K>.
template <int K, class Exec, class T, class Real, class Index>
void scatter_binned(const Exec& exec, workspace<Exec>& memory, const char* label,
                    const scatter_problem<T, Real, Index>& p, const scatter_range& range,
                    const scatter_tuning& tuning) {
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using sums_type = scattered_bins<T, K>;
  using block = scatter_block<scatter_problem<T, Real, Index>, sums_type>;
  if (p.r.size() == 0) return;
  const int words = p.x.rows <= tuning.one_word ? 1 : 2;
  const std::size_t sum_bytes = std::size_t(K * words) * 8 + 8;
  const std::size_t row_bytes = sum_bytes * std::size_t(p.r.width);
  const auto rows = std::clamp<std::int64_t>(std::int64_t(tuning.sums / row_bytes), 1, p.r.rows);
  const std::int64_t most = rows * p.r.width;
  auto* const bins =
      static_cast<std::int64_t*>(memory.scatter_memory(std::size_t(most) * sum_bytes));
  auto* const top = reinterpret_cast<int*>(bins + most * K * words);
  auto* const kinds = range.kinds ? reinterpret_cast<std::uint32_t*>(top + most) : nullptr;
  for (std::int64_t first = 0; first < p.r.rows; first += rows) {
    const std::int64_t count = std::min(rows, p.r.rows - first), sums = count * p.r.width;
    constexpr bool on_host = runs_on_host<Exec>;
    const block b{
        p, {bins, top, kinds, on_host ? K * words : 1, on_host ? 1 : sums, words}, first, count};
    Kokkos::parallel_for(label, policy(exec, 0, sums), clear_bins_kernel<sums_type, K>{b.sums});
    Kokkos::parallel_for(label, policy(exec, 0, p.x.size()), scatter_bins_kernel<block, true>{b});
    Kokkos::parallel_for(label, policy(exec, 0, p.x.size()), scatter_bins_kernel<block, false>{b});
    Kokkos::parallel_for(label, policy(exec, 0, sums), round_bins_kernel<block>{b});
  }
}

}  // namespace acc::backends

#endif
