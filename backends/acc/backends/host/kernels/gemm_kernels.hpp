// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The GEMM kernels by vector registers (gemm.hpp says what they do): the microkernel, packing of
/// panels, the sums of sections, and the epilogue.

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/section_sum.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/numbers/complex_product.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace acc::backends::host::ACC_HOST_ISA {

#if defined(__AVX512F__) || !defined(__x86_64__)
using mr_choices = microkernel_tuning::mr_of_32_registers;
#else
using mr_choices = microkernel_tuning::mr_of_16_registers;
#endif
template <int... Mr>
constexpr int largest(std::integer_sequence<int, Mr...>) {
  return std::max({Mr...});
}
inline constexpr int max_mr = largest(mr_choices{});
static_assert(max_mr <= microkernel_tuning::most_rows);
/// Registers of a row of the tile, and numbers.
inline constexpr int registers_per_row = microkernel_tuning::registers_per_row;
template <class S>
inline constexpr int nr_of = registers_per_row * vector_width<S>;

/// The numbers of two registers for which core's needs_fallback holds, as bits: those that are NaN
/// in either, which vector units find in one instruction.
template <class T, int W>
ACC_SIMD_INLINE std::uint64_t nan_bits(simd<T, W> x, simd<T, W> y) {
#if defined(__AVX512F__)
  if constexpr (sizeof(x.v) == 64 && sizeof(T) == 4)
    return _mm512_cmp_ps_mask(x.v, y.v, _CMP_UNORD_Q);
  if constexpr (sizeof(x.v) == 64 && sizeof(T) == 8)
    return _mm512_cmp_pd_mask(x.v, y.v, _CMP_UNORD_Q);
#elif defined(__AVX2__)
  if constexpr (sizeof(x.v) == 32 && sizeof(T) == 4)
    return unsigned(_mm256_movemask_ps(_mm256_cmp_ps(x.v, y.v, _CMP_UNORD_Q)));
  if constexpr (sizeof(x.v) == 32 && sizeof(T) == 8)
    return unsigned(_mm256_movemask_pd(_mm256_cmp_pd(x.v, y.v, _CMP_UNORD_Q)));
#endif
  std::uint64_t bits = 0;
  for (int i = 0; i < W; ++i)
    bits |= std::uint64_t(impl::needs_fallback(x[i]) || impl::needs_fallback(y[i])) << i;
  return bits;
}
template <class T, int W>
ACC_SIMD_INLINE std::uint64_t nan_bits(simd<T, W> x) {
  return nan_bits(x, x);
}

// The microkernel: the products of a tile of C, with chains in registers and totals in memory.

/// What the totals are before the first strip: as large as those of any tile.
alignas(
    64) inline constexpr unsigned char zero_totals[2 * max_mr * registers_per_row * vector_bytes]{};

/// Rows of a tile whose chains fit the registers together.
template <class Method, int Mr>
inline constexpr int rows_at_once =
    std::is_same_v<Method, compensated> ? std::min(Mr, microkernel_tuning::compensated_rows_at_once)
                                        : Mr;

template <class Method, class S, int Mr>
struct gemm_microkernel {
  static constexpr int W = vector_width<S>, C = registers_per_row, nr = nr_of<S>;
  using V = simd<S, W>;
  using sum = impl::strip_sum<Method, V>;
  using chain = typename sum::chain;
  using totals = typename sum::totals;
  using arguments = microkernel_arguments<S>;
  static constexpr int components = chain::components + totals::components;
  static constexpr int step = rows_at_once<Method, Mr>;
  static constexpr int line = 64 / int(sizeof(S));

  template <class Number>
  ACC_SIMD_INLINE static Number* at(Number* state, int component, int row, int c) {
    return state + (component * Mr + row) * nr + c * W;
  }

  /// Numbers of A for N rows: of a panel, or in place.
  template <int N, bool InPlace>
  struct a_rows {
    const S* a;
    ACC_SIMD_INLINE a_rows(const arguments& p, int row) : a(p.a + row) {}
    ACC_SIMD_INLINE S operator[](int r) const { return a[r]; }
    ACC_SIMD_INLINE void advance() { a += Mr; }
  };
  /// Three rows to a pointer: as many as an address reaches by the stride and its double.
  template <int N>
  struct a_rows<N, true> {
    const S* a[(N + 2) / 3];
    const std::int64_t step, k_step;
    ACC_SIMD_INLINE a_rows(const arguments& p, int row) : step(p.a_row), k_step(p.a_k) {
      unrolled<(N + 2) / 3>(ACC_UNROLLED(g) { a[g] = p.a + (row + 3 * g) * step; });
    }
    ACC_SIMD_INLINE S operator[](int r) const { return a[r / 3][r % 3 * step]; }
    ACC_SIMD_INLINE void advance() {
      unrolled<(N + 2) / 3>(ACC_UNROLLED(g) { a[g] += k_step; });
    }
  };

  /// The products of N rows, from row `row` of the tile on.
  template <int N, bool InPlace, bool ToC>
  ACC_SIMD_INLINE static bool multiply_rows(const arguments& p, int row) {
    chain sums[N * C];
    const auto chains = [&](auto f) __attribute__((always_inline)) {
      unrolled<N * C>(ACC_UNROLLED(i) {
        unrolled<chain::components>(
            ACC_UNROLLED(k) { f(sums[i].component(k), at(p.state, k, row + i / C, i % C)); });
      });
    };
    S* const totals_now = at(p.state, chain::components, 0, 0);
    const S* totals_before = totals_now;
    if (ToC || p.first) {
      totals_before = reinterpret_cast<const S*>(zero_totals);
    } else {
      chains([](V& x, const S* from) { x = V::load(from); });
    }

    a_rows<N, InPlace> a(p, row);
    const S* b = p.b;
    const S* next_b = p.next_b;
    std::int64_t left = p.k, until_close = p.until_close;
    while (left > 0) {
      const std::int64_t count = std::min(left, until_close);
      for (std::int64_t k = 0; k < count; ++k) {
        __builtin_prefetch(next_b, 0, 2);
        if constexpr (Mr <= 2) __builtin_prefetch(next_b + line, 0, 2);
        next_b += p.next_b_step;
        if constexpr (N == max_mr) {
          if constexpr (!InPlace)
            __builtin_prefetch(a.a + microkernel_tuning::products_ahead_a * Mr, 0, 3);
          for (int i = 0; i < nr; i += line)
            __builtin_prefetch(b + microkernel_tuning::products_ahead_b * p.b_step + i, 0, 3);
        }
        V bs[C];
        unrolled<C>(ACC_UNROLLED(c) { bs[c] = V::load(b + c * W); });
        unrolled<N>(ACC_UNROLLED(r) {
          const V as(a[r]);
          unrolled<C>(ACC_UNROLLED(c) { sums[r * C + c].add_product(as, bs[c]); });
        });
        a.advance();
        b += p.b_step;
      }
      left -= count;
      until_close -= count;
      if (ToC ? left > 0 : until_close == 0 || (left == 0 && p.last)) {
        unrolled<N * C>(
            ACC_UNROLLED(i) { close(sums[i], totals_before, totals_now, row + i / C, i % C); });
        totals_before = totals_now;
        until_close = p.strip;
      }
    }
    if constexpr (ToC) return rows_to_c<N>(p, row, sums, totals_before);
    chains([](const V& x, S* to) { x.store(to); });
    if (totals::components > 0 && totals_before != totals_now) {  // no strip has ended yet
      unrolled<N * C>(ACC_UNROLLED(i) {
        for (int k = 0; k < totals::components; ++k)
          V(S(0)).store(at(totals_now, k, row + i / C, i % C));
      });
    }
    return true;
  }

  /// Closes the last strip of rows, whose chains are in registers, and writes them, unless there is
  /// a NaN.
  template <int N>
  ACC_SIMD_INLINE static bool rows_to_c(const arguments& p, int row, chain (&sums)[N * C],
                                        const S* totals_before) {
    if (p.alpha == S(0)) __builtin_unreachable();  // the compiler need not ask
    const impl::scaling<S> scale{{p.alpha, S(0)}, {S(0), S(0)}};
    V values[N * C];
    std::uint64_t nan = 0;
    unrolled<N * C>(ACC_UNROLLED(i) {
      totals t;
      if constexpr (totals::components > 0)
        for (int k = 0; k < totals::components; ++k)
          t.component(k) = V::load(at(totals_before, k, row + i / C, i % C));
      t.close(sums[i]);
      const auto sum = impl::section_of(t, sums[i]);
      const impl::entry_part<V> part{sum.high(), sum.low(), V(S(0))};
      values[i] = impl::scaled<totals::has_low, 1>(scale, part, part, V(S(0)));
      if constexpr (i % 2 == 1) nan |= nan_bits(values[i - 1], values[i]);
    });
    static_assert(C % 2 == 0);
    if (nan != 0) return false;
    unrolled<N * C>(
        ACC_UNROLLED(i) { values[i].store(p.c + (row + i / C) * p.c_step + i % C * W); });
    return true;
  }

  /// Closes a strip into the totals `before` and puts them in `now`.
  ACC_SIMD_INLINE static void close(chain& strip, const S* before, S* now, int row, int c) {
    if constexpr (totals::components > 0) {
      totals t;
      for (int k = 0; k < totals::components; ++k) t.component(k) = V::load(at(before, k, row, c));
      t.close(strip);
      for (int k = 0; k < totals::components; ++k) t.component(k).store(at(now, k, row, c));
    }
  }

  template <bool InPlace>
  static void multiply(const arguments& p) {
    if (p.next_state != p.state)
      for (int i = 0; i < components * Mr * nr; i += line)
        __builtin_prefetch(p.next_state + i, 1, 2);
    int row = 0;
    for (; row + step <= Mr; row += step) multiply_rows<step, InPlace, false>(p, row);
    if constexpr (Mr % step != 0) multiply_rows<Mr % step, InPlace, false>(p, row);
  }
  static bool multiply_to_c(const arguments& p) {
    int row = 0;
    for (; row + step <= Mr; row += step)
      if (!multiply_rows<step, true, true>(p, row)) return false;
    if constexpr (Mr % step != 0) return multiply_rows<Mr % step, true, true>(p, row);
    return true;
  }
};

// Packing: panels of A are mr rows wide, those of B nr columns.

/// W registers of W numbers, transposed. Each step moves number l of register r, written as an
/// address (r, l) of bits, to that address rotated by a bit. After as many steps as l has bits, r
/// and l have changed places.
template <int Steps, class V, std::size_t W>
ACC_SIMD_INLINE void transpose(V (&rows)[W]) {
  if constexpr (Steps > 0) {
    V next[W];
    unrolled<int(W) / 2>(ACC_UNROLLED(i) {
      next[i] = every_other<1, 0>(rows[2 * i], rows[2 * i + 1]);
      next[i + int(W) / 2] = every_other<1, 1>(rows[2 * i], rows[2 * i + 1]);
    });
    unrolled<int(W)>(ACC_UNROLLED(i) { rows[i] = next[i]; });
    transpose<Steps - 1>(rows);
  }
}

/// Panels of a fixed width.
template <class T, class S, int Width>
struct panel {
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;
  static constexpr int ahead = microkernel_tuning::packing_ahead;

  /// The numbers of each k are contiguous.
  static void copy(const panel_source<T>& from, S* out) {
    for (std::int64_t k = 0; k < from.k; ++k, out += Width) {
      const T* x = from.data + k * from.k_stride;
      __builtin_prefetch(x + ahead * from.k_stride, 0, 2);
      if constexpr (Width % W == 0) {
        for (int l = 0; l < Width; l += W) load_as<S, W>(x + l).store(out + l);
      } else {
        for (int l = 0; l < Width; ++l) out[l] = S(x[l]);
      }
    }
  }

  /// The numbers of each row of A (column of B) are contiguous: squares of W by W numbers.
  static void transposed(const panel_source<T>& from, S* out) {
    const std::int64_t whole = from.k / W * W;
    for (std::int64_t k = 0; k < whole; k += W) {
      unrolled<Width / W>(ACC_UNROLLED(i) { square<W>(from, k, i * W, out); });
      if constexpr (Width % W != 0) square<Width % W>(from, k, Width / W * W, out);
    }
    panel_source<T> rest = from;
    rest.data += whole;
    rest.k -= whole;
    one_by_one(panel_kind::real, rest, out + whole * Width);
  }
  template <int Mn>
  ACC_SIMD_INLINE static void square(const panel_source<T>& from, std::int64_t k, int first,
                                     S* out) {
    V rows[W];
    unrolled<W>(ACC_UNROLLED(l) {
      const T* x = from.data + (first + l) * from.mn_stride + k;
      rows[l] = l < Mn ? load_as<S, W>(x) : V(S(0));
      if (l < Mn) __builtin_prefetch(x + ahead * W, 0, 2);
    });
    transpose<__builtin_ctz(unsigned(W))>(rows);
    unrolled<W>(ACC_UNROLLED(i) {
      std::memcpy(out + (k + i) * Width + first, &rows[i].v, sizeof(S) * Mn);
    });
  }

  /// Any kind, any strides, any mn.
  static void one_by_one(panel_kind kind, const panel_source<T>& from, S* out) {
    const S sign = from.conjugate ? S(-1) : S(1);
    if (kind == panel_kind::complex_columns) {
      // k' = 2 k + q, column 2 l + p: the factor in real product q of part p.
      using product = impl::complex_product;
      for (std::int64_t k = 0; k < from.k; ++k, out += 2 * Width) {
        const T* x = from.data + k * from.k_stride;
        for (int l = 0; l < Width / 2; ++l, x += from.mn_stride) {
          const S b[2] = {l < from.mn ? S(x[0]) : S(0), l < from.mn ? sign * S(x[1]) : S(0)};
          out[2 * l] = product::factor<0, 0>(b);
          out[2 * l + 1] = product::factor<1, 0>(b);
          out[Width + 2 * l] = product::factor<0, 1>(b);
          out[Width + 2 * l + 1] = product::factor<1, 1>(b);
        }
      }
      return;
    }
    const int parts = kind == panel_kind::complex_rows ? 2 : 1;
    for (std::int64_t k = 0; k < from.k; ++k) {
      for (int part = 0; part < parts; ++part, out += Width) {
        const T* x = from.data + k * from.k_stride + part;
        for (int l = 0; l < Width; ++l, x += from.mn_stride)
          out[l] = l >= from.mn ? S(0) : part == 1 ? sign * S(*x) : S(*x);
      }
    }
  }

  static void fill(panel_kind kind, const panel_source<T>& from, S* out) {
    const bool whole = kind == panel_kind::real && from.mn == Width;
    if (whole && from.mn_stride == 1) return copy(from, out);
    if (whole && from.k_stride == 1) return transposed(from, out);
    one_by_one(kind, from, out);
  }
};

template <class T, class S>
void pack_panel(panel_kind kind, const panel_source<T>& from, int width, S* out) {
  [&]<int... Mr>(std::integer_sequence<int, Mr...>) {
    const bool done = (... || (width == Mr && (panel<T, S, Mr>::fill(kind, from, out), true)));
    if (!done) panel<T, S, nr_of<S>>::fill(kind, from, out);
  }(mr_choices{});
}

// Small products: tiles of a few rows and registers, which read A and B where they lie, as far as
// they go, and hold the chains of their entries from the first product to the last.

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
  static constexpr bool many_registers = max_mr > 8;

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
    constexpr int most_rows = C == 1 || (C == 2 && many_registers) ? 8 : C == 2 ? 4 : 1;
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
      if constexpr (many_registers)
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

// Sections: from a tile's state to its sums.

template <class Method, class S>
struct tile_section {
  static constexpr int W = vector_width<S>, nr = nr_of<S>;
  using V = simd<S, W>;
  using chain = typename impl::strip_sum<Method, V>::chain;
  using totals = typename impl::strip_sum<Method, V>::totals;
  using sum = impl::section_sum<V, totals::has_low>;

  /// The section's sums of W entries from number `at` of a tile of `size` on.
  ACC_SIMD_INLINE static sum of(const S* state, int size, int at) {
    chain entry;
    totals total;
    for (int k = 0; k < chain::components; ++k) entry.component(k) = V::load(state + k * size + at);
    if constexpr (totals::components > 0)
      for (int k = 0; k < totals::components; ++k)
        total.component(k) = V::load(state + (chain::components + k) * size + at);
    return impl::section_of(total, entry);
  }
  ACC_SIMD_INLINE static sum load(const S* sums, int size, int at) {
    sum s;
    for (int k = 0; k < sum::components; ++k) s.component(k) = V::load(sums + k * size + at);
    return s;
  }

  static void run(int mr, const S* state, bool first, S* sums) {
    const int size = mr * nr;
    for (int at = 0; at < size; at += W) {
      sum next = of(state, size, at);
      if (!first) {
        sum s = load(sums, size, at);
        s.add(next);
        next = s;
      }
      for (int k = 0; k < sum::components; ++k) next.component(k).store(sums + k * size + at);
    }
  }
};

// The epilogue: from a tile of sums to a tile of C.

/// Scales the entries of a tile into C.
template <class Method, class S, class T>
struct tile_epilogue {
  static constexpr int W = vector_width<S>, nr = nr_of<S>;
  using V = simd<S, W>;
  typedef T narrow __attribute__((vector_size(W * sizeof(T))));
  using section = tile_section<Method, S>;

  ACC_SIMD_INLINE static V load(const T* p, int count) {
    T x[W] = {};
    if (count >= W) {
      std::memcpy(x, p, sizeof(x));
    } else {
      for (int i = 0; i < count; ++i) x[i] = p[i];
    }
    narrow v;
    std::memcpy(&v, x, sizeof(v));
    return V::of(__builtin_convertvector(v, typename V::vector));
  }

  template <int Parts>
  ACC_SIMD_INLINE static V scaled(const impl::scaling<S>& scale, V high, V low, V c) {
    const impl::entry_part<V> own{high, low, c};
    impl::entry_part<V> other = own;
    if constexpr (Parts == 2) other = {swap_pairs(high), swap_pairs(low), swap_pairs(c)};
    return impl::scaled<impl::has_low<Method>, Parts>(scale, own, other,
                                                      negate_odd(V(S(-1)), all_lanes{}));
  }

  static void run(int mr, const epilogue_arguments<S, T>& r) {
    const bool reads_c = r.scale.beta[0] != S(0) || r.scale.beta[1] != S(0);
    if (r.parts == 2) return run<2, true>(mr, r, r.scale);
    // What the compiler sees to be zero it leaves out.
    const impl::scaling<S>& s = r.scale;
    if (reads_c) return run<1, true>(mr, r, {{s.alpha[0], S(0)}, {s.beta[0], S(0)}});
    run<1, false>(mr, r, {{s.alpha[0], S(0)}, {S(0), S(0)}});
  }
  template <int Parts, bool ReadsC>
  ACC_SIMD_INLINE static void run(int mr, const epilogue_arguments<S, T>& r,
                                  const impl::scaling<S> scale) {
    const int size = mr * nr, columns = r.columns;
    const S* const state = r.state;
    const S* const before = r.before;
    const auto value_of = [&](int at, const T* c, int count) __attribute__((always_inline)) {
      auto sum = section::of(state, size, at);
      if (before) {
        auto total = section::load(before, size, at);
        total.add(sum);
        sum = total;
      }
      return scaled<Parts>(scale, sum.high(), sum.low(), ReadsC ? load(c, count) : V(S(0)));
    };
    const std::uint64_t all = (std::uint64_t(1) << (columns - 1)) * 2 - 1;
    for (int row = 0; row < r.rows; ++row) {
      T* const c = r.c + row * r.step;
      const std::uint64_t wanted = r.wanted[row];
      if (columns == nr && (wanted & all) == all) {
        V value[registers_per_row];
        std::uint64_t nan = 0;
        unrolled<registers_per_row>(ACC_UNROLLED(i) {
          value[i] = value_of(row * nr + i * W, c + i * W, W);
          nan |= nan_bits(value[i]);
        });
        if (nan == 0) {
          unrolled<registers_per_row>(ACC_UNROLLED(i) {
            const narrow rounded = __builtin_convertvector(value[i].v, narrow);
            std::memcpy(c + i * W, &rounded, sizeof(rounded));
          });
          r.wanted[row] = 0;
          continue;
        }
      }
      std::uint64_t not_written = 0;
      for (int column = 0; column < columns; column += W) {
        const int count = std::min(W, columns - column);
        const V value = value_of(row * nr + column, c + column, count);
        not_written |= write(c + column, count, value, wanted >> column, r.keeps_nan) << column;
      }
      r.wanted[row] = not_written;
    }
  }

  /// Writes the wanted numbers of value; returns those that were NaN and not written.
  [[gnu::noinline]] static std::uint64_t write(T* c, int count, V value, std::uint64_t wanted,
                                               bool keeps_nan) {
    constexpr std::uint64_t all = (std::uint64_t(1) << (W - 1)) * 2 - 1;
    const std::uint64_t nan = nan_bits(value);
    const narrow rounded = __builtin_convertvector(value.v, narrow);
    if (count == W && (wanted & all) == all && nan == 0) {
      std::memcpy(c, &rounded, sizeof(rounded));
      return 0;
    }
    std::uint64_t not_written = 0;
    for (int i = 0; i < count; ++i) {
      if (!(wanted >> i & 1)) continue;
      if (!(nan >> i & 1)) {
        c[i] = rounded[i];
      } else if (keeps_nan) {
        c[i] = std::numeric_limits<T>::quiet_NaN();
      } else {
        not_written |= std::uint64_t(1) << i;
      }
    }
    return not_written;
  }
};

template <class Method, class S>
const microkernels<S>& get_microkernels() {
  static constexpr microkernels<S> all = []<int... Mr>(std::integer_sequence<int, Mr...>) {
    microkernels<S> list(nr_of<S>, gemm_microkernel<Method, S, 1>::components);
    (list.add({Mr, &gemm_microkernel<Method, S, Mr>::template multiply<false>,
               &gemm_microkernel<Method, S, Mr>::template multiply<true>,
               &gemm_microkernel<Method, S, Mr>::multiply_to_c}),
     ...);
    return list;
  }(mr_choices{});
  return all;
}
template <class Method, class S>
small_gemm_function<S> get_small_gemm() {
  return &small_gemm<Method, S>::multiply;
}
template <class Method, class S>
section_function<S> get_section() {
  return &tile_section<Method, S>::run;
}
template <class Method, class S, class C>
epilogue_function<S, C> get_epilogue() {
  return &tile_epilogue<Method, S, C>::run;
}
template <class T, class S>
pack_function<T, S> get_pack() {
  return &pack_panel<T, S>;
}

#define ACC_INSTANTIATE_MICROKERNEL(Method, S, C)                \
  template const microkernels<S>& get_microkernels<Method, S>(); \
  template section_function<S> get_section<Method, S>();
ACC_MICROKERNELS(ACC_INSTANTIATE_MICROKERNEL)
#define ACC_INSTANTIATE_SMALL_GEMM(Method, S) \
  template small_gemm_function<S> get_small_gemm<Method, S>();
ACC_SMALL_GEMMS(ACC_INSTANTIATE_SMALL_GEMM)
#define ACC_INSTANTIATE_EPILOGUE(Method, S, C) \
  template epilogue_function<S, C> get_epilogue<Method, S, C>();
ACC_EPILOGUES(ACC_INSTANTIATE_EPILOGUE)
#define ACC_INSTANTIATE_PACK(T, S) template pack_function<T, S> get_pack<T, S>();
ACC_PANELS(ACC_INSTANTIATE_PACK)

}  // namespace acc::backends::host::ACC_HOST_ISA
