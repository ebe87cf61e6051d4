// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::sum_by_key and acc::segmented_sum_by_lengths: the bits of acc::sum over each run of equal
// keys, and over each segment.
#pragma once

#include "device.hpp"
#include "one_thread.hpp"
#include "segments.hpp"
#include "views.hpp"

#include <acc/segmented_sum.hpp>
#include <acc/sum.hpp>
#include <acc/sum_by_key.hpp>

namespace acc_test {
namespace {

template <class C>
class SumByKey : public testing::Test {
 public:
  using T = typename C::Scalar;
  using M = typename C::Method;
  using Key = std::int64_t;

  /// acc::sum of every segment.
  static std::vector<std::string> sums(const std::vector<T>& x, const Offsets& offsets) {
    const auto& exec = one_thread();
    const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> v(x.data(), x.size());
    std::vector<std::string> r;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      r.push_back(bits(
          acc::sum(exec, Kokkos::subview(v, std::make_pair(offsets[i], offsets[i + 1])), M{})));
    return r;
  }
  /// Keys of runs that are not empty: sorted, or some that come again.
  static std::vector<Key> keys_of(const Offsets& offsets, bool sorted) {
    std::vector<Key> keys;
    Key key = -5;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      if (offsets[i] == offsets[i + 1]) continue;
      key = sorted ? key + 1 + Key(i % 3) : key == 1 ? 2 : 1;
      keys.insert(keys.end(), std::size_t(offsets[i + 1] - offsets[i]), key);
    }
    return keys;
  }

  /// Into Views of `room` elements.
  static void expect_sums(const std::vector<T>& x, const Offsets& offsets,
                          const std::vector<Key>& keys, std::size_t room, const std::string& what) {
    std::vector<std::string> want;
    std::vector<Key> want_keys;
    const auto all = sums(x, offsets);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (offsets[i] == offsets[i + 1]) continue;
      want.push_back(all[i]);
      want_keys.push_back(keys[std::size_t(offsets[i])]);
    }
    const Kokkos::View<T*, Exec> r("r", room);
    const Kokkos::View<Key*, Exec> unique("unique", room);
    const Kokkos::View<int, Exec> count("count");
    const auto k = on_device(keys);
    const auto v = on_device(x);
    const auto check = [&](std::int64_t runs) {
      ASSERT_EQ(runs, std::int64_t(want.size())) << what;
      const auto got = to_host(r);
      const auto got_keys = to_host(unique);
      for (std::size_t i = 0; i < room; ++i) {
        ASSERT_EQ(bits(got[i]), i < want.size() ? want[i] : bits(T(0))) << what << ", run " << i;
        ASSERT_EQ(got_keys[i], i < want.size() ? want_keys[i] : 77) << what << ", run " << i;
      }
      Kokkos::deep_copy(r, T(7));
      Kokkos::deep_copy(unique, Key(77));
    };
    Kokkos::deep_copy(r, T(7));
    Kokkos::deep_copy(unique, Key(77));
    acc::sum_by_key(Exec{}, r, unique, count, k, v, M{});
    check(on_host(count));
    check(acc::sum_by_key(Exec{}, r, unique, k, v, M{}));
  }
};
using KeyCases =
    testing::Types<Case<acc::exact, double>, Case<acc::exact, float>,
                   Case<acc::compensated, double>, Case<acc::compensated, Kokkos::complex<float>>>;
TYPED_TEST_SUITE(SumByKey, KeyCases);

TYPED_TEST(SumByKey, HasTheBitsOfTheSumOfEachRun) {
  using T = typename TypeParam::Scalar;
  std::size_t turn = 0;
  for (const Offsets& some : some_segments<T>()) {
    Offsets offsets = some;  // keys have no elements before the first run
    for (auto& o : offsets) o -= some[0];
    const auto n = static_cast<std::size_t>(offsets.back());
    const auto x = elements<T>(++turn % 2 == 0 ? Data::wide : Data::massive_cancellation, n, n);
    const std::size_t all = offsets.size() - 1;
    for (const bool sorted : {true, false})
      for (const std::size_t room : {all, all + 3, all / 3})
        this->expect_sums(x, offsets, this->keys_of(offsets, sorted), room,
                          std::to_string(all) + " segments, room for " + std::to_string(room));
  }
}

/// The types and methods that the suite leaves out.
TEST(SumByKeyCases, HaveTheBitsOfTheSumOfEachRun) {
  const auto check = []<class T, class M>(T, M) {
    using Suite = SumByKey<Case<M, T>>;
    const Offsets offsets = offsets_of({3, 1, 500, 0, 9000, 1, 1, 70});
    const auto x = elements<T>(Data::wide, static_cast<std::size_t>(offsets.back()), 1);
    for (const bool sorted : {true, false})
      Suite::expect_sums(x, offsets, Suite::keys_of(offsets, sorted), 9, "cases");
  };
  check(0.0f, acc::compensated());
  check(Kokkos::complex<double>(), acc::compensated());
  check(Kokkos::complex<float>(), acc::exact());
  check(Kokkos::complex<double>(), acc::exact());
}

TYPED_TEST(SumByKey, OfNothingHasNoRuns) {
  using T = typename TypeParam::Scalar;
  this->expect_sums({}, {0}, {}, 0, "no room");
  this->expect_sums({}, {0}, {}, 5, "room");
  this->expect_sums(std::vector<T>(1, T(-0.0)), {0, 1}, {0}, 1, "one");
}

TYPED_TEST(SumByKey, LayoutAndKeyTypeChangeNoBits) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Offsets offsets = offsets_of({3, 1, 500, 9000, 1, 1, 70});
  const auto x = elements<T>(Data::wide, static_cast<std::size_t>(offsets.back()), 1);
  const auto want = this->sums(x, offsets);
  const auto keys = this->keys_of(offsets, true);
  const auto in_type = [&]<class Key>(Key) {
    const auto k = on_device(std::vector<Key>(keys.begin(), keys.end()));
    for (const std::size_t stride : {1, 3}) {
      const auto r = strided(std::vector<T>(want.size()), stride);
      const auto unique = strided(std::vector<Key>(want.size()), stride + 1);
      const Kokkos::View<std::size_t, Exec> count("count");
      acc::sum_by_key(r, unique, count, k, strided(x, stride), M{});
      EXPECT_EQ(on_host(count), want.size());
      EXPECT_EQ(acc::sum_by_key(r, unique, k, shifted(x, 1), M{}), std::int64_t(want.size()));
      const auto got = to_host(r);
      const auto got_keys = to_host(unique);
      for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_EQ(bits(got[i]), want[i]);
        EXPECT_EQ(got_keys[i], Key(keys[std::size_t(offsets[i])]));
      }
    }
  };
  in_type(int{});
  in_type(std::uint64_t{});
  in_type(short{});
}

TYPED_TEST(SumByKey, LengthsAreOffsetsInAnotherForm) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  for (const Offsets& some : some_segments<T>()) {
    std::vector<int> lengths;
    Offsets offsets{0};
    for (std::size_t i = 0; i + 1 < some.size(); ++i) {
      lengths.push_back(int(some[i + 1] - some[i]));
      offsets.push_back(offsets.back() + lengths.back());
    }
    const auto x = elements<T>(Data::wide, static_cast<std::size_t>(offsets.back()) + 9, 3);
    const auto want = this->sums(x, offsets);
    const Kokkos::View<T*, Exec> r("r", lengths.size());
    Kokkos::deep_copy(r, T(7));
    acc::segmented_sum_by_lengths(Exec{}, r, on_device(x), on_device(lengths), M{});
    const auto got = to_host(r);
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(bits(got[i]), want[i]) << "segment " << i;
  }
}

}  // namespace
}  // namespace acc_test
