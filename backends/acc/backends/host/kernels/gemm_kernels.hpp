// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The GEMM kernels by vector registers (gemm.hpp says what they do). Here is the microkernel: the
/// products of a tile of C, with chains in registers and totals in memory.

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/numbers/complex_product.hpp>

#include <algorithm>
#include <limits>

namespace acc::backends::host::ACC_HOST_ISA {

#if defined(__AVX512F__) || !defined(__x86_64__)
using mr_choices = microkernel_tuning::mr_of_32_registers;
#else
using mr_choices = microkernel_tuning::mr_of_16_registers;
#endif
template <int... Mr>
constexpr int largest(std::integer_sequence<int, Mr...>) {
  return std::max({Mr...});
}
inline constexpr int max_mr = largest(mr_choices{});
/// Registers of a row of the tile, and numbers.
inline constexpr int registers_per_row = microkernel_tuning::registers_per_row;
template <class S>
inline constexpr int nr_of = registers_per_row * vector_width<S>;

/// f(0), ..., f(N - 1), written out: a loop would keep an array of registers in memory.
template <int N, class F>
ACC_SIMD_INLINE void unrolled(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }(std::make_integer_sequence<int, N>{});
}
#define ACC_UNROLLED(i) [&](auto i) __attribute__((always_inline))

/// What the totals are before the first strip: as large as those of any tile.
alignas(
    64) inline constexpr unsigned char zero_totals[2 * max_mr * registers_per_row * vector_bytes]{};

/// Rows of a tile whose chains fit the registers together.
template <class Method, int Mr>
inline constexpr int rows_at_once =
    std::is_same_v<Method, compensated> ? std::min(Mr, microkernel_tuning::compensated_rows_at_once)
                                        : Mr;

template <class V>
ACC_SIMD_INLINE void larger_first(V& a, V& b) {
  const auto swap = !(magnitude(a).v >= magnitude(b).v);
  const V larger = V::of(swap ? b.v : a.v);
  b = V::of(swap ? a.v : b.v);
  a = larger;
}

template <class Method, class S, int Mr>
struct gemm_microkernel {
  static constexpr int W = vector_width<S>, C = registers_per_row, nr = nr_of<S>;
  using V = simd<S, W>;
  using sum = impl::strip_sum<Method, V>;
  using chain = typename sum::chain;
  using totals = typename sum::totals;
  using arguments = microkernel_arguments<S>;
  static constexpr int components = chain::components + totals::components;
  static constexpr int step = rows_at_once<Method, Mr>;
  static constexpr int line = 64 / int(sizeof(S));

  template <class Number>
  ACC_SIMD_INLINE static Number* at(Number* state, int component, int row, int c) {
    return state + (component * Mr + row) * nr + c * W;
  }

  /// The products of N rows, from row `row` of the tile on.
  template <int N>
  ACC_SIMD_INLINE static void multiply_rows(const arguments& p, int row) {
    chain sums[N * C];
    const auto chains = [&](auto f) __attribute__((always_inline)) {
      unrolled<N * C>(ACC_UNROLLED(i) {
        unrolled<chain::components>(
            ACC_UNROLLED(k) { f(sums[i].component(k), at(p.state, k, row + i / C, i % C)); });
      });
    };
    S* const totals_now = at(p.state, chain::components, 0, 0);
    const S* totals_before = totals_now;
    if (p.first) {
      totals_before = reinterpret_cast<const S*>(zero_totals);
    } else {
      chains([](V& x, const S* from) { x = V::load(from); });
    }

    const S* a = p.a + row;
    const S* b = p.b;
    const S* next_b = p.next_b;
    std::int64_t left = p.k, until_close = p.until_close;
    while (left > 0) {
      const std::int64_t count = std::min(left, until_close);
      for (std::int64_t k = 0; k < count; ++k) {
        __builtin_prefetch(next_b, 0, 2);
        if constexpr (Mr <= 2) __builtin_prefetch(next_b + line, 0, 2);
        next_b += p.next_b_step;
        if constexpr (N == max_mr) {
          __builtin_prefetch(a + microkernel_tuning::products_ahead_a * Mr, 0, 3);
          for (int i = 0; i < nr; i += line)
            __builtin_prefetch(b + microkernel_tuning::products_ahead_b * p.b_step + i, 0, 3);
        }
        V bs[C];
        unrolled<C>(ACC_UNROLLED(c) { bs[c] = V::load(b + c * W); });
        unrolled<N>(ACC_UNROLLED(r) {
          const V as(a[r]);
          unrolled<C>(ACC_UNROLLED(c) { sums[r * C + c].add_product(as, bs[c]); });
        });
        a += Mr;
        b += p.b_step;
      }
      left -= count;
      until_close -= count;
      if (until_close == 0 || (left == 0 && p.last)) {
        unrolled<N * C>(
            ACC_UNROLLED(i) { close(sums[i], totals_before, totals_now, row + i / C, i % C); });
        totals_before = totals_now;
        until_close = p.strip;
      }
    }
    chains([](const V& x, S* to) { x.store(to); });
    if (totals::components > 0 && totals_before != totals_now) {  // no strip has ended yet
      unrolled<N * C>(ACC_UNROLLED(i) {
        for (int k = 0; k < totals::components; ++k)
          V(S(0)).store(at(totals_now, k, row + i / C, i % C));
      });
    }
  }

  /// Closes a strip into the totals `before` and puts them in `now`.
  ACC_SIMD_INLINE static void close(chain& strip, const S* before, S* now, int row, int c) {
    if constexpr (totals::components > 0) {
      totals t;
      for (int k = 0; k < totals::components; ++k) t.component(k) = V::load(at(before, k, row, c));
      t.close(strip);
      for (int k = 0; k < totals::components; ++k) t.component(k).store(at(now, k, row, c));
    }
  }

  static void multiply(const arguments& p) {
    for (int i = 0; i < components * Mr * nr; i += line) __builtin_prefetch(p.next_state + i, 1, 2);
    int row = 0;
    for (; row + step <= Mr; row += step) multiply_rows<step>(p, row);
    if constexpr (Mr % step != 0) multiply_rows<Mr % step>(p, row);
  }
};

}  // namespace acc::backends::host::ACC_HOST_ISA

#include <acc/backends/host/kernels/epilogue.hpp>
#include <acc/backends/host/kernels/pack_panels.hpp>

namespace acc::backends::host::ACC_HOST_ISA {

template <class Method, class S>
microkernel<S> get_microkernel(std::int64_t rows) {
  return [&]<int... Mr>(std::integer_sequence<int, Mr...>) {
    microkernel<S> chosen{};
    // The choices ascend: the first that is large enough, or the last.
    const auto choose = [&]<int M>() {
      using kernel = gemm_microkernel<Method, S, M>;
      chosen = {M, kernel::nr, kernel::components, &kernel::multiply};
      return M >= rows;
    };
    (void)(... || choose.template operator()<Mr>());
    return chosen;
  }(mr_choices{});
}
template <class Method, class S, class C>
epilogue_function<S, C> get_epilogue() {
  return &tile_epilogue<Method, S, C>::run;
}
template <class T, class S>
pack_function<T, S> get_pack() {
  return &pack_panel<T, S>;
}

#define ACC_INSTANTIATE_MICROKERNEL(Method, S, C) \
  template microkernel<S> get_microkernel<Method, S>(std::int64_t);
ACC_MICROKERNELS(ACC_INSTANTIATE_MICROKERNEL)
#define ACC_INSTANTIATE_EPILOGUE(Method, S, C) \
  template epilogue_function<S, C> get_epilogue<Method, S, C>();
ACC_EPILOGUES(ACC_INSTANTIATE_EPILOGUE)
#define ACC_INSTANTIATE_PACK(T, S) template pack_function<T, S> get_pack<T, S>();
ACC_PANELS(ACC_INSTANTIATE_PACK)

}  // namespace acc::backends::host::ACC_HOST_ISA
