// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of gemm_calls.hpp with the method fixed_point, for every type.
#pragma once

#include "exact_calls.hpp"

namespace acc_test {

ACC_TEST_INSTANTIATE_EXACT(acc::fixed_point, float, float)
ACC_TEST_INSTANTIATE_EXACT(acc::fixed_point, double, double)
ACC_TEST_INSTANTIATE_EXACT(acc::fixed_point, Kokkos::complex<float>, Kokkos::complex<float>)
ACC_TEST_INSTANTIATE_EXACT(acc::fixed_point, Kokkos::complex<double>, Kokkos::complex<double>)
ACC_TEST_INSTANTIATE_EXACT(acc::fixed_point, double, float)
// Where Kokkos has no half precision, its types are float.
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
ACC_TEST_INSTANTIATE_EXACT(acc::fixed_point, Kokkos::Experimental::half_t, float)
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
ACC_TEST_INSTANTIATE_EXACT(acc::fixed_point, Kokkos::Experimental::bhalf_t, float)
#endif

}  // namespace acc_test
