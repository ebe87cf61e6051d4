// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_ORDER_FREE_HPP
#define ACC_BACKENDS_HOST_ORDER_FREE_HPP

/// \file
/// Order-free sums in host execution spaces: an iteration of a parallel_for deposits a chunk of the
/// vector in a sum of its own, the last one to end merges them. Blocks go through the library's
/// vector kernels into windows of integer bins (host/window.hpp), whose totals enter the sum as
/// integers; what no window holds goes the long way, so the way a block takes changes no bits.

#include <acc/backends/host/window.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order_free.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace acc::backends {

/// The kernel's terms that serve a reduction's terms.
template <class Terms>
struct window_terms {
  using type = Terms;
};
template <>
struct window_terms<impl::sum_terms<2>> {
  using type = impl::sum_terms<1>;
};
template <>
struct window_terms<impl::square_terms> {
  using type = impl::product_terms;
};
template <bool Conjugate>
struct window_terms<impl::complex_product_terms<Conjugate>> {
  using type = host::cross_terms;
};

/// Which result the kernel's sum s of lanes of a parity belongs to, and whether it is subtracted.
template <class Terms>
struct window_part {
  static int result(int s, int parity) {
    return Terms::results == 1 ? 0 : Terms::sums == 1 ? parity : s;
  }
  static bool negated(int, int) { return false; }
};
template <bool Conjugate>
struct window_part<impl::complex_product_terms<Conjugate>> {
  static int result(int s, int) { return s; }
  static bool negated(int s, int parity) { return parity == 1 && s == int(Conjugate); }
};

/// A block of contiguous numbers: a multiple of host::window_step of them.
template <class T>
struct order_free_block {
  const T *x, *y;
  int size;

  /// Deposits it number by number in `parts`, of any type with add and add_product.
  template <class Terms, class Acc>
  void deposit(Acc* parts) const {
    for (int k = 0; k < size; ++k) {
      const int lane = k & 1;
      const T neighbour = Terms::sums == 2 ? y[k ^ 1] : y[k];
      const int first = Terms::sums == 1 && Terms::results == 2 ? lane : 0;
      Terms::deposit(parts + first, x[k], y[k], neighbour, lane);
    }
  }
};

/// 2^exponent * 1.5 * 2^52, which is a normal number.
inline double window_magic(int exponent) {
  return std::bit_cast<double>(std::uint64_t(exponent + 52 + 1023) << 52 | std::uint64_t(1) << 51);
}
/// The least e with |x| < 2^e for the number of these bits.
inline int window_exponent(std::uint64_t bits) {
  return bits >> 52 == 0 ? -1022 : int(bits >> 52) - 1022;
}

/// Looks at zeros: their signs, and products of nonzero numbers that underflow.
struct zero_scan {
  bool minus = false, plus = false, underflow = false;
  template <class T>
  void add(T x) {
    const bool negative = impl::ieee<T>::is_negative(x);
    minus |= negative;
    plus |= !negative;
  }
  template <class T>
  void add_product(T x, T y) {
    const double p = double(x) * double(y);
    underflow |= p == 0 && x != T(0) && y != T(0);
    add(p);
  }
  element_kinds kinds() const {
    return {(minus ? element_kinds::minus_zero : 0) | (plus ? element_kinds::plus_zero : 0)};
  }
};

/// Exact sums of any finite numbers and products, an integer bin for each 32 exponents: what a
/// block is deposited in that no window holds (Neal's large superaccumulator, with wider bins).
template <class T>
class exponent_bins {
  using format = impl::ieee<T>;
  __extension__ typedef __int128 wide;
  static constexpr int width = 32;
  /// Exponent fields of products, and below which of them add_integer takes whole bins.
  static constexpr int count = 2 * (format::is_float ? 256 : 2048) / width + 4;
  static constexpr int product_limit =
      superaccumulator<T>::max_exponent - superaccumulator<T>::unit_exponent - 6 * width;

 public:
  explicit exponent_bins(superaccumulator<T>& sum) : sum_(sum) {}

  void add(T x) {
    if (!impl::is_finite(x)) return sum_.add(x);
    const impl::number_parts p = format::parts(x);
    any_nonzero_ |= p.mantissa != 0;
    deposit(p.mantissa, p.exponent - format::lowest, p.negative, sums_);
  }
  void add_product(T x, T y) {
    if (!impl::is_finite(x) || !impl::is_finite(y)) return sum_.add_product(x, y);
    const impl::number_parts a = format::parts(x), b = format::parts(y);
    const int e = a.exponent + b.exponent - 2 * format::lowest;
    if (e >= product_limit) return sum_.add_product(x, y);
    const bool negative = a.negative != b.negative;
    const wide product = wide(a.mantissa) * wide(b.mantissa);
    any_nonzero_ |= product != 0;
    deposit(std::uint64_t(product), e, negative, products_);
    if constexpr (!format::is_float)
      deposit(std::uint64_t(product >> 64), e + 64, negative, products_);
  }
  /// Into the sum. Signs of zeros are not seen here.
  void flush() {
    for (int q = 0; q < count; ++q) {
      if (sums_[q] != 0) flush(sums_[q], format::lowest + width * q);
      if (products_[q] != 0) flush(products_[q], 2 * format::lowest + width * q);
    }
    if (any_nonzero_) sum_.add_kinds({element_kinds::nonzero});
  }

 private:
  static void deposit(std::uint64_t mantissa, int e, bool negative, wide* bins) {
    const int shift = e % width;  // a shift by less than 64 of 128 bits, without GCC's test of it
    const std::uint64_t low = mantissa << shift, high = mantissa >> 1 >> (63 - shift);
    const wide value = wide(low) | wide(high) << 64, sign = -wide(negative);
    bins[e / width] += (value ^ sign) - sign;
  }
  void flush(wide v, int exponent) {
    sum_.add_integer(std::int64_t(v & 0xffffffff), exponent);
    sum_.add_integer(std::int64_t(v >> 32 & 0xffffffff), exponent + 32);
    if (v >> 64 != 0) sum_.add_integer(std::int64_t(v >> 64), exponent + 64);
  }

  superaccumulator<T>& sum_;
  bool any_nonzero_ = false;
  wide sums_[count] = {}, products_[count] = {};
};

/// Whether a term was infinite or NaN.
inline bool has_infinite(const host::window_totals& totals, int sums) {
  for (int s = 0; s < sums; ++s)
    for (int parity = 0; parity < 2; ++parity)
      if (window_exponent(totals.max[s][parity]) > 1024) return true;
  return false;
}

/// A block without its infinities and NaN, which are deposited, with what they meet, one by one.
template <class R>
struct finite_block {
  using terms = typename R::terms;
  using scalar = typename R::scalar;
  alignas(64) scalar x[host::window_block], y[host::window_block];

  /// Whether there were any.
  bool take(typename R::total& sum, const order_free_block<scalar>& b) {
    bool found = false;
    const auto is_finite = [&](int k) {
      return impl::is_finite(b.x[k]) && impl::is_finite(b.y[k]);
    };
    for (int k = 0; k < b.size; ++k) {
      const bool finite = is_finite(k) && (terms::sums == 1 || impl::is_finite(b.y[k ^ 1]));
      // A factor 0 rather than a pair of numbers: y may belong to the neighbour too.
      x[k] = finite ? b.x[k] : scalar(0);
      y[k] = impl::is_finite(b.y[k]) ? b.y[k] : scalar(0);
      if (finite) continue;
      found = true;
      const int first = terms::sums == 1 && terms::results == 2 ? k & 1 : 0;
      terms::deposit(sum.part + first, b.x[k], b.y[k], b.y[terms::sums == 2 ? k ^ 1 : k], k & 1);
    }
    return found;
  }
  order_free_block<scalar> block(const order_free_block<scalar>& b) const {
    return {x, b.y == b.x ? x : y, b.size};
  }
};

/// How blocks enter a sum of the method, with what is worth remembering from block to block.
template <class R, class Accumulator>
class block_depositor;

template <class R, class T>
class block_depositor<R, superaccumulator<T>> {
  using terms = typename R::terms;
  using parts = window_part<terms>;
  using kernel_terms = typename window_terms<terms>::type;
  using block = order_free_block<T>;
  static constexpr bool products = kernel_terms::inputs == 2;
  static constexpr bool is_float = std::is_same_v<T, float>;
  static constexpr int spacing = 51;

  /// Windows by size: ordinary data, and the next ones for what is wider.
  static constexpr int sizes = products && !is_float ? 2 : products ? 2 : 3;
  static constexpr int bins[3] = {products ? (is_float ? 2 : 3) : (is_float ? 1 : 2),
                                  products ? 8 : (is_float ? 2 : 4), 8};

 public:
  block_depositor() {
    for (int i = 0; i < sizes; ++i)
      kernel_[i] = host::window_for_this_processor<kernel_terms, T>(bins[i], true);
  }

  void operator()(typename R::total& sum, const block& b) {
    // After a block that needed a larger window the next ones start with it; now and then a smaller
    // one is tried, less often where that was in vain.
    int size = size_;
    const bool probing = size_ > 0 && --patience_ == 0;
    if (probing) --size;
    host::window_totals totals = {};
    while (size < sizes && !fits(b, size, totals)) {
    }
    wait_ = probing && size >= size_ ? std::min(2 * wait_, 32) : size != size_ ? 1 : wait_;
    if (probing || size != size_) patience_ = wait_;
    size_ = size;
    if (size == sizes && has_infinite(totals, kernel_terms::sums)) {
      if (size_ == sizes) size_ = 0;
      return deposit_finite(sum, b);
    }
    if (size == sizes) return deposit_any(sum, b);
    deposit_window(sum, b, bins[size], totals);
  }

 private:
  /// The lowest top of a window of so many bins: no bin is below what the sum or a double holds.
  static int lowest_top(int n) {
    const int lowest = is_float ? superaccumulator<float>::unit_exponent : -1074;
    return lowest + 50 + spacing * (n - 1);
  }
  /// The highest top: of double's magic numbers, or of the sum's integers.
  static constexpr int highest_top = is_float ? superaccumulator<float>::max_exponent + 50 : 1021;

  /// Tries a window; where the block does not fit, takes another top or size for the next try.
  bool fits(const block& b, int& size, host::window_totals& totals) {
    const int n = bins[size];
    const int top = std::max(top_, lowest_top(n));
    double magic[host::max_window_bins];
    for (int k = 0; k < n; ++k) magic[k] = window_magic(top - 50 - spacing * k);
    kernel_[size](b.x, b.y, b.size, magic, &totals);
    std::uint64_t max = 0, min = ~std::uint64_t(0);
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        max = std::max(max, totals.max[s][parity]);
        min = std::min(min, totals.min[s][parity]);
      }
    }
    const int needed = window_exponent(max);
    if (needed > highest_top) {
      size = sizes;
    } else if (needed > top) {
      top_ = needed;
    } else if (totals.residue != 0) {
      if (std::max(needed, lowest_top(n)) == top) ++size;
      top_ = needed;
    } else if (products && !is_float && !products_are_exact(b, min)) {
      size = sizes;
    } else {
      return true;
    }
    return false;
  }

  /// Whether fma(x, y, -x y) was exact for all: no nonzero product is below 2^-969.
  static bool products_are_exact(const block& b, std::uint64_t min) {
    if (min >= std::bit_cast<std::uint64_t>(0x1p-969)) return true;
    if (min != 0) return false;
    bool inexact = false;
    for (int k = 0; k < b.size; ++k) {
      const auto check = [&](double x, double y) {
        inexact |= std::fabs(x * y) < 0x1p-969 && x != 0 && y != 0;
      };
      check(b.x[k], b.y[k]);
      if constexpr (terms::sums == 2) check(b.x[k], b.y[k ^ 1]);
    }
    return !inexact;
  }

  void deposit_window(typename R::total& sum, const block& b, int n,
                      const host::window_totals& totals) {
    const int top = std::max(top_, lowest_top(n));
    bool zeros = false;
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        superaccumulator<T>& part = sum.part[parts::result(s, parity)];
        const bool negated = parts::negated(s, parity);
        for (int k = 0; k < n; ++k) {
          const std::int64_t total = totals.total[s][parity][k];
          if (total != 0) part.add_integer(negated ? -total : total, top - 50 - spacing * k);
        }
        if (totals.max[s][parity] != 0) part.add_kinds({element_kinds::nonzero});
        zeros |= totals.max[s][parity] == 0;
      }
    }
    if (zeros) deposit_zeros(sum, b);
  }
  static void deposit_zeros(typename R::total& sum, const block& b) {
    bool matters = false;
    for (const auto& part : sum.part) matters |= (part.kinds().bits & element_kinds::nonzero) == 0;
    if (!matters) return;
    zero_scan scan[terms::results];
    b.template deposit<terms>(scan);
    for (int i = 0; i < terms::results; ++i) sum.part[i].add_kinds(scan[i].kinds());
  }

  __attribute__((noinline)) void deposit_finite(typename R::total& sum, const block& b) {
    finite_block<R> rest;
    if (!rest.take(sum, b)) return deposit_any(sum, b);
    (*this)(sum, rest.block(b));
  }
  __attribute__((noinline)) static void deposit_any(typename R::total& sum, const block& b) {
    if constexpr (terms::results == 1) {
      exponent_bins<T> bins[1] = {exponent_bins<T>(sum.part[0])};
      b.template deposit<terms>(bins);
      bins[0].flush();
    } else {
      exponent_bins<T> bins[2] = {exponent_bins<T>(sum.part[0]), exponent_bins<T>(sum.part[1])};
      b.template deposit<terms>(bins);
      for (auto& part : bins) part.flush();
    }
    deposit_zeros(sum, b);
  }

  host::window_function<T> kernel_[sizes];
  int top_ = 0, size_ = 0, patience_ = 0, wait_ = 1;
};

template <class R, class T, int K>
class block_depositor<R, binned<T, K>> {
  using terms = typename R::terms;
  using parts = window_part<terms>;
  using kernel_terms = typename window_terms<terms>::type;
  using block = order_free_block<T>;
  static constexpr int width = binned<T, K>::bin_width;
  /// The highest bin that a magic number of double's range serves.
  static constexpr int highest = 51;

 public:
  void operator()(typename R::total& sum, const block& b) {
    int top[terms::results];
    for (int i = 0; i < terms::results; ++i) top[i] = sum.part[i].top();
    for (;;) {
      // One window for all results: from the highest bin of any down to the lowest.
      const int high = *std::max_element(top, top + terms::results);
      const int low = *std::min_element(top, top + terms::results) - K + 1;
      const int wanted = high - low + 1;
      if (high > highest || wanted > host::max_window_bins) break;
      const int n = wanted > 4 ? 8 : wanted;
      // Bins below the first do not exist: the window starts higher.
      const int first = std::max(high, n - 1);
      if (n != bins_) {
        bins_ = n;
        kernel_ = host::window_for_this_processor<kernel_terms, T>(n, false);
      }
      double magic[host::max_window_bins];
      for (int k = 0; k < n; ++k) magic[k] = window_magic(width * (first - k) - 1074);
      host::window_totals totals;
      kernel_(b.x, b.y, b.size, magic, &totals);
      if (has_infinite(totals, kernel_terms::sums)) return deposit_finite(sum, b);
      if (!raised(top, totals)) return deposit_window(sum, b, top, first, n, totals);
    }
    b.template deposit<terms>(sum.part);
  }

 private:
  __attribute__((noinline)) void deposit_finite(typename R::total& sum, const block& b) {
    finite_block<R> rest;
    if (!rest.take(sum, b)) return b.template deposit<terms>(sum.part);
    (*this)(sum, rest.block(b));
  }
  /// Whether a term of the block has a higher top bin than was assumed; NaN and infinity have.
  static bool raised(int* top, const host::window_totals& totals) {
    bool result = false;
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        int& t = top[parts::result(s, parity)];
        const std::uint64_t max = totals.max[s][parity];
        const int needed = (window_exponent(max) + 1074) / width;
        if (needed > t) {
          t = needed;
          result = true;
        }
      }
    }
    return result;
  }

  static void deposit_window(typename R::total& sum, const block& b, const int* top, int first,
                             int n, const host::window_totals& totals) {
    bool zeros = false;
    for (int s = 0; s < kernel_terms::sums; ++s) {
      for (int parity = 0; parity < 2; ++parity) {
        const int i = parts::result(s, parity);
        binned<T, K>& part = sum.part[i];
        const bool negated = parts::negated(s, parity);
        part.raise(top[i]);
        for (int k = 0; k < n; ++k) {
          const std::int64_t total = totals.total[s][parity][k];
          if (first - k <= part.top() && total != 0)
            part.add_to_bin(first - k, negated ? -total : total);
        }
        if (totals.max[s][parity] != 0) part.add_kinds({element_kinds::nonzero});
        zeros |= totals.max[s][parity] == 0;
      }
    }
    if (!zeros) return;
    bool matters = false;
    for (const auto& part : sum.part) matters |= (part.kinds().bits & element_kinds::nonzero) == 0;
    if (!matters) return;
    zero_scan scan[terms::results];
    b.template deposit<terms>(scan);
    for (int i = 0; i < terms::results; ++i) sum.part[i].add_kinds(scan[i].kinds());
  }

  host::window_function<T> kernel_ = nullptr;
  int bins_ = 0;
};

template <class R>
struct host_order_free {
  using total = typename R::total;
  using scalar = typename R::scalar;
  static constexpr bool has_y = R::terms::inputs == 2;
  static_assert(sizeof(total) * max_order_free_partials <= order_free_bytes);

  R reduction;
  std::int64_t chunk;
  int chunks;
  total* partials;
  unsigned* finished;

  void operator()(int i) const {
    total sum;
    const std::int64_t begin = i * chunk;
    add(sum, begin, std::min(begin + chunk, reduction.x.size));
    if (chunks == 1) return reduction.finish(sum);
    partials[i] = sum;
    Kokkos::memory_fence();
    if (Kokkos::atomic_fetch_add(finished, 1u) + 1 != unsigned(chunks)) return;
    Kokkos::memory_fence();
    *finished = 0;
    for (int k = 0; k < chunks; ++k)
      if (k != i) sum.merge(partials[k]);
    reduction.finish(sum);
  }

 private:
  /// Deposits the elements begin to end - 1: whole steps by blocks, what is left one by one.
  void add(total& sum, std::int64_t begin, std::int64_t end) const {
    const std::int64_t whole = (end - begin) / host::window_step * host::window_step;
    if (whole > 0) {
      if constexpr (std::is_same_v<typename R::element, scalar>) {
        if (reduction.x.contiguous() && (!has_y || reduction.y.contiguous())) {
          add_blocks(sum, begin, begin + whole, [&](std::int64_t k, int n) {
            const scalar* x = reduction.x.data + k;
            return order_free_block<scalar>{x, has_y ? reduction.y.data + k : x, n};
          });
        } else {
          add_gathered(sum, begin, begin + whole);
        }
      } else {
        add_gathered(sum, begin, begin + whole);
      }
    }
    for (std::int64_t k = begin + whole; k < end; ++k) reduction.deposit(sum, k);
  }

  /// Any stride and half precision: by way of a contiguous copy that stays in cache.
  __attribute__((noinline)) void add_gathered(total& sum, std::int64_t begin,
                                              std::int64_t end) const {
    alignas(64) scalar x[host::window_block];
    alignas(64) scalar y[has_y ? host::window_block : 1];
    add_blocks(sum, begin, end, [&](std::int64_t k, int n) {
      for (int i = 0; i < n; ++i) x[i] = scalar(reduction.x[k + i]);
      if constexpr (has_y)
        for (int i = 0; i < n; ++i) y[i] = scalar(reduction.y[k + i]);
      return order_free_block<scalar>{x, has_y ? y : x, n};
    });
  }

  template <class Block>
  static void add_blocks(total& sum, std::int64_t begin, std::int64_t end, const Block& block_at) {
    block_depositor<R, typename R::accumulator> deposit;
    for (std::int64_t k = begin; k < end; k += host::window_block)
      deposit(sum, block_at(k, int(std::min<std::int64_t>(end - k, host::window_block))));
  }
};

/// Runs r on exec: a chunk is at least min_chunk elements, and each thread has several, so that
/// threads end together.
template <class Exec, class R>
void launch_order_free_on_host(const Exec& exec, workspace<Exec>& memory, const char* label,
                               const R& r) {
  using kernel = host_order_free<R>;
  constexpr std::int64_t min_chunk = 8192;
  const int threads = exec.concurrency();
  const std::int64_t wanted = threads == 1 ? 1 : std::min(4 * threads, max_order_free_partials);
  // Whole blocks, so that no complex number is cut.
  constexpr std::int64_t block = host::window_block;
  const std::int64_t chunk =
      std::max((r.x.size + wanted * block - 1) / (wanted * block) * block, min_chunk);
  const int chunks = int(std::max<std::int64_t>(1, (r.x.size + chunk - 1) / chunk));
  auto* const partials =
      chunks == 1 ? nullptr : reinterpret_cast<typename R::total*>(memory.order_free_memory());
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, chunks),
                       kernel{r, chunk, chunks, partials, memory.finished.data()});
}

}  // namespace acc::backends

#endif
