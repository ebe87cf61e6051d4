// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_GEMV_KERNELS_HPP
#define ACC_BLAS_GEMV_KERNELS_HPP

#include <acc/backends/host/kernels/gemv.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <cstdint>

namespace acc::blas {

/// The kernels of acc::gemv by its default method, for this processor, of real numbers or of the
/// parts of complex ones. They are chosen once, by need_kokkos: to ask which instruction set there
/// is takes as long as a few unknowns.
template <class T>
struct gemv_kernels {
  using real = impl::real_t<T>;
  static constexpr int parts = impl::components_of<T>;

  /// Columns, rows; null where there is none.
  backends::host::gemv_function<real, real> down, along;
  backends::host::gemv_entry_functions<real> entries;

  static const gemv_kernels& of_this_processor() {
    using namespace backends::host;
    using method = impl::gemm_default_t<T>;
    static const gemv_kernels chosen{
        gemv_for_this_processor<method, real, real>(gemv_walk::down_columns, parts),
        gemv_for_this_processor<method, real, real>(gemv_walk::along_rows, parts),
        gemv_entries_for_this_processor<method, real>(parts)};
    return chosen;
  }
};

/// A complex number's real and imaginary part in turn.
template <class T>
impl::real_t<T>* parts_at(T* p) {
  return reinterpret_cast<impl::real_t<T>*>(p);
}
template <class T>
const impl::real_t<T>* parts_at(const T* p) {
  return reinterpret_cast<const impl::real_t<T>*>(p);
}

/// Numbers that the factors of n products of complex numbers are.
template <class T>
constexpr std::int64_t factors_of(std::int64_t n) {
  return n * impl::components_of<T> * impl::components_of<T>;
}
/// Those factors with their signs, as the kernels read them: of products with numbers of A as they
/// are, or conjugated.
template <class T>
void lay_out_factors(const T* x, std::int64_t n, bool conjugates_a, impl::real_t<T>* to) {
  for (std::int64_t k = 0; k < n; ++k) {
    const impl::real_t<T> of_x[2] = {x[k].real(), x[k].imag()};
    impl::complex_product::lay_out_factors(of_x, conjugates_a, false, to + factors_of<T>(k));
  }
}

}  // namespace acc::blas

#endif
