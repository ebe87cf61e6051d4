// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SPARSE_WARP_ROW_HPP
#define ACC_BACKENDS_CUDA_SPARSE_WARP_ROW_HPP

/// \file
/// How a warp sums a row of a sparse matrix: its loads, leaves and what finishes it.

#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/gemm/crs_rows.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::cuda {

/// How a warp sums a row.
template <class S>
struct warp_row {
  using R = typename S::reduction;
  using element = typename S::element;
  using ordinal = typename S::ordinal;
  using Acc = typename R::accumulator;
  using terms = typename R::terms;
  using sums = typename R::leaf_sums;
  using node = typename R::leaf_node;
  static constexpr int width = R::width, components = S::components;
  /// Whether a group of padding is as none. (Of complex products it makes +0 of -0.)
  static constexpr bool skips_padding = terms::sums == 1;

  S rows;
  int x_bytes;  ///< between elements of x: one multiplication addresses one

  /// A group's numbers, and those of x that they meet.
  struct group {
    element a[width], x[width];
  };
  __device__ group pad() const {
    group g;
    ACC_UNROLL for (int j = 0; j < width; ++j) {
      g.a[j] = impl::padding<element>::x;
      g.x[j] = impl::padding<element>::y;
    }
    return g;
  }
  /// A row's values and columns.
  struct row {
    const element* values;
    const ordinal* index;
    int size;  ///< in real elements
  };
  __device__ row row_from(std::int64_t begin, std::int64_t size) const {
    return {rows.values.data + begin * components, rows.x.index + begin, int(size) * components};
  }
  __device__ const element* x_at(std::int64_t column) const {
    return reinterpret_cast<const element*>(reinterpret_cast<const char*>(rows.x.data) +
                                            column * x_bytes);
  }
  /// What is read once leaves the cache to x.
  template <class V>
  __device__ static V load_once(const V* p) {
    if constexpr (requires { __ldcs(p); }) {
      return __ldcs(p);
    } else {
      return *p;  // CUDA streams no char16_t, an index like any other
    }
  }
  /// A row's real elements from `first` on.
  __device__ group load(const row& r, int first) const {
    group g = pad();
    ACC_UNROLL for (int j = 0; j < width; j += components) {
      if (first + j < r.size) {
        const element* const x = x_at(r.index[(first + j) / components]);
        ACC_UNROLL for (int c = 0; c < components; ++c) {
          g.a[j + c] = r.values[first + j + c];
          g.x[j + c] = x[c];
        }
      }
    }
    return g;
  }
  __device__ static void deposit(Acc (&lane)[width][terms::sums], const group& g) {
    ACC_UNROLL for (int j = 0; j < width; ++j)
        terms::deposit(lane[j], g.a[j], g.x[j], g.x[j ^ 1], j);
  }
  /// Adds what the threads have, of which there are `threads` in a row, by halving strides.
  template <int Count>
  __device__ static sums combine_threads(sums s) {
    ACC_UNROLL for (int stride = Count / 2; stride > 0; stride /= 2)
        s.merge(shuffle_down(s, stride));
    return s;
  }

  /// A row of at most a leaf: a thread has a group of each stripe. It loads InFlight at once.
  template <int InFlight>
  __device__ sums sum_leaf(const row& r, int lane_id) const {
    Acc lane[width][terms::sums];
    const int own = lane_id * width;
    ACC_NO_UNROLL for (int stripe = 0; stripe < r.size; stripe += InFlight * R::stripe) {
      group g[InFlight];
      ACC_UNROLL for (int k = 0; k < InFlight; ++k) g[k] = load(r, stripe + k * R::stripe + own);
      ACC_UNROLL for (int k = 0; k < InFlight; ++k) {
        // A stripe that the row has, for all threads.
        if (stripe + k * R::stripe < r.size) deposit(lane, g[k]);
      }
    }
    return combine_threads<warp_size>(impl::combine_lanes<Acc, R>(lane));
  }

  /// The node of a leaf of row i, entries [first, last), in the lane that has their sums.
  __device__ node node_of_leaf(std::int64_t i, std::int64_t first, std::int64_t last,
                               const sums& s) const {
    return impl::range_check<R>(s).is_ordinary() ? impl::make_ordinary_node<R>(s)
                                                 : leaf_node_again(rows.of(i, first, last), s);
  }
  __device__ void finish(std::int64_t i, std::int64_t begin, std::int64_t end,
                         const sums& total) const {
    const R r = rows.of(i, begin, end);
    if (impl::range_check<R>(total).is_ordinary())
      r.finish(impl::make_ordinary_node<R>(total));
    else
      finish_again(r);
  }
  /// Out of line, as few rows need it.
  __device__ __noinline__ static void finish_again(R r) { impl::sum_short_row(r); }
  __device__ __noinline__ static node leaf_node_again(R leaf, sums s) {
    return impl::make_node<R>(s, impl::range_check<R>(s),
                              [&](auto tag) { return impl::sum_one_stripe<decltype(tag)>(leaf); });
  }
};

}  // namespace acc::backends::cuda

#endif
