// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_SHARED_LIMBS_HPP
#define ACC_CORE_EXACT_SHARED_LIMBS_HPP

/// \file
/// Exact sums that any number of threads add to at the same time, without a lock: 64-bit limbs, 16
/// bits apart. A number is cut into pieces of 27 bits or fewer, each of which is one atomic
/// addition to one limb: a float is one piece, a double two. Integers do not round, so the order of
/// the additions does not count.
///
/// No limb overflows. Each addition to a limb that is not the last is 2^42 at most in magnitude. A
/// thread whose addition leaves one at 2^58 or more moves some of it to the next limb, by
/// compare-and-exchange. Before it adds to this limb again, it has taken 2^58 off it or seen it
/// below. Threads may add up what they add to a limb, as long as each learns what the limb is then.
/// So a limb never has more than 2^58 and 2^42 for each thread, and 2^20 threads together add 2^62
/// at most. (An H200 runs 270,336 threads at a time.) Once all threads are done, no limb is full.
/// An exchange fails only where another thread got on. The last limb has nowhere to carry to.
/// Either their count is chosen so that it holds every sum (for_range), or additions are 2^42 at
/// most there, too, and whoever adds learns when it reaches 2^61 (for_numbers).

#include <acc/core/exact/limb_digits.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/macros.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// What a limb was before an addition that a thread took part in, and what it is after it.
struct limb_change {
  std::int64_t before, after;
};
/// How limbs that no other thread adds to are added to.
struct lone_additions {
  static constexpr bool alone = true;
  KOKKOS_FORCEINLINE_FUNCTION limb_change add(std::int64_t& limb, std::int64_t v) const {
    const std::int64_t before = limb;
    limb += v;
    return {before, limb};
  }
};
/// How limbs that any thread adds to are added to.
struct atomic_additions {
  static constexpr bool alone = false;
  KOKKOS_FORCEINLINE_FUNCTION limb_change add(std::int64_t& limb, std::int64_t v) const {
    const std::int64_t before = Kokkos::atomic_fetch_add(&limb, v);
    // As the hardware adds: a last limb that was found full may wrap.
    return {before, std::int64_t(std::uint64_t(before) + std::uint64_t(v))};
  }
};

/// Where a sum of numbers of type T has its limbs: sum of limb(i) 2^(unit + 16 i), i < count. Every
/// function gets them as a function of i that returns a reference.
template <class T>
struct shared_limbs {
  using format = ieee<T>;
  static constexpr int spacing = 16;  ///< bits
  static constexpr int piece = 27;    ///< bits of a number that one addition takes
  static constexpr int room = 62;     ///< bits of the last limb's magnitude
  static constexpr std::int64_t full = std::int64_t(1) << 58;
  static constexpr std::int64_t most_carried = std::int64_t(1) << (piece + spacing - 1);

  int unit, count;

  /// For sums of numbers below 2^top that are multiples of 2^unit, with `carry_bits` more bits than
  /// a number has: those of the number of additions.
  KOKKOS_FUNCTION static shared_limbs for_range(int unit, int top, int carry_bits) {
    const int bits = top - unit + carry_bits;
    return {unit, bits <= room ? 1 : (bits - room + spacing - 1) / spacing + 1};
  }
  /// For numbers below 2^top that are multiples of 2^unit, with the fewest limbs that such a number
  /// may be added to: the last one's additions, too, are 2^42 at most.
  KOKKOS_FUNCTION static shared_limbs for_numbers(int unit, int top) {
    const int bits = top - unit, most = piece + spacing - 1;
    return {unit, bits <= most ? 1 : (bits - most + spacing - 1) / spacing + 1};
  }
  /// For all finite numbers, and 2^64 additions.
  KOKKOS_FUNCTION static shared_limbs for_all() {
    return for_range(format::lowest, format::highest, 64);
  }

  /// Whether x, a finite number, is a multiple of 2^unit; it is below 2^top by the caller.
  KOKKOS_FUNCTION bool has_unit_of(number_parts x) const {
    const int below = unit - x.exponent;
    return below <= 0 || x.mantissa == 0 ||
           (below < 64 && x.mantissa >> below << below == x.mantissa);
  }

  /// What an addition has seen: whether the last limb held it, and whether it may be the first one
  /// to this sum. Of all additions of numbers that are not zero, the first one sees so.
  struct seen {
    bool held = true, first = false;
    KOKKOS_FORCEINLINE_FUNCTION friend seen operator&(seen a, seen b) {
      return {a.held && b.held, a.first || b.first};
    }
  };
  /// Adds x, a finite number.
  template <class Limb, class Additions>
  KOKKOS_FORCEINLINE_FUNCTION seen add(number_parts x, const Limb& limb,
                                       const Additions& additions) const {
    if (x.mantissa == 0) return {};
    int position = x.exponent - unit;
    if (position < 0) {  // its last bits are zeros
      x.mantissa >>= -position;
      position = 0;
    }
    const int i = position / spacing;
    if (i >= count - 1) {
      const int shift = position - spacing * (count - 1);
      return add_piece(x.mantissa << shift, x.negative, count - 1, limb, additions);
    }
    if constexpr (format::is_float) {
      return add_piece(x.mantissa << (position - spacing * i), x.negative, i, limb, additions);
    } else {
      constexpr std::uint64_t mask = (std::uint64_t(1) << (piece - 1)) - 1;
      const std::uint64_t low = x.mantissa & mask, high = x.mantissa >> (piece - 1);
      seen s;
      if (low != 0) s = add_piece(low << (position - spacing * i), x.negative, i, limb, additions);
      if (high == 0) return s;
      position += piece - 1;
      const int j = position / spacing < count ? position / spacing : count - 1;
      return add_piece(high << (position - spacing * j), x.negative, j, limb, additions) & s;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION limb_digits digits() const { return {unit, count, spacing}; }
  /// Carries: all limbs but the last become digits of 16 bits; the last has the sign.
  template <class Limb>
  KOKKOS_FUNCTION void carry(const Limb& limb) const {
    digits().carry(limb);
  }

  /// The sum, rounded to nearest even; the limbs are carried then. No other thread adds to it.
  template <class Limb>
  KOKKOS_FUNCTION T value(const Limb& limb, element_kinds kinds) const {
    return digits().template value<T>(limb, kinds);
  }

  /// Bits of the last limb beyond which a sum is found: two such limbs can still be added.
  static constexpr int found = room - 1;
  /// Whether the last limb has no more.
  KOKKOS_FORCEINLINE_FUNCTION static bool holds(std::int64_t last) {
    constexpr std::int64_t end = std::int64_t(1) << found;
    return last < end && last > -end;
  }

 private:
  template <class Limb, class Additions>
  KOKKOS_FORCEINLINE_FUNCTION seen add_piece(std::uint64_t magnitude, bool negative, int i,
                                             const Limb& limb, const Additions& additions) const {
    const std::int64_t v = negative ? -std::int64_t(magnitude) : std::int64_t(magnitude);
    const limb_change change = additions.add(limb(i), v);
    const bool first = change.before == 0;
    if (!is_full(change.after)) return {true, first};
    if (i == count - 1) return {holds(change.after), first};
    if constexpr (Additions::alone)
      return carry(limb), seen{holds(limb(count - 1)), first};
    else
      return {move_up(i, count, limb), first};
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_full(std::int64_t limb) {
    return limb >= full || limb <= -full;
  }
  /// Moves some of limb i up, and of those above that are full then, until none is; whether the
  /// last one held it. All by value: what a kernel hands out by reference lies in memory.
  template <class Limb>
  ACC_COLD_FUNCTION static bool move_up(int i, int count, Limb limb) {
    bool held = true;
    for (int k = i;;) {
      const std::int64_t now = Kokkos::atomic_load(&limb(k));
      if (!is_full(now)) {
        if (k == i) return held;
        k = i;
        continue;
      }
      std::int64_t c = now >> spacing;
      if (c > most_carried) c = most_carried;
      if (c < -most_carried) c = -most_carried;
      if (Kokkos::atomic_compare_exchange(&limb(k), now, now - (c << spacing)) != now) continue;
      const std::int64_t above = Kokkos::atomic_fetch_add(&limb(k + 1), c) + c;
      if (k + 1 == count - 1)
        held = held && holds(above);
      else if (is_full(above))
        ++k;
    }
  }
};

}  // namespace acc::impl

#endif
