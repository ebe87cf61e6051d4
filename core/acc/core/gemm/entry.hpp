// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_GEMM_ENTRY_HPP
#define ACC_CORE_GEMM_ENTRY_HPP

/// \file
/// An entry of C, from its sums to its number: what infinities and NaN do to it is decided here
/// (docs/arithmetic.md, "Matrix products").
///
/// An entry has the value of its method, scaled. Compensations turn infinities into NaN where the
/// plain sum has an infinity, or the right NaN; so where the method has a low part and a part of
/// the scaled value is NaN, that part is replaced by the same part of the entry's value by
/// `fallback`, scaled. Its other part stays. A backend may compute the fallback for one entry or
/// for a tile of them, now or later: that is its schedule. Which values are replaced
/// (`needs_fallback`), by which method, and that each part is judged alone, is the law.

#include <acc/core/gemm/section_sum.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/macros.hpp>

#if !defined(ACC_HOST_KERNELS)
#include <acc/core/gemm/scaling.hpp>
#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <cstdint>
#endif

namespace acc::impl {

/// The method that decides entries which their own cannot.
using fallback = plain;

/// Whether a method's entries may need it.
template <class Method>
inline constexpr bool has_fallback = has_low<Method>;

/// Whether a part of an entry's scaled value is replaced, where has_fallback.
template <class Real>
ACC_FUNCTION bool needs_fallback(Real part) {
  return part != part;
}

#if !defined(ACC_HOST_KERNELS)

/// The parts of an entry's value: one, or a complex number's two.
template <class Problem>
struct entry_value {
  typename Problem::real x[Problem::parts];
};

/// The sum of an entry's sections so far: a real one, or a complex entry's two.
template <class Problem, class Method = typename Problem::method>
struct entry_sum {
  static constexpr bool has_low = impl::has_low<Method>;
  using part = section_sum<typename Problem::real, has_low>;

  part x[Problem::parts];

  /// Adds the next section.
  KOKKOS_FORCEINLINE_FUNCTION void add(const entry_sum& next) {
    for (int k = 0; k < Problem::parts; ++k) x[k].add(next.x[k]);
  }
};

/// A section of an entry in the making.
template <class Problem, class Method = typename Problem::method>
struct entry_section {
  using method_sum = strip_sum<Method, typename Problem::real>;

  typename method_sum::chain chain[Problem::parts];
  typename method_sum::totals totals[Problem::parts];

  /// Ends a strip.
  KOKKOS_FORCEINLINE_FUNCTION void close() {
    for (int k = 0; k < Problem::parts; ++k) totals[k].close(chain[k]);
  }
  /// What it has summed, its last strip closed.
  KOKKOS_FORCEINLINE_FUNCTION entry_sum<Problem, Method> sum() const {
    entry_sum<Problem, Method> s;
    for (int k = 0; k < Problem::parts; ++k) s.x[k] = section_of(totals[k], chain[k]);
    return s;
  }
};

/// On hosts a complex x need be aligned for its parts alone, as numbers of C, Fortran and Python
/// are: x.real() and x.imag() a compiler may load together, from a place that is aligned for both.
template <class Problem, class T>
KOKKOS_FORCEINLINE_FUNCTION entry_value<Problem> parts_of(const T& x) {
  using real = typename Problem::real;
  if constexpr (Problem::parts == 1) {
    return {{real(x)}};
  } else {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    return {{real(x.real()), real(x.imag())}};
#else
    const auto* const part = reinterpret_cast<const typename T::value_type*>(&x);
    return {{real(part[0]), real(part[1])}};
#endif
  }
}

/// Deposits the product of a, of A, and b, of B: the next one in ascending k. Closes no strip.
template <class Problem, class Method>
KOKKOS_FORCEINLINE_FUNCTION void add_entry_product(const Problem& p,
                                                   entry_section<Problem, Method>& sum,
                                                   const typename Problem::in& a,
                                                   const typename Problem::in& b) {
  auto x = parts_of<Problem>(a), y = parts_of<Problem>(b);
  if constexpr (Problem::parts == 1) {
    sum.chain[0].add_product(x.x[0], y.x[0]);
  } else {
    if (p.a.conjugate) x.x[1] = -x.x[1];
    if (p.b.conjugate) y.x[1] = -y.x[1];
    add_complex_product(sum.chain[0], sum.chain[1], x.x, y.x);
  }
}

/// Parts of an entry, scaled.
template <bool HasLow, class Problem>
KOKKOS_FORCEINLINE_FUNCTION entry_value<Problem> scaled_parts(
    const Problem& p, const entry_part<typename Problem::real> (&part)[Problem::parts]) {
  using real = typename Problem::real;
  constexpr int parts = Problem::parts;
  entry_value<Problem> value;
  for (int k = 0; k < parts; ++k) {
    const real sign = complex_product::negates(k, 1) ? real(-1) : real(1);
    value.x[k] = scaled<HasLow, parts>(p.scale, part[k], part[parts - 1 - k], sign);
  }
  return value;
}

/// The value of a sum, scaled; c: the parts of C's entry, which do not count where beta is zero.
template <class Problem, class Method>
KOKKOS_FORCEINLINE_FUNCTION entry_value<Problem> scaled_sum_of(
    const Problem& p, const entry_sum<Problem, Method>& sum, const entry_value<Problem>& c) {
  constexpr int parts = Problem::parts;
  entry_part<typename Problem::real> part[parts];
  for (int k = 0; k < parts; ++k) part[k] = {sum.x[k].high(), sum.x[k].low(), c.x[k]};
  return scaled_parts<entry_sum<Problem, Method>::has_low>(p, part);
}

/// The entry (i, j) by `fallback`.
template <class Problem>
KOKKOS_FORCEINLINE_FUNCTION entry_sum<Problem, fallback> fallback_sum(const Problem& p,
                                                                      std::int64_t i,
                                                                      std::int64_t j) {
  static_assert(!has_strips<fallback>);
  entry_sum<Problem, fallback> sum;
  ACC_COLD_LOOP for (std::int64_t first = 0; first < p.depth(); first += gemm_section) {
    entry_section<Problem, fallback> section;
    const std::int64_t end = p.section_end(first);
    ACC_COLD_LOOP for (std::int64_t k = first; k < end; ++k)
        add_entry_product(p, section, p.a(i, k), p.b(k, j));
    if (first == 0)
      sum = section.sum();
    else
      sum.add(section.sum());
  }
  return sum;
}

/// The same scaled, for the rare entry that needs it. The problem is a copy: the address of a
/// caller's would keep its tile in memory.
template <class Problem>
ACC_COLD_FUNCTION entry_value<Problem> fallback_entry(Problem p, std::int64_t i, std::int64_t j,
                                                      entry_value<Problem> c) {
  return scaled_sum_of(p, fallback_sum(p, i, j), c);
}

/// The value of entry (i, j), whose sum is complete, scaled. `exists`: whether C has that entry; a
/// tile may have others, which mean nothing.
template <class Problem>
KOKKOS_FORCEINLINE_FUNCTION entry_value<Problem> entry_of(const Problem& p, std::int64_t i,
                                                          std::int64_t j,
                                                          const entry_sum<Problem>& sum,
                                                          const entry_value<Problem>& c,
                                                          bool exists = true) {
  auto value = scaled_sum_of(p, sum, c);
  if constexpr (has_fallback<typename Problem::method>) {
    bool any = false;
    for (auto x : value.x) any = any || needs_fallback(x);
    if (any && exists) {
      const auto other = fallback_entry(p, i, j, c);
      for (int k = 0; k < Problem::parts; ++k)
        value.x[k] = needs_fallback(value.x[k]) ? other.x[k] : value.x[k];
    }
  }
  return value;
}

/// The scalar of C with these parts.
template <class Problem>
KOKKOS_FORCEINLINE_FUNCTION typename Problem::out as_scalar(const entry_value<Problem>& value) {
  using out = typename Problem::out;
  if constexpr (Problem::parts == 1)
    return as_result<out>(value.x[0]);
  else
    return out(as_result<real_t<out>>(value.x[0]), as_result<real_t<out>>(value.x[1]));
}

/// Writes the entry (i, j), whose sum is complete.
template <class Problem>
KOKKOS_FORCEINLINE_FUNCTION void write_entry(const Problem& p, std::int64_t i, std::int64_t j,
                                             const entry_sum<Problem>& sum) {
  auto& c = p.c(i, j);
  entry_value<Problem> before{};
  if (p.reads_c()) before = parts_of<Problem>(c);
  c = as_scalar(entry_of(p, i, j, sum, before));
}

#endif

}  // namespace acc::impl

#endif
