// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The canonical order, slowly, as docs/arithmetic.md defines it in words. Accumulators are the
// library's own: what is tested with it is the order. (Leaves that overflow are summed again
// with a scale; that is not repeated here, so use it on data of moderate size.)
#pragma once

#include <acc/core/method.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace acc_test {

/// Sums n real elements of type T. Every lane has `Sums` accumulators; deposit(a, i, lane) gives
/// element i to them; `Results` numbers are left (2 where real and imaginary lanes stay apart or
/// each lane has an accumulator for either part).
template <class Acc, class T, int Sums, int Results, class Deposit>
std::array<Acc, Results> in_canonical_order(std::size_t n, const Deposit& deposit) {
  constexpr std::size_t lanes = 512 / sizeof(T), width = 16 / sizeof(T), groups = 32, rows = 64;
  using Lane = std::array<Acc, Sums>;
  const auto merge = [](Lane& a, const Lane& b) {
    for (int s = 0; s < Sums; ++s) a[s].merge(b[s]);
  };

  std::vector<std::vector<Lane>> leaves;
  for (std::size_t start = 0; start < n; start += rows * lanes) {
    // Lane j takes elements j, j + lanes, j + 2 lanes, ... of the leaf, ascending.
    std::vector<Lane> lane(lanes);
    for (std::size_t j = 0; j < lanes; ++j) {
      for (std::size_t i = start + j; i < std::min(n, start + rows * lanes); i += lanes)
        deposit(lane[j], i, j);
    }
    // The lanes of a 16-byte group combine by stride halving, down to the lanes kept apart.
    constexpr std::size_t kept = Results / Sums;
    for (std::size_t stride = width / 2; stride >= kept; stride /= 2) {
      for (std::size_t g = 0; g < groups; ++g) {
        for (std::size_t j = 0; j < stride; ++j)
          merge(lane[g * width + j], lane[g * width + j + stride]);
      }
    }
    // The groups combine by stride halving.
    for (std::size_t stride = groups / 2; stride >= 1; stride /= 2) {
      for (std::size_t g = 0; g < stride; ++g) {
        for (std::size_t j = 0; j < kept; ++j)
          merge(lane[g * width + j], lane[(g + stride) * width + j]);
      }
    }
    leaves.emplace_back(lane.begin(), lane.begin() + kept);
  }
  // Adjacent leaves combine, level by level; one without a partner passes up unchanged.
  while (leaves.size() > 1) {
    std::vector<std::vector<Lane>> next;
    for (std::size_t k = 0; k < leaves.size(); k += 2) {
      next.push_back(leaves[k]);
      if (k + 1 == leaves.size()) continue;
      for (std::size_t j = 0; j < leaves[k].size(); ++j) merge(next.back()[j], leaves[k + 1][j]);
    }
    leaves = next;
  }

  std::array<Acc, Results> result;
  if (leaves.empty()) return result;
  for (int k = 0; k < Results; ++k) {
    result[k] = Sums == 2 ? leaves[0][0][static_cast<std::size_t>(k)]
                          : leaves[0][static_cast<std::size_t>(k)][0];
  }
  return result;
}

template <class Method, class T>
using Accumulator = typename acc::impl::accumulator_of<Method, T>::type;

/// sum of a flattened vector: one number, or two (real, imaginary) for Parts = 2.
template <int Parts, class Method, class T>
std::array<T, Parts> reference_sum(const std::vector<T>& x, Method) {
  using Acc = Accumulator<Method, T>;
  const auto sums = in_canonical_order<Acc, T, 1, Parts>(
      x.size(), [&](auto& a, std::size_t i, std::size_t) { a[0].add(x[i]); });
  std::array<T, Parts> r;
  for (int k = 0; k < Parts; ++k) r[k] = static_cast<T>(sums[k].value());
  return r;
}

template <class Method, class T>
std::array<T, 1> reference_dot(const std::vector<T>& x, const std::vector<T>& y, Method) {
  using Acc = Accumulator<Method, T>;
  const auto sums = in_canonical_order<Acc, T, 1, 1>(
      x.size(), [&](auto& a, std::size_t i, std::size_t) { a[0].add_product(x[i], y[i]); });
  return {static_cast<T>(sums[0].value())};
}

/// Dot of complex vectors, flattened. An even lane holds real parts of x, an odd one imaginary
/// parts; each deposits one product for the real and one for the imaginary part of the result.
template <bool Conjugate, class Method, class T>
std::array<T, 2> reference_complex_dot(const std::vector<T>& x, const std::vector<T>& y, Method) {
  using Acc = Accumulator<Method, T>;
  const auto sums =
      in_canonical_order<Acc, T, 2, 2>(x.size(), [&](auto& a, std::size_t i, std::size_t lane) {
        const bool imaginary = lane % 2 == 1;
        const T own = y[i], other = y[imaginary ? i - 1 : i + 1];
        // conj(x) y = (xr yr + xi yi) + i (xr yi - xi yr);  x y = (xr yr - xi yi) + i (xr yi + xi
        // yr)
        a[0].add_product(x[i], imaginary && !Conjugate ? -own : own);
        a[1].add_product(x[i], imaginary && Conjugate ? -other : other);
      });
  return {static_cast<T>(sums[0].value()), static_cast<T>(sums[1].value())};
}

}  // namespace acc_test
