// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the kernels of the sums for the processor that the program runs on.

#include <acc/backends/host/kernels/sum_instances.hpp>
#include <acc/backends/host/kernels/instruction_set.hpp>
#include <acc/backends/host/kernels/leaf.hpp>
#include <acc/backends/host/kernels/window.hpp>

namespace acc::backends::host {

#define ACC_DECLARE_ISA(isa)                    \
  namespace isa {                               \
  template <class Terms, class Method, class T> \
  leaf_function<Terms, Method, T> leaf();       \
  template <class Terms, class T>               \
  window_function<T> window(int, bool);         \
  template <class Terms, class T>               \
  summary_function<T> look();                   \
  template <class Terms, class T>               \
  rows_function<Terms, T> rows();               \
  }
ACC_DECLARE_ISA(baseline)
#if defined(ACC_HOST_HAS_AVX)
ACC_DECLARE_ISA(avx2)
ACC_DECLARE_ISA(avx512)
#endif

template <class Terms, class Method, class T>
leaf_function<Terms, Method, T> leaf_for_this_processor() {
#if defined(ACC_HOST_HAS_AVX)
  if (chosen_isa() == isa::avx512) return avx512::leaf<Terms, Method, T>();
  if (chosen_isa() == isa::avx2) return avx2::leaf<Terms, Method, T>();
#endif
  return baseline::leaf<Terms, Method, T>();
}

using namespace acc::impl;
#define ACC_INSTANTIATE(terms, method, T) \
  template leaf_function<terms, method, T> leaf_for_this_processor<terms, method, T>();
ACC_LEAVES(ACC_INSTANTIATE)

template <class Terms, class T>
window_function<T> window_for_this_processor(int bins, bool keeps_residue) {
#if defined(ACC_HOST_HAS_AVX)
  if (chosen_isa() == isa::avx512) return avx512::window<Terms, T>(bins, keeps_residue);
  if (chosen_isa() == isa::avx2) return avx2::window<Terms, T>(bins, keeps_residue);
#endif
  return baseline::window<Terms, T>(bins, keeps_residue);
}
template <class Terms, class T>
summary_function<T> summary_for_this_processor() {
#if defined(ACC_HOST_HAS_AVX)
  if (chosen_isa() == isa::avx512) return avx512::look<Terms, T>();
  if (chosen_isa() == isa::avx2) return avx2::look<Terms, T>();
#endif
  return baseline::look<Terms, T>();
}
template <class Terms, class T>
rows_function<Terms, T> rows_for_this_processor() {
#if defined(ACC_HOST_HAS_AVX)
  if (chosen_isa() == isa::avx512) return avx512::rows<Terms, T>();
  if (chosen_isa() == isa::avx2) return avx2::rows<Terms, T>();
#endif
  return baseline::rows<Terms, T>();
}

#define ACC_INSTANTIATE_WINDOW(terms, T)                                      \
  template window_function<T> window_for_this_processor<terms, T>(int, bool); \
  template summary_function<T> summary_for_this_processor<terms, T>();        \
  template rows_function<terms, T> rows_for_this_processor<terms, T>();
ACC_WINDOWS(ACC_INSTANTIATE_WINDOW)

}  // namespace acc::backends::host
