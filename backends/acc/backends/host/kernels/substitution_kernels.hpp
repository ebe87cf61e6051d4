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
    if (at < p.width) solve(part_of_register{first_numbers<S>(p.width - at)}, p, p.x + at);
  }

 private:
  struct whole_register {
    using type = V;
    ACC_SIMD_INLINE V load(const S* p) const { return V::load(p); }
    ACC_SIMD_INLINE void store(S* p, V x) const { x.store(p); }
  };
  struct part_of_register {
    using type = V;
    first_numbers<S> numbers;
    ACC_SIMD_INLINE V load(const S* p) const { return numbers.load_and_repeat(p); }
    ACC_SIMD_INLINE void store(S* p, V x) const { numbers.store(p, x); }
  };
  /// From the store of a part of a register the next load would have to wait.
  struct one_number {
    using type = S;
    ACC_SIMD_INLINE S load(const S* p) const { return *p; }
    ACC_SIMD_INLINE void store(S* p, S x) const { *p = x; }
  };

  ACC_SIMD_INLINE static S quotient(S a, S b) { return a / b; }
  ACC_SIMD_INLINE static V quotient(V a, V b) { return V::of(a.v / b.v); }
  ACC_SIMD_INLINE static S with_one_nan(S x) { return x == x ? x : S(__builtin_nan("")); }
  ACC_SIMD_INLINE static V with_one_nan(V x) {
    const V nan = V(S(__builtin_nan("")));
    return V::of(x.v == x.v ? x.v : nan.v);
  }

  template <class Memory>
  ACC_SIMD_INLINE static void solve(const Memory& memory, const arguments& p, S* x) {
    using number = typename Memory::type;
    using impl::fma;
    for (std::int64_t i = 0; i < p.count; ++i) {
      number sum = memory.load(x + i * p.x_step);
      const S* a = p.a + i * p.a_row;
      for (std::int64_t j = 0; j < i; ++j, a += p.a_column)
        if (*a != S(0)) sum = fma(number(-*a), memory.load(x + j * p.x_step), sum);  // EL2
      if (p.divides) sum = quotient(sum, number(*a));
      // Where nothing is computed, nothing is written.
      if (i > 0 || p.divides) memory.store(x + i * p.x_step, with_one_nan(sum));
    }
  }
};

template <class S>
substitution_function<S> get_substitution() {
  return &substitution<S>::solve;
}
#define ACC_INSTANTIATE_SUBSTITUTION(S) template substitution_function<S> get_substitution<S>();
ACC_SUBSTITUTIONS(ACC_INSTANTIATE_SUBSTITUTION)

}  // namespace acc::backends::host::ACC_HOST_ISA
