// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segments for the tests of segmented sums.
#pragma once

#include "device.hpp"

#include <cstdint>
#include <vector>

namespace acc_test {

using Offsets = std::vector<std::int64_t>;

/// Offsets from lengths; the first segment begins at `first`.
inline Offsets offsets_of(const std::vector<std::int64_t>& lengths, std::int64_t first = 0) {
  Offsets offsets{first};
  for (const std::int64_t n : lengths) offsets.push_back(offsets.back() + n);
  return offsets;
}

/// Segments of every length around rows, leaves and blocks, alone and mixed; of the elements of T.
template <class T>
std::vector<Offsets> some_segments() {
  const auto r = static_cast<std::int64_t>(row<T>), l = static_cast<std::int64_t>(leaf<T>);
  std::vector<Offsets> all{{0},
                           {0, 0},
                           {0, 0, 0, 5, 5, 6, 6},
                           offsets_of({1, 2, 3, r - 1, r, r + 1, 0, 2 * r, 2 * r + 1}),
                           offsets_of({l - 1, l, l + 1, 1, 2 * l, 0, 3 * l + 7, r}),
                           offsets_of({9 * l + 5}),
                           offsets_of({7, 5 * l, 6 * l + 3, 2, 4 * l - 1}, 11),
                           offsets_of(std::vector<std::int64_t>(70, r + 1)),
                           offsets_of(std::vector<std::int64_t>(40, r), r / 2),
                           offsets_of(std::vector<std::int64_t>(2000, 3)),
                           offsets_of(std::vector<std::int64_t>(3000, 0), 4)};
  // A few long ones, with many empty and short ones between; lengths of which some begin on a
  // boundary of 16 bytes, others do not; several that one warp of a GPU must not sum alone.
  std::vector<std::int64_t> mixed;
  for (std::int64_t k = 0; k < 150; ++k) {
    mixed.push_back(k % 50 == 7 ? 3 * l / 2 + k : k % 3 == 0 ? 0 : k % 11);
    if (k % 40 == 3) mixed.push_back(l - k);
  }
  all.push_back(offsets_of(mixed, 3));
  all.push_back(offsets_of(
      {r / 2 + 1, r - 1, r, 3 * r, 3 * r + 1, 7 * r + 5, 8 * r, 9 * r - 1, 63 * r + 1, l}));
  std::vector<std::int64_t> clump(1500, 1);  // most are short
  for (std::size_t k = 640; k < 652; ++k) clump[k] = l - static_cast<std::int64_t>(k);
  all.push_back(offsets_of(clump));
  // Lengths of all magnitudes, many of them none.
  Random random(23);
  for (int k = 0; k < 6; ++k) {
    std::vector<std::int64_t> lengths;
    std::int64_t total = 0;
    while (total < 12 * l) {
      const int bits = random.integer(0, k < 3 ? 8 : 14);
      const auto n = static_cast<std::int64_t>(random.below((std::uint64_t(1) << bits)));
      lengths.push_back(n);
      total += n;
    }
    all.push_back(offsets_of(lengths, static_cast<std::int64_t>(random.below(100))));
  }
  return all;
}

/// One of hundreds of leaves, alone and among short ones.
template <class T>
std::vector<Offsets> long_segments() {
  const auto l = static_cast<std::int64_t>(leaf<T>);
  return {offsets_of({300 * l + 11}), offsets_of({3, 129 * l, 5, 0, 1, 128 * l, l + 1, 2}, 1)};
}

}  // namespace acc_test
