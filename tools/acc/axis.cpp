// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "axis.hpp"

#include <cstddef>
#include <type_traits>
#include <variant>
#include <vector>

#include <Kokkos_Core.hpp>
#include <acc/along.hpp>
#include <acc/core/numbers/kokkos_scalar.hpp>
#include <fmt/format.h>

#include "job.hpp"
#include "method_table.hpp"

namespace acc_tool {
namespace {

/// In memory every array is one of three dimensions: those before the axis as one, the axis, and
/// those after it as one.
struct Lengths {
  std::size_t before = 1, axis = 1, after = 1;
};

template <class T, class Tag>
std::vector<T> sums_of(const std::vector<T>& x, const Lengths& n, Tag method) {
  using S = acc::impl::kokkos_scalar_t<T>;
  using Memory = typename View<T>::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Cube = Kokkos::View<const S***, Kokkos::LayoutRight, Memory, Unmanaged>;
  using Plane = Kokkos::View<S**, Kokkos::LayoutRight, Memory, Unmanaged>;
  const auto device = to_device(x, "x");
  const View<T> sums("sums", n.before * n.after);
  acc::sum_along(Kokkos::DefaultExecutionSpace(), Plane(sums.data(), n.before, n.after),
                 Cube(device.data(), n.before, n.axis, n.after), 1, method);
  Kokkos::fence("acc sum --axis");
  std::vector<T> result(sums.extent(0));
  const Kokkos::View<S*, Kokkos::HostSpace, Unmanaged> host(reinterpret_cast<S*>(result.data()),
                                                            result.size());
  Kokkos::deep_copy(host, sums);
  return result;
}

}  // namespace

NpyArray sums_along(const std::string& name, const NpyArray& x, std::int64_t axis,
                    std::string_view method) {
  const std::vector<std::uint64_t>& shape = x.header.shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank < 2) {
    throw Error(fmt::format("{}: an array of rank {}; sums along an axis are of rank 2 or more",
                            name, rank));
  }
  if (axis < -rank || axis >= rank) {
    throw Error(fmt::format("{}: there is no axis {} in an array of rank {}; it has 0 to {}", name,
                            axis, rank, rank - 1));
  }
  if (axis < 0) axis += rank;
  NpyArray sums{{x.header.descr, x.header.fortran_order, {}}, {}};
  Lengths n;
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::uint64_t extent = shape[static_cast<std::size_t>(d)];
    // By columns the first dimension is the fastest.
    const bool is_before = x.header.fortran_order ? d > axis : d < axis;
    (d == axis ? n.axis : is_before ? n.before : n.after) *= extent;
    if (d != axis) sums.header.shape.push_back(extent);
  }
  with_method(method, [&]<class Tag>(Tag tag) {
    std::visit(
        [&]<class T>(const std::vector<T>& values) {
          if constexpr (takes<Tag>(Operation::sum, type_name<T>())) {
            sums.values = sums_of(values, n, tag);
          } else {
            throw Error(fmt::format("method {} does not take a sum of {}", method, type_name<T>()));
          }
        },
        x.values);
  });
  return sums;
}

}  // namespace acc_tool
