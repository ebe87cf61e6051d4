// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of gemm_calls.hpp with the method exact, for every type.
#pragma once

#include "launch_tiles.hpp"

#include <acc/batched_gemm.hpp>
#include <acc/gemv.hpp>

namespace acc_test {

template <class In, class Out>
void call_generic_exact_gemm(const Exec& exec, const GemmCall<In, Out>& call, bool divides_k) {
  launch_tiles(exec, call, acc::exact{}, [&]<class Problem>(const Problem& p) {
    return acc::backends::generic::exact_entries<Problem>(exec, p, divides_k);
  });
}

template <class T>
auto first_column(const StridedView<T>& m) {
  return Kokkos::View<T*, Kokkos::LayoutStride, Exec>(
      m.data(), Kokkos::LayoutStride(m.extent(0), m.stride(0)));
}
template <class In, class Out>
void call_exact_gemv(const Exec& exec, const GemmCall<In, Out>& call) {
  acc::gemv(exec, call.trans_a, call.alpha, call.a, first_column(call.b), call.beta,
            first_column(call.c), acc::exact{});
}

/// The rows of m as a batch, or all of m again and again.
template <class T>
auto batch_of(const StridedView<T>& m, std::size_t batches, bool rows) {
  return Kokkos::View<T***, Kokkos::LayoutStride, Exec>(
      m.data(), Kokkos::LayoutStride(batches, rows ? m.stride(0) : 0, rows ? 1 : m.extent(0),
                                     m.stride(0), m.extent(1), m.stride(1)));
}
template <class In, class Out>
void call_exact_batched_gemm(const Exec& exec, const GemmCall<In, Out>& call) {
  const std::size_t batches = call.c.extent(0);
  acc::batched_gemm(exec, "N", call.trans_b, call.alpha, batch_of(call.a, batches, true),
                    batch_of(call.b, batches, false), call.beta, batch_of(call.c, batches, true),
                    acc::exact{});
}

#define ACC_TEST_INSTANTIATE_EXACT(In, Out)                                                    \
  template void call_gemm<acc::exact, In, Out>(const Exec&, const GemmCall<In, Out>&,          \
                                               const acc::exact&);                             \
  template void call_generic_exact_gemm<In, Out>(const Exec&, const GemmCall<In, Out>&, bool); \
  template void call_exact_gemv<In, Out>(const Exec&, const GemmCall<In, Out>&);               \
  template void call_exact_batched_gemm<In, Out>(const Exec&, const GemmCall<In, Out>&);
ACC_TEST_INSTANTIATE_EXACT(float, float)
ACC_TEST_INSTANTIATE_EXACT(double, double)
ACC_TEST_INSTANTIATE_EXACT(Kokkos::complex<float>, Kokkos::complex<float>)
ACC_TEST_INSTANTIATE_EXACT(Kokkos::complex<double>, Kokkos::complex<double>)
ACC_TEST_INSTANTIATE_EXACT(float, double)
ACC_TEST_INSTANTIATE_EXACT(double, float)
// Where Kokkos has no half precision, its types are float.
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
ACC_TEST_INSTANTIATE_EXACT(Kokkos::Experimental::half_t, Kokkos::Experimental::half_t)
ACC_TEST_INSTANTIATE_EXACT(Kokkos::Experimental::half_t, float)
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
ACC_TEST_INSTANTIATE_EXACT(Kokkos::Experimental::bhalf_t, Kokkos::Experimental::bhalf_t)
ACC_TEST_INSTANTIATE_EXACT(Kokkos::Experimental::bhalf_t, float)
#endif

}  // namespace acc_test
