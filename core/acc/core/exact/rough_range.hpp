// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_ROUGH_RANGE_HPP
#define ACC_CORE_EXACT_ROUGH_RANGE_HPP

/// \file
/// What bits numbers hold at most, in fewer instructions than what they hold (row_scale.hpp).

#include <acc/core/exact/row_scale.hpp>
#include <acc/core/numbers/ieee_number.hpp>

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace acc::impl {

/// The upper end is that of the largest magnitude, the lower one that of the least magnitude's
/// mantissa, whatever its last bits are. Ranges merge in any order.
template <class T>
class rough_range {
  using format = ieee<T>;
  using bits_type = typename format::bits_type;
  using signed_type = std::make_signed_t<bits_type>;
  static constexpr bits_type magnitude = ~bits_type(0) >> 1,
                             infinity = magnitude >> (format::digits - 1) << (format::digits - 1);

 public:
  KOKKOS_FORCEINLINE_FUNCTION void add(T x) {
    const auto bits = Kokkos::bit_cast<bits_type>(x), size = bits_type(bits & magnitude);
    if (size > largest_) largest_ = size;
    if (bits_type(size - 1) < before_least_) before_least_ = bits_type(size - 1);
    if (signed_type(bits) < lowest_) lowest_ = signed_type(bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION void merge(const rough_range& b) {
    if (b.largest_ > largest_) largest_ = b.largest_;
    if (b.before_least_ < before_least_) before_least_ = b.before_least_;
    if (b.lowest_ < lowest_) lowest_ = b.lowest_;
  }
  /// Of finite numbers.
  KOKKOS_FUNCTION number_range range() const {
    if (largest_ == 0) return {};
    const auto least = Kokkos::bit_cast<T>(bits_type(before_least_ + 1));
    return {number_range::of(Kokkos::bit_cast<T>(largest_)).top, format::parts(least).exponent};
  }
  /// Whether there is an infinity, a NaN or -0, which is the lowest of all bits as integers.
  KOKKOS_FUNCTION bool has_special() const {
    return lowest_ == signed_type(~magnitude) || largest_ >= infinity;
  }

 private:
  bits_type largest_ = 0, before_least_ = ~bits_type(0);  ///< magnitudes; of zeros the latter wraps
  signed_type lowest_ = 0;
};

}  // namespace acc::impl

#endif
