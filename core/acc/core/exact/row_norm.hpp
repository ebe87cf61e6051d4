// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_ROW_NORM_HPP
#define ACC_CORE_EXACT_ROW_NORM_HPP

/// \file
/// How large sums of products may be, by the Euclidean norms of rows (row_scale.hpp): a row of A
/// and a column of B with norms of at most 2^(qA / 8) and 2^(qB / 8), in their units, have |sum of
/// products| <= 2^((qA + qB) / 8) (Cauchy and Schwarz), so L moduli hold it where qA + qB <=
/// capacity_in_eighths(L), or nonnegative_capacity_in_eighths(L).
///
/// Bounds decide how many moduli there are. As long as none is too small, no bit of a result
/// depends on that, so sums of squares may be of floating-point numbers, in any order.

#include <acc/core/eft.hpp>
#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/numbers/ieee_number.hpp>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>

namespace acc::impl {

/// q with x <= 2^(q / 8), one too large at most, for a positive, finite, normal x.
KOKKOS_FORCEINLINE_FUNCTION int eighths_above(double x) {
  const number_parts p = ieee<double>::parts(x);
  // The upper word of the mantissa, of 53 bits, rounded up.
  const std::uint64_t upper = (p.mantissa >> 21) + 1;
  if (upper >> 32) return 8 * (p.exponent + 53);
  int i = 1;  // it is above 2^31
  for (int j = 1; j < 8; ++j) i += upper > eighth_root(j) ? 1 : 0;
  return 8 * (p.exponent + 52) + i;
}

/// What the norms of rows of k numbers depend on, made once on the host.
struct row_length {
  int eighths;  ///< 8 log2(sqrt(k)), rounded up
  double root;

  explicit row_length(std::int64_t k) : eighths(4 * depth_bits(k)), root(std::sqrt(double(k))) {}
};

/// The sum of the squares of a row's numbers: its relative error is at most 2^-13, downwards, which
/// norm_in_eighths allows for.
template <class T>
class square_sum {
 public:
  /// So few at once that errors of the type's own additions do not count.
  static constexpr int most_together = 64;

  KOKKOS_FORCEINLINE_FUNCTION void add(T x) { batch_ = fma(x, x, batch_); }
  /// After most_together numbers or less.
  KOKKOS_FORCEINLINE_FUNCTION void end_batch() {
    sum_ += double(batch_);
    batch_ = 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION double sum() const { return sum_; }

 private:
  T batch_ = 0;
  double sum_ = 0;
};

/// q such that the norm of a row of k numbers is at most 2^(q / 8) in the row's units.
/// Cuts: the numbers are cut to the unit (cut_scale_of), by half a unit each.
///
/// Every number is at most 2^width, so 2^width sqrt(k) is a bound. The sum of squares is another,
/// where its largest square is so far from underflow that what is lost there does not count, and it
/// does not overflow.
template <class T, bool Cuts>
KOKKOS_FORCEINLINE_FUNCTION int norm_in_eighths(double squares, const number_range& r,
                                                const row_scale& s, const row_length& k) {
  if (!s.finite() || r.zero()) return 0;
  const int by_width = 8 * s.width + k.eighths;
  constexpr int least_top = ieee<T>::is_float ? -30 : -400, most_top = 400;
  if (r.top < least_top || r.top > most_top || !(squares < 1e300)) return by_width;
  double norm_squared = squares * (1 + 1.0 / 4096);
  if constexpr (Cuts) {
    // (norm + sqrt(k) unit / 2)^2 <= norm^2 + norm sqrt(k) unit + k unit^2 / 4
    // A unit is within 64 bits of the largest number.
    const double half_unit = Kokkos::bit_cast<double>(std::uint64_t(s.unit - 1 + 1023) << 52);
    const double norm = Kokkos::sqrt(norm_squared) + k.root * half_unit;
    norm_squared = norm * norm * (1 + 1.0 / 4096);
  }
  const int of_square = eighths_above(norm_squared);
  // Half of it, rounded up.
  const int by_norm = ((of_square + 1) >> 1) - 8 * s.unit;
  return by_norm < by_width ? by_norm : by_width;
}

}  // namespace acc::impl

#endif
