// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_GEMM_PROBLEM_HPP
#define ACC_CORE_GEMM_PROBLEM_HPP

/// \file
/// One call of gemm, gemv or batched_gemm as a value: matrices with the operations applied to them,
/// arithmetic, and scaling. The backends run it; none of them decides anything that reaches the
/// bits.

#include <acc/core/exact/row_scale.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/gemm/scaling.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// Whether entries of this type are sums that products are added to, unrounded
/// (acc::accumulate_gemm).
template <class Out>
inline constexpr bool is_entry_accumulator = false;
template <class T>
inline constexpr bool is_entry_accumulator<superaccumulator<T>> = true;

/// What a product has of its method besides strips.
template <class Method>
struct method_data {
  KOKKOS_FORCEINLINE_FUNCTION void go_to_batch(std::int64_t, std::int64_t, std::int64_t) {}
};
/// Of fixed_point: its bits and, in kernels, how A's rows and B's columns are cut, batch after
/// batch.
template <class Method>
  requires cuts_numbers<Method>
struct method_data<Method> {
  int bits;
  const row_scale *row_scales = nullptr, *column_scales = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION void go_to_batch(std::int64_t i, std::int64_t rows,
                                               std::int64_t columns) {
    if (row_scales == nullptr) return;
    row_scales += i * rows;
    column_scales += i * columns;
  }
};

/// C = alpha A B + beta C; A and B hold scalars of type In, C of type Out.
template <class Method, class In, class Out>
struct gemm_problem : method_data<Method> {
  using method = Method;
  using in = In;
  using out = Out;
  static constexpr int parts = components_of<In>;  ///< real parts of a scalar
  static constexpr bool has_low = impl::has_low<Method>;
  static_assert(is_entry_accumulator<Out> || components_of<Out> == parts);
  /// The type in which products are summed.
  using real = gemm_real_t<Method, std::conditional_t<is_half_scalar<In>, float, real_t<In>>>;
  using chain = typename strip_sum<Method, real>::chain;
  using totals = typename strip_sum<Method, real>::totals;

  matrix_data<const In> a, b;
  matrix_data<Out> c;
  std::int64_t batches;
  std::int64_t strip;  ///< products of scalars
  scaling<real> scale;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t depth() const { return a.columns; }
  std::int64_t sections() const { return (depth() + gemm_section - 1) / gemm_section; }
  /// Where the section that begins at k ends.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t section_end(std::int64_t k) const {
    return depth() - k < gemm_section ? depth() : k + gemm_section;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool reads_c() const {
    return scale.beta[0] != real(0) || (parts == 2 && scale.beta[1] != real(0));
  }
  KOKKOS_FORCEINLINE_FUNCTION bool reads_products() const {
    return scale.alpha[0] != real(0) || (parts == 2 && scale.alpha[1] != real(0));
  }

  template <class T>
  void set_scale(T alpha, T beta) {
    const auto part = [](const T& x, int i) -> real {
      if constexpr (components_of<T> == 1)
        return i == 0 ? real(x) : real(0);
      else
        return real(i == 0 ? x.real() : x.imag());
    };
    for (int i = 0; i < 2; ++i) {
      scale.alpha[i] = part(alpha, i);
      scale.beta[i] = part(beta, i);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION gemm_problem of_batch(std::int64_t i) const {
    gemm_problem p = *this;
    p.a = a.of_batch(i);
    p.b = b.of_batch(i);
    p.c = c.of_batch(i);
    p.go_to_batch(i, c.rows, c.columns);
    return p;
  }

  /// C^T = B^T A^T: the same entries, of real numbers. (A complex entry's products would change
  /// places in its sums.)
  gemm_problem transposed() const {
    static_assert(parts == 1);
    gemm_problem p = *this;
    p.a = b.transposed();
    p.b = a.transposed();
    p.c = c.transposed();
    return p;
  }
};

}  // namespace acc::impl

#endif
