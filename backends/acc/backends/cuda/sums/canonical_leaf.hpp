// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_CANONICAL_LEAF_HPP
#define ACC_BACKENDS_CUDA_SUMS_CANONICAL_LEAF_HPP

/// \file
/// A warp sums a leaf in canonical order: each thread has a group (16 bytes) of each stripe, and
/// keeps several stripes in flight in registers.

#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/order/array_data.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/reduction.hpp>

#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// A thread's groups of a leaf, stripe by stripe, InFlight of them in flight.
template <class Element, int InFlight>
struct stripe_stream {
  using group = loaded<Element>;
  static constexpr int width = 16 / sizeof(Element);

  group buffer[InFlight];
  const Element* next;

  /// leaf: the first element of the leaf, on a boundary of 16 bytes.
  __device__ stripe_stream(const Element* leaf, int lane_id) : next(leaf + lane_id * width) {
    ACC_UNROLL for (int i = 0; i < InFlight; ++i) { refill(i); }
    advance();
  }
  /// Called after the group was used, so that the load takes over its registers.
  __device__ void refill(int i) { buffer[i] = load_streaming(next + i * warp_size * width); }
  __device__ void advance() { next += InFlight * warp_size * width; }
};

/// Replaces the second stream of a reduction that has one vector.
template <class Element, int InFlight>
struct no_stripes {
  stripe_stream<Element, InFlight>::group buffer[InFlight];  // never written nor read
  __device__ no_stripes(const Element*, int) {}
};

/// The leaves of a reduction. IsSmall: there are few leaves.
template <class R, bool IsSmall>
struct canonical_leaf {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using Acc = typename R::accumulator;
  using terms = typename R::terms;
  using node = typename R::leaf_node;

  static constexpr bool has_y = terms::inputs == 2;
  /// Whether one load of 16 bytes brings a group.
  static constexpr bool is_array = impl::is_array_data<decltype(R::x)>;
  static constexpr bool has_fast_path =
      sizeof(element) * impl::group_width<element> == 16 && !is_array;
  static constexpr tuning::leaf_shape shape =
      tuning::leaf_shape_of(Acc::components, sizeof(scalar), IsSmall);
  static constexpr int in_flight = shape.loads_in_flight / terms::inputs;  ///< stripes
  static constexpr int rounds = impl::stripes_per_leaf / in_flight;

  R reduction;
  bool aligned;  ///< contiguous and on 16-byte boundaries

  KOKKOS_FUNCTION explicit canonical_leaf(const R& r)
      : reduction(r),
        aligned(elements_before_boundary(r.x) == 0 &&
                (!has_y || elements_before_boundary(r.y) == 0)) {}

  std::int64_t leaves() const { return reduction.leaves(); }
  /// The first leaves, which try_full() can sum.
  KOKKOS_FUNCTION std::int64_t full_leaves() const {
    return aligned ? reduction.x.size / impl::leaf_size<element> : 0;
  }

  /// Sums a full leaf: lane_id 0 gets its node. False if the leaf needs a rescaled pass.
  __device__ bool try_full(std::int64_t leaf, int lane_id, node& n) const {
    const auto sums = combine_groups(sum_full_leaf(leaf, lane_id));
    const bool is_ordinary = impl::range_check<R>(sums).is_ordinary();
    n = impl::make_ordinary_node<R>(sums);
    return __shfl_sync(full_warp, int(is_ordinary), 0);
  }

  /// Sums any leaf: lane_id 0 gets its node.
  __device__ node sum_any(std::int64_t leaf, int lane_id) const {
    const auto sums = combine_groups(sum_thread<Acc>(reduction, leaf, lane_id));
    impl::range_check<R> verdict(sums);
    if constexpr (R::guarded != impl::guard::none)
      verdict.huge = __shfl_sync(full_warp, int(verdict.huge), 0);
    if constexpr (R::guarded == impl::guard::squares)
      verdict.tiny = __shfl_sync(full_warp, int(verdict.tiny), 0);
    return impl::make_node<R>(sums, verdict, [&](auto tag) {
      return combine_groups(sum_thread<decltype(tag)>(reduction, leaf, lane_id));
    });
  }
  /// The leaf's sums in lane_id 0, from those of its groups.
  template <class Sums>
  __device__ static Sums combine_groups(Sums group) {
    ACC_UNROLL for (int stride = warp_size / 2; stride > 0; stride /= 2) {
      group.merge(shuffle_down(group, stride));
    }
    return group;
  }

 private:
  /// A thread's groups of a leaf of any layout. Of an array, the loads of some stripes are under
  /// way at once.
  template <class Sum>
  __device__ __noinline__ static impl::sums<Sum, terms::results> sum_thread(R r, std::int64_t leaf,
                                                                            int group) {
    if constexpr (is_array) {
      if ((leaf + 1) * impl::leaf_size<element> <= r.x.size) {
        constexpr int stripes = tuning::strided_loads_in_flight / R::width;
        static_assert(stripes > 0 && impl::stripes_per_leaf % stripes == 0);
        const std::int64_t begin = leaf * impl::leaf_size<element> + group * R::width;
        impl::group_reader<decltype(r.x), R::width> of_x(r.x, begin, R::stripe);
        Sum lane[R::width][terms::sums];
        ACC_NO_UNROLL for (int first = 0; first < impl::stripes_per_leaf; first += stripes) {
          element x[stripes][R::width];
          ACC_UNROLL for (int i = 0; i < stripes; ++i) { of_x.read(x[i], R::width); }
          ACC_UNROLL for (int i = 0; i < stripes; ++i) {
            scalar xs[R::width], none = {};
            ACC_UNROLL for (int j = 0; j < R::width; ++j) { xs[j] = scalar(x[i][j]); }
            ACC_UNROLL for (int j = 0; j < R::width; ++j) {
              terms::deposit(lane[j], xs[j], none, none, j);
            }
          }
        }
        return impl::combine_lanes<Sum, R>(lane);
      }
    }
    return impl::sum_group<Sum>(r, leaf, group);
  }

  __device__ typename R::leaf_sums sum_full_leaf(std::int64_t leaf, int lane_id) const {
    const std::int64_t first = leaf * impl::leaf_size<element>;
    using stream = stripe_stream<element, in_flight>;
    stream x(reduction.x.data + first, lane_id);
    std::conditional_t<has_y, stream, no_stripes<element, in_flight>> y(reduction.y.data + first,
                                                                        lane_id);
    Acc lane[R::width][terms::sums];
    const auto add_stripes = [&](auto more) {
      ACC_UNROLL for (int i = 0; i < in_flight; ++i) {
        scalar xs[R::width], ys[R::width] = {};
        ACC_UNROLL for (int j = 0; j < R::width; ++j) {
          xs[j] = scalar(x.buffer[i].e[j]);
          if constexpr (has_y) ys[j] = scalar(y.buffer[i].e[j]);
        }
        ACC_UNROLL for (int j = 0; j < R::width; ++j) {
          terms::deposit(lane[j], xs[j], ys[j], ys[j ^ 1], j);
        }
        if constexpr (decltype(more)::value) {
          x.refill(i);
          if constexpr (has_y) y.refill(i);
        }
      }
      x.advance();
      if constexpr (has_y) y.advance();
    };
    constexpr int unrolled =
        shape.unrolled_rounds == tuning::whole_leaf ? rounds : shape.unrolled_rounds;
    ACC_UNROLL_BY(unrolled)
    for (int stripe = in_flight; stripe < impl::stripes_per_leaf; stripe += in_flight)
      add_stripes(std::true_type{});
    add_stripes(std::false_type{});
    return impl::combine_lanes<Acc, R>(lane);
  }
};

}  // namespace acc::backends::cuda

#endif
