// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_ROW_LANES_HPP
#define ACC_BACKENDS_HOST_KERNELS_ROW_LANES_HPP

/// \file
/// Rows as lanes: numbers that are neighbors in a row go to registers whose lanes are rows, so that
/// each row has a chain of its own. Squares of them are transposed on the way in.

#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/transpose.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace acc::backends::host::ACC_HOST_ISA {

/// `count` numbers, W at most, and zeros.
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

/// L rows of numbers of type T, whose sums are of type S. Row r begins at row(r).
template <class T, class S, int L>
struct row_lanes {
  static constexpr int Q = 16 / int(sizeof(T));     ///< numbers of 16 bytes
  static constexpr int line = 64 / int(sizeof(T));  ///< numbers of a cache line
  /// Numbers of a row in a square: what half a register holds, or, where that is less than 16
  /// bytes, a whole one.
  static constexpr int N = std::max(L / 2, Q);
  static_assert(N == Q || N == 2 * Q);
  using V = simd<S, L>;
  using narrow = simd<T, L>;

  /// N numbers of each row: columns[i] has number i of all rows.
  template <class Row>
  ACC_SIMD_INLINE static void load_square(const Row& row, V (&columns)[N]) {
    narrow r[N];
    unrolled<N>(ACC_UNROLLED(i) {
      constexpr int first = N == Q ? i : i / Q * 2 * Q + i % Q;
      r[i] = load_pair(row(first), row(L == N ? first : first + Q));
    });
    unrolled<N / Q>(ACC_UNROLLED(s) { transpose_within_16_bytes<1, Q>(r + s * Q); });
    unrolled<N>(ACC_UNROLLED(i) {
      narrow column = r[i];
      if constexpr (N == 2 * Q) column = every_other<Q, i / Q>(r[i % Q], r[Q + i % Q]);
      if constexpr (std::is_same_v<T, S>) {
        columns[i] = column;
      } else {
        columns[i] = V::of(__builtin_convertvector(column.v, typename V::vector));
      }
    });
  }

  /// f(i, column i) of `count` numbers of each row, fewer than a line: nothing else is read.
  template <class Row, class F>
  ACC_SIMD_INLINE static void for_few(const Row& row, int count, const F& f) {
    T copy[L * line];
    for (int r = 0; r < L; ++r) load_part_as<T, line>(row(r), count).store(copy + r * line);
    for (int s = 0; s < count; s += N) {
      V columns[N];
      load_square([&](int r) __attribute__((always_inline)) { return copy + r * line + s; },
                  columns);
      unrolled<N>(ACC_UNROLLED(i) {
        if (s + i < count) f(s + i, columns[i]);
      });
    }
  }

 private:
  /// N numbers of a row and, if the register has place for them, of another one.
  ACC_SIMD_INLINE static narrow load_pair(const T* row, [[maybe_unused]] const T* other) {
    if constexpr (L == N) {
      return narrow::load(row);
    } else {
      using half = simd<T, N>;
      return joined(half::load(row), half::load(other), std::make_integer_sequence<int, L>{});
    }
  }
  template <int... I>
  ACC_SIMD_INLINE static narrow joined(simd<T, N> a, simd<T, N> b,
                                       std::integer_sequence<int, I...>) {
    return narrow::of(__builtin_shufflevector(a.v, b.v, I...));
  }
};

}  // namespace acc::backends::host::ACC_HOST_ISA

#endif
