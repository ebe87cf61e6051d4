// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the kernels for the processor that the program runs on.

#include <acc/backends/host/kernels/crs.hpp>
#include <acc/backends/host/kernels/elements.hpp>
#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/kernels/gemv.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/instruction_set.hpp>
#include <acc/backends/host/kernels/residues.hpp>
#include <acc/backends/host/kernels/scans.hpp>
#include <acc/backends/host/kernels/substitution.hpp>
#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/kernels/symv.hpp>

namespace acc::backends::host {

// What the sources made of sum_kernels.hpp, crs_kernels.hpp and their kin define.
#define ACC_DECLARE_ISA(isa)                                   \
  namespace isa {                                              \
  template <class Terms, class Method, class T>                \
  leaf_function<Terms, Method, T> get_leaf();                  \
  template <class Terms, class Method, class T>                \
  few_function<Terms, Method, T> get_few();                    \
  template <class Terms, class Method, class T>                \
  interleaved_function<Terms, Method, T> get_interleaved();    \
  template <class Method, class T, class Index>                \
  crs_function<Method, T, Index> get_crs();                    \
  template <class Terms, class T>                              \
  window_function<T> get_window(int bins, window_kind kind);   \
  template <class Terms, class T>                              \
  summary_function<T> get_summary();                           \
  template <class Terms, class T>                              \
  exponent_bins_function<Terms, T> get_exponent_bins();        \
  exponent_functions get_exponents();                          \
  template <class S>                                           \
  const element_kernels<S>& get_element_kernels();             \
  template <class S>                                           \
  substitution_function<S> get_substitution();                 \
  template <class S>                                           \
  complex_substitution_function<S> get_complex_substitution(); \
  template <class Method, class S>                             \
  symv_function<S> get_symv();                                 \
  template <class T>                                           \
  const scan_kernels<T>& get_scan_kernels();                   \
  template <class Method, class S>                             \
  const microkernels<S>& get_microkernels();                   \
  template <class Method, class S, int Parts>                  \
  small_gemm_function<S, Parts> get_small_gemm();              \
  template <class Method, class S>                             \
  section_function<S> get_section();                           \
  template <class Method, class S, class C>                    \
  epilogue_function<S, C> get_epilogue();                      \
  template <class T, class S>                                  \
  pack_function<T, S> get_pack();                              \
  template <class Method, class T, class S>                    \
  gemv_function<T, S> get_gemv(gemv_walk walk, int parts);     \
  template <class T, class S>                                  \
  int get_gemv_rows(gemv_walk walk, int parts);                \
  template <class Method, class S>                             \
  gemv_entry_functions<S> get_gemv_entries(int parts);         \
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
template <class Terms, class Method, class T>
few_function<Terms, Method, T> few_for_this_processor() {
  ACC_RETURN_CHOSEN(get_few<Terms, Method, T>());
}
template <class Terms, class Method, class T>
interleaved_function<Terms, Method, T> interleaved_for_this_processor() {
  ACC_RETURN_CHOSEN(get_interleaved<Terms, Method, T>());
}
template <class Method, class T, class Index>
crs_function<Method, T, Index> crs_for_this_processor() {
  ACC_RETURN_CHOSEN(get_crs<Method, T, Index>());
}
template <class Terms, class T>
window_function<T> window_for_this_processor(int bins, window_kind kind) {
  ACC_RETURN_CHOSEN(get_window<Terms, T>(bins, kind));
}
template <class Terms, class T>
summary_function<T> summary_for_this_processor() {
  ACC_RETURN_CHOSEN(get_summary<Terms, T>());
}
template <class Terms, class T>
exponent_bins_function<Terms, T> exponent_bins_for_this_processor() {
  ACC_RETURN_CHOSEN(get_exponent_bins<Terms, T>());
}
exponent_functions exponents_for_this_processor() { ACC_RETURN_CHOSEN(get_exponents()); }
template <class S>
const element_kernels<S>& element_kernels_for_this_processor() {
  ACC_RETURN_CHOSEN(get_element_kernels<S>());
}
template <class S>
substitution_function<S> substitution_for_this_processor() {
  ACC_RETURN_CHOSEN(get_substitution<S>());
}
template <class S>
complex_substitution_function<S> complex_substitution_for_this_processor() {
  ACC_RETURN_CHOSEN(get_complex_substitution<S>());
}
template <class Method, class S>
symv_function<S> symv_for_this_processor() {
  ACC_RETURN_CHOSEN(get_symv<Method, S>());
}
template <class T>
const scan_kernels<T>& scan_kernels_for_this_processor() {
  ACC_RETURN_CHOSEN(get_scan_kernels<T>());
}
template <class Method, class S>
const microkernels<S>& microkernels_for_this_processor() {
  ACC_RETURN_CHOSEN(get_microkernels<Method, S>());
}
template <class Method, class S, int Parts>
small_gemm_function<S, Parts> small_gemm_for_this_processor() {
  ACC_RETURN_CHOSEN(get_small_gemm<Method, S, Parts>());
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
template <class Method, class T, class S>
gemv_function<T, S> gemv_for_this_processor(gemv_walk walk, int parts) {
  ACC_RETURN_CHOSEN(get_gemv<Method, T, S>(walk, parts));
}
template <class T, class S>
int gemv_rows_for_this_processor(gemv_walk walk, int parts) {
  ACC_RETURN_CHOSEN(get_gemv_rows<T, S>(walk, parts));
}
template <class Method, class S>
gemv_entry_functions<S> gemv_entries_for_this_processor(int parts) {
  ACC_RETURN_CHOSEN(get_gemv_entries<Method, S>(parts));
}

// Products of residues have an instruction set more, and need no more than AVX2 else.
namespace baseline {
const residue_kernels& get_residue_kernels();
}
#if defined(ACC_HOST_HAS_AVX)
namespace avx2 {
const residue_kernels& get_residue_kernels();
}
namespace avx512vnni {
const residue_kernels& get_residue_kernels();
}
#endif
const residue_kernels& residue_kernels_for_this_processor() {
#if defined(ACC_HOST_HAS_AVX)
  if (chosen_isa() == isa::avx512 && has_vnni()) return avx512vnni::get_residue_kernels();
  if (chosen_isa() >= isa::avx2) return avx2::get_residue_kernels();
#endif
  return baseline::get_residue_kernels();
}

using namespace acc::impl;
#define ACC_INSTANTIATE_LEAF(terms, method, T) \
  template leaf_function<terms, method, T> leaf_for_this_processor<terms, method, T>();
ACC_LEAVES(ACC_INSTANTIATE_LEAF)
#define ACC_INSTANTIATE_FEW(terms, method, T) \
  template few_function<terms, method, T> few_for_this_processor<terms, method, T>();
ACC_FEW_LEAVES(ACC_INSTANTIATE_FEW)
#define ACC_INSTANTIATE_INTERLEAVED(terms, method, T) \
  template interleaved_function<terms, method, T>     \
  interleaved_for_this_processor<terms, method, T>();
ACC_INTERLEAVED_LEAVES(ACC_INSTANTIATE_INTERLEAVED)
#define ACC_INSTANTIATE_CRS(method, T, Index) \
  template crs_function<method, T, Index> crs_for_this_processor<method, T, Index>();
ACC_CRS_ROWS(ACC_INSTANTIATE_CRS)
#define ACC_INSTANTIATE_ORDER_FREE(terms, T)                                         \
  template window_function<T> window_for_this_processor<terms, T>(int, window_kind); \
  template summary_function<T> summary_for_this_processor<terms, T>();               \
  template exponent_bins_function<terms, T> exponent_bins_for_this_processor<terms, T>();
ACC_ORDER_FREE_TERMS(ACC_INSTANTIATE_ORDER_FREE)
#define ACC_INSTANTIATE_ELEMENTS(S) \
  template const element_kernels<S>& element_kernels_for_this_processor<S>();
ACC_ELEMENTS(ACC_INSTANTIATE_ELEMENTS)
#define ACC_INSTANTIATE_SUBSTITUTION(S)                                   \
  template substitution_function<S> substitution_for_this_processor<S>(); \
  template complex_substitution_function<S> complex_substitution_for_this_processor<S>();
ACC_SUBSTITUTIONS(ACC_INSTANTIATE_SUBSTITUTION)
#define ACC_INSTANTIATE_SYMV(method, S) \
  template symv_function<S> symv_for_this_processor<method, S>();
ACC_SYMVS(ACC_INSTANTIATE_SYMV)
#define ACC_INSTANTIATE_SCANS(T) \
  template const scan_kernels<T>& scan_kernels_for_this_processor<T>();
ACC_SCANS(ACC_INSTANTIATE_SCANS)
#define ACC_INSTANTIATE_MICROKERNEL(method, S, C)                               \
  template const microkernels<S>& microkernels_for_this_processor<method, S>(); \
  template section_function<S> section_for_this_processor<method, S>();
ACC_MICROKERNELS(ACC_INSTANTIATE_MICROKERNEL)
#define ACC_INSTANTIATE_SMALL_GEMM(method, S, parts) \
  template small_gemm_function<S, parts> small_gemm_for_this_processor<method, S, parts>();
ACC_SMALL_GEMMS(ACC_INSTANTIATE_SMALL_GEMM)
#define ACC_INSTANTIATE_EPILOGUE(method, S, C) \
  template epilogue_function<S, C> epilogue_for_this_processor<method, S, C>();
ACC_EPILOGUES(ACC_INSTANTIATE_EPILOGUE)
#define ACC_INSTANTIATE_PACK(T, S) template pack_function<T, S> pack_for_this_processor<T, S>();
ACC_PANELS(ACC_INSTANTIATE_PACK)
#define ACC_INSTANTIATE_GEMV(method, T, S) \
  template gemv_function<T, S> gemv_for_this_processor<method, T, S>(gemv_walk, int);
ACC_GEMVS(ACC_INSTANTIATE_GEMV)
#define ACC_INSTANTIATE_GEMV_ROWS(T, S) \
  template int gemv_rows_for_this_processor<T, S>(gemv_walk, int);
ACC_PANELS(ACC_INSTANTIATE_GEMV_ROWS)
#define ACC_INSTANTIATE_GEMV_ENTRIES(method, S, T) \
  template gemv_entry_functions<S> gemv_entries_for_this_processor<method, S>(int);
ACC_MICROKERNELS(ACC_INSTANTIATE_GEMV_ENTRIES)

}  // namespace acc::backends::host
