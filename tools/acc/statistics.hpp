// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The door to acc's statistics, as methods.hpp is that to its sums. Behind it is statistics.cpp.
#pragma once

#include <cstdint>
#include <memory>

#include "vector.hpp"

namespace acc_tool {

/// Each is correctly rounded in the type of the numbers, and a double holds it.
struct Statistics {
  std::int64_t count, ddof;
  double sum, mean, variance;  // the variance divides by count - ddof
};

/// Statistics of real numbers that come in batches. They keep exact sums and no numbers: a batch
/// may go as soon as it is added. Any order and division of the batches gives the same bits.
class BatchStatistics {
 public:
  BatchStatistics();
  ~BatchStatistics();

  /// All batches have the same type. Throws Error where that is complex. Needs a Machine.
  void add(const Vector& batch);
  /// After the first batch. NaN stands where there are too few numbers.
  Statistics result(std::int64_t ddof) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acc_tool
