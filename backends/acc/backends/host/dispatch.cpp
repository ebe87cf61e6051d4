// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the host kernels for the processor that the program runs on.

#include <acc/backends/host/instances.hpp>
#include <acc/backends/host/leaf.hpp>
#include <acc/backends/host/window.hpp>

#include <cstdlib>
#include <string_view>

namespace acc::backends::host {

extern const double ones[8];
extern const float ones_float[16];

#define ACC_DECLARE_ISA(isa)                    \
  namespace isa {                               \
  template <class Terms, class Method, class T> \
  leaf_function<Terms, Method, T> leaf();       \
  template <class Terms, class T>               \
  window_function<T> window(int, bool);         \
  template <class Terms, class T>               \
  look_function<T> look();                      \
  template <class Terms, class T>               \
  rows_function<Terms, T> rows();               \
  }
ACC_DECLARE_ISA(baseline)
#if defined(ACC_HOST_HAS_AVX)
ACC_DECLARE_ISA(avx2)
ACC_DECLARE_ISA(avx512)
#endif

extern const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
extern const float ones_float[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

namespace {

enum class isa { baseline, avx2, avx512 };

isa best_of_processor() {
#if defined(ACC_HOST_HAS_AVX)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return isa::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return isa::avx2;
#endif
  return isa::baseline;
}

isa chosen() {
  static const isa choice = [] {
    const isa best = best_of_processor();
    const char* wish = std::getenv("ACC_HOST_ISA");
    const std::string_view name = wish ? wish : "";
    if (name == "baseline") return isa::baseline;
    if (name == "avx2" && best >= isa::avx2) return isa::avx2;
    return best;
  }();
  return choice;
}

}  // namespace

const char* instruction_set() {
  constexpr const char* names[] = {"baseline", "avx2", "avx512"};
  return names[int(chosen())];
}

template <class Terms, class Method, class T>
leaf_function<Terms, Method, T> leaf_for_this_processor() {
#if defined(ACC_HOST_HAS_AVX)
  if (chosen() == isa::avx512) return avx512::leaf<Terms, Method, T>();
  if (chosen() == isa::avx2) return avx2::leaf<Terms, Method, T>();
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
  if (chosen() == isa::avx512) return avx512::window<Terms, T>(bins, keeps_residue);
  if (chosen() == isa::avx2) return avx2::window<Terms, T>(bins, keeps_residue);
#endif
  return baseline::window<Terms, T>(bins, keeps_residue);
}
template <class Terms, class T>
look_function<T> look_for_this_processor() {
#if defined(ACC_HOST_HAS_AVX)
  if (chosen() == isa::avx512) return avx512::look<Terms, T>();
  if (chosen() == isa::avx2) return avx2::look<Terms, T>();
#endif
  return baseline::look<Terms, T>();
}
template <class Terms, class T>
rows_function<Terms, T> rows_for_this_processor() {
#if defined(ACC_HOST_HAS_AVX)
  if (chosen() == isa::avx512) return avx512::rows<Terms, T>();
  if (chosen() == isa::avx2) return avx2::rows<Terms, T>();
#endif
  return baseline::rows<Terms, T>();
}

#define ACC_INSTANTIATE_WINDOW(terms, T)                                      \
  template window_function<T> window_for_this_processor<terms, T>(int, bool); \
  template look_function<T> look_for_this_processor<terms, T>();              \
  template rows_function<terms, T> rows_for_this_processor<terms, T>();
ACC_WINDOWS(ACC_INSTANTIATE_WINDOW)

}  // namespace acc::backends::host
