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

/// Keeps the binned sums as they are.
template <class Block, class Sum>
struct keep_bins_kernel {
  Block block;
  Sum* to;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const auto& p = block.p;
    to[e] = block.sums.total(e);
    if (p.adds) to[e].add(p.r(block.first + e / p.r.width, e % p.r.width));
  }
};

template <int K, class Problem>
class bins_by_index;
/// The sums of some rows of r at a time, by reproducible<K>, of numbers none of whose indexes is
/// wrong.
template <int K, class T, class Real, class Index>
class bins_by_index<K, scatter_problem<T, Real, Index>> {
  using problem = scatter_problem<T, Real, Index>;
  using sums_type = scattered_bins<T, K>;
  template <class Exec>
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

 public:
  using block = scatter_block<problem, sums_type>;

  bins_by_index(const problem& p, bool has_kinds, const scatter_tuning& tuning)
      : p_(p), has_kinds_(has_kinds), words_(p.x.rows <= tuning.one_word ? 1 : 2) {}

  /// Of a row's sums.
  std::size_t row_bytes() const { return sum_bytes() * std::size_t(p_.r.width); }

  /// Enqueues what finds the sums of rows [first, first + count), in memory.
  template <class Exec>
  block launch(const Exec& exec, workspace<Exec>& memory, const char* label, std::int64_t first,
               std::int64_t count) const {
    constexpr bool on_host = runs_on_host<Exec>;
    const std::int64_t sums = count * p_.r.width, words = sums * K * words_;
    auto* const bins =
        static_cast<std::int64_t*>(memory.scatter_memory(std::size_t(sums) * sum_bytes()));
    auto* const top = reinterpret_cast<int*>(bins + words);
    auto* const kinds = has_kinds_ ? reinterpret_cast<std::uint32_t*>(top + sums) : nullptr;
    const block b{
        p_, {bins, top, kinds, on_host ? K * words_ : 1, on_host ? 1 : sums, words_}, first, count};
    Kokkos::parallel_for(label, policy<Exec>(exec, 0, sums),
                         clear_bins_kernel<sums_type, K>{b.sums});
    Kokkos::parallel_for(label, policy<Exec>(exec, 0, p_.x.size()),
                         scatter_bins_kernel<block, true>{b});
    Kokkos::parallel_for(label, policy<Exec>(exec, 0, p_.x.size()),
                         scatter_bins_kernel<block, false>{b});
    return b;
  }
  /// The same, and keeps them, each part of a complex sum by itself.
  template <class Exec>
  void keep(const Exec& exec, workspace<Exec>& memory, const char* label, std::int64_t first,
            std::int64_t count, binned<T, K>* to) const {
    const block b = launch(exec, memory, label, first, count);
    Kokkos::parallel_for(label, policy<Exec>(exec, 0, count * p_.r.width),
                         keep_bins_kernel<block, binned<T, K>>{b, to});
  }

 private:
  std::size_t sum_bytes() const { return std::size_t(K * words_) * 8 + 8; }

  problem p_;
  bool has_kinds_;
  int words_;
};

/// Sums the numbers, none of whose indexes is wrong, by reproducible<K>.
template <int K, class Exec, class T, class Real, class Index>
void scatter_binned(const Exec& exec, workspace<Exec>& memory, const char* label,
                    const scatter_problem<T, Real, Index>& p, const scatter_range& range,
                    const scatter_tuning& tuning) {
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using sums_type = bins_by_index<K, scatter_problem<T, Real, Index>>;
  if (p.r.size() == 0) return;
  const sums_type sums(p, range.kinds, tuning);
  const auto rows =
      std::clamp<std::int64_t>(std::int64_t(tuning.sums / sums.row_bytes()), 1, p.r.rows);
  for (std::int64_t first = 0; first < p.r.rows; first += rows) {
    const std::int64_t count = std::min(rows, p.r.rows - first);
    const auto b = sums.launch(exec, memory, label, first, count);
    Kokkos::parallel_for(label, policy(exec, 0, count * p.r.width),
                         round_bins_kernel<typename sums_type::block>{b});
  }
}

}  // namespace acc::backends

#endif
