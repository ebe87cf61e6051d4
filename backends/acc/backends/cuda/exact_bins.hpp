// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_EXACT_BINS_HPP
#define ACC_BACKENDS_CUDA_EXACT_BINS_HPP

/// \file
/// A thread's bins of an exact sum, and how terms enter them (docs/arithmetic.md, "On a GPU").

#include <acc/backends/cuda/terms.hpp>

namespace acc::backends {

/// A thread's column of bins in memory of its team, each row 2^Width times the one below. Teams: so
/// many fit a multiprocessor.
template <int Width, int Rows, int Threads, int Teams>
struct bin_column {
  static constexpr int width = Width, rows = Rows, threads = Threads, teams = Teams;

  std::int64_t* column;

  __device__ std::int64_t& row(int r) const { return column[r * threads]; }
  /// Leaves less than 2^width in each row but the last. Rounds to nearest: else the carry of a
  /// negative sum would run through all rows above it, and those would no longer be 0.
  __device__ void carry() const {
#pragma unroll 1
    for (int r = 0; r < rows - 1; ++r) {
      const std::int64_t over = (row(r) + (std::int64_t(1) << (width - 1))) >> width;
      row(r) -= over << width;
      row(r + 1) += over;
    }
  }
};

/// Bins for doubles from 2^(48 First - 1074) to 2^(48 (First + Rows) - 1118).
template <int First, int Rows, int Threads>
struct double_bins : bin_column<48, Rows, Threads, Threads == 128 ? 4 : 3> {
  static constexpr int lowest = 48 * First - 1074;
  /// Deposits between two carries: an addend is at most 2^52, and a row holds less than 2^49 then.
  static constexpr int capacity = 1920;
  /// High words of |x| from here on are not for `addend_of`.
  static constexpr unsigned too_large = unsigned(48 * (First + Rows) - 95) << 20;

  __device__ static unsigned high_word(double x) {
    return unsigned(__double2hiint(x)) & 0x7fffffffu;
  }

  /// What a number adds to two rows.
  struct addend {
    int row;
    std::int64_t low, high;
  };
  /// x, |x| in the range of all rows but the last, `up` rows above its place. The exponent e
  /// belongs to q = (e - 1) / 48. Adding M = 1.5 2^53 units of row q + 1 rounds x to two of those
  /// units; subtracting M + N for N = 1.5 2^52 units of row q leaves x minus what was rounded off
  /// plus N. Both low words count units: bits(x + M) - bits(M) in twos of row q + 1, bits(s) -
  /// bits(N) in row q.
  __device__ static addend addend_of(double x, int up = 0) {
    const int e = (__double2hiint(x) >> 20) & 0x7ff;
    int q = (e * 21845) >> 20;
    if (First > 0) q = max(q, First);
    const int high = q * (48 << 20) + (50 << 20 | 0x80000);
    const double m = __hiloint2double(high, 0), m_and_n = __hiloint2double(high, 12);
    const double t = __dadd_rn(x, m);
    const double s = __dsub_rn(x, __dsub_rn(t, m_and_n));
    return {q - First + up, __double_as_longlong(s) - (std::int64_t(high - (49 << 20)) << 32),
            (__double_as_longlong(t) - (std::int64_t(high) << 32)) * 2};
  }
  __device__ void add(const addend& a) const {
    std::int64_t& low = this->row(a.row);
    std::int64_t& high = this->row(a.row + 1);
    low += a.low;
    high += a.high;
  }
};

/// Bins for floats; a float's 24 digits need one row.
struct float_bins : bin_column<16, 16, 256, 3> {
  static constexpr int lowest = -150;
  /// An addend is at most 2^39.
  static constexpr int capacity = 1 << 22;
  static constexpr unsigned too_large = 255u << 23;

  __device__ static unsigned high_word(float x) { return __float_as_uint(x) & 0x7fffffffu; }

  struct addend {
    int row;
    std::int64_t units;
  };
  __device__ static addend addend_of(float x) {
    const unsigned bits = __float_as_uint(x);
    const int high = ((bits & 0x78000000u) >> 3) + (925 << 20 | 0x80000);
    const double t = __dadd_rn(double(x), __hiloint2double(high, 0));
    return {int(bits >> 27 & 15), __double_as_longlong(t) - (std::int64_t(high) << 32)};
  }
  __device__ void add(const addend& a) const { row(a.row) += a.units; }
};

/// How the terms of a sum over T enter bins; Products: x y, else x. A sum's digits, of 32 bits, are
/// those from 2^base up. A term is ordinary where range_of is below `ordinary`; then it is what its
/// addends add, else a finite one is deposited by deposit_any. Loads: what a thread's registers
/// have room for (docs/performance.md).
template <class T, bool Products>
struct exact_terms;

template <>
struct exact_terms<double, false> {
  using bins = double_bins<0, 44, 128>;
  static constexpr int loads = 4, deposits = 1, base = bins::lowest, digits = 72;

  __device__ static unsigned range_of(double x, double) { return bins::high_word(x); }
  static constexpr unsigned ordinary = bins::too_large, not_finite = 2047u << 20;
  __device__ static void find_addends(double x, double, bins::addend (&a)[deposits]) {
    a[0] = bins::addend_of(x);
  }
  __device__ static void deposit_any(const bins& b, double x, double, std::int64_t*) {
    const bool is_large = bins::high_word(x) >= bins::too_large;
    b.add(bins::addend_of(is_large ? x * 0x1p-48 : x, is_large));
  }
};

template <>
struct exact_terms<float, false> {
  using bins = float_bins;
  static constexpr int loads = 3, deposits = 1, base = bins::lowest, digits = 12;

  __device__ static unsigned range_of(float x, float) { return bins::high_word(x); }
  static constexpr unsigned ordinary = bins::too_large, not_finite = bins::too_large;
  __device__ static void find_addends(float x, float, bins::addend (&a)[deposits]) {
    a[0] = bins::addend_of(x);
  }
  __device__ static void deposit_any(const bins& b, float x, float, std::int64_t*) {
    b.add(bins::addend_of(x));
  }
};

/// Products of floats are doubles, multiples of 2^-298 and below 2^256.
template <>
struct exact_terms<float, true> {
  using bins = double_bins<15, 13, 256>;
  static constexpr int loads = 2, deposits = 1, base = -298, digits = 24;

  __device__ static double product(float x, float y) { return __dmul_rn(double(x), double(y)); }
  __device__ static unsigned range_of(float x, float y) { return bins::high_word(product(x, y)); }
  static constexpr unsigned ordinary = bins::too_large;
  __device__ static void find_addends(float x, float y, bins::addend (&a)[deposits]) {
    a[0] = bins::addend_of(product(x, y));
  }
  __device__ static void deposit_any(const bins& b, float x, float y, std::int64_t*) {
    b.add(bins::addend_of(product(x, y)));
  }
};

/// Adds (low + 2^32 high) * 2^bit to 32-bit digits in 64-bit words; |low|, |high| < 2^40. A
/// multiple of 2^-bit may have a negative bit.
__device__ inline void add_to_digits(std::int64_t* digits, int bit, std::int64_t low,
                                     std::int64_t high) {
  auto* const at = reinterpret_cast<unsigned long long*>(digits) + max(bit, 0) / 32;
  __int128 total = ((__int128)high << 32) + low;
  total = bit < 0 ? total >> -bit : total << (bit % 32);
  const auto first = std::uint64_t(total & 0xffffffff),
             second = std::uint64_t(total >> 32 & 0xffffffff);
  const auto rest = std::uint64_t(total >> 64);
  if (first != 0) atomicAdd(at, first);
  if (second != 0) atomicAdd(at + 1, second);
  if (rest != 0) atomicAdd(at + 2, rest);
}

/// A product and the error of its rounding are doubles where it is not too close to the ends of
/// their range; further out, its 106 bits go to the digits of the team.
template <>
struct exact_terms<double, true> {
  using bins = double_bins<0, 44, 128>;
  static constexpr int loads = 4, deposits = 2, base = -2148, digits = 136;

  /// The error is a multiple of 2^-1074 if the product is at least 2^-968.
  static constexpr unsigned too_small = unsigned(1023 - 968) << 20;
  __device__ static unsigned range_of(double x, double y) {
    return bins::high_word(__dmul_rn(x, y)) - too_small;
  }
  static constexpr unsigned ordinary = bins::too_large - too_small;
  __device__ static void find_addends(double x, double y, bins::addend (&a)[deposits]) {
    const double p = __dmul_rn(x, y);
    a[0] = bins::addend_of(p);
    a[1] = bins::addend_of(__fma_rn(x, y, -p));
  }
  __device__ static void deposit_any(const bins& b, double x, double y, std::int64_t* team_digits) {
    if (range_of(x, y) < ordinary) {
      bins::addend a[deposits];
      find_addends(x, y, a);
      b.add(a[0]);
      return b.add(a[1]);
    }
    using format = impl::ieee<double>;
    const impl::number_parts f = format::parts(x), g = format::parts(y);
    const int bit = f.exponent + g.exponent - base;
    const std::int64_t sign = f.negative != g.negative ? -1 : 1;
    const std::uint64_t low = f.mantissa * g.mantissa, high = __umul64hi(f.mantissa, g.mantissa);
    const auto add = [&](std::uint64_t word, int at) {
      add_to_digits(team_digits, at, sign * std::int64_t(word & 0xffffffff),
                    sign * std::int64_t(word >> 32));
    };
    if (low != 0) add(low, bit);
    if (high != 0) add(high, bit + 64);
  }
};

}  // namespace acc::backends

#endif
