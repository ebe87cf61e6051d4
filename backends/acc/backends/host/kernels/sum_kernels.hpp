// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernel of a leaf. A lane of the canonical order is always the same element of the same
/// register, so no arithmetic crosses registers until the tree.

#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/simd_accumulators.hpp>
#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/exact/magic.hpp>

namespace acc::backends::host::ACC_HOST_ISA {

template <class Terms, class Method, class T>
struct leaf_kernel {
  using Acc = typename impl::accumulator_of<Method, T>::type;
  using S = typename Acc::scalar_type;
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;
  using VAcc = typename simd_accumulator<Acc, V, Terms>::type;
  using Intake = typename simd_accumulator<Acc, V, Terms>::intake;
  static constexpr int stripe = impl::lanes<T>;
  static constexpr int registers = stripe / W;
  static constexpr int sums = Terms::sums;
  static constexpr int wanted = leaf_tuning::registers_at_once(Acc::components) / sums;
  static constexpr int registers_at_once = wanted < 1 ? 1 : wanted;
  static_assert(registers % registers_at_once == 0);
  static constexpr int stripes_at_once = leaf_tuning::stripes_at_once;

  /// Fetches step `step` of `steps` of the stripes_at_once stripes that are prefetch_distance ahead
  /// of x: a few lines at a time, because many at once would stop the loads that are due.
  template <int steps>
  ACC_SIMD_INLINE static void prefetch(const T* x, int step) {
    constexpr int lines = stripes_at_once * stripe * int(sizeof(T)) / 64;
    const char* ahead = reinterpret_cast<const char*>(x) + leaf_tuning::prefetch_distance;
    if constexpr (lines >= steps) {
      for (int i = 0; i < lines / steps; ++i)
        __builtin_prefetch(ahead + (step * (lines / steps) + i) * 64);
    } else if (step % (steps / lines) == 0) {
      __builtin_prefetch(ahead + step / (steps / lines) * 64);
    }
  }

  ACC_SIMD_INLINE static void add_stripes(Intake (*state)[sums], const T* x, const T* y,
                                          int stripes) {
    constexpr int steps = registers / registers_at_once * stripes_at_once;
    for (int first = 0; first < registers; first += registers_at_once) {
      Intake a[registers_at_once][sums];
      for (int p = 0; p < registers_at_once; ++p)
        for (int s = 0; s < sums; ++s) a[p][s] = state[first + p][s];
      for (int i = 0; i < stripes; ++i) {
        if constexpr (Acc::components > 1)
          prefetch<steps>(x, first / registers_at_once * stripes_at_once + i);
        if constexpr (Acc::components > 1 && Terms::inputs == 2)
          prefetch<steps>(y, first / registers_at_once * stripes_at_once + i);
        for (int p = 0; p < registers_at_once; ++p) {
          const int at = i * stripe + (first + p) * W;
          const V xv = load_as<S, W>(x + at);
          const V yv = Terms::inputs == 2 ? load_as<S, W>(y + at) : xv;
          Terms::deposit(a[p], xv, yv, Terms::sums == 2 ? swap_pairs(yv) : yv, all_lanes{});
        }
      }
      for (int p = 0; p < registers_at_once; ++p)
        for (int s = 0; s < sums; ++s) state[first + p][s] = a[p][s];
    }
  }

  /// The first `count` numbers of a register, and for the others what pads a stripe.
  ACC_SIMD_INLINE static V load_few(const T* p, int count, S padding) {
    if (count >= W) return load_as<S, W>(p);
#if defined(__AVX512F__)
    const unsigned mask = count > 0 ? (1U << count) - 1 : 0;
    if constexpr (std::is_same_v<T, double> && std::is_same_v<S, double>)
      return V::of(_mm512_mask_loadu_pd(V(padding).v, __mmask8(mask), p));
    if constexpr (std::is_same_v<T, float> && std::is_same_v<S, float>)
      return V::of(_mm512_mask_loadu_ps(V(padding).v, __mmask16(mask), p));
#endif
    V x(padding);
    for (int i = 0; i < count; ++i) x.v[i] = S(p[i]);
    return x;
  }
  ACC_SIMD_INLINE static void deposit(VAcc (&state)[sums], V x, V y) {
    Terms::deposit(state, x, y, Terms::sums == 2 ? swap_pairs(y) : y, all_lanes{});
  }
  ACC_SIMD_INLINE static void deposit_first(VAcc (&state)[sums], V x, V y) {
    first_deposit<VAcc> first[sums];
    Terms::deposit(first, x, y, Terms::sums == 2 ? swap_pairs(y) : y, all_lanes{});
    for (int i = 0; i < sums; ++i) state[i] = first[i].sum;
  }
  /// Up to Count registers of a stripe that is a leaf.
  template <int Count>
  ACC_SIMD_INLINE static void sum_registers(const T* x, const T* y, int count, Acc* results) {
    using padding = impl::padding<S>;
    VAcc state[Count][sums];
    for (int p = 0; p < Count; ++p) {
      const V xv = load_few(x + p * W, count - p * W, padding::x);
      deposit_first(state[p], xv,
                    Terms::inputs == 2 ? load_few(y + p * W, count - p * W, padding::y) : xv);
    }
    constexpr int width = impl::group_width<T>;
    if (count > 1) combine_lanes<width / 2, Count>(state, (count + width - 1) / width);
    write(state[0], results);
    if constexpr (sums == 2)
      for (int r = 0; r < sums; ++r)
        if (Terms::pads_with_plus_zero(r)) results[r].component(0) += S(0);
  }
  /// To merge a lane that has nothing but padding changes no bit: to -0, which starts every sum, it
  /// has added zeros, of a sign that no other lane's sum is changed by, except for +0 in one part
  /// of a complex product. So of the tree only those registers and groups are combined that hold
  /// numbers, and that part gets a +0.
  template <int Count>
  static void run_few(const T* x, const T* y, int count, Acc* results) {
    if constexpr (Count < registers)
      if (count > Count * W) return run_few<2 * Count>(x, y, count, results);
    if constexpr (Count == registers)
      if (count >= stripe) return sum_two_stripes(x, y, count, results);
    sum_registers<Count>(x, y, count, results);
  }
  /// A whole stripe and the beginning of a second one. Written out: in a loop over stripes the
  /// compiler keeps the sums in memory, which takes as long as the additions.
  ACC_SIMD_INLINE static void sum_two_stripes(const T* x, const T* y, int count, Acc* results) {
    using padding = impl::padding<S>;
    VAcc state[registers][sums];
    for (int p = 0; p < registers; ++p) {
      const V xv = load_as<S, W>(x + p * W);
      deposit_first(state[p], xv, Terms::inputs == 2 ? load_as<S, W>(y + p * W) : xv);
    }
    if (count > stripe)
      for (int p = 0; p < registers; ++p) {
        const int at = stripe + p * W;
        const V xv = load_few(x + at, count - at, padding::x);
        deposit(state[p], xv, Terms::inputs == 2 ? load_few(y + at, count - at, padding::y) : xv);
      }
    combine_lanes<impl::group_width<T> / 2, registers>(state, impl::groups_per_stripe);
    write(state[0], results);
  }
  /// The results that the tree left in the first lanes.
  ACC_SIMD_INLINE static void write(const VAcc (&state)[sums], Acc* results) {
    for (int r = 0; r < Terms::results; ++r)
      for (int k = 0; k < Acc::components; ++k)
        results[r].component(k) = state[sums == 1 ? 0 : r].component(k)[sums == 1 ? r : 0];
  }

  /// The lanes of a group by halving: lane j takes lane j + Width, from half a group down to the
  /// number of results. Two registers become one each time; there are Count.
  template <int Width, int Count>
  ACC_SIMD_INLINE static void combine_lanes(VAcc (*state)[sums], int groups) {
    if constexpr (Width * sums >= Terms::results) {
      for (int p = 0; p < Count / 2; ++p) {
        for (int s = 0; s < sums; ++s) {
          VAcc low, high;
          for (int k = 0; k < VAcc::components; ++k) {
            const V a = state[2 * p][s].component(k), b = state[2 * p + 1][s].component(k);
            low.component(k) = every_other<Width, 0>(a, b);
            high.component(k) = every_other<Width, 1>(a, b);
          }
          low.merge(high);
          state[p][s] = low;
        }
      }
      combine_lanes<Width / 2, Count / 2>(state, groups);
    } else {
      combine_groups<Count, Terms::results / sums>(state, groups);
    }
  }

  /// The groups by halving: whole registers first, then the groups of Width numbers within one, as
  /// far as there are groups.
  template <int Count, int Width>
  ACC_SIMD_INLINE static void combine_groups(VAcc (*state)[sums], int groups) {
    for (int half = Count / 2; half > 0; half /= 2)
      for (int p = 0; p < half; ++p)
        for (int s = 0; s < sums; ++s) state[p][s].merge(state[p + half][s]);
    for (int s = 0; s < sums; ++s) combine_register<W / 2, Width>(state[0][s], groups * Width);
  }
  /// The first `count` numbers of a register by halving, from Half on down to Width numbers.
  template <int Half, int Width>
  ACC_SIMD_INLINE static void combine_register(VAcc& state, int count) {
    if constexpr (Half >= Width) {
      if (count > Half) {
        VAcc high;
        for (int k = 0; k < VAcc::components; ++k)
          high.component(k) = upper_half<Half>(state.component(k));
        state.merge(high);
      }
      combine_register<Half / 2, Width>(state, count);
    }
  }

  static void run(const stripes_of<T>& first, const stripes_of<T>& last, Acc* results) {
    Intake intake[registers][sums];
    int i = 0;
    for (; i + stripes_at_once <= first.count; i += stripes_at_once)
      add_stripes(intake, first.x + i * stripe, first.y + i * stripe, stripes_at_once);
    const stripes_of<T> rest[]{{first.x + i * stripe, first.y + i * stripe, first.count - i}, last};
    for (const auto& [x, y, count] : rest)
      for (int j = 0; j < count; j += stripes_at_once)
        add_stripes(intake, x + j * stripe, y + j * stripe,
                    count - j < stripes_at_once ? count - j : stripes_at_once);
    VAcc state[registers][sums];
    for (int p = 0; p < registers; ++p)
      for (int s = 0; s < sums; ++s) state[p][s] = settled(intake[p][s]);
    combine_lanes<impl::group_width<T> / 2, registers>(state, impl::groups_per_stripe);
    write(state[0], results);
  }
};

template <class Terms, class Method, class T>
leaf_function<Terms, Method, T> get_leaf() {
  return &leaf_kernel<Terms, Method, T>::run;
}
template <class Terms, class Method, class T>
few_function<Terms, Method, T> get_few() {
  return &leaf_kernel<Terms, Method, T>::template run_few<impl::group_width<T>>;
}

}  // namespace acc::backends::host::ACC_HOST_ISA

#include <acc/backends/host/kernels/interleaved_kernels.hpp>
#include <acc/backends/host/kernels/order_free_kernels.hpp>

namespace acc::backends::host::ACC_HOST_ISA {
using namespace acc::impl;
#define ACC_INSTANTIATE_LEAF(terms, method, T) \
  template leaf_function<terms, method, T> get_leaf<terms, method, T>();
ACC_LEAVES(ACC_INSTANTIATE_LEAF)
#define ACC_INSTANTIATE_FEW(terms, method, T) \
  template few_function<terms, method, T> get_few<terms, method, T>();
ACC_FEW_LEAVES(ACC_INSTANTIATE_FEW)
#define ACC_INSTANTIATE_INTERLEAVED(terms, method, T) \
  template interleaved_function<terms, method, T> get_interleaved<terms, method, T>();
ACC_INTERLEAVED_LEAVES(ACC_INSTANTIATE_INTERLEAVED)
#define ACC_INSTANTIATE_ORDER_FREE(terms, T)                          \
  template window_function<T> get_window<terms, T>(int, window_kind); \
  template summary_function<T> get_summary<terms, T>();               \
  template exponent_bins_function<terms, T> get_exponent_bins<terms, T>();
ACC_ORDER_FREE_TERMS(ACC_INSTANTIATE_ORDER_FREE)
}  // namespace acc::backends::host::ACC_HOST_ISA
