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

/// Whether a method takes matrices of type T: half precision is summed in a wider type or exactly,
/// and there is none wider than double.
template <class Method, class T>
inline constexpr bool method_takes =
    acc::impl::is_half_scalar<T>
        ? std::is_same_v<Method, acc::widened> || acc::impl::sums_exactly<Method>
        : !std::is_same_v<Method, acc::widened> || sizeof(acc::impl::real_t<kokkos_t<T>>) == 4;

template <class Method>
Method with_parameters(Method method, std::int64_t strip, int bits) {
  if constexpr (acc::impl::has_strips<Method>)
    if (strip != 0) method.strip = strip;
  if constexpr (std::is_same_v<Method, acc::fixed_point>) method.bits = bits;
  return method;
}

/// f(method) for matrices of type T; false if that method does not take them.
template <class T, class F>
bool with_gemm_method(const gemm_method_name& wanted, const F& f) {
  const auto by = [&](auto method) {
    if (wanted.name != method.first) return false;
    constexpr bool takes = method_takes<decltype(method.second), T>;
    if constexpr (takes) f(with_parameters(method.second, wanted.strip, wanted.bits));
    return takes;
  };
  return std::apply([&](const auto&... each) { return (by(each) || ...); }, gemm_methods);
}

}  // namespace acc_python
