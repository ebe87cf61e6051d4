// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_COMPACT_SUM_HPP
#define ACC_CORE_EXACT_COMPACT_SUM_HPP

/// \file
/// A short form of an exact sum, for messages: the digits that matter, 128 bytes of 1128.

#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/exact/long_integer.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/core/exact/wire.hpp>

#include <Kokkos_Macros.hpp>
#include <algorithm>
#include <cstdint>

namespace acc::impl {

/// The digits `low` to `high` of a superaccumulator: those below are 0, those above the sign's. Up
/// to 2^30 windows merge (host code) to that of the merged sum; digits above `high` are room for
/// their carries. A kernel may write and read them.
///
/// A sum that spans more digits than there is room for is `wide`: then it keeps its range and no
/// digits, and so does any sum with it in. The range of a merged sum is the union of the ranges,
/// also where digits cancel, so whether it is wide depends on the windows merged and not on their
/// order: all ranks of a reduction agree on it. float's are never wide; double's hold a range of
/// 864 bits, 260 decades. docs/distributed.md.
template <class T>
struct compact_sum {
  using sum_type = superaccumulator<T>;
  static constexpr int limbs = sum_type::limbs;
  /// The last limb is two digits, and one more is for carries.
  static constexpr int digits = limbs + 2 < 28 ? limbs + 2 : 28;
  static constexpr int empty_low = 255;
  static constexpr std::uint32_t valid_tag = std::uint32_t(wire_tag(5, limbs + 2 < 28 ? 1 : 2));

  // 32-bit words all of them: a message is an array of such.
  std::uint32_t tag, contributions;
  std::uint32_t kinds;
  std::uint32_t range;  ///< low + 256 high; an empty range is (255, 0)
  std::uint32_t digit[digits];

  static constexpr int words = 4 + digits;

  KOKKOS_INLINE_FUNCTION int low() const { return static_cast<int>(range & 255); }
  KOKKOS_INLINE_FUNCTION int high() const { return static_cast<int>(range >> 8); }
  KOKKOS_INLINE_FUNCTION bool wide() const { return high() - low() + 2 > digits; }

  KOKKOS_INLINE_FUNCTION explicit compact_sum(const sum_type& sum)
      : tag(valid_tag), contributions(1), kinds(sum.kinds_.bits) {
    if (sum.load_ == 0) {
      read(sum.sum_.limb);
    } else {
      long_integer<limbs> carried = sum.sum_;
      carried.carry();
      read(carried.limb);
    }
  }

  void merge(const compact_sum& other) {
    if (tag != valid_tag || other.tag != valid_tag) tag = 0;  // the reader refuses it
    contributions += other.contributions;
    element_kinds all{kinds};
    all.merge({other.kinds});
    kinds = all.bits;
    const int from = low() < other.low() ? low() : other.low();
    const int to = high() > other.high() ? high() : other.high();
    const int up = low() - from, other_up = other.low() - from;
    range = static_cast<std::uint32_t>(from | to << 8);
    if (wide()) {
      for (std::uint32_t& d : digit) d = 0;
      return;
    }
    // One of the two begins at `from`. An empty one has no digit but 0.
    std::uint32_t mine[2 * digits] = {}, others[2 * digits] = {};
    std::copy_n(digit, digits, mine + (up < digits ? up : digits));
    std::copy_n(other.digit, digits, others + (other_up < digits ? other_up : digits));
    std::uint64_t carry = 0;
    for (int i = 0; i < digits; ++i) {
      carry += std::uint64_t(mine[i]) + others[i];
      digit[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }

  /// The sum, of a window that is not wide.
  KOKKOS_INLINE_FUNCTION sum_type sum() const {
    sum_type r;
    r.kinds_.bits = kinds;
    if (low() >= limbs) return r;  // empty
    const std::int64_t fill = (digit[digits - 1] >> 31) != 0 ? 0xffffffff : 0;
    const int first = low(), end = first + digits;
    for (int i = first; i < end && i < limbs; ++i) r.sum_.limb[i] = digit[i - first];
    for (int i = end; i < limbs; ++i) r.sum_.limb[i] = fill;
    const std::int64_t above = end > limbs ? digit[limbs - first] : fill;
    r.sum_.limb[limbs - 1] |= static_cast<std::int64_t>(std::uint64_t(above) << 32);
    return r;
  }

  /// Throws std::invalid_argument where this is not the merger of `ranks` windows.
  void check(const char* function, std::int64_t ranks) const {
    if (tag != valid_tag)
      reject_wire(function, "[0] is not the tag of this type and wire version", tag, valid_tag);
    if (contributions != ranks)
      reject_wire(function, "[1] is not the number of ranks", contributions, ranks);
    if (kinds > element_kinds::all)
      reject_wire(function, "[2] is no set of kinds", kinds, element_kinds::all);
    if (low() != empty_low && (low() >= limbs || high() > limbs || high() < low()))
      reject_wire(function, "[3] is no range of digits", range, limbs);
  }

 private:
  /// From the limbs of a carried sum, the last of which is two digits.
  KOKKOS_INLINE_FUNCTION void read(const std::int64_t* limb) {
    const auto digit_at = [&](int i) {
      return static_cast<std::uint32_t>(i < limbs ? limb[i] : limb[limbs - 1] >> 32);
    };
    const std::uint32_t fill = limb[limbs - 1] < 0 ? 0xffffffffu : 0;
    for (std::uint32_t& d : digit) d = 0;
    int from = 0, to = limbs;
    while (from < limbs && limb[from] == 0) ++from;
    if (from == limbs) {
      range = empty_low;
      return;
    }
    while (to > from && digit_at(to) == fill) --to;
    range = static_cast<std::uint32_t>(from | to << 8);
    if (wide()) return;
    for (int i = 0; i < digits; ++i) digit[i] = i <= to - from ? digit_at(from + i) : fill;
  }
};

}  // namespace acc::impl

#endif
