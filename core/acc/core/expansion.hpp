// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CORE_EXPANSION_HPP
#define ACC_CORE_EXPANSION_HPP

/// \file
/// K-fold accumulators: the errors of one level of sums are what the next level sums.

#include <acc/core/eft.hpp>
#include <acc/core/numbers/macros.hpp>

#if !defined(ACC_HOST_KERNELS)
#include <acc/core/numbers/complex_sum.hpp>

#include <Kokkos_Complex.hpp>
#endif

namespace acc {

/// A sum as K numbers, c[0] + ... + c[K-1].
///
/// Level 0 sums the deposits by TwoSum and hands each error to level 1, which sums those by TwoSum
/// and hands on its errors, and so forth; the last level adds plainly. This is SumK run as a
/// cascade (Ogita, Rump, Oishi 2005, algorithm 4.8); merging two is the parallel DPSumK of Suzuki.
/// Where a number passes at most d deposits and merges, d >= 8, with gamma_m = m u / (1 - m u) and
/// S the sum of the absolute values,
///   |value() - sum| <= (u + 3 gamma_{2K}^2) |sum| + gamma_{2d}^K S
/// (K = 2: u |sum| + 2 gamma_d^2 S). docs/dev/proofs.md derives it.
/// K = 2 costs 7 operations per number and 10 per product, K = 3 13 and 22, K = 4 19 and 34.
/// value() is exact to a rounding of the represented number unless c is as ill-conditioned as
/// u^-(K-1). Not normalised: compare value(), not components.
template <class T, int K>
struct expansion {
  static_assert(K >= 2, "acc::expansion<T, K>: K must be at least 2");
  using scalar_type = T;
  static constexpr int components = K;

  T c[K];

  /// The empty sum, -0.
  ACC_FUNCTION expansion() {
    for (int k = 0; k < K; ++k) c[k] = T(-0.0);
  }
  ACC_FUNCTION expansion(T x) : expansion() {
    using impl::rounded;
    c[0] = rounded(x);
  }

  ACC_FUNCTION T& component(int k) { return c[k]; }
  ACC_FUNCTION const T& component(int k) const { return c[k]; }

  /// Deposits x, exactly up to the last level's rounding.
  ACC_FUNCTION void add(T x) {
    using impl::rounded;
    add_from<0>(rounded(x));
  }

  /// Deposits x * y: TwoProd's value at level 0, its error at level 1.
  ACC_FUNCTION void add_product(T x, T y) {
    const auto product = two_prod(x, y);
    add_pair(product.value, product.error);
  }

  /// Deposits p + e, e of the size of p's rounding error.
  ACC_FUNCTION void add_pair(T p, T e) {
    using impl::rounded;
    using impl::two_sum_of_rounded;
    p = rounded(p);
    e = rounded(e);
    const auto s = two_sum_of_rounded(c[0], p);
    c[0] = s.value;
    if constexpr (K == 2) {
      c[1] = impl::add(c[1], impl::add(e, s.error));
    } else {
      add_from<1>(s.error);
      add_from<1>(e);
    }
  }

  /// Deposits another expansion, level by level.
  ACC_FUNCTION void merge(const expansion& other) {
    if constexpr (K == 2) {
      add_pair(other.c[0], other.c[1]);
    } else {
      merge_from<0>(other);
    }
  }

  ACC_FUNCTION expansion& operator+=(T x) { return add(x), *this; }
  ACC_FUNCTION expansion& operator+=(const expansion& x) { return merge(x), *this; }

  /// The represented number, rounded: K - 1 sweeps of TwoSum (VecSum), then a sum from the smallest
  /// component up, as SumK ends. An infinity or NaN in c[0] is the value.
  ACC_FUNCTION T value() const {
    if (!(impl::sub(c[0], c[0]) == T(0))) return c[0];
    using impl::two_sum_of_rounded;
    T v[K];
    for (int k = 0; k < K; ++k) v[k] = c[k];
    if constexpr (K > 2) {
      for (int sweep = 1; sweep < K; ++sweep) {
        for (int k = K - 1; k > 0; --k) {
          const auto s = two_sum_of_rounded(v[k - 1], v[k]);
          v[k - 1] = s.value;
          v[k] = s.error;
        }
      }
    }
    T low = v[K - 1];
    for (int k = K - 2; k > 0; --k) low = impl::add(low, v[k]);
    // A sum of -0 alone is -0: TwoSum's errors are +0 and would turn it.
    if (low == T(0)) return v[0] == T(0) && c[0] == T(0) ? c[0] : v[0];
    return impl::add(v[0], low);
  }

 private:
  template <int Level>
  ACC_FUNCTION void add_from(T x) {
    if constexpr (Level + 1 < K) {
      using impl::two_sum_of_rounded;
      const auto s = two_sum_of_rounded(c[Level], x);
      c[Level] = s.value;
      add_from<Level + 1>(s.error);
    } else {
      c[Level] = impl::add(c[Level], x);
    }
  }
  template <int Level>
  ACC_FUNCTION void merge_from(const expansion& other) {
    add_from<Level>(other.c[Level]);
    if constexpr (Level + 1 < K) merge_from<Level + 1>(other);
  }
};

/// The accumulator of compensated_fma: as expansion<T, 2>, except that a product enters by an FMA
/// whose two errors err_fma gives (CompDotFMA).
template <class T>
struct fma_expansion : expansion<T, 2> {
  using expansion<T, 2>::expansion;

  ACC_FUNCTION void add_product(T x, T y) {
    const auto s = err_fma(x, y, this->c[0]);
    this->c[0] = s.value;
    this->c[1] = impl::add(this->c[1], impl::add(s.error, s.error2));
  }
};

#if !defined(ACC_HOST_KERNELS)
/// A complex sum: real and imaginary part are expansions of their own.
template <class T, int K>
struct expansion<Kokkos::complex<T>, K>
    : impl::complex_sum<expansion<Kokkos::complex<T>, K>, expansion<T, K>> {
  using base = impl::complex_sum<expansion, expansion<T, K>>;

  ACC_DEFAULTED_FUNCTION expansion() = default;
  ACC_FUNCTION expansion(Kokkos::complex<T> x) : base(x.real(), x.imag()) {}

  ACC_FUNCTION expansion& operator+=(Kokkos::complex<T> x) { return this->add(x), *this; }
  ACC_FUNCTION expansion& operator+=(const expansion& x) { return this->merge(x), *this; }
};
#endif

}  // namespace acc

#endif
