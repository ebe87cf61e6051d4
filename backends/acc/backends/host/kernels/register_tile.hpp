// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of tile_kernels.hpp.

/// \file
/// The extents of a tile of a matrix product, in rows and vector registers.

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

/// f(0), ..., f(N - 1), written out: a loop would keep an array of registers in memory.
template <int N, class F>
ACC_PACK_INLINE void unrolled(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }(std::make_integer_sequence<int, N>{});
}
#define ACC_UNROLLED(i) [&](auto i) __attribute__((always_inline))

}  // namespace acc::backends::host::ACC_HOST_ISA
