// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families of numbers, each of which takes another way through the order-free kernels.
#pragma once

#include "device.hpp"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

namespace acc_test {
namespace {

/// What a kernel for blocks may stumble over: each family takes another way through windows, rows
/// and special values.
enum class Hard {
  plus_zeros,
  minus_zeros,
  zeros,       ///< of both signs
  half_zeros,  ///< among numbers
  late,        ///< zeros, and a number at the end
  decades,     ///< 2^-100 to 2^100 (float: 2^-60 to 2^60)
  any,         ///< any finite bits
  subnormal,
  huge,         ///< near overflow
  spiked,       ///< a thousandth is large
  not_finite,   ///< a thousandth is infinite or NaN, among any finite bits
  infinite,     ///< a thousandth is +infinity, among ordinary numbers
  small_roots,  ///< whose products underflow
};
inline constexpr Hard all_hard[] = {
    Hard::plus_zeros, Hard::minus_zeros, Hard::zeros,      Hard::half_zeros, Hard::late,
    Hard::decades,    Hard::any,         Hard::subnormal,  Hard::huge,       Hard::spiked,
    Hard::not_finite, Hard::infinite,    Hard::small_roots};

template <class R>
R hard(Hard family, std::size_t i, std::size_t n, Random& random) {
  using Limits = std::numeric_limits<R>;
  const R x = random.symmetric<R>();
  const bool rare = random.below(1000) == 0;
  const int wide = sizeof(R) == 4 ? 60 : 100;
  const R special[] = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
  switch (family) {
    case Hard::plus_zeros:
      return R(0);
    case Hard::minus_zeros:
      return R(-0.0);
    case Hard::zeros:
      return random.below(2) ? R(0) : R(-0.0);
    case Hard::half_zeros:
      return random.below(2) ? x : random.below(2) ? R(0) : R(-0.0);
    case Hard::late:
      return i + 1 == n ? x : R(-0.0);
    case Hard::decades:
      return std::ldexp(x, random.integer(-wide, wide));
    case Hard::any:
      return random.any_finite<R>();
    case Hard::subnormal:
      return std::ldexp(x, Limits::min_exponent - 6);
    case Hard::huge:
      return std::ldexp(x, Limits::max_exponent - 1);
    case Hard::spiked:
      return rare ? std::ldexp(x, wide) : x;
    case Hard::not_finite:
      return rare ? special[random.below(3)] : random.any_finite<R>();
    case Hard::infinite:
      return rare ? special[0] : x;
    case Hard::small_roots:
      return std::ldexp(x, (Limits::min_exponent - Limits::digits) / 2 + random.integer(-30, 30));
  }
  return x;
}

template <class T>
std::vector<T> hard_elements(Hard family, std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto re = hard<real_t<T>>(family, i, n, random);
    if constexpr (is_complex<T>) {
      x[i] = T(re, hard<real_t<T>>(family, i, n, random));
    } else {
      x[i] = re;
    }
  }
  return x;
}

/// n numbers of all families in turn, in random order, and some infinities and NaN.
template <class T>
std::vector<T> numbers_of_all_kinds(std::size_t n, std::uint64_t seed) {
  using R = real_t<T>;
  Random random(seed);
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto part = [&] {
      const Hard family = all_hard[random.below(std::size(all_hard))];
      const R special[] = {std::numeric_limits<R>::infinity(), -std::numeric_limits<R>::infinity(),
                           -std::numeric_limits<R>::quiet_NaN()};
      return random.below(50) == 0 ? special[random.below(3)] : hard<R>(family, i, n, random);
    };
    if constexpr (is_complex<T>) {
      const R re = part();
      x[i] = T(re, part());
    } else {
      x[i] = part();
    }
  }
  return x;
}

}  // namespace
}  // namespace acc_test
