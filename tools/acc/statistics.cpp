// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "statistics.hpp"

#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

#include <acc/statistics.hpp>
#include <fmt/format.h>

#include "job.hpp"

namespace acc_tool {

struct BatchStatistics::State {
  std::variant<std::monostate, acc::statistics<float>, acc::statistics<double>> sums;
};

BatchStatistics::BatchStatistics() : state_(std::make_unique<State>()) {}
BatchStatistics::~BatchStatistics() = default;

void BatchStatistics::add(const Vector& batch) {
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        if constexpr (is_complex<T>) {
          throw Error(fmt::format("stats: {} is {}, but statistics are of real numbers", batch.name,
                                  type_name<T>()));
        } else {
          auto& sums = state_->sums;
          if (std::holds_alternative<std::monostate>(sums)) sums = acc::statistics<T>();
          std::get<acc::statistics<T>>(sums).merge(acc::statistics_of(to_device(values, "x")));
        }
      },
      batch.values);
}

Statistics BatchStatistics::result(std::int64_t ddof) const {
  return std::visit(
      [&]<class S>(const S& s) -> Statistics {
        if constexpr (std::is_same_v<S, std::monostate>) {
          throw std::logic_error("BatchStatistics: no batch, so no type");
        } else {
          return {s.count, ddof, s.sum.value(), s.mean(), s.variance(ddof)};
        }
      },
      state_->sums);
}

}  // namespace acc_tool
