// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_MACHINE_HPP
#define ACC_BACKENDS_CUDA_MACHINE_HPP

/// \file
/// The machine of NVIDIA GPUs, tuned for Hopper: kernels of Kokkos policies whose bodies know
/// warps, asynchronous copies and FP64 tensor cores. Each job has a file, which says at its top
/// which kernel serves which call; tuning.hpp has the shapes of all kernels.

#include <acc/backends/cuda/crs_rows.hpp>
#include <acc/backends/cuda/gemm.hpp>
#include <acc/backends/cuda/gemv.hpp>
#include <acc/backends/cuda/order_free.hpp>
#include <acc/backends/cuda/reduce.hpp>
#include <acc/backends/cuda/residue_gemm.hpp>
#include <acc/backends/cuda/scan.hpp>
#include <acc/backends/cuda/scatter_atomics.hpp>
#include <acc/backends/cuda/segments.hpp>
#include <acc/backends/cuda/slices.hpp>
#include <acc/backends/generic/machine.hpp>
#include <acc/backends/workspace.hpp>

namespace acc::backends::cuda {

struct machine : generic::machine {
  using scatter_atomics = cuda::scatter_atomics;
  template <class Exec, class R>
  static void reduce(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
    cuda::reduce(exec, memory, label, r);
  }
  template <class Exec, class R>
  static void order_free(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
    cuda::order_free(exec, memory, label, r);
  }
  template <class Exec, class S>
  static void scan(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    cuda::scan(exec, memory, label, s);
  }
  template <class Exec, class S>
  static void segments(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    cuda::segments(exec, memory, label, s);
  }
  template <class Exec, class S>
  static void crs_rows(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    cuda::crs_rows(exec, memory, label, s);
  }
  template <class Exec, class S>
  static void slices(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    cuda::slices(exec, memory, label, s);
  }
  template <class Exec, class Problem, class F>
  static auto with_gemm_tiles(const Exec& exec, const Problem& p, const F& f) {
    if (cuda::is_gemv(p)) return cuda::with_gemv_tiles<false>(exec, p, f);
    return cuda::with_gemm_tiles(exec, p, f);
  }
  template <class Exec, class Problem, class F>
  static auto with_gemv_tiles(const Exec& exec, const Problem& p, const F& f) {
    return cuda::with_gemv_tiles(exec, p, f);
  }
  template <class Exec, class Problem, class F>
  static auto with_exact_entries(const Exec& exec, const Problem& p, const F& f) {
    return f(residue_entries<Problem>(exec, p));
  }
};

}  // namespace acc::backends::cuda

#endif
