// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of tile_kernels.hpp.

/// \file
/// Packing of panels.

namespace acc::backends::host::ACC_HOST_ISA {

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
      // Depth 2 k + q, column 2 l + p: the factor in real product q of part p.
      using product = impl::complex_product;
      for (std::int64_t k = 0; k < from.depth; ++k, out += 2 * Width) {
        const T* x = from.data + k * from.depth_stride;
        for (int l = 0; l < Width / 2; ++l, x += from.lane_stride) {
          const S b[2] = {l < from.lanes ? S(x[0]) : S(0), l < from.lanes ? sign * S(x[1]) : S(0)};
          out[2 * l] = product::factor<0, 0>(b);
          out[2 * l + 1] = product::factor<1, 0>(b);
          out[Width + 2 * l] = product::factor<0, 1>(b);
          out[Width + 2 * l + 1] = product::factor<1, 1>(b);
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

}  // namespace acc::backends::host::ACC_HOST_ISA
