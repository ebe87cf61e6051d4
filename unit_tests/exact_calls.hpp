// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of gemm_calls.hpp with the methods whose sums are exact.
#pragma once

#include "launch_tiles.hpp"

#include <acc/batched_gemm.hpp>
#include <acc/gemv.hpp>

namespace acc_test {

template <class Method, class In, class Out>
void call_generic_exact_gemm(const Exec& exec, const GemmCall<In, Out>& call, const Method& method,
                             bool divides_k) {
  launch_tiles(exec, call, method, [&]<class Problem>(const Problem& p) {
    return acc::backends::generic::exact_entries<Problem>(exec, p, divides_k);
  });
}

template <class T>
auto first_column(const StridedView<T>& m) {
  return Kokkos::View<T*, Kokkos::LayoutStride, Exec>(
      m.data(), Kokkos::LayoutStride(m.extent(0), m.stride(0)));
}
template <class Method, class In, class Out>
void call_exact_gemv(const Exec& exec, const GemmCall<In, Out>& call, const Method& method) {
  acc::gemv(exec, call.trans_a, call.alpha, call.a, first_column(call.b), call.beta,
            first_column(call.c), method);
}

/// The rows of m as a batch, or all of m again and again.
template <class T>
auto batch_of(const StridedView<T>& m, std::size_t batches, bool rows) {
  return Kokkos::View<T***, Kokkos::LayoutStride, Exec>(
      m.data(), Kokkos::LayoutStride(batches, rows ? m.stride(0) : 0, rows ? 1 : m.extent(0),
                                     m.stride(0), m.extent(1), m.stride(1)));
}
template <class Method, class In, class Out>
void call_exact_batched_gemm(const Exec& exec, const GemmCall<In, Out>& call,
                             const Method& method) {
  const std::size_t batches = call.c.extent(0);
  acc::batched_gemm(exec, "N", call.trans_b, call.alpha, batch_of(call.a, batches, true),
                    batch_of(call.b, batches, false), call.beta, batch_of(call.c, batches, true),
                    method);
}

#define ACC_TEST_INSTANTIATE_EXACT(Method, In, Out)                                               \
  template void call_gemm<Method, In, Out>(const Exec&, const GemmCall<In, Out>&, const Method&); \
  template void call_generic_exact_gemm<Method, In, Out>(const Exec&, const GemmCall<In, Out>&,   \
                                                         const Method&, bool);                    \
  template void call_exact_gemv<Method, In, Out>(const Exec&, const GemmCall<In, Out>&,           \
                                                 const Method&);                                  \
  template void call_exact_batched_gemm<Method, In, Out>(const Exec&, const GemmCall<In, Out>&,   \
                                                         const Method&);

}  // namespace acc_test
