// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_WARP_BINS_HPP
#define ACC_BACKENDS_CUDA_SUMS_WARP_BINS_HPP

/// \file
/// Exact sums of segments and pieces of them by a warp: each thread has bins for all exponents in
/// scratch memory, as in exact_bins.hpp. A short sum leaves most of them at 0. So the warp notes
/// which ones its terms enter, and adds up, rounds and clears those alone.

#include <acc/backends/cuda/sums/digits.hpp>
#include <acc/backends/cuda/sums/order_free_terms.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/numbers/element_kinds.hpp>

#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// The threads of a complex sum have real and imaginary parts in turn.
template <class R>
struct warp_bins {
  using scalar = typename R::scalar;
  using own_bins = std::conditional_t<std::is_same_v<scalar, double>, double_bins<0, 44, warp_size>,
                                      float_bins<warp_size>>;
  using policy = exact_terms<scalar, false>;
  static constexpr int parts = R::terms::results, digits = policy::digits;
  static constexpr int count = own_bins::count, width = own_bins::width, base = own_bins::lowest;
  static constexpr int terms = tuning::exact_segment_loads_in_flight;
  static constexpr int warps_per_sm = tuning::exact_segment_warps;
  static_assert(R::terms::inputs == 1);

  /// All zero between sums.
  struct memory {
    typename own_bins::word bin[count][warp_size];
    std::int64_t digit[parts][digits + 2];
  };
  /// The sum of a piece, in digits of 32 bits and their carries.
  struct node {
    std::int64_t digit[parts][digits];
    std::int64_t kinds[parts];
  };

  memory& m;
  int lane_id;
  own_bins own;

  __device__ warp_bins(memory& shared, int lane)
      : m(shared), lane_id(lane), own{{&shared.bin[0][lane]}} {
    ACC_NO_UNROLL for (int i = 0; i < count; ++i) own.bin(i) = 0;
    ACC_UNROLL for (int p = 0; p < parts; ++p) {
      ACC_NO_UNROLL for (int i = lane; i < digits + 2; i += warp_size) m.digit[p][i] = 0;
    }
    __syncwarp();
  }

  /// A sum in the digits: those from `low` to `end` may not be 0.
  struct partial {
    int low, end;
    unsigned kinds[parts];
  };

  /// Adds elements `from` to `to` to the digits.
  __device__ partial sum(const R& r, std::int64_t from, std::int64_t to, std::int64_t) {
    constexpr unsigned minus_zero = 0x80000000u;
    int lowest = count, highest = -1, deposits = 0;
    unsigned special = 0;
    bool is_minus_zero = true;  // each element
    const std::int64_t end = to * parts;
    const auto load = [&](std::int64_t first, scalar(&x)[terms]) {
      ACC_UNROLL for (int k = 0; k < terms; ++k) {
        const std::int64_t at = first + k * warp_size + lane_id;
        x[k] = at < end ? scalar(r.x[at]) : scalar(-0.0);
      }
    };
    scalar next[terms];
    load(from * parts, next);
    ACC_NO_UNROLL for (std::int64_t first = from * parts; first < end; first += terms * warp_size) {
      scalar x[terms];
      ACC_UNROLL for (int k = 0; k < terms; ++k) { x[k] = next[k]; }
      const std::int64_t rest = first + terms * warp_size;
      if (rest < end) load(rest, next);  // beside what is done with x
      scalar check = 0;                  // 0 times a number that is not finite is NaN
      ACC_UNROLL for (int k = 0; k < terms; ++k) { check = fma_zero(x[k], check); }
      if (__any_sync(full_warp, check != check)) {
        ACC_UNROLL for (int k = 0; k < terms; ++k) {
          const unsigned kind = special_kind(x[k]);
          special |= kind;
          x[k] = kind == 0 ? x[k] : scalar(0);
        }
      }
      if ((deposits += terms * policy::deposits) > own_bins::capacity) {
        own.carry();
        if (highest >= 0) highest = min(highest + 1, count - 2);
        deposits = terms * policy::deposits;
      }
      typename own_bins::addend a[terms];
      ACC_UNROLL for (int k = 0; k < terms; ++k) {
        a[k] = own_bins::addend_of(x[k]);
        const bool is_zero = x[k] == scalar(0);
        lowest = is_zero ? lowest : min(lowest, a[k].bin);
        highest = is_zero ? highest : max(highest, a[k].bin);
        is_minus_zero = is_minus_zero && is_zero && high_word(x[k]) == minus_zero;
      }
      ACC_UNROLL for (int k = 0; k < terms; ++k) { own.add(a[k]); }
    }
    lowest = __reduce_min_sync(full_warp, lowest);
    highest = __reduce_max_sync(full_warp, highest);
    partial e;
    const unsigned others = __ballot_sync(full_warp, !is_minus_zero);
    ACC_UNROLL for (int p = 0; p < parts; ++p) {
      const unsigned mine = __reduce_or_sync(full_warp, lane_id % parts == p ? special : 0u);
      element_kinds kinds{(others & one_part << p) == 0 ? element_kinds::minus_zero
                                                        : element_kinds::plus_zero};
      kinds.merge({mine});
      e.kinds[p] = kinds.bits;
    }
    e.low = highest < 0 ? 0 : lowest * width / 32;
    e.end = highest < 0 ? 0 : (highest + 1) * width / 32 + 3;
    // A bin's threads hold less than 2^69 together: three chunks of 26 bits, whose sums are 32
    // bits.
    ACC_NO_UNROLL for (int i = lowest; i <= highest + 1; ++i) {
      const std::int64_t mine = own_bins::units(own.bin(i), i);
      own.bin(i) = 0;
      ACC_UNROLL for (int p = 0; p < parts; ++p) {
        const std::int64_t v = lane_id % parts == p ? mine : 0;
        const std::int64_t low = __reduce_add_sync(full_warp, unsigned(v) & chunk),
                           middle = __reduce_add_sync(full_warp, unsigned(v >> 26) & chunk),
                           high = __reduce_add_sync(full_warp, int(v >> 52));
        if (lane_id == 0)
          add_to_digits(m.digit[p], i * width, low + (middle << 26), high * (1 << 20));
      }
    }
    __syncwarp();
    return e;
  }
  /// Adds up nodes in the digits.
  template <class NodeOf>
  __device__ partial combined(const NodeOf& node_of, int nodes) {
    partial e{.low = 0, .end = digits, .kinds = {}};
    ACC_UNROLL for (int p = 0; p < parts; ++p) {
      ACC_NO_UNROLL for (int d = lane_id; d < digits; d += warp_size) {
        std::int64_t s = 0;
        ACC_UNROLL_BY(8) for (int k = 0; k < nodes; ++k) s += node_of(k)->digit[p][d];
        m.digit[p][d] = s;
      }
      unsigned kinds = 0;
      ACC_NO_UNROLL for (int k = lane_id; k < nodes; k += warp_size) kinds |=
          unsigned(node_of(k)->kinds[p]);
      element_kinds all{};
      all.merge({__reduce_or_sync(full_warp, kinds)});
      e.kinds[p] = all.bits;
    }
    __syncwarp();
    return e;
  }

  /// Moves the digits to a node.
  __device__ void give(const partial& e, node* to) {
    ACC_UNROLL for (int p = 0; p < parts; ++p) {
      ACC_NO_UNROLL for (int d = lane_id; d < digits; d += warp_size) {
        to->digit[p][d] = m.digit[p][d];
        m.digit[p][d] = 0;
      }
      if (lane_id == 0) to->kinds[p] = e.kinds[p];
    }
    __syncwarp();
  }

  /// Rounds the digits, writes the result, and clears them.
  __device__ void finish(const R& r, const partial& e) {
    impl::sums<rounded_sum, parts> result;
    ACC_NO_UNROLL for (int p = 0; p < parts; ++p) {
      result.part[p].rounded = round_digits<scalar>(m.digit[p] + e.low, e.end - e.low,
                                                    base + 32 * e.low, {e.kinds[p]}, lane_id);
      __syncwarp();
      ACC_NO_UNROLL for (int d = e.low + lane_id; d < e.end + 2; d += warp_size) m.digit[p][d] = 0;
    }
    if (lane_id == 0) r.finish(result);
    __syncwarp();
  }

 private:
  static constexpr unsigned one_part = parts == 1 ? full_warp : 0x55555555;
  static constexpr unsigned chunk = (1u << 26) - 1;

  __device__ static float fma_zero(float x, float y) { return __fmaf_rn(x, 0.f, y); }
  __device__ static double fma_zero(double x, double y) { return __fma_rn(x, 0., y); }
  __device__ static unsigned high_word(float x) { return __float_as_uint(x); }
  __device__ static unsigned high_word(double x) { return unsigned(__double2hiint(x)); }

  struct rounded_sum {
    scalar rounded;
    __device__ scalar value() const { return rounded; }
  };
};

}  // namespace acc::backends::cuda

#endif
