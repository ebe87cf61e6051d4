// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: part of gemm_kernels.hpp.

/// \file
/// The epilogue: from a tile of sums to a tile of C.

namespace acc::backends::host::ACC_HOST_ISA {

/// The lanes for which core's needs_fallback holds, as bits: those that are NaN, which vector units
/// find in one instruction.
template <class T, int W>
ACC_SIMD_INLINE std::uint64_t nan_lanes(simd<T, W> x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(x.v) == 64 && sizeof(T) == 4)
    return _mm512_cmp_ps_mask(x.v, x.v, _CMP_UNORD_Q);
  if constexpr (sizeof(x.v) == 64 && sizeof(T) == 8)
    return _mm512_cmp_pd_mask(x.v, x.v, _CMP_UNORD_Q);
#elif defined(__AVX2__)
  if constexpr (sizeof(x.v) == 32 && sizeof(T) == 4)
    return unsigned(_mm256_movemask_ps(_mm256_cmp_ps(x.v, x.v, _CMP_UNORD_Q)));
  if constexpr (sizeof(x.v) == 32 && sizeof(T) == 8)
    return unsigned(_mm256_movemask_pd(_mm256_cmp_pd(x.v, x.v, _CMP_UNORD_Q)));
#endif
  std::uint64_t lanes = 0;
  for (int i = 0; i < W; ++i) lanes |= std::uint64_t(impl::needs_fallback(x[i])) << i;
  return lanes;
}

/// Scales the entries of a tile into C.
template <class Method, class S, class T>
struct tile_epilogue {
  static constexpr int W = vector_width<S>, nr = nr_of<S>;
  using V = simd<S, W>;
  typedef T narrow __attribute__((vector_size(W * sizeof(T))));
  using sum = impl::strip_sum<Method, V>;
  using chain = typename sum::chain;
  using totals = typename sum::totals;

  ACC_SIMD_INLINE static V load(const T* p, int count) {
    T x[W] = {};
    if (count >= W) {
      std::memcpy(x, p, sizeof(x));
    } else {
      for (int i = 0; i < count; ++i) x[i] = p[i];
    }
    narrow v;
    std::memcpy(&v, x, sizeof(v));
    return V::of(__builtin_convertvector(v, typename V::vector));
  }

  template <int Parts>
  ACC_SIMD_INLINE static V scaled(const impl::scaling<S>& scale, V high, V low, V c) {
    const impl::entry_part<V> own{high, low, c};
    impl::entry_part<V> other = own;
    if constexpr (Parts == 2) other = {swap_pairs(high), swap_pairs(low), swap_pairs(c)};
    return impl::scaled<totals::has_low, Parts>(scale, own, other,
                                                negate_odd(V(S(-1)), all_lanes{}));
  }

  static void run(int mr, const epilogue_arguments<S, T>& r) {
    const bool reads_c = r.scale.beta[0] != S(0) || r.scale.beta[1] != S(0);
    for (int row = 0; row < r.rows; ++row) {
      const std::uint64_t wanted = r.wanted[row];
      std::uint64_t not_written = 0;
      for (int column = 0; column < r.columns; column += W) {
        const auto load_state = [&](int component) {
          return V::load(r.state + (component * mr + row) * nr + column);
        };
        chain entry;
        totals total;
        for (int k = 0; k < chain::components; ++k) entry.component(k) = load_state(k);
        if constexpr (totals::components > 0)
          for (int k = 0; k < totals::components; ++k)
            total.component(k) = load_state(chain::components + k);
        T* c = r.c + row * r.step + column;
        const int count = std::min(W, r.columns - column);
        const V old = reads_c ? load(c, count) : V(S(0));
        const V high = total.high(entry), low = total.low(entry);
        const V value =
            r.parts == 2 ? scaled<2>(r.scale, high, low, old) : scaled<1>(r.scale, high, low, old);
        not_written |= write(c, count, value, wanted >> column, r.keeps_nan) << column;
      }
      r.wanted[row] = not_written;
    }
  }

  /// The wanted lanes of value; returns those that were NaN and not written.
  ACC_SIMD_INLINE static std::uint64_t write(T* c, int count, V value, std::uint64_t wanted,
                                             bool keeps_nan) {
    constexpr std::uint64_t all = (std::uint64_t(1) << (W - 1)) * 2 - 1;
    const std::uint64_t nan = nan_lanes(value);
    const narrow rounded = __builtin_convertvector(value.v, narrow);
    if (count == W && (wanted & all) == all && nan == 0) {
      std::memcpy(c, &rounded, sizeof(rounded));
      return 0;
    }
    std::uint64_t not_written = 0;
    for (int i = 0; i < count; ++i) {
      if (!(wanted >> i & 1)) continue;
      if (!(nan >> i & 1)) {
        c[i] = rounded[i];
      } else if (keeps_nan) {
        c[i] = std::numeric_limits<T>::quiet_NaN();
      } else {
        not_written |= std::uint64_t(1) << i;
      }
    }
    return not_written;
  }
};

}  // namespace acc::backends::host::ACC_HOST_ISA
