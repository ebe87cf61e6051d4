// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernels of matrix times vector by vector registers (gemv.hpp says what they do). Lanes are
/// entries: each has its chain, and products enter it in ascending k. What the two walks differ in
/// is how the numbers of A get into the lanes.

#include <acc/backends/host/kernels/gemv.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/row_lanes.hpp>
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
    const std::int64_t ahead = p.to_next != 0 ? p.to_next : J * p.stride;
    const bool fetches = p.fetches || p.to_next != 0;
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
    if (p.k == 0 && until_close < p.strip) close(p);  // all products were in the parts before
    each(p, [&](std::int64_t e, const chain& c, const totals& t) __attribute__((always_inline)) {
      const auto s = impl::section_of(t, c);
      s.high().store(p.sums + e);
      if constexpr (totals::has_low) s.low().store(p.sums + p.step + e);
    });
  }
};

// Along the rows: groups of rows, as many as a register has lanes (row_lanes.hpp). A cache line of
// each row is used up at once, because rows whose distance is a power of two compete for the same
// places in the first cache.

/// Rows of a group, of type T in memory, whose sums are of type S. 0: no such kernel.
template <class T, class S>
#if defined(__AVX512F__)
inline constexpr int rows_of_group = vector_width<S>;
#else
inline constexpr int rows_of_group =
    std::is_same_v<T, S> ? std::min(vector_bytes, 32) / int(sizeof(T))
                         : (vector_bytes == 32 ? vector_width<S> : 0);
#endif

template <class Method, class T, class S, int Parts>
struct along_rows {
  static constexpr int L = rows_of_group<T, S>;
  using lanes = row_lanes<T, S, L>;
  static constexpr int N = lanes::N, line = lanes::line;
  using V = simd<S, L>;
  using sum = impl::strip_sum<Method, V>;
  using chain = chain_of<Method, V>;
  using totals = typename sum::totals;
  using arguments = gemv_arguments<T, S>;
  static_assert(std::is_same_v<chain, typename sum::chain>);

  /// A group on its way along its rows.
  struct group {
    std::int64_t row, left, until_close;  ///< products left to the end, and to that of a strip
    int rows;                             ///< L, or fewer
    const T* a;
    const S* x;
    chain chains[Parts];
    totals all[Parts];

    group(const arguments& p, std::int64_t first, int count)
        : row(first),
          left(p.k * Parts),
          until_close(p.until_close),
          rows(count),
          a(p.a + first * p.stride),
          x(p.x) {
      if (!p.first) each_number(p, [](V& number, const S* from, int n) { number = get(n, from); });
    }
    /// f(component, its place in the state, rows) of all chains and totals.
    template <class F>
    void each_number(const arguments& p, const F& f) {
      for (int i = 0; i < Parts; ++i) {
        S* at = p.state + row * Parts + i;
        for (int k = 0; k < chain::components; ++k, at += p.step)
          f(chains[i].component(k), at, rows);
        if constexpr (totals::components > 0)
          for (int k = 0; k < totals::components; ++k, at += p.step)
            f(all[i].component(k), at, rows);
      }
    }
    std::int64_t products() const { return std::min(left, until_close); }
    std::int64_t lines() const { return products() / line; }
    void pass(std::int64_t count) {
      a += count;
      x += count * Parts;
      left -= count;
      until_close -= count;
    }
  };

  /// Where the groups of add_lines are, and their chains. One type for all methods.
  template <int G>
  struct places {
    const T* a[G];
    const S* x[G];
    chain* chains[G];
  };
  /// Whole lines of G groups in turn, which are abreast or each somewhere else in k. Groups that
  /// are not whole have their last row several times. One for all methods that have this chain.
  template <int G, bool Abreast, bool Whole, bool Fetches>
  __attribute__((noinline)) static void add_lines(places<G> at, std::int64_t stride, int rows,
                                                  std::int64_t lines) {
    chain c[G * Parts];
    unrolled<G * Parts>(ACC_UNROLLED(i) { c[i] = at.chains[i / Parts][i % Parts]; });
    const auto row = [&](auto g, int r) __attribute__((always_inline)) {
      return at.a[g] + (Whole ? r : std::min(r, rows - 1)) * stride;
    };
    for (; lines > 0; --lines) {
      if constexpr (Fetches) {
        unrolled<G>(ACC_UNROLLED(g) {
          unrolled<L>(ACC_UNROLLED(r) {
            __builtin_prefetch(row(g, r) + gemv_tuning::lines_ahead * line, 0, 2);
          });
        });
      }
      unrolled<line / N>(ACC_UNROLLED(s) {
        V columns[G][N];
        unrolled<G>(ACC_UNROLLED(g) {
          lanes::load_square(
              [&](int r) __attribute__((always_inline)) { return row(g, r) + s * N; }, columns[g]);
        });
        unrolled<N>(ACC_UNROLLED(i) {
          unrolled<G * Parts>(ACC_UNROLLED(h) {
            const S* const x = at.x[Abreast ? 0 : h / Parts];
            c[h].add_product(columns[h / Parts][i], V(x[(s * N + i) * Parts + h % Parts]));
          });
        });
      });
      unrolled<G>(ACC_UNROLLED(g) {
        at.a[g] += line;
        at.x[g] += line * Parts;
      });
    }
    unrolled<G * Parts>(ACC_UNROLLED(i) { at.chains[i / Parts][i % Parts] = c[i]; });
  }

  /// Less than a line of up to L rows.
  __attribute__((noinline)) static void add_few(const T* a, std::int64_t stride, int rows,
                                                const S* x, int count, chain* chains) {
    chain c[Parts];
    unrolled<Parts>(ACC_UNROLLED(part) { c[part] = chains[part]; });
    lanes::for_few(
        [&](int r) __attribute__((always_inline)) { return a + std::min(r, rows - 1) * stride; },
        count,
        [&](int i, V column) __attribute__((always_inline)) {
          unrolled<Parts>(
              ACC_UNROLLED(part) { c[part].add_product(column, V(x[i * Parts + part])); });
        });
    unrolled<Parts>(ACC_UNROLLED(part) { chains[part] = c[part]; });
  }

  using of_chain = along_rows<chain_method<Method>, T, S, Parts>;

  template <int G, bool Abreast, bool Whole>
  static void add_some(const arguments& p, group* const (&groups)[G], std::int64_t lines) {
    if (lines == 0) return;
    typename of_chain::template places<G> at;
    for (int g = 0; g < G; ++g) {
      at.a[g] = groups[g]->a;
      at.x[g] = groups[g]->x;
      at.chains[g] = groups[g]->chains;
    }
    const int rows = groups[0]->rows;
    if (Whole && p.fetches)
      of_chain::template add_lines<G, Abreast, Whole, Whole>(at, p.stride, rows, lines);
    else
      of_chain::template add_lines<G, Abreast, Whole, false>(at, p.stride, rows, lines);
    for (int g = 0; g < G; ++g) groups[g]->pass(lines * line);
  }
  /// Where a group has less than a line to the end of a strip, or of its rows: that, and the end.
  static void end_strip(const arguments& p, group& g) {
    if (const int few = int(g.products()); few > 0) {
      of_chain::add_few(g.a, p.stride, g.rows, g.x, few, g.chains);
      g.pass(few);
    }
    if (g.until_close == 0 || (g.left == 0 && p.last)) {
      for (int i = 0; i < Parts; ++i) g.all[i].close(g.chains[i]);
      g.until_close = p.strip;
    }
    if (g.left > 0) return;
    if (!p.last) {
      g.each_number(p, [](const V& number, S* to, int rows) { put(number, rows, to); });
      return;
    }
    for (int i = 0; i < Parts; ++i) {
      const auto s = impl::section_of(g.all[i], g.chains[i]);
      S* const to = p.sums + g.row * Parts + i;
      put(s.high(), g.rows, to);
      if constexpr (totals::has_low) put(s.low(), g.rows, to + p.step);
    }
  }
  /// A group's numbers, of which every Parts-th place of `to` takes one. Arrays of entries are of
  /// whole registers, which others compute with: places of no entry get zeros.
  ACC_SIMD_INLINE static void put(V x, [[maybe_unused]] int rows, S* to) {
    if constexpr (Parts == 1) {
      x.store(to);
    } else {
      constexpr int of_register = std::max(1, vector_width<S> / Parts);
      for (int r = 0; r < rows || r % of_register != 0; ++r) to[r * Parts] = r < rows ? x[r] : S(0);
    }
  }
  ACC_SIMD_INLINE static V get([[maybe_unused]] int rows, const S* from) {
    if constexpr (Parts == 1) {
      return V::load(from);
    } else {
      V x(S(0));
      for (int r = 0; r < rows; ++r) x.v[r] = from[r * Parts];
      return x;
    }
  }

  /// The rows of groups that are abreast: G whole ones, or one that need not be whole.
  template <int... I>
  static void run_abreast(const arguments& p, std::int64_t row, int rows,
                          std::integer_sequence<int, I...>) {
    constexpr int G = sizeof...(I);
    group groups[G] = {group(p, row + I * L, std::min(rows - I * L, L))...};
    group* const all[G] = {&groups[I]...};
    while (groups[0].left > 0) {
      const std::int64_t lines = groups[0].lines();
      if (rows == G * L)
        add_some<G, true, true>(p, all, lines);
      else if constexpr (G == 1)
        add_some<1, true, false>(p, all, lines);
      (end_strip(p, groups[I]), ...);
    }
  }
  /// The same of G groups at a time as often as they fit, from `row` on; returns where they end.
  template <int G>
  static std::int64_t run_some(const arguments& p, std::int64_t row) {
    if (G > 1 && !fits<G>(p)) return row;
    for (; row + G * L <= p.rows; row += G * L)
      run_abreast(p, row, G * L, std::make_integer_sequence<int, G>{});
    return row;
  }
  /// Whether the lines of so many groups abreast find places in the first cache.
  template <int G>
  static bool fits(const arguments& p) {
    return fit_first_cache<T>(G * L, p.stride, gemv_tuning::ways_of_rows);
  }
  /// Whole groups, two at a time, of which the second one is some lines behind: where two abreast
  /// would compete for the same places. Each takes the next rows when it ends its own.
  static std::int64_t run_apart(const arguments& p, std::int64_t row) {
    if (row + 2 * L > p.rows) return row;
    group first(p, row, L), second(p, row + L, L);
    row += 2 * L;
    group* const both[2] = {&first, &second};
    group* ahead[1] = {&first};
    add_some<1, true, true>(p, ahead, std::min(first.lines(), gemv_tuning::lines_apart));
    while (true) {
      add_some<2, false, true>(p, both, std::min(first.lines(), second.lines()));
      for (int i = 0; i < 2; ++i) {
        group& g = *both[i];
        if (g.lines() > 0) continue;
        end_strip(p, g);
        if (g.left > 0) continue;
        if (row + L > p.rows) return end_alone(p, *both[1 - i], row);
        g = group(p, row, L);
        row += L;
      }
    }
  }
  static std::int64_t end_alone(const arguments& p, group& g, std::int64_t row) {
    group* const alone[1] = {&g};
    do {  // it may be at its end
      add_some<1, true, true>(p, alone, g.lines());
      end_strip(p, g);
    } while (g.left > 0);
    return row;
  }

  /// The most groups abreast: their chains hide each other's latency. Floats are limited by their
  /// transposition, and longer chains by registers.
  static constexpr int most_groups =
      sizeof(T) == 8 && L == 4 && Parts * chain::components == 1 ? gemv_tuning::most_groups : 2;
  static void run(const arguments& p) {
    std::int64_t row = 0;
    if constexpr (most_groups > 2) row = run_some<most_groups>(p, row);
    row = run_some<2>(p, row);
    if (!fits<2>(p)) row = run_apart(p, row);
    for (; row < p.rows; row += L)
      run_abreast(p, row, int(std::min<std::int64_t>(L, p.rows - row)),
                  std::integer_sequence<int, 0>{});
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
  constexpr int rows = rows_of_group<T, S>;
  if constexpr (rows > 0)
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
