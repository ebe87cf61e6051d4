// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_EXACT_BINS_HPP
#define ACC_BACKENDS_CUDA_SUMS_EXACT_BINS_HPP

/// \file
/// A thread's bins of an exact sum, in scratch memory: which terms enter them at once, which take
/// the slow path, and how a team adds its bins up.

#include <acc/backends/cuda/sums/digits.hpp>
#include <acc/backends/cuda/sums/order_free_terms.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>

#include <cstdint>

namespace acc::backends::cuda {

/// A thread's part of an exact sum. Parts: sums that the threads of a warp keep in turn: the parts
/// of one sum, or sums of their own.
template <class R, int Parts = term_reader<R>::parts>
struct exact_bins {
  using scalar = typename R::scalar;
  using reader = term_reader<R>;
  using term = typename reader::term;
  using policy = exact_terms<scalar, reader::products>;
  using own_bins = typename policy::bins;
  static constexpr tuning::order_free_shape shape = policy::shape;
  static constexpr int threads = shape.threads;
  static constexpr int parts = Parts, digits = policy::digits;
  /// Bins of a team's sum: those of its threads, then a bin for each digit of wide products.
  static constexpr int team_bins = own_bins::count + (policy::has_wide ? digits : 0);
  static constexpr int lowest_bit = -64;

  struct memory {
    typename own_bins::word bin[own_bins::count][threads];
  };

  own_bins own;
  std::int64_t* team_digits;
  int part, deposits = 0;
  struct notes {
    element_kinds kinds{};
    int scale_class = 0;  ///< of the products in the bins (exact_terms<double, true>)
    /// Zeros change no sum from here on: the warp has terms of each part that are not 0; or, of
    /// threads with sums of their own, not -0.
    bool settled = false;
  } noted;

  __device__ exact_bins(memory& m, std::int64_t* digit, int thread, int which)
      : own{{&m.bin[0][thread]}}, team_digits(digit), part(which) {
    for (int i = 0; i < own_bins::count; ++i) own.bin(i) = 0;
  }

  /// Terms that are added together, in registers.
  template <int N>
  struct batch {
    term t[N];
  };
  template <int N>
  __device__ void add(const batch<N>& terms, unsigned present) {
    if ((deposits += N * policy::deposits) > own_bins::capacity) {
      own.carry();
      deposits = N * policy::deposits;
    }
    const auto slow = needs_slow_path(terms.t);
    if constexpr (policy::has_wide) {
      bool is_slow = __any_sync(full_warp, slow != 0);
      if (is_slow && noted.settled)
        is_slow = __any_sync(full_warp, noted.scale_class != 0 || !are_ordinary_or_zero(terms.t));
      if (!is_slow) return deposit_terms(terms.t);
      noted = add_slow(*this, terms, present);
    } else {
      if (!__any_sync(full_warp, slow != 0)) return deposit_terms(terms.t);
      // This path does not rejoin the other one: there the loop would copy its terms.
      batch<N> finite = terms;
      if (__any_sync(full_warp, slow != slow)) zero_nonfinite(finite.t);
      if (note(finite.t, present)) deposit_terms(finite.t);
    }
  }
  /// Not 0 if a term is more than what its addends add, or if there may be nothing except zeros so
  /// far. NaN if a term that is one number is not finite.
  template <int N>
  __device__ auto needs_slow_path(const term (&t)[N]) const {
    if constexpr (policy::has_wide) {
      bool ordinary = noted.settled && noted.scale_class == 0;
      ACC_UNROLL for (int k = 0; k < N; ++k) {
        ordinary = ordinary && policy::is_ordinary(t[k].x, t[k].y);
      }
      return int(!ordinary);
    } else {
      // 0 times a number that is not finite is NaN. Two chains take less time than one.
      using value = decltype(policy::value_of(scalar(), scalar()));
      value check[2] = {value(noted.settled ? 0 : 1), 0};
      ACC_UNROLL for (int k = 0; k < N; ++k) {
        check[k % 2] = fma_zero(policy::value_of(t[k].x, t[k].y), check[k % 2]);
      }
      return check[0] + check[1];
    }
  }
  /// The addends of a factor of zero and another finite one are zeros.
  template <int N>
  __device__ static bool are_ordinary_or_zero(const term (&t)[N]) {
    bool all = true;
    ACC_UNROLL for (int k = 0; k < N; ++k) {
      const bool is_zero =
          (t[k].x == 0 || t[k].y == 0) && policy::value_of(t[k].x, t[k].y) == 0;  // else NaN
      all = all && (is_zero || policy::is_ordinary(t[k].x, t[k].y));
    }
    return all;
  }
  /// Rare, so it is out of line.
  template <int N>
  __device__ __noinline__ static notes add_slow(exact_bins s, batch<N> terms, unsigned present) {
    s.zero_nonfinite_and_rescale(terms.t);
    if (s.note(terms.t, present)) s.deposit_terms(terms.t);
    return s.noted;
  }
  /// Notes kinds until a term is not zero. Returns whether there is anything to deposit.
  template <int N>
  __device__ bool note(const term (&t)[N], unsigned present) {
    if (noted.settled) return true;
    zero_kinds zeros;
    ACC_UNROLL for (int k = 0; k < N; ++k) {
      if (present >> k & 1) zeros.note(policy::value_of(t[k].x, t[k].y));
    }
    if (present != 0) noted.kinds.merge(zeros.kinds());
    const parts_of_warp<parts> nonzero((noted.kinds.bits & element_kinds::nonzero) != 0);
    noted.settled = nonzero.all();
    // Zeros are -0 together if all of them are. One column of +0 shall not hold up its neighbors.
    if constexpr (parts == warp_size) {
      constexpr unsigned not_minus_zero = element_kinds::nonzero | element_kinds::plus_zero;
      noted.settled = parts_of_warp<parts>((noted.kinds.bits & not_minus_zero) != 0).all();
    }
    return nonzero.any();
  }
  template <int N>
  __device__ void deposit_terms(const term (&t)[N]) const {
    // All addends first: each addition to memory has to wait for the one before.
    constexpr int together = N < shape.chains ? N : shape.chains;
    ACC_UNROLL for (int begin = 0; begin < N; begin += together) {
      typename own_bins::addend a[together][policy::deposits];
      ACC_UNROLL for (int k = 0; k < together && begin + k < N; ++k) {
        policy::find_addends(t[begin + k].x, t[begin + k].y, a[k]);
      }
      ACC_UNROLL for (int k = 0; k < together && begin + k < N; ++k) {
        ACC_UNROLL for (int d = 0; d < policy::deposits; ++d) { own.add(a[k][d]); }
      }
    }
  }

  __device__ static float fma_zero(float x, float y) { return __fmaf_rn(x, 0.f, y); }
  __device__ static double fma_zero(double x, double y) { return __fma_rn(x, 0., y); }

  /// Notes the kinds of terms that are not finite, and replaces them by zeros.
  template <int N>
  __device__ void zero_nonfinite(term (&t)[N]) {
    unsigned found = 0;
    ACC_UNROLL for (int k = 0; k < N; ++k) {
      const unsigned kind = special_kind(policy::value_of(t[k].x, t[k].y));
      found |= kind;
      t[k].x = kind == 0 ? t[k].x : scalar(0);
      if (reader::products) t[k].y = kind == 0 ? t[k].y : scalar(0);
    }
    noted.kinds.merge({found});
  }
  /// The same for products of doubles. If all products of the warp (of the thread, if it has a sum
  /// of its own) are of one scale class, the bins change to it, and the factors are scaled;
  /// otherwise products of other classes than the bins' enter the digits of the team.
  template <int N>
  __device__ void zero_nonfinite_and_rescale(term (&t)[N]) {
    unsigned found = 0;
    bool plain = noted.scale_class == 0;
    ACC_UNROLL for (int k = 0; k < N; ++k) {
      const bool finite = impl::is_finite(t[k].x) && impl::is_finite(t[k].y);
      found |= finite ? 0 : special_kind(t[k].x * t[k].y);
      t[k].x = finite ? t[k].x : 0;
      t[k].y = finite ? t[k].y : 0;
      plain = plain && (policy::is_ordinary(t[k].x, t[k].y) || t[k].x == 0 || t[k].y == 0);
    }
    noted.kinds.merge({found});
    if (!__any_sync(full_warp, !plain)) return;
    unsigned outside = 0;  // bit c + 1: a product is not of scale class c
    ACC_UNROLL for (int k = 0; k < N; ++k) {
      if (t[k].x == 0 || t[k].y == 0) continue;
      ACC_UNROLL for (int c = -1; c <= 1; ++c) {
        if (!policy::is_in(c, t[k].x, t[k].y)) outside |= 1u << (c + 1);
      }
    }
    if constexpr (parts != warp_size) outside = __reduce_or_sync(full_warp, outside);
    if ((outside & 1u << (noted.scale_class + 1)) != 0 && outside != 7) {
      flush();
      noted.scale_class = (outside & 2) == 0 ? 0 : (outside & 4) == 0 ? 1 : -1;
    }
    const double scale = policy::scale_of(noted.scale_class);
    ACC_UNROLL for (int k = 0; k < N; ++k) {
      const bool is_zero = t[k].x == 0 || t[k].y == 0;
      if (outside == 7 && !is_zero && !policy::is_in(noted.scale_class, t[k].x, t[k].y)) {
        noted.kinds.merge({element_kinds::nonzero});
        policy::add_wide(t[k].x, t[k].y, team_digits);
        t[k].x = t[k].y = 0;
      }
      t[k].x *= is_zero ? 1 : scale;
      t[k].y *= is_zero ? 1 : scale;
    }
  }
  /// Moves the bins of a warp, or of a thread that has a sum of its own, to the team's digits.
  __device__ void flush() {
    const int lane_id = threadIdx.y % warp_size;
    ACC_NO_UNROLL for (int i = 0; i < own_bins::count; ++i) {
      std::int64_t low = own.bin(i) & 0xffffffff, high = own.bin(i) >> 32;
      own.bin(i) = 0;
      if constexpr (parts == warp_size) {
        if ((low | high) == 0) continue;
      } else {
        if (!__any_sync(full_warp, (low | high) != 0)) continue;
        ACC_NO_UNROLL for (int d = warp_size / 2; d >= parts; d /= 2) {
          low += __shfl_down_sync(full_warp, low, d);
          high += __shfl_down_sync(full_warp, high, d);
        }
      }
      if (lane_id < parts)
        add_to_digits(team_digits, bit_of(i, 0) + 2 * policy::lift * noted.scale_class, low, high);
    }
  }

  __device__ element_kinds kinds() const { return noted.kinds; }
  __device__ void finish_thread(memory&, unsigned*, int) {
    if constexpr (policy::has_wide)
      if (noted.scale_class != 0) flush();
  }

  __device__ static bool is_digit(int bin) { return bin >= own_bins::count; }
  /// The bit of the team's digits at which a bin of the team's sum begins.
  __device__ static int bit_of(int bin, int) {
    return is_digit(bin) ? 32 * (bin - own_bins::count)
                         : own_bins::lowest - policy::base + bin * own_bins::width;
  }
  __device__ static int unit_of(int) { return policy::base; }

  /// Calls f(part, bin, low, high) by one thread for each bin of the team's sum that is not 0.
  template <class F>
  __device__ static void for_each_bin(const memory& m, const std::int64_t (*digit)[digits + 2],
                                      int thread, const F& f) {
    for_each_thread_bin(m, thread, f);
    if constexpr (policy::has_wide) {
      ACC_NO_UNROLL for (int i = thread; i < parts * digits; i += threads) {
        const std::int64_t d = digit[i / digits][i % digits];
        if (d != 0) f(i / digits, own_bins::count + i % digits, d & 0xffffffff, d >> 32);
      }
    }
  }
  /// The same for the bins of its threads alone.
  template <class F>
  __device__ static void for_each_thread_bin(const memory& m, int thread, const F& f) {
    const int warp = thread / warp_size, lane_id = thread % warp_size;
    ACC_NO_UNROLL for (int i = warp; i < own_bins::count; i += threads / warp_size) {
      std::int64_t low = 0, high = 0;
      ACC_UNROLL for (int t = lane_id; t < threads; t += warp_size) {
        const std::int64_t v = own_bins::units(m.bin[i][t], i);
        low += v & 0xffffffff;
        high += v >> 32;
      }
      if (!__any_sync(full_warp, (low | high) != 0)) continue;
      ACC_NO_UNROLL for (int d = warp_size / 2; d >= parts; d /= 2) {
        low += __shfl_down_sync(full_warp, low, d);
        high += __shfl_down_sync(full_warp, high, d);
      }
      if (lane_id < parts && (low | high) != 0) f(lane_id, i, low, high);
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
