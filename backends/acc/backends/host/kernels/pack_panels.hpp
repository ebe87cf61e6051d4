// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of gemm_kernels.hpp.

/// \file
/// Packing of panels: those of A are mr rows wide, those of B nr columns.

namespace acc::backends::host::ACC_HOST_ISA {

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

}  // namespace acc::backends::host::ACC_HOST_ISA
