// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_WINDOW_HPP
#define ACC_BACKENDS_HOST_WINDOW_HPP

/// \file
/// The order-free host kernels' table of contents: one function adds a block of numbers to a window
/// of integer bins in vector registers. Which bins a block gets, whether they held all of it, and
/// where their totals go is decided by the caller (host_order_free.hpp); as for leaf.hpp, the
/// instruction set is chosen when the program runs and changes no bits.

#include <acc/core/terms.hpp>

#include <cstdint>

namespace acc::backends::host {

inline constexpr int max_window_bins = 8;
/// A kernel takes a multiple of so many numbers, and at most window_block.
inline constexpr int window_step = 32;
inline constexpr int window_block = 4096;

/// x y and x y_neighbour: both sums of complex products. Their signs are the caller's.
struct cross_terms {
  static constexpr int inputs = 2, sums = 2, results = 2;
  static constexpr impl::guard guarded = impl::guard::products;
  template <class Acc, class T, class Lane>
  ACC_FUNCTION static void deposit(Acc* a, T x, T y, T y_neighbour, Lane) {
    a[0].add_product(x, y);
    a[1].add_product(x, y_neighbour);
  }
};

/// What a block leaves: for each sum of the terms, and for its even and odd lanes.
struct window_totals {
  /// Units of each bin, the highest bin first.
  std::int64_t total[2][2][max_window_bins];
  /// The bits of the largest and (of products) the smallest |term|: NaN and infinity are largest.
  std::uint64_t max[2][2], min[2][2];
  /// The union of the bits, but signs, that no bin took.
  std::uint64_t residue;
};

/// Bin k has the unit u_k = magic[k] / (1.5 * 2^52). Terms must be below 2^51 u_0; what a bin
/// leaves over is at most u_k / 2, which must be at most 2^50 u_{k+1}.
template <class T>
using window_function = void (*)(const T* x, const T* y, std::int64_t n, const double* magic,
                                 window_totals* totals);

/// The function for this processor with `bins` bins: 1, 2, 3, 4 or 8 that keep the residue (exact),
/// or 2, 3, 4 or 8 that drop it. Terms: sum_terms<1>, magnitude_terms, product_terms, cross_terms.
template <class Terms, class T>
window_function<T> window_for_this_processor(int bins, bool keeps_residue);

}  // namespace acc::backends::host

#endif
