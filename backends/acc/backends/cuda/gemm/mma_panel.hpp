// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_MMA_PANEL_HPP
#define ACC_BACKENDS_CUDA_GEMM_MMA_PANEL_HPP

/// \file
/// How a lane of a warp reads its share of a panel for the tensor cores: with g = lane / 4 and q =
/// lane % 4, depth k + q of panel lanes Run g, Run g + 1, ..., of which Run lie side by side in
/// memory.
///
/// Depths count real numbers here: a complex number is two adjacent depths, its real part and its
/// imaginary part.

#include <acc/backends/cuda/gemm/k_contiguous_panel.hpp>
#include <acc/backends/cuda/unroll.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

namespace acc::backends::cuda {

/// The panel lanes of a thread, Count in all, that lie side by side: 16 bytes, where it has as
/// many. Parts of complex numbers are read one by one.
template <class In, int Count>
constexpr int run_of() {
  constexpr int vector = impl::components_of<In> == 1 ? 16 / int(sizeof(In)) : 1;
  return vector < Count ? vector : Count;
}

/// A panel of Piece depths, Step panel lanes from one to the next. Other = 1: of a
/// complex number not the part that depth k + q is, but the other one.
template <class In, int Count, int Step, int Piece, bool Deep>
class mma_panel {
  using real = impl::real_t<In>;
  static constexpr int parts = impl::components_of<In>;

 public:
  static constexpr int run = run_of<In, Count>(), vectors = Count / run;
  using numbers = panel_vector<real, run>;

  KOKKOS_FORCEINLINE_FUNCTION mma_panel(int first_lane, int lane)
      : at_((lane % 4 / parts * Step + first_lane + lane / 4 * run) * parts + lane % 4 % parts) {}

  template <int Other>
  KOKKOS_FORCEINLINE_FUNCTION numbers read(const In* piece, int k, int v) const {
    const real* const from = start<Other>(piece, k) + v * 8 * run * parts;
    return *reinterpret_cast<const numbers*>(from);
  }
  template <int Other>
  KOKKOS_FORCEINLINE_FUNCTION real number(const In* piece, int k, int i) const {
    return start<Other>(piece, k)[(i / run * 8 * run + i % run) * parts];
  }

 private:
  template <int Other>
  KOKKOS_FORCEINLINE_FUNCTION const real* start(const In* piece, int k) const {
    const int at = at_ ^ Other;
    return reinterpret_cast<const real*>(piece) + k * Step + at;
  }

  int at_;
};

template <class In, int Count, int Step, int Piece>
class mma_panel<In, Count, Step, Piece, true> {
  using real = impl::real_t<In>;
  static constexpr int depths = Piece * impl::components_of<In>;

 public:
  static constexpr int run = run_of<In, Count>(), vectors = Count / run;
  using numbers = panel_vector<real, run>;
  using order = deep_order<depths, run>;

  KOKKOS_FORCEINLINE_FUNCTION mma_panel(int first_lane, int lane)
      : at_((first_lane + lane / 4) * depths + lane % 4), turn_(order::turn(lane / 4)) {}

  template <int Other>
  KOKKOS_FORCEINLINE_FUNCTION numbers read(const In* piece, int k, int v) const {
    numbers n;
    ACC_UNROLL for (int i = 0; i < run; ++i) { n.x[i] = number<Other>(piece, k, v * run + i); }
    return n;
  }
  template <int Other>
  KOKKOS_FORCEINLINE_FUNCTION real number(const In* piece, int k, int i) const {
    const int at = at_ ^ Other;
    return (reinterpret_cast<const real*>(piece) + (at + (k / 4 ^ turn_) * 4))[i * 8 * depths];
  }

 private:
  int at_, turn_;
};

}  // namespace acc::backends::cuda

#endif
