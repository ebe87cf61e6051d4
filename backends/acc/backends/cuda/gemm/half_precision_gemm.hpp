// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_HALF_PRECISION_GEMM_HPP
#define ACC_BACKENDS_CUDA_GEMM_HALF_PRECISION_GEMM_HPP

/// \file
/// Products of half precision, which no tile reads: A and B are first converted and packed into the
/// workspace. The conversion is exact, so no bit depends on it.

#include <acc/backends/cuda/gemm/pack_panels.hpp>
#include <acc/backends/cuda/gemm/tile_sums.hpp>

namespace acc::backends::cuda {

/// p with A and B of type Number, in the layout that they will have in the workspace.
template <class Number, class Problem>
auto converted_problem(const Problem& p) {
  impl::gemm_problem<typename Problem::method, Number, typename Problem::out> q;
  Number* const nowhere = nullptr;
  const auto a = packed_panel(rows_of(p), nowhere), b = packed_panel(columns_of(p), nowhere);
  q.a = {nowhere, p.a.rows, p.a.columns, 1, a.k_stride, a.batch_stride};
  q.b = {nowhere, p.b.rows, p.b.columns, b.k_stride, 1, b.batch_stride};
  q.c = p.c;
  q.batches = p.batches;
  q.strip = p.strip;
  q.scale = p.scale;
  return q;
}

/// The tiles of a product that is converted first. Tiles: those of the converted problem.
template <class Problem, class Number, class Tiles>
class converted_tiles : public Tiles {
 public:
  converted_tiles(const Problem& p, const Tiles& tiles) : Tiles(tiles), from_(p) {}

  std::size_t bytes() const {
    return converted_bytes() + std::size_t(this->teams) * Tiles::team_tile::waiting_bytes;
  }

  template <class Exec>
  void prepare(const Exec& exec) {
    pack([&](const auto& kernel) { launch_pack_panel(exec, kernel); });
  }
  /// Converts by kernels that launch(kernel) runs.
  template <class Launch>
  void pack(const Launch& launch) {
    this->waiting_memory = static_cast<char*>(this->memory) + converted_bytes();
    if (converted_bytes() == 0) return;
    auto* const a = static_cast<Number*>(this->memory);
    auto* const b = a + bytes_of(rows_of(from_)) / sizeof(Number);
    convert(rows_of(from_), a, launch);
    convert(columns_of(from_), b, launch);
    this->problem.a.data = a;
    this->problem.b.data = b;
  }

 private:
  std::size_t converted_bytes() const {
    return from_.reads_products() ? bytes_of(rows_of(from_)) + bytes_of(columns_of(from_)) : 0;
  }
  template <class Panel>
  std::size_t bytes_of(const Panel& p) const {
    return packed_bytes<Number>(p, from_.batches);
  }
  template <class Panel, class Launch>
  void convert(const Panel& p, Number* to, const Launch& launch) {
    using kernel = pack_panel_kernel<Number, typename Problem::in>;
    launch(kernel(p, packed_panel(p, to), from_.batches, false));
  }

  Problem from_;
};

}  // namespace acc::backends::cuda

#endif
