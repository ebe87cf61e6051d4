// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host kernels for x86-64 with AVX512.

#define ACC_HOST_ISA avx512
#include <acc/backends/host/kernels.hpp>

namespace acc::backends::host::avx512 {
using namespace acc::impl;
#define ACC_INSTANTIATE(terms, method, T) \
  template leaf_function<terms, method, T> leaf<terms, method, T>();
ACC_LEAVES(ACC_INSTANTIATE)
#define ACC_INSTANTIATE_WINDOW(terms, T)                   \
  template window_function<T> window<terms, T>(int, bool); \
  template look_function<T> look<terms, T>();              \
  template rows_function<terms, T> rows<terms, T>();
ACC_WINDOWS(ACC_INSTANTIATE_WINDOW)
}  // namespace acc::backends::host::avx512
