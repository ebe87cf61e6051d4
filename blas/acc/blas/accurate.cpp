// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/gemm.hpp>

#include <Kokkos_Core.hpp>

#include "products.hpp"
#include "small.hpp"
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

/// A matrix that is transposed where `letter` says so.
template <class T>
impl::matrix_data<T> operand_of(T* data, char letter, int rows, int columns, int leading,
                                bool row_major) {
  const bool by_rows = row_major == (letter == 'N');
  return {data, rows, columns, by_rows ? leading : 1, by_rows ? 1 : leading, 0, letter == 'C'};
}

template <class T>
bool is_done_small(const call<T>& c) {
  return multiply_small<T>(c.alpha, operand_of(c.a, c.transa, c.m, c.k, c.lda, c.row_major),
                           operand_of(c.b, c.transb, c.k, c.n, c.ldb, c.row_major), c.beta,
                           operand_of(c.c, 'N', c.m, c.n, c.ldc, c.row_major));
}

}  // namespace

template <class T>
bool accurate_product_at_once(const call<T>& c) noexcept {
  return can_be_done_at_once(c) && is_done_small(c);
}
template bool accurate_product_at_once(const call<float>& c) noexcept;
template bool accurate_product_at_once(const call<double>& c) noexcept;
template bool accurate_product_at_once(const call<Kokkos::complex<float>>& c) noexcept;
template bool accurate_product_at_once(const call<Kokkos::complex<double>>& c) noexcept;

template <class T>
void accurate_product(memory where, const call<T>& c) {
  // A tool is shown a launch all the same.
  if (where == memory::host && !Kokkos::Tools::profileLibraryLoaded() && is_done_small(c)) return;
  multiply_in(where, c, default_gemm{});
}
template void accurate_product(memory where, const call<float>& c);
template void accurate_product(memory where, const call<double>& c);
template void accurate_product(memory where, const call<Kokkos::complex<float>>& c);
template void accurate_product(memory where, const call<Kokkos::complex<double>>& c);

}  // namespace acc::blas
