// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_LIMBS_OF_SUM_HPP
#define ACC_CORE_EXACT_LIMBS_OF_SUM_HPP

/// \file
/// The way back from an exact sum to limbs that threads share.

#include <acc/core/exact/shared_limbs.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace acc::impl {

/// Cuts an exact sum into pieces of its limbs: add(i, v) adds v to limb i. Pieces of one limb are
/// 2^32 at most together, of the last one less than 2^60. Whether the limbs hold the sum: where it
/// has digits below their unit, or reaches 2^60 units of the last one, only some pieces are added.
template <class T, class Add>
KOKKOS_FUNCTION bool cut_sum(superaccumulator<T> s, const shared_limbs<T>& window, const Add& add) {
  using sum = superaccumulator<T>;
  constexpr int piece = 16, first = 2 + element_kinds::count;
  std::int64_t words[sum::wire_words];
  s.to_wire(words);
  // The pieces of the magnitude: those of a negative number would have a sign's digits above it.
  const bool negative = words[sum::wire_words - 1] < 0;
  if (negative) {
    s.negate();
    s.to_wire(words);
  }
  for (int i = 0; i < sum::limbs; ++i) {
    auto rest = static_cast<std::uint64_t>(words[first + i]);
    for (int bit = 0; rest != 0; bit += piece, rest >>= piece) {
      std::uint64_t v = rest & ((std::uint64_t(1) << piece) - 1);
      if (v == 0) continue;
      int position = sum::unit_exponent + 32 * i + bit - window.unit;
      if (position < 0) {
        if (position <= -piece || v >> -position << -position != v) return false;
        v >>= -position;
        position = 0;
      }
      int limb = position / window.spacing;
      if (limb >= window.count - 1) {
        limb = window.count - 1;
        if (ieee<T>::length(v) + position - window.spacing * limb >= window.found) return false;
      }
      const auto units = static_cast<std::int64_t>(v << (position - window.spacing * limb));
      add(limb, negative ? -units : units);
    }
  }
  return true;
}

}  // namespace acc::impl

#endif
