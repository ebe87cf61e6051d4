// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernels of small matrix products by vector registers (gemm.hpp says what they do): tiles of
/// a few rows and registers, which read A and B where they lie, as far as they go, and hold the
/// chains of their entries from the first product to the last.

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/nan_bits.hpp>
#include <acc/backends/host/kernels/first_numbers.hpp>
#include <acc/backends/host/kernels/row_lanes.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/transpose.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/section_sum.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/numbers/complex_product.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace acc::backends::host::ACC_HOST_ISA {

/// a, negated in lanes where `signs` is -0; elsewhere it is +0.
template <class S, int W>
ACC_SIMD_INLINE simd<S, W> with_signs(simd<S, W> a, simd<S, W> signs) {
  using integer = std::conditional_t<sizeof(S) == 8, long long, int>;
  typedef integer bits __attribute__((vector_size(W * sizeof(S))));
  return simd<S, W>::of((typename simd<S, W>::vector)((bits)a.v ^ (bits)signs.v));
}
/// Even and odd numbers in turn.
template <class S, int W, int... I>
ACC_SIMD_INLINE simd<S, W> pairs_of(S even, S odd, std::integer_sequence<int, I...>) {
  return simd<S, W>::of(typename simd<S, W>::vector{(I % 2 == 0 ? even : odd)...});
}
template <class S, int W>
ACC_SIMD_INLINE simd<S, W> pairs_of(S even, S odd) {
  return pairs_of<S, W>(even, odd, std::make_integer_sequence<int, W>{});
}
template <int Part, class S, int W, int... I>
ACC_SIMD_INLINE simd<S, W> part_of_pairs(simd<S, W> a, std::integer_sequence<int, I...>) {
  return simd<S, W>::of(__builtin_shufflevector(a.v, a.v, (I / 2 * 2 + Part)...));
}
/// The first (Part = 0) or second number of each pair, in both its lanes.
template <int Part, class S, int W>
ACC_SIMD_INLINE simd<S, W> part_of_pairs(simd<S, W> a) {
  return part_of_pairs<Part>(a, std::make_integer_sequence<int, W>{});
}
/// The pair at p in each pair of lanes.
template <class S, int W>
ACC_SIMD_INLINE simd<S, W> load_pair(const S* p) {
  using V = simd<S, W>;
  if constexpr (sizeof(S) == 4) {
    double pair;  // moved, not computed with
    std::memcpy(&pair, p, sizeof pair);
    return V::of((typename V::vector)(simd<double, W / 2>(pair).v));
  }
#if defined(__AVX512F__)
  if constexpr (sizeof(S) == 8)
    return V::of(_mm512_castps_pd(_mm512_broadcast_f32x4(_mm_castpd_ps(_mm_loadu_pd(p)))));
#elif defined(__AVX2__)
  if constexpr (sizeof(S) == 8)
    return V::of(_mm256_castps_pd(_mm256_broadcast_ps(reinterpret_cast<const __m128*>(p))));
#endif
  return pairs_of<S, W>(p[0], p[1]);
}

/// Of products of real numbers (Parts = 1), or complex ones, whose parts are neighboring lanes.
template <class Method, class S, int Parts>
struct small_gemm {
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;
  using arguments = small_gemm_arguments<S, Parts>;

  /// Numbers of B that are packed at a time: half of a first cache.
  static constexpr std::int64_t packed = small_gemm_tuning::packed;

  /// The chains of a row of C registers, of `columns` entries, where the numbers of a column of B
  /// are neighbors: x, which they are multiplied by, are k neighbors, too.
  template <int C, bool Whole>
  [[gnu::noinline]] static void sum_along(const S* b, std::int64_t b_column, std::int64_t columns,
                                          const S* x, std::int64_t k, V (&sums)[C]) {
    using lanes = row_lanes<S, S, W>;
    constexpr int N = lanes::N, line = lanes::line;
    V c[C];
    unrolled<C>(ACC_UNROLLED(g) { c[g] = V(S(0)); });
    const auto column = [&](auto g, int r) __attribute__((always_inline)) {
      const std::int64_t j = g * W + r;
      return b + (Whole ? j : std::min(j, columns - 1)) * b_column;
    };
    for (; k >= line; k -= line, b += line, x += line) {
      unrolled<line / N>(ACC_UNROLLED(s) {
        V numbers[C][N];
        unrolled<C>(ACC_UNROLLED(g) {
          lanes::load_square([&](int r)
                                 __attribute__((always_inline)) { return column(g, r) + s * N; },
                             numbers[g]);
        });
        unrolled<N>(ACC_UNROLLED(i) {
          const V factor(x[s * N + i]);
          unrolled<C>(ACC_UNROLLED(g) { c[g] = fma(factor, numbers[g][i], c[g]); });
        });
      });
    }
    if (k > 0) {
      unrolled<C>(ACC_UNROLLED(g) {
        lanes::for_few([&](int r) __attribute__((always_inline)) { return column(g, r); }, int(k),
                       [&](int i, V numbers)
                           __attribute__((always_inline)) { c[g] = fma(V(x[i]), numbers, c[g]); });
      });
    }
    unrolled<C>(ACC_UNROLLED(g) { sums[g] = c[g]; });
  }

  /// How numbers of B, which are in lanes, and the one of A that they are multiplied by become the
  /// factors of real products. Of real numbers that is one product, of them as they are.
  struct real_factors {
    template <int Q>
    ACC_SIMD_INLINE V of_lanes(V b) const {
      return b;
    }
    template <class F>
    ACC_SIMD_INLINE static void for_each(const S* a, const F& f) {
      f(std::integral_constant<int, 0>{}, V(a[0]));
    }
  };
  /// Of complex numbers: those of complex_product. BIsFirst: whether B's are the first factor.
  template <bool BIsFirst>
  struct complex_factors {
    V signs[2];  ///< of each product: -0 where a lane's is negated
    ACC_SIMD_INLINE explicit complex_factors(const arguments& p) {
      const auto sign = [&](int part, int q) {
        return impl::complex_product::negates(part, q, p.conjugates_first, p.conjugates_second)
                   ? S(-0.0)
                   : S(0);
      };
      unrolled<2>(ACC_UNROLLED(q) { signs[q] = pairs_of<S, W>(sign(0, q), sign(1, q)); });
    }
    /// B's factors in real product Q: part Q where B's numbers are the first factor, else, in
    /// lanes of part p, part (p xor Q).
    template <int Q>
    ACC_SIMD_INLINE V of_lanes(V b) const {
      if constexpr (BIsFirst) return with_signs(part_of_pairs<Q>(b), signs[Q]);
      return with_signs(Q == 0 ? b : swap_pairs(b), signs[Q]);
    }
    /// Calls f(q, A's factors) for the real products q = 0 and q = 1.
    template <class F>
    ACC_SIMD_INLINE static void for_each(const S* a, const F& f) {
      if constexpr (BIsFirst) {
        const V pairs = load_pair<S, W>(a);
        f(std::integral_constant<int, 0>{}, pairs);
        f(std::integral_constant<int, 1>{}, swap_pairs(pairs));
      } else {
        f(std::integral_constant<int, 0>{}, V(a[0]));
        f(std::integral_constant<int, 1>{}, V(a[1]));
      }
    }
  };

  /// A tile of R rows and C registers, of which the last one may be a part. Along: of one row, with
  /// columns of B along which k are neighbors.
  template <int R, int C, bool Along>
  struct tile {
    const arguments& p;
    const S* const columns_of_b;  ///< the first of them; numbers of one k are neighbors
    const std::int64_t b_k;       ///< from one k to the next in them; along, to the next column
    const std::int64_t row, column, columns;
    const first_numbers<S> last;

    /// The chains of its entries.
    ACC_SIMD_INLINE void sum_products(V (&sums)[R * C]) const {
      if constexpr (Along) {
        static_assert(R == 1 && Parts == 1);
        if (columns == C * W) return sum_along<C, true>(columns_of_b, b_k, columns, p.a, p.k, sums);
        return sum_along<C, false>(columns_of_b, b_k, columns, p.a, p.k, sums);
      }
      if constexpr (Parts == 1)
        sum_products(real_factors(), sums);
      else if (p.b_is_first)
        sum_products(complex_factors<true>(p), sums);
      else
        sum_products(complex_factors<false>(p), sums);
    }
    template <class Factors>
    ACC_SIMD_INLINE void sum_products(const Factors& factors, V (&sums)[R * C]) const {
      // One by one: what a loop sets to 0 the compiler keeps in memory.
      unrolled<R * C>(ACC_UNROLLED(i) { sums[i] = V(S(0)); });
      // Three rows to a pointer: as many as an address reaches by the stride and its double.
      const S* a[(R + 2) / 3];
      unrolled<(R + 2) / 3>(ACC_UNROLLED(g) { a[g] = p.a + (row + 3 * g) * p.a_row; });
      const S* b = columns_of_b;
      const std::int64_t a_row = p.a_row, a_k = p.a_k;
      for (std::int64_t k = p.k; k > 0; --k) {
        V bs[Parts][C];
        unrolled<C>(ACC_UNROLLED(c) {
          const V x = part(b, c);
          unrolled<Parts>(ACC_UNROLLED(q) { bs[q][c] = factors.template of_lanes<q>(x); });
        });
        unrolled<R>(ACC_UNROLLED(r) {
          const auto add = [&](auto q, V as) __attribute__((always_inline)) {
            unrolled<C>(ACC_UNROLLED(c) { sums[r * C + c] = fma(as, bs[q][c], sums[r * C + c]); });
          };
          factors.for_each(a[r / 3] + r % 3 * a_row, add);
        });
        unrolled<(R + 2) / 3>(ACC_UNROLLED(g) { a[g] += a_k; });
        b += b_k;
      }
    }
    ACC_SIMD_INLINE static bool is_unit(S x) { return x == S(1) || x == S(-1); }
    template <bool ReadsC>
    ACC_SIMD_INLINE bool has_units() const {
      if constexpr (Parts == 2)
        if (p.alpha_im != S(0) || p.beta_im != S(0)) return false;
      return is_unit(p.alpha) && (!ReadsC || is_unit(p.beta));
    }
    /// Its entries by a method that is Method, or the one that decides where that cannot.
    template <class M, bool ReadsC>
    ACC_SIMD_INLINE void values_by(V (&values)[R * C]) const {
      using totals = typename impl::strip_sum<M, V>::totals;
      sum_products(values);
      impl::scaling<S> scale{{p.alpha, S(0)}, {ReadsC ? p.beta : S(0), S(0)}};
      if constexpr (Parts == 1) {
        if (p.alpha == S(0)) __builtin_unreachable();  // the compiler need not ask
        if (ReadsC && p.beta == S(0)) __builtin_unreachable();
      } else {
        scale.alpha[1] = p.alpha_im;
        if (ReadsC) scale.beta[1] = p.beta_im;
      }
      unrolled<R * C>(ACC_UNROLLED(i) {
        totals t;
        typename impl::strip_sum<M, V>::chain chain{values[i]};
        t.close(chain);
        const auto sum = impl::section_of(t, chain);
        const impl::entry_part<V> entry{sum.high(), sum.low(), before<ReadsC>(i)};
        if constexpr (Parts == 1) {
          values[i] = impl::scaled<totals::has_low, 1>(scale, entry, entry, V(S(0)));
        } else {
          const impl::entry_part<V> other{swap_pairs(entry.high), swap_pairs(entry.low),
                                          swap_pairs(entry.c)};
          const auto sign = [](int part) {
            return impl::complex_product::negates(part, 1) ? S(-1) : S(1);
          };
          values[i] = impl::scaled<totals::has_low, 2>(scale, entry, other,
                                                       pairs_of<S, W>(sign(0), sign(1)));
        }
      });
    }
    /// The same entries where alpha is 1 or -1, and beta 0, 1 or -1, their imaginary parts 0, which
    /// scaling leaves out: plain's, with +0 for -0. The strip leaves no error over, and both
    /// products are exact, so that high + low is the exact sum of two numbers, and its rounding the
    /// rounding of one addition. Where an infinity or an overflow makes NaN of the errors, the
    /// entry is plain's by definition. What the chain is added to is never -0, so the entry is not.
    template <bool ReadsC>
    ACC_SIMD_INLINE void values_of_units(V (&values)[R * C]) const {
      sum_products(values);
      const V alpha(p.alpha), beta(p.beta), zero(S(0));
      unrolled<R * C>(ACC_UNROLLED(i) {
        values[i] = fma(alpha, values[i], ReadsC ? fma(beta, before<ReadsC>(i), zero) : zero);
      });
    }
    template <bool ReadsC>
    ACC_SIMD_INLINE V before(int i) const {
      return ReadsC ? part(p.c + (row + i / C) * p.c_row + column, i % C) : V(S(0));
    }
    ACC_SIMD_INLINE V part(const S* from, int c) const {
      return c < C - 1 ? V::load(from + c * W) : last.load(from + c * W);
    }

    /// Writes it, unless there is a NaN.
    template <bool ReadsC>
    ACC_SIMD_INLINE bool multiply() const {
      V values[R * C];
      if (has_units<ReadsC>())
        values_of_units<ReadsC>(values);
      else
        values_by<Method, ReadsC>(values);
      std::uint64_t nan = 0;
      unrolled<(R * C + 1) / 2>(ACC_UNROLLED(i) {
        nan |= nan_bits(values[2 * i], values[std::min(2 * i + 1, R * C - 1)]);
      });
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

  template <int R, int C, bool Along>
  ACC_SIMD_INLINE static tile<R, C, Along> tile_at(const arguments& p, const S* b, std::int64_t b_k,
                                                   std::int64_t row, std::int64_t column,
                                                   std::int64_t columns) {
    return {p, b, b_k, row, column, columns, first_numbers<S>(columns - (C - 1) * W)};
  }
  template <int R, int C, bool ReadsC, bool Along>
  [[gnu::noinline]] static void with_fallback(const arguments& p, const S* b, std::int64_t b_k,
                                              std::int64_t row, std::int64_t column,
                                              std::int64_t columns) {
    tile_at<R, C, Along>(p, b, b_k, row, column, columns).template multiply_with_fallback<ReadsC>();
  }
  template <int R, int C, bool ReadsC, bool Along = false>
  static void multiply_rows(const arguments& p, const S* b, std::int64_t b_k, std::int64_t row,
                            std::int64_t column, std::int64_t columns) {
    if (!tile_at<R, C, Along>(p, b, b_k, row, column, columns).template multiply<ReadsC>())
      with_fallback<R, C, ReadsC, Along>(p, b, b_k, row, column, columns);
  }
  /// All rows of C registers.
  template <int C, bool ReadsC>
  static void multiply_columns(const arguments& p, const S* b, std::int64_t b_k,
                               std::int64_t column, std::int64_t columns) {
    constexpr int most_rows = C == 1 || (C == 2 && has_32_registers) ? 8 : C == 2 ? 4 : 1;
    std::int64_t row = 0;
    if constexpr (most_rows >= 8)
      for (; row + 8 <= p.m; row += 8) multiply_rows<8, C, ReadsC>(p, b, b_k, row, column, columns);
    // What is left of one register is one tile, as it may be all there is.
    if constexpr (C == 1 && Parts == 1) {
      const auto multiply = [&](auto rows) __attribute__((always_inline)) {
        multiply_rows<rows, C, ReadsC>(p, b, b_k, row, column, columns);
      };
      switch (p.m - row) {
        case 1:
          return multiply(std::integral_constant<int, 1>{});
        case 2:
          return multiply(std::integral_constant<int, 2>{});
        case 3:
          return multiply(std::integral_constant<int, 3>{});
        case 4:
          return multiply(std::integral_constant<int, 4>{});
        case 5:
          return multiply(std::integral_constant<int, 5>{});
        case 6:
          return multiply(std::integral_constant<int, 6>{});
        case 7:
          return multiply(std::integral_constant<int, 7>{});
        default:
          return;
      }
    }
    if constexpr (most_rows >= 4)
      for (; row + 4 <= p.m; row += 4) multiply_rows<4, C, ReadsC>(p, b, b_k, row, column, columns);
    if constexpr (most_rows >= 2)
      for (; row + 2 <= p.m; row += 2) multiply_rows<2, C, ReadsC>(p, b, b_k, row, column, columns);
    for (; row < p.m; ++row) multiply_rows<1, C, ReadsC>(p, b, b_k, row, column, columns);
  }

  /// A register's columns of B, or the first of them, for as many values of k, or the first: those
  /// of one k in a register, which `step` numbers of `to` lie apart.
  ACC_SIMD_INLINE static void pack_square(const arguments& p, std::int64_t k, std::int64_t column,
                                          std::int64_t columns, S* to, std::int64_t step) {
    constexpr int N = W / Parts;
    const std::int64_t values = std::min<std::int64_t>(N, p.k - k);
    const first_numbers<S> first(values * Parts);
    const S* from = p.b + k * Parts + column / Parts * p.b_column;
    V x[N];
    unrolled<N>(ACC_UNROLLED(j) {
      x[j] = j * Parts < columns ? first.load(from) : V(S(0));
      from += p.b_column;
    });
    transpose(x);
    unrolled<N>(ACC_UNROLLED(i) {
      if (i < values) x[i].store(to + i * step);
    });
  }
  /// The numbers of `columns` columns of B for one k, and zeros.
  static void pack_register(const S* b, std::int64_t b_column, std::int64_t columns, S* to) {
    for (std::int64_t j = 0; j < W; j += Parts, b += b_column)
      for (int part = 0; part < Parts; ++part) to[j + part] = j < columns ? b[part] : S(0);
  }
  /// C registers of columns, packed.
  template <int C>
  static void pack(const arguments& p, std::int64_t column, std::int64_t columns, S* to) {
    for (int c = 0; c < C; ++c, column += W, columns -= W, to += W) {
      if (p.b_k == Parts) {
        for (std::int64_t k = 0; k < p.k; k += W / Parts)
          pack_square(p, k, column, columns, to + k * (C * W), C * W);
      } else {
        const S* b = p.b + column / Parts * p.b_column;
        for (std::int64_t k = 0; k < p.k; ++k, b += p.b_k)
          pack_register(b, p.b_column, columns, to + k * (C * W));
      }
    }
  }
  template <int C, bool ReadsC>
  [[gnu::noinline]] static void multiply_packed(const arguments& p, std::int64_t column,
                                                std::int64_t columns) {
    alignas(V) S numbers[packed];
    pack<C>(p, column, columns, numbers);
    multiply_columns<C, ReadsC>(p, numbers, C * W, column, columns);
  }

  /// C registers of columns from `column` on, or as many as there are.
  template <int C, bool ReadsC>
  static void step(const arguments& p, std::int64_t& column) {
    const std::int64_t columns = std::min<std::int64_t>(p.n - column, C * W);
    if (p.b_column == Parts)
      multiply_columns<C, ReadsC>(p, p.b + column, p.b_k, column, columns);
    else
      multiply_packed<C, ReadsC>(p, column, columns);
    column += columns;
  }
  /// Whether so many registers of columns can be packed, if they have to be.
  static bool fits(const arguments& p, int registers) {
    return p.b_column == Parts || registers * W * p.k <= packed;
  }
  /// A row of C, where columns of B are read along k.
  template <int C, bool ReadsC>
  static void step_along(const arguments& p, std::int64_t& column) {
    const std::int64_t columns = std::min<std::int64_t>(p.n - column, C * W);
    multiply_rows<1, C, ReadsC, true>(p, p.b + column * p.b_column, p.b_column, 0, column, columns);
    column += columns;
  }
  template <bool ReadsC>
  static void multiply_along(const arguments& p) {
    std::int64_t column = 0;
    while (p.n - column > 3 * W) step_along<4, ReadsC>(p, column);
    if (p.n - column > 2 * W) return step_along<3, ReadsC>(p, column);
    if (p.n - column > W) return step_along<2, ReadsC>(p, column);
    if (p.n > column) step_along<1, ReadsC>(p, column);
  }
  template <bool ReadsC>
  [[gnu::noinline]] static void multiply_along_copy(arguments p) {
    S neighbors[packed / W];
    for (std::int64_t k = 0; k < p.k; ++k) neighbors[k] = p.a[k * p.a_k];
    p.a = neighbors;
    multiply_along<ReadsC>(p);
  }

  template <bool ReadsC>
  static void multiply_all(const arguments& p) {
    // Of fewer products a square has too little to do.
    if constexpr (Parts == 1)
      if (p.m == 1 && p.b_k == 1 && p.b_column != 1 && p.k >= row_lanes<S, S, W>::line / 2)
        return p.a_k == 1 ? multiply_along<ReadsC>(p) : multiply_along_copy<ReadsC>(p);
    if (p.n <= W && p.b_column == Parts) return multiply_columns<1, ReadsC>(p, p.b, p.b_k, 0, p.n);
    std::int64_t column = 0;
    // A row alone has few chains: more registers of it hide the latency of an FMA.
    if (p.m == 1) {
      if constexpr (has_32_registers && Parts == 1)
        while (p.n - column > 7 * W && fits(p, 8)) step<8, ReadsC>(p, column);
      while (p.n - column > 3 * W && fits(p, 4)) step<4, ReadsC>(p, column);
    }
    while (p.n - column > W && fits(p, 2)) step<2, ReadsC>(p, column);
    while (p.n > column) step<1, ReadsC>(p, column);
  }
  static void multiply(const arguments& p) {
    bool reads_c = p.beta != S(0);
    if constexpr (Parts == 2) reads_c = reads_c || p.beta_im != S(0);
    if (!reads_c) return multiply_all<false>(p);
    multiply_all<true>(p);
  }
};

template <class Method, class S, int Parts>
small_gemm_function<S, Parts> get_small_gemm() {
  return &small_gemm<Method, S, Parts>::multiply;
}

#define ACC_INSTANTIATE_SMALL_GEMM(Method, S, Parts) \
  template small_gemm_function<S, Parts> get_small_gemm<Method, S, Parts>();
ACC_SMALL_GEMMS(ACC_INSTANTIATE_SMALL_GEMM)

}  // namespace acc::backends::host::ACC_HOST_ISA
