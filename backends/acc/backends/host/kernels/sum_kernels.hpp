// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a file made of per_isa.cpp.in includes this once.

/// \file
/// One leaf by vector registers. Lane j of a register is a lane of the canonical order, so no
/// arithmetic crosses registers until the tree.

#include <acc/backends/host/kernels/leaf.hpp>
#include <acc/backends/host/kernels/sum_instances.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/window.hpp>
#include <acc/core/exact/magic.hpp>

#include <acc/backends/host/kernels/pipelined_expansion.hpp>

namespace acc::backends::host::ACC_HOST_ISA {

/// W elements as W numbers of type S.
template <class S, int W, class T>
ACC_PACK_INLINE pack<S, W> load_as(const T* p) {
  if constexpr (std::is_same_v<S, T>) {
    return pack<S, W>::load(p);
  } else {
    typedef T narrow __attribute__((vector_size(W * sizeof(T))));
    narrow x;
    __builtin_memcpy(&x, p, sizeof(x));
    return pack<S, W>::of(__builtin_convertvector(x, typename pack<S, W>::vector));
  }
}

/// Registers that pass down a block of rows together. Enough chains to hide the latency of an
/// addition, few enough that their accumulators stay in registers.
template <class Acc>
inline constexpr int registers_at_once = Acc::components == 1   ? 8
                                         : Acc::components == 2 ? 4
                                                                : 1;

/// Rows that they pass before the next registers do: 4 KiB of x, which the caches' prefetchers see
/// as a stream, and long enough that loading and storing accumulators does not count.
inline constexpr int rows_at_once = 8;

/// Bytes ahead of their use at which numbers are fetched from memory, in ascending order whatever
/// the order of use. The processor's own prefetchers do not see far enough ahead where a row takes
/// several passes of arithmetic; plain sums are better left to them.
inline constexpr int prefetch_distance = 4096;

template <class Terms, class Method, class T>
struct leaf_kernel {
  using Acc = typename impl::accumulator_of<Method, T>::type;
  using S = typename Acc::scalar_type;
  static constexpr int W = vector_bytes / int(sizeof(S));
  using V = pack<S, W>;
  using VAcc = typename packed<Acc, V, Terms>::type;
  using Entry = typename packed<Acc, V, Terms>::entry;
  static constexpr int row = impl::lanes<T>;
  static constexpr int packs = row / W;
  static constexpr int sums = Terms::sums;
  static constexpr int chunk =
      registers_at_once<Acc> / sums < 1 ? 1 : registers_at_once<Acc> / sums;
  static_assert(packs % chunk == 0);

  /// Fetches step `step` of `steps` of the block of rows_at_once rows that lies prefetch_distance
  /// ahead of x: a few lines at a time, because many at once would stop the loads that are due.
  template <int steps>
  ACC_PACK_INLINE static void prefetch(const T* x, int step) {
    constexpr int lines = rows_at_once * row * int(sizeof(T)) / 64;
    const char* ahead = reinterpret_cast<const char*>(x) + prefetch_distance;
    if constexpr (lines >= steps) {
      for (int i = 0; i < lines / steps; ++i)
        __builtin_prefetch(ahead + (step * (lines / steps) + i) * 64);
    } else if (step % (steps / lines) == 0) {
      __builtin_prefetch(ahead + step / (steps / lines) * 64);
    }
  }

  ACC_PACK_INLINE static void add_rows(Entry (*state)[sums], const T* x, const T* y, int rows) {
    constexpr int steps = packs / chunk * rows_at_once;
    for (int first = 0; first < packs; first += chunk) {
      Entry a[chunk][sums];
      for (int p = 0; p < chunk; ++p)
        for (int s = 0; s < sums; ++s) a[p][s] = state[first + p][s];
      for (int r = 0; r < rows; ++r) {
        if constexpr (Acc::components > 1) prefetch<steps>(x, first / chunk * rows_at_once + r);
        if constexpr (Acc::components > 1 && Terms::inputs == 2)
          prefetch<steps>(y, first / chunk * rows_at_once + r);
        for (int p = 0; p < chunk; ++p) {
          const int at = r * row + (first + p) * W;
          const V xv = load_as<S, W>(x + at);
          const V yv = Terms::inputs == 2 ? load_as<S, W>(y + at) : xv;
          Terms::deposit(a[p], xv, yv, Terms::sums == 2 ? swap_pairs(yv) : yv, all_lanes{});
        }
      }
      for (int p = 0; p < chunk; ++p)
        for (int s = 0; s < sums; ++s) state[first + p][s] = a[p][s];
    }
  }

  /// Lanes of a group by halving, from Block = width / 2 to the width of the results.
  template <int Block, int Count>
  ACC_PACK_INLINE static void combine_groups(VAcc (*state)[sums]) {
    if constexpr (Block * sums >= Terms::results) {
      for (int p = 0; p < Count / 2; ++p) {
        for (int s = 0; s < sums; ++s) {
          VAcc low, high;
          for (int k = 0; k < VAcc::components; ++k) {
            const V a = state[2 * p][s].component(k), b = state[2 * p + 1][s].component(k);
            low.component(k) = blocks<Block, 0>(a, b);
            high.component(k) = blocks<Block, 1>(a, b);
          }
          low.merge(high);
          state[p][s] = low;
        }
      }
      combine_groups<Block / 2, Count / 2>(state);
    } else {
      combine_registers<Count, Terms::results / sums>(state);
    }
  }

  /// Groups by halving: whole registers first, then the Width lanes of groups within one.
  template <int Count, int Width>
  ACC_PACK_INLINE static void combine_registers(VAcc (*state)[sums]) {
    for (int half = Count / 2; half > 0; half /= 2)
      for (int p = 0; p < half; ++p)
        for (int s = 0; s < sums; ++s) state[p][s].merge(state[p + half][s]);
    for (int s = 0; s < sums; ++s) {
      for (int half = W / 2; half >= Width; half /= 2) {
        VAcc high;
        for (int k = 0; k < VAcc::components; ++k) {
          V moved = state[0][s].component(k);
          for (int i = 0; i < half; ++i) moved.v[i] = moved.v[i + half];
          high.component(k) = moved;
        }
        state[0][s].merge(high);
      }
    }
  }

  static void run(const T* x, const T* y, int rows, Acc* results) {
    Entry entry[packs][sums];
    int r = 0;
    for (; r + rows_at_once <= rows; r += rows_at_once)
      add_rows(entry, x + r * row, y + r * row, rows_at_once);
    if (r < rows) add_rows(entry, x + r * row, y + r * row, rows - r);
    VAcc state[packs][sums];
    for (int p = 0; p < packs; ++p)
      for (int s = 0; s < sums; ++s) state[p][s] = settled(entry[p][s]);
    combine_groups<impl::group_width<T> / 2, packs>(state);
    for (int i = 0; i < Terms::results; ++i)
      for (int k = 0; k < Acc::components; ++k)
        results[i].component(k) = state[0][sums == 1 ? 0 : i].component(k)[sums == 1 ? i : 0];
  }
};

template <class Terms, class Method, class T>
leaf_function<Terms, Method, T> leaf() {
  return &leaf_kernel<Terms, Method, T>::run;
}

}  // namespace acc::backends::host::ACC_HOST_ISA

#include <acc/backends/host/kernels/window_kernels.hpp>

#include <acc/backends/host/kernels/summary_kernels.hpp>

#include <acc/backends/host/kernels/exponent_bins_kernels.hpp>

namespace acc::backends::host::ACC_HOST_ISA {
using namespace acc::impl;
#define ACC_INSTANTIATE(terms, method, T) \
  template leaf_function<terms, method, T> leaf<terms, method, T>();
ACC_LEAVES(ACC_INSTANTIATE)
#define ACC_INSTANTIATE_WINDOW(terms, T)                   \
  template window_function<T> window<terms, T>(int, bool); \
  template summary_function<T> look<terms, T>();           \
  template rows_function<terms, T> rows<terms, T>();
ACC_WINDOWS(ACC_INSTANTIATE_WINDOW)
}  // namespace acc::backends::host::ACC_HOST_ISA
