// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernel of rows of a CRS matrix. Values are read in place, and the elements of x that they
/// meet go to registers without a copy in memory. So a register has neighboring lanes of the
/// canonical order of one row. A row's registers are combined to one, of groups; with those of as
/// many rows as it has numbers the rest of the tree fills whole registers in each operation.
///
/// Rows that have about as many registers are summed one after the other, so that the processor
/// foresees the branches. Where neighboring rows, or most of a list, have the same few entries, as
/// those of a grid do, each lane of a register is a row.

#include <acc/backends/host/kernels/crs.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/nan_bits.hpp>
#include <acc/backends/host/kernels/row_lanes.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/simd_accumulators.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/scaling.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/terms.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace acc::backends::host::ACC_HOST_ISA {

template <class Method, class T, class Index>
struct crs_kernel {
  using Acc = typename impl::accumulator_of<Method, T>::type;
  static constexpr int W = vector_width<T>;
  using V = simd<T, W>;
  using VAcc = typename simd_accumulator<Acc, V, impl::product_terms>::type;
  using entries = crs_entries<T, Index>;
  static constexpr int stripe = impl::lanes<T>, width = impl::group_width<T>;
  static constexpr int registers = stripe / W;
  /// Registers that pass down the stripes of a long row together.
  static constexpr int at_once = has_32_registers ? 8 : 8 / Acc::components;
  /// Entries of rows that are summed W at a time, if as many have the same number of them.
  static constexpr int most_equal = 8;
  static_assert(registers % at_once == 0 && crs_row_list::most % W == 0 &&
                crs_row_list::run_least % W == 0);

  /// The elements of x that `count` columns name, W at most, and -0: columns beyond may be those of
  /// no row.
  ACC_SIMD_INLINE static V gathered(const T* x, const Index* column, int count) {
#if defined(__AVX512F__)
    unsigned mask = (1U << count) - 1;
    // If the compiler saw that all are set, it would leave the padding out, and each row would wait
    // for the register's last use: by the row before.
    asm("" : "+r"(mask));
    const V padding(T(-0.0));
    if constexpr (sizeof(T) == 8) {
      const auto m = __mmask8(mask);
      if constexpr (sizeof(Index) == 4)
        return V::of(_mm512_mask_i32gather_pd(padding.v, m, _mm256_maskz_loadu_epi32(m, column), x,
                                              sizeof(T)));
      else
        return V::of(_mm512_mask_i64gather_pd(padding.v, m, _mm512_maskz_loadu_epi64(m, column), x,
                                              sizeof(T)));
    } else if constexpr (sizeof(Index) == 4) {
      const auto m = __mmask16(mask);
      return V::of(_mm512_mask_i32gather_ps(padding.v, m, _mm512_maskz_loadu_epi32(m, column), x,
                                            sizeof(T)));
    } else {
      const auto half = [&](__mmask8 m, const Index* c) __attribute__((always_inline)) {
        return _mm512_mask_i64gather_ps(_mm512_castps512_ps256(padding.v), m,
                                        _mm512_maskz_loadu_epi64(m, c), x, sizeof(T));
      };
      const __m256 low = half(__mmask8(mask), column), high = half(__mmask8(mask >> 8), column + 8);
      return V::of(_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1));
    }
#else
    return numbers([&](int i) __attribute__((always_inline)) { return x[column[i]]; }, count,
                   T(-0.0), std::make_integer_sequence<int, W>{});
#endif
  }
  /// `count` values, W at most, and +0.
  ACC_SIMD_INLINE static V loaded(const T* values, int count) {
    if constexpr (vector_bytes == 64) return load_part_as<T, W>(values, count);
    if (count == W) return V::load(values);
    return numbers([&](int i) __attribute__((always_inline)) { return values[i]; }, count, T(0),
                   std::make_integer_sequence<int, W>{});
  }
  /// Calls f with `count` values and what they meet. What completes the registers is +0 times -0:
  /// the product that pads a stripe.
  template <class F>
  ACC_SIMD_INLINE static void with(const entries& e, std::int64_t at, int count, const F& f) {
    f(loaded(e.values + at, count), gathered(e.x, e.columns + at, count));
  }
  /// What a product leaves in an empty accumulator, but for the sign of an error that is zero, and
  /// for the errors of an infinity: no result has the former, and rows of the latter are summed
  /// again.
  ACC_SIMD_INLINE static VAcc first(V x, V y) {
    VAcc a;
    if constexpr (VAcc::components == 2) {
      const auto p = two_prod(x, y);
      a.component(0) = p.value;
      a.component(1) = p.error;
    } else {
      a.add_product(x, y);
    }
    return a;
  }

  /// Fetches the line of values, and that of columns, which is so far ahead of register P of a row,
  /// where P begins one: the processor's own prefetchers do not see far enough ahead.
  template <int P>
  ACC_SIMD_INLINE static void prefetch(const entries& e, std::int64_t at) {
    if constexpr (P * W * int(sizeof(T)) % 64 == 0)
      __builtin_prefetch(e.values + at + crs_tuning::prefetch_entries);
    if constexpr (P * W * int(sizeof(Index)) % 64 == 0)
      __builtin_prefetch(e.columns + at + crs_tuning::prefetch_entries);
  }

  /// Merges the odd runs of Width numbers of Count registers into the even ones, which then fill
  /// half as many.
  template <int Width, int Count>
  ACC_SIMD_INLINE static void halve(VAcc* state) {
    unrolled<Count / 2>(ACC_UNROLLED(p) {
      VAcc low, high;
      for (int k = 0; k < VAcc::components; ++k) {
        const V a = state[2 * p].component(k), b = state[2 * p + 1].component(k);
        low.component(k) = every_other<Width, 0>(a, b);
        high.component(k) = every_other<Width, 1>(a, b);
      }
      low.merge(high);
      state[p] = low;
    });
  }
  /// One register in place of a row's Count: the lanes of groups from Width on, and then groups
  /// that are whole registers apart. Of a row of less than `width` registers some lanes are left.
  template <int Width, int Count>
  ACC_SIMD_INLINE static VAcc combined(VAcc* state) {
    if constexpr (Count > 1 && Width > 0) {
      halve<Width, Count>(state);
      return combined<Width / 2, Count / 2>(state);
    } else {
      for (int half = Count / 2; half > 0; half /= 2)
        for (int p = 0; p < half; ++p) state[p].merge(state[p + half]);
      return state[0];
    }
  }
  /// One register in place of those of Count rows: the lanes from Width on, then the groups from
  /// Groups on.
  template <int Width, int Groups, int Count>
  ACC_SIMD_INLINE static VAcc combined_rows(VAcc* state) {
    if constexpr (Count > 1) {
      constexpr bool has_lanes = Width > 0;
      halve<has_lanes ? Width : Groups, Count>(state);
      return combined_rows<Width / 2, has_lanes ? Groups : Groups / 2, Count / 2>(state);
    } else {
      return state[0];
    }
  }

  /// W rows of N entries each, as the lanes of registers: register k has the products of the rows'
  /// entries k, which are lane k of the canonical order.
  template <int N>
  struct equal_rows {
    entries e;
    std::int64_t begin[W];

    ACC_SIMD_INLINE VAcc sum() const { return groups_from<0, 1>(); }

   private:
    static constexpr int groups = (N + width - 1) / width;

    /// The tree of groups as far as strides of Stride; groups that no row has leave a sum as it is.
    template <int Group, int Stride>
    ACC_SIMD_INLINE VAcc groups_from() const {
      if constexpr (Stride >= groups) {
        return lanes_from<Group * width, 1>();
      } else {
        VAcc a = groups_from<Group, 2 * Stride>();
        if constexpr (Group + Stride < groups) a.merge(groups_from<Group + Stride, 2 * Stride>());
        return a;
      }
    }
    template <int Lane, int Stride>
    ACC_SIMD_INLINE VAcc lanes_from() const {
      if constexpr (Stride >= width) {
        return product<Lane>(std::make_integer_sequence<int, W>{});
      } else {
        VAcc a = lanes_from<Lane, 2 * Stride>();
        if constexpr (Lane + Stride < N) a.merge(lanes_from<Lane + Stride, 2 * Stride>());
        return a;
      }
    }
    template <int Lane, int... I>
    ACC_SIMD_INLINE VAcc product(std::integer_sequence<int, I...>) const {
      return first(V::of(typename V::vector{e.values[begin[I] + Lane]...}),
                   V::of(typename V::vector{e.x[e.columns[begin[I] + Lane]]...}));
    }
  };

  /// W rows of N entries each from entry `begin` on.
  template <int N, int... I>
  ACC_SIMD_INLINE static equal_rows<N> neighbors(const entries& e, std::int64_t begin,
                                                 std::integer_sequence<int, I...>) {
    return {e, {(begin + I * N)...}};
  }

  /// A row that fills Count registers, or more than half of them.
  template <int Count>
  ACC_SIMD_INLINE static VAcc sum_few(const entries& e, std::int64_t begin, int size) {
    VAcc state[Count];
    unrolled<Count>(ACC_UNROLLED(p) {
      prefetch<p>(e, begin + p * W);
      const auto put = [&](V x, V y) __attribute__((always_inline)) { state[p] = first(x, y); };
      with(e, begin + p * W, p < Count / 2 ? W : std::clamp(size - p * W, 0, W), put);
    });
    return combined<width / 2, Count>(state);
  }
  __attribute__((noinline)) static VAcc sum_many(const entries& e, std::int64_t begin, int size) {
    VAcc state[registers];
    for (int first = 0; first < registers; first += at_once) {
      VAcc a[at_once];
      const auto add = [&](std::int64_t i, auto count_at) __attribute__((always_inline)) {
        unrolled<at_once>(ACC_UNROLLED(p) {
          prefetch<p>(e, begin + i + p * W);
          with(e, begin + i + p * W, count_at(p),
               [&](V x, V y) __attribute__((always_inline)) { a[p].add_product(x, y); });
        });
      };
      int i = first * W;
      for (; i + at_once * W <= size; i += stripe) add(i, [](int) { return W; });
      if (i < size) add(i, [&](int p) { return std::clamp(size - i - p * W, 0, W); });
      unrolled<at_once>(ACC_UNROLLED(p) { state[first + p] = a[p]; });
    }
    return combined<width / 2, registers>(state);
  }
  /// A bit for each row of the list: whether it is longer than `size`.
  ACC_SIMD_INLINE static std::uint64_t longer_than(int size, const crs_row_list& rows) {
    std::uint64_t bits = 0;
#if defined(__AVX512F__)
    for (int i = 0; i < crs_row_list::most; i += 16)
      bits |= std::uint64_t(_mm512_cmpgt_epi32_mask(_mm512_loadu_si512(rows.size + i),
                                                    _mm512_set1_epi32(size)))
              << i;
#else
    for (int i = crs_row_list::most - 1; i >= 0; --i)
      bits = bits << 1 | std::uint64_t(rows.size[i] > size);
#endif
    return bits;
  }
  /// x, and NaN where its magnitude is not below the limit.
  ACC_SIMD_INLINE static V below(V x, T limit) {
    const V nan(std::numeric_limits<T>::quiet_NaN());
    return V::of(magnitude(x).v < V(limit).v ? x.v : nan.v);
  }
  /// Sums `done` to done + W - 1. Whether their numbers are below the limit.
  ACC_SIMD_INLINE static bool put(const VAcc& all, T limit, crs_row_sums<T>& sums, int done) {
    for (int k = 0; k < VAcc::components; ++k) all.component(k).store(sums.component[k] + done);
    if constexpr (VAcc::components == 2) {
      const V high = all.component(0), low = all.component(1), sum = high + low;
      // A zero loses its sign to low.
      V::of(low.v == V(T(0)).v ? high.v : sum.v).store(sums.value + done);
      return nan_bits(below(high, limit), below(low, limit)) == 0;
    } else {
      all.component(0).store(sums.value + done);
      return true;
    }
  }
  /// Of these rows, which have N entries each, W at a time; those that are left.
  template <int N>
  __attribute__((noinline)) static std::uint64_t sum_equal(const entries& e,
                                                           const crs_row_list& rows, T limit,
                                                           std::uint64_t those,
                                                           crs_row_sums<T>& sums, int& done,
                                                           bool& are_below) {
    for (int count = __builtin_popcountll(those); count >= W; count -= W) {
      equal_rows<N> some{e, {}};
      for (int j = 0; j < W; ++j, those &= those - 1) {
        const int i = __builtin_ctzll(those);
        sums.row[done + j] = i;
        some.begin[j] = rows.begin[i];
        __builtin_prefetch(e.values + rows.begin[i] + crs_tuning::prefetch_entries);
        __builtin_prefetch(e.columns + rows.begin[i] + crs_tuning::prefetch_entries);
      }
      are_below = are_below & put(some.sum(), limit, sums, done);
      done += W;
    }
    return those;
  }
  /// Sums a run of rows of N entries each, W at a time. If W does not divide their number, the last
  /// W include some of those before.
  template <int N>
  __attribute__((noinline)) static bool sum_run_of(const entries& e, std::int64_t begin, int count,
                                                   T limit, crs_row_sums<T>& sums) {
    constexpr int size = W * N;
    constexpr int values_of_line = 64 / int(sizeof(T)), columns_of_line = 64 / int(sizeof(Index));
    bool are_below = true;
    for (int next = 0; next < count; next += W) {
      const int done = std::min(next, count - W);
      const std::int64_t at = begin + done * N, ahead = at + crs_tuning::prefetch_entries;
      for (int k = 0; k < size; k += values_of_line) __builtin_prefetch(e.values + ahead + k);
      for (int k = 0; k < size; k += columns_of_line) __builtin_prefetch(e.columns + ahead + k);
      const auto rows = neighbors<N>(e, at, std::make_integer_sequence<int, W>{});
      are_below = are_below & put(rows.sum(), limit, sums, done);
    }
    return are_below;
  }
  static bool sum_run(const entries& e, const crs_row_list& rows, T limit, crs_row_sums<T>& sums) {
    bool are_below = true;
    for (int i = 0; i < rows.count; ++i) sums.row[i] = i;
    unrolled<crs_row_list::run_entries>(ACC_UNROLLED(n) {
      if (rows.size[0] == n + 1)
        are_below = sum_run_of<n + 1>(e, rows.begin[0], rows.count, limit, sums);
    });
    return are_below;
  }
  /// Rows whose registers have Lanes lanes of each group, until there are W of them.
  template <int Lanes>
  struct batch {
    VAcc state[W];
    int count = 0;
    bool are_below = true;

    ACC_SIMD_INLINE void add(const VAcc& row, T limit, crs_row_sums<T>& sums, int& done) {
      state[count] = row;
      if (++count == W) finish(limit, sums, done);
    }
    /// Of fewer than W rows: the others are earlier ones', whose sums are overwritten or not read.
    __attribute__((noinline)) void finish(T limit, crs_row_sums<T>& sums, int& done) {
      are_below =
          are_below & put(combined_rows<Lanes / 2, W / Lanes / 2, W>(state), limit, sums, done);
      done += count;
      count = 0;
    }
  };

  /// alpha times the sums and beta times c, as impl::crs_row does.
  __attribute__((noinline)) static void scale_sums(const impl::scaling<T>& scale, const T* c,
                                                   int count, crs_row_sums<T>& sums) {
    T of_row[crs_row_sums<T>::room] = {};
    if (scale.beta[0] != T(0))
      for (int j = 0; j < count; ++j) of_row[j] = c[sums.row[j]];
    for (int j = 0; j < count; j += W) {
      impl::entry_part<V> part{V::load(sums.value + j), V(T(0)), V::load(of_row + j)};
      if constexpr (VAcc::components == 2) {
        using impl::two_sum_of_rounded;
        const V high = V::load(sums.component[0] + j), low = V::load(sums.component[1] + j);
        part.low = two_sum_of_rounded(high, low).error;
      }
      impl::scaled<VAcc::components == 2, 1>(scale, part, part, V(T(0))).store(sums.value + j);
    }
  }

  /// Of these rows, those that fill as many registers one after the other.
  __attribute__((noinline)) static bool sum_unequal(const entries& e, const crs_row_list& rows,
                                                    T limit, std::uint64_t those,
                                                    crs_row_sums<T>& sums, int done) {
    int begun = done;
    const auto sum = [&](std::uint64_t some, auto of_row, auto& to) __attribute__((always_inline)) {
      for (; some != 0; some &= some - 1) {
        const int i = __builtin_ctzll(some);
        sums.row[begun++] = i;
        to.add(of_row(e, rows.begin[i], rows.size[i]), limit, sums, done);
      }
    };
    const std::uint64_t more_than[] = {
        longer_than(W, rows) & those, longer_than(2 * W, rows) & those,
        longer_than(4 * W, rows) & those, longer_than(8 * W, rows) & those};
    batch<width> of_one;
    batch<width / 2> of_two;
    batch<1> others;
    sum(those & ~more_than[0], sum_few<1>, of_one);
    if (of_one.count > 0) of_one.finish(limit, sums, done);
    sum(more_than[0] & ~more_than[1], sum_few<2>, of_two);
    if (of_two.count > 0) of_two.finish(limit, sums, done);
    sum(more_than[1] & ~more_than[2], sum_few<4>, others);
    sum(more_than[2] & ~more_than[3], sum_few<8>, others);
    sum(more_than[3], sum_many, others);
    if (others.count > 0) others.finish(limit, sums, done);
    return of_one.are_below & of_two.are_below & others.are_below;
  }

  /// Sums rows of a list.
  static bool sum_list(const entries& e, const crs_row_list& rows, T limit, crs_row_sums<T>& sums) {
    int done = 0;
    const std::uint64_t all = ~std::uint64_t(0) >> (64 - rows.count);
    bool are_below = true;
    std::uint64_t rest = all;
    // Only where most rows have as many entries, as those of a grid do: among rows of all lengths
    // the processor foresees the branches of sum_unequal better.
    const auto are_most = [&](std::uint64_t those) {
      return 2 * __builtin_popcountll(those) > rows.count;
    };
    std::uint64_t longer = all & ~longer_than(most_equal, rows);
    if (are_most(longer)) {
      longer &= longer_than(0, rows);
      unrolled<most_equal>(ACC_UNROLLED(n) {
        const std::uint64_t those = longer & ~longer_than(n + 1, rows);
        longer &= ~those;
        if (are_most(those))
          rest = (all & ~those) | sum_equal<n + 1>(e, rows, limit, those, sums, done, are_below);
      });
    }
    if (rest != 0) are_below = are_below & sum_unequal(e, rows, limit, rest, sums, done);
    return are_below;
  }

  /// crs_function.
  static bool run(const entries& e, const crs_row_list& rows, T limit,
                  const impl::scaling<T>& scale, const T* c, crs_row_sums<T>& sums) {
    const bool are_below =
        rows.is_run ? sum_run(e, rows, limit, sums) : sum_list(e, rows, limit, sums);
    if (!scale.keeps_sums()) scale_sums(scale, c, rows.count, sums);
    return are_below;
  }

 private:
  /// number(0), ..., number(count - 1) and padding, without a way through memory: the last number
  /// is in the padding's places first.
  template <class F, int... I>
  ACC_SIMD_INLINE static V numbers(const F& number, int count, T padding,
                                   std::integer_sequence<int, I...>) {
    if (count == 0) return V(padding);
    const V all = V::of(typename V::vector{number(I < count ? I : count - 1)...});
    if (count == W) return all;
    return V::of(typename V::vector{T(I)...} < V(T(count)).v ? all.v : V(padding).v);
  }
};

template <class Method, class T, class Index>
crs_function<Method, T, Index> get_crs() {
  return &crs_kernel<Method, T, Index>::run;
}

using namespace acc::impl;
#define ACC_INSTANTIATE_CRS(method, T, Index) \
  template crs_function<method, T, Index> get_crs<method, T, Index>();
ACC_CRS_ROWS(ACC_INSTANTIATE_CRS)

}  // namespace acc::backends::host::ACC_HOST_ISA
