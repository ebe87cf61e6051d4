// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods of matrix products, by name.
#pragma once

#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include "views.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace acc_python {

/// The names are those of C++, and of the compensation where there is one.
inline constexpr std::tuple gemm_methods{std::pair{"plain", acc::plain{}},
                                         std::pair{"blocked", acc::blocked{}},
                                         std::pair{"kahan", acc::selective<acc::kahan>{}},
                                         std::pair{"priest", acc::selective<acc::priest>{}},
                                         std::pair{"seeded", acc::selective<acc::seeded>{}},
                                         std::pair{"widened", acc::widened{}},
                                         std::pair{"compensated", acc::compensated{}},
                                         std::pair{"exact", acc::exact{}},
                                         std::pair{"fixed_point", acc::fixed_point{}}};

/// A method as Python names it.
struct gemm_method_name {
  std::string name;
  std::int64_t strip;  ///< 0: the method's own
  int bits;
};

/// f(method) for matrices of type T; false if that method does not take them.
template <class T, class F>
bool with_gemm_method(const gemm_method_name& wanted, const F& f) {
  const auto by = [&](auto method) {
    using Method = decltype(method.second);
    if (wanted.name != method.first) return false;
    constexpr bool takes =
        !std::is_same_v<Method, acc::widened> || sizeof(acc::impl::real_t<kokkos_t<T>>) == 4;
    if constexpr (takes) {
      if constexpr (acc::impl::has_strips<Method>)
        if (wanted.strip != 0) method.second.strip = wanted.strip;
      if constexpr (std::is_same_v<Method, acc::fixed_point>) method.second.bits = wanted.bits;
      f(method.second);
    }
    return takes;
  };
  return std::apply([&](const auto&... each) { return (by(each) || ...); }, gemm_methods);
}

}  // namespace acc_python
