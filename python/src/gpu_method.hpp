// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of arrays in a GPU's memory by one method. A file that includes this instantiates
// multiply_on_gpu for it.
#pragma once

#include <acc/batched_gemm.hpp>

#include "gemm_methods.hpp"
#include "gpu.hpp"

#include <complex>
#include <tuple>

namespace acc_python {

template <class In, class Out, class Method>
void multiply_stacks(const gpu_product& p, const Method& method) {
  const auto alpha = kokkos_t<Out>(p.alpha.cast<Out>()), beta = kokkos_t<Out>(p.beta.cast<Out>());
  const auto a = stack_of<In>(p.a), b = stack_of<In>(p.b);
  const auto c = stack_of<Out>(p.c);
  run_on_gpu([&](const auto& exec) {
    acc::batched_gemm(exec, p.trans_a.c_str(), p.trans_b.c_str(), alpha, a, b, beta, c, method);
  });
}

template <std::size_t I>
bool multiply_on_gpu(const gpu_product& p) {
  using Method = decltype(std::get<I>(gemm_methods).second);
  const Method method = with_parameters(std::get<I>(gemm_methods).second, p.strip, p.bits);
  const auto of = [&]<class In, class Out>(In, Out) {
    if (!is_of<In>(p.a) || !is_of<In>(p.b) || !is_of<Out>(p.c)) return false;
    if constexpr (method_takes<Method, In>) multiply_stacks<In, Out>(p, method);
    return method_takes<Method, In>;
  };
  using Kokkos::Experimental::bhalf_t, Kokkos::Experimental::half_t;
  return of(float(), float()) || of(double(), double()) ||
         of(std::complex<float>(), std::complex<float>()) ||
         of(std::complex<double>(), std::complex<double>()) || of(half_t(), float()) ||
         of(bhalf_t(), float());
}

}  // namespace acc_python
