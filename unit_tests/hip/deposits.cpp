// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of the caller go to sums without an order. contraction.py compares what two sets of
// flags make of these kernels; nobody runs them.
#include <acc/core/atomic_add.hpp>
#include <acc/core/binned.hpp>
#include <acc/core/fixed_point_sum.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>

#define ACC_TEST_DEPOSITS(T)                                                                     \
  extern "C" __global__ void exact_##T(acc::superaccumulator<T>* s, T a, T b) { s->add(a * b); } \
  extern "C" __global__ void binned_##T(acc::binned<T, 3>* s, T a, T b) { s->add(a * b); }       \
  extern "C" __global__ void fixed_point_##T(acc::fixed_point_sum<T>* s, T a, T b) {             \
    s->add(a * b);                                                                               \
  }                                                                                              \
  extern "C" __global__ void atomic_##T(acc::superaccumulator<T>* s, T a, T b) {                 \
    acc::atomic_add(s, a * b);                                                                   \
  }

ACC_TEST_DEPOSITS(double)
ACC_TEST_DEPOSITS(float)
