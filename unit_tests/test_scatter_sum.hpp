// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::scatter_sum: what a kernel adds, in any order, has the bits of acc::sum; what a stated range
// does not hold is found.
#pragma once

#include "device.hpp"
#include "views.hpp"

#include <acc/scatter_sum.hpp>
#include <acc/sum.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

template <class T>
using Scattered = acc::scatter_sum<T, Exec>;

/// Element i to sum i mod size, n elements from the first.
template <class T>
struct AddAll {
  Scattered<T> sums;
  Kokkos::View<T*, Exec> x;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    sums.add((first + i) % sums.size(), x(first + i));
  }
};
template <class T>
void add_all(const Scattered<T>& sums, const Kokkos::View<T*, Exec>& x, std::int64_t first,
             std::int64_t end) {
  Kokkos::parallel_for("add", Kokkos::RangePolicy<Exec>(0, end - first), AddAll<T>{sums, x, first});
}
template <class T>
std::vector<std::string> wanted_sums(const std::vector<T>& x, std::size_t m) {
  std::vector<std::vector<T>> all(m);
  for (std::size_t i = 0; i < x.size(); ++i) all[i % m].push_back(x[i]);
  std::vector<std::string> want;
  for (const auto& one : all)
    want.push_back(bits(acc::sum(
        Kokkos::DefaultHostExecutionSpace{},
        Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(one.data(), one.size()),
        acc::exact{})));
  return want;
}
template <class T>
void expect_rounded(const Scattered<T>& sums, const std::vector<std::string>& want,
                    const std::string& what) {
  const Kokkos::View<T*, Exec> r("r", want.size());
  sums.round(Exec{}, r);
  const auto got = to_host(r);
  for (std::size_t b = 0; b < want.size(); ++b)
    ASSERT_EQ(bits(got[b]), want[b]) << what << ", " << b;
}

template <class T>
class ScatterSum : public testing::Test {};
using ScatterTypes = testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(ScatterSum, ScatterTypes);

TYPED_TEST(ScatterSum, HasTheBitsOfTheSum) {
  using T = TypeParam;
  const Exec exec;
  for (const Data data : {Data::uniform, Data::wide, Data::all_exponents, Data::subnormal,
                          Data::near_overflow, Data::massive_cancellation})
    for (const std::size_t m : {1, 17, 3000}) {
      const std::size_t n = 5000;
      const auto x = elements<T>(data, n, m);
      const auto want = wanted_sums(x, m);
      const auto d = on_device(x);
      const Scattered<T> sums("sums", m), rest("rest", m);
      add_all(sums, d, 0, n);
      expect_rounded(sums, want, std::string(name(data)));
      expect_rounded(sums, want, std::string(name(data)) + " again");
      // In two parts that merge; and unrounded, with the rest after it.
      sums.reset(exec);
      add_all(sums, d, 0, 2000);
      add_all(rest, d, 2000, n);
      const Kokkos::View<acc::superaccumulator<T>*, Exec> exact("exact", m);
      sums.add_to(exec, exact);
      rest.add_to(exec, exact);
      sums.merge(exec, rest);
      expect_rounded(sums, want, std::string(name(data)) + " merged");
      const auto states = to_host(exact);
      for (std::size_t b = 0; b < m; ++b) ASSERT_EQ(bits(states[b].value()), want[b]) << b;
    }
}

/// One pattern of bits from 200 orders of the numbers, with and without a stated range.
TYPED_TEST(ScatterSum, DoesNotDependOnTheOrder) {
  using T = TypeParam;
  const Exec exec;
  Random random(21);
  constexpr std::size_t n = 2000;
  for (const bool stated : {false, true}) {
    std::vector<T> x;
    for (std::size_t i = 0; i < n; ++i)
      x.push_back(stated ? T(real_t<T>(random.integer(-1000, 1000)) / 64)
                         : elements<T>(Data::wide, 1, i)[0]);
    // All into one sum, as the place of a number decides its sum here.
    const auto want = wanted_sums(x, 1);
    const auto sums = stated ? Scattered<T>("sums", 1, acc::exponent_range{.unit = -6, .top = 4})
                             : Scattered<T>("sums", 1);
    for (int order = 0; order < 200; ++order) {
      sums.reset(exec);
      add_all(sums, on_device(x), 0, n);
      expect_rounded(sums, want, "order " + std::to_string(order));
      shuffle(x, random);
    }
  }
}

TYPED_TEST(ScatterSum, KeepsSpecialNumbersAndZeros) {
  using T = TypeParam;
  using R = real_t<T>;
  constexpr R infinity = std::numeric_limits<R>::infinity();
  const std::vector<T> x{T(R(-0.0)), T(R(0)),    T(R(1)),  T(infinity),
                         T(R(-0.0)), T(R(-0.0)), T(R(-1)), T(-infinity)};
  const Scattered<T> sums("sums", 4);
  add_all(sums, on_device(x), 0, 8);
  expect_rounded(sums, wanted_sums(x, 4), "special");
  // In a limb that was empty lanes of a warp cancel to nothing, which is not -0.
  std::vector<T> cancel(64, T(R(-0.0)));
  for (std::size_t i = 1; i < cancel.size(); i += 2) cancel[i] = T(R(i % 4 == 1 ? 1 : -1));
  const Scattered<T> one("one", 1);
  add_all(one, on_device(cancel), 0, std::int64_t(cancel.size()));
  expect_rounded(one, wanted_sums(cancel, 1), "cancelled");
  const Scattered<T> none("none", 2);
  expect_rounded(none, std::vector<std::string>(2, bits(T(0))), "none");
}

TYPED_TEST(ScatterSum, AStatedRangeHoldsItsNumbers) {
  using T = TypeParam;
  using R = real_t<T>;
  Random random(4);
  for (const acc::exponent_range range :
       {acc::exponent_range{-24, 0}, {-40, 2}, {-60, -1}, {-100, 10}, {-126, 100}}) {
    const std::size_t n = 3000, m = 5;
    std::vector<T> x(n);
    const auto one = [&]() -> R {
      const int digits = std::min(std::numeric_limits<R>::digits, range.top - range.unit);
      const int bottom = random.integer(range.unit, range.top - digits);
      const R v = std::ldexp(R(random.below(std::uint64_t(1) << digits)), bottom);
      return random.below(2) ? v : -v;
    };
    for (T& v : x) {
      if constexpr (is_complex<T>)
        v = T(one(), one());
      else
        v = one();
    }
    const Scattered<T> sums("sums", m, range);
    add_all(sums, on_device(x), 0, n);
    expect_rounded(sums, wanted_sums(x, m), std::to_string(range.unit));
  }
}

/// A run that stops, writes its sums, and goes on from the file: with the bits of one that does
/// not stop.
TYPED_TEST(ScatterSum, GoesOnFromWireForms) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  constexpr std::int64_t words = 2 * acc::superaccumulator<real_t<T>>::wire_words;
  const Exec exec;
  constexpr std::size_t n = 4000, m = 13;
  for (const Data data : {Data::uniform, Data::all_exponents, Data::subnormal, Data::near_overflow,
                          Data::massive_cancellation}) {
    const auto x = elements<T>(data, n, 3);
    const auto d = on_device(x);
    std::vector<std::int64_t> file(m * words);
    {
      const Scattered<T> sums("sums", m);
      add_all(sums, d, 0, 1500);
      const Kokkos::View<Sum*, Exec> s("s", m);
      sums.add_to(exec, s);
      const auto h = to_host(s);
      for (std::size_t b = 0; b < m; ++b) h[b].to_wire(file.data() + b * words);
    }
    const Scattered<T> sums("sums", m);
    add_all(sums, d, 1500, n);
    std::vector<Sum> read(m);
    for (std::size_t b = 0; b < m; ++b)
      read[b] = Sum::from_wire(file.data() + b * words, Sum::wire_words);
    sums.add_from(exec, on_device(read));
    expect_rounded(sums, wanted_sums(x, m), std::string(name(data)));
    // There and back again it is the same state.
    const Scattered<T> copy("copy", m);
    const Kokkos::View<Sum*, Exec> s("s", m), t("t", m);
    sums.add_to(exec, s);
    copy.add_from(exec, s);
    copy.add_to(exec, t);
    const auto a = to_host(s), b = to_host(t);
    for (std::size_t i = 0; i < m; ++i) ASSERT_TRUE(identical(a[i], b[i])) << name(data) << i;
  }
}

TYPED_TEST(ScatterSum, ReadsZerosInfinitiesAndRanges) {
  using T = TypeParam;
  using R = real_t<T>;
  using Sum = acc::superaccumulator<T>;
  const Exec exec;
  constexpr R infinity = std::numeric_limits<R>::infinity();
  const std::vector<T> x{T(R(-0.0)), T(R(2)), T(-infinity), T(R(-0.75)), T(R(0))};
  std::vector<Sum> each(x.begin(), x.end());
  each.emplace_back();
  std::vector<std::string> want;
  for (const Sum& s : each) want.push_back(bits(s.value()));
  const Scattered<T> sums("sums", 6), of_range("sums", 6, {-3, 2});
  for (const auto& s : {sums, of_range}) {
    s.add_from(exec, on_device(each));
    expect_rounded(s, want, "each");
  }
  // Into limbs of a range what is a multiple of its unit, and fits; else nothing is added at all.
  const auto message = [&](T number) -> std::string {
    std::vector<Sum> s(6);
    s[0].add(T(R(1)));
    s[4].add(number);
    try {
      of_range.add_from(exec, on_device(s));
    } catch (const std::range_error& e) {
      return e.what();
    }
    return "";
  };
  const std::string text =
      "acc::scatter_sum::add_from: s(4) is no multiple of 2^-3, or not below 2^57";
  EXPECT_EQ(message(T(R(0.0625))), text);
  EXPECT_EQ(message(T(std::ldexp(R(-1), -70))), text);
  EXPECT_EQ(message(T(std::ldexp(R(1), 57))), text);
  EXPECT_EQ(message(T(std::ldexp(R(-1), 57))), text);
  expect_rounded(of_range, want, "unchanged");
  EXPECT_EQ(message(T(std::ldexp(R(-1), 56))), "");
  // With what it has: 2^56 below 0, so nothing is lost, and then too much.
  EXPECT_EQ(message(T(std::ldexp(R(-1), 56))), "");
  EXPECT_EQ(message(T(std::ldexp(R(-1), 56))), "");
  EXPECT_EQ(message(T(std::ldexp(R(-1), 56))), "");
  const Kokkos::View<T*, Exec> r("r", 6);
  EXPECT_THROW(of_range.round(exec, r), std::range_error);
}

TYPED_TEST(ScatterSum, FindsWhatARangeDoesNotHold) {
  using T = TypeParam;
  using R = real_t<T>;
  const Exec exec;
  const auto message = [&](const Scattered<T>& sums) -> std::string {
    const Kokkos::View<T*, Exec> r("r", std::size_t(sums.size()));
    try {
      sums.round(exec, r);
    } catch (const std::range_error& e) {
      return e.what();
    }
    return "";
  };
  const auto with = [&](const std::vector<T>& x) {
    const Scattered<T> sums("sums", 3, {-24, 0});
    add_all(sums, on_device(x), 0, std::int64_t(x.size()));
    return message(sums);
  };
  const R unit = std::ldexp(R(1), -24);
  EXPECT_EQ(with({T(R(0.5)), T(unit), T(-unit), T(R(-0.0))}), "");
  EXPECT_EQ(
      with({T(R(0.5)), T(unit), T(-unit), T(R(1))}),
      "acc::scatter_sum::round: sum 0 has a number that is no multiple of 2^-24 below 2^0, or is "
      "itself beyond 2^37");
  EXPECT_NE(with({T(R(0)), T(unit / 2)}).find("sum 1"), std::string::npos);
  EXPECT_NE(with({T(R(0)), T(R(0)), T(unit * R(1.5))}).find("sum 2"), std::string::npos);
  // A sum beyond: one limb for numbers of 42 bits, 2^19 of which fill it.
  if constexpr (std::is_same_v<T, double>) {
    const double most = 1 - std::ldexp(1.0, -42);
    const Scattered<T> sums("sums", 1, {-42, 0});
    const auto x = on_device(std::vector<double>((1 << 19) + 100, most));
    add_all(sums, x, 0, (1 << 19) - 1);
    EXPECT_EQ(message(sums), "");
    add_all(sums, x, 0, 100);
    EXPECT_NE(message(sums), "");
  }
}

/// From branches, and by vector lanes of teams whose last ones have nothing to do.
template <class T>
struct AddFromTeams {
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;
  Scattered<T> sums;
  Kokkos::View<T*, Exec> x;
  std::int64_t per_team;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, per_team), [&](std::int64_t k) {
      const std::int64_t i = team.league_rank() * per_team + k;
      if (i >= std::int64_t(x.extent(0))) return;
      if (i % 3 == 0)
        sums.add(i % sums.size(), x(i));
      else if (i % 5 != 0)
        sums.add(i % sums.size(), x(i));
      else
        sums.add(i % sums.size(), x(i));
    });
  }
};
TYPED_TEST(ScatterSum, TakesNumbersFromBranchesOfTeams) {
  using T = TypeParam;
  const std::int64_t per_team = 75;
  for (const Data data : {Data::uniform, Data::all_exponents})
    for (const std::size_t m : {1, 2, 3, 7, 16, 24, 31, 300}) {
      const auto x = elements<T>(data, 2000, m);
      const Scattered<T> sums("sums", m);
      const Kokkos::TeamPolicy<Exec> teams(int((x.size() + per_team - 1) / per_team), Kokkos::AUTO,
                                           acc::backends::runs_on_host<Exec> ? 1 : 8);
      Kokkos::parallel_for("add", teams, AddFromTeams<T>{sums, on_device(x), per_team});
      expect_rounded(sums, wanted_sums(x, m), std::string(name(data)));
    }
}

/// One number, n times, to sums in turn.
template <class T>
struct AddOne {
  Scattered<T> sums;
  T x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sums.add(i % sums.size(), x); }
};
/// So many of the largest pieces that there are that without carries their limb overflows: 2^23 of
/// 2^41 and 2^42 (doubles), 2^25 of 2^39 (floats). On a GPU lanes of a warp that have the same sum
/// add up first.
TYPED_TEST(ScatterSum, LimbsThatManyThreadsFillAreCarried) {
  using T = TypeParam;
  using R = real_t<T>;
  constexpr bool is_double = sizeof(R) == 8;
  constexpr int log_n = is_double ? 23 : 25;
  for (const int shift : is_double ? std::vector{1, 7} : std::vector{1})
    for (const int log_m : {0, 1}) {
      if (shift == 1 && is_double && log_m == 1) continue;  // the lower piece: 2^41
      const R most = std::ldexp(R(2) - std::numeric_limits<R>::epsilon(), shift - 32);
      const T x = [&] {
        if constexpr (is_complex<T>)
          return T(most, -most);
        else
          return -most;
      }();
      const Scattered<T> sums("sums", std::size_t(1) << log_m);
      Kokkos::parallel_for("add", Kokkos::RangePolicy<Exec>(0, 1 << log_n), AddOne<T>{sums, x});
      const T want = x * R(std::int64_t(1) << (log_n - log_m));
      expect_rounded(sums, std::vector<std::string>(std::size_t(1) << log_m, bits(want)),
                     std::to_string(shift));
    }
}

// More than a sum holds, which only merging reaches.
TYPED_TEST(ScatterSum, IsNotANumberBeyondItsCapacity) {
  using T = TypeParam;
  using R = real_t<T>;
  const Exec exec;
  const Scattered<T> sums("sums", 1);
  add_all(sums, on_device(std::vector<T>{T(std::numeric_limits<R>::max())}), 0, 1);
  for (int k = 0; k < 64; ++k) sums.merge(exec, sums);
  expect_rounded(sums, {bits(T(std::numeric_limits<R>::infinity()))}, "2^64 times the largest");
  for (int k = 0; k < 40; ++k) sums.merge(exec, sums);
  const Kokkos::View<T*, Exec> r("r", 1);
  sums.round(exec, r);
  EXPECT_EQ(bits(parts(to_host(r)[0])[0]), bits(acc::impl::canonical_nan<R>()));
}

TEST(ScatterSumErrors, NameTheArguments) {
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "nothing";
  };
  const Exec exec;
  const Scattered<double> sums("sums", 4);
  EXPECT_EQ(
      message([&] { sums.round(exec, Kokkos::View<double*, Exec>("r", 3)); }),
      "acc::scatter_sum::round: r must have an element for each of the 4 sums, but has extent 3");
  EXPECT_EQ(
      message([&] { Scattered<float>("s", 1, {3, 3}); }),
      "acc::scatter_sum: the range must have -149 <= unit < top <= 128, but unit is 3 and top is "
      "3");
  EXPECT_EQ(message([&] {
              sums.add_from(exec, Kokkos::View<acc::superaccumulator<double>*, Exec>("s", 5));
            }),
            "acc::scatter_sum::add_from: s must have an element for each of the 4 sums, but has "
            "extent 5");
  const Kokkos::View<double*, Exec> memory("r", 4);
  using Total = acc::superaccumulator<double>;
  const Kokkos::View<Total*, Exec> totals("s", 4);
  const Kokkos::LayoutStride one_place(4, 0);
  EXPECT_EQ(message([&] {
              sums.round(exec, Kokkos::View<double*, Kokkos::LayoutStride, Exec>(memory.data(),
                                                                                 one_place));
            }),
            "acc::scatter_sum::round: two elements of r share a place: its strides are 0");
  const Kokkos::View<Total*, Kokkos::LayoutStride, Exec> one_total(totals.data(), one_place);
  EXPECT_EQ(message([&] { sums.add_to(exec, one_total); }),
            "acc::scatter_sum::add_to: two elements of s share a place: its strides are 0");
  EXPECT_EQ(message([&] { sums.add_from(exec, one_total); }), "nothing");  // which reads it
  EXPECT_NE(message([&] { sums.merge(exec, Scattered<double>("s", 5)); }), "nothing");
  EXPECT_NE(message([&] { sums.merge(exec, Scattered<double>("s", 4, {-53, 0})); }), "nothing");
  // All numbers, but fewer limbs than without a range.
  EXPECT_NE(message([&] { sums.merge(exec, Scattered<double>("s", 4, {-1074, 1024})); }),
            "nothing");
}

}  // namespace
}  // namespace acc_test
