// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SUMS_SHORT_SUMS_HPP
#define ACC_BACKENDS_HOST_SUMS_SHORT_SUMS_HPP

/// \file
/// Exact sums of a few numbers without a superaccumulator, whose 133 limbs take longer than they.

#include <acc/core/exact/prefix.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/order_free.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>

#include <cstdint>

namespace acc::backends::host {

/// Whether a reduction is an exact sum of numbers that ends as its value.
template <class R>
inline constexpr bool has_short_sums = false;
template <int Results, class E, int C, class Finish, class Result>
inline constexpr bool has_short_sums<
    impl::order_free_reduction<impl::sum_terms<Results>, exact, E, C, Finish, Result>> =
    Finish::writes_value;

/// Finishes r where three doubles hold the sum at every step; whether they do.
template <class R>
bool sum_by_three_doubles(const R& r) {
  using scalar = typename R::scalar;
  constexpr int parts = R::terms::results;
  impl::sums<impl::short_exact_sum<scalar>, parts> sum;
  for (std::int64_t k = 0; k < r.x.size; k += parts)
    for (int p = 0; p < parts; ++p)
      if (!sum.part[p].add(scalar(r.x[k + p]))) return false;
  r.finish(sum);
  return true;
}

}  // namespace acc::backends::host

#endif
