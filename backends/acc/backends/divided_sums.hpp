// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_DIVIDED_SUMS_HPP
#define ACC_BACKENDS_DIVIDED_SUMS_HPP

/// \file
/// Where a matrix product that is divided by k keeps the sums of its sections (gemm_kernel.hpp).

#include <acc/core/gemm/entry.hpp>

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <cstdint>

namespace acc::backends {

/// The sums of all sections of a divided product, in memory.
template <class Problem>
struct divided_sums {
  using sum = impl::entry_sum<Problem>;

  sum* memory = nullptr;
  std::int64_t rows = 0, columns = 0, entries = 0;
  std::int64_t sections = 0;  ///< 0 where the product is not divided

  divided_sums() = default;
  /// Those of p, which is to be divided.
  explicit divided_sums(const Problem& p)
      : rows(p.c.rows),
        columns(p.c.columns),
        entries(rows * columns * p.batches),
        sections(p.sections()) {}

  std::size_t bytes() const { return std::size_t(sections * entries) * sizeof(sum); }
  KOKKOS_FORCEINLINE_FUNCTION sum& at(std::int64_t section, std::int64_t batch, std::int64_t i,
                                      std::int64_t j) const {
    return memory[(section * entries) + (batch * columns + j) * rows + i];
  }
};

}  // namespace acc::backends

#endif
