// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods: name, what it does, tag. All that the tool knows of them follows from this table.
// Only the files behind methods.hpp include it.
#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>

#include <acc/core/binned.hpp>
#include <acc/core/method.hpp>
#include <acc/core/superaccumulator.hpp>

#include "methods.hpp"

namespace acc_tool {

/// What a method adds batches of numbers of type S to; void where its result depends on how the
/// numbers are divided.
template <class Tag, class S>
struct BatchAccumulator {
  using type = void;
};
template <class S>
struct BatchAccumulator<acc::exact, S> {
  using type = acc::superaccumulator<S>;
};
template <int K, class S>
struct BatchAccumulator<acc::reproducible<K>, S> {
  using type = acc::binned<S, K>;
};
template <class Tag>
inline constexpr bool takes_batches = !std::is_void_v<typename BatchAccumulator<Tag, double>::type>;

template <class Tag>
struct Entry {
  MethodInfo info;
  Tag tag;
};
template <class Tag>
constexpr Entry<Tag> entry(std::string_view name, std::string_view summary, Tag tag) {
  return {{name, summary, takes_batches<Tag>}, tag};
}

constexpr std::tuple table{
    entry("plain", "ordinary additions and FMAs", acc::plain{}),
    entry("widened", "float32 or complex64 in, summed in float64, rounded once", acc::widened{}),
    entry("compensated", "error terms summed alongside, as if in twice the precision",
          acc::compensated{}),
    entry("compensated_fma", "the same for dot products by ErrFMA", acc::compensated_fma{}),
    entry("double_word", "full double-word additions", acc::double_word{}),
    entry("fold2", "as if in 2 times the precision", acc::fold<2>{}),
    entry("fold3", "as if in 3 times the precision", acc::fold<3>{}),
    entry("fold4", "as if in 4 times the precision", acc::fold<4>{}),
    entry("fold5", "as if in 5 times the precision", acc::fold<5>{}),
    entry("fold6", "as if in 6 times the precision", acc::fold<6>{}),
    entry("fold7", "as if in 7 times the precision", acc::fold<7>{}),
    entry("fold8", "as if in 8 times the precision", acc::fold<8>{}),
    entry("reproducible", "3 bins of 40 bits: the same bits in any order of the numbers",
          acc::reproducible<3>{}),
    entry("exact", "the exact result, rounded once", acc::exact{}),
};

enum class Operation { sum, dot };

template <class Tag>
constexpr bool takes([[maybe_unused]] Operation operation, [[maybe_unused]] std::string_view type) {
  if constexpr (std::is_same_v<Tag, acc::compensated_fma>) return operation == Operation::dot;
  if constexpr (std::is_same_v<Tag, acc::widened>) {
    return type == type_name<float>() || type == type_name<std::complex<float>>();
  }
  return true;
}

/// Calls f(tag) with the tag of that name. False where there is none.
template <class F>
bool with_method(std::string_view name, F f) {
  const auto one = [&](const auto& e) { return e.info.name == name && (f(e.tag), true); };
  return std::apply([&](const auto&... e) { return (one(e) || ...); }, table);
}

}  // namespace acc_tool
