// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_COMPLEX_RESIDUES_HPP
#define ACC_CORE_EXACT_COMPLEX_RESIDUES_HPP

/// \file
/// Three real products instead of four for a complex one (Gauss; Higham 1992, "Stability of a
/// method for multiplying complex matrices with three real matrix multiplications", SIAM J. Matrix
/// Anal. Appl. 13): with P0 = Re A Re B, P1 = Im A Im B and P2 = (Re A + Im A) (Re B + Im B),
///
///   Re A B = P0 - P1,  Im A B = P2 - P0 - P1.
///
/// In floating point its imaginary part is less accurate. Integers modulo p have no such error, and
/// P2 may be larger than the moduli hold, because only Re A B and Im A B are put together again.
///
/// A plane is one of the three: of A's and B's numbers, and of their products.

#include <acc/core/exact/residues.hpp>
#include <acc/core/numbers/macros.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace acc::impl {

/// So many for numbers of so many parts.
template <int Parts>
inline constexpr int residue_planes = Parts == 2 ? 3 : 1;

/// So many bits longer than its parts is the sum of both.
template <int Parts>
inline constexpr int bits_of_planes = Parts == 2 ? 1 : 0;

/// A plane's integer of a number with these parts, as biased_integer makes it, for parts |x| <=
/// 2^(unit + 32 Words - 2 - bits_of_planes).
template <int Words, class T>
KOKKOS_FORCEINLINE_FUNCTION void biased_integer_of_plane(T re, T im, int plane, int unit,
                                                         std::uint32_t (&u)[Words]) {
  biased_integer(plane == 1 ? im : re, unit, u);
  if (plane != 2) return;
  std::uint32_t v[Words];
  biased_integer(im, unit, v);
  std::uint64_t carry = 0;
  for (int j = 0; j < Words; ++j) {
    carry += std::uint64_t(u[j]) + v[j];
    u[j] = std::uint32_t(carry);
    carry >>= 32;
  }
  // Both biases are 2^(32 Words), which the words do not hold: one is due.
  u[Words - 1] ^= std::uint32_t(1) << 31;
}

/// Residues of Re A B and Im A B, in [0, p], from the planes', in [0, p].
ACC_FUNCTION constexpr std::uint32_t real_residue(std::uint32_t r0, std::uint32_t r1,
                                                  std::uint32_t p) {
  const std::uint32_t r = r0 + p - r1;
  return r > p ? r - p : r;
}
ACC_FUNCTION constexpr std::uint32_t imaginary_residue(std::uint32_t r0, std::uint32_t r1,
                                                       std::uint32_t r2, std::uint32_t p) {
  return real_residue(real_residue(r2, r0, p), r1, p);
}

}  // namespace acc::impl

#endif
