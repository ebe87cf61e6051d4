// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The GEMM kernels by vector registers (gemm.hpp says what they do).

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/numbers/complex_product.hpp>

#include <algorithm>
#include <limits>

#include <acc/backends/host/kernels/microkernel.hpp>

#include <acc/backends/host/kernels/epilogue.hpp>
#include <acc/backends/host/kernels/pack_panels.hpp>

namespace acc::backends::host::ACC_HOST_ISA {

template <class Method, class S>
microkernel<S> get_microkernel(std::int64_t rows) {
  return [&]<int... Mr>(std::integer_sequence<int, Mr...>) {
    microkernel<S> chosen{};
    // The choices ascend: the first that is large enough, or the last.
    const auto choose = [&]<int M>() {
      using kernel = gemm_microkernel<Method, S, M>;
      chosen = {M, kernel::nr, kernel::components, &kernel::multiply};
      return M >= rows;
    };
    (void)(... || choose.template operator()<Mr>());
    return chosen;
  }(mr_choices{});
}
template <class Method, class S, class C>
epilogue_function<S, C> get_epilogue() {
  return &tile_epilogue<Method, S, C>::run;
}
template <class T, class S>
pack_function<T, S> get_pack() {
  return &pack_panel<T, S>;
}

#define ACC_INSTANTIATE_MICROKERNEL(Method, S, C) \
  template microkernel<S> get_microkernel<Method, S>(std::int64_t);
ACC_MICROKERNELS(ACC_INSTANTIATE_MICROKERNEL)
#define ACC_INSTANTIATE_EPILOGUE(Method, S, C) \
  template epilogue_function<S, C> get_epilogue<Method, S, C>();
ACC_EPILOGUES(ACC_INSTANTIATE_EPILOGUE)
#define ACC_INSTANTIATE_PACK(T, S) template pack_function<T, S> get_pack<T, S>();
ACC_PANELS(ACC_INSTANTIATE_PACK)

}  // namespace acc::backends::host::ACC_HOST_ISA
