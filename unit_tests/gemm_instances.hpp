// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of gemm_calls.hpp, for every method and type: what takes long to compile, once.
#pragma once

#include "launch_tiles.hpp"

namespace acc_test {

template <class Method, class In, class Out>
void call_generic_gemm(const Exec& exec, const GemmCall<In, Out>& call, const Method& method) {
  if constexpr (on_host_memory) {
    const auto problem =
        acc::impl::make_gemm_problem(acc::impl::names_of_gemm, call.trans_a, call.trans_b,
                                     call.alpha, call.a, call.b, call.beta, call.c, method);
    const acc::backends::generic::gemm_tiles<std::decay_t<decltype(problem)>> tiles(exec, problem);
    acc::backends::launch_gemm(exec, "acc::gemm", tiles, [](std::size_t) { return nullptr; });
  } else {
    call_gemm(exec, call, method);
  }
}

template <class Method, class In, class Out>
void call_gemm_divided(const Exec& exec, const GemmCall<In, Out>& call, const Method& method,
                       bool divides_k) {
  if constexpr (on_host_memory) {
    launch_tiles(exec, call, method, [&]<class Problem>(const Problem& p) {
      return acc::backends::host::gemm_tiles<Problem>(exec, p, divides_k);
    });
  } else {
    call_gemm(exec, call, method);
  }
}

template <class Method, class In, class Out>
void call_gemv_divided(const Exec& exec, const GemmCall<In, Out>& call, const Method& method,
                       bool divides_k) {
  if constexpr (on_host_memory) {
    launch_tiles(exec, call, method, [&](const auto& p) {
      return acc::backends::host::gemv_tiles_of(exec, p, divides_k);
    });
  } else {
    call_gemm(exec, call, method);
  }
}

#define ACC_TEST_INSTANTIATE(Method, In, Out)                                                     \
  template void call_gemm<Method, In, Out>(const Exec&, const GemmCall<In, Out>&, const Method&); \
  template void call_generic_gemm<Method, In, Out>(const Exec&, const GemmCall<In, Out>&,         \
                                                   const Method&);                                \
  template void call_gemm_divided<Method, In, Out>(const Exec&, const GemmCall<In, Out>&,         \
                                                   const Method&, bool);                          \
  template void call_gemv_divided<Method, In, Out>(const Exec&, const GemmCall<In, Out>&,         \
                                                   const Method&, bool);
#define ACC_TEST_INSTANCES_plain(T) ACC_TEST_INSTANTIATE(acc::plain, T, T)
#define ACC_TEST_INSTANCES_blocked(T) ACC_TEST_INSTANTIATE(acc::blocked, T, T)
#define ACC_TEST_INSTANCES_kahan(T) ACC_TEST_INSTANTIATE(acc::selective<acc::kahan>, T, T)
#define ACC_TEST_INSTANCES_priest(T) ACC_TEST_INSTANTIATE(acc::selective<acc::priest>, T, T)
#define ACC_TEST_INSTANCES_seeded(T) ACC_TEST_INSTANTIATE(acc::selective<acc::seeded>, T, T)
#define ACC_TEST_INSTANCES_compensated(T) ACC_TEST_INSTANTIATE(acc::compensated, T, T)
#define ACC_TEST_INSTANCES_methods(T)                                                   \
  ACC_TEST_INSTANCES_plain(T) ACC_TEST_INSTANCES_blocked(T) ACC_TEST_INSTANCES_kahan(T) \
      ACC_TEST_INSTANCES_priest(T) ACC_TEST_INSTANCES_seeded(T) ACC_TEST_INSTANCES_compensated(T)

#define ACC_TEST_INSTANCES_widened_float           \
  ACC_TEST_INSTANTIATE(acc::widened, float, float) \
  ACC_TEST_INSTANTIATE(acc::widened, float, double)
#define ACC_TEST_INSTANCES_widened_complex                                           \
  ACC_TEST_INSTANTIATE(acc::widened, Kokkos::complex<float>, Kokkos::complex<float>) \
  ACC_TEST_INSTANTIATE(acc::widened, Kokkos::complex<float>, Kokkos::complex<double>)
// Where Kokkos has no half precision, its types are float.
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
#define ACC_TEST_INSTANCES_widened_half_t                                                        \
  ACC_TEST_INSTANTIATE(acc::widened, Kokkos::Experimental::half_t, Kokkos::Experimental::half_t) \
  ACC_TEST_INSTANTIATE(acc::widened, Kokkos::Experimental::half_t, float)
#else
#define ACC_TEST_INSTANCES_widened_half_t
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
#define ACC_TEST_INSTANCES_widened_bhalf_t                                                         \
  ACC_TEST_INSTANTIATE(acc::widened, Kokkos::Experimental::bhalf_t, Kokkos::Experimental::bhalf_t) \
  ACC_TEST_INSTANTIATE(acc::widened, Kokkos::Experimental::bhalf_t, float)
#else
#define ACC_TEST_INSTANCES_widened_bhalf_t
#endif
#define ACC_TEST_INSTANCES_widened                                    \
  ACC_TEST_INSTANCES_widened_float ACC_TEST_INSTANCES_widened_complex \
      ACC_TEST_INSTANCES_widened_half_t ACC_TEST_INSTANCES_widened_bhalf_t

#define ACC_TEST_INSTANCES_all                                         \
  ACC_TEST_INSTANCES_methods(float) ACC_TEST_INSTANCES_methods(double) \
      ACC_TEST_INSTANCES_methods(Kokkos::complex<float>)               \
          ACC_TEST_INSTANCES_methods(Kokkos::complex<double>) ACC_TEST_INSTANCES_widened

// ACC_TEST_INSTANCES says what this source has: all, methods(double), plain(double), ...
#define ACC_TEST_INSTANCES_OF_NAME(name) ACC_TEST_INSTANCES_##name
#define ACC_TEST_INSTANCES_OF(name) ACC_TEST_INSTANCES_OF_NAME(name)
ACC_TEST_INSTANCES_OF(ACC_TEST_INSTANCES)

}  // namespace acc_test
