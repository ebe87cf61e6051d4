// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulation_cuda.hpp"

#include <Kokkos_Core.hpp>
#include <cublas_v2.h>
#include <stdexcept>

namespace perf::blas {

#if CUBLAS_VERSION >= 130100

namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
}
template <class T>
using device = Kokkos::View<T, Kokkos::CudaSpace>;

/// A handle of its own: nothing here changes how `gemm` computes.
struct handle {
  cublasHandle_t h = nullptr;
  device<char*> workspace;
  device<int> kept{"kept"};

  handle() {
    check(cublasCreate(&h));
    check(cublasSetStream(h, Kokkos::Cuda().cuda_stream()));
    check(cublasSetEmulationStrategy(h, CUBLAS_EMULATION_STRATEGY_EAGER));
  }
  ~handle() { cublasDestroy(h); }

  /// What emulation takes for k up to 8192: ten slices of 8 bits of A and B and as many sums of 32
  /// bits of C, padded, and a quarter (cuBLAS documentation, "Fixed-Point Workspace Requirements").
  /// Without it cuBLAS allocates in each call, or does not emulate.
  void make_room(double m, double n, double k) {
    const double bytes =
        13 * (m + n + 2048) * (k + 128) + 50 * (m + 1024) * (n + 1024) + double(1 << 28);
    if (double(workspace.size()) < bytes) {
      workspace = {};
      workspace = device<char*>(Kokkos::view_alloc("workspace", Kokkos::WithoutInitializing),
                                std::size_t(bytes));
      check(cublasSetWorkspace(h, workspace.data(), workspace.size()));
    }
  }
  void keep(int bits) const {
    check(cublasSetFixedPointEmulationMantissaControl(
        h, bits ? CUDA_EMULATION_MANTISSA_CONTROL_FIXED : CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC));
    check(cublasSetFixedPointEmulationMaxMantissaBitCount(h, bits));
  }
};

handle& own() {
  static handle* made = nullptr;
  if (!made) {
    made = new handle;
    Kokkos::push_finalize_hook([] { delete made; });
  }
  return *made;
}

template <class T>
cublasStatus_t multiply(const matrix<const T>& a, const matrix<const T>& b, const matrix<T>& c,
                        cublasComputeType_t compute) {
  const by_columns<T> p(a, b, c);
  const cudaDataType type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
  const auto letter = [](bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const T one = 1, zero = 0;
  return cublasGemmEx(own().h, letter(p.trans_a), letter(p.trans_b), p.m, p.n, p.k, &one, p.a, type,
                      p.lda, p.b, type, p.ldb, &zero, p.c, type, p.ldc, compute,
                      CUBLAS_GEMM_DEFAULT);
}

template <class T>
constexpr cublasComputeType_t plain = sizeof(T) == 4 ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F;
template <class T>
constexpr cublasComputeType_t emulated =
    sizeof(T) == 4 ? CUBLAS_COMPUTE_32F_EMULATED_16BFX9 : CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT;

template <class T>
struct differing_entries {
  const T *x, *y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const {
    count += x[i] != y[i];
  }
};

/// Whether C is what cuBLAS computes in the same call without emulation.
template <class T>
bool is_plain(const matrix<const T>& a, const matrix<const T>& b, const matrix<T>& c) {
  const device<T*> other("plain", std::size_t(c.size()));
  matrix<T> d = c;
  d.data = other.data();
  own().keep(0);
  check(cublasSetEmulationStrategy(own().h, CUBLAS_EMULATION_STRATEGY_DEFAULT));
  check(multiply(a, b, d, plain<T>));
  check(cublasSetEmulationStrategy(own().h, CUBLAS_EMULATION_STRATEGY_EAGER));
  std::int64_t count = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(0, c.size()),
      differing_entries<T>{c.data, d.data}, count);
  return count == 0;
}

}  // namespace

template <class T>
emulation try_emulation(const matrix<const T>& a, const matrix<const T>& b, const matrix<T>& c,
                        int bits) {
  const by_columns<T> p(a, b, c);
  handle& own = blas::own();
  own.make_room(p.m, p.n, p.k);
  own.keep(bits);
  // Of doubles cuBLAS writes how many bits it kept: -1 where it did not emulate.
  emulation found;
  Kokkos::deep_copy(own.kept, 0);
  if (sizeof(T) == 8)
    check(cublasSetFixedPointEmulationMantissaBitCountPointer(own.h, own.kept.data()));
  const cublasStatus_t status = multiply(a, b, c, emulated<T>);
  Kokkos::deep_copy(found.bits, own.kept);
  check(cublasSetFixedPointEmulationMantissaBitCountPointer(own.h, nullptr));
  if (status != CUBLAS_STATUS_SUCCESS)
    found.refusal = std::string("cuBLAS refuses: ") + cublasGetStatusString(status);
  else if (found.bits < 0)
    found.refusal = "cuBLAS did not emulate: it says so";
  else if (is_plain(a, b, c))
    found.refusal = "cuBLAS did not emulate: all bits are those without emulation";
  return found;
}

template <class T>
void emulated_gemm(const matrix<const T>& a, const matrix<const T>& b, const matrix<T>& c,
                   int bits) {
  own().keep(bits);
  check(multiply(a, b, c, emulated<T>));
}

#else

template <class T>
emulation try_emulation(const matrix<const T>&, const matrix<const T>&, const matrix<T>&, int) {
  return {"cuBLAS has no emulation before 13.1"};
}
template <class T>
void emulated_gemm(const matrix<const T>&, const matrix<const T>&, const matrix<T>&, int) {
  throw std::runtime_error("cuBLAS has no emulation before 13.1");
}

#endif

#define PERF_INSTANTIATE_EMULATION(T)                                                           \
  template emulation try_emulation(const matrix<const T>&, const matrix<const T>&,              \
                                   const matrix<T>&, int);                                      \
  template void emulated_gemm(const matrix<const T>&, const matrix<const T>&, const matrix<T>&, \
                              int);
PERF_INSTANTIATE_EMULATION(float)
PERF_INSTANTIATE_EMULATION(double)

}  // namespace perf::blas
