// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The GEMM kernels by vector registers (gemm.hpp says what they do): the microkernel, packing of
/// panels, the sums of sections, and the epilogue.

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/nan_bits.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/transpose.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/section_sum.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/numbers/complex_product.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace acc::backends::host::ACC_HOST_ISA {

using mr_choices = std::conditional_t<has_32_registers, microkernel_tuning::mr_of_32_registers,
                                      microkernel_tuning::mr_of_16_registers>;
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
    transpose(rows);
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
#define ACC_INSTANTIATE_EPILOGUE(Method, S, C) \
  template epilogue_function<S, C> get_epilogue<Method, S, C>();
ACC_EPILOGUES(ACC_INSTANTIATE_EPILOGUE)
#define ACC_INSTANTIATE_PACK(T, S) template pack_function<T, S> get_pack<T, S>();
ACC_PANELS(ACC_INSTANTIATE_PACK)

}  // namespace acc::backends::host::ACC_HOST_ISA
