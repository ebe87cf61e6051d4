// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernels of functions of each element by itself (elements.hpp says what they do): some
/// registers at a time where the numbers are contiguous, one number at a time elsewhere.

#include <acc/backends/host/kernels/elements.hpp>
#include <acc/backends/host/kernels/first_numbers.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/nan_bits.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/core/elements/combination.hpp>

#include <type_traits>

namespace acc::backends::host::ACC_HOST_ISA {

/// R registers as one: a coefficient is looked at once for all of them.
template <class S, int R>
struct registers {
  static constexpr int width = vector_width<S>;
  static constexpr int size = R * width;
  using V = simd<S, width>;
  V r[R];

  ACC_SIMD_INLINE registers() = default;
  ACC_SIMD_INLINE explicit registers(V x) {
    for (V& v : r) v = x;
  }
  ACC_SIMD_INLINE explicit registers(S x) : registers(V(x)) {}
  ACC_SIMD_INLINE registers with_one_nan() const {
    registers x;
    for (int i = 0; i < R; ++i) x.r[i] = ACC_HOST_ISA::with_one_nan(r[i]);
    return x;
  }
  ACC_SIMD_INLINE registers with_swapped_pairs() const {
    registers x;
    for (int i = 0; i < R; ++i) x.r[i] = swap_pairs(r[i]);
    return x;
  }
  ACC_SIMD_INLINE friend registers operator*(const registers& a, const registers& b) {
    registers x;
    for (int i = 0; i < R; ++i) x.r[i] = a.r[i] * b.r[i];
    return x;
  }
  ACC_SIMD_INLINE friend registers rounded(const registers& a) { return a; }
  ACC_SIMD_INLINE friend registers fma(const registers& a, const registers& b, const registers& c) {
    registers x;
    for (int i = 0; i < R; ++i) x.r[i] = fma(a.r[i], b.r[i], c.r[i]);
    return x;
  }
  /// An imaginary factor: negated in the real parts, which are the even lanes.
  ACC_SIMD_INLINE static registers crossed(S factor) {
    return registers(negate_odd(V(-factor), all_lanes{}));
  }
};

/// Which products a combination has: bit 2 k for the real factor of element k, 2 k + 1 for the
/// imaginary one.
template <class S, int N>
unsigned products_of(const impl::combination<S, N>& c) {
  unsigned products = 0;
  for (int k = 0; k < N; ++k)
    products |= (unsigned(c.re[k] != S(0)) | unsigned(c.im[k] != S(0)) << 1) << 2 * k;
  return products;
}
inline constexpr unsigned unknown_products = ~0U;
/// Element 0 by a real or complex number; element 0 by a real one, and 1 by a real or complex one.
inline constexpr unsigned of_scal = 0b0001, of_complex_scal = 0b0011, of_axpby = 0b0101,
                          of_complex_axpy = 0b1101;

/// The combination of the numbers that begin at part `at` of each array. Own: own(k), the numbers
/// of element k. Where its products are known, no loop looks for them: in the first cache that
/// takes as long as to add them.
template <class Registers, int Parts, unsigned Products = unknown_products, class S, int N,
          class Own>
ACC_SIMD_INLINE void combine_registers(impl::product_sum<Registers>& sum,
                                       const impl::combination<S, N>& c, const Own& own) {
  const auto other = [&](int k) __attribute__((always_inline)) {
    if constexpr (Parts == 2) {
      return own(k).with_swapped_pairs();
    } else {
      return own(k);
    }
  };
  const auto cross = [](S factor)
                         __attribute__((always_inline)) { return Registers::crossed(factor); };
  if constexpr (Products == unknown_products) {
    impl::add_combination(sum, c, own, other, cross);
  } else {  // in that order
    unrolled<N>(ACC_UNROLLED(k) {
      if constexpr ((Products >> 2 * k & 1) != 0) sum.add(Registers(c.re[k]), own(k));
      if constexpr ((Products >> (2 * k + 1) & 1) != 0) sum.add(cross(c.im[k]), other(k));
    });
  }
}

/// The numbers that begin at p, or zeros.
template <int Parts, class S>
ACC_SIMD_INLINE void read(const S* p, S (&x)[Parts]) {
  for (int part = 0; part < Parts; ++part) x[part] = p[part];
}
template <int Parts, class S>
ACC_SIMD_INLINE void write(S* p, const S (&x)[Parts]) {
  for (int part = 0; part < Parts; ++part) p[part] = with_one_nan(x[part]);
}

/// R registers in memory.
template <class S, int R>
struct whole_registers {
  using type = registers<S, R>;
  ACC_SIMD_INLINE type load(const S* p) const {
    type x;
    for (int i = 0; i < R; ++i) x.r[i] = type::V::load(p + i * type::width);
    return x;
  }
  /// NaN is the one NaN.
  ACC_SIMD_INLINE void store(S* p, const type& x) const {
    const type y = x.with_one_nan();
    for (int i = 0; i < R; ++i) y.r[i].store(p + i * type::width);
  }
};
/// The first numbers of one.
template <class S>
struct part_of_register {
  using type = registers<S, 1>;
  first_numbers<S> numbers;
  ACC_SIMD_INLINE type load(const S* p) const { return type(numbers.load_and_repeat(p)); }
  ACC_SIMD_INLINE void store(S* p, const type& x) const { numbers.store(p, x.with_one_nan().r[0]); }
};

/// Calls f(memory, at) for n numbers, some registers at a time, which `memory` loads and stores.
template <class S, class F>
ACC_SIMD_INLINE void for_registers(std::int64_t n, const F& f) {
  constexpr int W = vector_width<S>;
  std::int64_t at = 0;
  for (; at + 4 * W <= n; at += 4 * W) f(whole_registers<S, 4>{}, at);
  for (; at + W <= n; at += W) f(whole_registers<S, 1>{}, at);
  if (at < n) f(part_of_register<S>{first_numbers<S>(n - at)}, at);
}

template <class S, int Parts>
struct combine_kernel {
  using arguments = combine_arguments<S>;
  static constexpr int terms = arguments::terms;

  static void run(const arguments& p) {
    bool contiguous = p.out.step == Parts;
    for (int k = 0; k < terms; ++k)
      contiguous = contiguous && (!p.c.has(k) || p.in[k].step == Parts);
    if (contiguous) {
      const unsigned products = products_of(p.c);
      if (products == of_scal) return by_registers<of_scal>(p);
      if (products == of_axpby) return by_registers<of_axpby>(p);
      if constexpr (Parts == 2) {
        if (products == of_complex_scal) return by_registers<of_complex_scal>(p);
        if (products == of_complex_axpy) return by_registers<of_complex_axpy>(p);
      }
      return by_registers<unknown_products>(p);
    }
    for (std::int64_t i = 0; i < p.count; ++i) {
      S x[terms][Parts] = {}, y[Parts];
      for (int k = 0; k < terms; ++k)
        if (p.c.has(k)) read(p.in[k].data + i * p.in[k].step, x[k]);
      for (int part = 0; part < Parts; ++part) {
        impl::product_sum<S> sum;
        impl::add_combination<Parts>(sum, p.c, x, part);
        y[part] = sum.sum;
      }
      write(p.out.data + i * p.out.step, y);
    }
  }

 private:
  template <unsigned Products>
  static void by_registers(const arguments& p) {
    const impl::combination<S, terms> c = p.c;
    for_registers<S>(p.count * Parts,
                     [&](const auto& memory, std::int64_t at) __attribute__((always_inline)) {
                       using several = typename std::remove_cvref_t<decltype(memory)>::type;
                       impl::product_sum<several> sum;
                       const auto own = [&](int k) __attribute__((always_inline)) {
                         return memory.load(p.in[k].data + at);
                       };
                       combine_registers<several, Parts, Products>(sum, c, own);
                       memory.store(p.out.data + at, sum.sum);
                     });
  }
};

template <unsigned Products, class S>
ACC_SIMD_INLINE void axpby_of(S alpha, const S* x, S beta, S* y, std::int64_t n) {
  const impl::combination<S, 2> c{{beta, alpha}, {S(0), S(0)}};
  for_registers<S>(n, [&](const auto& memory, std::int64_t at) __attribute__((always_inline)) {
    using several = typename std::remove_cvref_t<decltype(memory)>::type;
    impl::product_sum<several> sum;
    const auto own = [&](int k) __attribute__((always_inline)) {
      return memory.load((k == 0 ? y : x) + at);
    };
    combine_registers<several, 1, Products>(sum, c, own);
    memory.store(y + at, sum.sum);
  });
}
template <class S>
void axpby(S alpha, const S* x, S beta, S* y, std::int64_t n) {
  if (alpha != S(0) && beta != S(0)) return axpby_of<of_axpby>(alpha, x, beta, y, n);
  axpby_of<unknown_products>(alpha, x, beta, y, n);
}

template <class S, int Parts>
struct multiply_kernel {
  using arguments = multiply_arguments<S>;

  static void run(const arguments& p) {
    const bool has_y = p.gamma.has(0), has_x = p.alpha.has(0);
    // Of complex numbers one at a time: a's parts would have to be spread.
    if constexpr (Parts == 1)
      if (p.y.step == 1 && (!has_x || (p.x.step == 1 && p.a.step == 1)))
        return for_registers<S>(p.count, [&](const auto& memory, std::int64_t at) __attribute__((
                                             always_inline)) { by_registers(memory, p, at); });
    for (std::int64_t i = 0; i < p.count; ++i) {
      S y[1][Parts] = {}, a[1][Parts] = {}, x[Parts] = {}, result[Parts];
      if (has_y) read(p.y.data + i * p.y.step, y[0]);
      if (has_x) {
        read(p.a.data + i * p.a.step, a[0]);
        read(p.x.data + i * p.x.step, x);
      }
      impl::multiply_elements<Parts>(p.gamma, y, p.alpha, a, x, result);
      write(p.y.data + i * p.y.step, result);
    }
  }

 private:
  template <class Memory>
  ACC_SIMD_INLINE static void by_registers(const Memory& memory, const arguments& p,
                                           std::int64_t at) {
    using several = typename Memory::type;
    impl::product_sum<several> sum;
    const auto own_y = [&](int)
                           __attribute__((always_inline)) { return memory.load(p.y.data + at); };
    combine_registers<several, 1>(sum, p.gamma, own_y);
    if (p.alpha.has(0)) {
      impl::product_sum<several> factor;
      const auto own_a = [&](int)
                             __attribute__((always_inline)) { return memory.load(p.a.data + at); };
      combine_registers<several, 1>(factor, p.alpha, own_a);
      sum.add(factor.sum, memory.load(p.x.data + at));
    }
    memory.store(p.y.data + at, sum.sum);
  }
};

template <class S, int Parts>
struct rotate_kernel {
  using arguments = rotate_arguments<S>;

  static void run(const arguments& p) {
    if (p.x.step == Parts && p.y.step == Parts)
      return for_registers<S>(p.count * Parts,
                              [&](const auto& memory, std::int64_t at)
                                  __attribute__((always_inline)) { by_registers(memory, p, at); });
    for (std::int64_t i = 0; i < p.count; ++i) {
      S* const to_x = p.x.data + i * p.x.step;
      S* const to_y = p.y.data + i * p.y.step;
      S of_x[2][Parts], of_y[2][Parts], x[Parts], y[Parts];
      read(to_y, of_x[0]);
      read(to_x, of_x[1]);
      read(to_x, of_y[0]);
      read(to_y, of_y[1]);
      for (int part = 0; part < Parts; ++part) {
        impl::product_sum<S> sum_x, sum_y;
        impl::add_combination<Parts>(sum_x, p.of_x, of_x, part);
        impl::add_combination<Parts>(sum_y, p.of_y, of_y, part);
        x[part] = sum_x.sum;
        y[part] = sum_y.sum;
      }
      write(to_x, x);
      write(to_y, y);
    }
  }

 private:
  template <class Memory>
  ACC_SIMD_INLINE static void by_registers(const Memory& memory, const arguments& p,
                                           std::int64_t at) {
    using several = typename Memory::type;
    const several x = memory.load(p.x.data + at), y = memory.load(p.y.data + at);
    impl::product_sum<several> sum_x, sum_y;
    const auto of_x = [&](int k) __attribute__((always_inline)) { return k == 0 ? y : x; };
    const auto of_y = [&](int k) __attribute__((always_inline)) { return k == 0 ? x : y; };
    combine_registers<several, Parts>(sum_x, p.of_x, of_x);
    combine_registers<several, Parts>(sum_y, p.of_y, of_y);
    memory.store(p.x.data + at, sum_x.sum);
    memory.store(p.y.data + at, sum_y.sum);
  }
};

template <class S>
const element_kernels<S>& get_element_kernels() {
  static const element_kernels<S> kernels = {
      {&combine_kernel<S, 1>::run, &combine_kernel<S, 2>::run},
      {&multiply_kernel<S, 1>::run, &multiply_kernel<S, 2>::run},
      {&rotate_kernel<S, 1>::run, &rotate_kernel<S, 2>::run},
      &axpby<S>};
  return kernels;
}
#define ACC_INSTANTIATE_ELEMENTS(S) template const element_kernels<S>& get_element_kernels<S>();
ACC_ELEMENTS(ACC_INSTANTIATE_ELEMENTS)

}  // namespace acc::backends::host::ACC_HOST_ISA
