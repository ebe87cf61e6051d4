// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, norms and statistics of all elements of arrays: the bits of a vector that has them in index
// order, for every shape, layout and engine.
#pragma once

#include "arrays.hpp"
#include "device.hpp"
#include "views.hpp"

#include <acc/accumulate.hpp>
#include <acc/asum.hpp>
#include <acc/certificate.hpp>
#include <acc/nrm2.hpp>
#include <acc/statistics.hpp>
#include <acc/sum.hpp>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace acc_test {
namespace {

template <std::size_t Rank>
std::string text(const std::array<std::size_t, Rank>& shape, Order order, Data data) {
  std::string s = order == Order::right ? "right" : order == Order::left ? "left" : "gaps";
  for (const std::size_t e : shape) s += " " + std::to_string(e);
  return s + " " + std::string(name(data));
}

/// Calls f(array, x, what): x are the array's elements in index order.
template <class T, std::size_t Rank, class F>
void each_array(const std::vector<std::array<std::size_t, Rank>>& shapes, const F& f) {
  const Data families[] = {Data::wide, Data::all_exponents, Data::near_overflow, Data::subnormal,
                           Data::massive_cancellation};
  std::size_t pick = 0;
  for (const auto& shape : shapes)
    for (const Order order : all_orders) {
      const Data data = families[pick++ % std::size(families)];
      const auto x = elements<T>(data, Array<T, int(Rank)>::size_of(shape), shape[Rank - 1]);
      f(Array<T, int(Rank)>(shape, order, x), x, text(shape, order, data));
    }
}
/// Lines of fewer and more elements than a stripe and than some leaves; few and many of them.
template <class T>
std::vector<Index<2>> matrices() {
  const std::size_t s = row<T>, l = leaf<T>;
  return {{0, 3},         {3, 0},         {1, 1},      {1, 9},       {9, 1},
          {5, 7},         {s, 3},         {3, s + 1},  {l - 1, 3},   {3, l + 1},
          {2 * l + 3, 2}, {2, 2 * l + 3}, {17, l / 2}, {40, s + 3},  {9, 5 * l / 4},
          {513, 130},     {3, 9 * l + 5}, {70000, 3},  {l / 16, 160}};
}
template <class T>
std::vector<Index<3>> cubes() {
  return {{2, 3, 4},      {3, 0, 2},    {1, 5, 1},    {40, 1, 70},
          {row<T>, 3, 5}, {31, 47, 53}, {3, 40000, 2}};
}
const std::vector<Index<5>> rank_5 = {{2, 1, 3, 4, 5}, {9, 3, 17, 5, 7}};
const std::vector<Index<8>> rank_8 = {{2, 3, 1, 2, 5, 3, 2, 4}, {3, 2, 7, 2, 5, 3, 2, 9}};

template <class C>
class Arrays : public testing::Test {
 public:
  using T = typename C::Scalar;
  using M = typename C::Method;
  /// f(array's View, vector of the same elements, what)
  template <class F>
  static void each_shape(const F& f) {
    each_array<T>(matrices<T>(), f);
    each_array<T>(cubes<T>(), f);
  }
};
using ArrayCases =
    testing::Types<Case<acc::plain, float>, Case<acc::compensated, double>,
                   Case<acc::double_word, double>, Case<acc::fold<3>, float>,
                   Case<acc::widened, float>, Case<acc::compensated, Kokkos::complex<double>>,
                   Case<acc::compensated, Kokkos::complex<float>>, Case<acc::exact, double>,
                   Case<acc::exact, Kokkos::complex<float>>, Case<acc::reproducible<3>, float>>;
TYPED_TEST_SUITE(Arrays, ArrayCases);

TYPED_TEST(Arrays, SumsHaveTheBitsOfTheVectorInIndexOrder) {
  using T = typename TypeParam::Scalar;
  const typename TypeParam::Method method;
  const Kokkos::View<T, Exec> r("r");
  this->each_shape([&](const auto& a, const std::vector<T>& x, const std::string& what) {
    const std::string want = bits(acc::sum(Exec{}, on_device(x), method));
    ASSERT_EQ(bits(acc::sum(Exec{}, a.view(), method)), want) << what;
    acc::sum(r, a.view(), method);
    ASSERT_EQ(bits(on_host(r)), want) << what;
  });
}

TEST(ArrayViews, OfManyDimensionsHaveTheBitsOfTheVectorInIndexOrder) {
  const auto check = [](const auto& a, const std::vector<double>& x, const std::string& what) {
    const auto v = on_device(x);
    ASSERT_EQ(bits(acc::sum(Exec{}, a.view())), bits(acc::sum(Exec{}, v))) << what;
    ASSERT_EQ(bits(acc::sum(Exec{}, a.view(), acc::exact{})),
              bits(acc::sum(Exec{}, v, acc::exact{})))
        << what;
  };
  each_array<double>(rank_5, check);
  each_array<double>(rank_8, check);
}

/// Where there is an oracle for the bits themselves.
TYPED_TEST(Arrays, ExactSumsAreTheOracles) {
  using T = typename TypeParam::Scalar;
  if constexpr (std::is_same_v<typename TypeParam::Method, acc::exact> && !is_complex<T>) {
    this->each_shape([&](const auto& a, const std::vector<T>& x, const std::string& what) {
      if (x.empty()) return;
      ASSERT_EQ(bits(acc::sum(Exec{}, a.view(), acc::exact{})), bits(round_to<T>(exact_sum<T>(x))))
          << what;
    });
  }
}

/// Elements that are huge, infinite or NaN make a leaf be read again.
TYPED_TEST(Arrays, SpecialValuesAreTheVectors) {
  using T = typename TypeParam::Scalar;
  using Real = typename TypeParam::Real;
  using Limits = std::numeric_limits<Real>;
  const typename TypeParam::Method method;
  for (const Index<2>& shape : {Index<2>{70, 300}, Index<2>{5000, 3}, Index<2>{3, 5000}}) {
    for (const Order order : all_orders) {
      for (const Real value : {Limits::max() / 4, Limits::infinity(), Limits::quiet_NaN()}) {
        auto x = elements<T>(Data::uniform, shape[0] * shape[1], 3);
        x[17] = T(value);
        x[x.size() / 2] = T(-value);
        x[x.size() - 2] = T(value);
        const Array<T, 2> a(shape, order, x);
        EXPECT_EQ(bits(acc::sum(Exec{}, a.view(), method)),
                  bits(acc::sum(Exec{}, on_device(x), method)))
            << text(shape, order, Data::uniform);
      }
      const std::vector<T> zeros(shape[0] * shape[1], T(Real(-0.0)));
      EXPECT_EQ(bits(acc::sum(Exec{}, Array<T, 2>(shape, order, zeros).view(), method)),
                bits(acc::sum(Exec{}, on_device(zeros), method)));
    }
  }
}

template <class C>
class ArrayNorms : public Arrays<C> {};
using ArrayNormCases =
    testing::Types<Case<acc::plain, float>, Case<acc::compensated, double>,
                   Case<acc::compensated, Kokkos::complex<float>>, Case<acc::exact, double>,
                   Case<acc::exact, Kokkos::complex<float>>, Case<acc::reproducible<3>, double>>;
TYPED_TEST_SUITE(ArrayNorms, ArrayNormCases);

TYPED_TEST(ArrayNorms, HaveTheBitsOfTheVectorInIndexOrder) {
  using T = typename TypeParam::Scalar;
  using Real = typename TypeParam::Real;
  const typename TypeParam::Method method;
  const Kokkos::View<Real, Exec> r("r");
  this->each_shape([&](const auto& a, const std::vector<T>& x, const std::string& what) {
    const auto v = on_device(x);
    const std::string norm = bits(acc::nrm2(Exec{}, v, method)),
                      sum = bits(acc::asum(Exec{}, v, method));
    ASSERT_EQ(bits(acc::nrm2(Exec{}, a.view(), method)), norm) << what;
    ASSERT_EQ(bits(acc::asum(Exec{}, a.view(), method)), sum) << what;
    ASSERT_EQ(bits(acc::nrm1(a.view(), method)), sum) << what;
    acc::nrm2(r, a.view(), method);
    ASSERT_EQ(bits(on_host(r)), norm) << what;
    acc::asum(Exec{}, r, a.view(), method);
    ASSERT_EQ(bits(on_host(r)), sum) << what;
    acc::nrm1(r, a.view(), method);
    ASSERT_EQ(bits(on_host(r)), sum) << what;
  });
}

template <class T>
class ArrayStatistics : public testing::Test {};
using StatisticsTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(ArrayStatistics, StatisticsTypes);

TYPED_TEST(ArrayStatistics, AreTheVectors) {
  using T = TypeParam;
  const auto check = [](const auto& a, const std::vector<T>& x, const std::string& what) {
    const auto v = on_device(x);
    const Exec exec;
    ASSERT_EQ(bits(acc::mean(exec, a.view())), bits(acc::mean(exec, v))) << what;
    ASSERT_EQ(bits(acc::variance(exec, a.view(), 1)), bits(acc::variance(exec, v, 1))) << what;
    ASSERT_EQ(acc::statistics_of(exec, a.view()).count, std::int64_t(x.size())) << what;
    const auto bound = acc::sum_with_bound(exec, a.view()),
               of_vector = acc::sum_with_bound(exec, v);
    ASSERT_EQ(bits(bound.value), bits(of_vector.value)) << what;
    ASSERT_EQ(bits(bound.error_bound), bits(of_vector.error_bound)) << what;
    const Kokkos::View<acc::superaccumulator<T>, Exec> all("all");
    acc::accumulate(exec, all, a.view());
    exec.fence();
    ASSERT_EQ(bits(on_host(all).value()), bits(acc::sum(exec, v, acc::exact{}))) << what;
  };
  each_array<T>(matrices<T>(), check);
  each_array<T>(cubes<T>(), check);
}

/// Views of Kokkos's own layouts, and parts of them.
TEST(ArrayViews, HaveTheBitsOfTheVectorInIndexOrder) {
  const Index<3> shape = {37, 21, 30};
  const auto x = elements<double>(Data::wide, 37 * 21 * 30, 1);
  const Kokkos::View<double***, Kokkos::LayoutLeft, Exec> left("left", 37, 21, 30);
  const Kokkos::View<double***, Kokkos::LayoutRight, Exec> right("right", 37, 21, 30);
  Kokkos::deep_copy(left, Array<double, 3>(shape, Order::left, x).view());
  Kokkos::deep_copy(right, Array<double, 3>(shape, Order::right, x).view());
  const std::string want = bits(acc::sum(Exec{}, on_device(x)));
  EXPECT_EQ(bits(acc::sum(left)), want);
  EXPECT_EQ(bits(acc::sum(right)), want);
  EXPECT_EQ(bits(acc::sum(Kokkos::View<const double***, Kokkos::LayoutLeft, Exec>(left))), want);
  const Kokkos::View<double****, Kokkos::LayoutLeft, Exec> wide("wide", 37, 21, 2, 30);
  const auto part = Kokkos::subview(wide, Kokkos::ALL, Kokkos::ALL, 1, Kokkos::ALL);
  Kokkos::deep_copy(part, Array<double, 3>(shape, Order::left, x).view());
  EXPECT_EQ(bits(acc::sum(part)), want);
  const auto rows = std::make_pair(3, 20), columns = std::make_pair(1, 17);
  std::vector<double> y;
  each_index<3>({17, 16, 30}, [&](const Index<3>& i) {
    y.push_back(x[((i[0] + 3) * 21 + i[1] + 1) * 30 + i[2]]);
  });
  const std::string of_part = bits(acc::sum(Exec{}, on_device(y), acc::plain{}));
  EXPECT_EQ(bits(acc::sum(Kokkos::subview(left, rows, columns, Kokkos::ALL), acc::plain{})),
            of_part);
  EXPECT_EQ(bits(acc::sum(Kokkos::subview(right, rows, columns, Kokkos::ALL), acc::plain{})),
            of_part);
  // One row for all: a stride of 0.
  const Kokkos::View<double**, Kokkos::LayoutStride, Exec> same(right.data(),
                                                                Kokkos::LayoutStride(50, 0, 30, 1));
  std::vector<double> z;
  for (int i = 0; i < 50; ++i) z.insert(z.end(), x.begin(), x.begin() + 30);
  EXPECT_EQ(bits(acc::sum(same, acc::plain{})), bits(acc::sum(on_device(z), acc::plain{})));
  EXPECT_EQ(bits(acc::sum(same, acc::exact{})), bits(acc::sum(on_device(z), acc::exact{})));
}

TEST(ArrayViews, OfHalfPrecision) {
  using Half = Kokkos::Experimental::half_t;
  const Kokkos::View<Half**, Kokkos::LayoutLeft, Exec> a("a", 300, 71);
  const auto mirror = Kokkos::create_mirror_view(a);
  std::vector<Half> x;
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 71; ++j) {
      x.push_back(Half(static_cast<float>((i * 71 + j) % 97) / 8 - 5));
      mirror(i, j) = x.back();
    }
  Kokkos::deep_copy(a, mirror);
  const auto v = on_device(x);
  EXPECT_EQ(bits(acc::sum(a, acc::widened{})), bits(acc::sum(v, acc::widened{})));
  EXPECT_EQ(bits(acc::sum(a, acc::exact{})), bits(acc::sum(v, acc::exact{})));
}

/// The engine of other spaces on this one.
TYPED_TEST(Arrays, EveryEngineHasTheSameBits) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Exec exec;
  const Kokkos::View<T, Exec> r("r");
  const auto check = [&](const auto& a, const std::vector<T>& x, const std::string& what) {
    acc::impl::with_elements_of(a.view(), acc::impl::is_order_free<M>, [&](const auto& xs) {
      acc::backends::locked_workspace memory(exec);
      const auto one = acc::impl::reduction_of<acc::impl::sum_terms<acc::impl::components_of<T>>, M,
                                               acc::impl::write_sum>(r.data(), xs, xs);
      if constexpr (acc::impl::is_order_free<M>)
        acc::backends::generic::order_free(exec, memory.get(), "acc::test", one);
      else
        acc::backends::generic::reduce(exec, memory.get(), "acc::test", one);
    });
    exec.fence();
    ASSERT_EQ(bits(on_host(r)), bits(acc::sum(exec, on_device(x), M{}))) << what;
  };
  each_array<T>(matrices<T>(), check);
  each_array<T>(cubes<T>(), check);
}

template <class F>
std::string rejection(const F& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(ArrayViews, RejectWhatDoesNotFit) {
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
  using Unmanaged = Kokkos::View<double**, Kokkos::LayoutRight, Exec, Kokkos::MemoryUnmanaged>;
  const Matrix x("x", 4, 3);
  const Kokkos::View<double, Exec> r("r");
  EXPECT_EQ(rejection([&] { (void)acc::sum(Unmanaged(nullptr, 4, 3)); }),
            "acc::sum: x has extents 4 x 3 but no data (null pointer)");
  EXPECT_EQ(bits(acc::sum(Unmanaged(nullptr, 0, 3))), bits(0.0));
  EXPECT_EQ(rejection([&] { acc::sum(Kokkos::subview(x, 1, 1), x); }),
            "acc::sum: r lies inside x (4 x 3)");
  EXPECT_EQ(rejection([&] { acc::asum(Kokkos::subview(x, 3, 2), x); }),
            "acc::asum: r lies inside x (4 x 3)");
  EXPECT_EQ(rejection([&] { acc::nrm2(Kokkos::subview(x, 0, 0), x); }),
            "acc::nrm2: r lies inside x (4 x 3)");
  EXPECT_EQ(rejection([&] { (void)acc::mean(Unmanaged(nullptr, 4, 3)); }),
            "acc::mean: x has extents 4 x 3 but no data (null pointer)");
}

}  // namespace
}  // namespace acc_test
