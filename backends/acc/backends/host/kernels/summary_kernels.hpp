// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of kernels.hpp.

/// \file
/// A look at a block's terms (window.hpp).

namespace acc::backends::host::ACC_HOST_ISA {

template <int W, bool SplitsProducts>
struct look_entry {
  using V = pack<double, W>;
  using integers = typename pack<long long, W>::vector;
  typedef int words __attribute__((vector_size(sizeof(integers))));
  words max = {}, min = words{} + 0x7fffffff;
  integers any = {}, all = ~integers{}, underflow = {};

  ACC_PACK_INLINE void add(V x) {
    const integers bits = (integers)x.v;
    any |= bits;
    all &= bits;
    const words m = (words)magnitude(x).v, nonzero = m == 0 ? words{} + 0x7fffffff : m;
    max = m > max ? m : max;
    min = nonzero < min ? nonzero : min;
  }
  ACC_PACK_INLINE void add_product(V x, V y) {
    const V p = x * y, zero = V(0.0);
    if constexpr (SplitsProducts)
      underflow |=
          (integers)(p.v == zero.v) & (integers)(x.v != zero.v) & (integers)(y.v != zero.v);
    add(p);
  }
};

template <class Terms, class T>
struct look_kernel {
  static constexpr int W = doubles_at_once;
  static void run(const T* x, const T* y, std::int64_t n, block_summary* look) {
    look_entry<W, std::is_same_v<T, double>> a[Terms::sums];
    deposit_block<Terms>(a, x, y, n);
    for (int s = 0; s < Terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        using bits = std::uint64_t;
        const auto greater = [](bits p, bits q) { return p > q ? p : q; };
        const auto less = [](bits p, bits q) { return p < q ? p : q; };
        const auto either = [](bits p, bits q) { return p | q; };
        const auto both = [](bits p, bits q) { return p & q; };
        look->max[s][parity] = lanes_of<W>(a[s].max).of_parity(parity, 0, greater);
        look->min[s][parity] = lanes_of<W>(a[s].min).of_parity(parity, ~bits(0), less);
        look->any[s][parity] = lanes_of<W>(a[s].any).of_parity(parity, 0, either);
        look->all[s][parity] = lanes_of<W>(a[s].all).of_parity(parity, ~bits(0), both);
        look->underflow[s][parity] = lanes_of<W>(a[s].underflow).of_parity(parity, 0, either);
      }
    }
  }
};

template <class Terms, class T>
summary_function<T> look() {
  return &look_kernel<Terms, T>::run;
}
}  // namespace acc::backends::host::ACC_HOST_ISA
