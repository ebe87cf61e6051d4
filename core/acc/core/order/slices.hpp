// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_SLICES_HPP
#define ACC_CORE_ORDER_SLICES_HPP

/// \file
/// One call of a function of columns, or along an axis, as a value: a reduction for each slice of
/// an array, all of one length.

#include <acc/core/order/vector_data.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace acc::impl {

/// A dimension that numbers slices: its extent, and the distances of neighbors: in real elements of
/// x and of y (0 where all slices have one), and in results.
struct slice_dimension {
  std::int64_t extent = 1, x = 0, y = 0, r = 0;
};

/// R: the reduction, of either kind, of one slice.
template <class R, class Result>
struct slices {
  using reduction = R;
  using data = decltype(R::x);
  static constexpr int max_dimensions = 3;

  data x, y;  ///< of slice 0
  Result* r;
  slice_dimension dimension[max_dimensions];  ///< the first changes fastest
  std::int64_t count;

  /// The reduction of slice s.
  KOKKOS_FORCEINLINE_FUNCTION R of(std::int64_t s) const {
    R result{x, y, r};
    // A division takes as long as a short slice's sum, and mostly there is one dimension.
    for (int d = 0; d < max_dimensions && s != 0; ++d) {
      const std::int64_t n = dimension[d].extent, rest = s < n ? 0 : s / n, i = s - rest * n;
      result.x.data += i * dimension[d].x;
      result.y.data += i * dimension[d].y;
      result.result += i * dimension[d].r;
      s = rest;
    }
    return result;
  }

  /// Whether neighbors lie closer together in memory than the elements of a slice do: then blocks
  /// of neighbors are summed at once. Of x, or of y where all slices have one x.
  KOKKOS_FORCEINLINE_FUNCTION bool are_interleaved() const {
    const slice_dimension& d = dimension[0];
    return d.extent > 1 && (d.x != 0 ? d.x < x.stride : d.y < y.stride);
  }
  /// Some slices that are neighbors in the first dimension.
  struct block {
    std::int64_t first;
    int count;
  };
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t blocks(int size) const {
    return blocks_in_a_line(size) * (count / dimension[0].extent);
  }
  KOKKOS_FORCEINLINE_FUNCTION block block_at(std::int64_t i, int size) const {
    const std::int64_t line = i / blocks_in_a_line(size);
    const std::int64_t first = (i - line * blocks_in_a_line(size)) * size;
    const std::int64_t rest = dimension[0].extent - first;
    return {line * dimension[0].extent + first, rest < size ? int(rest) : size};
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t blocks_in_a_line(int size) const {
    return (dimension[0].extent + size - 1) / size;
  }
};

}  // namespace acc::impl

#endif
