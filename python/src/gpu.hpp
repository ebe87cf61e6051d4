// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays in a GPU's memory as Views, and calls on them. In builds with CUDA alone.
#pragma once

#include "foreign_array.hpp"
#include "views.hpp"

#include <Kokkos_Core.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

namespace acc_python {

inline Kokkos::CudaSpace space_of(const foreign_array&) { return {}; }

/// The name of T in NumPy; of what NumPy lacks, in its way.
template <class T>
constexpr const char* dtype_name() {
  if constexpr (std::is_same_v<T, float>) return "float32";
  if constexpr (std::is_same_v<T, double>) return "float64";
  if constexpr (std::is_same_v<T, std::complex<float>>) return "complex64";
  if constexpr (std::is_same_v<T, std::complex<double>>) return "complex128";
  if constexpr (std::is_same_v<T, Kokkos::Experimental::half_t>) return "float16";
  if constexpr (std::is_same_v<T, Kokkos::Experimental::bhalf_t>) return "bfloat16";
}
template <class T>
bool is_of(const foreign_array& a) {
  return a.dtype() == dtype_name<T>();
}

/// Leaves the calling thread with the GPU that it had: Kokkos gives it its own, and other libraries
/// go by the thread's.
class keeps_gpu {
 public:
  keeps_gpu() { (void)cudaGetDevice(&gpu_); }
  ~keeps_gpu() { (void)cudaSetDevice(gpu_); }
  keeps_gpu(const keeps_gpu&) = delete;
  keeps_gpu& operator=(const keeps_gpu&) = delete;

 private:
  int gpu_ = 0;
};
template <>
struct scope_of_call<foreign_array> : keeps_gpu {};

/// Calls f(exec) for acc's stream while other Python threads may run. Does not wait for what it
/// launched.
template <class F>
void run_on_gpu(const F& f) {
  const keeps_gpu as_it_was;
  start();
  const py::gil_scoped_release others_may_run;
  acc::blas::with_kokkos([&] {
    const Kokkos::Cuda exec;
    (void)cudaSetDevice(exec.cuda_device());
    f(exec);
  });
}

/// A product of stacks of matrices: C = alpha op(A) op(B) + beta C of each. C's memory is written.
struct gpu_product {
  std::string trans_a, trans_b;
  py::object alpha;
  const foreign_array &a, &b;
  py::object beta;
  const foreign_array& c;
  std::int64_t strip;
  int bits;
};

/// By the method gemm_methods[I]; whether it takes such matrices. A file for each I, as nvcc takes
/// long for one.
template <std::size_t I>
bool multiply_on_gpu(const gpu_product& p);

void add_gpu_sums(py::module_& gpu);
void add_gpu_products(py::module_& gpu);

}  // namespace acc_python
