// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_SUMS_HPP
#define ACC_BACKENDS_HOST_KERNELS_SUMS_HPP

/// \file
/// The sum kernels of the host library, as their callers see them: a leaf in the canonical order,
/// and a tile of an order-free sum.
///
/// They are compiled once per instruction set and chosen when the program runs (dispatch.cpp),
/// because neither Kokkos nor an application is usually compiled for the processor it will meet.
/// The choice changes no bits. instances.hpp lists the types they are compiled for.

#include <acc/core/method.hpp>
#include <acc/core/numbers/macros.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/terms.hpp>

#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

// Sums in canonical order.

/// Stripes of x (and y) that lie next to each other in memory.
template <class T>
struct stripes_of {
  const T *x, *y;
  int count;
};
/// Sums a leaf into Terms::results accumulators: full stripes, and then those of `last`, which may
/// be a padded copy.
template <class Terms, class Method, class T>
using leaf_function = void (*)(const stripes_of<T>& first, const stripes_of<T>& last,
                               typename impl::accumulator_of<Method, T>::type* results);
template <class Terms, class Method, class T>
leaf_function<Terms, Method, T> leaf_for_this_processor();

/// Sums a leaf of `count` numbers, 1 to less than two stripes, the last of which is not whole: in
/// place, without a padded copy.
template <class Terms, class Method, class T>
using few_function = void (*)(const T* x, const T* y, int count,
                              typename impl::accumulator_of<Method, T>::type* results);
template <class Terms, class Method, class T>
few_function<Terms, Method, T> few_for_this_processor();

/// Neighboring vectors of real numbers that lie interleaved in memory: number i of vector b is
/// data[i * step + b], or data[i * step] where all are one vector.
template <class T>
struct interleaved_vectors {
  const T* data;
  std::int64_t step;
  bool are_one;
};
/// Their count in a kernel's call: so many times 1 to max_interleaved_lines.
template <class T>
inline constexpr int interleaved_line = 64 / int(sizeof(T));
inline constexpr int max_interleaved_lines = 8;

/// Sums a leaf of up to leaf_size numbers of each of `lines` lines of vectors x (and y): results[b]
/// is vector b's. For terms with one result.
template <class Terms, class Method, class T>
using interleaved_function = void (*)(interleaved_vectors<T> x, interleaved_vectors<T> y, int lines,
                                      int size,
                                      typename impl::accumulator_of<Method, T>::type* results);
template <class Terms, class Method, class T>
interleaved_function<Terms, Method, T> interleaved_for_this_processor();
/// Whether there is one of few numbers (instances.hpp), and one of interleaved vectors.
template <class Terms, class Method, class T>
inline constexpr bool has_few_kernel =
    (std::is_same_v<Method, plain> || std::is_same_v<Method, compensated>) &&
    std::is_floating_point_v<T>;
template <class Terms, class Method, class T>
inline constexpr bool has_interleaved_kernel =
    has_few_kernel<Terms, Method, T> && Terms::results == 1;

// Order-free sums. A kernel gets a tile: a multiple of tile_step numbers, at most tile_numbers.
// Which kernel a tile gets, whether the kernel held all of it, and where its totals go is for the
// caller to decide (host/sums/). Terms: sum_terms<1>, magnitude_terms, product_terms, cross_terms.

inline constexpr int tile_step = 32;
/// So few that the total of a bin is below 2^62.
inline constexpr int tile_numbers = 4096;

/// x y and x y_neighbour: both sums of complex products. Their signs are for the caller to add.
struct cross_terms {
  static constexpr int inputs = 2, sums = 2, results = 2;
  static constexpr impl::guard guarded = impl::guard::products;
  template <class Acc, class T, class Lane>
  ACC_FUNCTION static void deposit(Acc* a, T x, T y, T y_neighbour, Lane) {
    a[0].add_product(x, y);
    a[1].add_product(x, y_neighbour);
  }
};

/// What the terms of a tile have in common: for each sum, and for its even and odd lanes.
struct tile_summary {
  /// The bits, to the upper 32, of the largest |term| (NaN and infinity are largest) and of the
  /// smallest that is not zero to the upper 32.
  std::uint64_t max[2][2], min[2][2];
  /// The union and the intersection of all bits; not 0 where a product of nonzero numbers was
  /// rounded to zero.
  std::uint64_t any[2][2], all[2][2], underflow[2][2];
};
template <class T>
using summary_function = void (*)(const T* x, const T* y, std::int64_t n, tile_summary* summary);
template <class Terms, class T>
summary_function<T> summary_for_this_processor();

/// A window is a range of adjacent bins that vector registers hold.
inline constexpr int max_window_bins = 8;

/// What a tile leaves in a window: for each sum, and for its even and odd lanes.
struct window_totals {
  /// Units of each bin, the highest bin first.
  std::int64_t total[2][2][max_window_bins];
  /// Of windows that drop the residue: the bits, to the upper 32, of the largest |term|; NaN and
  /// infinity are largest.
  std::uint64_t max[2][2];
  /// Of windows that keep it: nonzero where a term was outside of the window, where bits of a term
  /// were left over, and where a product of doubles was a zero.
  std::uint64_t outside, residue, zero;
};

/// Bin k has the unit u_k = magic[k] / (1.5 * 2^52). Terms must be below 2^51 u_0; what a bin
/// leaves over is at most u_k / 2, which must be at most 2^50 u_{k+1}.
template <class T>
using window_function = void (*)(const T* x, const T* y, std::int64_t n, const double* magic,
                                 window_totals* totals);
enum class window_kind {
  keeps_residue,        ///< exact: 1 (of floats), 2, 3, 4, 6 or 8 (of products of doubles) bins
  drops_residue,        ///< reproducible<K>: 2, 3, 4 or 8 bins
  drops_residue_lifted  ///< the same of doubles times lifted_terms' factor: 3 or 8 bins
};
/// The function with `bins` bins.
template <class Terms, class T>
window_function<T> window_for_this_processor(int bins, window_kind kind);

/// Doubles whose terms reach beyond the magic numbers enter a window times a power of two. Terms
/// that their exponents show to be below 2^least count as zeros there: scaled, they would be
/// subnormal, which takes time.
template <bool Products>
struct lifted_terms {
  static constexpr int exponent = Products ? -540 : -400;  ///< the factor of a number is 2^this
  static constexpr int least = 725;
};

/// Integer bins for numbers of any exponent, 16 exponents per bin (Neal 2015 has a bin for each;
/// these stay in the first-level cache). A mantissa of 53 bits enters a bin in two parts, of 26 and
/// 27 bits, shifted by the exponent's last four bits: 2^20 parts of at most 2^42 each keep the sum
/// below 2^62. Lanes in turn have copies of their own, so that equal exponents do not wait for each
/// other, and even and odd lanes do not meet.
///
/// Products are those of numbers scaled by 2^608, 1 or 2^-608 (38 bins), with their errors.
template <bool Products>
struct exponent_bins {
  static constexpr int width = 16, low_bits = 26, copies = Products ? 2 : 4;
  static constexpr int scaled = 608, below = Products ? 2 * scaled / width : 0;
  static constexpr int finite = 2048 / width + 2 * below;  ///< the next one is for NaN and infinity
  static constexpr int count = finite + 1;
  static constexpr std::int64_t capacity = std::int64_t(1) << 19;  // numbers; products count twice
  /// bin[copy][b]: units of 2^exponent(b), and of 2^low_bits times that.
  std::int64_t bin[copies][count][2];
  static constexpr int exponent(int b) { return width * (b - below) - 1076; }
};
template <class Terms, class T>
using exponent_bins_of = exponent_bins<(Terms::inputs == 2) && std::is_same_v<T, double>>;
/// Deposits the finite terms of a tile in the bins of each sum; returns whether there were others.
template <class Terms, class T>
using exponent_bins_function = bool (*)(const T* x, const T* y, std::int64_t n,
                                        exponent_bins_of<Terms, T>* bins);
template <class Terms, class T>
exponent_bins_function<Terms, T> exponent_bins_for_this_processor();

// Exponents of products, as sums of two codes (core/gemm/exact_sum.hpp): of a tile.

/// The greatest, and the least of those that are not below `lowest`; 32767 if there is none.
struct exponent_extremes {
  int greatest, least;
};
struct exponent_functions {
  exponent_extremes (*range)(const std::int16_t* a, const std::int16_t* b, int n, int lowest);
  /// Writes the places of those that are at least `limit`; returns how many they are.
  int (*select)(const std::int16_t* a, const std::int16_t* b, int n, int limit,
                std::int32_t* places);
};
exponent_functions exponents_for_this_processor();

}  // namespace acc::backends::host

#endif
