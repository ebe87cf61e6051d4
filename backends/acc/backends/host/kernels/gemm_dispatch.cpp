// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the kernels of matrix products for the processor that the program runs on.

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/kernels/gemm_instances.hpp>
#include <acc/backends/host/kernels/instruction_set.hpp>

namespace acc::backends::host {

#define ACC_DECLARE_ISA(isa)                 \
  namespace isa {                            \
  template <class Method, class S>           \
  tile_functions<S> tile(std::int64_t rows); \
  template <class Method, class S, class T>  \
  finish_function<Method, S, T> finish();    \
  template <class T, class S>                \
  pack_function<T, S> pack_panel();          \
  }
ACC_DECLARE_ISA(baseline)
#if defined(ACC_HOST_HAS_AVX)
ACC_DECLARE_ISA(avx2)
ACC_DECLARE_ISA(avx512)
#define ACC_CHOOSE(...)                                        \
  if (chosen_isa() == isa::avx512) return avx512::__VA_ARGS__; \
  if (chosen_isa() == isa::avx2) return avx2::__VA_ARGS__;     \
  return baseline::__VA_ARGS__
#else
#define ACC_CHOOSE(...) return baseline::__VA_ARGS__
#endif

template <class Method, class S>
tile_functions<S> tile_for_this_processor(std::int64_t rows) {
  ACC_CHOOSE(tile<Method, S>(rows));
}
template <class Method, class S, class T>
finish_function<Method, S, T> finish_for_this_processor() {
  ACC_CHOOSE(finish<Method, S, T>());
}
template <class T, class S>
pack_function<T, S> pack_for_this_processor() {
  ACC_CHOOSE(pack_panel<T, S>());
}

#define ACC_INSTANTIATE_TILE(Method, S, T) \
  template tile_functions<S> tile_for_this_processor<Method, S>(std::int64_t);
ACC_GEMM_TILES(ACC_INSTANTIATE_TILE)
#define ACC_INSTANTIATE_FINISH(Method, S, T) \
  template finish_function<Method, S, T> finish_for_this_processor<Method, S, T>();
ACC_GEMM_FINISHES(ACC_INSTANTIATE_FINISH)
#define ACC_INSTANTIATE_PANEL(T, S) template pack_function<T, S> pack_for_this_processor<T, S>();
ACC_GEMM_PANELS(ACC_INSTANTIATE_PANEL)

}  // namespace acc::backends::host
