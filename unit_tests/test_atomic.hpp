// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many threads deposit into few accumulators: by Kokkos::atomic_add, and by a ScatterView that does
// so. Whatever the order, each accumulator is acc::sum of what it was given.
#pragma once

#include "device.hpp"

#include <acc/dot.hpp>
#include <acc/reducers.hpp>
#include <acc/sum.hpp>

#include <Kokkos_ScatterView.hpp>

namespace acc_test {
namespace {

using namespace Kokkos::Experimental;

/// Element i goes to accumulator i modulo their number, so neighbouring threads meet in them all.
template <class Value>
struct AddAtomically {
  using T = typename Value::scalar_type;
  Kokkos::View<T*, Exec> x;
  Kokkos::View<Value*, Exec> sums;
  KOKKOS_FUNCTION void operator()(int i) const {
    Kokkos::atomic_add(&sums(i % static_cast<int>(sums.extent(0))), Value(x(i)));
  }
};
template <class Value>
struct AddProductsAtomically {
  using T = typename Value::scalar_type;
  Kokkos::View<T*, Exec> x;
  Kokkos::View<Value*, Exec> sums;
  KOKKOS_FUNCTION void operator()(int i) const {
    Value product;
    product.add_product(x(i), x(i));
    Kokkos::atomic_add(&sums(i % static_cast<int>(sums.extent(0))), product);
  }
};
template <class Value>
struct Scatter {
  using T = typename Value::scalar_type;
  using View = ScatterView<Value*, typename Kokkos::View<Value*, Exec>::array_layout, Exec,
                           ScatterSum, ScatterNonDuplicated, ScatterAtomic>;
  Kokkos::View<T*, Exec> x;
  View sums;
  int count;
  KOKKOS_FUNCTION void operator()(int i) const {
    const auto access = sums.access();
    access(i % count) += Value(x(i));
  }
};

template <class V, class M>
struct Deposits {
  using Value = V;
  using Method = M;
};
template <class D>
class Atomic : public testing::Test {
 public:
  using Value = typename D::Value;
  using T = typename Value::scalar_type;
  static constexpr int n = 1 << 16, count = 3;
  const Kokkos::View<T*, Exec> x = on_device(elements<T>(Data::wide, n, 71));
  const Kokkos::View<Value*, Exec> sums{"sums", count};
  const Kokkos::RangePolicy<Exec> range{0, n};

  /// Accumulator k has the bits that sum_of gives for elements k, k + count, ...
  template <class SumOf>
  void expect(const SumOf& sum_of) const {
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums);
    for (int k = 0; k < count; ++k) {
      const Kokkos::View<const T*, Kokkos::LayoutStride, Exec, Kokkos::MemoryUnmanaged> own(
          x.data() + k, Kokkos::LayoutStride((n - k + count - 1) / count, count));
      EXPECT_EQ(bits(got(k).value()), bits(sum_of(own))) << "accumulator " << k;
    }
  }
  void expect_sums() const {
    expect([](const auto& own) { return acc::sum(own, typename D::Method{}); });
  }
};
using DepositCases =
    testing::Types<Deposits<acc::superaccumulator<double>, acc::exact>,
                   Deposits<acc::superaccumulator<float>, acc::exact>,
                   Deposits<acc::binned<double, 3>, acc::reproducible<3>>,
                   Deposits<acc::binned<Kokkos::complex<float>, 2>, acc::reproducible<2>>>;
TYPED_TEST_SUITE(Atomic, DepositCases);

TYPED_TEST(Atomic, AddsHaveTheBitsOfASum) {
  using Value = typename TypeParam::Value;
  Kokkos::parallel_for("add", this->range, AddAtomically<Value>{this->x, this->sums});
  this->expect_sums();
}

TYPED_TEST(Atomic, ProductsHaveTheBitsOfADot) {
  using Value = typename TypeParam::Value;
  Kokkos::parallel_for("add", this->range, AddProductsAtomically<Value>{this->x, this->sums});
  this->expect([](const auto& own) { return acc::dotu(own, own, typename TypeParam::Method{}); });
}

TYPED_TEST(Atomic, ScatterViewsDoSo) {
  using Value = typename TypeParam::Value;
  typename Scatter<Value>::View scatter(this->sums);
  Kokkos::parallel_for("scatter", this->range, Scatter<Value>{this->x, scatter, this->count});
  auto sums = this->sums;
  contribute(Exec{}, sums, scatter);
  this->expect_sums();
}

}  // namespace
}  // namespace acc_test
