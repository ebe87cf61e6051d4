// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_BINNED_REGISTERS_HPP
#define ACC_BACKENDS_CUDA_SUMS_BINNED_REGISTERS_HPP

/// \file
/// A thread's bins of a reproducible sum, in registers: a window, the bins of the largest term that
/// its warp has met. They have room for the deposits of 2^23 terms per thread.

#include <acc/backends/cuda/sums/digits.hpp>
#include <acc/backends/cuda/sums/order_free_terms.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/binned.hpp>
#include <acc/core/exact/magic.hpp>

#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

template <class R>
struct binned_registers {
  using scalar = typename R::scalar;
  using reader = term_reader<R>;
  using term = typename reader::term;
  using accumulator = typename R::accumulator;
  static constexpr int parts = reader::parts, bins = accumulator::bins;
  static constexpr int bin_width = accumulator::bin_width;
  static constexpr bool is_double = std::is_same_v<scalar, double>;
  /// A float is compared as it is; all other terms by the high words of doubles.
  static constexpr bool is_float = !is_double && !reader::products;
  static constexpr bool has_errors = is_double && reader::products;
  /// Terms as they are enter bins so many below their place in the sum; those of a sum that keeps
  /// lower bins than there are then are scaled up (binned_squares).
  static constexpr int unscaled = accumulator::unscaled;
  static constexpr bool has_low_bins = unscaled > 0;

  static constexpr tuning::order_free_shape shape =
      tuning::reproducible_shape(bins, is_double, reader::products, reader::has_y);
  static constexpr int threads = shape.threads;

  /// Bins of a team's sum: all that there can be.
  static constexpr int team_bins = accumulator::max_top + 1;
  // If only the value is wanted, the digits are those of the sum of the kept bins; otherwise each
  // bin has its own digits.
  static constexpr bool is_rounded = R::writes_value;
  static constexpr int spacing = is_rounded ? bin_width : 128;
  static constexpr int digits = (spacing * bins + 96) / 32 + 1;
  static constexpr int lowest_bit = 0;

  struct memory {
    std::int64_t bin[parts][team_bins][2];  ///< low and high 32 bits apart
  };

  /// Sums of the bit patterns of deposits, from the top bin down. settle() takes off the bits of M,
  /// which all deposits have in common.
  std::uint64_t sum[bins] = {};
  unsigned deposits = 0;  ///< in each bin, since settle()
  int top = bins - 1;     ///< the same in all threads of the warp that keep this part
  int lift = 0;           ///< the window is so many bins below its place; `unscaled`: terms are not
  unsigned limit = 0;     ///< terms from here on take the slow path
  int part;
  element_kinds found{};
  bool has_nonzero = false;  ///< the warp has terms of each part that are not 0

  __device__ binned_registers(memory& m, std::int64_t*, int thread, int which) : part(which) {
    for (int i = thread; i < parts * team_bins * 2; i += threads) m.bin[0][0][i] = 0;
    set_limit();
  }

  /// Terms that are added together, in registers.
  template <int N>
  struct batch {
    term t[N];
  };
  template <int N>
  __device__ void add(const batch<N>& b, unsigned present) {
    const unsigned word = largest_word(b.t);
    if (__any_sync(full_warp, word >= limit)) {
      add_slow(b, present, word);
    } else {
      deposit_terms(b.t);
    }
  }

  __device__ element_kinds kinds() const { return found; }
  /// Adds the warp's bins to the team's.
  __device__ void finish_thread(memory& m, unsigned* tops, int lane_id) {
    settle();
    ACC_UNROLL for (int k = 0; k < bins; ++k) {
      std::int64_t low = sum[k] & 0xffffffff, high = std::int64_t(sum[k]) >> 32;
      ACC_UNROLL for (int d = warp_size / 2; d >= parts; d /= 2) {
        low += __shfl_down_sync(full_warp, low, d);
        high += __shfl_down_sync(full_warp, high, d);
      }
      if (lane_id < parts && (low | high) != 0) {
        auto* const to = reinterpret_cast<unsigned long long*>(m.bin[part][top - k]);
        atomicAdd(to, low);
        atomicAdd(to + 1, high);
      }
    }
    if (lane_id < parts) atomicMax(&tops[part], unsigned(top));
  }

  __device__ static bool is_digit(int) { return false; }
  /// Below lowest_bit if the bin is not kept.
  __device__ static int bit_of(int bin, int top) { return spacing * (bin - (top - bins + 1)); }
  __device__ static int unit_of(int top) { return accumulator::unit_exponent(top - bins + 1); }

  /// Calls f(part, bin, low, high) by one thread for each bin of the team's sum that is not 0.
  template <class F>
  __device__ static void for_each_bin(const memory& m, const std::int64_t (*)[digits + 2],
                                      int thread, const F& f) {
    ACC_NO_UNROLL for (int i = thread; i < parts * team_bins; i += threads) {
      const std::int64_t low = m.bin[0][i][0], high = m.bin[0][i][1];
      if ((low | high) != 0) f(i / team_bins, i % team_bins, low, high);
    }
  }
  template <class Total>
  __device__ static void add_digits(Total& total, const std::int64_t* digit, int top) {
    total.raise(top);
    for (int k = 0; k < bins; ++k) {
      __int128 units = 0;
      for (int i = 4; i-- > 0;) units = (units << 32) + digit[4 * (bins - 1 - k) + i];
      total.add_to_bin(top - k, std::int64_t(units & ((std::int64_t(1) << bin_width) - 1)),
                       std::int64_t(units >> bin_width));
    }
  }

 private:
  /// High words from here on are infinite, NaN, or of numbers too large to add M to.
  static constexpr unsigned special =
                                unsigned(accumulator::end_of(accumulator::highest_magic) + 1023)
                                << 20,
                            not_finite = 2047u << 20;
  /// Such numbers are scaled by 2^-1000; as many bins as bring all of double's range below
  /// `special` would do.
  static constexpr int lifted_bins = reader::products ? accumulator::lifted_product : 25;

  /// The upper word of the magic number of bin k; the lower one is 0.
  __device__ int high_of(int k) const {
    return impl::magic_number::high_word(accumulator::unit_exponent(top - lift - k));
  }
  /// The word from which on terms are above the window, once lifted.
  __device__ unsigned window_end() const {
    if (is_float) {
      const int e = accumulator::end_of(top) + 127;
      return e <= 0 ? 0 : min(e, 255) << 23;
    }
    if (lift != 0 && !reader::products) return not_finite;
    return min(unsigned(accumulator::end_of(top - lift) + 1023) << 20, special);
  }
  /// All terms take the slow path while there may be nothing except zeros; so do scaled products.
  __device__ void set_limit() {
    limit = !has_nonzero || (has_errors && lift != unscaled) ? 0 : window_end();
  }

  /// Replaces terms that are not finite by zeros, notes kinds until a term is not zero, lifts the
  /// window if numbers are too large, and raises it. This path does not rejoin the other one: there
  /// the loop over batches would copy its terms.
  template <int N>
  __device__ void add_slow(batch<N> b, unsigned present, unsigned word) {
    if (__any_sync(full_warp, word >= (is_float ? 255u << 23 : not_finite))) {
      unsigned kinds = 0;
      ACC_UNROLL for (int k = 0; k < N; ++k) {
        term& t = b.t[k];
        const bool finite = impl::is_finite(t.x) && (!reader::products || impl::is_finite(t.y));
        kinds |= finite ? 0 : special_kind(reader::products ? t.x * t.y : t.x);
        t.x = finite ? t.x : scalar(0);
        if (reader::products) t.y = finite ? t.y : scalar(0);
      }
      found.merge({kinds});
      word = largest_word(b.t);
    }
    if (!has_nonzero) {
      zero_kinds zeros;
      ACC_UNROLL for (int k = 0; k < N; ++k) {
        if (present >> k & 1) zeros.note(zero_value(b.t[k]));
      }
      if (present != 0) found.merge(zeros.kinds());
      const parts_of_warp<parts> nonzero((found.bits & element_kinds::nonzero) != 0);
      if (!nonzero.any()) return;
      has_nonzero = nonzero.all();
      set_limit();
    }
    int lift_to = 0;
    if constexpr (has_errors) {
      const unsigned all = largest_of_all(word);
      const bool is_high = lift > unscaled || all >= special;
      lift_to = is_high ? unscaled + lifted_bins : unscaled;
      double scale = is_high ? accumulator::lifted_factor : 1;
      if constexpr (has_low_bins) {
        if (!is_high && max(top, top_of_word(all) + unscaled) < accumulator::low_end) {
          lift_to = 0;
          scale = accumulator::raised_factor;
        }
      }
      ACC_UNROLL for (int k = 0; k < N; ++k) {
        b.t[k].x *= scale;
        b.t[k].y *= scale;
      }
      word = largest_word(b.t);
    }
    if (__any_sync(full_warp, word >= window_end() || lift_to > lift)) {
      if (is_float) word = unsigned(__double2hiint(double(__uint_as_float(word))));
      const int to = max(bins - 1, top_of_word(largest_of_all(word)) + lift_to);
      if (is_double && !reader::products)
        lift_to = max(top, to) > accumulator::highest_magic ? lifted_bins : 0;
      raise(to, lift_to);
    }
    deposit_terms(b.t);
  }
  /// The top bin of terms as they are, the largest of which has this word.
  __device__ static int top_of_word(unsigned word) {
    return accumulator::top_of(int(word >> 20) - 1022);
  }
  /// A number that is a zero if the term is one, and then has its sign.
  __device__ static auto zero_value(const term& t) {
    if constexpr (has_low_bins) {
      return fabs(t.x);  // a square that underflows is no zero
    } else if constexpr (is_float) {
      return t.x;
    } else {
      return reader::rounded(t);
    }
  }

  template <int N>
  __device__ static unsigned largest_word(const term (&t)[N]) {
    if constexpr (is_float) {
      float largest = 0;
      ACC_UNROLL for (int k = 0; k < N; ++k) {
        asm("max.NaN.f32 %0, %0, %1;" : "+f"(largest) : "f"(fabsf(t[k].x)));
      }
      return __float_as_uint(largest);
    } else {
      unsigned largest = 0;
      ACC_UNROLL for (int k = 0; k < N; ++k) {
        largest = max(largest, unsigned(__double2hiint(reader::rounded(t[k]))) & 0x7fffffffu);
      }
      return largest;
    }
  }
  /// The largest word in all threads of the warp that keep this part.
  __device__ static unsigned largest_of_all(unsigned word) {
    ACC_UNROLL for (int d = warp_size / 2; d >= parts; d /= 2) {
      word = max(word, __shfl_xor_sync(full_warp, word, d));
    }
    return word;
  }

  /// Raises the window: drops bins from the bottom.
  __device__ void raise(int to, int lift_to) {
    settle();
    ACC_NO_UNROLL for (int shift = min(to - top, bins); shift > 0; --shift) {
      ACC_UNROLL for (int k = bins - 1; k > 0; --k) { sum[k] = sum[k - 1]; }
      sum[0] = 0;
    }
    top = max(top, to);
    lift = lift_to;
    set_limit();
  }
  /// Takes the bits of M off the sums.
  __device__ void settle() {
    ACC_UNROLL for (int k = 0; k < bins; ++k) {
      sum[k] -= std::uint64_t(deposits) * unsigned(high_of(k)) << 32;
    }
    deposits = 0;
  }

  template <int N>
  __device__ void deposit_terms(const term (&t)[N]) {
    constexpr int together = N < shape.chains ? N : shape.chains;
    static_assert(N % together == 0);
    ACC_UNROLL for (int begin = 0; begin < N; begin += together) {
      double value[together];
      ACC_UNROLL for (int i = 0; i < together; ++i) { value[i] = reader::rounded(t[begin + i]); }
      if constexpr (has_errors) {
        double error[together];
        ACC_UNROLL for (int i = 0; i < together; ++i) {
          error[i] = __fma_rn(t[begin + i].x, t[begin + i].y, -value[i]);
        }
        deposit(value);
        deposit(error);
      } else {
        deposit(value);
      }
    }
  }

  /// Deposits N numbers by magic numbers, side by side: one by one, each addition would wait for
  /// the one before.
  template <int N>
  __device__ void deposit(double (&x)[N]) {
    constexpr bool scales = is_double && !reader::products;
    constexpr int down = (1023 - bin_width * lifted_bins) << 20;
    const double scale = scales ? __hiloint2double(lift != 0 ? down : 1023 << 20, 0) : 1.;
    deposits += N;
    ACC_UNROLL for (int k = 0; k < bins; ++k) {
      const double m = __hiloint2double(high_of(k), 0);
      double t[N];
      ACC_UNROLL for (int i = 0; i < N; ++i) {
        t[i] = scales && k == 0 ? impl::counted(x[i], scale, m) : impl::counted(x[i], m);
      }
      // In pairs: an addition of three integers costs no more than one of two.
      ACC_UNROLL for (int i = 0; i + 1 < N; i += 2) { sum[k] += bits(t[i]) + bits(t[i + 1]); }
      if (N % 2 == 1) sum[k] += bits(t[N - 1]);
      if (k + 1 == bins) return;
      ACC_UNROLL for (int i = 0; i < N; ++i) { t[i] = impl::counted_part(t[i], m); }
      ACC_UNROLL for (int i = 0; i < N; ++i) {
        x[i] = scales && k == 0 ? impl::left_over(x[i], scale, t[i]) : impl::left_over(x[i], t[i]);
      }
    }
  }
  __device__ static std::uint64_t bits(double x) {
    return static_cast<std::uint64_t>(__double_as_longlong(x));
  }
};

}  // namespace acc::backends::cuda

#endif
