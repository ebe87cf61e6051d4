// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of kernels.hpp.

/// \file
/// How packs of numbers enter an accumulator in the leaf kernels.

namespace acc::backends::host::ACC_HOST_ISA {

/// An expansion<V, K> whose levels each work on an earlier deposit. In expansion::add a number
/// passes K - 1 TwoSums one after the other, 18 cycles each, and a processor does not look far
/// enough ahead to fill them; here all levels' TwoSums are independent, and each level still gets
/// the same numbers in the same order. A deposit leaves N errors to each level: one for sums, two
/// for products.
template <class V, int K, int N>
struct staged_expansion {
  V c[K];
  V waiting[K - 1][N];  ///< waiting[k]: what level k hands to level k + 1 next

  ACC_PACK_INLINE staged_expansion() {
    for (V& x : c) x = V(-0.0);
    for (auto& level : waiting)
      for (V& x : level) x = V(-0.0);  // changes no sum
  }

  ACC_PACK_INLINE void add(V x) {
    advance<1>();
    const auto s = two_sum(c[0], x);
    c[0] = s.value;
    waiting[0][0] = s.error;
  }
  ACC_PACK_INLINE void add_product(V x, V y) {
    const auto p = two_prod(x, y);
    add(p.value);
    waiting[0][1] = p.error;
  }

  /// With every waiting number passed on to the end.
  ACC_PACK_INLINE expansion<V, K> settled() {
    settle_from<1>();
    expansion<V, K> e;
    for (int k = 0; k < K; ++k) e.c[k] = c[k];
    return e;
  }

 private:
  ACC_PACK_INLINE static auto two_sum(V a, V b) {
    using impl::two_sum_of_rounded;
    return two_sum_of_rounded(a, b);
  }
  /// Levels K - 1 down to First take what waits for them.
  template <int First>
  ACC_PACK_INLINE void advance() {
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
  ACC_PACK_INLINE void settle_from() {
    advance<First>();
    if constexpr (First + 1 < K) settle_from<First + 1>();
  }
};

/// The accumulators of packs that correspond to a scalar one: `entry`, which numbers enter, and
/// `type`, which the tree combines.
template <class Acc, class V, class Terms>
struct packed;
template <class T, class V, class Terms>
struct packed<plain_sum<T>, V, Terms> {
  using type = plain_sum<V>;
  using entry = type;
};
template <class T, class V, class Terms>
struct packed<expansion<T, 2>, V, Terms> {
  using type = expansion<V, 2>;
  using entry = type;
};
template <class T, int K, class V, class Terms>
struct packed<expansion<T, K>, V, Terms> {
  using type = expansion<V, K>;
  using entry = staged_expansion<V, K, Terms::guarded == impl::guard::sums ? 1 : 2>;
};
template <class T, class V, class Terms>
struct packed<impl::certified_expansion<T>, V, Terms> {
  using type = impl::certified_expansion<V>;
  using entry = type;
};
template <class T, class V, class Terms>
struct packed<fma_expansion<T>, V, Terms> {
  using type = fma_expansion<V>;
  using entry = type;
};
template <class T, class V, class Terms>
struct packed<double_word_number<T>, V, Terms> {
  using type = double_word_number<V>;
  using entry = type;
};

template <class Acc>
ACC_PACK_INLINE const Acc& settled(const Acc& a) {
  return a;
}
template <class V, int K, int N>
ACC_PACK_INLINE expansion<V, K> settled(staged_expansion<V, K, N>& a) {
  return a.settled();
}

}  // namespace acc::backends::host::ACC_HOST_ISA
