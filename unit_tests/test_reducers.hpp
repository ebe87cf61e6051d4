// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc's reducers in a user's own parallel_reduce: range, team and vector level, into a variable and
// into a rank-0 View. The order is Kokkos's, so of DoubleWordSum and ExpansionSum the accuracy is
// tested; ExactSum, BinnedSum and FixedPointSum must give the state that a loop on the host gives,
// bit for bit.
#pragma once

#include "instances.hpp"
#include "order_free.hpp"

#include <acc/reducers.hpp>

#include <Kokkos_ScatterView.hpp>

namespace acc_test {
namespace {

/// What names a reducer and its accumulator for one scalar type.
template <class T, class V>
struct KindOf {
  using Scalar = T;
  using Value = V;
};
template <class T>
struct Words : KindOf<T, acc::double_word_number<T>> {
  template <class Space>
  using Reducer = acc::DoubleWordSum<T, Space>;
  static Bound bound(double d) { return bound_of<real_t<T>>(acc::double_word{}, d); }
};
template <class T, int K>
struct Expansions : KindOf<T, acc::expansion<T, K>> {
  template <class Space>
  using Reducer = acc::ExpansionSum<T, K, Space>;
  static Bound bound(double d) { return bound_of<real_t<T>>(acc::fold<K>{}, d); }
};

template <class T>
struct Exacts : KindOf<T, acc::superaccumulator<T>> {
  template <class Space>
  using Reducer = acc::ExactSum<T, Space>;
  static Bound bound(double) { return {u<real_t<T>>, 0}; }
};
template <class T, int K>
struct Bins : KindOf<T, acc::binned<T, K>> {
  template <class Space>
  using Reducer = acc::BinnedSum<T, K, Space>;
  static Bound bound(double n) { return {u<real_t<T>>, n * std::ldexp(1.001, -40 * (K - 1))}; }
};

/// Sums at range level.
template <class Value, class T>
struct RangeSum {
  Kokkos::View<T*, Exec> x;
  KOKKOS_FUNCTION void operator()(int i, Value& value) const { value += x(i); }
};
/// Products at range level.
template <class Value, class T>
struct RangeDot {
  Kokkos::View<T*, Exec> x, y;
  KOKKOS_FUNCTION void operator()(int i, Value& value) const { value.add_product(x(i), y(i)); }
};

/// A team sums its rows over TeamThreadRange, and each row over ThreadVectorRange; the teams' sums
/// meet in the outer parallel_reduce.
template <class Kind>
struct Nested {
  using T = typename Kind::Scalar;
  using Value = typename Kind::Value;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Reducer = typename Kind::template Reducer<Memory>;
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> x;  // rows of a team, columns of a thread
  int rows_of_team;

  struct Columns {
    Kokkos::View<T**, Kokkos::LayoutRight, Exec> x;
    int row;
    KOKKOS_FUNCTION void operator()(int column, Value& value) const { value += x(row, column); }
  };
  struct Rows {
    Nested of;
    Member team;
    KOKKOS_FUNCTION void operator()(int r, Value& value) const {
      const int row = team.league_rank() * of.rows_of_team + r;
      Value of_row;
      Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team, static_cast<int>(of.x.extent(1))),
                              Columns{of.x, row}, Reducer(of_row));
      value += of_row;
    }
  };
  KOKKOS_FUNCTION void operator()(const Member& team, Value& value) const {
    Value of_team;
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, rows_of_team), Rows{*this, team},
                            Reducer(of_team));
    Kokkos::single(Kokkos::PerTeam(team), [&] { value += of_team; });
  }
};

template <class Kind>
class Reducers : public testing::Test {
 public:
  using T = typename Kind::Scalar;
  using R = real_t<T>;
  static constexpr std::size_t n = 1 << 14;

  /// n numbers of high condition, in both parts of a complex number.
  static std::vector<T> data() {
    const auto re = ill_conditioned_sum<R>(n / 2, sizeof(R) == 4 ? 1e8 : 1e18, 1);
    const auto im = ill_conditioned_sum<R>(n / 2, sizeof(R) == 4 ? 1e6 : 1e14, 2);
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (is_complex<T>) {
        x[i] = T(re[i], im[i]);
      } else {
        x[i] = re[i];
      }
    }
    return x;
  }

  static void expect(const typename Kind::Value& got, const std::vector<T>& x,
                     const std::string& what) {
    std::vector<Exact> exact, sum_abs;
    for (std::size_t part = 0; part < parts(T{}).size(); ++part) {
      std::vector<R> v;
      for (const T& e : x) v.push_back(parts(e)[part]);
      exact.push_back(exact_sum<R>(v));
      sum_abs.push_back(exact_abs_sum<R>(v));
    }
    // Any order has depth < n.
    expect_within(got.value(), exact, sum_abs, Kind::bound(static_cast<double>(n)), what);
    if constexpr (requires { identical(got, got); }) {
      typename Kind::Value sequential;
      for (const T& e : x) sequential += e;
      EXPECT_TRUE(identical(got, sequential)) << what;
    }
  }
};
using ReducerKinds =
    testing::Types<Words<double>, Words<float>, Words<Kokkos::complex<double>>,
                   Expansions<double, 2>, Expansions<double, 4>, Expansions<float, 3>,
                   Expansions<Kokkos::complex<float>, 2>, Exacts<double>, Exacts<float>,
                   Exacts<Kokkos::complex<float>>, Bins<double, 3>, Bins<float, 2>,
                   Bins<Kokkos::complex<double>, 2>>;
TYPED_TEST_SUITE(Reducers, ReducerKinds);

TYPED_TEST(Reducers, RangeIntoAVariable) {
  using T = typename TypeParam::Scalar;
  using Value = typename TypeParam::Value;
  const auto x = this->data();
  Value result;
  Kokkos::parallel_reduce("range", Kokkos::RangePolicy<Exec>(0, this->n),
                          RangeSum<Value, T>{on_device(x)},
                          typename TypeParam::template Reducer<Kokkos::HostSpace>(result));
  this->expect(result, x, "range");
  Kokkos::parallel_reduce("empty", Kokkos::RangePolicy<Exec>(0, 0),
                          RangeSum<Value, T>{on_device(x)},
                          typename TypeParam::template Reducer<Kokkos::HostSpace>(result));
  EXPECT_EQ(result.value(), T(0)) << "an empty range overwrites the variable";
}

TYPED_TEST(Reducers, RangeIntoAViewIsAsynchronous) {
  using T = typename TypeParam::Scalar;
  using Value = typename TypeParam::Value;
  const auto x = this->data();
  const auto d = on_device(x);
  const Exec exec = new_instance();
  const Kokkos::View<Value, Memory> result("result");
  const auto reduce = [&] {
    Kokkos::parallel_reduce("range", Kokkos::RangePolicy<Exec>(exec, 0, this->n),
                            RangeSum<Value, T>{d},
                            typename TypeParam::template Reducer<Memory>(result));
  };
  reduce();
  exec.fence();
  {
    const Recorder recorder;
    reduce();
    EXPECT_TRUE(recorder.of(Event::fence).empty())
        << testing::PrintToString(recorder.of(Event::fence));
  }
  exec.fence();
  this->expect(on_host(result), x, "range into a View");
}

TYPED_TEST(Reducers, RangeOfProducts) {
  using T = typename TypeParam::Scalar;
  using Value = typename TypeParam::Value;
  const auto x = this->data();
  const std::vector<T> ones(x.size(), T(1));
  Value result;
  Kokkos::parallel_reduce("products", Kokkos::RangePolicy<Exec>(0, this->n),
                          RangeDot<Value, T>{on_device(x), on_device(ones)},
                          typename TypeParam::template Reducer<Kokkos::HostSpace>(result));
  this->expect(result, x, "products");
}

TYPED_TEST(Reducers, TeamAndVectorLevel) {
  using T = typename TypeParam::Scalar;
  using Value = typename TypeParam::Value;
  const auto x = this->data();
  const int columns = 32, teams = 8, rows = static_cast<int>(this->n) / columns / teams;
  const auto d = on_device(x);
  const Kokkos::View<T**, Kokkos::LayoutRight, Exec> matrix(d.data(), rows * teams, columns);
  Value result;
  Kokkos::parallel_reduce("nested", Kokkos::TeamPolicy<Exec>(teams, Kokkos::AUTO, 8),
                          Nested<TypeParam>{matrix, rows},
                          typename TypeParam::template Reducer<Kokkos::HostSpace>(result));
  this->expect(result, x, "team and vector level");
}

/// Histogram-like: every bucket takes what falls into it, and at the end the buckets meet.
template <class Value, class T>
struct FillBuckets {
  Kokkos::View<T*, Exec> x;
  Kokkos::View<Value*, Exec> buckets;
  KOKKOS_FUNCTION void operator()(int b) const {
    const int n = static_cast<int>(x.extent(0)), step = static_cast<int>(buckets.extent(0));
    for (int i = n - 1 - b; i >= 0; i -= step) buckets(b) += x(i);
  }
};
template <class Value>
struct MergeBuckets {
  Kokkos::View<Value*, Exec> buckets;
  KOKKOS_FUNCTION void operator()(int b, Value& value) const { value += buckets(b); }
};

/// The order does not matter to these alone.
template <class Kind>
class OrderFreeReducers : public Reducers<Kind> {};
using OrderFreeKinds =
    testing::Types<Exacts<double>, Exacts<float>, Exacts<Kokkos::complex<float>>, Bins<double, 3>,
                   Bins<float, 2>, Bins<Kokkos::complex<double>, 2>>;
TYPED_TEST_SUITE(OrderFreeReducers, OrderFreeKinds);

TYPED_TEST(OrderFreeReducers, AccumulatorsInAViewMergeAtTheEnd) {
  using T = typename TypeParam::Scalar;
  using Value = typename TypeParam::Value;
  const auto x = this->data();
  const auto d = on_device(x);
  const Kokkos::View<Value*, Exec> buckets("buckets", 37);
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec>(0, 37), FillBuckets<Value, T>{d, buckets});
  Value result;
  Kokkos::parallel_reduce("merge", Kokkos::RangePolicy<Exec>(0, 37), MergeBuckets<Value>{buckets},
                          typename TypeParam::template Reducer<Kokkos::HostSpace>(result));
  this->expect(result, x, "buckets");
  // Kokkos::Sum knows the neutral element.
  Kokkos::parallel_reduce("merge", Kokkos::RangePolicy<Exec>(0, 37), MergeBuckets<Value>{buckets},
                          Kokkos::Sum<Value>(result));
  this->expect(result, x, "buckets by Kokkos::Sum");
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible) {
    using namespace Kokkos::Experimental;
    Kokkos::View<Value*, Exec> total("total", 2);
    ScatterView<Value*, typename Kokkos::View<Value*, Exec>::array_layout, Exec, ScatterSum,
                ScatterDuplicated, ScatterNonAtomic>
        scatter(total);
    Kokkos::parallel_for("scatter", Kokkos::RangePolicy<Exec>(0, static_cast<int>(this->n)),
                         [=](int i) { scatter.access()(i % 2) += Value(d(i)); });
    contribute(Exec{}, total, scatter);
    total(0) += total(1);
    this->expect(total(0), x, "ScatterView");
  }
}

/// Sums of each thread's own: element i's neighbours i - 25 to i + 24, from neighbour `first` on.
template <class T>
struct SumNeighbours {
  Kokkos::View<T*, Exec> x, r;
  acc::fixed_point_sum<T> none;
  int first;
  KOKKOS_FUNCTION void operator()(int i) const {
    const int n = static_cast<int>(x.extent(0));
    acc::fixed_point_sum<T> sum = none;
    for (int k = 0; k < 50; ++k) sum += x((i + (first + k) % 50 - 25 + n) % n) * x(i);
    r(i) = sum.value();
  }
};
/// A team's sum over a vector range.
template <class T>
struct SumOfTeam {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Sum = acc::fixed_point_sum<T>;
  Kokkos::View<T*, Exec> x, r;
  acc::exponent_range range;
  struct Row {
    Kokkos::View<T*, Exec> x;
    int row;
    KOKKOS_FUNCTION void operator()(int i, Sum& sum) const { sum += x(50 * row + i); }
  };
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    Sum sum;
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, 50), Row{x, team.league_rank()},
                            acc::FixedPointSum<T, Memory>(sum, range));
    Kokkos::single(Kokkos::PerTeam(team), [&] { r(team.league_rank()) = sum.value(); });
  }
};

template <class T>
class FixedPointReducers : public testing::Test {
 public:
  static std::vector<T> data(std::size_t n) {
    Random random(60);
    std::vector<T> x(n);
    for (T& v : x) v = random.symmetric<T>();
    return x;
  }
  static std::vector<T> numbers(const Kokkos::View<T*, Exec>& r) {
    std::vector<T> x(r.extent(0));
    using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(Host(x.data(), x.size()), r);
    return x;
  }
};
using FixedPointTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(FixedPointReducers, FixedPointTypes);

TYPED_TEST(FixedPointReducers, RangeLevel) {
  using T = TypeParam;
  const acc::exponent_range range{-40, 0};
  auto x = this->data(1 << 14);
  acc::fixed_point_sum<T> expected(range), result;
  for (const T v : x) expected += v;
  ASSERT_TRUE(expected.in_range());
  const auto reduce = [&] {
    Kokkos::parallel_reduce("range", Kokkos::RangePolicy<Exec>(0, int(x.size())),
                            RangeSum<acc::fixed_point_sum<T>, T>{on_device(x)},
                            acc::FixedPointSum<T>(result, range));
  };
  reduce();
  EXPECT_TRUE(identical(result, expected));
  EXPECT_EQ(result.value(), expected.value());
  const Kokkos::View<acc::fixed_point_sum<T>, Memory> view("result");
  Kokkos::parallel_reduce("range", Kokkos::RangePolicy<Exec>(0, int(x.size())),
                          RangeSum<acc::fixed_point_sum<T>, T>{on_device(x)},
                          acc::FixedPointSum<T, Memory>(view, range));
  EXPECT_TRUE(identical(on_host(view), expected));
  x[77] = T(2);
  reduce();
  EXPECT_TRUE(std::isnan(result.value())) << "a number that does not fit";
  x.clear();
  reduce();
  EXPECT_TRUE(identical(result, acc::fixed_point_sum<T>(range)));
}

TYPED_TEST(FixedPointReducers, ThreadsAndTeamsOfAKernel) {
  using T = TypeParam;
  const int n = 1000;
  const acc::exponent_range range{-51, 0};
  const auto x = this->data(50 * n);
  const auto d = on_device(x);
  const Kokkos::View<T*, Exec> r("r", 50 * n), teams("teams", n);
  std::vector<T> first;
  for (const int turn : {0, 17}) {
    Kokkos::parallel_for("neighbours", Kokkos::RangePolicy<Exec>(0, 50 * n),
                         SumNeighbours<T>{d, r, acc::fixed_point_sum<T>(range), turn});
    const std::vector<T> got = this->numbers(r);
    if (turn == 0) first = got;
    EXPECT_EQ(got, first) << "another order";
  }
  for (int i = 0; i < 50 * n; i += 997) {
    mpz_class units = 0;
    for (int k = -25; k < 25; ++k) {
      const std::size_t j = static_cast<std::size_t>((i + k + 50 * n) % (50 * n));
      const T product = round_to<T>(Exact(x[j]) * Exact(x[std::size_t(i)]));
      units += nearest_multiple(Exact(product), range.unit);
    }
    EXPECT_EQ(first[std::size_t(i)], round_to<T>(Exact(units, range.unit))) << i;
  }
  Kokkos::parallel_for("teams", Kokkos::TeamPolicy<Exec>(n, Kokkos::AUTO),
                       SumOfTeam<T>{d, teams, range});
  const std::vector<T> of_teams = this->numbers(teams);
  for (int row = 0; row < n; ++row) {
    acc::fixed_point_sum<T> sum(range);
    for (int i = 50; i-- > 0;) sum += x[std::size_t(50 * row + i)];
    ASSERT_EQ(of_teams[std::size_t(row)], sum.value()) << row;
  }
}

/// The data asks for the reducer: a plain sum breaks its bound.
TEST(ReducerBounds, AreBrokenByAPlainSum) {
  using Doubles = Words<double>;
  const auto x = Reducers<Doubles>::data();
  double plain = 0;
  for (const double v : x) plain += v;
  const Bound bound = Doubles::bound(static_cast<double>(x.size()));
  EXPECT_GT(abs(Exact(plain) - exact_sum<double>(x)),
            bound.limit(exact_sum<double>(x), exact_abs_sum<double>(x)));
}

}  // namespace
}  // namespace acc_test
