// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of sum_kernels.hpp.

/// \file
/// Tiles of numbers by vector registers of doubles: into the integer bins of a window, and their
/// summary.

namespace acc::backends::host::ACC_HOST_ISA {

/// seen | (a ^ b): what bits of a and b have ever differed.
template <class Integers>
ACC_SIMD_INLINE Integers differing(Integers seen, Integers a, Integers b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Integers) == 64)
    return (Integers)_mm512_ternarylogic_epi64((__m512i)seen, (__m512i)a, (__m512i)b, 0xf6);
#endif
  return seen | (a ^ b);
}

/// K bins of a window, which numbers enter by magic numbers M (core/exact/magic.hpp). The bins sum
/// the bits of t = r + M as integers; those of M are subtracted at the end. No sum waits for
/// another: additions of one number depend on each other, those of different numbers do not.
///
/// A term that is too large leaves the binade of M, which shows in the exponent of the first t.
/// What goes into the last bin leaves nothing over if t - M has the bits of r, except a zero's
/// sign.
template <int W, int K, bool Residue, bool SplitsProducts>
struct window_intake {
  using V = simd<double, W>;
  using integers = typename simd<long long, W>::vector;
  typedef int words __attribute__((vector_size(sizeof(integers))));

  integers bins[K];
  integers max, outside, residue, zero;
  V magic[K];

  ACC_SIMD_INLINE explicit window_intake(const double* m) {
    const integers none = {};
    for (int k = 0; k < K; ++k) {
      bins[k] = none;
      magic[k] = V(m[k]);
    }
    max = outside = residue = zero = none;
  }

  ACC_SIMD_INLINE void add(V x) {
    note(x);
    cascade<0>(x);
  }
  ACC_SIMD_INLINE void add_product(V x, V y) {
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
  ACC_SIMD_INLINE void note(V x) {
    if constexpr (!Residue) {
      const words m = (words)magnitude(x).v, most = (words)max;
      max = (integers)(m > most ? m : most);
    }
  }
  /// What bin k leaves over, if there is a bin below it.
  template <int k>
  ACC_SIMD_INLINE V into_bin(V r) {
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
  ACC_SIMD_INLINE void cascade(V r) {
    if constexpr (k < K) cascade<k + 1>(into_bin<k>(r));
  }
};

/// W numbers as doubles. (GCC 12 converts its generic vectors by halves.)
template <int W, class T>
ACC_SIMD_INLINE simd<double, W> load_doubles(const T* p) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float> && W == 8)
    return simd<double, W>::of(_mm512_cvtps_pd(_mm256_loadu_ps(p)));
#endif
  return load_as<double, W>(p);
}

/// Deposits the terms of a tile in a[0] (and of complex products a[1]).
template <class Terms, class Intake, class T>
ACC_SIMD_INLINE void deposit_tile(Intake* a, const T* x, const T* y, std::int64_t n) {
  constexpr int W = vector_width<double>;
  constexpr bool products = Terms::inputs == 2;
  constexpr int in_line = 64 / int(sizeof(T)) / W, most = order_free_tuning::max_registers_at_once;
  constexpr int numbers = W * (in_line < 1 ? 1 : in_line > most ? most : in_line);
  static_assert(tile_step % numbers == 0);
  constexpr int ahead = order_free_tuning::prefetch_distance;
  for (std::int64_t i = 0; i < n; i += numbers) {
    __builtin_prefetch(reinterpret_cast<const char*>(x + i) + ahead);
    if constexpr (products) __builtin_prefetch(reinterpret_cast<const char*>(y + i) + ahead);
    for (int j = 0; j < numbers; j += W) {
      const auto xv = load_doubles<W>(x + i + j);
      const auto yv = products ? load_doubles<W>(y + i + j) : xv;
      Terms::deposit(a, xv, yv, Terms::sums == 2 ? swap_pairs(yv) : yv, all_lanes{});
    }
  }
}

/// The elements of a register of integers, in memory.
template <int W>
struct elements_of {
  std::uint64_t element[W];
  template <class Integers>
  explicit elements_of(const Integers& v) {
    static_assert(sizeof(v) == sizeof(element));
    __builtin_memcpy(element, &v, sizeof(element));
  }
  /// f over the even or the odd ones, from `start`.
  template <class F>
  std::uint64_t of_parity(int parity, std::uint64_t start, F f) const {
    for (int i = parity; i < W; i += 2) start = f(start, element[i]);
    return start;
  }
  std::uint64_t any() const {
    std::uint64_t r = 0;
    for (const std::uint64_t v : element) r |= v;
    return r;
  }
};

template <class Terms, class T, int K, bool Residue>
struct window_kernel {
  static constexpr int W = vector_width<double>;
  static constexpr bool splits = std::is_same_v<T, double>;
  using Intake = window_intake<W, K, Residue, splits>;
  static constexpr bool products = Terms::inputs == 2;

  static void run(const T* x, const T* y, std::int64_t n, const double* magic,
                  window_totals* totals) {
    totals->outside = totals->residue = totals->zero = 0;
    if constexpr (Terms::sums == 2) {
      Intake a[2] = {Intake(magic), Intake(magic)};
      deposit_tile<Terms>(a, x, y, n);
      finish(a[0], n, magic, 0, totals);
      finish(a[1], n, magic, 1, totals);
    } else {
      Intake a[1] = {Intake(magic)};
      deposit_tile<Terms>(a, x, y, n);
      finish(a[0], n, magic, 0, totals);
    }
  }

 private:
  static void finish(const Intake& e, std::int64_t n, const double* magic, int s,
                     window_totals* totals) {
    const auto greater = [](std::uint64_t a, std::uint64_t b) { return a > b ? a : b; };
    const auto sum = [](std::uint64_t a, std::uint64_t b) { return a + b; };
    const elements_of<W> max(e.max);
    for (int parity = 0; parity < 2; ++parity)
      totals->max[s][parity] = max.of_parity(parity, 0, greater);
    for (int k = 0; k < K; ++k) {
      std::uint64_t bits;
      __builtin_memcpy(&bits, &magic[k], 8);
      const std::uint64_t deposits = std::uint64_t(n / 2) * (products && splits && k > 0 ? 2 : 1);
      const elements_of<W> bin(e.bins[k]);
      for (int parity = 0; parity < 2; ++parity)
        totals->total[s][parity][k] = std::int64_t(bin.of_parity(parity, 0 - deposits * bits, sum));
    }
    constexpr std::uint64_t all_but_sign = 0x7fffffffffffffffULL;
    totals->outside |= elements_of<W>(e.outside).any() >> 52;
    totals->residue |= elements_of<W>(e.residue).any() & all_but_sign;
    totals->zero |= elements_of<W>(e.zero).any();
  }
};

template <class Terms, class T>
window_function<T> get_window(int bins, bool keeps_residue) {
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

/// What numbers have in common (tile_summary).
template <int W, bool SplitsProducts>
struct summary_intake {
  using V = simd<double, W>;
  using integers = typename simd<long long, W>::vector;
  typedef int words __attribute__((vector_size(sizeof(integers))));
  words max = {}, min = words{} + 0x7fffffff;
  integers any = {}, all = ~integers{}, underflow = {};

  ACC_SIMD_INLINE void add(V x) {
    const integers bits = (integers)x.v;
    any |= bits;
    all &= bits;
    const words m = (words)magnitude(x).v, nonzero = m == 0 ? words{} + 0x7fffffff : m;
    max = m > max ? m : max;
    min = nonzero < min ? nonzero : min;
  }
  ACC_SIMD_INLINE void add_product(V x, V y) {
    const V p = x * y, zero = V(0.0);
    if constexpr (SplitsProducts)
      underflow |=
          (integers)(p.v == zero.v) & (integers)(x.v != zero.v) & (integers)(y.v != zero.v);
    add(p);
  }
};

template <class Terms, class T>
struct summary_kernel {
  static constexpr int W = vector_width<double>;
  static void run(const T* x, const T* y, std::int64_t n, tile_summary* summary) {
    summary_intake<W, std::is_same_v<T, double>> intake[Terms::sums];
    deposit_tile<Terms>(intake, x, y, n);
    for (int s = 0; s < Terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        using bits = std::uint64_t;
        const auto greater = [](bits p, bits q) { return p > q ? p : q; };
        const auto less = [](bits p, bits q) { return p < q ? p : q; };
        const auto either = [](bits p, bits q) { return p | q; };
        const auto both = [](bits p, bits q) { return p & q; };
        summary->max[s][parity] = elements_of<W>(intake[s].max).of_parity(parity, 0, greater);
        summary->min[s][parity] = elements_of<W>(intake[s].min).of_parity(parity, ~bits(0), less);
        summary->any[s][parity] = elements_of<W>(intake[s].any).of_parity(parity, 0, either);
        summary->all[s][parity] = elements_of<W>(intake[s].all).of_parity(parity, ~bits(0), both);
        summary->underflow[s][parity] =
            elements_of<W>(intake[s].underflow).of_parity(parity, 0, either);
      }
    }
  }
};

template <class Terms, class T>
summary_function<T> get_summary() {
  return &summary_kernel<Terms, T>::run;
}
}  // namespace acc::backends::host::ACC_HOST_ISA
