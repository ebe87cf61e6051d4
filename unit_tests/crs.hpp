// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices in compressed rows for the tests of spmv.
#pragma once

#include "device.hpp"
#include "segments.hpp"

#include <acc/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace acc_test {

/// A matrix on the host.
template <class T>
struct Crs {
  std::int64_t columns = 0;
  Offsets row_map;
  std::vector<std::int64_t> entries;
  std::vector<T> values;

  std::size_t rows() const { return row_map.size() - 1; }
  std::vector<T> row_values(std::size_t i) const {
    return {values.begin() + row_map[i], values.begin() + row_map[i + 1]};
  }
  /// The elements of x that a row meets.
  std::vector<T> met(std::size_t i, const std::vector<T>& x) const {
    std::vector<T> v;
    for (std::int64_t k = row_map[i]; k < row_map[i + 1]; ++k)
      v.push_back(x[static_cast<std::size_t>(entries[static_cast<std::size_t>(k)])]);
    return v;
  }
  /// Rows are columns, their entries in the order that they have here.
  Crs transposed() const {
    Crs t;
    t.columns = static_cast<std::int64_t>(rows());
    std::vector<std::vector<std::pair<std::int64_t, T>>> of(static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < rows(); ++i) {
      for (std::int64_t k = row_map[i]; k < row_map[i + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        of[static_cast<std::size_t>(entries[at])].emplace_back(static_cast<std::int64_t>(i),
                                                               values[at]);
      }
    }
    t.row_map.push_back(0);
    for (const auto& column : of) {
      for (const auto& [row, value] : column) {
        t.entries.push_back(row);
        t.values.push_back(value);
      }
      t.row_map.push_back(static_cast<std::int64_t>(t.entries.size()));
    }
    return t;
  }
  Crs conjugated() const {
    Crs c = *this;
    if constexpr (is_complex<T>)
      for (T& v : c.values) v = T(v.real(), -v.imag());
    return c;
  }
};

/// Rows with these offsets, of entries in any columns, some of them twice in a row.
template <class T>
Crs<T> crs_of(const Offsets& row_map, std::int64_t columns, std::vector<T> values) {
  Crs<T> a{columns, row_map, {}, std::move(values)};
  Random random(columns);
  for (std::size_t k = 0; k < a.values.size(); ++k)
    a.entries.push_back(
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(columns))));
  return a;
}

template <class Offset = std::int64_t, class Ordinal = std::int64_t, class T>
auto crs_on_device(const Crs<T>& a) {
  return acc::crs_matrix{static_cast<std::int64_t>(a.rows()), a.columns,
                         on_device(std::vector<Offset>(a.row_map.begin(), a.row_map.end())),
                         on_device(std::vector<Ordinal>(a.entries.begin(), a.entries.end())),
                         on_device(a.values)};
}

/// Methods and types that spmv has.
using SpmvCases =
    testing::Types<Case<acc::plain, double>, Case<acc::plain, float>,
                   Case<acc::plain, Kokkos::complex<double>>,
                   Case<acc::plain, Kokkos::complex<float>>, Case<acc::compensated, double>,
                   Case<acc::compensated, float>, Case<acc::compensated, Kokkos::complex<double>>,
                   Case<acc::compensated, Kokkos::complex<float>>, Case<acc::exact, double>,
                   Case<acc::exact, float>, Case<acc::exact, Kokkos::complex<double>>,
                   Case<acc::exact, Kokkos::complex<float>>>;

}  // namespace acc_test
