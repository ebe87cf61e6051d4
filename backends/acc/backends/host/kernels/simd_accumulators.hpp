// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_SIMD_ACCUMULATORS_HPP
#define ACC_BACKENDS_HOST_KERNELS_SIMD_ACCUMULATORS_HPP

/// \file
/// The accumulators of vector registers: each number of a register is a lane's.

#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/sums.hpp>

namespace acc::backends::host::ACC_HOST_ISA {

/// An expansion<V, K> whose levels each work on an earlier deposit. In expansion::add a number
/// passes K - 1 TwoSums one after the other, 18 cycles each, and a processor does not look far
/// enough ahead to fill them. Here the TwoSums of all levels are independent, and each level still
/// gets the same numbers in the same order. A deposit leaves N errors to each level: one for sums,
/// two for products.
template <class V, int K, int N>
struct pipelined_expansion {
  V c[K];
  V waiting[K - 1][N];  ///< waiting[k]: what level k hands to level k + 1 next

  ACC_SIMD_INLINE pipelined_expansion() {
    for (V& x : c) x = V(-0.0);
    for (auto& level : waiting)
      for (V& x : level) x = V(-0.0);  // changes no sum
  }

  ACC_SIMD_INLINE void add(V x) {
    advance<1>();
    const auto s = two_sum(c[0], x);
    c[0] = s.value;
    waiting[0][0] = s.error;
  }
  ACC_SIMD_INLINE void add_product(V x, V y) {
    const auto p = two_prod(x, y);
    add(p.value);
    waiting[0][1] = p.error;
  }

  /// With every waiting number passed on to the end.
  ACC_SIMD_INLINE expansion<V, K> settled() {
    settle_from<1>();
    expansion<V, K> e;
    for (int k = 0; k < K; ++k) e.c[k] = c[k];
    return e;
  }

 private:
  ACC_SIMD_INLINE static auto two_sum(V a, V b) {
    using impl::two_sum_of_rounded;
    return two_sum_of_rounded(a, b);
  }
  /// Levels K - 1 down to First take what waits for them.
  template <int First>
  ACC_SIMD_INLINE void advance() {
    for (int i = 0; i < N; ++i) c[K - 1] = c[K - 1] + waiting[K - 2][i];
    for (int k = K - 2; k >= First; --k) {
      for (int i = 0; i < N; ++i) {
        const auto s = two_sum(c[k], waiting[k - 1][i]);
        c[k] = s.value;
        waiting[k][i] = s.error;
      }
    }
  }
  template <int First>
  ACC_SIMD_INLINE void settle_from() {
    advance<First>();
    if constexpr (First + 1 < K) settle_from<First + 1>();
  }
};

/// The accumulators of registers that correspond to a scalar one: `intake`, which the numbers
/// enter, and `type`, which the tree combines.
template <class Acc, class V, class Terms>
struct simd_accumulator;
template <class T, class V, class Terms>
struct simd_accumulator<plain_sum<T>, V, Terms> {
  using type = plain_sum<V>;
  using intake = type;
};
template <class T, class V, class Terms>
struct simd_accumulator<expansion<T, 2>, V, Terms> {
  using type = expansion<V, 2>;
  using intake = type;
};
template <class T, int K, class V, class Terms>
struct simd_accumulator<expansion<T, K>, V, Terms> {
  using type = expansion<V, K>;
  using intake = pipelined_expansion<V, K, Terms::guarded == impl::guard::sums ? 1 : 2>;
};
template <class T, class V, class Terms>
struct simd_accumulator<impl::certified_expansion<T>, V, Terms> {
  using type = impl::certified_expansion<V>;
  using intake = type;
};
template <class T, class V, class Terms>
struct simd_accumulator<fma_expansion<T>, V, Terms> {
  using type = fma_expansion<V>;
  using intake = type;
};
template <class T, class V, class Terms>
struct simd_accumulator<double_word_number<T>, V, Terms> {
  using type = double_word_number<V>;
  using intake = type;
};

/// An empty accumulator, for one deposit: what the same deposit makes of `Sum`, without additions
/// to zeros that would take as long as a few numbers' sum. c[0] is the same. So is c[1], except for
/// a zero's sign, which no value() shows, and where c[0] is not finite, which calls for another
/// look.
template <class Sum>
struct first_deposit {
  Sum sum;
  template <class V>
  ACC_SIMD_INLINE void add(V x) {
    sum.add(x);
  }
  template <class V>
  ACC_SIMD_INLINE void add_product(V x, V y) {
    sum.add_product(x, y);
  }
};
template <class V>
struct first_deposit<expansion<V, 2>> {
  expansion<V, 2> sum;
  ACC_SIMD_INLINE void add(V x) {
    sum.c[0] = x;
    sum.c[1] = V(0.0);
  }
  ACC_SIMD_INLINE void add_product(V x, V y) {
    const auto p = two_prod(x, y);
    sum.c[0] = p.value;
    sum.c[1] = p.error;
  }
};

template <class Acc>
ACC_SIMD_INLINE const Acc& settled(const Acc& a) {
  return a;
}
template <class V, int K, int N>
ACC_SIMD_INLINE expansion<V, K> settled(pipelined_expansion<V, K, N>& a) {
  return a.settled();
}

}  // namespace acc::backends::host::ACC_HOST_ISA

#endif
