// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_GEMV_HPP
#define ACC_BACKENDS_HOST_KERNELS_GEMV_HPP

/// \file
/// The kernels of matrix times vector, as their callers see them. Like those of matrix products
/// (gemm.hpp) they are compiled once per instruction set and chosen when the program runs; the
/// choice changes no bits.
///
/// They know real numbers only. An *entry* is a real number of y: a row has `parts` of them, 1 or,
/// of complex numbers, 2. A *product* is a real one: a complex row of k numbers is 2 k products for
/// each of its entries, and factor p of product q is what entry p of every row multiplies by there
/// (core/numbers/complex_product.hpp).

#include <acc/core/gemm_method.hpp>
#include <acc/core/gemm/scaling.hpp>

#include <cstdint>

namespace acc::backends::host {

/// How a kernel goes through op(A): down its columns, whose numbers are contiguous, or along its
/// rows, whose numbers are.
enum class gemv_walk { down_columns, along_rows };

/// One section of k of some rows, or a part of it. Down columns k may be 0 where a section ends.
template <class T, class S>
struct gemv_arguments {
  const T* a;            ///< a complex number is two of them
  std::int64_t stride;   ///< from one column to the next, or from one row to the next
  std::int64_t rows, k;  ///< scalars, be they real or complex
  std::int64_t strip;    ///< products
  bool fetches;          ///< whether A is to be fetched ahead of its use, as it is in no cache
  /// Down columns: from a number to the one that is read in its place by the caller's next call,
  /// and is fetched for it. 0: there is none.
  std::int64_t to_next = 0;
  const S* x;                ///< factor p of product q at q * parts + p
  bool first, last;          ///< whether the section begins here, and whether it ends here
  std::int64_t until_close;  ///< products left to the strip that the first one belongs to
  S* state;                  ///< max_gemv_components for each entry; of whole rows nothing
  S* sums;                   ///< of the last part: each entry's sum, and then each one's low part
  std::int64_t step;  ///< from one component to the next in both: entries, in whole registers
};
/// Numbers of a chain and its totals.
inline constexpr int max_gemv_components = 3;

template <class T, class S>
using gemv_function = void (*)(const gemv_arguments<T, S>&);
/// Null where there is no such kernel: then A has to be copied, column by column.
template <class Method, class T, class S>
gemv_function<T, S> gemv_for_this_processor(gemv_walk walk, int parts);
/// The rows that a kernel takes at a time: more threads than rows / this are of no use.
template <class T, class S>
int gemv_rows_for_this_processor(gemv_walk walk, int parts);

/// How the sections of entries add up, and what becomes of their sums. All arrays are of whole
/// registers.
template <class S>
struct gemv_entries {
  std::int64_t count;  ///< entries
  std::int64_t step;   ///< from the high parts to the low parts of sums
  S* sums;
  const S* next;  ///< the next section's sums, to be added
  impl::scaling<S> scale;
  const S* before;  ///< y's numbers, which do not count where beta is zero
  S* values;
};
template <class S>
struct gemv_entry_functions {
  void (*add)(const gemv_entries<S>&);
  void (*scale)(const gemv_entries<S>&);
};
template <class Method, class S>
gemv_entry_functions<S> gemv_entries_for_this_processor(int parts);

}  // namespace acc::backends::host

#endif
