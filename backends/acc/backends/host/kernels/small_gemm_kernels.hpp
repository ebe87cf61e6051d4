// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernels of small matrix products by vector registers (gemm.hpp says what they do): tiles of
/// a few rows and registers, which read A and B where they lie, as far as they go, and hold the
/// chains of their entries from the first product to the last.

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/nan_bits.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/section_sum.hpp>
#include <acc/core/gemm/strip_sum.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace acc::backends::host::ACC_HOST_ISA {

/// The first `count` numbers of a register, 1 to W: of memory, the others are neither read nor
/// written. The reads' others are 0.
template <class S>
class first_numbers {
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;

 public:
  ACC_SIMD_INLINE explicit first_numbers(std::int64_t count)
      : count_(int(count))
#if defined(__AVX512F__)
        ,
        mask_(mask((std::uint64_t(1) << count) - 1))
#elif defined(__AVX2__)
        ,
        mask_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(
            all_and_none.data() + (32 - count * std::int64_t(sizeof(S))))))
#endif
  {
  }
  ACC_SIMD_INLINE V load(const S* p) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(S) == 4) return V::of(_mm512_maskz_loadu_ps(mask_, p));
    if constexpr (sizeof(S) == 8) return V::of(_mm512_maskz_loadu_pd(mask_, p));
#elif defined(__AVX2__)
    if constexpr (sizeof(S) == 4) return V::of(_mm256_maskload_ps(p, mask_));
    if constexpr (sizeof(S) == 8) return V::of(_mm256_maskload_pd(p, mask_));
#endif
    V x(S(0));
    for (int i = 0; i < count_; ++i) x.v[i] = p[i];
    return x;
  }
  ACC_SIMD_INLINE void store(S* p, V x) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(S) == 4) return _mm512_mask_storeu_ps(p, mask_, x.v);
    if constexpr (sizeof(S) == 8) return _mm512_mask_storeu_pd(p, mask_, x.v);
#elif defined(__AVX2__)
    if constexpr (sizeof(S) == 4) return _mm256_maskstore_ps(p, mask_, x.v);
    if constexpr (sizeof(S) == 8) return _mm256_maskstore_pd(p, mask_, x.v);
#endif
    for (int i = 0; i < count_; ++i) p[i] = x[i];
  }

 private:
  int count_;
#if defined(__AVX512F__)
  using mask = std::conditional_t<sizeof(S) == 4, __mmask16, __mmask8>;
  mask mask_;
#elif defined(__AVX2__)
  static constexpr auto all_and_none = [] {
    std::array<signed char, 64> bytes{};
    for (std::size_t i = 0; i < 32; ++i) bytes[i] = -1;
    return bytes;
  }();
  __m256i mask_;
#endif
};

template <class Method, class S>
struct small_gemm {
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;
  using arguments = small_gemm_arguments<S>;

  /// A tile of R rows and C registers, of which the last one may be a part.
  template <int R, int C>
  struct tile {
    const arguments& p;
    const std::int64_t row, column;
    const first_numbers<S> last;

    /// Its entries by a method that is Method, or the one that decides where that cannot.
    template <class M, bool ReadsC>
    ACC_SIMD_INLINE void values_by(V (&values)[R * C]) const {
      using totals = typename impl::strip_sum<M, V>::totals;
      typename impl::strip_sum<M, V>::chain sums[R * C];
      // Three rows to a pointer: as many as an address reaches by the stride and its double.
      const S* a[(R + 2) / 3];
      unrolled<(R + 2) / 3>(ACC_UNROLLED(g) { a[g] = p.a + (row + 3 * g) * p.a_row; });
      const S* b = p.b + column;
      const std::int64_t a_row = p.a_row, a_k = p.a_k, b_k = p.b_k;
      for (std::int64_t k = 0; k < p.k; ++k) {
        V bs[C];
        unrolled<C>(ACC_UNROLLED(c) { bs[c] = part(b, c); });
        unrolled<R>(ACC_UNROLLED(r) {
          const V as(a[r / 3][r % 3 * a_row]);
          unrolled<C>(ACC_UNROLLED(c) { sums[r * C + c].add_product(as, bs[c]); });
        });
        unrolled<(R + 2) / 3>(ACC_UNROLLED(g) { a[g] += a_k; });
        b += b_k;
      }
      if (p.alpha == S(0)) __builtin_unreachable();  // the compiler need not ask
      if (ReadsC && p.beta == S(0)) __builtin_unreachable();
      const impl::scaling<S> scale{{p.alpha, S(0)}, {ReadsC ? p.beta : S(0), S(0)}};
      unrolled<R * C>(ACC_UNROLLED(i) {
        totals t;
        t.close(sums[i]);
        const auto sum = impl::section_of(t, sums[i]);
        const V before = ReadsC ? part(p.c + (row + i / C) * p.c_row + column, i % C) : V(S(0));
        const impl::entry_part<V> entry{sum.high(), sum.low(), before};
        values[i] = impl::scaled<totals::has_low, 1>(scale, entry, entry, V(S(0)));
      });
    }
    ACC_SIMD_INLINE V part(const S* from, int c) const {
      return c < C - 1 ? V::load(from + c * W) : last.load(from + c * W);
    }

    /// Writes it, unless there is a NaN.
    template <bool ReadsC>
    ACC_SIMD_INLINE bool multiply() const {
      V values[R * C];
      values_by<Method, ReadsC>(values);
      std::uint64_t nan = 0;
      unrolled<R * C>(ACC_UNROLLED(i) { nan |= nan_bits(values[i]); });
      if (nan != 0) return false;
      write(values);
      return true;
    }
    /// The same with a NaN: rare. Nothing of the tile has been written, so what C was is still
    /// there.
    template <bool ReadsC>
    void multiply_with_fallback() const {
      V values[R * C], others[R * C];
      values_by<Method, ReadsC>(values);
      values_by<impl::fallback, ReadsC>(others);
      for (int i = 0; i < R * C; ++i) {
        for (int l = 0; l < W; ++l) {
          if (!impl::needs_fallback(values[i][l])) continue;
          const S other = others[i][l];
          values[i].v[l] =
              impl::needs_fallback(other) ? std::numeric_limits<S>::quiet_NaN() : other;
        }
      }
      write(values);
    }
    ACC_SIMD_INLINE void write(const V (&values)[R * C]) const {
      unrolled<R * C>(ACC_UNROLLED(i) {
        S* const to = p.c + (row + i / C) * p.c_row + column + i % C * W;
        if (i % C < C - 1)
          values[i].store(to);
        else
          last.store(to, values[i]);
      });
    }
  };

  template <int R, int C>
  ACC_SIMD_INLINE static tile<R, C> tile_at(const arguments& p, std::int64_t row,
                                            std::int64_t column, std::int64_t columns) {
    return {p, row, column, first_numbers<S>(columns - (C - 1) * W)};
  }
  template <int R, int C, bool ReadsC>
  [[gnu::noinline]] static void with_fallback(const arguments& p, std::int64_t row,
                                              std::int64_t column, std::int64_t columns) {
    tile_at<R, C>(p, row, column, columns).template multiply_with_fallback<ReadsC>();
  }
  template <int R, int C, bool ReadsC>
  static void multiply_rows(const arguments& p, std::int64_t row, std::int64_t column,
                            std::int64_t columns) {
    if (!tile_at<R, C>(p, row, column, columns).template multiply<ReadsC>())
      with_fallback<R, C, ReadsC>(p, row, column, columns);
  }
  /// All rows of C registers.
  template <int C, bool ReadsC>
  static void multiply_columns(const arguments& p, std::int64_t column, std::int64_t columns) {
    constexpr int most_rows = C == 1 || (C == 2 && has_32_registers) ? 8 : C == 2 ? 4 : 1;
    std::int64_t row = 0;
    if constexpr (most_rows >= 8)
      for (; row + 8 <= p.m; row += 8) multiply_rows<8, C, ReadsC>(p, row, column, columns);
    if constexpr (most_rows >= 4)
      for (; row + 4 <= p.m; row += 4) multiply_rows<4, C, ReadsC>(p, row, column, columns);
    if constexpr (most_rows >= 2)
      for (; row + 2 <= p.m; row += 2) multiply_rows<2, C, ReadsC>(p, row, column, columns);
    for (; row < p.m; ++row) multiply_rows<1, C, ReadsC>(p, row, column, columns);
  }
  /// C registers of columns from `column` on, or as many as there are.
  template <int C, bool ReadsC>
  static void step(const arguments& p, std::int64_t& column) {
    const std::int64_t columns = std::min<std::int64_t>(p.n - column, C * W);
    multiply_columns<C, ReadsC>(p, column, columns);
    column += columns;
  }
  template <bool ReadsC>
  static void multiply_all(const arguments& p) {
    std::int64_t column = 0;
    // A row alone has few chains: more registers of it hide the latency of an FMA.
    if (p.m == 1) {
      if constexpr (has_32_registers)
        while (p.n - column > 7 * W) step<8, ReadsC>(p, column);
      while (p.n - column > 3 * W) step<4, ReadsC>(p, column);
    }
    while (p.n - column > W) step<2, ReadsC>(p, column);
    if (p.n > column) step<1, ReadsC>(p, column);
  }
  static void multiply(const arguments& p) {
    if (p.beta == S(0)) return multiply_all<false>(p);
    multiply_all<true>(p);
  }
};

template <class Method, class S>
small_gemm_function<S> get_small_gemm() {
  return &small_gemm<Method, S>::multiply;
}

#define ACC_INSTANTIATE_SMALL_GEMM(Method, S) \
  template small_gemm_function<S> get_small_gemm<Method, S>();
ACC_SMALL_GEMMS(ACC_INSTANTIATE_SMALL_GEMM)

}  // namespace acc::backends::host::ACC_HOST_ISA
