// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernel of symv.hpp. Each stored number is read once and is used twice, in entry i by x_j and
/// in entry j by x_i. Squares of a register's width go in such an order that each entry gets its
/// products with ascending k: an entry's chain waits in memory between them.

#include <acc/backends/host/kernels/first_numbers.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/nan_bits.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/symv.hpp>
#include <acc/backends/host/kernels/transpose.hpp>
#include <acc/core/gemm/scaling.hpp>
#include <acc/core/gemm/section_sum.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/gemm_method.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace acc::backends::host::ACC_HOST_ISA {

/// Lane i is lane i - R of a, and from R on these are all of its lanes; the lanes before are 0.
template <int R, class T, int W, int... I>
ACC_SIMD_INLINE simd<T, W> moved_up(simd<T, W> a, std::integer_sequence<int, I...>) {
  return simd<T, W>::of(
      __builtin_shufflevector(a.v, simd<T, W>(T(0)).v, (I >= R ? I - R : W + I)...));
}
/// Lanes from R on of a (Above) or up to R, and the others of b.
template <int R, bool Above, class T, int W, int... I>
ACC_SIMD_INLINE simd<T, W> joined_at(simd<T, W> a, simd<T, W> b, std::integer_sequence<int, I...>) {
  return simd<T, W>::of(
      __builtin_shufflevector(a.v, b.v, ((Above ? I >= R : I <= R) ? I : W + I)...));
}

template <class Method, class S>
class symv {
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;
  using chain = typename impl::strip_sum<Method, V>::chain;
  using totals = typename impl::strip_sum<Method, V>::totals;
  using arguments = symv_arguments<S>;
  static constexpr int group = W < 8 ? 4 : 2;
  static_assert(chain::components == 1 && totals::components == 1);

 public:
  static bool multiply(const arguments& p) {
    symv product(p);
    if (p.from_diagonal)
      product.add_squares<true>();
    else
      product.add_squares<false>();
    return product.write();
  }

 private:
  explicit symv(const arguments& all)
      : p(all),
        squares((p.n + W - 1) / W),
        last(p.n - (squares - 1) * W),
        squares_of_strip(unsigned(p.strip / W)) {
    for (std::int64_t i = 0; i < squares; ++i) put(i, entries());
  }

  /// Entries of a panel in the making.
  struct entries {
    chain of;
    totals sum;
    ACC_SIMD_INLINE void close() { sum.close(of); }
  };
  ACC_SIMD_INLINE chain chain_of(std::int64_t i) const {
    chain c;
    c.component(0) = V::load(chains + i * W);
    return c;
  }
  ACC_SIMD_INLINE void put(std::int64_t i, chain c) { c.component(0).store(chains + i * W); }
  ACC_SIMD_INLINE entries entries_of(std::int64_t i) const {
    entries e{chain_of(i), {}};
    e.sum.component(0) = V::load(sums + i * W);
    return e;
  }
  ACC_SIMD_INLINE void put(std::int64_t i, entries e) {
    put(i, e.of);
    e.sum.component(0).store(sums + i * W);
  }
  void close(std::int64_t i) {
    entries e = entries_of(i);
    e.close();
    put(i, e);
  }

  /// All of A's squares: `group` after `group` of panels of W lines, whose chains hide each other's
  /// latency.
  template <bool FromDiagonal>
  ACC_SIMD_INLINE void add_squares() {
    std::int64_t j = 0;
    for (; j + group <= squares; j += group) add_panels<group, FromDiagonal>(j);
    for (; j < squares; ++j) add_panels<1, FromDiagonal>(j);
  }
  /// In ascending order of k, which is a line's number for entries along the line, and the place in
  /// the line for the panels' own entries.
  template <int N, bool FromDiagonal>
  ACC_SIMD_INLINE void add_panels(std::int64_t j) {
    const std::int64_t begin = FromDiagonal ? j + N : 0, end = FromDiagonal ? squares : j;
    if (begins_strip(j))
      for (std::int64_t i = begin; i < end; ++i) close(i);
    entries own[N];
    unrolled<N>(ACC_UNROLLED(q) { own[q] = entries_of(j + q); });
    if (FromDiagonal) add_triangle<N, FromDiagonal>(j, own);
    for (std::int64_t i = begin; i < end; ++i) {
      if (begins_strip(i)) unrolled<N>(ACC_UNROLLED(q) { own[q].close(); });
      chain along = chain_of(i);
      if ((FromDiagonal ? i + 1 : j + N) < squares || last == W)
        unrolled<N>(ACC_UNROLLED(q) { add_square(j + q, i, along, own[q].of); });
      else
        unrolled<N>(ACC_UNROLLED(q) { add_part_of_square(j + q, i, along, own[q].of); });
      put(i, along);
    }
    if (!FromDiagonal) add_triangle<N, FromDiagonal>(j, own);
    unrolled<N>(ACC_UNROLLED(q) { put(j + q, own[q]); });
  }
  /// Where the panels' lines meet their own entries.
  template <int N, bool FromDiagonal>
  ACC_SIMD_INLINE void add_triangle(std::int64_t j, entries (&own)[N]) {
    if (begins_strip(j)) unrolled<N>(ACC_UNROLLED(q) { own[q].close(); });
    const auto add = [&](int q, int s) {
      if (j + std::max(q, s) + 1 < squares || last == W)
        add_square(j + q, j + s, own[s].of, own[q].of);
      else
        add_part_of_square(j + q, j + s, own[s].of, own[q].of);
    };
    for (int q = 0; q < N; ++q) {
      if (!FromDiagonal)
        for (int s = 0; s < q; ++s) add(q, s);
      add_diagonal<FromDiagonal>(j + q, own[q].of);
      if (FromDiagonal)
        for (int s = q + 1; s < N; ++s) add(q, s);
    }
  }

  bool begins_strip(std::int64_t square) const {
    return square > 0 && unsigned(square) % squares_of_strip == 0;
  }
  /// Number r of square i.
  ACC_SIMD_INLINE V x(std::int64_t i, std::int64_t r) const { return V(p.x[i * W + r]); }
  const S* at(std::int64_t j, std::int64_t i) const { return p.a + j * W * p.a_step + i * W; }

  /// Lines of panel j, square i along them: to those entries, and to the panel's own.
  ACC_SIMD_INLINE void add_square(std::int64_t j, std::int64_t i, chain& along, chain& own) const {
    const S* const from = at(j, i);
    V numbers[W];
    unrolled<W>(ACC_UNROLLED(r) {
      numbers[r] = V::load(from + r * p.a_step);
      along.add_product(x(j, r), numbers[r]);
    });
    transpose(numbers);
    unrolled<W>(ACC_UNROLLED(r) { own.add_product(x(i, r), numbers[r]); });
  }
  /// The same where there are fewer lines, or where they are shorter.
  [[gnu::noinline]] void add_part_of_square(std::int64_t j, std::int64_t i, chain& along,
                                            chain& own) const {
    const std::int64_t lines = std::min<std::int64_t>(W, p.n - j * W);
    const std::int64_t length = std::min<std::int64_t>(W, p.n - i * W);
    const first_numbers<S> first(length);
    V numbers[W];
    for (std::int64_t r = 0; r < W; ++r) {
      numbers[r] = r < lines ? first.load(at(j, i) + r * p.a_step) : V(S(0));
      if (r < lines) along.add_product(x(j, r), numbers[r]);
    }
    transpose(numbers);
    for (std::int64_t r = 0; r < length; ++r) own.add_product(x(i, r), numbers[r]);
  }
  template <bool FromDiagonal>
  ACC_SIMD_INLINE void add_diagonal(std::int64_t j, chain& own) const {
    if (j + 1 < squares || last == W)
      add_diagonal<FromDiagonal>(j, own, std::integral_constant<std::int64_t, W>{});
    else
      add_diagonal<FromDiagonal>(j, own, last);
  }
  /// `lines` of them, a constant where it can be, for its masks.
  template <bool FromDiagonal, class Lines>
  ACC_SIMD_INLINE void add_diagonal(std::int64_t j, chain& own, Lines lines) const {
    constexpr auto lanes = std::make_integer_sequence<int, W>{};
    V numbers[W], others[W];
    unrolled<W>(ACC_UNROLLED(r) {
      numbers[r] = V(S(0));
      if (r < lines) {
        const S* const line = at(j, j) + r * p.a_step;
        if constexpr (FromDiagonal)
          numbers[r] = moved_up<r>(first_numbers<S>(lines - r).load(line + r), lanes);
        else
          numbers[r] = first_numbers<S>(r + 1).load(line);
      }
      others[r] = numbers[r];
    });
    transpose(others);
    unrolled<W>(ACC_UNROLLED(r) {
      if (r < lines)
        own.add_product(x(j, r), joined_at<r, FromDiagonal>(numbers[r], others[r], lanes));
    });
  }

  bool write() {
    const impl::scaling<S> scale{{p.alpha, S(0)}, {p.beta, S(0)}};
    std::uint64_t nan = 0;
    for (std::int64_t i = 0; i < squares; ++i) {
      const std::int64_t count = numbers_of(i);
      entries e = entries_of(i);
      e.close();
      const auto sum = impl::section_of(e.sum, e.of);
      const V before = p.beta == S(0) ? V(S(0)) : load_y(i, count);
      const impl::entry_part<V> entry{sum.high(), sum.low(), before};
      const V value = impl::scaled<totals::has_low, 1>(scale, entry, entry, V(S(0)));
      value.store(chains + i * W);
      nan |= nan_bits(value) & ((std::uint64_t(1) << count) - 1);
    }
    if (nan != 0) return false;
    if (p.y_step == 1) {
      for (std::int64_t i = 0; i < squares; ++i)
        first_numbers<S>(numbers_of(i)).store(p.y + i * W, V::load(chains + i * W));
    } else {
      for (std::int64_t i = 0; i < p.n; ++i) p.y[i * p.y_step] = chains[i];
    }
    return true;
  }
  std::int64_t numbers_of(std::int64_t square) const { return square + 1 < squares ? W : last; }
  V load_y(std::int64_t i, std::int64_t count) const {
    if (p.y_step == 1) return first_numbers<S>(count).load(p.y + i * W);
    V y(S(0));
    for (std::int64_t r = 0; r < count; ++r) y.v[r] = p.y[(i * W + r) * p.y_step];
    return y;
  }

  const arguments& p;
  const std::int64_t squares;  ///< of a line, and panels
  const std::int64_t last;     ///< lines of the last panel
  const unsigned squares_of_strip;
  // Not set to anything: there may be few of them.
  alignas(V) S chains[gemm_section];
  alignas(V) S sums[gemm_section];
};

template <class Method, class S>
symv_function<S> get_symv() {
  return &symv<Method, S>::multiply;
}
#define ACC_INSTANTIATE_SYMV(Method, S) template symv_function<S> get_symv<Method, S>();
ACC_SYMVS(ACC_INSTANTIATE_SYMV)

}  // namespace acc::backends::host::ACC_HOST_ISA
