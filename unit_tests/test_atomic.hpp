// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many threads deposit into few accumulators: by Kokkos::atomic_add, by a ScatterView that does so,
// and by acc::atomic_add without a lock. Whatever the order, each accumulator is acc::sum of what
// it was given.
#pragma once

#include "device.hpp"

#include <acc/core/atomic_add.hpp>
#include <acc/dot.hpp>
#include <acc/reducers.hpp>
#include <acc/sum.hpp>

#include <Kokkos_ScatterView.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

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

/// Numbers, sums of one and of several, whose limbs need a carry first, or products with
/// themselves.
enum class What { numbers, sums, products };
KOKKOS_INLINE_FUNCTION int times(What what, int i) {
  return what == What::sums && i % 2 == 0 ? 9 : 1;
}
template <class T>
struct AddWithoutLock {
  Kokkos::View<T*, Exec> x;
  Kokkos::View<acc::superaccumulator<T>*, Exec> sums;
  What what;
  KOKKOS_FUNCTION void operator()(int i) const {
    acc::superaccumulator<T>* const sum = &sums(i % static_cast<int>(sums.extent(0)));
    if (what == What::numbers) acc::atomic_add(sum, x(i));
    if (what == What::sums) {
      acc::superaccumulator<T> some;
      for (int k = 0; k < times(what, i); ++k) some.add(x(i));
      acc::atomic_add(sum, some);
    }
    if constexpr (!is_complex<T>)
      if (what == What::products) acc::atomic_add_product(sum, x(i), x(i));
  }
};

template <class T>
class AtomicAdd : public testing::Test {};
using AtomicAddTypes =
    testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(AtomicAdd, AtomicAddTypes);

// Accumulators that had something before, of all kinds of numbers: each has the state, wire form
// and kinds included, that one thread gives it.
TYPED_TEST(AtomicAdd, HasTheStateOfOneThread) {
  using T = TypeParam;
  using R = real_t<T>;
  using Sum = acc::superaccumulator<T>;
  const int n = 1 << 14, count = 3;
  for (const Data data :
       {Data::uniform, Data::all_exponents, Data::subnormal, Data::massive_cancellation})
    for (const What what : {What::numbers, What::sums, What::products})
      for (const bool special : {false, true}) {
        if (is_complex<T> && what == What::products) continue;
        auto x = elements<T>(data, n, 72);
        if (special)
          for (int i = 1; i < n; i += 3) x[std::size_t(i)] = T(R(i % 2 == 0 ? 0.0 : -0.0));
        if (special && data == Data::uniform) x[5] = T(std::numeric_limits<R>::infinity());
        const Kokkos::View<Sum*, Exec> sums("sums", count);
        auto want = Kokkos::create_mirror_view(sums);
        for (int k = 0; k < count; ++k)
          want(k) = special ? Sum() : Sum(T(std::numeric_limits<R>::max() / 3));
        Kokkos::deep_copy(sums, want);
        Kokkos::parallel_for("add", Kokkos::RangePolicy<Exec>(0, n),
                             AddWithoutLock<T>{on_device(x), sums, what});
        for (int i = 0; i < n; ++i) {
          if constexpr (!is_complex<T>) {
            if (what == What::products) {
              want(i % count).add_product(x[std::size_t(i)], x[std::size_t(i)]);
              continue;
            }
          }
          for (int k = 0; k < times(what, i); ++k) want(i % count).add(x[std::size_t(i)]);
        }
        const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums);
        for (int k = 0; k < count; ++k) {
          ASSERT_EQ(bits(got(k).value()), bits(want(k).value())) << name(data) << ", " << k;
          std::vector<std::int64_t> a(Sum::wire_words), b(Sum::wire_words);
          got(k).to_wire(a.data());
          want(k).to_wire(b.data());
          ASSERT_EQ(a, b) << name(data) << ", " << k;
          // What is added alone afterwards, and merged.
          Sum twice = got(k), other = want(k);
          twice.add(T(R(1)));
          other.add(T(R(1)));
          twice.merge(got(k));
          other.merge(want(k));
          ASSERT_EQ(bits(twice.value()), bits(other.value())) << name(data) << ", " << k;
        }
      }
}

/// Numbers and accumulators by either name: who takes a lock excludes nobody who takes none.
struct AddByAllNames {
  Kokkos::View<acc::superaccumulator<double>*, Exec> sums;
  KOKKOS_FUNCTION void operator()(int i) const {
    if (i % 4 == 0) Kokkos::atomic_add(&sums(0), 1.0);
    if (i % 4 == 1) Kokkos::atomic_add(&sums(0), acc::superaccumulator<double>(1.0));
    if (i % 4 == 2) acc::atomic_add(&sums(0), 1.0);
    if (i % 4 == 3) atomic_add(&sums(0), acc::superaccumulator<double>(1.0));
  }
};
TEST(AtomicAddOfReals, HasOneWayOnly) {
  const Kokkos::View<acc::superaccumulator<double>*, Exec> sums("sums", 1);
  const int n = 1 << 18;
  Kokkos::parallel_for("add", Kokkos::RangePolicy<Exec>(0, n), AddByAllNames{sums});
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums)(0).value(), n);
}

/// Limbs are full from a small number on, so that they carry all the time and far.
template <class T>
struct AddToSmallLimbs {
  Kokkos::View<T*, Exec> x;
  Kokkos::View<acc::superaccumulator<T>*, Exec> sums;
  KOKKOS_FUNCTION void operator()(int i) const { acc::impl::atomic_sum<T, 33>{sums(0)}.add(x(i)); }
};
TEST(AtomicAddOfReals, LimbsThatGetFullMoveUp) {
  using Sum = acc::superaccumulator<double>;
  for (const Data data : {Data::uniform, Data::all_exponents, Data::massive_cancellation}) {
    const int n = 1 << 16;
    auto x = elements<double>(data, n, 73);
    // Of one sign, and close together: limbs fill.
    for (double& v : x)
      if (data == Data::uniform) v = 1 + std::abs(v) / 1024;
    const Kokkos::View<Sum*, Exec> sums("sums", 1);
    Kokkos::parallel_for("add", Kokkos::RangePolicy<Exec>(0, n),
                         AddToSmallLimbs<double>{on_device(x), sums});
    Sum want;
    for (const double v : x) want.add(v);
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums);
    std::vector<std::int64_t> a(Sum::wire_words), b(Sum::wire_words);
    got(0).to_wire(a.data());
    want.to_wire(b.data());
    EXPECT_EQ(a, b) << name(data);
  }
}
// A limb just below 2^60, the fullest that needs no carry yet.
TEST(AtomicAddOfReals, AFullLimbMovesUp) {
  using Sum = acc::superaccumulator<double>;
  for (const int sign : {1, -1}) {
    Sum start;
    start.add_integer(sign * ((std::int64_t(1) << 32) - 1), Sum::unit_exponent + 32 * 70);
    for (int k = 0; k < 28; ++k) start.merge(Sum(start));
    const Kokkos::View<Sum*, Exec> sums("sums", 1);
    auto host = Kokkos::create_mirror_view(sums);
    host(0) = start;
    Kokkos::deep_copy(sums, host);
    const std::vector<double> x(4000, sign * std::ldexp(1.0, Sum::unit_exponent + 32 * 70 + 31));
    Kokkos::parallel_for("add", Kokkos::RangePolicy<Exec>(0, 4000),
                         AddWithoutLock<double>{on_device(x), sums, What::numbers});
    Sum want = start;
    for (const double v : x) want.add(v);
    Kokkos::deep_copy(host, sums);
    EXPECT_TRUE(identical(host(0), want)) << sign;
  }
}

}  // namespace
}  // namespace acc_test
