// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_GEMM_EPILOGUE_HPP
#define ACC_BACKENDS_HOST_GEMM_EPILOGUE_HPP

/// \file
/// From the sums of a tile to its entries of C.
///
/// Law, from core/gemm/entry.hpp: the parts for which needs_fallback holds are replaced, each
/// alone, by those of the method `fallback`. Schedule, and this file's own: the fallback is
/// computed for a whole tile as soon as one of its parts needs it, so that a product full of NaN
/// takes no more than a few times as long as any other.

#include <acc/backends/host/gemm/block.hpp>
#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace acc::backends::host {

template <class Tiles>
class host_result : public host_block<Tiles> {
 protected:
  using base = host_block<Tiles>;
  using base::columns_;
  using base::first_column_;
  using base::first_row_;
  using base::problem_;
  using base::rows_;
  using base::t_;
  using typename base::real;
  using method = typename Tiles::method;
  using out = typename Tiles::out;
  using panel_out = typename Tiles::panel_out;
  static constexpr int parts = Tiles::parts;
  static constexpr int max_tile_rows = 32, max_tile_columns = 64;

 public:
  using base::base;

  /// Fetches the tile of C that the products in hand will be written to.
  void fetch_c(std::int64_t i, std::int64_t j, int tile_rows) const {
    const auto& c = problem_.c;
    if (c.column_stride != 1) return;
    const std::int64_t rows = std::min<std::int64_t>(tile_rows, rows_ - i);
    const std::int64_t bytes = t_.plan.tile_columns / parts * std::int64_t(sizeof(out));
    for (std::int64_t r = 0; r < rows; ++r) {
      const char* row =
          reinterpret_cast<const char*>(&c(first_row_ + i + r, (first_column_ + j) / parts));
      for (std::int64_t b = 0; b < bytes; b += 64) __builtin_prefetch(row + b, 1, 2);
    }
  }

  /// Scales a tile into C, all parts but those that need the fallback; those then, from sums that
  /// are computed in `spare`.
  void finish_tile(std::int64_t i, std::int64_t j, int tile_rows, const real* state, real* spare) {
    std::uint64_t wanted[max_tile_rows];
    std::fill_n(wanted, max_tile_rows, ~std::uint64_t(0));
    host::tile_result<real, panel_out> result{};
    result.scale = problem_.scale;
    result.parts = parts;
    result.rows = int(std::min<std::int64_t>(tile_rows, rows_ - i));
    result.columns = int(std::min<std::int64_t>(t_.plan.tile_columns, columns_ - j));
    result.wanted = wanted;
    result.state = state;
    result.keeps_nan = !impl::has_fallback<method>;
    // A complex entry's parts read both parts of C: the second time, what was there the first time.
    constexpr bool keeps_c = impl::has_fallback<method> && parts == 2;
    panel_out before[keeps_c ? max_tile_rows * max_tile_columns : 1];
    if (keeps_c && problem_.reads_c()) {
      each_entry(i, j, result, [&](int r, int column, const auto& entry) {
        before[r * t_.plan.tile_columns + column] = panel_out(entry);
      });
    }
    write(i, j, result, nullptr, [&] { t_.finish(tile_rows, result); });
    if constexpr (impl::has_fallback<method>) {
      const auto any = [&] {
        std::uint64_t bits = 0;
        for (int r = 0; r < result.rows; ++r) bits |= wanted[r];
        return bits != 0;
      };
      if (!any()) return;
      result.state = chains_of(i, j, tile_rows, spare);
      result.keeps_nan = true;
      write(i, j, result, keeps_c && problem_.reads_c() ? before : nullptr,
            [&] { t_.finish_fallback(tile_rows, result); });
    }
  }

 private:
  /// The tile's entries as chains of the fallback, over all depths.
  const real* chains_of(std::int64_t i, std::int64_t j, int tile_rows, real* spare) const {
    const auto kernel = host::tile_for_this_processor<impl::fallback, real>(tile_rows);
    real* const b = spare + t_.plan.tile_rows * t_.plan.spare_piece;
    real* const state = b + t_.plan.tile_columns * t_.plan.spare_piece;
    std::fill_n(state, tile_rows * t_.plan.tile_columns, real(0));
    for (std::int64_t k = 0; k < t_.depth; k += t_.plan.spare_piece) {
      const std::int64_t depth = std::min(t_.plan.spare_piece, t_.depth - k);
      this->pack_rows(first_row_ + i, rows_ - i, k, depth, spare);
      this->pack_columns(first_column_ + j, columns_ - j, k, depth, b);
      constexpr std::int64_t no_strip = std::numeric_limits<std::int64_t>::max();
      kernel.multiply({depth, no_strip, no_strip, k == 0, k + depth == t_.depth, spare, b,
                       t_.plan.tile_columns, state, b, 0, state});
    }
    return state;
  }

  /// Calls visit(row, column, real part of C) for the tile's entries.
  template <class Visit>
  void each_entry(std::int64_t i, std::int64_t j, const host::tile_result<real, panel_out>& result,
                  const Visit& visit) const {
    const auto& c = problem_.c;
    out* const first = &c(first_row_ + i, (first_column_ + j) / parts);
    for (int r = 0; r < result.rows; ++r)
      for (int column = 0; column < result.columns; ++column)
        visit(r, column,
              reinterpret_cast<impl::real_t<out>*>(
                  first + r * c.row_stride + column / parts * c.column_stride)[column % parts]);
  }

  /// Points `result` to C, or to a copy of the tile where C's rows are not contiguous or hold
  /// another type or have changed since `before`, and runs f.
  template <class F>
  void write(std::int64_t i, std::int64_t j, host::tile_result<real, panel_out>& result,
             const panel_out* before, const F& f) const {
    constexpr bool same_type = std::is_same_v<panel_out, impl::real_t<out>>;
    const auto& c = problem_.c;
    if (!before && same_type && (c.column_stride == 1 || result.columns == parts)) {
      result.c = reinterpret_cast<panel_out*>(&c(first_row_ + i, (first_column_ + j) / parts));
      result.step = c.row_stride * parts;
      return f();
    }
    panel_out copy[max_tile_rows * max_tile_columns];
    std::uint64_t wanted[max_tile_rows];
    result.c = copy;
    result.step = t_.plan.tile_columns;
    std::copy_n(result.wanted, result.rows, wanted);
    if (before) {
      std::copy_n(before, result.rows * t_.plan.tile_columns, copy);
    } else if (problem_.reads_c()) {
      each_entry(i, j, result, [&](int r, int column, const auto& entry) {
        copy[r * result.step + column] = panel_out(entry);
      });
    }
    f();
    each_entry(i, j, result, [&](int r, int column, auto& entry) {
      if (wanted[r] >> column & 1 && !(result.wanted[r] >> column & 1))
        entry = impl::as_result<impl::real_t<out>>(copy[r * result.step + column]);
    });
  }
};

}  // namespace acc::backends::host

#endif
