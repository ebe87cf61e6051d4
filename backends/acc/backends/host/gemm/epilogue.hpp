// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_GEMM_EPILOGUE_HPP
#define ACC_BACKENDS_HOST_GEMM_EPILOGUE_HPP

/// \file
/// The epilogue: from the sums of a tile to its entries of C.
///
/// The law is in core/gemm/entry.hpp: the parts for which needs_fallback holds are replaced, each
/// alone, by those of the method `fallback`. The schedule is this file's: the fallback is computed
/// for a whole tile as soon as one of its parts needs it, so that a product full of NaN takes no
/// more than a few times as long as any other.

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace acc::backends::host {

/// What a thread has of C: rows [row, row + rows), and columns alike, which count real numbers.
struct gemm_block {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
};

/// The epilogue of a block's tiles, which begin at (i, j) of the block. Tiles: gemm_tiles<Problem>.
template <class Tiles>
class epilogue {
  using problem = typename Tiles::problem_type;
  using real = typename Tiles::real;
  using method = typename Tiles::method;
  using out = typename Tiles::out;
  using panel_out = typename Tiles::panel_out;
  using arguments = epilogue_arguments<real, panel_out>;
  static constexpr int parts = Tiles::parts;
  static constexpr int max_mr = microkernel_tuning::most_rows, max_nr = 64;

 public:
  epilogue(const Tiles& tiles, const problem& p, const gemm_block& block)
      : t_(tiles), problem_(p), block_(block) {}

  /// Fetches the tile of C that the products in hand will be written to.
  void fetch_c(std::int64_t i, std::int64_t j, int mr) const {
    const auto& c = problem_.c;
    if (c.column_stride != 1) return;
    const std::int64_t rows = std::min<std::int64_t>(mr, block_.rows - i);
    const std::int64_t bytes = t_.blocking.nr / parts * std::int64_t(sizeof(out));
    for (std::int64_t r = 0; r < rows; ++r) {
      const char* row =
          reinterpret_cast<const char*>(&c(block_.row + i + r, (block_.column + j) / parts));
      for (std::int64_t b = 0; b < bytes; b += 64) __builtin_prefetch(row + b, 1, 2);
    }
  }

  /// Scales a tile into C: first all parts except those that need the fallback, then those.
  /// `state` is of the last section, and `before` has the sums of those before, or is null.
  /// pack(i, j, mr, k, kc, a, b) packs [k, k + kc) of the tile's panels of A and B.
  template <class Pack>
  void finish_tile(std::int64_t i, std::int64_t j, int mr, const real* state, const real* before,
                   const Pack& pack) const {
    std::uint64_t wanted[max_mr];
    std::fill_n(wanted, mr, ~std::uint64_t(0));
    arguments result{};
    result.scale = problem_.scale;
    result.parts = parts;
    result.rows = int(std::min<std::int64_t>(mr, block_.rows - i));
    result.columns = int(std::min<std::int64_t>(t_.blocking.nr, block_.columns - j));
    result.wanted = wanted;
    result.state = state;
    result.before = before;
    result.keeps_nan = !impl::has_fallback<method>;
    // A complex entry's parts read both parts of C: the second time, what was there the first time.
    constexpr bool keeps_c = impl::has_fallback<method> && parts == 2;
    panel_out old_c[keeps_c ? max_mr * max_nr : 1];
    if (keeps_c && problem_.reads_c()) {
      each_entry(i, j, result, [&](int r, int column, const auto& entry) {
        old_c[r * t_.blocking.nr + column] = panel_out(entry);
      });
    }
    write(i, j, result, nullptr, [&] { t_.finish(mr, result); });
    if constexpr (impl::has_fallback<method>) {
      const auto any = [&] {
        std::uint64_t bits = 0;
        for (int r = 0; r < result.rows; ++r) bits |= wanted[r];
        return bits != 0;
      };
      if (any())
        finish_by_fallback(i, j, mr, pack, result, keeps_c && problem_.reads_c() ? old_c : nullptr);
    }
  }

 private:
  /// The entries that are still wanted: the tile's sums by the fallback, over all of k, and their
  /// epilogue. Rare, so its memory is on the stack.
  template <class Pack>
  [[gnu::noinline]] void finish_by_fallback(std::int64_t i, std::int64_t j, int mr,
                                            const Pack& pack, arguments& result,
                                            const panel_out* old_c) const {
    const auto& kernel = microkernels_for_this_processor<impl::fallback, real>().at_least(mr);
    const auto end_section = section_for_this_processor<impl::fallback, real>();
    constexpr std::int64_t spare_kc = gemm_tuning::spare_kc;
    const int nr = t_.blocking.nr;
    alignas(64) real a[max_mr * spare_kc], b[max_nr * spare_kc];
    alignas(64) real state[max_mr * max_nr], sums[max_mr * max_nr];
    std::fill_n(state, mr * nr, real(0));
    for (std::int64_t first = 0; first < t_.depth; first += t_.section) {
      const std::int64_t end = std::min(first + t_.section, t_.depth);
      for (std::int64_t k = first; k < end; k += spare_kc) {
        const std::int64_t kc = std::min(spare_kc, end - k);
        pack(i, j, mr, k, kc, a, b);
        constexpr std::int64_t no_strip = std::numeric_limits<std::int64_t>::max();
        kernel.multiply({.k = kc,
                         .strip = no_strip,
                         .until_close = no_strip,
                         .first = k == first,
                         .last = k + kc == end,
                         .a = a,
                         .b = b,
                         .b_step = nr,
                         .state = state,
                         .next_b = b,
                         .next_state = state});
      }
      if (end < t_.depth) end_section(mr, state, first == 0, sums);
    }
    result.state = state;
    result.before = t_.depth > t_.section ? sums : nullptr;
    result.keeps_nan = true;
    write(i, j, result, old_c, [&] { t_.finish_fallback(mr, result); });
  }

  /// Calls visit(row, column, real part of C) for the tile's entries.
  template <class Visit>
  void each_entry(std::int64_t i, std::int64_t j, const arguments& result,
                  const Visit& visit) const {
    const auto& c = problem_.c;
    out* const first = &c(block_.row + i, (block_.column + j) / parts);
    for (int r = 0; r < result.rows; ++r)
      for (int column = 0; column < result.columns; ++column)
        visit(r, column,
              reinterpret_cast<impl::real_t<out>*>(
                  first + r * c.row_stride + column / parts * c.column_stride)[column % parts]);
  }

  /// Points `result` to C, or to a copy of the tile where C's rows are not contiguous or hold
  /// another type or have changed since `old_c`, and runs f.
  template <class F>
  void write(std::int64_t i, std::int64_t j, arguments& result, const panel_out* old_c,
             const F& f) const {
    constexpr bool same_type = std::is_same_v<panel_out, impl::real_t<out>>;
    const auto& c = problem_.c;
    if (!old_c && same_type && (c.column_stride == 1 || result.columns == parts)) {
      result.c = reinterpret_cast<panel_out*>(&c(block_.row + i, (block_.column + j) / parts));
      result.step = c.row_stride * parts;
      return f();
    }
    panel_out copy[max_mr * max_nr];
    std::uint64_t wanted[max_mr];
    result.c = copy;
    result.step = t_.blocking.nr;
    std::copy_n(result.wanted, result.rows, wanted);
    if (old_c) {
      std::copy_n(old_c, result.rows * t_.blocking.nr, copy);
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

  const Tiles& t_;
  const problem& problem_;
  const gemm_block& block_;
};

}  // namespace acc::backends::host

#endif
