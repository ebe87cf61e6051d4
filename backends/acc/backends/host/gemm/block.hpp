// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_GEMM_BLOCK_HPP
#define ACC_BACKENDS_HOST_GEMM_BLOCK_HPP

/// \file
/// A block of C that one thread of the host works on, and the packing of its panels.

#include <acc/backends/host/gemm/blocking.hpp>
#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <algorithm>
#include <cstdint>

namespace acc::backends::host {

/// Tiles: gemm_tiles<Problem>, which see.
template <class Tiles>
class host_block {
 public:
  explicit host_block(const Tiles& tiles) : t_(tiles) {}

  /// Block `index` of all batches.
  void begin(std::int64_t index) {
    const host_gemm_plan& p = t_.plan;
    const std::int64_t blocks = p.grid_rows * p.grid_columns;
    problem_ = t_.problem.of_batch(index / blocks);
    const std::int64_t block = index % blocks;
    first_row_ = block % p.grid_rows * p.block_rows;
    first_column_ = block / p.grid_rows * p.block_columns;
    rows_ = std::min(p.block_rows, p.rows - first_row_);
    columns_ = std::min(p.block_columns, p.columns - first_column_);
  }

 protected:
  using problem_type = decltype(Tiles::problem);
  using real = typename Tiles::real;
  using in = typename Tiles::in;
  using panel_in = typename Tiles::panel_in;
  static constexpr int parts = Tiles::parts;

  /// The kernel of tiles of so many rows, or of the largest.
  host::tile_functions<real> kernel_for(std::int64_t rows) const {
    return host::tile_for_this_processor<typename Tiles::method, real>(
        std::min<std::int64_t>(rows, t_.plan.tile_rows));
  }

  /// Packs rows [i, i + rows) of A, as many as a tile has, from depth k on.
  void pack_rows(std::int64_t i, std::int64_t rows, std::int64_t k, std::int64_t depth,
                 real* to) const {
    const int width = kernel_for(rows).rows;
    const int lanes = int(std::min<std::int64_t>(rows, width));
    pack_panel(parts == 1 ? host::panel_kind::real : host::panel_kind::complex_rows, problem_.a,
               problem_.a.row_stride, problem_.a.column_stride, i, lanes, k / parts, depth / parts,
               width, to);
  }
  /// The same of columns of B.
  void pack_columns(std::int64_t j, std::int64_t columns, std::int64_t k, std::int64_t depth,
                    real* to) const {
    const int width = t_.plan.tile_columns;
    const int lanes = int(std::min<std::int64_t>(columns, width)) / parts;
    pack_panel(parts == 1 ? host::panel_kind::real : host::panel_kind::complex_columns, problem_.b,
               problem_.b.column_stride, problem_.b.row_stride, j / parts, lanes, k / parts,
               depth / parts, width, to);
  }

  const Tiles& t_;
  problem_type problem_;
  std::int64_t first_row_ = 0, first_column_ = 0, rows_ = 0, columns_ = 0;

 private:
  void pack_panel(host::panel_kind kind, const impl::matrix_data<const in>& m,
                  std::int64_t lane_stride, std::int64_t depth_stride, std::int64_t first_lane,
                  int lanes, std::int64_t first, std::int64_t depth, int width, real* to) const {
    const in* from = m.data + first_lane * lane_stride + first * depth_stride;
    if constexpr (impl::is_half_scalar<in>) {
      for (std::int64_t k = 0; k < depth; ++k)
        for (int l = 0; l < width; ++l)
          *to++ = l < lanes ? real(from[l * lane_stride + k * depth_stride]) : real(0);
    } else {
      t_.pack(kind,
              {reinterpret_cast<const panel_in*>(from), lane_stride * parts, depth_stride * parts,
               lanes, depth, m.conjugate},
              width, to);
    }
  }
};

}  // namespace acc::backends::host

#endif
