// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_TERMS_HPP
#define ACC_BACKENDS_CUDA_SUMS_TERMS_HPP

/// \file
/// The terms of an order-free sum one by one, and which kinds of them there are.

#include <acc/backends/cuda/unroll.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/order_free.hpp>

namespace acc::backends::cuda {

/// How an order-free sum is spread over a GPU: what threads have registers for, and scratch memory
/// (docs/performance.md).
struct kernel_shape {
  int threads;  ///< of a team
  int teams;    ///< a multiprocessor
  int terms;    ///< of a thread that are deposited together, then loaded again
  int groups;   ///< of such in flight
};

/// A term as Terms::deposit hands it to an accumulator: the number x or the product x y.
template <class T>
struct captured_term {
  T x, y;
  __device__ void add(T number) { x = number; }
  __device__ void add_product(T a, T b) {
    x = a;
    y = b;
  }
};

/// How R reads a group of elements: in steps of one term for each part of the result.
template <class R>
struct term_reader {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using terms = typename R::terms;
  using term = captured_term<scalar>;
  static constexpr int parts = terms::results;
  static constexpr bool has_y = terms::inputs == 2;
  static constexpr bool products = terms::guarded != impl::guard::sums;
  /// Elements a step: of a complex sum, each part is one.
  static constexpr int elements = terms::sums == 1 ? parts : 1;

  /// Step u of a group; y is read only if there is one.
  __device__ static void read(const element* x, const element* y, int u, term (&t)[parts]) {
    ACC_UNROLL for (int k = 0; k < elements; ++k) {
      const int j = elements * u + k;
      const scalar xj = scalar(x[j]);
      scalar yj = xj, neighbour = xj;
      if constexpr (has_y) yj = scalar(y[j]);
      if constexpr (terms::sums == 2) neighbour = scalar(y[j ^ 1]);
      terms::deposit(t + k, xj, yj, neighbour, j);
    }
  }
  /// A term rounded to double: 0 only where it is 0 or very small.
  __device__ static double rounded(const term& t) {
    return products ? __dmul_rn(double(t.x), double(t.y)) : double(t.x);
  }
};

/// Of a warp whose threads keep Parts parts in turn.
template <int Parts>
struct parts_of_warp {
  unsigned lanes;  ///< for which something holds
  __device__ explicit parts_of_warp(bool here) : lanes(__ballot_sync(all_lanes, here)) {}
  __device__ bool any() const { return lanes != 0; }
  __device__ bool all() const {
    return Parts == 1 ? any() : (lanes & 0x55555555) != 0 && (lanes & 0xaaaaaaaa) != 0;
  }
};

/// The bits of x's kind if x is not finite, else 0; without a branch.
template <class T>
__device__ unsigned special_kind(T x) {
  const unsigned sign = x > T(0) ? element_kinds::plus_infinity : element_kinds::minus_infinity;
  const unsigned kind = element_kinds::nonzero | (x == x ? sign : element_kinds::nan);
  return impl::is_finite(x) ? 0 : kind;
}

/// Kinds of finite numbers, from the bits that any of them and all of them have.
struct zero_kinds {
  unsigned any_high = 0, any_low = 0, all_high = ~0u;

  __device__ void note(float x) {
    any_high |= __float_as_uint(x);
    all_high &= __float_as_uint(x);
  }
  __device__ void note(double x) {
    any_high |= unsigned(__double2hiint(x));
    any_low |= unsigned(__double2loint(x));
    all_high &= unsigned(__double2hiint(x));
  }
  /// Of at least one number.
  __device__ element_kinds kinds() const {
    element_kinds k;
    if (any_high >> 31) k.merge(element_kinds::zero(true));
    if (!(all_high >> 31)) k.merge(element_kinds::zero(false));
    if ((any_high << 1 | any_low) != 0) k.merge({element_kinds::nonzero});
    return k;
  }
};

}  // namespace acc::backends::cuda

#endif
