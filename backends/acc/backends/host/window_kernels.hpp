// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of kernels.hpp.

/// \file
/// Blocks of numbers into integer bins, by vector registers of doubles.

namespace acc::backends::host::ACC_HOST_ISA {

/// K bins of a window. A number r goes into a bin by t = r + M, M = 1.5 * 2^52 units: t's last bits
/// are the nearest multiple of the unit, t - M is exact, and so is what r leaves over. The bins sum
/// t's bits as integers; M's are subtracted at the end. No sum waits for another: additions of one
/// number depend on each other, those of different numbers do not.
template <int W, int K, bool Residue, bool SplitsProducts>
struct window_entry {
  using V = pack<double, W>;
  using integers = typename pack<long long, W>::vector;

  integers bins[K];
  integers max, min, residue;
  V magic[K];

  ACC_PACK_INLINE explicit window_entry(const double* m) {
    const integers none = {};
    for (int k = 0; k < K; ++k) {
      bins[k] = none;
      magic[k] = V(m[k]);
    }
    max = residue = none;
    min = none + 0x7fffffffffffffffLL;
  }

  ACC_PACK_INLINE void add(V x) {
    note(x);
    cascade<0>(x);
  }
  ACC_PACK_INLINE void add_product(V x, V y) {
    if constexpr (SplitsProducts) {
      const V p = x * y, e = fma(x, y, -p);
      note(p);
      const integers size = (integers)magnitude(p).v;
      min = size < min ? size : min;
      const V t = p + magic[0];
      bins[0] += (integers)t.v;
      // e is at most 2^-53 of p: nothing for the highest bin.
      cascade<1>(p - (t - magic[0]));
      cascade<1>(e);
    } else {
      add(x * y);  // of floats: exact
    }
  }

 private:
  ACC_PACK_INLINE void note(V x) {
    const integers m = (integers)magnitude(x).v;
    max = m > max ? m : max;
  }
  template <int First>
  ACC_PACK_INLINE void cascade(V r) {
    for (int k = First; k < K; ++k) {
      const V t = r + magic[k];
      bins[k] += (integers)t.v;
      if (Residue || k < K - 1) r = r - (t - magic[k]);
    }
    if constexpr (Residue) residue |= (integers)r.v;
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

template <class Terms, class T, int K, bool Residue>
struct window_kernel {
  static constexpr int W = vector_bytes / 8;
  using V = pack<double, W>;
  static constexpr bool splits = std::is_same_v<T, double>;
  using Entry = window_entry<W, K, Residue, splits>;
  static constexpr bool products = Terms::inputs == 2;
  static constexpr int distance = 4096;  // bytes ahead that numbers are fetched from memory

  static void run(const T* x, const T* y, std::int64_t n, const double* magic,
                  window_totals* totals) {
    if constexpr (Terms::sums == 2) {
      Entry a[2] = {Entry(magic), Entry(magic)};
      add(a, x, y, n);
      totals->residue = 0;
      finish(a[0], n, magic, 0, totals);
      finish(a[1], n, magic, 1, totals);
    } else {
      Entry a[1] = {Entry(magic)};
      add(a, x, y, n);
      totals->residue = 0;
      finish(a[0], n, magic, 0, totals);
    }
  }

 private:
  ACC_PACK_INLINE static void add(Entry* a, const T* x, const T* y, std::int64_t n) {
    constexpr int unrolled = 64 / int(sizeof(T)) / W > 4 ? 4 : 64 / int(sizeof(T)) / W;
    constexpr int numbers = W * (unrolled < 1 ? 1 : unrolled);
    static_assert(window_step % numbers == 0);
    for (std::int64_t i = 0; i < n; i += numbers) {
      __builtin_prefetch(reinterpret_cast<const char*>(x + i) + distance);
      if constexpr (products) __builtin_prefetch(reinterpret_cast<const char*>(y + i) + distance);
      for (int j = 0; j < numbers; j += W) {
        const V xv = load_doubles<W>(x + i + j);
        const V yv = products ? load_doubles<W>(y + i + j) : xv;
        Terms::deposit(a, xv, yv, Terms::sums == 2 ? swap_pairs(yv) : yv, all_lanes{});
      }
    }
  }

  static void finish(const Entry& e, std::int64_t n, const double* magic, int s,
                     window_totals* totals) {
    for (int parity = 0; parity < 2; ++parity) {
      long long max = 0, min = 0x7fffffffffffffffLL;
      for (int i = parity; i < W; i += 2) {
        max = e.max[i] > max ? e.max[i] : max;
        min = e.min[i] < min ? e.min[i] : min;
      }
      totals->max[s][parity] = std::uint64_t(max);
      totals->min[s][parity] = std::uint64_t(min);
    }
    for (int k = 0; k < K; ++k) {
      std::uint64_t bits;
      __builtin_memcpy(&bits, &magic[k], 8);
      const std::uint64_t deposits = std::uint64_t(n / 2) * (products && splits && k > 0 ? 2 : 1);
      for (int parity = 0; parity < 2; ++parity) {
        std::uint64_t total = 0 - deposits * bits;
        for (int i = parity; i < W; i += 2) total += std::uint64_t(e.bins[k][i]);
        totals->total[s][parity][k] = std::int64_t(total);
      }
    }
    if constexpr (Residue) {
      long long residue = 0;
      for (int i = 0; i < W; ++i) residue |= e.residue[i];
      totals->residue |= std::uint64_t(residue) & 0x7fffffffffffffffULL;
    }
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
      default:
        return &window_kernel<Terms, T, 8, true>::run;
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
