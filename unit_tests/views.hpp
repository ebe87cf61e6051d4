// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors in memory of every kind, and back.
#pragma once

#include "device.hpp"

namespace acc_test {

/// x in contiguous memory that starts `offset` elements after an aligned address. The elements
/// around it are NaN: reading one is seen.
template <class T>
auto shifted(const std::vector<T>& x, std::size_t offset) {
  std::vector<T> buffer(offset + x.size() + 16, T(std::numeric_limits<real_t<T>>::quiet_NaN()));
  std::copy(x.begin(), x.end(), buffer.begin() + static_cast<std::ptrdiff_t>(offset));
  return Kokkos::subview(on_device(buffer), std::make_pair(offset, offset + x.size()));
}

/// x as every `stride`-th element, NaN in between: the last column of a LayoutRight matrix.
template <class T>
auto strided(const std::vector<T>& x, std::size_t stride) {
  using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  const Matrix matrix("matrix", x.size(), stride);
  const auto mirror = Kokkos::create_mirror_view(matrix);
  Kokkos::deep_copy(mirror, T(std::numeric_limits<real_t<T>>::quiet_NaN()));
  for (std::size_t i = 0; i < x.size(); ++i) mirror(i, stride - 1) = x[i];
  Kokkos::deep_copy(matrix, mirror);
  return Kokkos::subview(matrix, Kokkos::ALL, stride - 1);
}

/// The elements of a rank-1 View of any layout.
template <class View>
auto to_host(const View& v) {
  using T = typename View::non_const_value_type;
  const Kokkos::View<T*, Exec> contiguous(
      Kokkos::view_alloc("contiguous", Kokkos::WithoutInitializing), v.extent(0));
  Kokkos::deep_copy(contiguous, v);
  std::vector<T> x(v.extent(0));
  Kokkos::deep_copy(
      Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(x.data(), x.size()), contiguous);
  return x;
}

}  // namespace acc_test
