// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random.hpp"

#include <bit>
#include <cmath>

namespace acc_oracle {

template <>
double Random::unit<double>() {
  return static_cast<double>(engine_() >> 11) * 0x1p-53;
}
template <>
float Random::unit<float>() {
  return static_cast<float>(engine_() >> 40) * 0x1p-24f;
}
template <>
double Random::any_finite<double>() {
  for (;;) {
    const auto x = std::bit_cast<double>(engine_());
    if (std::isfinite(x)) return x;
  }
}
template <>
float Random::any_finite<float>() {
  for (;;) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(engine_() >> 32));
    if (std::isfinite(x)) return x;
  }
}

}  // namespace acc_oracle
