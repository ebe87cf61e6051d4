// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of tile_kernels.hpp.

/// \file
/// The products of a tile: chains in registers, totals in memory.

namespace acc::backends::host::ACC_HOST_ISA {

/// What the totals are before the first strip: as large as those of any tile.
alignas(
    64) inline constexpr unsigned char zero_totals[2 * tile_rows * vectors_in_row * vector_bytes]{};

/// Rows of a tile whose chains fit the registers together.
template <class Method, int Rows>
inline constexpr int rows_at_a_time =
    std::is_same_v<Method, compensated> ? std::min(Rows, 4) : Rows;

/// Both panels are in the second cache: how many products before its turn a line of A and of B is
/// fetched from there.
inline constexpr int products_ahead_a = 32, products_ahead_b = 16;

template <class V>
ACC_PACK_INLINE void larger_first(V& a, V& b) {
  const auto swap = !(magnitude(a).v >= magnitude(b).v);
  const V larger = V::of(swap ? b.v : a.v);
  b = V::of(swap ? a.v : b.v);
  a = larger;
}

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
        if constexpr (N == tile_rows) {
          __builtin_prefetch(a + products_ahead_a * Rows, 0, 3);
          for (int i = 0; i < columns; i += 64 / int(sizeof(S)))
            __builtin_prefetch(b + products_ahead_b * p.b_step + i, 0, 3);
        }
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

}  // namespace acc::backends::host::ACC_HOST_ISA
