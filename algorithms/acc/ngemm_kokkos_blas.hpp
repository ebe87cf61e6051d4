// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_NGEMM_KOKKOS_BLAS_HPP
#define ACC_NGEMM_KOKKOS_BLAS_HPP

/// \file
/// Leaves of acc::ngemm by KokkosBlas::gemm, which calls the vendor's BLAS where it is built with
/// one. Needs Kokkos Kernels: find_package(KokkosKernels), beside acc's own target.

#include <acc/ngemm.hpp>

#include <KokkosBlas3_gemm.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace acc {

/// The method of acc::ngemm's base products that calls KokkosBlas::gemm. The bits are then the
/// vendor's: they may differ between machines, thread counts and releases.
struct kokkos_blas {};

namespace impl {

template <>
struct ngemm_base<kokkos_blas> {
  using method = plain;
  static plain method_of(const kokkos_blas&) { return {}; }

  template <class Exec, class Problem>
  static std::size_t bytes(const Exec&, const Problem&) {
    return 0;
  }
  template <class Exec, class Problem>
  static void launch(const Exec& exec, const Problem& p, void*) {
    if (p.c.rows == 0 || p.c.columns == 0) return;
    // A vendor's BLAS knows columns (LayoutLeft) and rows (LayoutRight), of all three matrices.
    if (p.c.row_stride == 1) {
      multiply<Kokkos::LayoutLeft>(exec, p);
    } else if (p.c.column_stride == 1) {
      multiply<Kokkos::LayoutRight>(exec, p);
    } else {
      multiply<Kokkos::LayoutStride>(exec, p);
    }
  }

 private:
  template <class Layout, class Exec, class Problem>
  static void multiply(const Exec& exec, const Problem& p) {
    const bool a_turned = is_turned<Layout>(p.a), b_turned = is_turned<Layout>(p.b);
    const auto a = a_turned ? p.a.transposed() : p.a, b = b_turned ? p.b.transposed() : p.b;
    if (!fits<Layout>(a) || !fits<Layout>(b) || !fits<Layout>(p.c))
      return call<Kokkos::LayoutStride>(exec, p, "N", "N", p.a, p.b);
    call<Layout>(exec, p, a_turned ? "T" : "N", b_turned ? "T" : "N", a, b);
  }
  template <class Layout, class Exec, class Problem, class Matrix>
  static void call(const Exec& exec, const Problem& p, const char* trans_a, const char* trans_b,
                   const Matrix& a, const Matrix& b) {
    KokkosBlas::gemm(exec, trans_a, trans_b, typename Problem::out(p.scale.alpha[0]),
                     view<Layout, Exec>(a), view<Layout, Exec>(b),
                     typename Problem::out(p.scale.beta[0]), view<Layout, Exec>(p.c));
  }

  /// The stride between neighbours of the layout, and the other one.
  template <class Layout, class T>
  static std::pair<std::int64_t, std::int64_t> strides(const matrix_data<T>& m) {
    if (std::is_same_v<Layout, Kokkos::LayoutRight>) return {m.column_stride, m.row_stride};
    return {m.row_stride, m.column_stride};
  }
  template <class Layout, class T>
  static bool is_turned(const matrix_data<T>& m) {
    const auto [inner, outer] = strides<Layout>(m);
    return inner != 1 && outer == 1;
  }
  template <class Layout, class T>
  static bool fits(const matrix_data<T>& m) {
    if (std::is_same_v<Layout, Kokkos::LayoutStride>) return true;
    const auto [inner, outer] = strides<Layout>(m);
    return inner == 1 && outer >= (std::is_same_v<Layout, Kokkos::LayoutLeft> ? m.rows : m.columns);
  }
  /// A View of the layout: a block of one whose rows or columns are as long as the stride.
  template <class Layout, class Exec, class T>
  static auto view(const matrix_data<T>& m) {
    using View = Kokkos::View<T**, Layout, typename Exec::device_type,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    const auto rows = std::size_t(m.rows), columns = std::size_t(m.columns);
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
      return View(m.data, Kokkos::LayoutStride(rows, std::size_t(m.row_stride), columns,
                                               std::size_t(m.column_stride)));
    } else {
      constexpr bool left = std::is_same_v<Layout, Kokkos::LayoutLeft>;
      const View whole(m.data, left ? std::size_t(m.column_stride) : rows,
                       left ? columns : std::size_t(m.row_stride));
      return Kokkos::subview(whole, std::pair(std::size_t(0), rows),
                             std::pair(std::size_t(0), columns));
    }
  }
};

}  // namespace impl
}  // namespace acc

#endif
