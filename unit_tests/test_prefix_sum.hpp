// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::prefix_sum: every prefix against the exact one, the order against its definition, and
// the same bits for every engine, layout and number of threads.
#pragma once

#include "device.hpp"
#include "views.hpp"

#include <acc/prefix_sum.hpp>
#include <acc/sum.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

namespace acc_test {
namespace {

/// Additions that one of n numbers passes at most on its way into a prefix (docs/arithmetic.md).
inline double scan_depth(std::size_t n) {
  const std::size_t groups = (n + 15) / 16;
  return 32 + 2 * static_cast<double>(std::bit_width(groups - 1));
}

/// The compensated scan as docs/arithmetic.md defines it, for data of moderate size.
template <class R>
std::vector<R> reference_scan(const std::vector<R>& x) {
  using Acc = acc::expansion<R, 2>;
  const std::size_t groups = x.size() / 16;  // full ones: no prefix has the total of another
  // level[l][k]: the subtree of 2^l groups that begins at group k 2^l.
  std::vector<std::vector<Acc>> level(1);
  for (std::size_t g = 0; g < groups; ++g) {
    Acc a;
    for (std::size_t j = 0; j < 16; ++j) a.add(x[16 * g + j]);
    level[0].push_back(a);
  }
  while (level.back().size() > 1) {
    std::vector<Acc> next;
    for (std::size_t k = 0; k + 1 < level.back().size(); k += 2) {
      next.push_back(level.back()[k]);
      next.back().merge(level.back()[k + 1]);
    }
    level.push_back(next);
  }
  std::vector<R> r;
  for (std::size_t g = 0; 16 * g < x.size(); ++g) {
    Acc p;
    std::size_t done = 0;
    for (std::size_t l = level.size(); l-- > 0;) {  // from the highest bit of g down
      if ((g >> l & 1) == 0) continue;
      p.merge(level[l][done >> l]);
      done += std::size_t(1) << l;
    }
    for (std::size_t j = 16 * g; j < std::min(16 * g + 16, x.size()); ++j) {
      p.add(x[j]);
      r.push_back(p.value());
    }
  }
  return r;
}

template <class T>
std::vector<real_t<T>> part_of(const std::vector<T>& x, std::size_t k) {
  std::vector<real_t<T>> r;
  for (const T& v : x) r.push_back(parts(v)[k]);
  return r;
}

/// Lengths around the seams of groups, tiles and chunks.
inline constexpr std::size_t scan_lengths[] = {1,   2,   3,    15,   16,   17,   31,   33,
                                               255, 257, 4095, 4096, 4097, 4113, 8209, 20011};

template <class C>
class Scan : public testing::Test {
 public:
  using T = typename C::Scalar;
  using R = typename C::Real;
  using M = typename C::Method;
  static constexpr bool is_exact = std::is_same_v<M, acc::exact>;

  static std::vector<T> scan(const std::vector<T>& x) {
    const Kokkos::View<T*, Exec> r(Kokkos::view_alloc("r", Kokkos::WithoutInitializing), x.size());
    acc::prefix_sum(Exec{}, r, on_device(x), M{});
    return to_host(r);
  }

  /// Every prefix of finite data keeps the method's bound; those of exact are correctly rounded.
  static void expect_bound(const std::vector<T>& x, const std::string& what) {
    const auto got = scan(x);
    for (std::size_t part = 0; part < parts(T{}).size(); ++part) {
      Exact sum, sum_abs;
      bool minus_zero = true;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const R v = parts(x[i])[part], r = parts(got[i])[part];
        sum += Exact(v);
        minus_zero = minus_zero && bits(v) == bits(R(-0.0));
        const std::string where = name(M{}) + " " + name(T{}) + ", " + what +
                                  ", n = " + std::to_string(x.size()) + ", prefix " +
                                  std::to_string(i);
        if constexpr (is_exact) {
          const R want = sum.is_zero() ? (minus_zero ? R(-0.0) : R(0)) : round_to<R>(sum);
          ASSERT_EQ(bits(r), bits(want)) << where;
        } else {
          sum_abs += abs(Exact(v));
          ASSERT_TRUE(std::isfinite(r)) << where;
          const Bound bound = bound_of<R>(M{}, scan_depth(i + 1));
          ASSERT_LE(abs(Exact(r) - sum), bound.limit(sum, sum_abs)) << where;
        }
      }
    }
  }
};

using ScanCases =
    testing::Types<Case<acc::exact, double>, Case<acc::exact, float>,
                   Case<acc::exact, Kokkos::complex<double>>,
                   Case<acc::exact, Kokkos::complex<float>>, Case<acc::compensated, double>,
                   Case<acc::compensated, float>, Case<acc::compensated, Kokkos::complex<double>>,
                   Case<acc::compensated, Kokkos::complex<float>>>;
TYPED_TEST_SUITE(Scan, ScanCases);

TYPED_TEST(Scan, KeepsItsBoundOnEveryFamily) {
  using T = typename TypeParam::Scalar;
  for (const Data data : all_data) {
    for (const std::size_t n : scan_lengths)
      this->expect_bound(elements<T>(data, n, n + 7), std::string(name(data)));
  }
}

TYPED_TEST(Scan, KeepsItsBoundOnIllConditionedData) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  for (double c = 1e4; c <= (sizeof(R) == 4 ? 1e14 : 1e32) * 1.01; c *= 1e4) {
    for (const std::size_t half : {std::size_t(50), std::size_t(3000)}) {
      const auto re = ill_conditioned_sum<R>(half, c, 1), im = ill_conditioned_sum<R>(half, c, 2);
      std::vector<T> x;
      for (std::size_t i = 0; i < re.size(); ++i) {
        if constexpr (is_complex<T>) {
          x.emplace_back(re[i], im[i]);
        } else {
          x.push_back(re[i]);
        }
      }
      this->expect_bound(x, "condition " + std::to_string(c));
    }
  }
}

/// Partial sums that cancel to nothing, ties, sums that span all exponents, signs that change.
TYPED_TEST(Scan, KeepsItsBoundOnHardData) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  Random random(5);
  const R tiny = Limits::denorm_min(), one = 1, ulp = Limits::epsilon();
  for (const std::size_t n : {std::size_t(40), std::size_t(700), std::size_t(9001)}) {
    std::vector<T> ties(n), spikes(n), stairs(n), any(n), zeros(n);
    for (std::size_t i = 0; i < n; ++i) {
      // Half an ulp of one more or less, decided by tiny numbers far below.
      const R halves[] = {one, ulp / 2, ulp / 4, -one, tiny, -tiny, -ulp / 2, R(0)};
      ties[i] = T(halves[random.below(8)]);
      // Numbers of 2^+-700 (float: 2^+-70) come, stay a while, and go.
      const R big = std::ldexp(one, Limits::max_exponent * 2 / 3);
      spikes[i] = i % 64 == 20 ? T(big) : i % 64 == 50 ? T(-big) : T(random.symmetric<R>());
      if (i % 11 == 3) spikes[i] = T(R(random.symmetric<R>() / big));
      stairs[i] = T(std::ldexp(
          random.symmetric<R>(),
          Limits::min_exponent +
              int(i * std::size_t(Limits::max_exponent - Limits::min_exponent - 20) / n)));
      // Below the largest number in sum.
      any[i] = T(random.any_finite<R>() / R(16384));
      zeros[i] = T(i < n / 2 ? R(-0.0) : i < n - 5 ? R(random.below(2) == 0 ? 0.0 : -0.0) : tiny);
    }
    this->expect_bound(ties, "ties");
    this->expect_bound(spikes, "spikes");
    this->expect_bound(stairs, "stairs");
    std::reverse(stairs.begin(), stairs.end());
    this->expect_bound(stairs, "falling stairs");
    this->expect_bound(any, "any exponents");
    this->expect_bound(zeros, "zeros");
    for (std::size_t i = 1; i < n; i += 2) any[i] = -any[i - 1];
    this->expect_bound(any, "pairs that cancel");
  }
}

/// Prefixes overflow early and stay so, over the seams of all chunks; what else comes is small.
TYPED_TEST(Scan, PrefixesStayBeyondTheRange) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  const R third = Limits::max() / 3, small[] = {Limits::denorm_min(), 1, Limits::epsilon() / 64};
  for (const std::size_t n : {std::size_t(16), std::size_t(20000)}) {
    for (const std::size_t large : {std::size_t(5), n}) {
      std::vector<T> x;
      for (std::size_t i = 0; i < n; ++i) x.push_back(T(i < large ? third : small[i % 3]));
      const auto got = this->scan(x);
      Exact sum;
      for (std::size_t i = 0; i < n; ++i) {
        sum += Exact(parts(x[i])[0]);
        const R want = round_to<R>(sum);
        if (this->is_exact || std::isinf(want)) {
          ASSERT_EQ(bits(parts(got[i])[0]), bits(want)) << "prefix " << i << " of " << n;
        }
      }
    }
  }
}

/// Prefixes overflow and come back: those that are too large are infinite, the others are not.
TYPED_TEST(Scan, OverflowsOnlyWhereThePrefixDoes) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  const R max = std::numeric_limits<R>::max();
  for (const std::size_t n : {std::size_t(20), std::size_t(10000)}) {
    for (const std::size_t at : {std::size_t(3), n / 2 + 1, n - 7}) {
      std::vector<T> x(n, T(R(1)));
      x[at] = x[at + 1] = T(max);
      x[at + 2] = T(-max / 2);
      x[at + 4] = x[at + 5] = T(-max * R(0.75));
      const auto got = this->scan(x);
      Exact sum;
      for (std::size_t i = 0; i < n; ++i) {
        const R v = parts(x[i])[0], r = parts(got[i])[0];
        sum += Exact(v);
        const R want = round_to<R>(sum);
        if (this->is_exact || std::isinf(want)) {
          ASSERT_EQ(bits(r), bits(want)) << "n = " << n << ", " << at << ", prefix " << i;
        } else {
          ASSERT_TRUE(std::isfinite(r)) << "n = " << n << ", " << at << ", prefix " << i;
          ASSERT_LE(abs(Exact(r) - sum), abs(sum) * Exact(std::numeric_limits<R>::epsilon() * 8))
              << "n = " << n << ", " << at << ", prefix " << i;
        }
      }
    }
  }
}

TYPED_TEST(Scan, SpecialValuesAreIeees) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  const R inf = Limits::infinity(), nan = Limits::quiet_NaN();
  for (const std::size_t n : {std::size_t(30), std::size_t(9000)}) {
    for (const R first : {inf, -inf, nan, -nan}) {
      for (const R second : {R(1), inf, -inf, nan}) {
        // Tiny numbers before the infinity keep all of their bits.
        std::vector<T> x(n, T(R(3) * Limits::denorm_min()));
        x[n / 3] = T(first);
        x[n / 2] = T(second);
        const auto got = this->scan(x);
        R want = 0;
        for (std::size_t i = 0; i < n; ++i) {
          want += parts(x[i])[0];
          if (want != want) want = nan;  // the one NaN
          ASSERT_EQ(bits(parts(got[i])[0]), bits(want)) << first << ", " << second << ", " << i;
        }
      }
    }
  }
}

TYPED_TEST(Scan, ASignedZeroIsMinusZeroAlone) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  std::vector<T> x(5000, T(R(-0.0)));
  if constexpr (is_complex<T>) {
    for (T& v : x) v = T(R(-0.0), R(-0.0));
  }
  x[4990] = T(R(0));
  const auto got = this->scan(x);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(bits(parts(got[i])[0]), bits(i < 4990 ? R(-0.0) : R(0))) << i;
}

TYPED_TEST(Scan, HasTheBitsOfItsDefinition) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  for (const Data data : {Data::wide, Data::uniform, Data::massive_cancellation}) {
    for (const std::size_t n : scan_lengths) {
      const auto x = elements<T>(data, n, 100 + n);
      const auto got = this->scan(x);
      for (std::size_t p = 0; p < parts(T{}).size(); ++p) {
        if constexpr (TestFixture::is_exact) {  // acc::sum's of the prefix
          for (std::size_t i = 0; i < n; i += 1 + n / 7) {
            const std::vector<T> head(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            ASSERT_EQ(bits(got[i]), bits(acc::sum(Exec{}, on_device(head), acc::exact{})));
          }
        } else {
          const auto want = reference_scan<R>(part_of(x, p));
          for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(bits(parts(got[i])[p]), bits(want[i]))
                << name(data) << ", n = " << n << ", prefix " << i << ", part " << p;
        }
      }
    }
  }
}

/// The engines of other spaces, and other divisions, on this one.
TYPED_TEST(Scan, EveryEngineHasTheSameBits) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Exec exec;
  for (const Data data : {Data::wide, Data::near_overflow, Data::uniform}) {
    for (const std::size_t n : scan_lengths) {
      const auto x = elements<T>(data, n, n);
      const auto want = this->scan(x);
      const auto d = on_device(x);
      const auto expect_same = [&](const Kokkos::View<T*, Exec>& r, const std::string& what) {
        const auto got = to_host(r);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(bits(got[i]), bits(want[i])) << what << ", n = " << n << ", prefix " << i;
      };
      const Kokkos::View<T*, Exec> r("r", n);
      const auto s = acc::impl::make_prefix_sum<M>(r, d);
      using S = std::decay_t<decltype(s)>;
      const Kokkos::View<typename S::node*, Exec> nodes(
          Kokkos::view_alloc("nodes", Kokkos::WithoutInitializing), 1300);
      for (const int chunks : {1, 3, 50, 1300}) {
        Kokkos::deep_copy(r, T(0));
        acc::backends::generic::launch_scan_by_chunks(exec, "acc::test", s, chunks, 16,
                                                      nodes.data());
        expect_same(r, std::to_string(chunks) + " chunks");
      }
      const auto expect_of_teams = [&](const auto& by_groups) {
        using node = typename std::decay_t<decltype(by_groups)>::node;
        const Kokkos::View<node*, Exec> of_teams(
            Kokkos::view_alloc("nodes", Kokkos::WithoutInitializing), 1300);
        for (const int teams : {1, 2, 1300}) {
          Kokkos::deep_copy(r, T(0));
          acc::backends::generic::launch_scan_by_teams(exec, "acc::test", by_groups,
                                                       of_teams.data(), teams);
          expect_same(r, std::to_string(teams) + " teams");
        }
      };
      if constexpr (TestFixture::is_exact) {
        acc::impl::element_span span;
        for (const T v : x)
          for (const auto p : parts(v)) span.add(p);
        if (n > 100) {
          EXPECT_EQ(span.fits(n), data != Data::wide);
        }
        if (span.fits(n))
          expect_of_teams(acc::impl::windowed_scan<typename S::element, S::components>{s, span});
      } else {
        expect_of_teams(s);
      }
    }
  }
}

/// Many tiles, so that a look-back meets every digit.
TYPED_TEST(Scan, LongVectorsHaveTheSameBits) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Exec exec;
  const std::size_t n = 1'200'077;
  for (const Data data : {Data::wide, Data::uniform}) {
    const auto x = on_device(elements<T>(data, n, 9));
    const Kokkos::View<T*, Exec> r("r", n), want("want", n);
    const auto s = acc::impl::make_prefix_sum<M>(want, x);
    using S = std::decay_t<decltype(s)>;
    const Kokkos::View<typename S::node*, Exec> nodes(
        Kokkos::view_alloc("nodes", Kokkos::WithoutInitializing), 1300);
    acc::backends::generic::launch_scan_by_chunks(exec, "acc::test", s, 1300, 16, nodes.data());
    const auto wanted = to_host(want);
    for (int run = 0; run < 3; ++run) {
      Kokkos::deep_copy(r, T(0));
      acc::prefix_sum(exec, r, x, M{});
      const auto got = to_host(r);
      if (std::memcmp(got.data(), wanted.data(), n * sizeof(T)) == 0) continue;
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(bits(got[i]), bits(wanted[i])) << name(data) << ", prefix " << i;
    }
  }
}

/// Exclusive prefixes: those before, except that zeros are +0 and that a compensated one at the
/// seam of two groups is the value of the tree's prefix. In place, on all engines, whatever
/// overflows.
TYPED_TEST(Scan, ExclusivePrefixesAreThoseBefore) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using M = typename TypeParam::Method;
  const Exec exec;
  for (const Data data : all_data) {
    for (const std::size_t n : scan_lengths) {
      auto x = elements<T>(data, n, n + 3);
      if (n > 40 && n % 2 == 1) x[n / 2] = T(std::numeric_limits<R>::infinity());
      if (data == Data::positive)  // prefixes that are -0
        for (std::size_t i = 0; i < n && i < 20; ++i) x[i] = -T(0);
      const auto inclusive = this->scan(x);
      const auto d = on_device(x);
      const Kokkos::View<T*, Exec> r("r", n);
      acc::exclusive_prefix_sum(exec, r, d, M{});
      const auto got = to_host(r);
      Exact sum[2], sum_abs[2];
      bool finite = true;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t p = 0; p < parts(T{}).size(); ++p) {
          const R before = i == 0 ? R(0) : parts(inclusive[i - 1])[p], found = parts(got[i])[p];
          const std::string where = std::string(name(data)) + ", n = " + std::to_string(n) +
                                    ", prefix " + std::to_string(i);
          if (this->is_exact || i % 16 != 0 || i == 0 || !std::isfinite(before)) {
            ASSERT_EQ(bits(found), bits(before == R(0) ? R(0) : before)) << where;
          } else if (finite) {
            if constexpr (!TestFixture::is_exact) {
              const Bound bound = bound_of<R>(M{}, scan_depth(i + 1));
              ASSERT_LE(abs(Exact(found) - sum[p]), bound.limit(sum[p], sum_abs[p])) << where;
            }
          }
          const R v = parts(x[i])[p];
          finite = finite && std::isfinite(v);
          if (finite) sum[p] += Exact(v), sum_abs[p] += abs(Exact(v));
        }
      }
      const auto expect_same = [&](const Kokkos::View<T*, Exec>& again, const std::string& what) {
        const auto other = to_host(again);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(bits(other[i]), bits(got[i])) << what << ", n = " << n << ", prefix " << i;
      };
      const auto s = acc::impl::make_prefix_sum<M>(r, d, true);
      using S = std::decay_t<decltype(s)>;
      const Kokkos::View<typename S::node*, Exec> nodes(
          Kokkos::view_alloc("nodes", Kokkos::WithoutInitializing), 50);
      for (const int chunks : {1, 50}) {
        Kokkos::deep_copy(r, T(1));
        acc::backends::generic::launch_scan_by_chunks(exec, "acc::test", s, chunks, 16,
                                                      nodes.data());
        expect_same(r, std::to_string(chunks) + " chunks");
      }
      if constexpr (!TestFixture::is_exact) {
        Kokkos::deep_copy(r, T(1));
        acc::backends::generic::launch_scan_by_teams(exec, "acc::test", s, nodes.data(), 50);
        expect_same(r, "teams");
      }
      acc::exclusive_prefix_sum(d, d, M{});
      expect_same(d, "in place");
    }
  }
}

/// Where prefixes take the elements' place, the lowest bit of all elements may be lost at once: the
/// half of the second element in the prefix 2^60 (float: 2^30). What chunks know of the elements
/// must be from before.
TYPED_TEST(Scan, InPlaceEveryChunkKnowsTheElementsAsTheyWere) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using M = typename TypeParam::Method;
  const std::size_t n = 100'003;
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = T(R(int(i % 7) - 2));
  const R large = std::ldexp(R(1), sizeof(R) == 4 ? 30 : 60);
  const R first[] = {large, R(0.5), R(-0.5), -large};
  std::copy(std::begin(first), std::end(first), x.begin());
  const auto want = this->scan(x);
  const auto d = on_device(x);
  acc::prefix_sum(d, d, M{});
  const auto got = to_host(d);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(bits(got[i]), bits(want[i])) << i;
}

TYPED_TEST(Scan, LayoutAlignmentAndPlaceChangeNoBits) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Exec exec;
  for (const std::size_t n : {std::size_t(5), std::size_t(77), std::size_t(9001)}) {
    const auto x = elements<T>(Data::wide, n, 3);
    const auto want = this->scan(x);
    const auto expect_same = [&](const auto& r, const std::string& what) {
      const auto got = to_host(r);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(bits(got[i]), bits(want[i])) << what << ", n = " << n << ", prefix " << i;
    };
    for (const std::size_t offset : {1, 3}) {
      const auto from = shifted(x, offset), to = shifted(std::vector<T>(n), offset + 1);
      acc::prefix_sum(exec, to, Kokkos::View<const T*, Exec>(from), M{});
      expect_same(to, "at " + std::to_string(offset));
      acc::prefix_sum(exec, from, from, M{});
      expect_same(from, "in place, at " + std::to_string(offset));
    }
    for (const std::size_t stride : {2, 3}) {
      const auto from = strided(x, stride), to = strided(std::vector<T>(n), 5);
      acc::prefix_sum(exec, to, from, M{});
      expect_same(to, "by " + std::to_string(stride));
      acc::prefix_sum(exec, from, from, M{});
      expect_same(from, "in place, by " + std::to_string(stride));
    }
    // From one column of a matrix to another.
    const Kokkos::View<T**, Kokkos::LayoutRight, Exec> matrix("matrix", n, 3);
    const auto a = Kokkos::subview(matrix, Kokkos::ALL, 0),
               b = Kokkos::subview(matrix, Kokkos::ALL, 2);
    Kokkos::deep_copy(a, on_device(x));
    acc::prefix_sum(exec, b, a, M{});
    expect_same(b, "columns");
    const auto d = on_device(x);
    const Kokkos::View<T*, Exec, Kokkos::MemoryUnmanaged> unmanaged(d.data(), n);
    acc::prefix_sum(unmanaged, d, M{});
    expect_same(d, "in place, unmanaged, default instance");
  }
  acc::prefix_sum(exec, Kokkos::View<T*, Exec>("r", 0), Kokkos::View<T*, Exec>(), M{});
}

/// The bounds would be idle if any sum kept them.
TEST(ScanBounds, AreBrokenByAPlainScan) {
  const auto x = ill_conditioned_sum<double>(5000, 1e20, 1);
  Exact sum, sum_abs;
  double plain = 0;
  bool broken = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += Exact(x[i]);
    sum_abs += abs(Exact(x[i]));
    plain += x[i];
    const Bound bound = bound_of<double>(acc::compensated{}, scan_depth(i + 1));
    broken = broken || abs(Exact(plain) - sum) > bound.limit(sum, sum_abs);
  }
  EXPECT_TRUE(broken);
}

}  // namespace
}  // namespace acc_test
