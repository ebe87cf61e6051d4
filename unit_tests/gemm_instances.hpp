// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of gemm_calls.hpp, for every method and type: what takes long to compile, once.
#pragma once

#include "gemm_calls.hpp"

#include <acc/gemm.hpp>

namespace acc_test {

template <class Method, class In, class Out>
void call_gemm(const Exec& exec, const GemmCall<In, Out>& call, const Method& method) {
  acc::gemm(exec, call.trans_a, call.trans_b, call.alpha, call.a, call.b, call.beta, call.c,
            method);
}

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

/// Launches tiles_of(problem) with memory of their own.
template <class Method, class In, class Out, class F>
void launch_tiles(const Exec& exec, const GemmCall<In, Out>& call, const Method& method,
                  const F& tiles_of) {
  const auto problem =
      acc::impl::make_gemm_problem(acc::impl::names_of_gemm, call.trans_a, call.trans_b, call.alpha,
                                   call.a, call.b, call.beta, call.c, method);
  Kokkos::View<std::byte*, Exec> memory;
  acc::backends::launch_gemm(exec, "acc::gemm", tiles_of(problem), [&](std::size_t bytes) {
    memory = Kokkos::View<std::byte*, Exec>("memory", bytes);
    return memory.data();
  });
  exec.fence();
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
#define ACC_TEST_INSTANTIATE_METHODS(T)                   \
  ACC_TEST_INSTANTIATE(acc::plain, T, T)                  \
  ACC_TEST_INSTANTIATE(acc::blocked, T, T)                \
  ACC_TEST_INSTANTIATE(acc::selective<acc::kahan>, T, T)  \
  ACC_TEST_INSTANTIATE(acc::selective<acc::priest>, T, T) \
  ACC_TEST_INSTANTIATE(acc::selective<acc::seeded>, T, T) \
  ACC_TEST_INSTANTIATE(acc::compensated, T, T)
ACC_TEST_INSTANTIATE_METHODS(float)
ACC_TEST_INSTANTIATE_METHODS(double)
ACC_TEST_INSTANTIATE_METHODS(Kokkos::complex<float>)
ACC_TEST_INSTANTIATE_METHODS(Kokkos::complex<double>)
ACC_TEST_INSTANTIATE(acc::widened, float, float)
ACC_TEST_INSTANTIATE(acc::widened, float, double)
ACC_TEST_INSTANTIATE(acc::widened, Kokkos::complex<float>, Kokkos::complex<float>)
ACC_TEST_INSTANTIATE(acc::widened, Kokkos::complex<float>, Kokkos::complex<double>)
// Where Kokkos has no half precision, its types are float.
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
ACC_TEST_INSTANTIATE(acc::widened, Kokkos::Experimental::half_t, Kokkos::Experimental::half_t)
ACC_TEST_INSTANTIATE(acc::widened, Kokkos::Experimental::half_t, float)
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
ACC_TEST_INSTANTIATE(acc::widened, Kokkos::Experimental::bhalf_t, Kokkos::Experimental::bhalf_t)
ACC_TEST_INSTANTIATE(acc::widened, Kokkos::Experimental::bhalf_t, float)
#endif

}  // namespace acc_test
