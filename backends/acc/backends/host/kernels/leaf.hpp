// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_LEAF_HPP
#define ACC_BACKENDS_HOST_KERNELS_LEAF_HPP

/// \file
/// The host kernels' table of contents: one function sums one leaf of contiguous numbers, in the
/// canonical order. They are compiled once for each instruction set (kernels_*.cpp) into the
/// library and chosen when the program runs, because neither Kokkos nor an application is usually
/// compiled for the processor it will meet. Which one is chosen changes no bits.

#include <acc/core/order/canonical_order.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/terms.hpp>

namespace acc::backends::host {

/// Sums `rows` full rows of x (and y) into Terms::results accumulators.
template <class Terms, class Method, class T>
using leaf_function = void (*)(const T* x, const T* y, int rows,
                               typename impl::accumulator_of<Method, T>::type* results);

/// The leaf function for this processor. Instantiated for the combinations of instances.hpp.
template <class Terms, class Method, class T>
leaf_function<Terms, Method, T> leaf_for_this_processor();

}  // namespace acc::backends::host

#endif
