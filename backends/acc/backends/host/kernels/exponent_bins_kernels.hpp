// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of kernels.hpp.

/// \file
/// Blocks of numbers of any exponents into integer bins by exponent (window.hpp).

namespace acc::backends::host::ACC_HOST_ISA {

/// Parts of mantissas on their way to their rows.
struct row_buffer {
  typedef long long pair __attribute__((vector_size(16)));
  static constexpr int room = 64;
  alignas(64) pair parts[room];
  alignas(64) long long offset[room];
};

/// Numbers on their way into exponent_rows: mantissas are cut and shifted in vector registers and
/// wait in memory until `drain` adds them to their rows one by one, both parts at once. (Without
/// the wait a compiler takes registers apart lane by lane, which takes twice the time; the buffer
/// is an object of its own so that the rest stays in registers.)
template <int W, bool Split>
struct row_entry {
  using V = pack<double, W>;
  using integers = typename pack<long long, W>::vector;
  using rows = exponent_rows<Split>;

  rows* to;
  row_buffer* buffer;
  int waiting = 0;
  integers greatest = {};  ///< biased exponent of a number, 0x7ff of NaN and infinity

  ACC_PACK_INLINE row_entry(rows* r, row_buffer* b) : to(r), buffer(b) {}

  ACC_PACK_INLINE void add(V x) {
    const integers e = biased_exponent(x);
    greatest = e > greatest ? e : greatest;
    deposit(x, e, integers{});
  }
  ACC_PACK_INLINE void add_product(V x, V y) {
    if constexpr (Split) {
      integers shift = integers{} + rows::below * rows::width;
      const V a = scaled(x, shift), b = scaled(y, shift);
      // |p| >= 2^-932, or 0, so that e is exact. Either both or none are finite.
      const V p = a * b, e = fma(a, b, -p);
      const integers exponent = biased_exponent(p);
      const integers others = exponent == field;
      greatest |= others;
      shift = others ? integers{} + (rows::finite * rows::width - field - 1) : shift;
      deposit(p, exponent, shift);
      deposit(e, biased_exponent(e), shift);
    } else {
      add(x * y);  // of floats: exact
    }
  }
  ACC_PACK_INLINE bool all_finite() const {
    for (const std::uint64_t e : lanes_of<W>(greatest).lane)
      if (e >= std::uint64_t(field)) return false;
    return true;
  }

  /// Numbers that deposit_block may add before the next drain.
  static constexpr int step = row_buffer::room / (Split ? 2 : 1);
  ACC_PACK_INLINE void drain() {
    for (int first = 0; first < waiting; first += 8) {
      for (int i = first; i < first + 8; ++i) {
        char* const row = reinterpret_cast<char*>(to->row[i % rows::lanes]) + buffer->offset[i];
        row_buffer::pair sum;
        __builtin_memcpy(&sum, row, sizeof(sum));
        sum += buffer->parts[i];
        __builtin_memcpy(row, &sum, sizeof(sum));
      }
    }
    waiting = 0;
  }

 private:
  static constexpr long long field = 0x7ff;
  ACC_PACK_INLINE static integers biased_exponent(V x) {
    typedef unsigned long long bits __attribute__((vector_size(sizeof(integers))));
    return (integers)((bits)x.v >> 52) & field;
  }
  /// x times 2^608 if it is below 2^-319, times 2^-608 if it is 2^321 or more; the shift back.
  ACC_PACK_INLINE static V scaled(V x, integers& shift) {
    const integers e = biased_exponent(x);
    const integers back =
        ((integers)(e > 703) & rows::scaled) + ((integers)(e > 1343) & rows::scaled) - rows::scaled;
    shift += back;
    return x * V::of((typename V::vector)((1023 - back) << 52));
  }
  /// v * 2^s for 0 <= v < 2^32, 0 <= s < 16.
  ACC_PACK_INLINE static integers shifted(integers v, integers s) {
#if defined(__x86_64__) && !defined(__AVX2__)
    // SSE2 shifts all lanes alike: multiplied by the last 32 bits of 2^52 + 2^s.
    const auto power = (typename V::vector)((s + 1023) << 52) + 0x1p52;
    return (integers)_mm_mul_epu32((__m128i)v, (__m128i)power);
#else
    return v << s;
#endif
  }
  template <int... I>
  ACC_PACK_INLINE static void store_pairs(integers low, integers high, row_buffer::pair* pairs,
                                          std::integer_sequence<int, I...>) {
    const integers first = __builtin_shufflevector(low, high, ((I & 1) * W + I / 2)...);
    const integers second = __builtin_shufflevector(low, high, ((I & 1) * W + I / 2 + W / 2)...);
    __builtin_memcpy(pairs, &first, sizeof(first));
    __builtin_memcpy(pairs + W / 2, &second, sizeof(second));
  }

  /// Deposits x with biased exponent e, shift / width rows up.
  ACC_PACK_INLINE void deposit(V x, integers e, integers shift) {
    typedef unsigned long long bits __attribute__((vector_size(sizeof(integers))));
    const integers b = (integers)x.v, subnormal = e == 0;
    const integers next = e + 1;  // so that NaN and infinity have a row of their own
    const integers s = (next - subnormal) & (rows::width - 1);
    constexpr long long low_mask = (1LL << rows::low_bits) - 1;
    const integers upper = (integers)((bits)b >> rows::low_bits) & low_mask;
    const integers one = ~subnormal & (1LL << rows::low_bits);
    const integers sign = -(integers)((bits)b >> 63);
    const integers low = (shifted(b & low_mask, s) ^ sign) - sign;
    const integers high = (shifted(upper | one, s) ^ sign) - sign;
    // A row has as many bytes as it has exponents.
    static_assert(sizeof(to->row[0][0]) == rows::width);
    const integers at = (next & -rows::width) + shift;
    store_pairs(low, high, buffer->parts + waiting, std::make_integer_sequence<int, W>{});
    __builtin_memcpy(buffer->offset + waiting, &at, sizeof(at));
    waiting += W;
  }
};

template <class Terms, class T>
struct row_kernel {
  static constexpr int W = doubles_at_once;
  using Entry = row_entry<W, (Terms::inputs == 2) && std::is_same_v<T, double>>;
  static bool run(const T* x, const T* y, std::int64_t n, rows_of<Terms, T>* rows) {
    if constexpr (Terms::sums == 2) {
      row_buffer buffer[2];
      Entry a[2] = {Entry(&rows[0], &buffer[0]), Entry(&rows[1], &buffer[1])};
      return add(a, x, y, n);
    } else {
      row_buffer buffer;
      Entry a[1] = {Entry(rows, &buffer)};
      return add(a, x, y, n);
    }
  }

 private:
  ACC_PACK_INLINE static bool add(Entry* a, const T* x, const T* y, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += Entry::step) {
      deposit_block<Terms>(a, x + i, y + i, n - i < Entry::step ? n - i : Entry::step);
      for (int s = 0; s < Terms::sums; ++s) a[s].drain();
    }
    bool finite = true;
    for (int s = 0; s < Terms::sums; ++s) finite &= a[s].all_finite();
    return !finite;
  }
};

template <class Terms, class T>
rows_function<Terms, T> rows() {
  return &row_kernel<Terms, T>::run;
}

}  // namespace acc::backends::host::ACC_HOST_ISA
