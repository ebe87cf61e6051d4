// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the kernels for the processor that the program runs on.

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/instruction_set.hpp>
#include <acc/backends/host/kernels/sums.hpp>

namespace acc::backends::host {

// What the sources made of sum_kernels.hpp and gemm_kernels.hpp define.
#define ACC_DECLARE_ISA(isa)                                   \
  namespace isa {                                              \
  template <class Terms, class Method, class T>                \
  leaf_function<Terms, Method, T> get_leaf();                  \
  template <class Terms, class T>                              \
  window_function<T> get_window(int bins, bool keeps_residue); \
  template <class Terms, class T>                              \
  summary_function<T> get_summary();                           \
  template <class Terms, class T>                              \
  exponent_bins_function<Terms, T> get_exponent_bins();        \
  template <class Method, class S>                             \
  const microkernels<S>& get_microkernels();                   \
  template <class Method, class S>                             \
  section_function<S> get_section();                           \
  template <class Method, class S, class C>                    \
  epilogue_function<S, C> get_epilogue();                      \
  template <class T, class S>                                  \
  pack_function<T, S> get_pack();                              \
  }
ACC_DECLARE_ISA(baseline)
#if defined(ACC_HOST_HAS_AVX)
ACC_DECLARE_ISA(avx2)
ACC_DECLARE_ISA(avx512)
#define ACC_RETURN_CHOSEN(...)                                 \
  if (chosen_isa() == isa::avx512) return avx512::__VA_ARGS__; \
  if (chosen_isa() == isa::avx2) return avx2::__VA_ARGS__;     \
  return baseline::__VA_ARGS__
#else
#define ACC_RETURN_CHOSEN(...) return baseline::__VA_ARGS__
#endif

template <class Terms, class Method, class T>
leaf_function<Terms, Method, T> leaf_for_this_processor() {
  ACC_RETURN_CHOSEN(get_leaf<Terms, Method, T>());
}
template <class Terms, class T>
window_function<T> window_for_this_processor(int bins, bool keeps_residue) {
  ACC_RETURN_CHOSEN(get_window<Terms, T>(bins, keeps_residue));
}
template <class Terms, class T>
summary_function<T> summary_for_this_processor() {
  ACC_RETURN_CHOSEN(get_summary<Terms, T>());
}
template <class Terms, class T>
exponent_bins_function<Terms, T> exponent_bins_for_this_processor() {
  ACC_RETURN_CHOSEN(get_exponent_bins<Terms, T>());
}
template <class Method, class S>
const microkernels<S>& microkernels_for_this_processor() {
  ACC_RETURN_CHOSEN(get_microkernels<Method, S>());
}
template <class Method, class S>
section_function<S> section_for_this_processor() {
  ACC_RETURN_CHOSEN(get_section<Method, S>());
}
template <class Method, class S, class C>
epilogue_function<S, C> epilogue_for_this_processor() {
  ACC_RETURN_CHOSEN(get_epilogue<Method, S, C>());
}
template <class T, class S>
pack_function<T, S> pack_for_this_processor() {
  ACC_RETURN_CHOSEN(get_pack<T, S>());
}

using namespace acc::impl;
#define ACC_INSTANTIATE_LEAF(terms, method, T) \
  template leaf_function<terms, method, T> leaf_for_this_processor<terms, method, T>();
ACC_LEAVES(ACC_INSTANTIATE_LEAF)
#define ACC_INSTANTIATE_ORDER_FREE(terms, T)                                  \
  template window_function<T> window_for_this_processor<terms, T>(int, bool); \
  template summary_function<T> summary_for_this_processor<terms, T>();        \
  template exponent_bins_function<terms, T> exponent_bins_for_this_processor<terms, T>();
ACC_ORDER_FREE_TERMS(ACC_INSTANTIATE_ORDER_FREE)
#define ACC_INSTANTIATE_MICROKERNEL(method, S, C)                               \
  template const microkernels<S>& microkernels_for_this_processor<method, S>(); \
  template section_function<S> section_for_this_processor<method, S>();
ACC_MICROKERNELS(ACC_INSTANTIATE_MICROKERNEL)
#define ACC_INSTANTIATE_EPILOGUE(method, S, C) \
  template epilogue_function<S, C> epilogue_for_this_processor<method, S, C>();
ACC_EPILOGUES(ACC_INSTANTIATE_EPILOGUE)
#define ACC_INSTANTIATE_PACK(T, S) template pack_function<T, S> pack_for_this_processor<T, S>();
ACC_PANELS(ACC_INSTANTIATE_PACK)

}  // namespace acc::backends::host
