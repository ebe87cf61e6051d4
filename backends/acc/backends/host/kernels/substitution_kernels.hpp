// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernel of substitution.hpp: a register of each unknown's numbers at a time, or one number
/// where an unknown is no more. Each unknown loses the products with those before it, in ascending
/// order: as if each one left the others' equations once it is solved, and without their stores.

#include <acc/backends/host/kernels/first_numbers.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/substitution.hpp>
#include <acc/core/eft.hpp>

#include <cstdint>

namespace acc::backends::host::ACC_HOST_ISA {

template <class S>
struct substitution {
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;
  using arguments = substitution_arguments<S>;

  static void solve(const arguments& p) {
    if (p.width == 1) return solve(one_number{}, p, p.x);
    std::int64_t at = 0;
    for (; at + W <= p.width; at += W) solve(whole_register{}, p, p.x + at);
    if (at < p.width) solve_first(first_numbers<S>(p.width - at), p, p.x + at);
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

  /// The first numbers of a register, by way of whole ones: a load waits for the store of a part.
  static void solve_first(const first_numbers<S>& first, const arguments& p, S* x) {
    alignas(V) S copy[most_unknowns * W];
    for (std::int64_t i = 0; i < p.count; ++i)
      first.load_and_repeat(x + i * p.x_step).store(copy + i * W);
    arguments of_copy = p;
    of_copy.x_step = W;
    solve(whole_register{}, of_copy, copy);
    for (std::int64_t i = 0; i < p.count; ++i) first.store(x + i * p.x_step, V::load(copy + i * W));
  }

  ACC_SIMD_INLINE static S quotient(S a, S b) { return a / b; }
  ACC_SIMD_INLINE static V quotient(V a, V b) { return V::of(a.v / b.v); }
  ACC_SIMD_INLINE static S with_one_nan(S x) { return x == x ? x : S(__builtin_nan("")); }
  ACC_SIMD_INLINE static V with_one_nan(V x) {
    const V nan = V(S(__builtin_nan("")));
    return V::of(x.v == x.v ? x.v : nan.v);
  }

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

template <class S>
substitution_function<S> get_substitution() {
  return &substitution<S>::solve;
}
#define ACC_INSTANTIATE_SUBSTITUTION(S) template substitution_function<S> get_substitution<S>();
ACC_SUBSTITUTIONS(ACC_INSTANTIATE_SUBSTITUTION)

}  // namespace acc::backends::host::ACC_HOST_ISA
