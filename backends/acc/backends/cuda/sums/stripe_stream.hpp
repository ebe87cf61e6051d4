// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_ROW_STREAM_HPP
#define ACC_BACKENDS_CUDA_SUMS_ROW_STREAM_HPP

/// \file
/// The rows of a leaf on their way from memory into a thread's registers.

#include <acc/backends/cuda/unroll.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/order/vector_data.hpp>

namespace acc::backends::cuda {

/// Whether a group, the part of a row that a thread has, is 16 bytes, so that one load brings it.
template <class Element>
inline constexpr bool is_one_load = sizeof(Element) * impl::group_width<Element> == 16;

/// A thread's groups of a leaf, row by row, Depth of them in flight.
template <class Element, int Depth>
struct stripe_stream {
  using group = loaded<Element>;
  static constexpr int width = 16 / sizeof(Element);

  group buffer[Depth];
  const Element* next;

  /// leaf: the first element of the leaf, on a boundary of 16 bytes.
  __device__ stripe_stream(const Element* leaf, int lane) : next(leaf + lane * width) {
    ACC_UNROLL for (int i = 0; i < Depth; ++i) { refill(i); }
    advance();
  }
  /// Called after the group was used, so that the load takes over its registers.
  __device__ void refill(int i) { buffer[i] = load_streaming(next + i * warp_size * width); }
  __device__ void advance() { next += Depth * warp_size * width; }
};

/// Stands where a reduction has no second vector.
template <class Element, int Depth>
struct no_rows {
  stripe_stream<Element, Depth>::group buffer[Depth];  // never written nor read
  __device__ no_rows(const Element*, int) {}
};

/// Elements before the first one on a boundary of 16 bytes; -1 where v is not contiguous.
template <class Data>
std::int64_t elements_before_boundary(const Data& v) {
  if (!v.contiguous()) return -1;
  const auto past = reinterpret_cast<std::uintptr_t>(v.data) % 16;
  return past == 0 ? 0 : std::int64_t((16 - past) / sizeof(typename Data::element));
}

/// Elements of an order-free sum before the first that loads of 16 bytes can bring, of both vectors
/// if there are two, and none cut in parts; -1 where there is no such element.
template <class R>
std::int64_t elements_before_loads(const R& r) {
  const std::int64_t head = elements_before_boundary(r.x);
  const bool together = R::terms::inputs == 1 || elements_before_boundary(r.y) == head;
  return together && head % R::terms::results == 0 && head <= r.x.size ? head : -1;
}

}  // namespace acc::backends::cuda

#endif
