// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the instances of gemm_calls.hpp share.
#pragma once

#include "gemm_calls.hpp"

#include <acc/gemm.hpp>

namespace acc_test {

template <class Method, class In, class Out>
void call_gemm(const Exec& exec, const GemmCall<In, Out>& call, const Method& method) {
  acc::gemm(exec, call.trans_a, call.trans_b, call.alpha, call.a, call.b, call.beta, call.c,
            method);
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

}  // namespace acc_test
