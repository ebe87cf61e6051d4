// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of kernels.hpp.

/// \file
/// Blocks of numbers into integer bins, by vector registers of doubles.

namespace acc::backends::host::ACC_HOST_ISA {

/// seen | (a ^ b): what bits of a and b have ever differed.
template <class Integers>
ACC_PACK_INLINE Integers differing(Integers seen, Integers a, Integers b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Integers) == 64)
    return (Integers)_mm512_ternarylogic_epi64((__m512i)seen, (__m512i)a, (__m512i)b, 0xf6);
#endif
  return seen | (a ^ b);
}

/// K bins of a window, which numbers enter by magic numbers M (core/exact/magic.hpp). The bins sum
/// the bits of t = r + M as integers; M's are subtracted at the end. No sum waits for another:
/// additions of one number depend on each other, those of different numbers do not.
///
/// A term that is too large leaves M's binade, which shows in the exponent of the first t. What
/// goes into the last bin leaves nothing over if t - M has the bits of r, but a zero's sign.
template <int W, int K, bool Residue, bool SplitsProducts>
struct window_entry {
  using V = pack<double, W>;
  using integers = typename pack<long long, W>::vector;
  typedef int words __attribute__((vector_size(sizeof(integers))));

  integers bins[K];
  integers max, outside, residue, zero;
  V magic[K];

  ACC_PACK_INLINE explicit window_entry(const double* m) {
    const integers none = {};
    for (int k = 0; k < K; ++k) {
      bins[k] = none;
      magic[k] = V(m[k]);
    }
    max = outside = residue = zero = none;
  }

  ACC_PACK_INLINE void add(V x) {
    note(x);
    cascade<0>(x);
  }
  ACC_PACK_INLINE void add_product(V x, V y) {
    if constexpr (SplitsProducts) {
      const V p = x * y, e = fma(x, y, -p);
      note(p);
      if constexpr (Residue) zero |= (integers)(p.v == V(0.0).v);
      // e is at most 2^-53 of p: nothing for the highest bin.
      cascade<1>(into_bin<0>(p));
      cascade<1>(e);
    } else {
      add(x * y);  // of floats: exact
    }
  }

 private:
  /// The exponent of the largest, by halves: few processors compare 64 bits in one instruction.
  ACC_PACK_INLINE void note(V x) {
    if constexpr (!Residue) {
      const words m = (words)magnitude(x).v, most = (words)max;
      max = (integers)(m > most ? m : most);
    }
  }
  /// What bin k leaves over, if there is a bin below it.
  template <int k>
  ACC_PACK_INLINE V into_bin(V r) {
    const V t = impl::counted(r, magic[k]);
    bins[k] += (integers)t.v;
    if constexpr (Residue && k == 0)
      outside = differing(outside, (integers)t.v, (integers)magic[0].v);
    if constexpr (k + 1 < K) return impl::left_over(r, impl::counted_part(t, magic[k]));
    if constexpr (Residue)
      residue = differing(residue, (integers)r.v, (integers)impl::counted_part(t, magic[k]).v);
    return r;
  }
  template <int k>
  ACC_PACK_INLINE void cascade(V r) {
    if constexpr (k < K) cascade<k + 1>(into_bin<k>(r));
  }
};

/// W numbers as doubles. (Of its generic vectors GCC 12 converts halves.)
template <int W, class T>
ACC_PACK_INLINE pack<double, W> load_doubles(const T* p) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float> && W == 8)
    return pack<double, W>::of(_mm512_cvtps_pd(_mm256_loadu_ps(p)));
#endif
  return load_as<double, W>(p);
}

/// Numbers of a register of doubles.
inline constexpr int doubles_at_once = vector_bytes / 8;
/// Bytes ahead that numbers are fetched from memory.
inline constexpr int block_prefetch_distance = 4096;

/// Deposits the terms of a block in a[0] (and of complex products a[1]).
template <class Terms, class Entry, class T>
ACC_PACK_INLINE void deposit_block(Entry* a, const T* x, const T* y, std::int64_t n) {
  constexpr int W = doubles_at_once;
  constexpr bool products = Terms::inputs == 2;
  constexpr int unrolled = 64 / int(sizeof(T)) / W > 4 ? 4 : 64 / int(sizeof(T)) / W;
  constexpr int numbers = W * (unrolled < 1 ? 1 : unrolled);
  static_assert(window_step % numbers == 0);
  for (std::int64_t i = 0; i < n; i += numbers) {
    __builtin_prefetch(reinterpret_cast<const char*>(x + i) + block_prefetch_distance);
    if constexpr (products)
      __builtin_prefetch(reinterpret_cast<const char*>(y + i) + block_prefetch_distance);
    for (int j = 0; j < numbers; j += W) {
      const auto xv = load_doubles<W>(x + i + j);
      const auto yv = products ? load_doubles<W>(y + i + j) : xv;
      Terms::deposit(a, xv, yv, Terms::sums == 2 ? swap_pairs(yv) : yv, all_lanes{});
    }
  }
}

/// The lanes of a register of integers, in memory.
template <int W>
struct lanes_of {
  std::uint64_t lane[W];
  template <class Integers>
  explicit lanes_of(const Integers& v) {
    static_assert(sizeof(v) == sizeof(lane));
    __builtin_memcpy(lane, &v, sizeof(lane));
  }
  /// f over lanes of a parity, from `start`.
  template <class F>
  std::uint64_t of_parity(int parity, std::uint64_t start, F f) const {
    for (int i = parity; i < W; i += 2) start = f(start, lane[i]);
    return start;
  }
  std::uint64_t any() const {
    std::uint64_t r = 0;
    for (const std::uint64_t v : lane) r |= v;
    return r;
  }
};

template <class Terms, class T, int K, bool Residue>
struct window_kernel {
  static constexpr int W = doubles_at_once;
  static constexpr bool splits = std::is_same_v<T, double>;
  using Entry = window_entry<W, K, Residue, splits>;
  static constexpr bool products = Terms::inputs == 2;

  static void run(const T* x, const T* y, std::int64_t n, const double* magic,
                  window_totals* totals) {
    totals->outside = totals->residue = totals->zero = 0;
    if constexpr (Terms::sums == 2) {
      Entry a[2] = {Entry(magic), Entry(magic)};
      deposit_block<Terms>(a, x, y, n);
      finish(a[0], n, magic, 0, totals);
      finish(a[1], n, magic, 1, totals);
    } else {
      Entry a[1] = {Entry(magic)};
      deposit_block<Terms>(a, x, y, n);
      finish(a[0], n, magic, 0, totals);
    }
  }

 private:
  static void finish(const Entry& e, std::int64_t n, const double* magic, int s,
                     window_totals* totals) {
    const auto greater = [](std::uint64_t a, std::uint64_t b) { return a > b ? a : b; };
    const auto sum = [](std::uint64_t a, std::uint64_t b) { return a + b; };
    const lanes_of<W> max(e.max);
    for (int parity = 0; parity < 2; ++parity)
      totals->max[s][parity] = max.of_parity(parity, 0, greater);
    for (int k = 0; k < K; ++k) {
      std::uint64_t bits;
      __builtin_memcpy(&bits, &magic[k], 8);
      const std::uint64_t deposits = std::uint64_t(n / 2) * (products && splits && k > 0 ? 2 : 1);
      const lanes_of<W> bin(e.bins[k]);
      for (int parity = 0; parity < 2; ++parity)
        totals->total[s][parity][k] = std::int64_t(bin.of_parity(parity, 0 - deposits * bits, sum));
    }
    constexpr std::uint64_t all_but_sign = 0x7fffffffffffffffULL;
    totals->outside |= lanes_of<W>(e.outside).any() >> 52;
    totals->residue |= lanes_of<W>(e.residue).any() & all_but_sign;
    totals->zero |= lanes_of<W>(e.zero).any();
  }
};

template <class Terms, class T>
window_function<T> window(int bins, bool keeps_residue) {
  if (keeps_residue) {
    switch (bins) {
      case 1:
        if constexpr (std::is_same_v<T, float>) return &window_kernel<Terms, T, 1, true>::run;
        return nullptr;
      case 2:
        return &window_kernel<Terms, T, 2, true>::run;
      case 3:
        return &window_kernel<Terms, T, 3, true>::run;
      case 4:
        return &window_kernel<Terms, T, 4, true>::run;
      case 6:
        return &window_kernel<Terms, T, 6, true>::run;
      default:
        if constexpr (std::is_same_v<T, double> && Terms::inputs == 2)
          return &window_kernel<Terms, T, 8, true>::run;
        return nullptr;
    }
  }
  switch (bins) {
    case 2:
      return &window_kernel<Terms, T, 2, false>::run;
    case 3:
      return &window_kernel<Terms, T, 3, false>::run;
    case 4:
      return &window_kernel<Terms, T, 4, false>::run;
    default:
      return &window_kernel<Terms, T, 8, false>::run;
  }
}

}  // namespace acc::backends::host::ACC_HOST_ISA
