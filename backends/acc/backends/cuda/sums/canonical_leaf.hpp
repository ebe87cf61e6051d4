// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_CANONICAL_LEAF_HPP
#define ACC_BACKENDS_CUDA_SUMS_CANONICAL_LEAF_HPP

/// \file
/// A leaf in canonical order by a warp of an NVIDIA GPU: a thread a group of lanes (16 bytes),
/// several rows in flight in registers.

#include <acc/backends/cuda/sums/stripe_stream.hpp>
#include <acc/backends/cuda/unroll.hpp>
#include <acc/core/order/reduction.hpp>

namespace acc::backends::cuda {

/// As measured on Hopper (docs/performance.md). Small: a thread has as much of its leaf in flight
/// as it can.
template <class R, bool Small>
struct canonical_leaf {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using Acc = typename R::accumulator;
  using terms = typename R::terms;
  using node = typename R::leaf_node;

  static constexpr bool has_y = terms::inputs == 2;
  static constexpr bool has_fast_path = is_one_load<element>;
  static constexpr bool is_double = sizeof(scalar) == 8;
  static constexpr bool is_long = Acc::components > 2;  ///< more additions than loads
  /// Rows in flight, rows whose code is written out, warps that a multiprocessor has registers for.
  static constexpr int depth = (Small ? 32 : is_long ? 8 : 16) / terms::inputs;
  static constexpr int unrolled = is_long ? 2 * depth : impl::stripes_per_leaf;
  static constexpr int warps = Small ? 1 : !is_long ? 16 : is_double ? 12 : 20;

  R reduction;
  bool aligned;  ///< contiguous and on 16-byte boundaries

  explicit canonical_leaf(const R& r)
      : reduction(r),
        aligned(elements_before_boundary(r.x) == 0 &&
                (!has_y || elements_before_boundary(r.y) == 0)) {}

  std::int64_t leaves() const { return reduction.leaves(); }
  KOKKOS_FUNCTION std::int64_t full_leaves() const {
    return aligned ? reduction.x.size / impl::leaf_size<element> : 0;
  }
  __device__ void finish(const node& root) const { reduction.finish(root); }
  template <int N>
  __device__ static void align(node (&)[N]) {}
  __device__ static void merge(node& n, const node& other) { n.merge(other); }

  /// False where the leaf needs a second look.
  __device__ bool try_full(std::int64_t leaf, int lane, node& n) const {
    const auto sums = combine_groups(sum_full_leaf(leaf, lane));
    const bool is_ordinary = impl::range_check<R>(sums).is_ordinary();
    n = impl::make_ordinary_node<R>(sums);
    return __shfl_sync(all_lanes, int(is_ordinary), 0);
  }

  __device__ node sum_any(std::int64_t leaf, int lane) const {
    const auto sums = combine_groups(sum_thread<Acc>(reduction, leaf, lane));  // whole in lane 0
    impl::range_check<R> verdict(sums);
    if constexpr (R::guarded != impl::guard::none)
      verdict.huge = __shfl_sync(all_lanes, int(verdict.huge), 0);
    if constexpr (R::guarded == impl::guard::squares)
      verdict.tiny = __shfl_sync(all_lanes, int(verdict.tiny), 0);
    return impl::make_node<R>(sums, verdict, [&](auto tag) {
      return combine_groups(sum_thread<decltype(tag)>(reduction, leaf, lane));
    });
  }

 private:
  /// A thread's group of a leaf of any layout, or of a leaf that is looked at again.
  template <class Sum>
  __device__ __noinline__ static impl::sums<Sum, terms::results> sum_thread(R r, std::int64_t leaf,
                                                                            int group) {
    return impl::sum_group<Sum>(r, leaf, group);
  }

  template <class Sums>
  __device__ static Sums combine_groups(Sums group) {
    ACC_UNROLL for (int stride = warp_size / 2; stride > 0; stride /= 2) {
      group.merge(shuffle_down(group, stride));
    }
    return group;
  }

  __device__ typename R::leaf_sums sum_full_leaf(std::int64_t leaf, int thread) const {
    const std::int64_t first = leaf * impl::leaf_size<element>;
    using rows = stripe_stream<element, depth>;
    rows x(reduction.x.data + first, thread);
    std::conditional_t<has_y, rows, no_rows<element, depth>> y(reduction.y.data + first, thread);
    Acc lane[R::width][terms::sums];
    const auto add_rows = [&](auto more) {
      ACC_UNROLL for (int i = 0; i < depth; ++i) {
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
    constexpr int trips = unrolled / depth;
    ACC_UNROLL_BY(trips)
    for (int row = depth; row < impl::stripes_per_leaf; row += depth) add_rows(std::true_type{});
    add_rows(std::false_type{});
    return impl::combine_lanes<Acc, R>(lane);
  }
};

}  // namespace acc::backends::cuda

#endif
