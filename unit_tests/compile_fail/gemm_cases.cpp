// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As cases.cpp, of matrix products.
#include "stand_ins.hpp"

#include <complex>
#include <string>

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
template <class T>
using Batch = Kokkos::View<T***, Kokkos::LayoutRight, Kokkos::HostSpace>;

void calls(const Exec& exec, const Matrix<double>& a, const Matrix<double>& c,
           const Matrix<float>& f, const Matrix<Complex>& z, [[maybe_unused]] const Matrix<Half>& h,
           const Vector<double>& x, const Batch<double>& s,
           [[maybe_unused]] const Vector<std::byte>& bytes) {
#if defined(CASE_GEMM_RIGHT_USE)
  acc::gemm(exec, "N", "T", 1.0, a, a, 0.0, c);
  acc::gemm(exec, "N", "T", 1.0, Matrix<const double>(a), a, 0.0, c, acc::blocked{8});
  acc::gemm(exec, "C", "N", Complex(0, 1), z, z, 0.0, z, acc::compensated{}, bytes);
  acc::gemm("N", "N", 1.0, f, f, 0.0, c, acc::widened{});
  acc::gemv(exec, "N", 1.0, a, x, 0.0, x, acc::selective<acc::kahan>{});
  acc::batched_gemm("N", "N", 1.0, s, s, 0.0, s, acc::plain{});
  // Conversions and braces are no reason to reject.
  acc::gemm(exec, std::string("N").c_str(), "N", 1, a, a, 0.0f, c, {});
  acc::gemm(exec, "N", "N", 1, z, z, 0, z);
  acc::ngemm("N", "N", 1, a, a, 0, c, {.depth = 1});
  acc::ngemm(exec, "N", "N", 1, a, a, 0, c, acc::ngemm_options{}, acc::plain{}, bytes);
  static_assert(acc::impl::misfit("essnvvnvmv", "ssnvvnv", "m", "mv") == 0);
  static_assert(acc::impl::misfit("ssnvvnvmv", "ssnvvnv", "m", "mv") == '.');
  static_assert(acc::impl::misfit("essnvvn", "ssnvvnv", "m", "mv") == 'v');
  static_assert(acc::impl::misfit("ve", "v", "m v vm") == '.');
  static_assert(acc::impl::misfit("vvm", "v", "m v vm") == 0);
  static_assert(acc::impl::misfit("vvw", "v", "m v vm") == 'w');
  // What may convert to something that fits is not rejected; without a View nothing is.
  const Matrix<Kokkos::complex<float>> w("w", 2, 2);
  acc::gemm(exec, "N", "N", std::complex<float>(1), w, w, std::complex<float>(0), w);
  static_assert(acc::impl::misfit("ss?vv?v", "ssnvvnv", "m", "mv") == 0);
  static_assert(acc::impl::misfit("ess?vv?v?", "ssnvvnv", "m", "mv") == 0);
  static_assert(acc::impl::misfit("e?", "v", "m v vm") == 'v');
  static_assert(acc::impl::misfit("nn", "v", "m") == 0);
#elif defined(CASE_GEMM_OF_RANK_1)
  acc::gemm(exec, "N", "N", 1.0, x, a, 0.0, c);
#elif defined(CASE_GEMV_BY_RANK_2)
  acc::gemv(exec, "N", 1.0, a, a, 0.0, x);
#elif defined(CASE_BATCHED_GEMM_OF_RANK_2)
  acc::batched_gemm(exec, "N", "N", 1.0, a, s, 0.0, s);
#elif defined(CASE_GEMM_OF_HALF)
  acc::gemm(exec, "N", "N", 1.0f, h, h, 0.0f, f, acc::plain{});
#elif defined(CASE_GEMM_OF_TWO_TYPES)
  acc::gemm(exec, "N", "N", 1.0, a, f, 0.0, c);
#elif defined(CASE_GEMM_WIDENED_DOUBLE)
  acc::gemm(exec, "N", "N", 1.0, a, a, 0.0, c, acc::widened{});
#elif defined(CASE_GEMM_INTO_CONST)
  acc::gemm(exec, "N", "N", 1.0, a, a, 0.0, Matrix<const double>(c));
#elif defined(CASE_GEMM_INTO_OTHER_TYPE)
  acc::gemm(exec, "N", "N", 1.0f, a, a, 0.0f, f);
#elif defined(CASE_GEMV_ON_ANOTHER_DEVICE)
  acc::gemv(exec, "N", 1.0, a, FarView<double*>{}, 0.0, x);
#elif defined(CASE_GEMM_WORKSPACE_OF_DOUBLE)
  acc::gemm(exec, "N", "N", 1.0, a, a, 0.0, c, acc::plain{}, x);
#elif defined(CASE_GEMM_WORKSPACE_ON_ANOTHER_DEVICE)
  acc::gemm(exec, "N", "N", 1.0, a, a, 0.0, c, acc::plain{}, FarView<std::byte*>{});
#elif defined(CASE_GEMV_ORDER)
  acc::gemv(exec, "N", a, x, x);
#elif defined(CASE_BATCHED_GEMM_BY_FOLD)
  acc::batched_gemm(exec, "N", "N", 1.0, s, s, 0.0, s, acc::fold<3>{});
#elif defined(CASE_SELECTIVE_PLAIN)
  acc::gemm(exec, "N", "N", 1.0, a, a, 0.0, c, acc::selective<acc::plain>{});
#else
#error "gemm_cases.cpp: no case is defined"
#endif
}
