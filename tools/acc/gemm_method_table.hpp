// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods of gemm: name, what it does, bound, tag. Only gemm_methods.cpp includes it.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <acc/core/gemm_method.hpp>

#include "gemm_methods.hpp"

namespace acc_tool {

template <class Tag>
concept has_strips = requires(Tag tag) { tag.strip; };
template <class Tag>
concept has_bits = requires(Tag tag) { tag.bits; };

template <class Tag>
struct GemmEntry {
  GemmMethodInfo info;
  Tag tag;
};
template <class Tag>
constexpr GemmEntry<Tag> gemm_entry(std::string_view name, std::string_view summary,
                                    GemmBound (*bound)(const GemmTerms&), Tag tag) {
  std::int64_t strip = 0;
  if constexpr (has_strips<Tag>) strip = tag.strip;
  return {{name, summary, strip, has_bits<Tag>, bound}, tag};
}

constexpr std::tuple gemm_table{
    gemm_entry("plain", "one chain of FMAs", plain_bound, acc::plain{}),
    gemm_entry("blocked", "strips of FMAs, added by ordinary additions", blocked_bound,
               acc::blocked{}),
    gemm_entry("seeded", "strips; the error of adding one is where the next begins (the default)",
               selective_bound, acc::selective<acc::seeded>{}),
    gemm_entry("kahan", "strips added by Kahan's compensated summation", kahan_bound,
               acc::selective<acc::kahan>{}),
    gemm_entry("priest", "strips added by Priest's doubly compensated summation", selective_bound,
               acc::selective<acc::priest>{}),
    gemm_entry("widened", "float32 or complex64 in, summed in float64, rounded once", widened_bound,
               acc::widened{}),
    gemm_entry("compensated", "error terms summed alongside, as if in twice the precision",
               compensated_bound, acc::compensated{}),
    gemm_entry("fixed_point", "exact sums of numbers rounded to --bits of their row's largest one",
               fixed_point_bound, acc::fixed_point{}),
    gemm_entry("exact", "exact sums, scaled exactly and rounded once", exact_bound, acc::exact{}),
};

template <class Tag, class T>
constexpr bool takes_type = !std::is_same_v<Tag, acc::widened> || std::is_same_v<T, float> ||
                            std::is_same_v<T, std::complex<float>>;

template <class F>
void with_gemm_method(std::string_view name, F f) {
  const auto one = [&](const auto& e) { return e.info.name == name && (f(e.tag), true); };
  std::apply([&](const auto&... e) { (one(e) || ...); }, gemm_table);
}

}  // namespace acc_tool
