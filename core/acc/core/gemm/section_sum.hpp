// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_GEMM_SECTION_SUM_HPP
#define ACC_CORE_GEMM_SECTION_SUM_HPP

/// \file
/// How the sections of k add up (docs/arithmetic.md, "Matrix products"). Each section's sum is one
/// number or, where the method compensates, high + low. The first section's sum is taken as it is;
/// each later one is added to it, in ascending order. A backend may sum the sections one after the
/// other or all at once: that is its schedule.

#include <acc/core/eft.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/numbers/macros.hpp>

namespace acc::impl {

/// The sum of one section, or of the sections so far. V as in strip_sum.
template <class V, bool HasLow>
struct section_sum {
  static constexpr int components = 1;
  V sum = V(0);

  ACC_FUNCTION V& component(int) { return sum; }
  ACC_FUNCTION V high() const { return sum; }
  ACC_FUNCTION V low() const { return V(0); }
  /// Adds the next section.
  ACC_FUNCTION void add(const section_sum& next) { sum = impl::add(sum, next.sum); }
};

/// Of two numbers: their high parts are added without error, as compensated does with products.
template <class V>
struct section_sum<V, true> {
  static constexpr int components = 2;
  V sum = V(0), rest = V(0);

  ACC_FUNCTION V& component(int k) { return k == 0 ? sum : rest; }
  ACC_FUNCTION V high() const { return sum; }
  ACC_FUNCTION V low() const { return rest; }
  ACC_FUNCTION void add(const section_sum& next) {
    using impl::two_sum_of_rounded;
    const auto s = two_sum_of_rounded(sum, next.sum);
    sum = s.value;
    rest = impl::add(rest, impl::add(next.rest, s.error));
  }
};

/// The sum of a section whose last strip is closed.
template <class Totals, class Chain>
ACC_FUNCTION auto section_of(const Totals& totals, const Chain& chain) {
  using V = decltype(totals.high(chain));
  section_sum<V, Totals::has_low> s;
  s.sum = totals.high(chain);
  if constexpr (Totals::has_low) s.rest = totals.low(chain);
  return s;
}

}  // namespace acc::impl

#endif
