// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_EXACT_BINS_HPP
#define ACC_BACKENDS_CUDA_EXACT_BINS_HPP

/// \file
/// A thread's bins of an exact sum, and how terms enter them (docs/arithmetic.md, "On a GPU"). They
/// are in scratch memory, a row for each range of exponents and a column for each thread, so that
/// no data makes threads collide.

#include <acc/backends/cuda/digits.hpp>
#include <acc/backends/cuda/terms.hpp>
#include <acc/backends/cuda/unroll.hpp>

namespace acc::backends {

/// A thread's column of bins, each row 2^Width times the one below.
template <class Word, int Width, int Rows, int Threads>
struct bin_column {
  using word = Word;
  static constexpr int width = Width, rows = Rows, threads = Threads;

  Word* column;

  __device__ Word& row(int r) const { return column[r * threads]; }
};

/// Integer bins for doubles from 2^(48 First - 1074) to 2^(48 (First + Rows) - 1070).
template <int First, int Rows, int Threads>
struct double_bins : bin_column<std::int64_t, 48, Rows, Threads> {
  static constexpr int lowest = 48 * First - 1074;
  /// Deposits between two carries: an addend is at most 2^52, and a row holds less than 2^49 then.
  static constexpr int capacity = 1920;

  /// Leaves less than 2^width in each row but the last. Rounds to nearest: else the carry of a
  /// negative sum would run through all rows above it, and those would no longer be 0.
  __device__ void carry() const {
    ACC_NO_UNROLL for (int r = 0; r < Rows - 1; ++r) {
      const std::int64_t over = (this->row(r) + (std::int64_t(1) << 47)) >> 48;
      this->row(r) -= over << 48;
      this->row(r + 1) += over;
    }
  }
  __device__ static std::int64_t units(std::int64_t word, int) { return word; }

  /// What a number adds to two rows.
  struct addend {
    int row;
    std::int64_t low, high;
  };
  /// The exponent e of x belongs to q = (e - 1) / 48. Adding M = 1.5 2^53 units of row q + 1 rounds
  /// x to two of those units; subtracting M + N for N = 1.5 2^52 units of row q leaves x minus what
  /// was rounded off plus N. Both low words count units: bits(x + M) - bits(M) in twos of row q +
  /// 1, bits(s) - bits(N) in row q. For numbers of 2^942 and more M would overflow: they are scaled
  /// by 2^-48, by the additions themselves.
  __device__ static addend addend_of(double x) {
    constexpr int top = 41;
    const int e = (__double2hiint(x) >> 20) & 0x7ff;
    int q = (e * 21845) >> 20;
    if (First > 0) q = max(q, First);
    const int row = q - First;
    double scale = 1;
    if (First + Rows > top + 2) {
      scale = __hiloint2double(q > top ? (1023 - 48) << 20 : 1023 << 20, 0);
      q = min(q, top);
    }
    const int high = q * (48 << 20) + (50 << 20 | 0x80000);
    const double m = __hiloint2double(high, 0), m_and_n = __hiloint2double(high, 12);
    const double t = __fma_rn(x, scale, m);
    const double s = __fma_rn(x, scale, -__dsub_rn(t, m_and_n));
    return {row, __double_as_longlong(s) - (std::int64_t(high - (49 << 20)) << 32),
            (__double_as_longlong(t) - (std::int64_t(high) << 32)) * 2};
  }
  __device__ void add(const addend& a) const {
    std::int64_t& low = this->row(a.row);
    std::int64_t& high = this->row(a.row + 1);
    low += a.low;
    high += a.high;
  }
};

/// Bins for floats, which are doubles: a float's 24 digits need one row, and a double adds up 2^13
/// of them without an error, 2^40 units each. The last row takes carries only.
template <int Threads>
struct float_bins : bin_column<double, 16, 17, Threads> {
  static constexpr int lowest = -150;
  /// A row holds no more than 2^15 units of its own after a carry, and 2^37 from below.
  static constexpr int capacity = 8000;

  /// 2^power.
  __device__ static double power_of_two(int power) {
    return __hiloint2double((1023 + power) << 20, 0);
  }
  __device__ void carry() const {
    ACC_NO_UNROLL for (int r = 0; r + 1 < 17; ++r) {
      const double m = 1.5 * power_of_two(52 + lowest + 16 * (r + 1));
      const double over = __dsub_rn(__dadd_rn(this->row(r), m), m);
      this->row(r) -= over;
      this->row(r + 1) += over;
    }
  }
  __device__ static std::int64_t units(double word, int r) {
    return std::int64_t(word * power_of_two(-lowest - 16 * r));
  }

  struct addend {
    int row;
    double value;
  };
  __device__ static addend addend_of(float x) {
    return {int(__float_as_uint(x) >> 27 & 15), double(x)};
  }
  __device__ void add(const addend& a) const {
    double& sum = this->row(a.row);
    sum = __dadd_rn(sum, a.value);
  }
};

/// How the terms of a sum over T enter bins; Products: x y, else x. A sum's digits, of 32 bits, are
/// those from 2^base up. What remains 0 in `check` is finite.
template <class T, bool Products>
struct exact_terms;

template <>
struct exact_terms<double, false> {
  static constexpr kernel_shape shape{128, 4, 8, 4};
  using bins = double_bins<0, 44, shape.threads>;
  static constexpr int deposits = 1, base = bins::lowest, digits = 72;
  static constexpr bool has_wide = false;

  __device__ static double value_of(double x, double) { return x; }
  __device__ static void find_addends(double x, double, bins::addend (&a)[deposits]) {
    a[0] = bins::addend_of(x);
  }
};

template <>
struct exact_terms<float, false> {
  static constexpr kernel_shape shape{256, 4, 8, 3};
  using bins = float_bins<shape.threads>;
  static constexpr int deposits = 1, base = bins::lowest, digits = 12;
  static constexpr bool has_wide = false;

  __device__ static float value_of(float x, float) { return x; }
  __device__ static void find_addends(float x, float, bins::addend (&a)[deposits]) {
    a[0] = bins::addend_of(x);
  }
};

/// Products of floats are doubles, multiples of 2^-298 and below 2^256.
template <>
struct exact_terms<float, true> {
  static constexpr kernel_shape shape{256, 3, 4, 3};
  using bins = double_bins<15, 13, shape.threads>;
  static constexpr int deposits = 1, base = -298, digits = 24;
  static constexpr bool has_wide = false;

  __device__ static double value_of(float x, float y) { return __dmul_rn(double(x), double(y)); }
  __device__ static void find_addends(float x, float y, bins::addend (&a)[deposits]) {
    a[0] = bins::addend_of(value_of(x, y));
  }
};

/// A product and the error of its rounding are doubles where it is not too close to the ends of
/// their range. Further out they are those of scaled factors; a warp whose products are all there
/// has bins for those. Where a warp has both, the 106 bits of some go to the digits of the team.
template <>
struct exact_terms<double, true> {
  static constexpr kernel_shape shape{128, 4, 4, 3};
  using bins = double_bins<0, 44, shape.threads>;
  static constexpr int deposits = 2, base = -2148, digits = 136;
  static constexpr bool has_wide = true;

  __device__ static double value_of(double x, double y) { return __dmul_rn(x, y); }
  /// Whether p is at least 2^low and below 2^high, which may be infinity.
  __device__ static bool is_between(double p, int low, int high) {
    const unsigned word = unsigned(__double2hiint(p)) & 0x7fffffffu;
    return word - (unsigned(1023 + low) << 20) < unsigned(high - low) << 20;
  }
  /// Whether the addends are the product: its error is a multiple of 2^-1074 from 2^-968 on.
  __device__ static bool is_ordinary(double x, double y) {
    return is_between(__dmul_rn(x, y), -968, 1024);
  }
  /// Factors are scaled by 2^-lift. Whether the addends of such are the product, scaled: if so, the
  /// scaling was exact, since products that are far above or below have no factor of the other end.
  static constexpr int lift = 600;
  __device__ static double scale_of(int window) {
    return window == 0 ? 1 : window > 0 ? 0x1p-600 : 0x1p600;
  }
  __device__ static bool is_in(int window, double x, double y) {
    const double s = scale_of(window), p = __dmul_rn(x * s, y * s);
    if (window == 0) return is_ordinary(x, y);
    return window > 0 ? is_between(p, -300, 1024) : is_between(p, -960, 300);
  }
  __device__ static void find_addends(double x, double y, bins::addend (&a)[deposits]) {
    const double p = __dmul_rn(x, y);
    a[0] = bins::addend_of(p);
    a[1] = bins::addend_of(__fma_rn(x, y, -p));
  }
  /// Adds the product of two finite numbers to digits.
  __device__ static void add_wide(double x, double y, std::int64_t* to) {
    using format = impl::ieee<double>;
    const impl::number_parts f = format::parts(x), g = format::parts(y);
    const int bit = f.exponent + g.exponent - base;
    const std::int64_t sign = f.negative != g.negative ? -1 : 1;
    const std::uint64_t low = f.mantissa * g.mantissa, high = __umul64hi(f.mantissa, g.mantissa);
    const auto add = [&](std::uint64_t word, int at) {
      add_to_digits(to, at, sign * std::int64_t(word & 0xffffffff),
                    sign * std::int64_t(word >> 32));
    };
    if (low != 0) add(low, bit);
    if (high != 0) add(high, bit + 64);
  }
};

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

}  // namespace acc::backends

#endif
