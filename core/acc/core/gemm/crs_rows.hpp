// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_GEMM_CRS_ROWS_HPP
#define ACC_CORE_GEMM_CRS_ROWS_HPP

/// \file
/// One call of spmv as a value: for each row of a CRS matrix the dot product of the row's values
/// with the elements of x that they meet, and what becomes of it (docs/arithmetic.md, "Sparse
/// matrices").

#include <acc/core/eft.hpp>
#include <acc/core/exact/exact_part.hpp>
#include <acc/core/gemm/exact_entry.hpp>
#include <acc/core/gemm/scaling.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/order/gathered_data.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/segments.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// Real and imaginary part of alpha and beta, of y's type.
template <class Real, class T>
scaling<Real> scaling_of(const T& alpha, const T& beta) {
  if constexpr (components_of<T> == 1) {
    return {{Real(alpha), Real(0)}, {Real(beta), Real(0)}};
  } else {
    return {{Real(alpha.real()), Real(alpha.imag())}, {Real(beta.real()), Real(beta.imag())}};
  }
}

/// The terms of a row: values, conjugated or not, times elements of x.
template <class T, bool Conjugate>
using crs_terms =
    std::conditional_t<components_of<T> == 1, product_terms, complex_product_terms<Conjugate>>;

/// A row's dot product as two numbers: what dot rounds it to, and for methods of two numbers what
/// that leaves over.
template <class Node>
KOKKOS_INLINE_FUNCTION entry_part<typename Node::scalar_type> entry_part_of(const Node& n) {
  using T = typename Node::scalar_type;
  entry_part<T> part{rounded_value(n), T(0), T(0)};
  if constexpr (Node::accumulator::components == 2) {
    if (is_finite(part.high)) {
      const auto s = two_sum_of_rounded(n.sum.component(0), n.sum.component(1));
      part.low = times_power_of_two(s.error, -n.exponent());
    }
  }
  return part;
}

/// The reduction of one row into an element of y.
template <class Terms, class Method, class T, class Ordinal>
struct crs_row : reduction<Terms, Method, real_t<T>, components_of<T>, write_sum, T,
                           gathered_data<real_t<T>, components_of<T>, Ordinal>> {
  using base = reduction<Terms, Method, real_t<T>, components_of<T>, write_sum, T,
                         gathered_data<real_t<T>, components_of<T>, Ordinal>>;
  using real = real_t<T>;
  using leaf_node = typename base::leaf_node;
  static constexpr int parts = components_of<T>;
  static constexpr bool has_low = base::accumulator::components == 2;

  scaling<real> scale;

  KOKKOS_INLINE_FUNCTION void finish(const leaf_node& root) const {
    // An empty row counts as alpha = 0.
    const bool is_empty = this->x.size == 0;
    scaling<real> by = scale;
    if (is_empty) by.alpha[0] = by.alpha[1] = real(0);
    entry_part<real> part[parts];
    for (int k = 0; k < parts; ++k)
      part[k] = is_empty ? entry_part<real>{} : entry_part_of(root.part[k]);
    real* const out = reinterpret_cast<real*>(this->result);
    if constexpr (parts == 1) {
      if (by.keeps_sums()) {
        out[0] = as_result<real>(part[0].high);
        return;
      }
    }
    if (by.beta[0] != real(0) || (parts == 2 && by.beta[1] != real(0)))
      for (int k = 0; k < parts; ++k) part[k].c = out[k];
    real value[parts];
    for (int k = 0; k < parts; ++k) {
      const real sign = complex_product::negates(k, 1) ? real(-1) : real(1);
      const entry_part<real>&own = part[k], &other = part[parts - 1 - k];
      value[k] = scaled<has_low, parts>(by, own, other, sign);
      if constexpr (has_low) {
        // An infinity leaves a NaN over, and so does what overflows in twice the precision. A zero
        // loses its sign to the errors, which are +0.
        if (!(value[k] < real(0) || value[k] > real(0))) {
          const real of_high = scaled<false, parts>(by, own, other, sign);
          if (value[k] != real(0) || of_high == real(0)) value[k] = of_high;
        }
      }
    }
    for (int k = 0; k < parts; ++k) out[k] = as_result<real>(value[k]);
  }
};

/// A matrix in compressed rows, one column of x, and one of y. Ordinal: the type of columns'
/// numbers.
template <class T, class Offset, class Ordinal>
struct crs_product {
  using value = T;
  using real = real_t<T>;
  using data = gathered_data<real, components_of<T>, Ordinal>;
  static constexpr int components = components_of<T>;

  data values;  ///< of all rows
  data x;       ///< those elements of x that all values meet
  const Offset* row_map;
  std::int64_t row_map_stride;
  std::int64_t count;  ///< of rows
  T* y;
  std::int64_t y_stride;
  T alpha, beta;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t size() const { return values.size / components; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(std::int64_t i) const {
    return std::int64_t(row_map[i * row_map_stride]);
  }
  /// segments::last_begun.
  KOKKOS_INLINE_FUNCTION std::int64_t last_begun(std::int64_t position, std::int64_t low,
                                                 std::int64_t high) const {
    return last_segment_begun(*this, position, low, high);
  }
  /// Of entries [begin, end).
  KOKKOS_FORCEINLINE_FUNCTION data values_of(std::int64_t begin, std::int64_t end) const {
    return {values.data + begin * values.stride, values.stride, (end - begin) * components};
  }
  KOKKOS_FORCEINLINE_FUNCTION data x_of(std::int64_t begin, std::int64_t end) const {
    return {x.data, x.stride, (end - begin) * components, x.index + begin * x.index_stride,
            x.index_stride};
  }
};

/// The same with the terms and the method of a canonical order: what machines take in the place of
/// impl::segments.
template <class Terms, class Method, class T, class Offset, class Ordinal>
struct crs_rows : crs_product<T, Offset, Ordinal> {
  using reduction = crs_row<Terms, Method, T, Ordinal>;
  using element = real_t<T>;
  using ordinal = Ordinal;
  static constexpr int stripe = lanes<element> / components_of<T>;
  static constexpr int leaf = stripe * stripes_per_leaf;

  scaling<element> scale;

  /// The reduction of row i, which is entries [begin, end).
  KOKKOS_FORCEINLINE_FUNCTION reduction of(std::int64_t i, std::int64_t begin,
                                           std::int64_t end) const {
    return {{this->values_of(begin, end), this->x_of(begin, end), this->y + i * this->y_stride},
            scale};
  }
};

/// Sums a row of at most a stripe by one work item, and writes the result.
template <class R>
KOKKOS_INLINE_FUNCTION void sum_short_row(const R& r) {
  if (r.x.size == 0) return r.finish(typename R::leaf_node());
  const auto sums = sum_one_stripe<typename R::accumulator>(r);
  r.finish(make_node<R>(sums, range_check<R>(sums),
                        [&](auto tag) { return sum_one_stripe<decltype(tag)>(r); }));
}

/// The same by the method exact.
template <bool Conjugate, class T, class Offset, class Ordinal>
struct exact_crs_rows : crs_product<T, Offset, Ordinal> {
  using base = crs_product<T, Offset, Ordinal>;
  using real = real_t<T>;
  static constexpr int parts = components_of<T>;

  scaling<double> scale;

  /// An element of y in the place of a matrix product's entry, for impl::write_exact_entry.
  struct entry {
    using real = exact_crs_rows::real;
    using out = T;
    static constexpr int parts = exact_crs_rows::parts;

    scaling<double> scale;
    T* y;

    KOKKOS_FORCEINLINE_FUNCTION bool reads_c() const {
      return scale.beta[0] != 0.0 || (parts == 2 && scale.beta[1] != 0.0);
    }
    KOKKOS_FORCEINLINE_FUNCTION T& c(std::int64_t, std::int64_t) const { return *y; }
  };

  /// Calls deposit(part, a, b) for the real products a b of entry k.
  template <class Deposit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_product(std::int64_t k, const Deposit& deposit) const {
    const real* const a = this->values.at(k);
    const real* const b = this->x.at(k);
    if constexpr (parts == 1) {
      deposit(0, a[0], b[0]);
    } else {
      using product = complex_product;
      for (int p = 0; p < 2; ++p)
        for (int q = 0; q < 2; ++q) {
          const real factor = b[product::part_of_b(p, q)];
          deposit(p, a[q], product::negates(p, q, Conjugate) ? -factor : factor);
        }
    }
  }
  /// Writes y's element i from the sums of its parts, if they decide it; whether they did.
  template <int Limbs>
  KOKKOS_INLINE_FUNCTION bool finish(std::int64_t i, bool is_empty, exact_part<Limbs>* s) const {
    entry e{scale, this->y + i * this->y_stride};
    // As of a product of depth 0: the sum does not count.
    if (is_empty) e.scale.alpha[0] = e.scale.alpha[1] = 0.0;
    return write_exact_entry(e, 0, 0, s);
  }
};

}  // namespace acc::impl

#endif
