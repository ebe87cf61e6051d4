// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a file made of per_isa.cpp.in includes this once.

/// \file
/// The host's matrix product kernels by vector registers (tile.hpp says what they are).

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/kernels/gemm_instances.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/numbers/complex_product.hpp>

#include <algorithm>
#include <limits>

#include <acc/backends/host/kernels/register_tile.hpp>

#include <acc/backends/host/kernels/epilogue.hpp>
#include <acc/backends/host/kernels/microkernel.hpp>
#include <acc/backends/host/kernels/pack_panels.hpp>

namespace acc::backends::host::ACC_HOST_ISA {

template <class Method, class S>
tile_functions<S> tile(std::int64_t rows) {
  return [&]<int... Rows>(std::integer_sequence<int, Rows...>) {
    tile_functions<S> chosen{};
    // The choices ascend: the first that is large enough, or the last.
    const auto choose = [&]<int R>() {
      using kernel = tile_kernel<Method, S, R>;
      chosen = {R, kernel::columns, kernel::components, &kernel::multiply};
      return R >= rows;
    };
    (void)(... || choose.template operator()<Rows>());
    return chosen;
  }(row_choices{});
}

template <class Method, class S, class T>
finish_function<Method, S, T> finish() {
  return &tile_finish<Method, S, T>::run;
}
template <class T, class S>
pack_function<T, S> pack_panel() {
  return &fill_panel<T, S>;
}

#define ACC_INSTANTIATE_TILE(Method, S, T) template tile_functions<S> tile<Method, S>(std::int64_t);
ACC_GEMM_TILES(ACC_INSTANTIATE_TILE)
#define ACC_INSTANTIATE_FINISH(Method, S, T) \
  template finish_function<Method, S, T> finish<Method, S, T>();
ACC_GEMM_FINISHES(ACC_INSTANTIATE_FINISH)
#define ACC_INSTANTIATE_PANEL(T, S) template pack_function<T, S> pack_panel<T, S>();
ACC_GEMM_PANELS(ACC_INSTANTIATE_PANEL)

}  // namespace acc::backends::host::ACC_HOST_ISA
