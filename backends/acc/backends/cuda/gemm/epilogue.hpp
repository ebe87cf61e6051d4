// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_EPILOGUE_HPP
#define ACC_BACKENDS_CUDA_GEMM_EPILOGUE_HPP

/// \file
/// An entry's way from a thread's sums to C.

#include <acc/backends/cuda/warp.hpp>
#include <acc/core/gemm/problem.hpp>

#include <Kokkos_Core.hpp>

namespace acc::backends::cuda {

/// One entry in the making: a real sum, or a complex one's two.
template <class Problem>
struct entry_sum {
  typename Problem::chain chain[Problem::parts];
  typename Problem::totals totals[Problem::parts];
};

/// An entry's parts.
template <class Problem>
struct entry_value {
  typename Problem::real x[Problem::parts];
};

template <class Problem, class T>
KOKKOS_FORCEINLINE_FUNCTION entry_value<Problem> parts_of(const T& x) {
  using real = typename Problem::real;
  if constexpr (Problem::parts == 1)
    return {{real(x)}};
  else
    return {{real(x.real()), real(x.imag())}};
}

/// Deposits the product of complex numbers in the sums of real and imaginary parts, in the order of
/// docs/arithmetic.md.
template <class Chain, class Real>
KOKKOS_FORCEINLINE_FUNCTION void add_complex_product(Chain& re, Chain& im, Real a_re, Real a_im,
                                                     Real b_re, Real b_im) {
  re.add_product(a_re, b_re);
  re.add_product(a_im, -b_im);
  im.add_product(a_re, b_im);
  im.add_product(a_im, b_re);
}

/// The entry's parts scaled; c: those of C's entry.
template <bool HasLow, class Problem, class Sums>
KOKKOS_FORCEINLINE_FUNCTION entry_value<Problem> scaled_entry(const Problem& p, const Sums& s,
                                                              const entry_value<Problem>& c) {
  using real = typename Problem::real;
  constexpr int parts = Problem::parts;
  impl::entry_part<real> part[parts];
  ACC_UNROLL for (int k = 0; k < parts; ++k) {
    part[k] = {s.totals[k].high(s.chain[k]), s.totals[k].low(s.chain[k]), c.x[k]};
  }
  entry_value<Problem> value;
  ACC_UNROLL for (int k = 0; k < parts; ++k) {
    const real sign = k + 1 == parts ? real(1) : real(-1);
    value.x[k] = impl::scaled<HasLow, parts>(p.scale, part[k], part[parts - 1 - k], sign);
  }
  return value;
}

/// The entry (i, j) by plain, for the rare one that its own method makes NaN. The problem is a
/// copy: the address of a caller's would keep its tile in memory.
template <class Problem>
ACC_COLD_FUNCTION entry_value<Problem> plain_entry(Problem p, std::int64_t i, std::int64_t j,
                                                   entry_value<Problem> c) {
  using real = typename Problem::real;
  struct {
    impl::fma_chain<real> chain[Problem::parts];
    impl::no_totals<real> totals[Problem::parts];
  } s;
  for (std::int64_t k = 0; k < p.depth(); ++k) {
    const auto a = parts_of<Problem>(p.a(i, k)), b = parts_of<Problem>(p.b(k, j));
    if constexpr (Problem::parts == 1) {
      s.chain[0].add_product(a.x[0], b.x[0]);
    } else {
      const real a_im = p.a.conjugate ? -a.x[1] : a.x[1], b_im = p.b.conjugate ? -b.x[1] : b.x[1];
      add_complex_product(s.chain[0], s.chain[1], a.x[0], a_im, b.x[0], b_im);
    }
  }
  return scaled_entry<false>(p, s, c);
}

/// Scales Run entries of one column, rows [i, i + Run), and writes them.
template <int Run, class Problem>
KOKKOS_FORCEINLINE_FUNCTION void write_run(const Problem& p, bool aligned, std::int64_t i,
                                           std::int64_t j, const entry_sum<Problem> (&sums)[Run]) {
  using real = typename Problem::real;
  using out = typename Problem::out;
  using out_real = impl::real_t<out>;
  constexpr int parts = Problem::parts;
  if (j >= p.c.columns) return;
  const bool reads_c = p.reads_c();
  out* const at = &p.c(i, j);
  const std::int64_t step = p.c.row_stride;
  out value[Run];
  ACC_UNROLL for (int r = 0; r < Run; ++r) {
    const bool inside = i + r < p.c.rows;
    entry_value<Problem> c{};
    if (reads_c && inside) c = parts_of<Problem>(at[r * step]);
    auto v = scaled_entry<Problem::has_low>(p, sums[r], c);
    if constexpr (Problem::has_low) {
      bool any_nan = false;
      for (real x : v.x) any_nan = any_nan || x != x;
      if (any_nan && inside) {
        const auto by_plain = plain_entry(p, i + r, j, c);
        for (int k = 0; k < parts; ++k) v.x[k] = v.x[k] != v.x[k] ? by_plain.x[k] : v.x[k];
      }
    }
    if constexpr (parts == 1)
      value[r] = impl::as_result<out>(v.x[0]);
    else
      value[r] = out(impl::as_result<out_real>(v.x[0]), impl::as_result<out_real>(v.x[1]));
  }
  if constexpr (Run * sizeof(out) == 16) {
    if (aligned && i + Run <= p.c.rows) {
      struct alignas(16) vector {
        out x[Run];
      } v;
      ACC_UNROLL for (int r = 0; r < Run; ++r) { v.x[r] = value[r]; }
      *reinterpret_cast<vector*>(at) = v;
      return;
    }
  }
  ACC_UNROLL for (int r = 0; r < Run; ++r) {
    if (i + r < p.c.rows) at[r * step] = value[r];
  }
}

}  // namespace acc::backends::cuda

#endif
