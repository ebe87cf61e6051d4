// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_DIGITS_HPP
#define ACC_BACKENDS_CUDA_SUMS_DIGITS_HPP

/// \file
/// Long integers of 32-bit digits in 64-bit words of a team's memory, and their rounding by a warp:
/// it finds the sign and the leading bits, and core/exact/rounding.hpp rounds them. That runs once
/// per launch, and its instructions are in no cache: it has to be short.

#include <acc/backends/cuda/warp.hpp>
#include <acc/core/exact/rounding.hpp>

namespace acc::backends::cuda {

/// Adds (low + 2^32 high) * 2^bit to digits; |low|, |high| < 2^60. bit may be negative for a
/// multiple of 2^-bit.
__device__ inline void add_to_digits(std::int64_t* digits, int bit, std::int64_t low,
                                     std::int64_t high) {
  auto* const at = reinterpret_cast<unsigned long long*>(digits) + max(bit, 0) / 32;
  __int128 total = ((__int128)high << 32) + low;
  total = bit < 0 ? total >> -bit : total << (bit % 32);
  const auto first = std::uint64_t(total & 0xffffffff),
             second = std::uint64_t(total >> 32 & 0xffffffff);
  const auto rest = std::uint64_t(total >> 64);
  if (first != 0) atomicAdd(at, first);
  if (second != 0) atomicAdd(at + 1, second);
  if (rest != 0) atomicAdd(at + 2, rest);
}

/// The sum of digit[i] 2^(32 i + unit), i < count, of elements of certain kinds, rounded to nearest
/// even by a warp, which overwrites the digits; all threads have the result. |digit[i]| < 2^62. Two
/// further digits must be there and 0: room for carries and the sign.
template <class T>
__device__ T round_digits(std::int64_t* digit, int count, int unit, element_kinds kinds,
                          int lane_id) {
  constexpr std::int64_t mask = 0xffffffff;
  if (!kinds.finite()) return impl::nonfinite_sum<T>(kinds);
  int sign = 0;  // the digit above all others and their carries: 0 or -1 in the end
  ACC_NO_UNROLL for (int i = lane_id; i < count; i += warp_size) {
    if (digit[i] != 0) sign = i + 2;
  }
  sign = __reduce_max_sync(full_warp, sign);
  std::int64_t carry = 0;
  ACC_NO_UNROLL for (int begin = 0; begin <= sign; begin += warp_size) {
    const int i = begin + lane_id;
    std::int64_t d = (i < sign ? digit[i] : 0) + (lane_id == 0 ? carry : 0);
    carry = 0;
    while (__any_sync(full_warp, i < sign && d >> 32 != 0)) {
      const std::int64_t over = i < sign ? d >> 32 : 0,
                         from_below = __shfl_up_sync(full_warp, over, 1);
      carry += __shfl_sync(full_warp, over, warp_size - 1);
      if (i < sign) d &= mask;
      if (lane_id > 0) d += from_below;
    }
    if (i <= sign) digit[i] = d;
  }
  __syncwarp();
  const bool negative = digit[sign] < 0;
  count = sign;
  int lowest = count;
  ACC_NO_UNROLL for (int i = lane_id; i < count; i += warp_size) {
    if (digit[i] != 0) lowest = min(lowest, i);
  }
  lowest = __reduce_min_sync(full_warp, lowest);
  if (lowest == count) return impl::zero_sum<T>(kinds);
  int top = 0;
  ACC_NO_UNROLL for (int i = lane_id; i < count; i += warp_size) {
    if (negative) digit[i] = i < lowest ? 0 : i == lowest ? (mask + 1) - digit[i] : mask - digit[i];
    if (digit[i] != 0) top = i;
  }
  top = __reduce_max_sync(full_warp, top);
  __syncwarp();
  // The highest 64 bits, and whether there are others.
  const std::uint64_t below = top > 1 ? digit[top - 2] : 0;
  std::uint64_t m = std::uint64_t(digit[top]) << 32 | (top > 0 ? digit[top - 1] : 0);
  const int zeros = __clzll(m);
  m = m << zeros | below >> (32 - zeros);
  const int exponent = unit + 32 * (top - 1) - zeros;
  const bool rest = (below << zeros & mask) != 0 || lowest < top - 2;
  return impl::rounded_number<T>({m, rest, exponent, negative}, rounding::nearest);
}

}  // namespace acc::backends::cuda

#endif
