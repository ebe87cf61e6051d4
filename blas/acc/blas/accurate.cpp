// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/gemm.hpp>

#include "products.hpp"
#include "views.hpp"

namespace acc::blas {

namespace {

struct default_gemm {
  template <class Exec, class A, class C, class T>
  void operator()(const Exec& exec, const char* transa, const char* transb, T alpha, const A& a,
                  const A& b, T beta, const C& c) const {
    acc::gemm(exec, transa, transb, alpha, a, b, beta, c);
  }
};

}  // namespace

template <class T>
void accurate_product(memory where, const call<T>& c) {
  multiply_in(where, c, default_gemm{});
}
template void accurate_product(memory where, const call<float>& c);
template void accurate_product(memory where, const call<double>& c);
template void accurate_product(memory where, const call<Kokkos::complex<float>>& c);
template void accurate_product(memory where, const call<Kokkos::complex<double>>& c);

}  // namespace acc::blas
