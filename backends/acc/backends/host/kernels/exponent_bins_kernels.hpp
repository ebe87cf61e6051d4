// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of sum_kernels.hpp.

/// \file
/// Tiles of numbers of any exponents into integer bins by exponent (exponent_bins in sums.hpp).

namespace acc::backends::host::ACC_HOST_ISA {

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
  ACC_SIMD_INLINE static integers biased_exponent(V x) {
    typedef unsigned long long bits __attribute__((vector_size(sizeof(integers))));
    return (integers)((bits)x.v >> 52) & field;
  }
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
