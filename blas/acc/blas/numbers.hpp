// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_NUMBERS_HPP
#define ACC_BLAS_NUMBERS_HPP

/// \file
/// Memory for calls that the calling thread computes alone: on the stack where it is little.

#include <acc/core/numbers/scalar_traits.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace acc::blas {

/// Numbers of one copy on the stack. Calls have two at most, and a small product may need 48 KiB of
/// the stack besides.
template <class T>
constexpr int most_copied = 16384 / int(sizeof(T));

/// Memory for N numbers, which are not set to anything.
template <class T, int N>
struct numbers {
  alignas(64) impl::real_t<T> parts[N * impl::components_of<T>];
  T* data() { return reinterpret_cast<T*>(parts); }
};

template <class T, class F>
[[gnu::noinline]] bool with_numbers_of_stack(const F& f) {
  numbers<T, most_copied<T>> memory;
  return f(memory.data());
}
template <class T, class F>
[[gnu::noinline]] bool with_numbers_of_heap(std::int64_t count, const F& f) {
  const std::unique_ptr<impl::real_t<T>[]> memory(
      new (std::nothrow) impl::real_t<T>[std::size_t(count * impl::components_of<T>)]);
  return memory && f(reinterpret_cast<T*>(memory.get()));
}
/// f(memory for so many numbers), which are not set to anything; false where there is none.
template <class T, class F>
bool with_numbers(std::int64_t count, const F& f) {
  return count <= most_copied<T> ? with_numbers_of_stack<T>(f) : with_numbers_of_heap<T>(count, f);
}

}  // namespace acc::blas

#endif
