// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_NGEMM_OPTIONS_HPP
#define ACC_CORE_NGEMM_OPTIONS_HPP

/// \file
/// How acc::ngemm divides a product, and into what shapes (docs/arithmetic.md, "Products of
/// non-negative matrices").

#include <algorithm>
#include <cstdint>

namespace acc {

/// How a product becomes smaller ones (Badin, D'Alberto, Bic, Dillencourt, Nicolau 2013):
///  - winograd: seven products of half the size at each level, by Winograd's variant of Strassen's
///    algorithm (their table 1);
///  - outer_product: 2^depth pieces of the inner dimension, each added to C (their section 4.1).
enum class ngemm_recursion { winograd, outer_product };

/// What the caller of acc::ngemm can choose. The result's bits depend on the recursion and on the
/// depth that follows from depth and cutoff.
struct ngemm_options {
  ngemm_recursion recursion = ngemm_recursion::winograd;
  /// Levels of recursion, as far as base products keep dimensions of 16 or more; negative: as many
  /// as keep them at `cutoff` or more.
  int depth = -1;
  /// The least dimension of a base product (outer_product: its inner dimension) if depth is
  /// negative; 0: 2048 for float and 4096 for double, outer_product 1024.
  std::int64_t cutoff = 0;
  /// Whether to check that all elements of A, and all of B, have one sign. The check fences the
  /// execution space instance.
  bool check_sign = false;
};

namespace impl {

/// Winograd's recursion divides rows, columns and inner dimension that are multiples of this, so
/// that every block begins where vectors do; what is left of them is multiplied by gemm.
inline constexpr std::int64_t ngemm_granule = 16;
/// The cutoff where the caller names none: it decides the number of levels, hence bits, and is the
/// same on all machines. Winograd's recursion: the fastest on hosts, where two levels of 8192
/// floats beat one and one level of 4096 doubles gains nothing; on an H200 base products of 4096
/// floats would be 2 percent faster (docs/dev/ngemm.md). Outer products: pieces deep enough that
/// adding them to C costs little. ngemm takes real matrices alone.
template <class T>
constexpr std::int64_t ngemm_cutoff(const ngemm_options& options) {
  if (options.cutoff > 0) return options.cutoff;
  if (options.recursion == ngemm_recursion::outer_product) return 1024;
  return sizeof(T) == 4 ? 2048 : 4096;
}

/// More levels than memory has matrices for.
inline constexpr int ngemm_max_levels = 20;

/// The part of `extent` that `levels` divide.
constexpr std::int64_t divisible_part(std::int64_t extent, int levels) {
  const std::int64_t whole = ngemm_granule << levels;
  return extent / whole * whole;
}

/// The levels of recursion for an m x n product of depth k with these options, `cutoff` > 0.
constexpr int ngemm_levels(std::int64_t m, std::int64_t n, std::int64_t k,
                           const ngemm_options& options, std::int64_t cutoff) {
  const bool winograd = options.recursion == ngemm_recursion::winograd;
  const std::int64_t least = winograd ? std::min({m, n, k}) : k;
  const int most = options.depth < 0 ? ngemm_max_levels : options.depth;
  const std::int64_t smallest = std::max(options.depth < 0 ? cutoff : std::int64_t(1),
                                         winograd ? ngemm_granule : std::int64_t(1));
  int levels = 0;
  while (levels < most && levels < ngemm_max_levels && (least >> (levels + 1)) >= smallest)
    ++levels;
  return levels;
}

}  // namespace impl
}  // namespace acc

#endif
