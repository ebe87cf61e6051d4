// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vectors.hpp"

#include <acc/axpby.hpp>
#include <acc/backends/host/elements.hpp>
#include <acc/backends/host/kernels/elements.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/scal.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <type_traits>

#include "chosen_kernel.hpp"
#include "guard.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "runtime.hpp"
#include "views.hpp"
#include "wait.hpp"

namespace acc::blas {

namespace {

/// Up to this many elements the calling thread computes: it takes less time than to wake others.
/// The bits are the same.
constexpr int few = 4096;

/// n elements for a rule, in order.
template <class T>
impl::matrix_data<T> elements(T* data, int n, int increment) {
  return {first_of(data, n, increment), n, 1, increment, 0};
}

template <class Exec, class T>
auto view(T* data, int n, int increment) {
  return Kokkos::View<T*, Kokkos::LayoutStride, typename Exec::memory_space,
                      Kokkos::MemoryUnmanaged>(
      first_of(data, n, increment),
      Kokkos::LayoutStride(std::size_t(n), std::size_t(std::int64_t(increment))));
}

/// y = alpha x + y for elements [first, first + count), at once. By the host's kernels, which take
/// complex numbers as pairs of real ones: a caller's need not be aligned to their size.
template <class T>
void add_at_once(std::int64_t first, std::int64_t count, int n, T alpha, const T* x, int incx, T* y,
                 int incy) {
  backends::host::apply(
      impl::linear_combination<T, 2>{
          elements(y, n, incy),
          {elements<const T>(y, n, incy), elements(x, n, incx)},
          {impl::column_coefficient<T>{T(1), {}}, impl::column_coefficient<T>{alpha, {}}}},
      backends::host::element_rows{first, count, 0});
}

/// x = alpha x, at once.
template <class T>
void multiply_at_once(int n, T alpha, T* x, int incx) {
  backends::host::apply(impl::linear_combination<T, 1>{elements(x, n, incx),
                                                       {elements<const T>(x, n, incx)},
                                                       {impl::column_coefficient<T>{alpha, {}}}},
                        backends::host::element_rows{0, n, 0});
}

/// y = alpha x + beta y of real numbers that are neighbors, at once.
template <class T>
auto axpby_for_this_processor() {
  return backends::host::element_kernels_for_this_processor<T>().axpby;
}
template <class T>
using axpby_kernel = chosen_kernel<&axpby_for_this_processor<T>>;

/// Whether elements of y share a place with each other, or may share one with another element of x.
template <class T>
bool share_places(int n, const T* x, int incx, const T* y, int incy) {
  if (incy == 0) return n > 1;
  if (x == y && incx == incy) return false;
  const auto span = [n](int increment) {
    return std::uintptr_t(std::int64_t(n - 1) * std::abs(std::int64_t(increment)) + 1) * sizeof(T);
  };
  const auto from_x = reinterpret_cast<std::uintptr_t>(x);
  const auto from_y = reinterpret_cast<std::uintptr_t>(y);
  return from_x < from_y + span(incy) && from_y < from_x + span(incx);
}

/// f(exec) where all of the pointers lie; it waits.
template <std::size_t N, class F>
void on_space_of(const std::array<const void*, N>& pointers, const F& f) {
  for (const void* const pointer : pointers)
    if (pointer == nullptr) throw std::invalid_argument("a null pointer to a vector");
  with_kokkos([&] {
    const location all = locate(pointers);
    if (all.stranger >= 0)
      throw std::invalid_argument(
          "the vectors must all be in host memory, or all in that of Kokkos's GPU");
    const auto on = [&](const auto& exec) {
      f(exec);
      wait_for(exec);
    };
#if defined(KOKKOS_ENABLE_CUDA)
    if (all.where == memory::device) return on(Kokkos::Cuda());
#endif
    on(host_space());
  });
}

/// Whether a call is so short that the calling thread computes it, and needs nothing of Kokkos but
/// that it runs.
template <std::size_t N>
bool can_be_done_at_once(int n, const std::array<const void*, N>& pointers) {
  if (n > few || !is_all_host_memory || !runs_already()) return false;
  for (const void* const pointer : pointers)
    if (pointer == nullptr) return false;
  return true;
}

/// Whether the calling thread can compute on this space's memory.
template <class Exec>
constexpr bool is_host = Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

}  // namespace

void end_process_unless(int status, const char* routine) {
  if (status == ACC_SUCCESS) return;
  report_to_xerbla(routine, 0, acc_last_error());
  end_process(routine);
}

template <class T>
void add_multiple(const char* routine, int n, T alpha, const T* x, int incx, T* y, int incy) {
  if (n <= 0) return;
  const std::array<const void*, 2> pointers{x, y};
  if (can_be_done_at_once(n, pointers) && !share_places(n, x, incx, y, incy)) {
    if constexpr (std::is_floating_point_v<T>)
      if (incx == 1 && incy == 1) return axpby_kernel<T>::run(alpha, x, T(1), y, n);
    return add_at_once(0, n, n, alpha, x, incx, y, incy);
  }
  end_process_unless(guarded(routine,
                             [&] {
                               on_space_of(pointers, [&](const auto& exec) {
                                 using Exec = std::remove_cvref_t<decltype(exec)>;
                                 if constexpr (is_host<Exec>) {
                                   if (share_places(n, x, incx, y, incy)) {
                                     for (int i = 0; i < n; ++i)
                                       add_at_once(i, 1, n, alpha, x, incx, y, incy);
                                     return;
                                   }
                                   if (n <= few)
                                     return add_at_once(0, n, n, alpha, x, incx, y, incy);
                                 }
                                 acc::axpy(exec, alpha, view<Exec>(x, n, incx),
                                           view<Exec>(y, n, incy));
                               });
                             }),
                     routine);
}

template <class T>
void multiply_by(const char* routine, int n, T alpha, T* x, int incx) {
  if (n <= 0 || incx <= 0) return;
  const std::array<const void*, 1> pointers{x};
  if (can_be_done_at_once(n, pointers)) {
    if constexpr (std::is_floating_point_v<T>)
      if (incx == 1) return axpby_kernel<T>::run(T(0), x, alpha, x, n);
    return multiply_at_once(n, alpha, x, incx);
  }
  end_process_unless(guarded(routine,
                             [&] {
                               on_space_of(pointers, [&](const auto& exec) {
                                 using Exec = std::remove_cvref_t<decltype(exec)>;
                                 if constexpr (is_host<Exec>) {
                                   if (n <= few) return multiply_at_once(n, alpha, x, incx);
                                 }
                                 acc::scal(exec, view<Exec>(x, n, incx), alpha,
                                           view<Exec>(x, n, incx));
                               });
                             }),
                     routine);
}

#define ACC_INSTANTIATE(T)                                                 \
  template void add_multiple(const char*, int, T, const T*, int, T*, int); \
  template void multiply_by(const char*, int, T, T*, int);
ACC_INSTANTIATE(float)
ACC_INSTANTIATE(double)
ACC_INSTANTIATE(Kokkos::complex<float>)
ACC_INSTANTIATE(Kokkos::complex<double>)

}  // namespace acc::blas
