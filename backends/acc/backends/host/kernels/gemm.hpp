// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_GEMM_HPP
#define ACC_BACKENDS_HOST_KERNELS_GEMM_HPP

/// \file
/// The table of contents of the host's matrix product kernels: packing of panels, multiplication of
/// a tile, and its scaling into C. As the sums' (leaf.hpp) they are compiled once for each
/// instruction set and chosen when the program runs; which one changes no bits.
///
/// The kernels know real numbers only. A complex product of depth K is a real one of depth 2 K and
/// twice the columns: a row of A is (re, im, re, im, ...), and to a column of B belong two,
/// (re, -im, re, -im, ...) and (im, re, im, re, ...), which lie side by side (complex_product).

#include <acc/core/gemm_method.hpp>
#include <acc/core/gemm/scaling.hpp>

#include <cstdint>

namespace acc::backends::host {

/// What a panel is made of: `lanes` rows of A (or columns of B), `depth` numbers long.
template <class T>
struct panel_source {
  const T* data;                           ///< a complex number is two of them
  std::int64_t lane_stride, depth_stride;  ///< in numbers of type T
  int lanes;
  std::int64_t depth;
  bool conjugate;
};

/// How numbers are laid in a panel: as they are, or as complex numbers of A or of B.
enum class panel_kind { real, complex_rows, complex_columns };

/// Packs a panel: out[k * width + lane], absent lanes zero.
template <class T, class S>
using pack_function = void (*)(panel_kind kind, const panel_source<T>& from, int width, S* out);

/// Products of some depth for one tile of C, whose numbers are kept in `state`: a row-major tile
/// of chains (one, or sum and rest), followed by tiles of totals.
template <class S>
struct tile_products {
  std::int64_t depth, strip;
  std::int64_t until_close;  ///< products left to the strip that the first one belongs to
  bool first, last;          ///< whether the tile begins, ends here
  const S* a;                ///< panel of `rows` lanes
  const S* b;                ///< panel of `columns` lanes, or columns of B in place
  std::int64_t b_step;       ///< from one k to the next in b
  S* state;
  const S* next_b;           ///< what the next tiles need of b: a line of cache for each k ...
  std::int64_t next_b_step;  ///< ... this far apart
  const S* next_state;       ///< the next tile's state
};

/// Where a finished tile goes: row r of C's part begins at c + r * step.
template <class S, class C>
struct tile_result {
  const S* state;
  impl::scaling<S> scale;
  int parts;  ///< 1 real, 2 complex (neighbouring columns)
  int rows, columns;
  C* c;
  std::int64_t step;
  /// For each row, the entries to write; on return those that were NaN and so are not written yet.
  std::uint64_t* wanted;
  bool keeps_nan;  ///< whether a NaN is written
};

/// A tile's functions, for one number of rows.
template <class S>
struct tile_functions {
  int rows, columns;
  int components;  ///< numbers in the state for each entry
  void (*multiply)(const tile_products<S>&);
};

/// The smallest tile that has `rows` rows, or the largest.
template <class Method, class S>
tile_functions<S> tile_for_this_processor(std::int64_t rows);

template <class Method, class S, class C>
using finish_function = void (*)(int tile_rows, const tile_result<S, C>&);
template <class Method, class S, class C>
finish_function<Method, S, C> finish_for_this_processor();

template <class T, class S>
pack_function<T, S> pack_for_this_processor();

}  // namespace acc::backends::host

#endif
