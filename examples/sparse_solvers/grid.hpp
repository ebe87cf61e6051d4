// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "matrix_market.hpp"

#include <cstdint>

/// Diffusion on a grid of n x n cells, with u = 0 around it and conductivities of 1 to 16, and wind
/// along the rows. Without wind the matrix is symmetric.
inline Entries grid(int n, double wind) {
  // Twice the conductivity of a cell: a hash of its position.
  const auto k = [](int row, int column) {
    std::uint32_t h =
        0x9e3779b9u * std::uint32_t(row + 1) + 0x85ebca6bu * std::uint32_t(column + 1);
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return double(1u << ((h >> 16) % 5));
  };
  Entries a{n * n, n * n, {}};
  for (int i = 0; i < n * n; ++i) {
    const int row = i / n, column = i % n;
    double diagonal = 0;
    const auto neighbor = [&](int r, int c, double flow) {
      const double conductivity = k(row, column) + k(r, c);
      diagonal += conductivity;
      if (0 <= r && r < n && 0 <= c && c < n) a.list.push_back({i, r * n + c, flow - conductivity});
    };
    neighbor(row - 1, column, 0);
    neighbor(row, column - 1, -wind);
    neighbor(row, column + 1, wind);
    neighbor(row + 1, column, 0);
    a.list.push_back({i, i, diagonal});
  }
  a.sort();
  return a;
}
