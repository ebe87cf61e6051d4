// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a file made of per_isa.cpp.in includes this once.

/// \file
/// The host's matrix product kernels by vector registers (tile.hpp says what they are).

#include <acc/backends/host/tile.hpp>
#include <acc/backends/host/tile_instances.hpp>
#include <acc/backends/host/pack.hpp>
#include <acc/core/strip_sum.hpp>

#include <algorithm>
#include <limits>

namespace acc::backends::host::ACC_HOST_ISA {

/// The numbers of rows for which there are tiles. Of the registers, a row takes two, and one holds
/// the number of A that they are multiplied by: so many rows fit 32 registers, or 16.
#if defined(__AVX512F__) || !defined(__x86_64__)
using row_choices = std::integer_sequence<int, 1, 2, 4, 8, 14>;
#else
using row_choices = std::integer_sequence<int, 1, 2, 4, 6>;
#endif
template <int... Rows>
constexpr int largest(std::integer_sequence<int, Rows...>) {
  return std::max({Rows...});
}
inline constexpr int tile_rows = largest(row_choices{});
inline constexpr int vectors_in_row = 2;

template <class S>
inline constexpr int vector_width = vector_bytes / int(sizeof(S));
template <class S>
inline constexpr int tile_columns = vectors_in_row * vector_width<S>;

/// What the totals are before the first strip: as large as those of any tile.
alignas(
    64) inline constexpr unsigned char zero_totals[2 * tile_rows * vectors_in_row * vector_bytes]{};

/// Rows of a tile whose chains fit the registers together.
template <class Method, int Rows>
inline constexpr int rows_at_a_time =
    std::is_same_v<Method, compensated> ? std::min(Rows, 4) : Rows;

template <class V>
ACC_PACK_INLINE void larger_first(V& a, V& b) {
  const auto swap = !(magnitude(a).v >= magnitude(b).v);
  const V larger = V::of(swap ? b.v : a.v);
  b = V::of(swap ? a.v : b.v);
  a = larger;
}

/// f(0), ..., f(N - 1), written out: a loop would keep an array of registers in memory.
template <int N, class F>
ACC_PACK_INLINE void unrolled(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }(std::make_integer_sequence<int, N>{});
}
#define ACC_UNROLLED(i) [&](auto i) __attribute__((always_inline))

template <class Method, class S, int Rows>
struct tile_kernel {
  static constexpr int W = vector_width<S>, C = vectors_in_row, columns = tile_columns<S>;
  using V = pack<S, W>;
  using sum = impl::strip_sum<Method, V>;
  using chain = typename sum::chain;
  using totals = typename sum::totals;
  static constexpr int components = chain::components + totals::components;
  static constexpr int step = rows_at_a_time<Method, Rows>;

  template <class Number>
  ACC_PACK_INLINE static Number* at(Number* state, int component, int row, int c) {
    return state + (component * Rows + row) * columns + c * W;
  }

  /// The products of N rows, from row `row` of the tile on.
  template <int N>
  ACC_PACK_INLINE static void multiply_rows(const tile_products<S>& p, int row) {
    chain sums[N * C];
    const auto chains = [&](auto f) __attribute__((always_inline)) {
      unrolled<N * C>(ACC_UNROLLED(i) {
        unrolled<chain::components>(
            ACC_UNROLLED(k) { f(sums[i].component(k), at(p.state, k, row + i / C, i % C)); });
      });
    };
    S* const totals_now = at(p.state, chain::components, 0, 0);
    const S* totals_before = totals_now;
    if (p.first) {
      totals_before = reinterpret_cast<const S*>(zero_totals);
    } else {
      chains([](V& x, const S* from) { x = V::load(from); });
    }

    const S* a = p.a + row;
    const S* b = p.b;
    const S* next_b = p.next_b;
    std::int64_t left = p.depth, until_close = p.until_close;
    while (left > 0) {
      const std::int64_t count = std::min(left, until_close);
      for (std::int64_t k = 0; k < count; ++k) {
        __builtin_prefetch(next_b, 0, 2);
        if constexpr (Rows <= 2) __builtin_prefetch(next_b + 64 / sizeof(S), 0, 2);
        next_b += p.next_b_step;
        V bs[C];
        unrolled<C>(ACC_UNROLLED(c) { bs[c] = V::load(b + c * W); });
        unrolled<N>(ACC_UNROLLED(r) {
          const V as(a[r]);
          unrolled<C>(ACC_UNROLLED(c) { sums[r * C + c].add_product(as, bs[c]); });
        });
        a += Rows;
        b += p.b_step;
      }
      left -= count;
      until_close -= count;
      if (until_close == 0 || (left == 0 && p.last)) {
        unrolled<N * C>(
            ACC_UNROLLED(i) { close(sums[i], totals_before, totals_now, row + i / C, i % C); });
        totals_before = totals_now;
        until_close = p.strip;
      }
    }
    chains([](const V& x, S* to) { x.store(to); });
    if (totals::components > 0 && totals_before != totals_now) {  // no strip has ended yet
      unrolled<N * C>(ACC_UNROLLED(i) {
        for (int k = 0; k < totals::components; ++k)
          V(S(0)).store(at(totals_now, k, row + i / C, i % C));
      });
    }
  }

  /// Closes a strip into the totals `before` and puts them in `now`.
  ACC_PACK_INLINE static void close(chain& strip, const S* before, S* now, int row, int c) {
    if constexpr (totals::components > 0) {
      totals t;
      for (int k = 0; k < totals::components; ++k) t.component(k) = V::load(at(before, k, row, c));
      t.close(strip);
      for (int k = 0; k < totals::components; ++k) t.component(k).store(at(now, k, row, c));
    }
  }

  static void multiply(const tile_products<S>& p) {
    for (int i = 0; i < components * Rows * columns; i += 64 / int(sizeof(S)))
      __builtin_prefetch(p.next_state + i, 1, 2);
    int row = 0;
    for (; row + step <= Rows; row += step) multiply_rows<step>(p, row);
    if constexpr (Rows % step != 0) multiply_rows<Rows % step>(p, row);
  }
};

/// W rows of W numbers, transposed. Each step moves element (r, l), written as an address of bits,
/// to that address rotated by a bit; after as many steps as a row has bits, r and l have changed
/// places.
template <int Steps, class V, std::size_t W>
ACC_PACK_INLINE void transpose(V (&rows)[W]) {
  if constexpr (Steps > 0) {
    V next[W];
    unrolled<int(W) / 2>(ACC_UNROLLED(i) {
      next[i] = blocks<1, 0>(rows[2 * i], rows[2 * i + 1]);
      next[i + int(W) / 2] = blocks<1, 1>(rows[2 * i], rows[2 * i + 1]);
    });
    unrolled<int(W)>(ACC_UNROLLED(i) { rows[i] = next[i]; });
    transpose<Steps - 1>(rows);
  }
}

/// Panels of a fixed width.
template <class T, class S, int Width>
struct panel {
  static constexpr int W = vector_width<S>;
  using V = pack<S, W>;

  ACC_PACK_INLINE static V load(const T* p) {
    if constexpr (std::is_same_v<S, T>) {
      return V::load(p);
    } else {
      typedef T narrow __attribute__((vector_size(W * sizeof(T))));
      narrow x;
      __builtin_memcpy(&x, p, sizeof(x));
      return V::of(__builtin_convertvector(x, typename V::vector));
    }
  }

  /// Lanes that lie side by side.
  static void copy(const panel_source<T>& from, S* out) {
    for (std::int64_t k = 0; k < from.depth; ++k, out += Width) {
      const T* x = from.data + k * from.depth_stride;
      __builtin_prefetch(x + 8 * from.depth_stride, 0, 2);
      if constexpr (Width % W == 0) {
        for (int l = 0; l < Width; l += W) load(x + l).store(out + l);
      } else {
        for (int l = 0; l < Width; ++l) out[l] = S(x[l]);
      }
    }
  }

  /// Lanes that are each contiguous: squares of W lanes by W numbers.
  static void transposed(const panel_source<T>& from, S* out) {
    const std::int64_t whole = from.depth / W * W;
    for (std::int64_t k = 0; k < whole; k += W) {
      unrolled<Width / W>(ACC_UNROLLED(i) { square<W>(from, k, i * W, out); });
      if constexpr (Width % W != 0) square<Width % W>(from, k, Width / W * W, out);
    }
    panel_source<T> rest = from;
    rest.data += whole;
    rest.depth -= whole;
    one_by_one(panel_kind::real, rest, out + whole * Width);
  }
  template <int Lanes>
  ACC_PACK_INLINE static void square(const panel_source<T>& from, std::int64_t k, int first,
                                     S* out) {
    V rows[W];
    unrolled<W>(ACC_UNROLLED(l) {
      const T* x = from.data + (first + l) * from.lane_stride + k;
      rows[l] = l < Lanes ? load(x) : V(S(0));
      if (l < Lanes) __builtin_prefetch(x + 8 * W, 0, 2);
    });
    transpose<__builtin_ctz(unsigned(W))>(rows);
    unrolled<W>(ACC_UNROLLED(i) {
      std::memcpy(out + (k + i) * Width + first, &rows[i].v, sizeof(S) * Lanes);
    });
  }

  /// Any kind, any strides, any number of lanes.
  static void one_by_one(panel_kind kind, const panel_source<T>& from, S* out) {
    const S sign = from.conjugate ? S(-1) : S(1);
    if (kind == panel_kind::complex_columns) {
      for (std::int64_t k = 0; k < from.depth; ++k, out += 2 * Width) {
        const T* x = from.data + k * from.depth_stride;
        for (int l = 0; l < Width / 2; ++l, x += from.lane_stride) {
          const S re = l < from.lanes ? S(x[0]) : S(0), im = l < from.lanes ? sign * S(x[1]) : S(0);
          out[2 * l] = re;
          out[2 * l + 1] = im;
          out[Width + 2 * l] = -im;
          out[Width + 2 * l + 1] = re;
        }
      }
      return;
    }
    const int parts = kind == panel_kind::complex_rows ? 2 : 1;
    for (std::int64_t k = 0; k < from.depth; ++k) {
      for (int part = 0; part < parts; ++part, out += Width) {
        const T* x = from.data + k * from.depth_stride + part;
        for (int l = 0; l < Width; ++l, x += from.lane_stride)
          out[l] = l >= from.lanes ? S(0) : part == 1 ? sign * S(*x) : S(*x);
      }
    }
  }

  static void fill(panel_kind kind, const panel_source<T>& from, S* out) {
    const bool whole = kind == panel_kind::real && from.lanes == Width;
    if (whole && from.lane_stride == 1) return copy(from, out);
    if (whole && from.depth_stride == 1) return transposed(from, out);
    one_by_one(kind, from, out);
  }
};

template <class T, class S>
void fill_panel(panel_kind kind, const panel_source<T>& from, int width, S* out) {
  [&]<int... Rows>(std::integer_sequence<int, Rows...>) {
    const bool done = (... || (width == Rows && (panel<T, S, Rows>::fill(kind, from, out), true)));
    if (!done) panel<T, S, tile_columns<S>>::fill(kind, from, out);
  }(row_choices{});
}

/// Which lanes are NaN, as bits.
template <class T, int W>
ACC_PACK_INLINE std::uint64_t nan_lanes(pack<T, W> x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(x.v) == 64 && sizeof(T) == 4)
    return _mm512_cmp_ps_mask(x.v, x.v, _CMP_UNORD_Q);
  if constexpr (sizeof(x.v) == 64 && sizeof(T) == 8)
    return _mm512_cmp_pd_mask(x.v, x.v, _CMP_UNORD_Q);
#elif defined(__AVX2__)
  if constexpr (sizeof(x.v) == 32 && sizeof(T) == 4)
    return unsigned(_mm256_movemask_ps(_mm256_cmp_ps(x.v, x.v, _CMP_UNORD_Q)));
  if constexpr (sizeof(x.v) == 32 && sizeof(T) == 8)
    return unsigned(_mm256_movemask_pd(_mm256_cmp_pd(x.v, x.v, _CMP_UNORD_Q)));
#endif
  std::uint64_t lanes = 0;
  for (int i = 0; i < W; ++i) lanes |= std::uint64_t(x[i] != x[i]) << i;
  return lanes;
}

/// Scales the entries of a tile into C.
template <class Method, class S, class T>
struct tile_finish {
  static constexpr int W = vector_width<S>, columns = tile_columns<S>;
  using V = pack<S, W>;
  typedef T narrow __attribute__((vector_size(W * sizeof(T))));
  using sum = impl::strip_sum<Method, V>;
  using chain = typename sum::chain;
  using totals = typename sum::totals;

  ACC_PACK_INLINE static V load(const T* p, int count) {
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
  ACC_PACK_INLINE static V scaled(const impl::scaling<S>& scale, V high, V low, V c) {
    const impl::entry_part<V> own{high, low, c};
    impl::entry_part<V> other = own;
    if constexpr (Parts == 2) other = {swap_pairs(high), swap_pairs(low), swap_pairs(c)};
    return impl::scaled<totals::has_low, Parts>(scale, own, other,
                                                negate_odd(V(S(-1)), all_lanes{}));
  }

  static void run(int tile_rows, const tile_result<S, T>& r) {
    const bool reads_c = r.scale.beta[0] != S(0) || r.scale.beta[1] != S(0);
    for (int row = 0; row < r.rows; ++row) {
      const std::uint64_t wanted = r.wanted[row];
      std::uint64_t not_written = 0;
      for (int column = 0; column < r.columns; column += W) {
        const auto load_state = [&](int component) {
          return V::load(r.state + (component * tile_rows + row) * columns + column);
        };
        chain entry;
        totals total;
        for (int k = 0; k < chain::components; ++k) entry.component(k) = load_state(k);
        if constexpr (totals::components > 0)
          for (int k = 0; k < totals::components; ++k)
            total.component(k) = load_state(chain::components + k);
        T* c = r.c + row * r.step + column;
        const int count = std::min(W, r.columns - column);
        const V old = reads_c ? load(c, count) : V(S(0));
        const V high = total.high(entry), low = total.low(entry);
        const V value =
            r.parts == 2 ? scaled<2>(r.scale, high, low, old) : scaled<1>(r.scale, high, low, old);
        not_written |= write(c, count, value, wanted >> column, r.keeps_nan) << column;
      }
      r.wanted[row] = not_written;
    }
  }

  /// The wanted lanes of value; returns those that were NaN and not written.
  ACC_PACK_INLINE static std::uint64_t write(T* c, int count, V value, std::uint64_t wanted,
                                             bool keeps_nan) {
    constexpr std::uint64_t all = (std::uint64_t(1) << (W - 1)) * 2 - 1;
    const std::uint64_t nan = nan_lanes(value);
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
tile_functions<S> tile(std::int64_t rows) {
  return [&]<int... Rows>(std::integer_sequence<int, Rows...>) {
    tile_functions<S> chosen{};
    // The choices ascend: the first that is large enough, or the last.
    const auto choose = [&]<int R>() {
      using kernel = tile_kernel<Method, S, R>;
      chosen = {R, kernel::columns, kernel::components, &kernel::multiply};
      return R >= rows;
    };
    (void)(... || choose.template operator()<Rows>());
    return chosen;
  }(row_choices{});
}

template <class Method, class S, class T>
finish_function<Method, S, T> finish() {
  return &tile_finish<Method, S, T>::run;
}
template <class T, class S>
pack_function<T, S> pack_panel() {
  return &fill_panel<T, S>;
}

#define ACC_INSTANTIATE_TILE(Method, S, T) template tile_functions<S> tile<Method, S>(std::int64_t);
ACC_GEMM_TILES(ACC_INSTANTIATE_TILE)
#define ACC_INSTANTIATE_FINISH(Method, S, T) \
  template finish_function<Method, S, T> finish<Method, S, T>();
ACC_GEMM_FINISHES(ACC_INSTANTIATE_FINISH)
#define ACC_INSTANTIATE_PANEL(T, S) template pack_function<T, S> pack_panel<T, S>();
ACC_GEMM_PANELS(ACC_INSTANTIATE_PANEL)

}  // namespace acc::backends::host::ACC_HOST_ISA
