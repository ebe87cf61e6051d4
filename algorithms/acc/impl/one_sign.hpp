// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_ONE_SIGN_HPP
#define ACC_IMPL_ONE_SIGN_HPP

/// \file
/// The check that all elements of a matrix are of one sign.

#include <acc/core/checks/check.hpp>
#include <acc/core/gemm/matrix_data.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace acc::impl {

/// Indices, row after row, of the first positive and the first negative element.
template <class T>
struct first_of_signs {
  matrix_data<const T> m;

  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& positive,
                                  std::int64_t& negative) const {
    const T x = m(e / m.columns, e % m.columns);
    if (x > T(0) && e < positive) positive = e;
    if (x < T(0) && e < negative) negative = e;
  }
};

/// Zeros and NaN have no sign. Waits for exec.
template <class Exec, class T>
void check_one_sign(const Exec& exec, const char* function, const char* name,
                    const matrix_data<const T>& m) {
  if (m.rows == 0 || m.columns == 0) return;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t positive = none, negative = none;
  Kokkos::parallel_reduce(
      std::string(function) + ": signs",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, m.rows * m.columns),
      first_of_signs<T>{m}, Kokkos::Min<std::int64_t>(positive),
      Kokkos::Min<std::int64_t>(negative));
  if (positive == none || negative == none) return;
  const auto at = [&](std::int64_t e) {
    return std::string(name) + "(" + std::to_string(e / m.columns) + ", " +
           std::to_string(e % m.columns) + ")";
  };
  const bool down = positive < negative;
  reject(function, std::string(name) + " must be of one sign, but " +
                       at(down ? negative : positive) + " is " + (down ? "negative" : "positive") +
                       " and " + at(down ? positive : negative) + " is " +
                       (down ? "positive" : "negative"));
}

}  // namespace acc::impl

#endif
