// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_EXACT_BINS_HPP
#define ACC_BACKENDS_CUDA_SUMS_EXACT_BINS_HPP

/// \file
/// A thread's bins of an exact sum: which terms enter them, which need care, and a team's rows.

#include <acc/backends/cuda/sums/exact_terms.hpp>
#include <acc/backends/cuda/unroll.hpp>

namespace acc::backends::cuda {

/// A thread's part of an exact sum.
template <class R>
struct exact_bins {
  using scalar = typename R::scalar;
  using reader = term_reader<R>;
  using term = typename reader::term;
  using policy = exact_terms<scalar, reader::products>;
  using column = typename policy::bins;
  static constexpr kernel_shape shape = policy::shape;
  static constexpr int threads = shape.threads;
  static constexpr int parts = reader::parts, digits = policy::digits;
  static constexpr int rows = column::rows + (policy::has_wide ? digits : 0);
  static constexpr int lowest_bit = -64;

  struct memory {
    typename column::word bin[column::rows][threads];
  };

  column b;
  std::int64_t* team_digits;
  int part, deposits = 0;
  struct notes {
    element_kinds kinds{};
    /// Where bins are of scaled products: 1 of very large ones, -1 of small ones.
    int window = 0;
    bool has_nonzero = false;  ///< the warp has terms of each part that are not 0
  } noted;

  __device__ exact_bins(memory& m, std::int64_t* digit, int thread, int which)
      : b{{&m.bin[0][thread]}}, team_digits(digit), part(which) {
    for (int r = 0; r < column::rows; ++r) b.row(r) = 0;
  }

  /// Terms that are added together, in registers.
  template <int N>
  struct batch {
    term t[N];
  };
  template <int N>
  __device__ void add(const batch<N>& terms, unsigned present) {
    if ((deposits += N * policy::deposits) > column::capacity) {
      b.carry();
      deposits = N * policy::deposits;
    }
    const auto care = need_of_care(terms.t);
    if (!__any_sync(all_lanes, care != 0)) return deposit_terms(terms.t);
    if constexpr (policy::has_wide) {
      noted = add_with_care(*this, terms, present);
    } else {
      // Code of its own to the end: where ways join, the loop would copy its terms.
      batch<N> tamed = terms;
      if (__any_sync(all_lanes, care != care)) tame(tamed.t);
      if (note(tamed.t, present)) deposit_terms(tamed.t);
    }
  }
  /// Not 0 where a term is not just what its addends add, or there may be nothing but zeros so far;
  /// of numbers, NaN where one is not finite.
  template <int N>
  __device__ auto need_of_care(const term (&t)[N]) const {
    if constexpr (policy::has_wide) {
      bool ordinary = noted.has_nonzero && noted.window == 0;
      ACC_UNROLL for (int k = 0; k < N; ++k) {
        ordinary = ordinary && policy::is_ordinary(t[k].x, t[k].y);
      }
      return int(!ordinary);
    } else {
      // 0 times what is not finite is NaN. In two chains, so that it takes less time.
      using value = decltype(policy::value_of(scalar(), scalar()));
      value check[2] = {value(noted.has_nonzero ? 0 : 1), 0};
      ACC_UNROLL for (int k = 0; k < N; ++k) {
        check[k % 2] = fma_zero(policy::value_of(t[k].x, t[k].y), check[k % 2]);
      }
      return check[0] + check[1];
    }
  }
  /// Rare, and so out of the way of the loop over batches.
  template <int N>
  __device__ __noinline__ static notes add_with_care(exact_bins s, batch<N> terms,
                                                     unsigned present) {
    s.tame_products(terms.t);
    if (s.note(terms.t, present)) s.deposit_terms(terms.t);
    return s.noted;
  }
  /// Notes kinds as long as there are none but zeros; whether there is anything to deposit.
  template <int N>
  __device__ bool note(const term (&t)[N], unsigned present) {
    if (noted.has_nonzero) return true;
    zero_kinds zeros;
    ACC_UNROLL for (int k = 0; k < N; ++k) {
      if (present >> k & 1) zeros.note(policy::value_of(t[k].x, t[k].y));
    }
    if (present != 0) noted.kinds.merge(zeros.kinds());
    const parts_of_warp<parts> nonzero((noted.kinds.bits & element_kinds::nonzero) != 0);
    noted.has_nonzero = nonzero.all();
    return nonzero.any();
  }
  template <int N>
  __device__ void deposit_terms(const term (&t)[N]) const {
    // Addends first and side by side: each addition to memory has to wait for the one before.
    constexpr int together = N < 4 ? N : 4;
    ACC_UNROLL for (int begin = 0; begin < N; begin += together) {
      typename column::addend a[together][policy::deposits];
      ACC_UNROLL for (int k = 0; k < together && begin + k < N; ++k) {
        policy::find_addends(t[begin + k].x, t[begin + k].y, a[k]);
      }
      ACC_UNROLL for (int k = 0; k < together && begin + k < N; ++k) {
        ACC_UNROLL for (int d = 0; d < policy::deposits; ++d) { b.add(a[k][d]); }
      }
    }
  }

  __device__ static float fma_zero(float x, float y) { return __fmaf_rn(x, 0.f, y); }
  __device__ static double fma_zero(double x, double y) { return __fma_rn(x, 0., y); }

  /// Replaces what is not finite by zeros.
  template <int N>
  __device__ void tame(term (&t)[N]) {
    unsigned found = 0;
    ACC_UNROLL for (int k = 0; k < N; ++k) {
      const unsigned kind = special_kind(policy::value_of(t[k].x, t[k].y));
      found |= kind;
      t[k].x = kind == 0 ? t[k].x : scalar(0);
      if (reader::products) t[k].y = kind == 0 ? t[k].y : scalar(0);
    }
    noted.kinds.merge({found});
  }
  /// The same of products. Scales those in the window, after it was moved to where all of them
  /// are, if they are all in one; the others go to the team's digits.
  template <int N>
  __device__ void tame_products(term (&t)[N]) {
    unsigned found = 0;
    bool plain = noted.window == 0;
    ACC_UNROLL for (int k = 0; k < N; ++k) {
      const bool finite = impl::is_finite(t[k].x) && impl::is_finite(t[k].y);
      found |= finite ? 0 : special_kind(t[k].x * t[k].y);
      t[k].x = finite ? t[k].x : 0;
      t[k].y = finite ? t[k].y : 0;
      plain = plain && (policy::is_ordinary(t[k].x, t[k].y) || t[k].x == 0 || t[k].y == 0);
    }
    noted.kinds.merge({found});
    if (!__any_sync(all_lanes, !plain)) return;
    unsigned outside = 0;  // a bit for each window
    ACC_UNROLL for (int k = 0; k < N; ++k) {
      if (t[k].x == 0 || t[k].y == 0) continue;
      ACC_UNROLL for (int w = -1; w <= 1; ++w) {
        if (!policy::is_in(w, t[k].x, t[k].y)) outside |= 1u << (w + 1);
      }
    }
    outside = __reduce_or_sync(all_lanes, outside);
    if ((outside & 1u << (noted.window + 1)) != 0 && outside != 7) {
      flush();
      noted.window = (outside & 2) == 0 ? 0 : (outside & 4) == 0 ? 1 : -1;
    }
    const double scale = policy::scale_of(noted.window);
    ACC_UNROLL for (int k = 0; k < N; ++k) {
      const bool is_zero = t[k].x == 0 || t[k].y == 0;
      if (outside == 7 && !is_zero && !policy::is_in(noted.window, t[k].x, t[k].y)) {
        noted.kinds.merge({element_kinds::nonzero});
        policy::add_wide(t[k].x, t[k].y, team_digits);
        t[k].x = t[k].y = 0;
      }
      t[k].x *= is_zero ? 1 : scale;
      t[k].y *= is_zero ? 1 : scale;
    }
  }
  /// Moves the bins of a warp to the team's digits.
  __device__ void flush() {
    const int lane = threadIdx.y % warp_size;
    ACC_NO_UNROLL for (int r = 0; r < column::rows; ++r) {
      std::int64_t low = b.row(r) & 0xffffffff, high = b.row(r) >> 32;
      b.row(r) = 0;
      if (!__any_sync(all_lanes, (low | high) != 0)) continue;
      ACC_NO_UNROLL for (int d = warp_size / 2; d >= parts; d /= 2) {
        low += __shfl_down_sync(all_lanes, low, d);
        high += __shfl_down_sync(all_lanes, high, d);
      }
      if (lane < parts)
        add_to_digits(team_digits, bit_of(r, 0) + 2 * policy::lift * noted.window, low, high);
    }
  }

  __device__ element_kinds kinds() const { return noted.kinds; }
  __device__ void finish_thread(memory&, unsigned*, int) {
    if constexpr (policy::has_wide)
      if (noted.window != 0) flush();
  }

  // Rows of a team's sum: the bins', and those of the digits that wide products went to.

  __device__ static bool is_digit(int row) { return row >= column::rows; }
  __device__ static int bit_of(int row, int) {
    return is_digit(row) ? 32 * (row - column::rows)
                         : column::lowest - policy::base + row * column::width;
  }
  __device__ static int unit_of(int) { return policy::base; }

  /// Calls f(part, row, low, high) by one thread for each row that is not 0.
  template <class F>
  __device__ static void for_each_row(const memory& m, const std::int64_t (*digit)[digits + 2],
                                      int thread, const F& f) {
    const int warp = thread / warp_size, lane = thread % warp_size;
    ACC_NO_UNROLL for (int r = warp; r < column::rows; r += threads / warp_size) {
      std::int64_t low = 0, high = 0;
      ACC_UNROLL for (int t = lane; t < threads; t += warp_size) {
        const std::int64_t v = column::units(m.bin[r][t], r);
        low += v & 0xffffffff;
        high += v >> 32;
      }
      if (!__any_sync(all_lanes, (low | high) != 0)) continue;
      ACC_NO_UNROLL for (int d = warp_size / 2; d >= parts; d /= 2) {
        low += __shfl_down_sync(all_lanes, low, d);
        high += __shfl_down_sync(all_lanes, high, d);
      }
      if (lane < parts && (low | high) != 0) f(lane, r, low, high);
    }
    if constexpr (policy::has_wide) {
      ACC_NO_UNROLL for (int i = thread; i < parts * digits; i += threads) {
        const std::int64_t d = digit[i / digits][i % digits];
        if (d != 0) f(i / digits, column::rows + i % digits, d & 0xffffffff, d >> 32);
      }
    }
  }
  template <class Total>
  __device__ static void add_digits(Total& total, const std::int64_t* digit, int) {
    ACC_NO_UNROLL for (int i = 0; i < digits + 2; ++i) {
      if (digit[i] != 0) total.add_integer(digit[i], policy::base + 32 * i);
    }
  }
};

}  // namespace acc::backends::cuda

#endif
