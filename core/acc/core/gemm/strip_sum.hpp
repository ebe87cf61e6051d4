// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_GEMM_STRIP_SUM_HPP
#define ACC_CORE_GEMM_STRIP_SUM_HPP

/// \file
/// The arithmetic of one real entry of a matrix product (docs/arithmetic.md, "Matrix products"),
/// within a section of k (section_sum.hpp adds the sections): products enter a chain, in ascending
/// k; after every strip the chain is closed into totals and starts anew; high() + low() is the
/// section's sum.
///
/// strip_sum<Method, V>::chain and ::totals, apart because a kernel keeps the chains in registers
/// and the totals, which it needs once a strip, in memory. V may be float, double or a simd of them
/// (host kernels). All start from +0.
///  - chain: add_product(a, b);
///  - totals: close(chain&) after each strip, a last partial one included;
///    high(chain), low(chain): the sum's parts;
///    put(chain&, high, low): makes them these, to be read again and no more.

#include <acc/core/eft.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/macros.hpp>
#include <acc/core/method.hpp>

#include <type_traits>

namespace acc::impl {

/// One FMA chain.
template <class V>
struct fma_chain {
  static constexpr int components = 1;
  V sum = V(0);

  ACC_FUNCTION V& component(int) { return sum; }
  ACC_FUNCTION void add_product(V a, V b) {
    using impl::fma;
    sum = fma(a, b, sum);
  }
};

/// Every product's and every addition's rounding error, in a second number (Dot2 of Ogita, Rump,
/// Oishi 2005).
template <class V>
struct compensated_chain {
  static constexpr int components = 2;
  V sum = V(0), rest = V(0);

  ACC_FUNCTION V& component(int k) { return k == 0 ? sum : rest; }
  ACC_FUNCTION void add_product(V a, V b) {
    using impl::two_sum_of_rounded;
    const auto product = two_prod(a, b);
    const auto s = two_sum_of_rounded(sum, product.value);
    sum = s.value;
    rest = impl::add(rest, impl::add(product.error, s.error));
  }
};

/// a and b, the one of larger magnitude first; a where they are equal.
template <class T>
  requires std::is_floating_point_v<T>
ACC_FUNCTION void larger_first(T& a, T& b) {
  if ((a < T(0) ? -a : a) >= (b < T(0) ? -b : b)) return;
  const T smaller = a;
  a = b;
  b = smaller;
}

/// plain, widened: the chain is the sum.
template <class V>
struct no_totals {
  static constexpr int components = 0;
  static constexpr bool has_low = false;
  ACC_FUNCTION void close(fma_chain<V>&) {}
  ACC_FUNCTION V high(const fma_chain<V>& chain) const { return chain.sum; }
  ACC_FUNCTION V low(const fma_chain<V>&) const { return V(0); }
  ACC_FUNCTION void put(fma_chain<V>& chain, V high, V) { chain.sum = high; }
};

/// compensated: every product closes itself.
struct compensated_totals {
  static constexpr int components = 0;
  static constexpr bool has_low = true;
  template <class V>
  ACC_FUNCTION void close(compensated_chain<V>&) {}
  template <class V>
  ACC_FUNCTION V high(const compensated_chain<V>& chain) const {
    return chain.sum;
  }
  template <class V>
  ACC_FUNCTION V low(const compensated_chain<V>& chain) const {
    return chain.rest;
  }
  template <class V>
  ACC_FUNCTION void put(compensated_chain<V>& chain, V high, V low) {
    chain.sum = high;
    chain.rest = low;
  }
};

template <class V>
struct blocked_totals {
  static constexpr int components = 1;
  static constexpr bool has_low = false;
  V sum = V(0);

  ACC_FUNCTION V& component(int) { return sum; }
  ACC_FUNCTION void close(fma_chain<V>& strip) {
    sum = impl::add(sum, strip.sum);
    strip.sum = V(0);
  }
  ACC_FUNCTION V high(const fma_chain<V>&) const { return sum; }
  ACC_FUNCTION V low(const fma_chain<V>&) const { return V(0); }
  ACC_FUNCTION void put(fma_chain<V>&, V high, V) { sum = high; }
};

/// Badin et al. 2011, figure 3, with the strips as summands.
template <class V>
struct kahan_totals {
  static constexpr int components = 2;
  static constexpr bool has_low = true;
  V sum = V(0), rest = V(0);

  ACC_FUNCTION V& component(int k) { return k == 0 ? sum : rest; }
  ACC_FUNCTION void close(fma_chain<V>& strip) {
    const V y = impl::add(strip.sum, rest);
    const V t = impl::add(sum, y);
    rest = impl::add(impl::sub(sum, t), y);
    sum = t;
    strip.sum = V(0);
  }
  ACC_FUNCTION V high(const fma_chain<V>&) const { return sum; }
  ACC_FUNCTION V low(const fma_chain<V>&) const { return rest; }
  ACC_FUNCTION void put(fma_chain<V>&, V high, V low) {
    sum = high;
    rest = low;
  }
};

/// Badin et al. 2011, figures 1 and 2: the larger of total and strip is the sum to which the
/// smaller is added. The compensation is carried from strip to strip.
template <class V>
struct priest_totals {
  static constexpr int components = 2;
  static constexpr bool has_low = true;
  V sum = V(0), rest = V(0);

  ACC_FUNCTION V& component(int k) { return k == 0 ? sum : rest; }
  ACC_FUNCTION void close(fma_chain<V>& strip) {
    V larger = sum, x = strip.sum;
    larger_first(larger, x);
    const V y = impl::add(rest, x);
    const V u = impl::sub(x, impl::sub(y, rest));
    const V t = impl::add(y, larger);
    const V v = impl::sub(y, impl::sub(t, larger));
    const V z = impl::add(u, v);
    sum = impl::add(t, z);
    rest = impl::sub(z, impl::sub(sum, t));
    strip.sum = V(0);
  }
  ACC_FUNCTION V high(const fma_chain<V>&) const { return sum; }
  ACC_FUNCTION V low(const fma_chain<V>&) const { return rest; }
  ACC_FUNCTION void put(fma_chain<V>&, V high, V low) {
    sum = high;
    rest = low;
  }
};

/// The next strip starts from this one's rounding error.
template <class V>
struct seeded_totals {
  static constexpr int components = 1;
  static constexpr bool has_low = true;
  V sum = V(0);

  ACC_FUNCTION V& component(int) { return sum; }
  ACC_FUNCTION void close(fma_chain<V>& strip) {
    const V t = impl::add(sum, strip.sum);
    strip.sum = impl::sub(strip.sum, impl::sub(t, sum));
    sum = t;
  }
  ACC_FUNCTION V high(const fma_chain<V>&) const { return sum; }
  ACC_FUNCTION V low(const fma_chain<V>& strip) const { return strip.sum; }
  ACC_FUNCTION void put(fma_chain<V>& strip, V high, V low) {
    sum = high;
    strip.sum = low;
  }
};

template <class Method, class V>
struct strip_sum {
  using chain = fma_chain<V>;
  using totals = no_totals<V>;
};
template <class V>
struct strip_sum<compensated, V> {
  using chain = compensated_chain<V>;
  using totals = compensated_totals;
};
template <class V>
struct strip_sum<blocked, V> {
  using chain = fma_chain<V>;
  using totals = blocked_totals<V>;
};
template <class V>
struct strip_sum<selective<kahan>, V> {
  using chain = fma_chain<V>;
  using totals = kahan_totals<V>;
};
template <class V>
struct strip_sum<selective<priest>, V> {
  using chain = fma_chain<V>;
  using totals = priest_totals<V>;
};
template <class V>
struct strip_sum<selective<seeded>, V> {
  using chain = fma_chain<V>;
  using totals = seeded_totals<V>;
};

/// Whether a method's sum is two numbers, high and low.
template <class Method>
inline constexpr bool has_low = strip_sum<Method, double>::totals::has_low;

}  // namespace acc::impl

#endif
