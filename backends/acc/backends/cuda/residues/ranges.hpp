// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_RESIDUES_RANGES_HPP
#define ACC_BACKENDS_CUDA_RESIDUES_RANGES_HPP

/// \file
/// What bits the numbers of rows and columns hold.

#include <acc/core/exact/row_scale.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::cuda {

/// The bits that numbers hold, as words that maximum merges; 0 of none.
struct merged_range {
  static constexpr int far = impl::number_range::far;
  std::uint32_t top, low;

  KOKKOS_FORCEINLINE_FUNCTION impl::number_range range() const {
    return {int(top) - far, far - int(low)};
  }
};

/// The ranges of a matrix' rows. A team has some rows and a part of k.
template <class T>
struct residue_ranges_kernel {
  static constexpr int rows = 32, depth = 1024, threads = 256, warps = threads / 32;
  static constexpr int teams_per_sm = 4;
  using sum = impl::number_range_sum<typename impl::exact_operands<T>::real>;

  impl::matrix_data<const T> m;
  merged_range* ranges;  ///< zeros before

  std::int64_t grid_rows() const { return (m.rows + rows - 1) / rows; }
  std::int64_t teams() const { return grid_rows() * ((m.columns + depth - 1) / depth); }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t index) const {
    const std::int64_t grid = (m.rows + rows - 1) / rows;
    const std::int64_t first_row = index % grid * rows;
    const std::int64_t first = index / grid * depth;
    const std::int64_t end = first + depth < m.columns ? first + depth : m.columns;
    const int lane = team.team_rank() % 32, warp = team.team_rank() / 32;
    if (m.row_stride == 1 || m.column_stride != 1) {
      const std::int64_t i = first_row + lane;
      if (i >= m.rows || first + warp >= end) return;
      put(i, range_of(&m(i, first + warp), warps * m.column_stride,
                      int(end - first - warp + warps - 1) / warps));
    } else {
      for (int n = warp; n < rows; n += warps) {
        const std::int64_t i = first_row + n;
        if (i >= m.rows) return;
        impl::number_range r = range_of(&m(i, first + lane), 32, int(end - first - lane + 31) / 32);
#if defined(__CUDA_ARCH__)
        r.top = __reduce_max_sync(0xffffffffu, r.top);
        r.low = __reduce_min_sync(0xffffffffu, r.low);
        if (lane != 0) continue;
#endif
        put(i, r);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static impl::number_range range_of(const T* x, std::int64_t step,
                                                                 int count) {
    // So many loads are under way at once.
    constexpr int together = 16;
    sum r;
    for (; count >= together; count -= together) {
      T batch[together];
#pragma unroll
      for (int n = 0; n < together; ++n, x += step) batch[n] = *x;
#pragma unroll
      for (int n = 0; n < together; ++n) add(r, batch[n]);
    }
    for (; count > 0; --count, x += step) add(r, *x);
    return r.range();
  }
  KOKKOS_FORCEINLINE_FUNCTION static void add(sum& r, const T& x) {
    if constexpr (impl::components_of<T> == 2) {
      r.add(x.real());
      r.add(x.imag());
    } else {
      r.add(typename impl::exact_operands<T>::real(x));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(std::int64_t i, const impl::number_range& r) const {
    constexpr int far = merged_range::far;
    Kokkos::atomic_max(&ranges[i].top, std::uint32_t(r.top + far));
    Kokkos::atomic_max(&ranges[i].low, std::uint32_t(far - r.low));
  }
};

}  // namespace acc::backends::cuda

#endif
