// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of gemm_calls.hpp with the method exact, for every type.
#pragma once

#include "exact_calls.hpp"

namespace acc_test {

ACC_TEST_INSTANTIATE_EXACT(acc::exact, float, float)
ACC_TEST_INSTANTIATE_EXACT(acc::exact, double, double)
ACC_TEST_INSTANTIATE_EXACT(acc::exact, Kokkos::complex<float>, Kokkos::complex<float>)
ACC_TEST_INSTANTIATE_EXACT(acc::exact, Kokkos::complex<double>, Kokkos::complex<double>)
ACC_TEST_INSTANTIATE_EXACT(acc::exact, float, double)
ACC_TEST_INSTANTIATE_EXACT(acc::exact, double, float)
// Where Kokkos has no half precision, its types are float.
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
ACC_TEST_INSTANTIATE_EXACT(acc::exact, Kokkos::Experimental::half_t, Kokkos::Experimental::half_t)
ACC_TEST_INSTANTIATE_EXACT(acc::exact, Kokkos::Experimental::half_t, float)
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
ACC_TEST_INSTANTIATE_EXACT(acc::exact, Kokkos::Experimental::bhalf_t, Kokkos::Experimental::bhalf_t)
ACC_TEST_INSTANTIATE_EXACT(acc::exact, Kokkos::Experimental::bhalf_t, float)
#endif

}  // namespace acc_test
