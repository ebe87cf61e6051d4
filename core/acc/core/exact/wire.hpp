// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_WIRE_HPP
#define ACC_CORE_EXACT_WIRE_HPP

/// \file
/// What the wire forms of accumulators have in common: their tags, and how a wrong one is refused.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace acc {

/// The version of all wire forms (docs/arithmetic.md, "Wire forms"). Below 1.0 of acc a new version
/// need not read an old one; it refuses it.
inline constexpr int wire_version = 1;

/// Ranks whose superaccumulators' wire forms may be summed.
inline constexpr std::int64_t max_wire_contributions = std::int64_t(1) << 30;

namespace impl {

/// The first word of a wire form: "acc", what it holds, its parameter and the version. Below 2^32,
/// so that 2^30 of them can be summed.
constexpr std::int64_t wire_tag(int what, int parameter) {
  return std::int64_t(0xacc) << 20 | what << 12 | parameter << 8 | wire_version;
}

/// What a sum may reach in the units of its highest word (docs/arithmetic.md, "Capacity"). A sum
/// beyond is none that deposits lead to, and two of those merged would overflow.
inline constexpr std::int64_t wire_capacity = std::int64_t(1) << 62;
KOKKOS_INLINE_FUNCTION constexpr bool within_wire_capacity(std::int64_t word) {
  return -wire_capacity < word && word < wire_capacity;
}

/// Refuses a wire form: std::invalid_argument on the host, an abort in a kernel.
[[noreturn]] KOKKOS_INLINE_FUNCTION void reject_wire([[maybe_unused]] const char* function,
                                                     [[maybe_unused]] const char* what,
                                                     [[maybe_unused]] std::int64_t got,
                                                     [[maybe_unused]] std::int64_t expected) {
  KOKKOS_IF_ON_HOST((throw std::invalid_argument(std::string(function) + ": words" + what +
                                                 " (got " + std::to_string(got) + ", expected " +
                                                 std::to_string(expected) + ")");))
  KOKKOS_IF_ON_DEVICE((Kokkos::abort("acc: from_wire: words are no wire form of this type");))
}

KOKKOS_INLINE_FUNCTION void check_wire_length(const char* function, std::int64_t n,
                                              std::int64_t expected) {
  if (n != expected) reject_wire(function, " has the wrong length", n, expected);
}

}  // namespace impl
}  // namespace acc

#endif
