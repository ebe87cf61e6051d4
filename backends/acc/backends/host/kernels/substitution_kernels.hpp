// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernel of substitution.hpp: a register of each unknown's numbers at a time, or one number
/// where an unknown is no more. Each unknown loses the products with those before it, in ascending
/// order: as if each one left the others' equations once it is solved, and without their stores.

#include <acc/backends/host/kernels/first_numbers.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/nan_bits.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/substitution.hpp>
#include <acc/core/eft.hpp>

#include <cstdint>

namespace acc::backends::host::ACC_HOST_ISA {

/// f(copy) with the first numbers of each unknown's register in whole ones, and back: a load waits
/// for the store of a part.
template <class S, class Arguments, class F>
ACC_SIMD_INLINE void by_whole_registers(const first_numbers<S>& first, const Arguments& p, S* x,
                                        const F& f) {
  constexpr int W = vector_width<S>;
  using V = simd<S, W>;
  alignas(V) S copy[most_unknowns * W];
  for (std::int64_t i = 0; i < p.count; ++i)
    first.load_and_repeat(x + i * p.x_step).store(copy + i * W);
  f(copy);
  for (std::int64_t i = 0; i < p.count; ++i) first.store(x + i * p.x_step, V::load(copy + i * W));
}

template <class S>
struct substitution {
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;
  using arguments = substitution_arguments<S>;

  static void solve(const arguments& p) {
    if (p.width == 1) return solve(one_number{}, p, p.x);
    std::int64_t at = 0;
    for (; at + W <= p.width; at += W) solve(whole_register{}, p, p.x + at);
    if (at == p.width) return;
    by_whole_registers(first_numbers<S>(p.width - at), p, p.x + at, [&](S* copy) {
      arguments of_copy = p;
      of_copy.x_step = W;
      solve(whole_register{}, of_copy, copy);
    });
  }

 private:
  struct whole_register {
    using type = V;
    ACC_SIMD_INLINE static V load(const S* p) { return V::load(p); }
    ACC_SIMD_INLINE static void store(S* p, V x) { x.store(p); }
  };
  struct one_number {
    using type = S;
    ACC_SIMD_INLINE static S load(const S* p) { return *p; }
    ACC_SIMD_INLINE static void store(S* p, S x) { *p = x; }
  };

  ACC_SIMD_INLINE static S quotient(S a, S b) { return a / b; }
  ACC_SIMD_INLINE static V quotient(V a, V b) { return V::of(a.v / b.v); }

  template <class Memory>
  ACC_SIMD_INLINE static void solve(Memory memory, const arguments& p, S* x) {
    using number = typename Memory::type;
    using impl::fma;
    for (std::int64_t i = 0; i < p.count; ++i) {
      number sum = memory.load(x + i * p.x_step);
      const S* a = p.a + i * p.a_row;
      for (std::int64_t j = 0; j < i; ++j, a += p.a_column)
        if (*a != S(0)) sum = fma(number(-*a), memory.load(x + j * p.x_step), sum);  // EL2
      if (p.divides) sum = quotient(sum, number(*a));
      memory.store(x + i * p.x_step, sum);
    }
    // After the last one, as each waits for the one before. The first unknown may be what it was,
    // with any bits.
    for (std::int64_t i = p.divides ? 0 : 1; i < p.count; ++i)
      memory.store(x + i * p.x_step, with_one_nan(memory.load(x + i * p.x_step)));
  }
};

/// The same of complex numbers, by the combinations of core/elements/combination.hpp: a part of a
/// coefficient that is zero has no product.
template <class S>
struct complex_substitution {
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;
  using arguments = complex_substitution_arguments<S>;

  static void solve(const arguments& p) {
    std::int64_t at = 0;
    for (; at + W <= 2 * p.width; at += W) solve(p, p.x + at, p.x_step);
    if (at == 2 * p.width) return;
    by_whole_registers(first_numbers<S>(2 * p.width - at), p, p.x + at,
                       [&](S* copy) { solve(p, copy, W); });
  }

 private:
  /// An imaginary factor, as the parts of a number have it.
  ACC_SIMD_INLINE static V crossed(S factor) { return negate_odd(V(-factor), all_lanes{}); }

  ACC_SIMD_INLINE static void solve(const arguments& p, S* x, std::int64_t step) {
    for (std::int64_t i = 0; i < p.count; ++i) {
      V sum = V::load(x + i * step);
      const S* a = p.a + i * p.a_row;
      for (std::int64_t j = 0; j < i; ++j, a += p.a_column) {
        const S re = -a[0], im = p.conjugates ? a[1] : -a[1];
        const V solved = V::load(x + j * step);
        if (re != S(0)) sum = fma(V(re), solved, sum);
        if (im != S(0)) sum = fma(crossed(im), swap_pairs(solved), sum);
      }
      if (p.reciprocals != nullptr) {
        const S re = p.reciprocals[2 * i], im = p.reciprocals[2 * i + 1];
        V quotient(S(0));
        if (re != S(0)) quotient = rounded(V(re) * sum);
        if (im != S(0)) {
          const V factor = crossed(im), other = swap_pairs(sum);
          quotient = re != S(0) ? fma(factor, other, quotient) : rounded(factor * other);
        }
        sum = quotient;
      }
      // Each number whose NaN others are computed from may have any bits until the end.
      sum.store(x + i * step);
    }
    for (std::int64_t i = p.reciprocals != nullptr ? 0 : 1; i < p.count; ++i)
      with_one_nan(V::load(x + i * step)).store(x + i * step);
  }
};

template <class S>
substitution_function<S> get_substitution() {
  return &substitution<S>::solve;
}
template <class S>
complex_substitution_function<S> get_complex_substitution() {
  return &complex_substitution<S>::solve;
}
#define ACC_INSTANTIATE_SUBSTITUTION(S)                    \
  template substitution_function<S> get_substitution<S>(); \
  template complex_substitution_function<S> get_complex_substitution<S>();
ACC_SUBSTITUTIONS(ACC_INSTANTIATE_SUBSTITUTION)

}  // namespace acc::backends::host::ACC_HOST_ISA
