// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/core/checks/matrix.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/gemv.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "products.hpp"
#include "small.hpp"
#include "views.hpp"
#include "wait.hpp"

namespace acc::blas {

namespace {

/// Elements from one vector to another, as their real parts: a caller's complex numbers need not be
/// aligned to their size.
template <class T>
struct copy_elements {
  using real = impl::real_t<T>;
  static constexpr int parts = impl::components_of<T>;
  real* to;
  const real* from;
  std::int64_t to_step, from_step;

  copy_elements(T* to_first, std::int64_t to_stride, const T* from_first, std::int64_t from_stride)
      : to(reinterpret_cast<real*>(to_first)),
        from(reinterpret_cast<const real*>(from_first)),
        to_step(to_stride * parts),
        from_step(from_stride * parts) {}
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int part = 0; part < parts; ++part) to[i * to_step + part] = from[i * from_step + part];
  }
};

/// A vector of the BLAS for acc::gemv. It is copied where acc's strides and Kokkos's alignment do
/// not allow it: with a negative increment, and complex numbers that are aligned for their parts
/// alone.
template <class Exec, class T>
class forward_vector {
  using value = std::remove_const_t<T>;

 public:
  forward_vector(const Exec& exec, T* data, int n, int increment, bool reads)
      : first_(increment < 0 ? data + std::int64_t(1 - n) * increment : data),
        n_(n),
        increment_(increment) {
    if (!is_copied()) return;
    copy_ = Kokkos::View<value*, typename Exec::memory_space>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "acc::blas: a vector"),
        std::size_t(n));
    if (reads) move(exec, copy_elements<value>(copy_.data(), 1, first_, increment_));
  }
  auto view() const {
    using strided = Kokkos::View<T*, Kokkos::LayoutStride, typename Exec::memory_space,
                                 Kokkos::MemoryUnmanaged>;
    if (is_copied())
      return strided(copy_.data(), Kokkos::LayoutStride(std::size_t(n_), std::size_t(1)));
    return strided(first_, Kokkos::LayoutStride(std::size_t(n_), std::size_t(increment_)));
  }
  /// What the copy has become, back to the vector.
  void write_back(const Exec& exec) const {
    if constexpr (!std::is_const_v<T>)
      if (is_copied()) move(exec, copy_elements<value>(first_, increment_, copy_.data(), 1));
  }

 private:
  bool is_copied() const {
    return increment_ < 0 || reinterpret_cast<std::uintptr_t>(first_) % alignof(value) != 0;
  }
  void move(const Exec& exec, const copy_elements<value>& copy) const {
    Kokkos::parallel_for(
        "acc::blas: a vector",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(n_)),
        copy);
  }
  T* first_;
  int n_;
  std::int64_t increment_;
  Kokkos::View<value*, typename Exec::memory_space> copy_;
};

template <class Exec, class T>
void multiply_vector_on(const Exec& exec, const gemv_call<T>& c) {
  const bool is_n = c.trans == 'N';
  const char trans[] = {c.trans, '\0'};
  const bool reads = c.reads_products();
  // What is not read may be null, and an acc::gemv without depth reads nothing.
  const int rows = is_n ? c.m : c.n, depth = reads ? (is_n ? c.n : c.m) : 0;
  const auto a = view_of<Exec>(c.a, is_n ? rows : depth, is_n ? depth : rows, c.lda, c.row_major);
  // Here, as acc::gemv gets copies of some vectors.
  const auto of_y = memory_of_vector(c.y, rows, c.incy);
  impl::check_no_alias("acc::blas", "A", impl::matrix_data_of(a), 1, "y", of_y, 1);
  impl::check_no_alias("acc::blas", "x", memory_of_vector(c.x, depth, c.incx), 1, "y", of_y, 1);
  const forward_vector<Exec, const T> x(exec, c.x, depth, depth == 0 ? 1 : c.incx, true);
  const forward_vector<Exec, T> y(exec, c.y, rows, c.incy, c.beta != T(0));
  acc::gemv(exec, trans, c.alpha, a, x.view(), c.beta, y.view());
  y.write_back(exec);
  wait_for(exec);
}

template <class T>
bool is_done_small(const gemv_call<T>& c) {
  if (c.incx < 0 || c.incy < 0) return false;
  const bool is_n = c.trans == 'N';
  const int rows = is_n ? c.m : c.n, depth = is_n ? c.n : c.m;
  const bool by_rows = c.row_major == is_n;
  return multiply_small<T>(
      c.alpha, {c.a, rows, depth, by_rows ? c.lda : 1, by_rows ? 1 : c.lda, 0, c.trans == 'C'},
      {c.x, depth, 1, c.incx, 0}, c.beta, {c.y, rows, 1, c.incy, 0});
}

}  // namespace

template <class T>
bool matrix_vector_product_at_once(const gemv_call<T>& c) noexcept {
  return can_be_done_at_once(c) && is_done_small(c);
}
template bool matrix_vector_product_at_once(const gemv_call<float>& c) noexcept;
template bool matrix_vector_product_at_once(const gemv_call<double>& c) noexcept;
template bool matrix_vector_product_at_once(const gemv_call<Kokkos::complex<float>>& c) noexcept;
template bool matrix_vector_product_at_once(const gemv_call<Kokkos::complex<double>>& c) noexcept;

template <class T>
void matrix_vector_product(memory where, const gemv_call<T>& c) {
  // A tool is shown a launch all the same.
  if (where == memory::host && !Kokkos::Tools::profileLibraryLoaded() && is_done_small(c)) return;
#if defined(KOKKOS_ENABLE_CUDA)
  if (where == memory::device) return multiply_vector_on(Kokkos::Cuda(), c);
#endif
  (void)where;
  multiply_vector_on(host_space(), c);
}
template void matrix_vector_product(memory where, const gemv_call<float>& c);
template void matrix_vector_product(memory where, const gemv_call<double>& c);
template void matrix_vector_product(memory where, const gemv_call<Kokkos::complex<float>>& c);
template void matrix_vector_product(memory where, const gemv_call<Kokkos::complex<double>>& c);

}  // namespace acc::blas
