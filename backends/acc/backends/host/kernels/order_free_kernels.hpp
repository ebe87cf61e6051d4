// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of sum_kernels.hpp.

/// \file
/// Tiles of numbers by vector registers of doubles: their summary, and the ways into integer bins,
/// by a window and by exponent.

namespace acc::backends::host::ACC_HOST_ISA {

// What all of them share.

/// W numbers as doubles. (GCC 12 converts its generic vectors by halves.)
template <int W, class T>
ACC_SIMD_INLINE simd<double, W> load_doubles(const T* p) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float> && W == 8)
    return simd<double, W>::of(_mm512_cvtps_pd(_mm256_loadu_ps(p)));
#endif
  return load_as<double, W>(p);
}

/// 0x7ff of NaN and infinity.
template <int W>
ACC_SIMD_INLINE typename simd<long long, W>::vector biased_exponent(simd<double, W> x) {
  using integers = typename simd<long long, W>::vector;
  typedef unsigned long long bits __attribute__((vector_size(sizeof(integers))));
  return (integers)((bits)x.v >> 52) & 0x7ff;
}

/// Scales the numbers of terms by lifted_terms' factor.
template <class Terms, int W>
ACC_SIMD_INLINE void lift(simd<double, W>& x, simd<double, W>& y) {
  using V = simd<double, W>;
  using integers = typename simd<long long, W>::vector;
  constexpr bool products = Terms::inputs == 2;
  using lifted = lifted_terms<products>;
  const auto neighbors = [](integers v) __attribute__((always_inline)) {
    return Terms::sums == 2 ? swap_pairs(simd<long long, W>::of(v)).v : v;
  };
  integers sum = biased_exponent(x), infinite = sum == 0x7ff;
  if constexpr (products) {
    const integers own = biased_exponent(y), other = neighbors(own);
    const integers e = own > other ? own : other;
    sum += e;
    infinite |= e == 0x7ff;
  }
  // A number of biased exponent e is below 2^(e - 1022), a product below 2^(e + f - 2044).
  const integers counts = (sum > lifted::least + (products ? 2044 : 1022)) | infinite;
  const auto scaled = [](V v, integers mask) __attribute__((always_inline)) {
    const V factor(__builtin_ldexp(1.0, lifted::exponent));
    return V::of((typename V::vector)((integers)v.v & mask)) * factor;
  };
  x = scaled(x, counts);
  y = products ? scaled(y, counts | neighbors(counts)) : x;
}

/// Deposits the terms of a tile in a[0] (and of complex products a[1]).
template <class Terms, bool Lifted = false, class Intake, class T>
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
      auto xv = load_doubles<W>(x + i + j);
      auto yv = products ? load_doubles<W>(y + i + j) : xv;
      if constexpr (Lifted) lift<Terms>(xv, yv);
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

// Windows.

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

template <class Terms, class T, int K, bool Residue, bool Lifted = false>
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
      deposit_tile<Terms, Lifted>(a, x, y, n);
      finish(a[0], n, magic, 0, totals);
      finish(a[1], n, magic, 1, totals);
    } else {
      Intake a[1] = {Intake(magic)};
      deposit_tile<Terms, Lifted>(a, x, y, n);
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
window_function<T> get_window(int bins, window_kind kind) {
  if (kind == window_kind::drops_residue_lifted) {
    if constexpr (std::is_same_v<T, double>)
      return bins == 3 ? &window_kernel<Terms, T, 3, false, true>::run
                       : &window_kernel<Terms, T, 8, false, true>::run;
    return nullptr;
  }
  if (kind == window_kind::keeps_residue) {
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

// Summaries.

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

// Exponent bins.

/// Parts of mantissas on their way to their bins.
struct mantissa_buffer {
  typedef long long pair __attribute__((vector_size(16)));
  static constexpr int room = 64;
  alignas(64) pair parts[room];
  alignas(64) long long offset[room];
};

/// What numbers enter on their way into exponent_bins. Mantissas are cut and shifted in vector
/// registers and wait in memory until `drain` adds them to their bins one by one, both parts at
/// once. (Without the wait a compiler takes registers apart element by element, which takes twice
/// the time. The buffer is an object of its own so that the rest stays in registers.)
template <int W, bool Split>
struct exponent_bins_intake {
  using V = simd<double, W>;
  using integers = typename simd<long long, W>::vector;
  using bins = exponent_bins<Split>;

  bins* to;
  mantissa_buffer* buffer;
  int waiting = 0;
  integers greatest = {};  ///< biased exponent of a number, 0x7ff of NaN and infinity

  ACC_SIMD_INLINE exponent_bins_intake(bins* to_, mantissa_buffer* buffer_)
      : to(to_), buffer(buffer_) {}

  ACC_SIMD_INLINE void add(V x) {
    const integers e = biased_exponent(x);
    greatest = e > greatest ? e : greatest;
    deposit(x, e, integers{});
  }
  ACC_SIMD_INLINE void add_product(V x, V y) {
    if constexpr (Split) {
      integers shift = integers{} + bins::below * bins::width;
      const V a = scaled(x, shift), b = scaled(y, shift);
      // |p| >= 2^-932, or 0, so that e is exact. Either both or none are finite.
      const V p = a * b, e = fma(a, b, -p);
      const integers exponent = biased_exponent(p);
      const integers others = exponent == field;
      greatest |= others;
      shift = others ? integers{} + (bins::finite * bins::width - field - 1) : shift;
      deposit(p, exponent, shift);
      deposit(e, biased_exponent(e), shift);
    } else {
      add(x * y);  // of floats: exact
    }
  }
  ACC_SIMD_INLINE bool all_finite() const {
    for (const std::uint64_t e : elements_of<W>(greatest).element)
      if (e >= std::uint64_t(field)) return false;
    return true;
  }

  /// Numbers that deposit_tile may add before the next drain.
  static constexpr int step = mantissa_buffer::room / (Split ? 2 : 1);
  ACC_SIMD_INLINE void drain() {
    for (int first = 0; first < waiting; first += 8) {
      for (int i = first; i < first + 8; ++i) {
        char* const bin = reinterpret_cast<char*>(to->bin[i % bins::copies]) + buffer->offset[i];
        mantissa_buffer::pair sum;
        __builtin_memcpy(&sum, bin, sizeof(sum));
        sum += buffer->parts[i];
        __builtin_memcpy(bin, &sum, sizeof(sum));
      }
    }
    waiting = 0;
  }

 private:
  static constexpr long long field = 0x7ff;
  /// x times 2^608 if it is below 2^-319, times 2^-608 if it is 2^321 or more; the shift back.
  ACC_SIMD_INLINE static V scaled(V x, integers& shift) {
    const integers e = biased_exponent(x);
    const integers back =
        ((integers)(e > 703) & bins::scaled) + ((integers)(e > 1343) & bins::scaled) - bins::scaled;
    shift += back;
    return x * V::of((typename V::vector)((1023 - back) << 52));
  }
  /// v * 2^s for 0 <= v < 2^32, 0 <= s < 16.
  ACC_SIMD_INLINE static integers shifted(integers v, integers s) {
#if defined(__x86_64__) && !defined(__AVX2__)
    // SSE2 shifts all elements alike: multiplied by the last 32 bits of 2^52 + 2^s.
    const auto power = (typename V::vector)((s + 1023) << 52) + 0x1p52;
    return (integers)_mm_mul_epu32((__m128i)v, (__m128i)power);
#else
    return v << s;
#endif
  }
  template <int... I>
  ACC_SIMD_INLINE static void store_pairs(integers low, integers high, mantissa_buffer::pair* pairs,
                                          std::integer_sequence<int, I...>) {
    const integers first = __builtin_shufflevector(low, high, ((I & 1) * W + I / 2)...);
    const integers second = __builtin_shufflevector(low, high, ((I & 1) * W + I / 2 + W / 2)...);
    __builtin_memcpy(pairs, &first, sizeof(first));
    __builtin_memcpy(pairs + W / 2, &second, sizeof(second));
  }

  /// Deposits x with biased exponent e, shift / width bins up.
  ACC_SIMD_INLINE void deposit(V x, integers e, integers shift) {
    typedef unsigned long long bits __attribute__((vector_size(sizeof(integers))));
    const integers b = (integers)x.v, subnormal = e == 0;
    const integers next = e + 1;  // so that NaN and infinity have a bin of their own
    const integers s = (next - subnormal) & (bins::width - 1);
    constexpr long long low_mask = (1LL << bins::low_bits) - 1;
    const integers upper = (integers)((bits)b >> bins::low_bits) & low_mask;
    const integers one = ~subnormal & (1LL << bins::low_bits);
    const integers sign = -(integers)((bits)b >> 63);
    const integers low = (shifted(b & low_mask, s) ^ sign) - sign;
    const integers high = (shifted(upper | one, s) ^ sign) - sign;
    // A bin has as many bytes as it has exponents.
    static_assert(sizeof(to->bin[0][0]) == bins::width);
    const integers at = (next & -bins::width) + shift;
    store_pairs(low, high, buffer->parts + waiting, std::make_integer_sequence<int, W>{});
    __builtin_memcpy(buffer->offset + waiting, &at, sizeof(at));
    waiting += W;
  }
};

template <class Terms, class T>
struct exponent_bins_kernel {
  static constexpr int W = vector_width<double>;
  using Intake = exponent_bins_intake<W, (Terms::inputs == 2) && std::is_same_v<T, double>>;
  static bool run(const T* x, const T* y, std::int64_t n, exponent_bins_of<Terms, T>* bins) {
    if constexpr (Terms::sums == 2) {
      mantissa_buffer buffer[2];
      Intake a[2] = {Intake(&bins[0], &buffer[0]), Intake(&bins[1], &buffer[1])};
      return add(a, x, y, n);
    } else {
      mantissa_buffer buffer;
      Intake a[1] = {Intake(bins, &buffer)};
      return add(a, x, y, n);
    }
  }

 private:
  ACC_SIMD_INLINE static bool add(Intake* a, const T* x, const T* y, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += Intake::step) {
      deposit_tile<Terms>(a, x + i, y + i, n - i < Intake::step ? n - i : Intake::step);
      for (int s = 0; s < Terms::sums; ++s) a[s].drain();
    }
    bool finite = true;
    for (int s = 0; s < Terms::sums; ++s) finite &= a[s].all_finite();
    return !finite;
  }
};

template <class Terms, class T>
exponent_bins_function<Terms, T> get_exponent_bins() {
  return &exponent_bins_kernel<Terms, T>::run;
}

}  // namespace acc::backends::host::ACC_HOST_ISA
