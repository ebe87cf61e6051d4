// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of any rank and layout in the memory of the execution space under test.
#pragma once

#include "device.hpp"

#include <array>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace acc_test {

template <int Rank>
using Index = std::array<std::size_t, Rank>;

/// Calls f with each index of an array, the last one fastest.
template <int Rank, class F>
void each_index(const Index<Rank>& extent, const F& f) {
  Index<Rank> i{};
  for (const std::size_t e : extent)
    if (e == 0) return;
  while (true) {
    f(i);
    int d = Rank - 1;
    while (d >= 0 && ++i[d] == extent[d]) i[d--] = 0;
    if (d < 0) return;
  }
}

template <class T, int Rank>
struct Pointers : Pointers<T*, Rank - 1> {};
template <class T>
struct Pointers<T, 0> {
  using type = T;
};

/// Which dimension's neighbors are neighbors in memory: the last, the first, or one in between, and
/// none of them quite, as there are gaps.
enum class Order { right, left, gaps };
constexpr Order all_orders[] = {Order::right, Order::left, Order::gaps};

/// An array on the host and on the device, NaN between its elements there.
template <class T, int Rank>
class Array {
 public:
  using View = Kokkos::View<typename Pointers<T, Rank>::type, Kokkos::LayoutStride, Exec>;
  Index<Rank> extent;

  Array(const Index<Rank>& e, Order order, const std::vector<T>& x) : extent(e) {
    std::array<int, Rank> by_stride;  // the fastest first
    for (int d = 0; d < Rank; ++d) by_stride[d] = order == Order::right ? Rank - 1 - d : d;
    if (order == Order::gaps) std::swap(by_stride[0], by_stride[Rank / 2]);
    std::size_t step = order == Order::gaps ? 2 : 1;
    for (const int d : by_stride) {
      layout_.dimension[d] = extent[d];
      layout_.stride[d] = step;
      step *= extent[d] + (order == Order::gaps ? 1 : 0);
    }
    host_.assign(step + 1, T(std::numeric_limits<real_t<T>>::quiet_NaN()));
    std::size_t n = 0;
    each_index<Rank>(extent, [&](const Index<Rank>& i) { host_[at(i)] = x[n++]; });
    device_ = on_device(host_);
  }
  /// Of zeros, say, to be overwritten.
  Array(const Index<Rank>& e, Order order) : Array(e, order, std::vector<T>(size_of(e), T(7))) {}

  static std::size_t size_of(const Index<Rank>& e) {
    std::size_t n = 1;
    for (const std::size_t d : e) n *= d;
    return n;
  }
  /// Of the elements, and whatever is between them.
  View view() const { return View(device_.data(), layout_); }
  /// As they are on the device.
  std::vector<T> elements() const {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, device_);
    std::vector<T> all;
    each_index<Rank>(extent, [&](const Index<Rank>& i) { all.push_back(host(at(i))); });
    return all;
  }
  /// Those of a slice along an axis, of which i is an index.
  Kokkos::View<T*, Kokkos::HostSpace> slice(Index<Rank> i, int axis) const {
    const Kokkos::View<T*, Kokkos::HostSpace> v("slice", extent[axis]);
    for (i[axis] = 0; i[axis] < extent[axis]; ++i[axis]) v(i[axis]) = host_[at(i)];
    return v;
  }

 private:
  std::size_t at(const Index<Rank>& i) const {
    std::size_t n = 0;
    for (int d = 0; d < Rank; ++d) n += i[d] * layout_.stride[d];
    return n;
  }
  Kokkos::LayoutStride layout_;
  std::vector<T> host_;
  Kokkos::View<T*, Exec> device_;
};

/// A View of rank 2 with another layout, where the elements lie so.
template <class Layout, class T>
auto as(const Kokkos::View<T**, Kokkos::LayoutStride, Exec>& v) {
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
    return v;
  } else {
    return Kokkos::View<T**, Layout, Exec, Kokkos::MemoryUnmanaged>(v.data(), v.extent(0),
                                                                    v.extent(1));
  }
}

}  // namespace acc_test
