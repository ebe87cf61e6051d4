// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mdspans in, of every kind: the bits of a View of the same numbers.
#pragma once

#include "device.hpp"
#include "instances.hpp"
#include "layout_mapping.hpp"
#include "views.hpp"

#include <acc/mdspan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(KOKKOS_ENABLE_IMPL_MDSPAN)

namespace acc_test {
namespace {

using Kokkos::dynamic_extent;
template <class T, class Layout = Kokkos::layout_right>
using Span = Kokkos::mdspan<T, Kokkos::dextents<std::int64_t, 1>, Layout>;
template <class T, class Layout>
using Matrix = Kokkos::mdspan<T, Kokkos::dextents<int, 2>, Layout>;

/// A vector whose first element is the last in memory: strided, but not from the beginning.
struct Backwards {
  template <class Extents>
  struct mapping : layout_mapping<Backwards, Extents, true, true, true> {
    using index_type = typename Extents::index_type;
    constexpr index_type required_span_size() const { return this->shape.extent(0); }
    constexpr index_type operator()(index_type i) const { return this->shape.extent(0) - 1 - i; }
    constexpr index_type stride(typename Extents::rank_type) const { return -1; }
    friend constexpr bool operator==(const mapping& x, const mapping& y) {
      return x.shape == y.shape;
    }
  };
};

/// m's View has its memory, extents and strides.
template <class M, class View>
void expect_same_memory(const M& m, const View& v, const char* what) {
  EXPECT_EQ(v.data(), m.data_handle()) << what;
  if constexpr (M::rank() > 0) {
    for (std::size_t r = 0; r < M::rank(); ++r) {
      EXPECT_EQ(v.extent(r), std::size_t(m.extent(r))) << what << ", dimension " << r;
      EXPECT_EQ(std::size_t(v.stride(int(r))), std::size_t(m.stride(r))) << what << ", " << r;
    }
  }
}

TEST(Mdspan, BecomesAViewOfTheSameMemory) {
  const Kokkos::View<double*, Exec> memory("memory", 1000);
  double* const p = memory.data();
  const Matrix<double, Kokkos::layout_right> right(p, 20, 30);
  const Matrix<const double, Kokkos::layout_left> left(p, 20, 30);
  using Strided = Kokkos::layout_stride::mapping<Kokkos::dextents<int, 2>>;
  const Matrix<double, Kokkos::layout_stride> strided(
      p, Strided(Kokkos::dextents<int, 2>(4, 5), std::array{2, 100}));
  const Kokkos::mdspan<double, Kokkos::extents<int, 6, dynamic_extent, 8>> fixed(p, 7);
  const Kokkos::mdspan<double, Kokkos::extents<int>> scalar(p);
  expect_same_memory(right, acc::view<Memory>(right), "right");
  expect_same_memory(left, acc::view<Memory>(left), "left");
  expect_same_memory(strided, acc::view<Memory>(strided), "strided");
  expect_same_memory(fixed, acc::view<Memory>(fixed), "static extents");
  expect_same_memory(scalar, acc::view<Memory>(scalar), "rank 0");
  const auto is = []<class Type>(const auto& view, Type*) {
    return std::is_same_v<std::remove_cvref_t<decltype(view)>, Type>;
  };
  using Kokkos::View, Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;
  using Traits = Kokkos::MemoryUnmanaged;
  const auto type = []<class Type>() { return static_cast<Type*>(nullptr); };
  EXPECT_TRUE(is(acc::view<Memory>(right),
                 type.template operator()<View<double**, LayoutRight, Memory, Traits>>()));
  EXPECT_TRUE(is(acc::view<Memory>(left),
                 type.template operator()<View<const double**, LayoutLeft, Memory, Traits>>()));
  EXPECT_TRUE(is(acc::view<Memory>(strided),
                 type.template operator()<View<double**, LayoutStride, Memory, Traits>>()));
  EXPECT_TRUE(
      is(acc::view(fixed),
         type.template operator()<View<double***, LayoutRight, Kokkos::HostSpace, Traits>>()));
}

TEST(Mdspan, SumsHaveTheBitsOfViews) {
  const Exec exec;
  const std::size_t n = leaf<double> + 77;
  const auto x = on_device(elements<double>(Data::wide, n, 1));
  const auto y = on_device(elements<double>(Data::wide, n, 2));
  const Span<const double> mx(x.data(), n);
  // The column of a matrix by rows.
  const auto column = strided(to_host(y), 3);
  using Strided = Kokkos::layout_stride::mapping<Kokkos::dextents<std::int64_t, 1>>;
  const Span<double, Kokkos::layout_stride> my(
      column.data(), Strided(Kokkos::dextents<std::int64_t, 1>(n), std::array<std::int64_t, 1>{3}));
  EXPECT_EQ(bits(acc::sum(exec, mx)), bits(acc::sum(exec, x)));
  EXPECT_EQ(bits(acc::sum(exec, my, acc::exact{})), bits(acc::sum(exec, y, acc::exact{})));
  EXPECT_EQ(bits(acc::asum(exec, my)), bits(acc::asum(exec, y)));
  EXPECT_EQ(bits(acc::nrm2(exec, my)), bits(acc::nrm2(exec, y)));
  EXPECT_EQ(bits(acc::dot(exec, mx, my)), bits(acc::dot(exec, x, y)));
  EXPECT_EQ(bits(acc::dotu(exec, x, my)), bits(acc::dot(exec, x, y)));  // a View beside an mdspan
  const Kokkos::View<double, Exec> r("r");
  acc::sum(exec, Kokkos::mdspan<double, Kokkos::extents<int>>(r.data()), mx);
  EXPECT_EQ(bits(on_host(r)), bits(acc::sum(exec, x)));
  if constexpr (std::is_same_v<Memory, Kokkos::HostSpace>) {
    EXPECT_EQ(bits(acc::sum(mx)), bits(acc::sum(x)));
    EXPECT_EQ(bits(acc::dot(mx, my, acc::plain{})), bits(acc::dot(x, y, acc::plain{})));
  }
}

TEST(Mdspan, BeginsWhereItsMappingSays) {
  const Exec exec;
  const std::size_t n = leaf<double> + 77;
  const std::vector<double> x = elements<double>(Data::wide, n, 1);
  const auto there = on_device(x), back = on_device(std::vector<double>(x.rbegin(), x.rend()));
  const auto backwards = [](const double* p, std::size_t length) {
    using Extents = Kokkos::dextents<std::int64_t, 1>;
    return Span<const double, Backwards>(p, Backwards::mapping<Extents>{{Extents(length)}});
  };
  EXPECT_EQ(bits(acc::sum(exec, backwards(back.data(), n), acc::plain{})),
            bits(acc::sum(exec, there, acc::plain{})));
  EXPECT_EQ(bits(acc::dot(exec, backwards(back.data(), n), backwards(there.data(), n))),
            bits(acc::dot(exec, there, back)));
  EXPECT_EQ(acc::view<Memory>(backwards(back.data(), n)).data(), back.data() + (n - 1));
  EXPECT_EQ(acc::sum(exec, backwards(nullptr, 0)), 0);
}

TEST(Mdspan, ProductsHaveTheBitsOfViews) {
  const Exec exec;
  const int m = 17, n = 9, k = 100;
  const auto x = on_device(elements<double>(Data::uniform, std::size_t(m * k), 1));
  const auto y = on_device(elements<double>(Data::uniform, std::size_t(k * n), 2));
  const Kokkos::View<double**, Kokkos::LayoutLeft, Exec> c("c", m, n), d("d", m, n);
  const Matrix<const double, Kokkos::layout_right> a(x.data(), m, k);
  const Matrix<const double, Kokkos::layout_left> b(y.data(), k, n);
  acc::gemm(exec, "N", "N", 1.0, a, b, 0.0, Matrix<double, Kokkos::layout_left>(c.data(), m, n));
  using Unmanaged = Kokkos::MemoryUnmanaged;
  acc::gemm(exec, "N", "N", 1.0,
            Kokkos::View<const double**, Kokkos::LayoutRight, Memory, Unmanaged>(x.data(), m, k),
            Kokkos::View<const double**, Kokkos::LayoutLeft, Memory, Unmanaged>(y.data(), k, n),
            0.0, d);
  const Kokkos::View<const double*, Exec> all_c(c.data(), c.size()), all_d(d.data(), d.size());
  EXPECT_EQ(bits_of_all(to_host(all_c)), bits_of_all(to_host(all_d)));
  // Wrong extents: acc's own words.
  expect_rejected(
      [&] { (void)acc::dot(exec, Span<double>(c.data(), 3), Span<double>(d.data(), 4)); },
      "acc::dot: x and y must have the same length, but x has extent 3 and y has extent "
      "4");
}

/// The way back, and in again.
TEST(Mdspan, OfAViewIsKokkoss) {
  const auto x = on_device(elements<double>(Data::wide, 1000, 1));
  const auto m = x.to_mdspan(Kokkos::default_accessor<double>());
  expect_same_memory(m, acc::view<Memory>(m), "there and back");
  EXPECT_EQ(bits(acc::sum(Exec{}, m)), bits(acc::sum(Exec{}, x)));
}

}  // namespace
}  // namespace acc_test

#else

TEST(Mdspan, IsThere) { GTEST_SKIP() << "this Kokkos was built without mdspan"; }

#endif
