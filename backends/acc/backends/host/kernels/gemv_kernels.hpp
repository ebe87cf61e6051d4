// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernels of matrix times vector by vector registers (gemv.hpp says what they do). Lanes are
/// entries: each has its chain, and products enter it in ascending k. What the two walks differ in
/// is how the numbers of A get into the lanes.

#include <acc/backends/host/kernels/gemv.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/section_sum.hpp>
#include <acc/core/gemm/strip_sum.hpp>

#include <algorithm>

namespace acc::backends::host::ACC_HOST_ISA {

/// The method that stands for all that have its chain.
template <class Method>
using chain_method = std::conditional_t<std::is_same_v<Method, compensated>, compensated, plain>;
template <class Method, class V>
using chain_of = typename impl::strip_sum<chain_method<Method>, V>::chain;

/// Whether the lines of `count` columns or rows, `stride` numbers apart, find their places in the
/// first cache, of which they take so many ways at most.
template <class T>
ACC_SIMD_INLINE bool fit_first_cache(std::int64_t count, std::int64_t stride, int ways) {
  const std::int64_t step = stride * std::int64_t(sizeof(T));
  constexpr std::int64_t way = gemv_tuning::first_cache_way;
  const std::int64_t apart = std::min(step & -step, way);  // they are, or a multiple of it
  return count * apart <= ways * way;
}

// Down the columns: a few columns at a time, over all rows; chains and totals are in memory.

/// `count` numbers, fewer than W, and zeros.
template <class S, int W, class T>
ACC_SIMD_INLINE simd<S, W> load_part_as(const T* p, int count) {
#if defined(__AVX512F__)
  const unsigned mask = (1U << count) - 1;
  if constexpr (std::is_same_v<T, double> && W == 8) {
    return simd<S, W>::of(_mm512_maskz_loadu_pd(__mmask8(mask), p));
  } else if constexpr (std::is_same_v<T, float> && W == 16) {
    return simd<S, W>::of(_mm512_maskz_loadu_ps(__mmask16(mask), p));
  } else
#endif
  {
    T x[W] = {};
    for (int i = 0; i < count; ++i) x[i] = p[i];
    return load_as<S, W>(x);
  }
}

template <int Which, class T, int W, int... I>
ACC_SIMD_INLINE simd<T, W> twice(simd<T, W> a, std::integer_sequence<int, I...>) {
  return simd<T, W>::of(__builtin_shufflevector(a.v, a.v, ((I & ~1) + Which)...));
}
/// The even (Which = 0) or odd lanes, each also in its neighbor's place.
template <int Which, class T, int W>
ACC_SIMD_INLINE simd<T, W> twice(simd<T, W> a) {
  return twice<Which>(a, std::make_integer_sequence<int, W>{});
}
template <class T, int W, int... I>
ACC_SIMD_INLINE simd<T, W> in_turn(const T* p, std::integer_sequence<int, I...>) {
  return simd<T, W>::of(typename simd<T, W>::vector{p[I % 2]...});
}

template <class Method, class T, class S, int Parts>
struct down_columns {
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;
  using sum = impl::strip_sum<Method, V>;
  using chain = chain_of<Method, V>;
  using totals = typename sum::totals;
  using arguments = gemv_arguments<T, S>;
  static_assert(std::is_same_v<chain, typename sum::chain>);
  static_assert(chain::components + totals::components <= max_gemv_components);

  /// The products of columns k, ..., k + J - 1. One for all methods that have this chain.
  template <int J>
  static void add_columns(const arguments& p, std::int64_t k) {
    V x[J * Parts];
    const T* columns[J];
    unrolled<J * Parts>(ACC_UNROLLED(q) {
      const S* factors = p.x + (k * Parts + q) * Parts;
      if constexpr (Parts == 1) x[q] = V(*factors);
      if constexpr (Parts == 2) x[q] = in_turn<S, W>(factors, std::make_integer_sequence<int, W>{});
    });
    unrolled<J>(ACC_UNROLLED(j) { columns[j] = p.a + (k + j) * p.stride; });
    const std::int64_t numbers = p.rows * Parts;
    const std::int64_t ahead = J * p.stride;
    const bool fetches = p.fetches;
    const auto add = [&](std::int64_t e, auto load) __attribute__((always_inline)) {
      chain c;
      unrolled<chain::components>(
          ACC_UNROLLED(i) { c.component(i) = V::load(p.state + i * p.step + e); });
      if (fetches) {
        unrolled<J>(ACC_UNROLLED(j) { __builtin_prefetch(columns[j] + e + ahead, 0, 2); });
      }
      unrolled<J>(ACC_UNROLLED(j) {
        const V a = load(columns[j] + e);
        if constexpr (Parts == 1) {
          c.add_product(a, x[j]);
        } else {
          c.add_product(twice<0>(a), x[2 * j]);
          c.add_product(twice<1>(a), x[2 * j + 1]);
        }
      });
      unrolled<chain::components>(
          ACC_UNROLLED(i) { c.component(i).store(p.state + i * p.step + e); });
    };
    std::int64_t e = 0;
    for (; e + W <= numbers; e += W)
      add(e, [](const T* a) __attribute__((always_inline)) { return load_as<S, W>(a); });
    if (e < numbers) {
      const int count = int(numbers - e);
      add(e,
          [=](const T* a) __attribute__((always_inline)) { return load_part_as<S, W>(a, count); });
    }
  }

  /// J columns as often as they fit between k and end; returns where they end.
  template <int J>
  static std::int64_t add_some(const arguments& p, std::int64_t k, std::int64_t end) {
    using of_chain = down_columns<chain_method<Method>, T, S, Parts>;
    for (; k + J <= end; k += J) of_chain::template add_columns<J>(p, k);
    return k;
  }

  /// f(e, chain, totals) for each register of entries.
  template <class F>
  ACC_SIMD_INLINE static void each(const arguments& p, F f) {
    for (std::int64_t e = 0; e < p.rows * Parts; e += W) {
      chain c;
      totals t;
      S* at = p.state + e;
      for (int i = 0; i < chain::components; ++i, at += p.step) c.component(i) = V::load(at);
      if constexpr (totals::components > 0)
        for (int i = 0; i < totals::components; ++i, at += p.step) t.component(i) = V::load(at);
      f(e, c, t);
    }
  }
  static void close(const arguments& p) {
    if constexpr (totals::components > 0) {
      each(p, [&](std::int64_t e, chain& c, totals& t) __attribute__((always_inline)) {
        t.close(c);
        S* at = p.state + e;
        for (int i = 0; i < chain::components; ++i, at += p.step) c.component(i).store(at);
        for (int i = 0; i < totals::components; ++i, at += p.step) t.component(i).store(at);
      });
    }
  }

  static void run(const arguments& p) {
    if (p.first) std::fill_n(p.state, (chain::components + totals::components) * p.step, S(0));
    constexpr int most = gemv_tuning::columns_at_once;
    const bool fits = fit_first_cache<T>(most, p.stride, gemv_tuning::ways_of_columns);
    std::int64_t until_close = p.until_close;
    for (std::int64_t k = 0; k < p.k;) {
      const std::int64_t end = std::min(p.k, k + until_close / Parts);
      until_close -= (end - k) * Parts;
      if (fits) k = add_some<most>(p, k, end);
      k = add_some<most / 2>(p, k, end);
      k = add_some<1>(p, k, end);
      if (until_close == 0 || (p.last && k == p.k)) {
        close(p);
        until_close = p.strip;
      }
    }
    if (!p.last) return;
    each(p, [&](std::int64_t e, const chain& c, const totals& t) __attribute__((always_inline)) {
      const auto s = impl::section_of(t, c);
      s.high().store(p.sums + e);
      if constexpr (totals::has_low) s.low().store(p.sums + p.step + e);
    });
  }
};

// Along the rows: groups of rows, as many as a register has lanes; squares of numbers are
// transposed on the way in. A cache line of each row is used up at once, because rows whose
// distance is a power of two compete for the same places in the first cache.

template <int Which, int Lane, class T, int W, int... I>
ACC_SIMD_INLINE simd<T, W> zip(simd<T, W> a, simd<T, W> b, std::integer_sequence<int, I...>) {
  return simd<T, W>::of(__builtin_shufflevector(
      a.v, b.v, (I / Lane * Lane + Which * Lane / 2 + I % Lane / 2 + I % 2 * W)...));
}
/// In each run of Lane numbers: those of the first half (Which = 0) or second half of a's and of
/// b's, in turn.
template <int Which, int Lane, class T, int W>
ACC_SIMD_INLINE simd<T, W> zip(simd<T, W> a, simd<T, W> b) {
  return zip<Which, Lane>(a, b, std::make_integer_sequence<int, W>{});
}

/// Rows of a group, of type T in memory, whose sums are of type S. 0: no such kernel.
template <class T, class S>
#if defined(__AVX512F__)
inline constexpr int rows_of_group = 32 / int(sizeof(T));
#else
inline constexpr int rows_of_group =
    std::is_same_v<T, S> ? std::min(vector_bytes, 32) / int(sizeof(T))
                         : (vector_bytes == 32 ? vector_width<S> : 0);
#endif

template <class Method, class T, class S, int Parts>
struct along_rows {
  static constexpr int L = rows_of_group<T, S>;
  static constexpr int N = 16 / int(sizeof(T));     ///< numbers of a row in a square
  static constexpr int line = 64 / int(sizeof(T));  ///< numbers of a row in a step
  static_assert(L == N || L == 2 * N);
  using V = simd<S, L>;
  using narrow = simd<T, L>;
  using sum = impl::strip_sum<Method, V>;
  using chain = chain_of<Method, V>;
  using totals = typename sum::totals;
  using arguments = gemv_arguments<T, S>;
  static_assert(std::is_same_v<chain, typename sum::chain>);

  /// 16 bytes of row i, and of row i + N.
  ACC_SIMD_INLINE static narrow load_pair(const T* row, [[maybe_unused]] std::int64_t stride) {
    if constexpr (L == N) {
      return narrow::load(row);
    } else {
#if defined(__AVX2__)
      const T* other = row + N * stride;
      if constexpr (sizeof(T) == 8) {
        return narrow::of(_mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(row)),
                                               _mm_loadu_pd(other), 1));
      } else {
        return narrow::of(_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row)),
                                               _mm_loadu_ps(other), 1));
      }
#endif
    }
  }
  /// N numbers of each row: columns[i] has number i of all rows.
  ACC_SIMD_INLINE static void load_square(const T* a, std::int64_t stride, V (&columns)[N]) {
    narrow r[N], t[N];
    unrolled<N>(ACC_UNROLLED(i) { r[i] = load_pair(a + i * stride, stride); });
    if constexpr (N == 4) {
      unrolled<4>(ACC_UNROLLED(i) { t[i] = zip<i % 2, N>(r[i / 2], r[i / 2 + 2]); });
      unrolled<4>(ACC_UNROLLED(i) { r[i] = zip<i % 2, N>(t[i / 2], t[i / 2 + 2]); });
    } else {
      unrolled<2>(ACC_UNROLLED(i) { t[i] = zip<i, N>(r[0], r[1]); });
      unrolled<2>(ACC_UNROLLED(i) { r[i] = t[i]; });
    }
    unrolled<N>(ACC_UNROLLED(i) {
      if constexpr (std::is_same_v<T, S>) {
        columns[i] = r[i];
      } else {
        columns[i] = V::of(__builtin_convertvector(r[i].v, typename V::vector));
      }
    });
  }

  /// Whole lines of G groups in turn. One for all methods that have this chain.
  template <int G>
  __attribute__((noinline)) static void add_lines(const T* a, std::int64_t stride, const S* x,
                                                  std::int64_t lines, bool fetches, chain* chains) {
    chain c[G * Parts];
    unrolled<G * Parts>(ACC_UNROLLED(i) { c[i] = chains[i]; });
    for (; lines > 0; --lines, a += line, x += line * Parts) {
      if (fetches) {
        unrolled<G * L>(ACC_UNROLLED(r) {
          __builtin_prefetch(a + r * stride + gemv_tuning::lines_ahead * line, 0, 2);
        });
      }
      unrolled<line / N>(ACC_UNROLLED(s) {
        V columns[G][N];
        unrolled<G>(
            ACC_UNROLLED(g) { load_square(a + g * L * stride + s * N, stride, columns[g]); });
        unrolled<N>(ACC_UNROLLED(i) {
          unrolled<G * Parts>(ACC_UNROLLED(h) {
            c[h].add_product(columns[h / Parts][i], V(x[(s * N + i) * Parts + h % Parts]));
          });
        });
      });
    }
    unrolled<G * Parts>(ACC_UNROLLED(i) { chains[i] = c[i]; });
  }

  /// Up to a line of up to L rows.
  __attribute__((noinline)) static void add_few(const T* a, std::int64_t stride, int rows,
                                                const S* x, int count, chain* chains) {
    T copy[L * line] = {};
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i < count; ++i) copy[r * line + i] = a[r * stride + i];
    for (int s = 0; s < line; s += N) {
      V columns[N];
      load_square(copy + s, line, columns);
      for (int i = 0; i < N && s + i < count; ++i)
        for (int part = 0; part < Parts; ++part)
          chains[part].add_product(columns[i], V(x[(s + i) * Parts + part]));
    }
  }

  /// Rows [row, row + rows): G whole groups, or one that need not be whole.
  template <int G>
  static void run_groups(const arguments& p, std::int64_t row, int rows) {
    using of_chain = along_rows<chain_method<Method>, T, S, Parts>;
    chain chains[G * Parts];
    totals all[G * Parts];
    const T* a = p.a + row * p.stride;
    const S* x = p.x;
    std::int64_t until_close = p.until_close;
    for (std::int64_t left = p.k * Parts; left > 0;) {
      const std::int64_t count = std::min(left, until_close);
      std::int64_t at = 0;
      if (rows == G * L && count >= line) {
        at = count / line * line;
        of_chain::template add_lines<G>(a, p.stride, x, count / line, p.fetches, chains);
      }
      for (; at < count; at += line) {
        const int few = int(std::min<std::int64_t>(line, count - at));
        for (int g = 0; g < G; ++g)
          of_chain::add_few(a + g * L * p.stride + at, p.stride, std::min(rows - g * L, L),
                            x + at * Parts, few, chains + g * Parts);
      }
      a += count;
      x += count * Parts;
      left -= count;
      until_close -= count;
      if (until_close == 0 || left == 0) {
        for (int i = 0; i < G * Parts; ++i) all[i].close(chains[i]);
        until_close = p.strip;
      }
    }
    for (int i = 0; i < G * Parts; ++i) {
      const auto s = impl::section_of(all[i], chains[i]);
      const int first = i / Parts * L;
      S* const to = p.sums + (row + first) * Parts + i % Parts;
      for (int r = 0; r < L && first + r < rows; ++r) {
        to[r * Parts] = s.high()[r];
        if constexpr (totals::has_low) to[p.step + r * Parts] = s.low()[r];
      }
    }
  }

  /// The groups of a step: their chains hide each other's latency. Floats are limited by their
  /// transposition, and longer chains by registers.
  static constexpr int most_groups =
      sizeof(T) == 8 && Parts * chain::components == 1 ? gemv_tuning::most_groups : 2;
  /// Runs G groups at a time as often as they fit, from `row` on, where their lines find places in
  /// the first cache; returns where they end.
  template <int G>
  static std::int64_t run_some(const arguments& p, std::int64_t row) {
    if (G > 1 && !fit_first_cache<T>(G * L, p.stride, gemv_tuning::ways_of_rows)) return row;
    for (; row + G * L <= p.rows; row += G * L) run_groups<G>(p, row, G * L);
    return row;
  }
  static void run(const arguments& p) {
    std::int64_t row = 0;
    if constexpr (most_groups > 2) row = run_some<most_groups>(p, row);
    row = run_some<2>(p, row);
    for (; row < p.rows; row += L)
      run_groups<1>(p, row, int(std::min<std::int64_t>(L, p.rows - row)));
  }
};

// Entries.

template <class Method, class S, int Parts>
struct entries {
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;
  static constexpr bool has_low = impl::has_low<Method>;
  using section = impl::section_sum<V, has_low>;

  ACC_SIMD_INLINE static section load(const gemv_entries<S>& r, const S* sums, std::int64_t e) {
    section s;
    for (int i = 0; i < section::components; ++i) s.component(i) = V::load(sums + i * r.step + e);
    return s;
  }
  static void add(const gemv_entries<S>& r) {
    for (std::int64_t e = 0; e < r.count; e += W) {
      section s = load(r, r.sums, e);
      s.add(load(r, r.next, e));
      for (int i = 0; i < section::components; ++i) s.component(i).store(r.sums + i * r.step + e);
    }
  }
  static void scale(const gemv_entries<S>& r) {
    const bool reads = r.scale.beta[0] != S(0) || r.scale.beta[1] != S(0);
    for (std::int64_t e = 0; e < r.count; e += W) {
      const section s = load(r, r.sums, e);
      const impl::entry_part<V> own{s.high(), s.low(), reads ? V::load(r.before + e) : V(S(0))};
      impl::entry_part<V> other = own;
      if constexpr (Parts == 2)
        other = {swap_pairs(own.high), swap_pairs(own.low), swap_pairs(own.c)};
      impl::scaled<has_low, Parts>(r.scale, own, other, negate_odd(V(S(-1)), all_lanes{}))
          .store(r.values + e);
    }
  }
};

template <class Method, class T, class S>
gemv_function<T, S> get_gemv(gemv_walk walk, int parts) {
  if (walk == gemv_walk::down_columns)
    return parts == 1 ? &down_columns<Method, T, S, 1>::run : &down_columns<Method, T, S, 2>::run;
  if constexpr (rows_of_group<T, S> > 0)
    return parts == 1 ? &along_rows<Method, T, S, 1>::run : &along_rows<Method, T, S, 2>::run;
  return nullptr;
}
template <class T, class S>
int get_gemv_rows(gemv_walk walk, int parts) {
  if (walk == gemv_walk::down_columns) return std::max(1, vector_width<S> / parts);
  return rows_of_group<T, S> * 2;
}
template <class Method, class S>
gemv_entry_functions<S> get_gemv_entries(int parts) {
  using real = entries<Method, S, 1>;
  using complex = entries<Method, S, 2>;
  if (parts == 1) return {&real::add, &real::scale};
  return {&complex::add, &complex::scale};
}

#define ACC_INSTANTIATE_GEMV(Method, T, S) \
  template gemv_function<T, S> get_gemv<Method, T, S>(gemv_walk, int);
ACC_GEMVS(ACC_INSTANTIATE_GEMV)
#define ACC_INSTANTIATE_GEMV_ROWS(T, S) template int get_gemv_rows<T, S>(gemv_walk, int);
ACC_PANELS(ACC_INSTANTIATE_GEMV_ROWS)
#define ACC_INSTANTIATE_GEMV_ENTRIES(Method, S, T) \
  template gemv_entry_functions<S> get_gemv_entries<Method, S>(int);
ACC_MICROKERNELS(ACC_INSTANTIATE_GEMV_ENTRIES)

}  // namespace acc::backends::host::ACC_HOST_ISA
