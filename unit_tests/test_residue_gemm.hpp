// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact products by residues, on hosts and on Hopper, against the oracle, and against those by
// superaccumulators: hard rows, edges of panels, tiles, blocks and sections, more moduli than are
// needed, rows that no moduli hold, and cut rows.
#pragma once

#include "device.hpp"
#include "generators.hpp"
#include "oracle.hpp"

#include <acc/backends/dispatch.hpp>
#include <acc/batched_gemm.hpp>
#include <acc/gemm.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace acc_test {
namespace {

// A machine's two ways, and memory that both it and the host read. The generic machine has only
// superaccumulators: there the tests that compare two ways are skipped, the others try this one.
#if defined(ACC_HAS_CUDA_MACHINE)
inline constexpr bool has_residues = true;
template <class P>
using DeviceResidues = acc::backends::cuda::residue_entries<P>;
#else
inline constexpr bool has_residues = acc::backends::runs_on_host<Exec>;
template <class P>
using DeviceResidues = acc::backends::generic::exact_entries<P>;
#endif
template <class P>
using Residues = std::conditional_t<acc::backends::runs_on_host<Exec>,
                                    acc::backends::host::residue_entries<P>, DeviceResidues<P>>;
using Shared = std::conditional_t<acc::backends::runs_on_host<Exec>, Kokkos::HostSpace,
                                  Kokkos::SharedHostPinnedSpace>;
template <class P>
using Others =
    std::conditional_t<acc::backends::runs_on_host<Exec>, acc::backends::host::exact_entries<P>,
                       acc::backends::generic::exact_entries<P>>;

template <class T>
using Rows = Kokkos::View<T**, Kokkos::LayoutRight, Shared>;
template <class T>
using Columns = Kokkos::View<T**, Kokkos::LayoutLeft, Shared>;

enum class Kind {
  uniform,
  wide,      ///< 2^-20 to 2^20: about as much as the moduli hold of both
  wider,     ///< 2^-70 to 2^70: no moduli hold both
  spiked,    ///< some rows have one huge number
  infinite,  ///< some have an infinity
  integers,  ///< -3 to 3: exact zeros among the sums
  zeros,     ///< most are zeros of both signs
  subnormal,
  huge,          ///< overflows
  positive,      ///< 0 to 1
  one_negative,  ///< the same, and one outweighs others of its row
};
constexpr Kind all_kinds[] = {Kind::uniform, Kind::wide,      Kind::wider,
                              Kind::spiked,  Kind::infinite,  Kind::integers,
                              Kind::zeros,   Kind::subnormal, Kind::huge};

template <class R>
R number(Kind kind, Random& random) {
  using Limits = std::numeric_limits<R>;
  const R u = random.symmetric<R>();
  switch (kind) {
    case Kind::uniform:
      return u;
    case Kind::wide:
      return std::ldexp(u, random.integer(-20, 20));
    case Kind::wider:
      return std::ldexp(u, random.integer(-70, 50));
    case Kind::spiked:
      return random.below(400) == 0 ? std::ldexp(u, Limits::max_exponent / 2) : u;
    case Kind::infinite:
      return random.below(400) == 0 ? Limits::infinity() : u;
    case Kind::integers:
      return static_cast<R>(random.integer(-3, 3));
    case Kind::zeros:
      return random.below(4) != 0 ? R(0) : random.below(2) == 0 ? R(-0.0) : R(-1);
    case Kind::subnormal:
      return std::ldexp(u, Limits::min_exponent - random.integer(0, 5));
    case Kind::huge:
      return std::ldexp(u, Limits::max_exponent - 10);
    case Kind::positive:
    case Kind::one_negative:
      return std::abs(u);
  }
  return u;
}

/// What numbers of a type are made in.
template <class T>
using Number = std::conditional_t<acc::impl::is_half_scalar<T>, float, T>;

template <class M>
void fill(const M& m, Kind kind, Random& random) {
  using T = typename M::value_type;
  for (std::size_t i = 0; i < m.extent(0); ++i) {
    for (std::size_t j = 0; j < m.extent(1); ++j) {
      if constexpr (is_complex<T>)
        m(i, j) = T(number<real_t<T>>(kind, random), number<real_t<T>>(kind, random));
      else
        m(i, j) = static_cast<T>(number<Number<T>>(kind, random));
    }
  }
  if (kind == Kind::one_negative)
    m(random.below(m.extent(0)), random.below(m.extent(1))) = T(Number<T>(-8192));
}

struct Shape {
  std::size_t m, n, k;
};

template <class Entries, class Problem, class Change>
void launch(const Problem& p, const Change& change) {
  const Exec exec;
  Entries entries(exec, p);
  if constexpr (requires { entries.always; }) change(entries);
  Kokkos::View<std::byte*, Memory> memory("memory", entries.bytes());
  entries.launch(exec, "acc::gemm", memory.data());
  exec.fence();
}

/// The same bits as superaccumulators give, whatever the moduli's number.
template <class A, class B, class C = Rows<typename A::value_type>, class Method = acc::exact,
          class Coefficient = acc::impl::coefficient_t<C>>
void expect_same_bits(const Shape& s, Kind kind_a, Kind kind_b, Coefficient alpha, Coefficient beta,
                      int more, std::uint64_t seed, const Method& method = {}) {
  Random random(seed);
  const A a("a", s.m, s.k);
  const B b("b", s.k, s.n);
  const C got("got", s.m, s.n), want("want", s.m, s.n);
  fill(a, kind_a, random);
  fill(b, kind_b, random);
  if (seed % 2 == 0)  // cancels to little or nothing in half of the columns
    for (std::size_t k = 0; k + 1 < s.k; k += 2) {
      for (std::size_t i = 0; i < s.m; ++i) a(i, k + 1) = -a(i, k);
      for (std::size_t j = 0; j < s.n; j += 2) b(k + 1, j) = b(k, j);
    }
  fill(got, Kind::uniform, random);
  Kokkos::deep_copy(want, got);
  const auto problem = [&](const C& c) {
    return acc::impl::make_gemm_problem(acc::impl::names_of_gemm, "N", "N", alpha, a, b, beta, c,
                                        method);
  };
  const auto p = problem(got), q = problem(want);
  using P = std::decay_t<decltype(p)>;
  launch<Residues<P>>(p, [&](auto& e) {
    e.more_moduli = more;
    e.always = seed % 8 != 0;
    if constexpr (requires { e.use_tiles(); })
      if (seed % 3 == 0) e.use_tiles();
    if constexpr (requires { e.limit_blocks(0, 0); })
      if (seed % 2 == 0) e.limit_blocks(256, seed % 4 == 0 ? 128 : 2048);
  });
  launch<Others<P>>(q, [](auto&) {});
  for (std::size_t i = 0; i < s.m; ++i)
    for (std::size_t j = 0; j < s.n; ++j)
      ASSERT_EQ(std::memcmp(&got(i, j), &want(i, j), sizeof(typename C::value_type)), 0)
          << "entry " << i << ", " << j << " of " << s.m << " x " << s.n << " x " << s.k
          << ", kinds " << int(kind_a) << ", " << int(kind_b) << ", " << more << " more moduli";
}

/// Compares the two ways.
class TwoWays : public testing::Test {
 protected:
  void SetUp() override {
    if constexpr (!has_residues) GTEST_SKIP() << "this device has no products by residues";
  }
};

template <class T>
class ResidueGemm : public TwoWays {};
using Scalars = testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(ResidueGemm, Scalars);

TYPED_TEST(ResidueGemm, HasTheBitsOfSuperaccumulators) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  for (const Kind a : all_kinds)
    for (const Kind b : all_kinds) {
      ++seed;
      const int more = static_cast<int>(seed % 3);
      // Both parities of k's logarithm: the moduli hold an even number of bits, or an odd one.
      ASSERT_NO_FATAL_FAILURE(
          (expect_same_bits<Rows<T>, Columns<T>>({31, 37, 83}, a, b, T(1), T(0), more, seed)));
      ASSERT_NO_FATAL_FAILURE((expect_same_bits<Columns<T>, Rows<T>>({18, 33, 300}, a, b, T(-0.75),
                                                                     T(1.5), 2 - more, seed)));
    }
}

TYPED_TEST(ResidueGemm, HasTheirBitsOfCutNumbers) {
  using T = TypeParam;
  std::uint64_t seed = 200;
  for (const Kind a : all_kinds)
    for (const Kind b : all_kinds)
      for (const int bits : {8, 24, 53, 64}) {
        if (++seed % 8 == 0) continue;  // by one way alone
        ASSERT_NO_FATAL_FAILURE((expect_same_bits<Rows<T>, Columns<T>>(
            {31, 37, 83}, a, b, T(1), T(seed % 2), int(seed % 3), seed, acc::fixed_point{bits})));
      }
}

TYPED_TEST(ResidueGemm, HasThemAtEveryEdge) {
  using T = TypeParam;
  std::uint64_t seed = 100;
  for (const std::size_t m : {8, 14, 15, 28, 29})
    for (const std::size_t n : {8, 16, 17, 32, 33, 65})
      for (const std::size_t k : {1, 2, 31, 32, 33})
        ASSERT_NO_FATAL_FAILURE((expect_same_bits<Rows<T>, Rows<T>>(
            {m, n, k}, Kind::uniform, Kind::integers, T(1), T(0), 0, ++seed)));
  for (const std::size_t n : {127, 128, 129, 256, 257})
    for (const std::size_t k : {127, 129, 513})
      ASSERT_NO_FATAL_FAILURE((expect_same_bits<Columns<T>, Columns<T>>(
          {n + 130 * (k % 2), 385 - n, k}, Kind::uniform, Kind::zeros, T(1), T(0), 0, ++seed)));
  // Several blocks of C; several sections of k, and of a sum of 32 bits.
  ASSERT_NO_FATAL_FAILURE((expect_same_bits<Rows<T>, Rows<T>>({1030, 9, 5}, Kind::uniform,
                                                              Kind::uniform, T(1), T(0), 0, 1)));
  ASSERT_NO_FATAL_FAILURE((expect_same_bits<Rows<T>, Rows<T>>({9, 1030, 5}, Kind::uniform,
                                                              Kind::uniform, T(1), T(0), 0, 1)));
  for (const std::size_t k : {2048, 2049, 4100, 70000})
    for (const bool limited : {false, true})
      ASSERT_NO_FATAL_FAILURE((expect_same_bits<Rows<T>, Rows<T>>(
          {9, 10, k}, Kind::uniform, Kind::uniform, T(1), T(0), 0, limited ? 2 : 1)));
}

/// Where one dimension is small a CUDA kernel converts what it multiplies: strips, parts of k,
/// neighbours in memory along k and across, on boundaries of 16 bytes or not; sums that are reduced
/// before all of them are added.
TYPED_TEST(ResidueGemm, HasThemOfFewColumns) {
  using T = TypeParam;
  std::uint64_t seed = 400;
  const auto expect = [&]<class A, class B>(const Shape& s, Kind a, Kind b, std::type_identity<A>,
                                            std::type_identity<B>) {
    seed += seed % 3 == 2 ? 2 : 1;  // none by tiles
    ASSERT_NO_FATAL_FAILURE((expect_same_bits<A, B>(s, a, b, T(1), T(0), int(seed % 2), seed)));
  };
  const std::type_identity<Rows<T>> rows;
  const std::type_identity<Columns<T>> columns;
  for (const std::size_t few : {1, 16, 17, 33, 64})
    for (const std::size_t many : {17, 64, 112, 113, 260})
      for (const std::size_t k : {64, 301}) {
        expect({many, few, k}, Kind::uniform, Kind::uniform, rows, columns);
        expect({many, few, k}, Kind::wide, Kind::uniform, columns, rows);
        expect({few, many, k}, Kind::uniform, Kind::integers, rows, rows);
        expect({few, many, k}, Kind::spiked, Kind::infinite, columns, columns);
      }
  expect({3, 64, 100000}, Kind::uniform, Kind::uniform, rows, columns);
  // What does not fit is divided by k.
  expect({1, 20, 3000}, Kind::spiked, Kind::infinite, rows, columns);
  expect({20, 2, 3000}, Kind::infinite, Kind::spiked, rows, rows);
  // Parts of k with more than 2^16 products, unless a GPU has very many multiprocessors.
  if (!is_complex<T>) expect({2, 3, 5000000}, Kind::uniform, Kind::uniform, rows, columns);
}

/// Rows and columns of many sizes, which the CUDA plan sorts: one block of C, and several.
TYPED_TEST(ResidueGemm, HasThemOfSortedRows) {
  using T = TypeParam;
  for (const std::uint64_t seed : {401, 402, 404})
    for (const std::size_t m : {300, 700}) {
      ASSERT_NO_FATAL_FAILURE((expect_same_bits<Rows<T>, Columns<T>>(
          {m, 1000 - m, 4}, Kind::wide, Kind::wide, T(1), T(0), int(seed % 2), seed)));
      ASSERT_NO_FATAL_FAILURE((expect_same_bits<Columns<T>, Rows<T>, Columns<T>>(
          {m, 1000 - m, 40}, Kind::spiked, Kind::spiked, T(1), T(0), 0, seed)));
    }
}

#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
template <class T>
class ResidueGemmOfHalf : public TwoWays {};
using Halves = testing::Types<Kokkos::Experimental::half_t, Kokkos::Experimental::bhalf_t>;
TYPED_TEST_SUITE(ResidueGemmOfHalf, Halves);

/// Half precision, rounded to itself and to float. Beyond its range numbers are infinite.
TYPED_TEST(ResidueGemmOfHalf, HasTheBitsOfSuperaccumulators) {
  using T = TypeParam;
  std::uint64_t seed = 300;
  for (const Kind a : all_kinds)
    for (const Kind b : all_kinds) {
      const int more = static_cast<int>(++seed % 3);
      ASSERT_NO_FATAL_FAILURE(
          (expect_same_bits<Rows<T>, Columns<T>>({31, 37, 83}, a, b, 1.0f, 0.0f, more, seed)));
      ASSERT_NO_FATAL_FAILURE((expect_same_bits<Columns<T>, Rows<T>, Rows<float>>(
          {18, 33, 300}, a, b, -0.75f, 1.5f, more, seed)));
      ASSERT_NO_FATAL_FAILURE((expect_same_bits<Rows<T>, Columns<T>>(
          {31, 37, 83}, a, b, 1.0f, 1.0f, more, seed, acc::fixed_point{8})));
    }
  for (const Kind b : {Kind::positive, Kind::one_negative})
    ASSERT_NO_FATAL_FAILURE((expect_same_bits<Rows<T>, Columns<T>, Rows<float>>(
        {31, 37, 300}, Kind::positive, b, 1.0f, 0.0f, 0, 401)));
}
#endif

/// A real matrix against the oracle: entries rounded once; and all ones of one sign, the largest
/// sums that there are.
TEST(ResidueGemm, IsRoundedOnce) {
  Random random(7);
  for (const int ones : {0, 24, 53}) {
    const std::size_t m = 20, n = 21, k = 256;
    const Rows<double> a("a", m, k), b("b", k, n), c("c", m, n);
    fill(a, Kind::wide, random);
    fill(b, Kind::wide, random);
    const double all_ones = std::ldexp(1.0, ones) - 1;
    if (ones != 0) Kokkos::deep_copy(a, all_ones), Kokkos::deep_copy(b, -all_ones);
    const auto p = acc::impl::make_gemm_problem(acc::impl::names_of_gemm, "N", "N", 1.0, a, b, 0.0,
                                                c, acc::exact{});
    launch<Residues<std::decay_t<decltype(p)>>>(p, [](auto& e) { e.always = true; });
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        Exact sum;
        for (std::size_t l = 0; l < k; ++l) sum += Exact(a(i, l)) * Exact(b(l, j));
        ASSERT_EQ(c(i, j), round_to<double>(sum)) << i << ", " << j;
      }
  }
}

/// Sums of numbers without a sign, and of one sign, as large as their numbers of digits allow.
TEST(ResidueGemm, HoldsTheLargestSumsOfOneSign) {
  const std::size_t m = 20, n = 21;
  const Rows<double> c("c", m, n);
  // Lengths with which each number of moduli up to 15 comes next to its limit.
  for (const std::size_t k : {181, 256, 362, 600, 2500})
    for (int digits = k == 2500 ? 52 : 1; digits <= 53; ++digits)
      for (const double sign : {1.0, -1.0}) {
        const Rows<double> a("a", m, k), b("b", k, n);
        const double all_ones = std::ldexp(1.0, digits) - 1;
        Kokkos::deep_copy(a, all_ones);
        Kokkos::deep_copy(b, sign * all_ones);
        const auto p = acc::impl::make_gemm_problem(acc::impl::names_of_gemm, "N", "N", 1.0, a, b,
                                                    0.0, c, acc::exact{});
        launch<Residues<std::decay_t<decltype(p)>>>(p, [](auto& e) { e.always = true; });
        const double want = round_to<double>(Exact(all_ones) * Exact(sign * all_ones) *
                                             Exact(static_cast<double>(k)));
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j)
            ASSERT_EQ(c(i, j), want) << digits << " digits, k = " << k << ", sign " << sign;
      }
}

/// The same of random numbers: none has a sign, or one alone has.
TYPED_TEST(ResidueGemm, HasThemOfNumbersWithoutSign) {
  using T = TypeParam;
  std::uint64_t seed = 501;
  for (const Kind b : {Kind::positive, Kind::one_negative})
    for (const std::size_t k : {64, 700, 1500})
      for (const Shape& s : {Shape{31, 37, k}, Shape{300, 270, k}, Shape{16, 200, k}}) {
        if (is_complex<T> && s.m == 300) continue;
        ASSERT_NO_FATAL_FAILURE((
            expect_same_bits<Rows<T>, Columns<T>>(s, Kind::positive, b, T(1), T(0), 0, seed += 2)));
        ASSERT_NO_FATAL_FAILURE((expect_same_bits<Rows<T>, Rows<T>>(
            s, b, Kind::positive, T(1), T(0), 1, seed += 2, acc::fixed_point{24})));
        ASSERT_NO_FATAL_FAILURE((expect_same_bits<Columns<T>, Rows<T>>(
            s, b, Kind::positive, T(-0.5), T(2), 0, seed += 2)));
      }
}

/// Matrices of a batch, few rows or columns of each, have the bits that each has by itself.
TEST(ResidueGemm, OfBatchesIsThatOfEachMatrix) {
  Random random(9);
  const Exec exec;
  for (const auto& [m, n, k] : {Shape{64, 64, 4100}, Shape{64, 300, 1000}, Shape{300, 33, 1700}}) {
    constexpr std::size_t batches = 3;
    const Kokkos::View<float***, Kokkos::LayoutRight, Shared> a("a", batches, m, k),
        b("b", batches, k, n), c("c", batches, m, n);
    const Rows<float> want("want", m, n);
    const auto of = [](const auto& x, std::size_t i) {
      return Kokkos::subview(x, i, Kokkos::ALL, Kokkos::ALL);
    };
    for (std::size_t i = 0; i < batches; ++i) {
      fill(of(a, i), i == 1 ? Kind::positive : Kind::wide, random);
      fill(of(b, i), i == 1 ? Kind::positive : Kind::uniform, random);
    }
    acc::batched_gemm(exec, "N", "N", 1.0f, a, b, 0.0f, c, acc::exact{});
    for (std::size_t i = 0; i < batches; ++i) {
      const auto q = acc::impl::make_gemm_problem(acc::impl::names_of_gemm, "N", "N", 1.0f,
                                                  of(a, i), of(b, i), 0.0f, want, acc::exact{});
      launch<Others<std::decay_t<decltype(q)>>>(q, [](auto&) {});
      exec.fence();
      for (std::size_t r = 0; r < m; ++r)
        for (std::size_t j = 0; j < n; ++j)
          ASSERT_EQ(std::memcmp(&c(i, r, j), &want(r, j), sizeof(float)), 0)
              << "matrix " << i << ", entry " << r << ", " << j;
    }
  }
}

/// Sums longer than 32 bits hold, of residues of about the largest magnitude, bytes and words, and
/// of one sign: for an odd number of its own, every entry's sums come to other multiples of the
/// moduli.
TEST(ResidueGemm, CutsSumsBeforeTheyOverflow) {
  for (const std::size_t k : {511, 2047, 70000})
    for (const double largest : {127.0, 2047.0})
      for (const double sign : {-1.0, 1.0}) {
        const std::size_t m = 29, n = 33;
        const Rows<double> a("a", m, k), b("b", k, n), c("c", m, n);
        for (std::size_t l = 0; l < k; ++l) {
          for (std::size_t i = 0; i < m; ++i)
            a(i, l) = sign * (largest - 2 * static_cast<double>(i));
          for (std::size_t j = 0; j < n; ++j) b(l, j) = largest - 2 * static_cast<double>(j);
        }
        // In units of 1: the first number of a row alone is no multiple of the others'.
        for (std::size_t i = 0; i < m; ++i) a(i, 0) = sign;
        const auto p = acc::impl::make_gemm_problem(acc::impl::names_of_gemm, "N", "N", 1.0, a, b,
                                                    0.0, c, acc::exact{});
        launch<Residues<std::decay_t<decltype(p)>>>(p, [](auto& e) {
          e.more_moduli = 8;
          e.always = true;
        });
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j)
            ASSERT_EQ(c(i, j), (sign + a(i, k - 1) * static_cast<double>(k - 1)) * b(0, j))
                << i << ", " << j << ", k = " << k;
      }
}

/// Rows that are infinite, few or most, do not change what others are cut to.
TEST(ResidueGemm, CutRowsDoNotDependOnOthers) {
  const std::size_t n = 9;
  const Rows<double> a("a", n, 1), b("b", 1, n), c("c", n, n);
  for (const std::size_t infinite : {0, 4, 5, 8})
    for (const bool rows : {true, false}) {
      Kokkos::deep_copy(rows ? a : b, 1 + 0x1p-10);
      Kokkos::deep_copy(rows ? b : a, 1.0);
      for (std::size_t i = 0; i < infinite; ++i)
        (rows ? a(n - 1 - i, 0) : b(0, n - 1 - i)) = std::numeric_limits<double>::infinity();
      const auto p = acc::impl::make_gemm_problem(acc::impl::names_of_gemm, "N", "N", 1.0, a, b,
                                                  0.0, c, acc::fixed_point{8});
      launch<Residues<std::decay_t<decltype(p)>>>(p, [](auto& e) { e.always = true; });
      ASSERT_EQ(c(0, 0), 1.0) << infinite << (rows ? " rows" : " columns");
      ASSERT_EQ(std::isinf(rows ? c(n - 1, 0) : c(0, n - 1)), infinite > 0);
    }
}

}  // namespace
}  // namespace acc_test
