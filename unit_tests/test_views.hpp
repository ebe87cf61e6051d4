// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The law over data layout: the bits depend on values and length, not on layout, stride, alignment,
// constness or who owns the memory.
#pragma once

#include "views.hpp"

#include <acc/asum.hpp>
#include <acc/dot.hpp>
#include <acc/nrm2.hpp>
#include <acc/sum.hpp>

#include <cstdlib>

namespace acc_test {
namespace {

template <class T>
class Views : public testing::Test {
 public:
  using R = real_t<T>;

  /// Every operation on (x, y) gives the same bits as on contiguous, aligned copies.
  template <class X, class Y>
  void expect_same(const X& x, const Y& y, const std::string& what) {
    EXPECT_EQ(bits(acc::sum(Exec{}, x)), sum_) << what;
    EXPECT_EQ(bits(acc::sum(Exec{}, x, acc::plain{})), plain_) << what;
    EXPECT_EQ(bits(acc::sum(Exec{}, x, acc::fold<3>{})), fold_) << what;
    EXPECT_EQ(bits(acc::asum(Exec{}, x)), asum_) << what;
    EXPECT_EQ(bits(acc::nrm1(Exec{}, x)), asum_) << what;
    EXPECT_EQ(bits(acc::nrm2(Exec{}, x)), nrm2_) << what;
    EXPECT_EQ(bits(acc::dot(Exec{}, x, y)), dot_) << what;
    EXPECT_EQ(bits(acc::dotu(Exec{}, x, y, acc::double_word{})), dotu_) << what;
  }
  void set(const std::vector<T>& x, const std::vector<T>& y) {
    const auto dx = on_device(x), dy = on_device(y);
    sum_ = bits(acc::sum(Exec{}, dx));
    plain_ = bits(acc::sum(Exec{}, dx, acc::plain{}));
    fold_ = bits(acc::sum(Exec{}, dx, acc::fold<3>{}));
    asum_ = bits(acc::asum(Exec{}, dx));
    nrm2_ = bits(acc::nrm2(Exec{}, dx));
    dot_ = bits(acc::dot(Exec{}, dx, dy));
    dotu_ = bits(acc::dotu(Exec{}, dx, dy, acc::double_word{}));
  }

 private:
  std::string sum_, plain_, fold_, asum_, nrm2_, dot_, dotu_;
};
using Scalars = testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Views, Scalars);

TYPED_TEST(Views, AlignmentAndStrideChangeNoBits) {
  using T = TypeParam;
  for (const std::size_t n :
       {std::size_t(1), std::size_t(3), row<T> + 1, leaf<T> + 5, 3 * leaf<T>}) {
    const auto x = elements<T>(Data::wide, n, 1), y = elements<T>(Data::uniform, n, 2);
    this->set(x, y);
    for (std::size_t offset = 0; offset <= 8; ++offset) {
      this->expect_same(shifted(x, offset), on_device(y), "x at " + std::to_string(offset));
      this->expect_same(on_device(x), shifted(y, offset), "y at " + std::to_string(offset));
    }
    for (const std::size_t stride : {2, 3, 16}) {
      this->expect_same(strided(x, stride), on_device(y), "x by " + std::to_string(stride));
      this->expect_same(on_device(x), strided(y, stride), "y by " + std::to_string(stride));
      this->expect_same(strided(x, stride), strided(y, 5), "both strided");
    }
  }
}

TYPED_TEST(Views, LayoutConstnessAndOwnershipChangeNoBits) {
  using T = TypeParam;
  const std::size_t n = 2 * leaf<T> + 77;
  const auto x = elements<T>(Data::wide, n, 3), y = elements<T>(Data::uniform, n, 4);
  this->set(x, y);
  const auto dx = on_device(x), dy = on_device(y);
  const Kokkos::View<T*, Kokkos::LayoutLeft, Exec> left(dx);
  const Kokkos::View<T*, Kokkos::LayoutRight, Exec> right(dy);
  this->expect_same(left, right, "LayoutLeft, LayoutRight");
  const Kokkos::View<const T*, Exec> constant(dx);
  this->expect_same(constant, dy, "const");
  const Kokkos::View<const T*, Exec, Kokkos::MemoryTraits<Kokkos::RandomAccess>> random(dy);
  this->expect_same(dx, random, "random access");
  const Kokkos::View<T*, Exec, Kokkos::MemoryUnmanaged> unmanaged(dx.data(), n);
  const Kokkos::View<const T*, Exec, Kokkos::MemoryUnmanaged> both(dy.data(), n);
  this->expect_same(unmanaged, both, "unmanaged");

  // A row of a LayoutLeft matrix and a column of a LayoutRight one: strided; the other two: not.
  const Kokkos::View<T**, Kokkos::LayoutLeft, Exec> left_matrix("left", 3, n);
  const Kokkos::View<T**, Kokkos::LayoutRight, Exec> right_matrix("right", n, 3);
  const auto row_of_left = Kokkos::subview(left_matrix, 1, Kokkos::ALL);
  const auto column_of_right = Kokkos::subview(right_matrix, Kokkos::ALL, 2);
  Kokkos::deep_copy(row_of_left, dx);
  Kokkos::deep_copy(column_of_right, dy);
  this->expect_same(row_of_left, column_of_right, "row and column");
}

TYPED_TEST(Views, ResultsGoToRankZeroViews) {
  using T = TypeParam;
  using R = real_t<T>;
  const auto x = on_device(elements<T>(Data::wide, leaf<T> + 9, 5));
  const auto y = on_device(elements<T>(Data::uniform, leaf<T> + 9, 6));
  const Exec exec;
  const Kokkos::View<T, Exec> r("r");
  const Kokkos::View<R, Exec> real("real");
  const Kokkos::View<T, Kokkos::LayoutRight, Exec, Kokkos::MemoryUnmanaged> other(r.data());
  const auto expect = [&](const auto& view, const auto& want, const char* what) {
    exec.fence();
    EXPECT_EQ(bits(on_host(view)), bits(want)) << what;
  };
  acc::sum(exec, r, x);
  expect(r, acc::sum(exec, x), "sum");
  acc::sum(exec, other, x, acc::fold<4>{});
  expect(r, acc::sum(exec, x, acc::fold<4>{}), "sum, fold<4>");
  acc::dot(exec, r, x, y);
  expect(r, acc::dot(exec, x, y), "dot");
  acc::dotu(exec, r, x, y, acc::compensated_fma{});
  expect(r, acc::dotu(exec, x, y, acc::compensated_fma{}), "dotu");
  acc::asum(exec, real, x);
  expect(real, acc::asum(exec, x), "asum");
  acc::nrm1(exec, real, x);
  expect(real, acc::asum(exec, x), "nrm1");
  acc::nrm2(exec, real, x, acc::plain{});
  expect(real, acc::nrm2(exec, x, acc::plain{}), "nrm2");
  // An empty sum is +0, whatever the View held.
  acc::sum(exec, r, Kokkos::View<T*, Exec>("empty", 0));
  expect(r, T(0), "empty");
  // A second call overwrites; it does not accumulate.
  acc::sum(exec, r, x);
  acc::sum(exec, r, x);
  expect(r, acc::sum(exec, x), "twice");
}

TYPED_TEST(Views, DefaultInstanceOverloads) {
  using T = TypeParam;
  const auto x = on_device(elements<T>(Data::wide, 1000, 7));
  const auto y = on_device(elements<T>(Data::uniform, 1000, 8));
  EXPECT_EQ(bits(acc::sum(x)), bits(acc::sum(Exec{}, x, acc::compensated{})));
  EXPECT_EQ(bits(acc::sum(x, acc::plain{})), bits(acc::sum(Exec{}, x, acc::plain{})));
  EXPECT_EQ(bits(acc::dot(x, y)), bits(acc::dot(Exec{}, x, y, acc::compensated{})));
  EXPECT_EQ(bits(acc::dotu(x, y, acc::fold<2>{})), bits(acc::dotu(Exec{}, x, y, acc::fold<2>{})));
  EXPECT_EQ(bits(acc::asum(x)), bits(acc::asum(Exec{}, x, acc::compensated{})));
  EXPECT_EQ(bits(acc::nrm1(x)), bits(acc::asum(Exec{}, x, acc::compensated{})));
  EXPECT_EQ(bits(acc::nrm2(x)), bits(acc::nrm2(Exec{}, x, acc::compensated{})));
}

TYPED_TEST(Views, TheSameBitsRunAfterRun) {
  using T = TypeParam;
  const auto x = on_device(elements<T>(Data::wide, 20 * leaf<T> + 1, 9));
  const std::string first = bits(acc::sum(Exec{}, x, acc::plain{}));
  for (int run = 0; run < 200; ++run) {
    ASSERT_EQ(bits(acc::sum(Exec{}, x, acc::plain{})), first) << "run " << run;
  }
}

template <class T>
class Halves : public testing::Test {};
using HalfTypes = testing::Types<Kokkos::Experimental::half_t, Kokkos::Experimental::bhalf_t>;
TYPED_TEST_SUITE(Halves, HalfTypes);

/// Small multiples of 1/8: the same numbers in every 16-bit format, and in the float that Kokkos
/// takes for half_t where there is none.
inline std::vector<float> eighths(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> x(n);
  for (float& v : x) v = static_cast<float>(random.integer(-128, 128)) / 8;
  return x;
}

TYPED_TEST(Halves, AreWidened) {
  using Half = TypeParam;
  const Exec exec;
  for (const std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(7), std::size_t(100),
                              leaf<float> + 3, 3 * leaf<float> + 5}) {
    const auto fx = eighths(n, n), fy = eighths(n, n + 1);
    const auto halves = [](const std::vector<float>& f) {
      return on_device(std::vector<Half>(f.begin(), f.end()));
    };
    const auto x = halves(fx), y = halves(fy);
    // Sums of 2^17 multiples of 2^-6 below 2^8 are exact in double: one rounding at the end.
    EXPECT_EQ(bits(acc::sum(exec, x, acc::widened{})), bits(round_to<float>(exact_sum<float>(fx))));
    EXPECT_EQ(bits(acc::dot(exec, x, y, acc::widened{})),
              bits(round_to<float>(exact_dot<float>(fx, fy))));
    static_assert(std::is_same_v<decltype(acc::sum(exec, x, acc::widened{})), float>);
    const Kokkos::View<double, Exec> wide("wide");
    acc::dot(exec, wide, x, y, acc::widened{});
    exec.fence();
    EXPECT_EQ(bits(on_host(wide)), bits(round_to<double>(exact_dot<float>(fx, fy))));
    const Kokkos::View<Half, Exec> half("half");
    acc::sum(exec, half, x, acc::widened{});
    exec.fence();
    EXPECT_EQ(static_cast<float>(on_host(half)),
              static_cast<float>(static_cast<Half>(round_to<float>(exact_sum<float>(fx)))));
    for (std::size_t offset = 1; offset < 9 && n > offset; ++offset) {  // every alignment
      const std::vector<float> rest(fx.begin() + static_cast<std::ptrdiff_t>(offset), fx.end());
      const auto tail = Kokkos::subview(x, std::make_pair(offset, n));
      EXPECT_EQ(bits(acc::sum(exec, tail, acc::widened{})),
                bits(round_to<float>(exact_sum<float>(rest))));
    }
  }
}

/// x(i) = i mod 7 - 3, whose sum over n elements is known.
struct FillSevens {
  Kokkos::View<double*, Exec> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x(i) = static_cast<double>(i % 7 - 3); }
};

TEST(ViewsLarge, MoreThanTwoToThe31Elements) {
  constexpr bool on_gpu = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;
  if (!on_gpu && std::getenv("ACC_TEST_LARGE") == nullptr) {
    GTEST_SKIP() << "needs 17 GB: runs on GPUs, and elsewhere where ACC_TEST_LARGE is set";
  }
  const std::int64_t n = (std::int64_t(1) << 31) + 12345;
  const Kokkos::View<double*, Exec> x(Kokkos::view_alloc("large", Kokkos::WithoutInitializing),
                                      static_cast<std::size_t>(n));
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("fill", Policy(0, n), FillSevens{x});
  double want = 0, squares = 0;
  for (std::int64_t i = n / 7 * 7; i < n; ++i) {
    want += static_cast<double>(i % 7 - 3);
    squares += static_cast<double>((i % 7 - 3) * (i % 7 - 3));
  }
  squares += static_cast<double>(n / 7) * 28;  // 9 + 4 + 1 + 0 + 1 + 4 + 9
  EXPECT_EQ(acc::sum(Exec{}, x), want);
  EXPECT_EQ(acc::dot(Exec{}, x, x), squares);
}

}  // namespace
}  // namespace acc_test
