// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_REDUCE_HPP
#define ACC_BLAS_REDUCE_HPP

/// \file
/// A function of <acc/c.h> from its arguments to its result.

#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/reduce.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/kokkos_scalar.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/order/vector_data.hpp>
#include <acc/impl/reduce.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "chosen_kernel.hpp"
#include "guard.hpp"
#include "memory.hpp"
#include "runtime.hpp"

namespace acc::blas {

/// A vector of the BLAS.
template <class T>
struct vector {
  using value = T;
  const char* name;
  const T* data;
  std::int64_t increment;
};

/// The first of its n elements.
template <class T>
const T* first_of(const vector<T>& x, std::int64_t n) {
  return x.increment < 0 && n > 0 ? x.data + (1 - n) * x.increment : x.data;
}
/// Its n elements, in order. A negative stride goes through LayoutStride's unsigned one and comes
/// out negative again in acc, which computes addresses from it by signed numbers.
template <class Exec, class T>
auto view_of(const vector<T>& x, std::int64_t n) {
  using scalar = impl::kokkos_scalar_t<T>;
  return Kokkos::View<const scalar*, Kokkos::LayoutStride, typename Exec::memory_space,
                      Kokkos::MemoryUnmanaged>(
      reinterpret_cast<const scalar*>(first_of(x, n)),
      Kokkos::LayoutStride(std::size_t(n), std::size_t(x.increment)));
}

/// What functions by the BLAS's own names reduce (acc/impl/reduce.hpp): they have terms<T> and
/// finish, and their few elements need no execution space.
template <class Function, class T>
concept can_reduce_at_once = is_all_host_memory && requires {
  typename Function::template terms<T>;
  typename Function::finish;
  requires std::is_same_v<typename Function::method, compensated>;
};

/// reduce_at_once of neighbors that are less than two stripes, unless their sum needs a second
/// look: backends::host::reduce_at_once in few loads of what has just been written. Of real
/// numbers, or of the parts of complex ones.
template <class R, class Finish, class Result, class T>
bool reduce_few(std::int64_t n, Result* result, const T* x, const T* y) {
  if (n <= 0 || n >= 2 * R::stripe) return false;
  typename R::leaf_sums sums;
  using kernel =
      chosen_kernel<&backends::host::few_for_this_processor<typename R::terms, compensated, T>>;
  kernel::run(x, y, int(n), sums.part);
  if (!impl::range_check<R>(sums).is_ordinary()) return false;
  Finish::write(result, impl::make_ordinary_node<R>(sums), n);
  return true;
}

/// *result = the function of the vectors by the calling thread; or false, and nothing has been
/// done. Without Views: to make one takes as long as to sum a few numbers.
template <class Function, class Result, class T>
bool reduce_at_once(std::int64_t n, Result* result, const vector<T>& x, const vector<T>& y) {
  if (!runs_already()) return false;
  using terms = typename Function::template terms<T>;
  using finish = typename Function::finish;
  using scalar = impl::kokkos_scalar_t<T>;
  using real = impl::real_t<scalar>;
  constexpr std::int64_t parts = impl::components_of<scalar>;
  using data = impl::vector_data<real, int(parts)>;
  const auto numbers = [](const T* p) { return reinterpret_cast<const real*>(p); };
  const auto reduction = [&] {
    const auto data_of = [&](const vector<T>& v) {
      return data{numbers(first_of(v, n)), v.increment * parts, n * parts};
    };
    return impl::reduction_of<terms, compensated, finish>(result, data_of(x), data_of(y));
  };
  using R = decltype(reduction());
  if constexpr (backends::host::has_few_kernel<terms, compensated, real>)
    if (x.increment == 1 && y.increment == 1)
      if (reduce_few<R, finish>(n * parts, result, numbers(x.data), numbers(y.data))) return true;
  return backends::host::reduce_at_once(reduction());
}
template <class Function, class Result, class T>
bool reduce_at_once(std::int64_t n, Result* result, const vector<T>& x) {
  return reduce_at_once<Function>(n, result, x, x);
}

/// result = function(exec, views of the vectors...), which is acc's.
///
/// \throws std::invalid_argument for arguments that no function takes; what with_kokkos throws
template <class Function, class Result, class... Vector>
void reduce(std::int64_t n, Result* result, const Vector&... vectors) {
  if (n < 0) throw std::invalid_argument("n is " + std::to_string(n));
  if (result == nullptr) throw std::invalid_argument("result is a null pointer");
  const auto need_data = [n](const auto& x) {
    if (n > 0 && x.data == nullptr)
      throw std::invalid_argument(std::string(x.name) + " is a null pointer, but n is " +
                                  std::to_string(n));
  };
  (need_data(vectors), ...);
  if constexpr ((can_reduce_at_once<Function, typename Vector::value> && ...)) {
    impl::kokkos_scalar_t<Result> at_once;
    if (reduce_at_once<Function>(n, &at_once, vectors...)) {
      *result = Result(at_once);
      return;
    }
  }
  with_kokkos([&] {
    const std::array<const void*, sizeof...(Vector)> pointers{vectors.data...};
    const location all = n > 0 ? locate(pointers) : location{memory::host, -1};
    if (all.stranger >= 0)
      throw std::invalid_argument(
          "the vectors must all be in host memory, or all in that of Kokkos's GPU");
    const auto on = [&](const auto& exec) {
      using Exec = std::remove_cvref_t<decltype(exec)>;
      *result = Result(Function{}(exec, view_of<Exec>(vectors, n)...));
    };
#if defined(KOKKOS_ENABLE_CUDA)
    if (all.where == memory::device) return on(Kokkos::Cuda());
#endif
    on(host_space());
  });
}

}  // namespace acc::blas

#endif
