// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods of sums and dot products, by name.
#pragma once

#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include "views.hpp"

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace acc_python {

/// Those of <acc/c.h>, for all that is summed.
inline constexpr std::tuple basic_methods{
    std::pair{"plain", acc::plain{}}, std::pair{"compensated", acc::compensated{}},
    std::pair{"reproducible", acc::reproducible<3>{}}, std::pair{"exact", acc::exact{}}};
/// Those that sums and dot products have, too. The names are the command line tool's.
inline constexpr std::tuple further_methods{
    std::pair{"double_word", acc::double_word{}}, std::pair{"fold2", acc::fold<2>{}},
    std::pair{"fold3", acc::fold<3>{}},           std::pair{"fold4", acc::fold<4>{}},
    std::pair{"fold5", acc::fold<5>{}},           std::pair{"fold6", acc::fold<6>{}},
    std::pair{"fold7", acc::fold<7>{}},           std::pair{"fold8", acc::fold<8>{}},
    std::pair{"widened", acc::widened{}}};

/// f(method) for numbers of type T; false if none of the methods has that name and takes them.
template <class T, class Methods, class F>
bool with_sum_method(const Methods& methods, const std::string& name, const F& f) {
  const auto by = [&](auto method) {
    using Method = decltype(method.second);
    if (name != method.first) return false;
    constexpr bool takes =
        !std::is_same_v<Method, acc::widened> || sizeof(acc::impl::real_t<kokkos_t<T>>) == 4;
    if constexpr (takes) f(method.second);
    return takes;
  };
  return std::apply([&](const auto&... each) { return (by(each) || ...); }, methods);
}

template <class Methods>
py::tuple names_of(const Methods& methods) {
  return std::apply([](const auto&... each) { return py::make_tuple(each.first...); }, methods);
}

}  // namespace acc_python
