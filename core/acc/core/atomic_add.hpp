// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_ATOMIC_ADD_HPP
#define ACC_CORE_ATOMIC_ADD_HPP

/// \file
/// Additions to a superaccumulator by many threads at the same time, without a lock: to each of its
/// limbs by an atomic addition of 64 bits.
///
/// No limb overflows. A thread whose addition leaves one that is not the last at 2^60 or more moves
/// some of it up, by compare-and-exchange, before it adds again. An addition, also of what is moved
/// up, is 2^32 at most. A limb has 2^61 at most when the first thread adds. So 2^20 threads bring
/// it to 2^61 + 2^53 at most before one of them looks. Once all are done, no limb is full: each is
/// below 2^61, as superaccumulator has it when it says that it must be carried; and it is made to
/// say so. The last limb is below 2^62 by the range of the sum.

#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/exact/long_integer.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/macros.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>  // IWYU pragma: keep (see the end)
#include <cstdint>
#include <type_traits>

namespace acc {

namespace impl {

/// A limb is full from 2^FullBits on: 60, or for tests less.
template <class T, int FullBits = 60>
struct atomic_sum {
  using sum_type = superaccumulator<T>;
  using integer = long_integer<sum_type::limbs>;
  static constexpr int limbs = sum_type::limbs;
  static constexpr std::int64_t full = std::int64_t(1) << FullBits;

  sum_type& sum;

  KOKKOS_FUNCTION void add(T x) const {
    const element_kinds kind = element_kinds::of(x);
    if (kind.bits == element_kinds::nonzero) deposit(ieee<T>::parts(x), 0);
    note(kind);
  }
  KOKKOS_FUNCTION void add_product(T x, T y) const {
    note(sum_type::product_pieces(x, y,
                                  [&](number_parts piece, int shift) { deposit(piece, shift); }));
  }
  KOKKOS_FUNCTION void add(const sum_type& other) const {
    must_be_carried();
    // A sum of one number, the usual one, has no limb that is too much for one addition.
    if (has_digits_alone(other.sum_)) {
      add_limbs(other.sum_);
    } else {
      integer carried = other.sum_;
      carried.carry();
      add_limbs(carried);
    }
    note(other.kinds_);
  }

 private:
  /// Whether no limb is beyond 2^32 in magnitude.
  KOKKOS_FUNCTION static bool has_digits_alone(const integer& a) {
    constexpr std::int64_t most = std::int64_t(1) << integer::digit_bits;
    bool all = true;
    for (int i = 0; i < limbs; ++i) all &= a.limb[i] <= most && a.limb[i] >= -most;
    return all;
  }
  KOKKOS_FUNCTION void add_limbs(const integer& a) const {
    for (int i = 0; i < limbs; ++i) add_to(i, a.limb[i]);
  }
  KOKKOS_FUNCTION void deposit(number_parts x, int shift) const {
    must_be_carried();
    integer::cut(x.mantissa, x.exponent - sum_type::unit_exponent + shift, x.negative,
                 [&](int i, std::int64_t v) { add_to(i, v); });
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_to(int i, std::int64_t v) const {
    if (v == 0) return;
    const std::int64_t now = Kokkos::atomic_fetch_add(&sum.sum_.limb[i], v) + v;
    if (is_full(now) && i < limbs - 1) move_up(sum.sum_.limb, i);
  }
  /// All threads write the same value, so each reads it before.
  KOKKOS_FORCEINLINE_FUNCTION void must_be_carried() const {
    if (*static_cast<volatile const std::uint32_t*>(&sum.load_) != sum_type::capacity)
      Kokkos::atomic_store(&sum.load_, sum_type::capacity);
  }
  /// As element_kinds::merge. Kinds come but seldom.
  KOKKOS_FUNCTION void note(element_kinds kind) const {
    std::uint32_t* const bits = &sum.kinds_.bits;
    for (;;) {
      const std::uint32_t now = *static_cast<volatile const std::uint32_t*>(bits);
      element_kinds merged{now};
      merged.merge(kind);
      if (merged.bits == now || Kokkos::atomic_compare_exchange(bits, now, merged.bits) == now)
        return;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_full(std::int64_t limb) {
    return limb >= full || limb <= -full;
  }
  /// Moves some of limb i up, and of those above that are full then, until none is.
  ACC_COLD_FUNCTION static void move_up(std::int64_t* limb, int i) {
    for (int k = i;;) {
      const std::int64_t now = *static_cast<volatile const std::int64_t*>(&limb[k]);
      if (!is_full(now)) {
        if (k == i) return;
        k = i;
        continue;
      }
      const std::int64_t c = now >> integer::digit_bits;
      if (Kokkos::atomic_compare_exchange(&limb[k], now, now - (c << integer::digit_bits)) != now)
        continue;
      const std::int64_t above = Kokkos::atomic_fetch_add(&limb[k + 1], c) + c;
      if (k + 1 < limbs - 1 && is_full(above)) ++k;
    }
  }
};

/// The real or the imaginary part.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION atomic_sum<real_t<T>> atomic_part(superaccumulator<T>* sum, int part) {
  return {part_of(*sum, part)};
}

}  // namespace impl

/// Adds x, or another sum, to *sum, from any number of threads at the same time, up to 2^20. The
/// result is that of sum->add(x) in any order: the same bits, normalised state and wire form. Only
/// such additions may run meanwhile: nobody reads *sum, or adds to it by a ScatterView or by
/// another of Kokkos's atomic functions. Kokkos::atomic_add is this one where this header is
/// included.
///
///   Kokkos::View<acc::superaccumulator<double>*> sums("sums", m);
///   Kokkos::parallel_for(n, KOKKOS_LAMBDA(int i) { acc::atomic_add(&sums(bin(i)), x(i)); });
///
/// A number costs two or three atomic additions of 64 bits, and two loads. acc::scatter_sum takes
/// less time and memory. There is none for acc::binned: a larger number moves all of its bins.
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_add(superaccumulator<T>* sum, std::type_identity_t<T> x) {
  if constexpr (impl::components_of<T> == 1) {
    impl::atomic_part(sum, 0).add(x);
  } else {
    impl::atomic_part(sum, 0).add(x.real());
    impl::atomic_part(sum, 1).add(x.imag());
  }
}
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_add(superaccumulator<T>* sum, const superaccumulator<T>& x) {
  if constexpr (impl::components_of<T> == 1) {
    impl::atomic_part(sum, 0).add(x);
  } else {
    impl::atomic_part(sum, 0).add(x.re);
    impl::atomic_part(sum, 1).add(x.im);
  }
}

/// Adds x * y, of real numbers, exactly.
template <class T>
  requires(impl::components_of<T> == 1)
KOKKOS_INLINE_FUNCTION void atomic_add_product(superaccumulator<T>* sum, std::type_identity_t<T> x,
                                               std::type_identity_t<T> y) {
  impl::atomic_part(sum, 0).add_product(x, y);
}

}  // namespace acc

namespace Kokkos {

// For superaccumulators, and numbers that are added to them, in place of the function that takes a
// lock. Others of Kokkos's atomic functions still do, and so do a ScatterView and a View with
// MemoryTraits<Atomic>: they name Kokkos's own function, which is why their headers come before.
using acc::atomic_add;

}  // namespace Kokkos

#endif
