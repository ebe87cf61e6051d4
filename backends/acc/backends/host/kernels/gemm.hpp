// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_GEMM_HPP
#define ACC_BACKENDS_HOST_KERNELS_GEMM_HPP

/// \file
/// The GEMM kernels of the host library, as their callers see them: packing of panels, the
/// microkernel, and the epilogue from a tile of sums to C. Like those of sums (sums.hpp) they are
/// compiled once per instruction set and chosen when the program runs; the choice changes no bits.
///
/// The names are those of BLIS: a microkernel multiplies a panel of A, mr rows, by a panel of B, nr
/// columns, along kc of k, and the tile of C has mr x nr entries.
///
/// The kernels know real numbers only. A complex product along k is a real one along 2 k with twice
/// the columns: a row of A is (re, im, re, im, ...), and a column of B is two,
/// (re, -im, re, -im, ...) and (im, re, im, re, ...), side by side (core/numbers/
/// complex_product.hpp).

#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/gemm/scaling.hpp>

#include <cstdint>

namespace acc::backends::host {

/// What a panel is packed from: mn rows of A (or columns of B), k numbers of each.
template <class T>
struct panel_source {
  const T* data;                     ///< a complex number is two of them
  std::int64_t mn_stride, k_stride;  ///< in numbers of type T
  int mn;
  std::int64_t k;
  bool conjugate;
};

/// How numbers are laid in a panel: as they are, or as complex numbers of A or of B.
enum class panel_kind { real, complex_rows, complex_columns };

/// Packs a panel of width mr or nr: out[k * width + mn], zero where the source has no such mn.
template <class T, class S>
using pack_function = void (*)(panel_kind kind, const panel_source<T>& from, int width, S* out);
template <class T, class S>
pack_function<T, S> pack_for_this_processor();

/// What a microkernel multiplies: a tile's products of a section of k, or a part of one. The sums
/// are in `state`: a row-major tile of chains (one number, or sum and rest), followed by tiles of
/// totals.
template <class S>
struct microkernel_arguments {
  std::int64_t k, strip;
  std::int64_t until_close;         ///< products left to the strip that the first one belongs to
  bool first, last;                 ///< whether the section begins here, and whether it ends here
  const S* a;                       ///< panel of A, or rows of A in place
  std::int64_t a_row = 0, a_k = 0;  ///< in place: from one row, and from one k, to the next in a
  const S* b;                       ///< panel of B, or columns of B in place
  std::int64_t b_step;              ///< from one k to the next in b
  S* state;
  const S* next_b;               ///< what the next tiles need of b: a cache line for each k ...
  std::int64_t next_b_step = 0;  ///< ... this far apart
  const S* next_state;           ///< the state of the next tile
  S alpha = S(0);                ///< multiply_to_c: not 0
  S* c = nullptr;                ///< row r of the tile of C begins at c + r * c_step
  std::int64_t c_step = 0;
};

/// A microkernel, for one number of rows.
template <class S>
struct microkernel {
  int mr;
  void (*multiply)(const microkernel_arguments<S>&);           ///< a panel of A
  void (*multiply_in_place)(const microkernel_arguments<S>&);  ///< rows of A
  /// Rows of A by all of k, at most a section: alpha times the product becomes the tile of C. False
  /// where an entry is NaN; then it has to be done another way.
  bool (*multiply_to_c)(const microkernel_arguments<S>&);
};
/// Those of a method.
template <class S>
class microkernels {
 public:
  int mr;  ///< the largest
  int nr;
  int components;  ///< numbers in the state for each entry

  constexpr microkernels(int nr_, int components_) : mr(0), nr(nr_), components(components_) {}
  /// Those that are added have ever more rows.
  constexpr void add(const microkernel<S>& next) {
    for (int rows = mr + 1; rows <= next.mr; ++rows) at_least_[rows] = at_most_[rows] = next;
    for (int rows = mr + 1; rows < next.mr; ++rows) at_most_[rows] = at_least_[mr];
    mr = next.mr;
  }
  /// The one with the least mr that is at least `rows`, or the largest.
  const microkernel<S>& at_least(std::int64_t rows) const {
    return at_least_[rows < mr ? rows : mr];
  }
  /// The one with the largest mr that is at most `rows`.
  const microkernel<S>& at_most(std::int64_t rows) const { return at_most_[rows < mr ? rows : mr]; }

 private:
  microkernel<S> at_least_[microkernel_tuning::most_rows + 1] = {};
  microkernel<S> at_most_[microkernel_tuning::most_rows + 1] = {};
};
template <class Method, class S>
const microkernels<S>& microkernels_for_this_processor();

/// A product whose entries have one strip, and nothing of which is packed: C = alpha A B + beta C,
/// or its transpose, B^T A^T. The numbers of a row of C are neighbors, or it has one alone. Complex
/// numbers (Parts = 2): n counts real numbers, m and k complex ones, and distances, from one
/// complex row, column or k to the next, real ones.
template <class S, int Parts = 1>
struct small_gemm_arguments {
  std::int64_t m, n, k;  ///< k at most a strip, and a section
  const S* a;
  std::int64_t a_row, a_k;  ///< from one row, and from one k, to the next in a
  const S* b;
  std::int64_t b_k, b_column;  ///< from one k, and from one column, to the next in b
  S* c;
  std::int64_t c_row;  ///< from one row to the next in c
  S alpha, beta;       ///< alpha is not 0; where beta is, C is not read
};
/// alpha and beta are real parts here: each may be 0 where the imaginary part is not.
template <class S>
struct small_gemm_arguments<S, 2> : small_gemm_arguments<S> {
  S alpha_im, beta_im;
  bool b_is_first;  ///< whether b's number is a product's first factor, and a's its second one
  bool conjugates_first, conjugates_second;
};
template <class S, int Parts>
using small_gemm_function = void (*)(const small_gemm_arguments<S, Parts>&);
template <class Method, class S, int Parts>
small_gemm_function<S, Parts> small_gemm_for_this_processor();

/// Adds a section's sums, which `state` holds complete, to those of the sections before, or, of the
/// first section, puts them there: tiles of one number, or of high and low.
template <class S>
using section_function = void (*)(int mr, const S* state, bool first, S* sums);
template <class Method, class S>
section_function<S> section_for_this_processor();

/// What an epilogue scales, and where to: row r of C's part begins at c + r * step.
template <class S, class C>
struct epilogue_arguments {
  const S* state;   ///< of the last section, complete
  const S* before;  ///< the sums of the sections before, or null
  impl::scaling<S> scale;
  int parts;  ///< 1 real, 2 complex (neighboring columns)
  int rows, columns;
  C* c;
  std::int64_t step;
  /// For each row, the entries to write; on return those that were NaN and so are not written yet.
  std::uint64_t* wanted;
  bool keeps_nan;  ///< whether a NaN is written
};
template <class S, class C>
using epilogue_function = void (*)(int mr, const epilogue_arguments<S, C>&);
template <class Method, class S, class C>
epilogue_function<S, C> epilogue_for_this_processor();

}  // namespace acc::backends::host

#endif
