// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::sum_by_index, acc::add_by_index: each sum has the bits of acc::sum over its numbers.
#pragma once

#include "arrays.hpp"
#include "device.hpp"
#include "one_thread.hpp"
#include "oracle.hpp"
#include "views.hpp"

#include <acc/sum.hpp>
#include <acc/sum_by_index.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

/// The numbers of each sum, in the order of their indexes.
template <class T>
std::vector<std::vector<T>> gathered(std::size_t m, const std::vector<int>& index,
                                     const std::vector<T>& x) {
  std::vector<std::vector<T>> sums(m);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (index[i] >= 0) sums[static_cast<std::size_t>(index[i])].push_back(x[i]);
  return sums;
}
/// The bits of acc::sum over the numbers of each sum.
template <class T, class Method = acc::exact>
std::vector<std::string> wanted(const std::vector<std::vector<T>>& sums, Method method = {}) {
  const auto& exec = one_thread();
  std::vector<std::string> r;
  for (const std::vector<T>& x : sums) {
    const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> v(x.data(), x.size());
    r.push_back(bits(acc::sum(exec, v, method)));
  }
  return r;
}
/// Adds one number to each sum.
template <class T>
void add_to_each(std::vector<std::vector<T>>& sums, const std::vector<T>& numbers) {
  for (std::size_t b = 0; b < sums.size(); ++b) sums[b].push_back(numbers[b]);
}
std::vector<int> random_indexes(std::size_t n, std::size_t m, Random& random) {
  std::vector<int> index(n);
  for (int& b : index) b = random.below(20) == 0 ? -int(random.below(5)) - 1 : int(random.below(m));
  return index;
}

/// What adds on GPUs; every execution space can.
struct Engine {
  const char* name;
  bool counted;
  std::size_t scratch;
  bool tables = false, sorts = false;

  acc::backends::scatter_tuning tuning(std::size_t sums = std::size_t(1) << 30,
                                       std::size_t copies = 0) const {
    acc::backends::scatter_tuning t;
    t.sums = sums;
    t.copies = copies;
    t.counted = counted;
    t.scratch = scratch;
    t.tables = tables;
    t.sorts = sorts;
    return t;
  }
  friend std::ostream& operator<<(std::ostream& out, const Engine& e) { return out << e.name; }
};
constexpr Engine gpu_engines[] = {{"shared limbs", false, 0},
                                  {"counted limbs", true, 0},
                                  {"copies of teams", true, 40000},
                                  {"tables of teams", true, 20000, true},
                                  {"sorted rows", true, 0, false, true}};

template <class T>
class SumByIndex : public testing::Test {};
using ByIndexTypes = testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(SumByIndex, ByIndexTypes);

TYPED_TEST(SumByIndex, HasTheBitsOfTheSumOfEachIndex) {
  using T = TypeParam;
  Random random(5);
  for (const Data data : {Data::uniform, Data::wide, Data::all_exponents, Data::subnormal,
                          Data::massive_cancellation}) {
    for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{0, 3},
                               {1, 1},
                               {1000, 1},
                               {5000, 7},
                               {3000, 2000},
                               {100, 40000}}) {
      auto x = elements<T>(data, n, n + m);
      auto index = random_indexes(n, m, random);
      const auto want = wanted(gathered(m, index, x));
      for (int shuffle = 0; shuffle < 3; ++shuffle) {
        const Kokkos::View<T*, Exec> r("r", m);
        Kokkos::deep_copy(r, T(7));
        acc::sum_by_index(Exec{}, r, on_device(index), on_device(x));
        const auto got = to_host(r);
        for (std::size_t b = 0; b < m; ++b)
          ASSERT_EQ(bits(got[b]), want[b]) << name(data) << ", " << n << " into " << m;
        for (std::size_t i = n; i > 1; --i) {
          const std::size_t j = random.below(i);
          std::swap(x[i - 1], x[j]);
          std::swap(index[i - 1], index[j]);
        }
      }
    }
  }
}

TYPED_TEST(SumByIndex, SpecialNumbers) {
  using T = TypeParam;
  using R = real_t<T>;
  constexpr R infinity = std::numeric_limits<R>::infinity();
  const std::vector<R> numbers{R(0),
                               R(-0.0),
                               R(1),
                               R(-1),
                               infinity,
                               -infinity,
                               std::numeric_limits<R>::quiet_NaN(),
                               std::numeric_limits<R>::max(),
                               std::numeric_limits<R>::denorm_min()};
  // Every pair, alone and three times, and each number alone.
  std::vector<T> x;
  std::vector<int> index;
  int m = 0;
  for (const R a : numbers) {
    x.push_back(T(a));
    index.push_back(m++);
    for (const R b : numbers) {
      for (int i = 0; i < 3; ++i) {
        x.insert(x.end(), {T(a), T(b)});
        index.insert(index.end(), {m, m});
      }
      ++m;
    }
  }
  const auto want = wanted(gathered(static_cast<std::size_t>(m), index, x));
  const Kokkos::View<T*, Exec> r("r", static_cast<std::size_t>(m));
  acc::sum_by_index(r, on_device(index), on_device(x));
  const auto got = to_host(r);
  for (std::size_t b = 0; b < want.size(); ++b) ASSERT_EQ(bits(got[b]), want[b]) << b;
  // Zeros alone, where nothing needs more than a limb.
  const std::vector<T> zeros(5, T(R(-0.0)));
  acc::sum_by_index(r, on_device(std::vector<int>{0, 0, 2, -1, 2}), on_device(zeros));
  const auto small = to_host(r);
  EXPECT_EQ(bits(small[0]), wanted(std::vector(1, std::vector<T>(2, T(R(-0.0)))))[0]);
  EXPECT_EQ(bits(small[1]), bits(T(0)));
}

// So many of the largest numbers that limbs carry, from many threads, to one sum and to a few.
TYPED_TEST(SumByIndex, CarriesFromLimbToLimb) {
  using T = TypeParam;
  using R = real_t<T>;
  const std::size_t n = 400000;
  for (const std::size_t m : {1, 3, 100000}) {
    std::vector<T> x(n);
    std::vector<int> index(n);
    for (std::size_t i = 0; i < n; ++i) {
      // Of one sign for a long time, then of the other; one small number forces all limbs.
      const R most = std::numeric_limits<R>::max();
      x[i] = T(i == 7 ? std::numeric_limits<R>::denorm_min() : i < n / 2 + 100 ? most : -most);
      index[i] = int(i % m == 0 || m < 1000 ? i % m : 0);
    }
    const auto want = wanted(gathered(m, index, x));
    const Kokkos::View<T*, Exec> r("r", m);
    for (const Engine& engine : gpu_engines) {
      acc::impl::sum_by_index(Exec{}, "acc::sum_by_index", r, on_device(index), on_device(x), false,
                              acc::exact{}, engine.tuning());
      Exec{}.fence();
      const auto got = to_host(r);
      for (std::size_t b = 0; b < m; ++b)
        ASSERT_EQ(bits(got[b]), want[b]) << b << " of " << m << ", " << engine;
    }
  }
}

// Blocks of one row, of a few and of all; by copies of the sums and by atomics; in limbs of both
// kinds, and in copies of teams.
TYPED_TEST(SumByIndex, HowTheWorkIsDividedChangesNothing) {
  using T = TypeParam;
  Random random(6);
  const std::size_t n = 3000, m = 50, width = 3;
  const auto values = elements<T>(Data::all_exponents, n * width, 8);
  const auto index = on_device(random_indexes(n, m, random));
  const Kokkos::View<T**, Kokkos::LayoutRight, Exec> x("x", n, width), want("want", m, width),
      got("got", m, width);
  const auto hx = Kokkos::create_mirror_view(x);
  std::copy(values.begin(), values.end(), hx.data());
  Kokkos::deep_copy(x, hx);
  const Exec exec;
  acc::sum_by_index(exec, want, index, x);
  for (const std::size_t sums : {std::size_t(1), std::size_t(9000), std::size_t(1) << 30})
    for (const std::size_t copies : {std::size_t(0), std::size_t(1) << 26})
      for (const Engine& engine : gpu_engines) {
        Kokkos::deep_copy(got, T(7));
        acc::impl::sum_by_index(exec, "acc::sum_by_index", got, index, x, false, acc::exact{},
                                engine.tuning(sums, copies));
        exec.fence();
        const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), want);
        const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < width; ++j)
            ASSERT_EQ(bits(b(i, j)), bits(a(i, j))) << sums << ", " << copies << ", " << engine;
      }
}

// The limbs and copies of a GPU, on every execution space: few sums and many, numbers that fill
// limbs, special numbers, and sums that others' numbers are added to.
TYPED_TEST(SumByIndex, CountedLimbsHaveTheSameBits) {
  using T = TypeParam;
  using R = real_t<T>;
  Random random(12);
  const Exec exec;
  for (const Data data : {Data::uniform, Data::wide, Data::all_exponents, Data::subnormal,
                          Data::near_overflow, Data::massive_cancellation})
    for (const auto& [n, m] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {20000, 1}, {9000, 7}, {4097, 300}, {0, 3}})
      for (const bool special : {false, true}) {
        auto x = elements<T>(data, n, n + m);
        if (special)
          for (std::size_t i = 0; i < n; i += 1 + random.below(2 * m))
            x[i] = random.below(2) ? T(R(-0.0)) : T(std::numeric_limits<R>::infinity());
        const auto index = random_indexes(n, m, random);
        const auto before = elements<T>(data, m, 3);
        for (const bool adds : {false, true}) {
          auto numbers = gathered(m, index, x);
          if (adds) add_to_each(numbers, before);
          const auto want = wanted(numbers);
          for (const Engine& engine : gpu_engines) {
            const auto r = on_device(before);
            acc::impl::sum_by_index(exec, "acc::sum_by_index", r, on_device(index), on_device(x),
                                    adds, acc::exact{}, engine.tuning());
            exec.fence();
            const auto got = to_host(r);
            for (std::size_t b = 0; b < m; ++b)
              ASSERT_EQ(bits(got[b]), want[b])
                  << name(data) << ", " << n << " into " << m << ", " << engine;
          }
        }
      }
}

/// The look that GPUs take at rows, several numbers at once, finds what a look at each finds.
TYPED_TEST(SumByIndex, LooksAtSeveralRowsAtOnce) {
  using T = real_t<TypeParam>;
  using problem = acc::backends::scatter_problem<T, T, int>;
  Random random(21);
  const Exec exec;
  for (const std::size_t width : {1, 2, 3, 8, 33})
    for (const std::size_t rows : {0, 1, 3, 4, 5, 997})
      for (const int trouble : {0, 1, 2, 3}) {
        auto x = elements<T>(trouble == 0 ? Data::subnormal : Data::wide, rows * width, 22);
        auto index = random_indexes(rows, 10, random);
        if (rows > 0 && trouble == 1) index[random.below(rows)] = 10;
        if (rows > 0 && trouble == 2) x[random.below(rows * width)] = T(-0.0);
        if (rows > 0 && trouble == 3) x.back() = std::numeric_limits<T>::max();
        // By rows, by columns, and by rows with gaps.
        for (const auto& [row_step, step] : {std::pair(width, std::size_t(1)),
                                             {std::size_t(1), rows + 1},
                                             {3 * width, std::size_t(2)}}) {
          std::vector<T> placed((rows + 1) * (3 * width + row_step) + step * width, T(-0.0));
          for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < width; ++j)
              placed[i * row_step + j * step] = x[i * width + j];
          const auto dx = on_device(placed);
          const auto di = on_device(index);
          const std::int64_t w = std::int64_t(width);
          const problem p{
              {dx.data(), std::int64_t(rows), w, std::int64_t(row_step), std::int64_t(step), 1},
              {nullptr, 10, w, w, 1, 1},
              di.data(),
              1,
              false};
          const auto look = [&]<int Loads>() {
            using kernel = acc::backends::look_kernel<problem, Loads>;
            acc::backends::scatter_range range;
            Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                                        exec, 0, kernel::items_of(p)),
                                    kernel{p, kernel::items_of(p)}, range);
            return range;
          };
          const auto one = look.template operator()<1>(), four = look.template operator()<4>();
          EXPECT_EQ(one.wrong, four.wrong) << rows << " x " << width;
          EXPECT_EQ(one.kinds, four.kinds) << rows << " x " << width;
          if (one.wrong < std::int64_t(rows)) continue;
          ASSERT_EQ(one.numbers.zero(), four.numbers.zero()) << rows << " x " << width;
          if (one.numbers.zero()) continue;
          EXPECT_EQ(one.numbers.low, four.numbers.low) << rows << " x " << width;
          EXPECT_EQ(one.numbers.top, four.numbers.top) << rows << " x " << width;
        }
      }
}

// Into many sums, where few get most: sorted runs, one sum, and the more the lower the index.
TYPED_TEST(SumByIndex, FewSumsGetMost) {
  using T = TypeParam;
  const std::size_t n = 30000, m = 20000;
  Random random(14);
  const Exec exec;
  for (const Data data : {Data::uniform, Data::all_exponents}) {
    const auto x = elements<T>(data, n, 15);
    for (int kind = 0; kind < 4; ++kind) {
      std::vector<int> index(n);
      for (std::size_t i = 0; i < n; ++i)
        index[i] = kind == 0   ? int(i / 100)
                   : kind == 1 ? 7
                   : kind == 2 ? int(double(m) * std::pow(0.5, double(random.below(140)) / 10)) - 1
                               : int(i / 3 % m);
      const auto want = wanted(gathered(m, index, x));
      const Kokkos::View<T*, Exec> r("r", m);
      for (const Engine& engine : gpu_engines) {
        acc::impl::sum_by_index(exec, "acc::sum_by_index", r, on_device(index), on_device(x), false,
                                acc::exact{}, engine.tuning());
        exec.fence();
        const auto got = to_host(r);
        for (std::size_t b = 0; b < m; ++b)
          ASSERT_EQ(bits(got[b]), want[b])
              << name(data) << ", " << kind << ", " << b << ", " << engine;
      }
    }
  }
}

/// Numbers with all digits that span so many bits, from the lowest one of the first number to the
/// highest one of the second; 53 at least of doubles.
template <class T>
std::vector<T> numbers_of_bits(int span, std::size_t n, Random& random) {
  constexpr int digits = std::numeric_limits<T>::digits;
  const int highest = std::max(span - digits, 0);
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t hidden = std::uint64_t(1) << (digits - 1);
    const int low = i == 0 ? highest : i == 1 ? 0 : random.integer(0, highest);
    x[i] = std::ldexp(T(hidden + (i < 2 ? hidden - 1 : random.below(hidden))), low - 30);
    if (random.below(2)) x[i] = -x[i];
  }
  return x;
}

// Sorted rows: of every width and some layouts, with many rows and few of an index; numbers that
// one word holds, or two, and what sorting leaves to others.
TYPED_TEST(SumByIndex, SortedRowsHaveTheSameBits) {
  using T = real_t<TypeParam>;
  using problem = acc::backends::scatter_problem<T, T, int>;
  Random random(41);
  const Exec exec;
  for (const auto& [rows, m, width] : {std::array<std::size_t, 3>{1, 1, 2},
                                       {7000, 1, 2},
                                       {5000, 3, 8},
                                       {3000, 40, 9},
                                       {900, 700, 33},
                                       {50, 5, 1200}})
    for (const int span : {51, 52, 101, 102})
      for (const bool special : {false, true}) {
        auto x = numbers_of_bits<T>(span, rows * width, random);
        if (special) x[random.below(width)] = T(-0.0);
        auto index = random_indexes(rows, m, random);
        index[0] = 0;  // x's first numbers count
        auto before = numbers_of_bits<T>(51, m * width, random);
        // A sum that only counts where it takes part, and then is of too many bits.
        const bool is_far = span == 52;
        if (is_far) before.back() = std::ldexp(T(1), 90);
        for (const std::size_t gap : {std::size_t(0), std::size_t(4), std::size_t(5)})
          for (const bool adds : {false, true}) {
            std::vector<T> placed(rows * (width + gap), std::numeric_limits<T>::infinity());
            for (std::size_t i = 0; i < rows; ++i)
              std::copy_n(&x[i * width], width, &placed[i * (width + gap)]);
            const auto dx = on_device(placed), r = on_device(before);
            const auto di = on_device(index);
            const auto n = std::int64_t(rows), w = std::int64_t(width);
            const problem p{{dx.data(), n, w, w + std::int64_t(gap), 1, 1},
                            {r.data(), std::int64_t(m), w, w, 1, 1},
                            di.data(),
                            1,
                            adds};
            acc::backends::scatter_tuning tuning;
            tuning.sorts = true;
            using rows_call = acc::backends::scatter_rows_call<Exec, problem>;
            const rows_call call{exec, "sorted rows", p, tuning};
            acc::backends::locked_workspace memory(exec);
            const auto range = call.look();
            EXPECT_EQ(range.wrong, n);
            for (const std::size_t first : {std::size_t(0), rows / 2, rows - 1}) {
              auto wrong = index;
              wrong[first] = wrong[rows - 1] = int(m);
              const auto dw = on_device(wrong);
              problem q = p;
              q.index = dw.data();
              EXPECT_EQ((rows_call{exec, "sorted rows", q, tuning}.look().wrong),
                        std::int64_t(first));
            }
            const bool done = call.run(memory.get(), range);
            exec.fence();
            const auto got = to_host(r);
            ASSERT_EQ(done, span <= 101 && !special && !(is_far && adds))
                << span << ", " << special;
            for (std::size_t j = 0; j < width; ++j) {
              std::vector<T> column(rows), was(m);
              for (std::size_t i = 0; i < rows; ++i) column[i] = x[i * width + j];
              for (std::size_t b = 0; b < m; ++b) was[b] = before[b * width + j];
              auto numbers = gathered(m, index, column);
              if (adds) add_to_each(numbers, was);
              const auto want = wanted(numbers);
              for (std::size_t b = 0; b < m; ++b)
                ASSERT_EQ(bits(got[b * width + j]), done ? want[b] : bits(was[b]))
                    << rows << " x " << width << ", " << span << ", " << b << ", " << j;
            }
          }
      }
}

/// Sums and added sums by a method, in bins of one word and of two, of all rows and of a few at a
/// time.
template <class T, class Method>
void check_bins(Data data, std::size_t n, std::size_t m, bool special, Method method) {
  using R = real_t<T>;
  Random random(16);
  auto x = elements<T>(data, n, n + m);
  if (special)
    for (std::size_t i = 0; i < n; i += 1 + random.below(2 * m))
      x[i] = random.below(2) ? T(R(-0.0)) : T(std::numeric_limits<R>::infinity());
  const auto index = random_indexes(n, m, random);
  const auto before = elements<T>(data, m, 3);
  const Exec exec;
  for (const bool adds : {false, true}) {
    auto numbers = gathered(m, index, x);
    if (adds) add_to_each(numbers, before);
    const auto want = wanted(numbers, method);
    for (const auto& [sums, one_word] : {std::pair<std::size_t, std::int64_t>{1 << 30, 1 << 22},
                                         {std::size_t(1) << 30, 0},
                                         {999, 0}}) {
      const auto r = on_device(before);
      acc::backends::scatter_tuning tuning;
      tuning.sums = sums;
      tuning.one_word = one_word;
      acc::impl::sum_by_index(exec, "acc::sum_by_index", r, on_device(index), on_device(x), adds,
                              method, tuning);
      exec.fence();
      const auto got = to_host(r);
      for (std::size_t b = 0; b < m; ++b)
        ASSERT_EQ(bits(got[b]), want[b])
            << name(data) << ", " << n << " into " << m << ", " << b << ", words for " << one_word;
    }
  }
}

TYPED_TEST(SumByIndex, BinsHaveTheBitsOfTheSumOfEachIndex) {
  using T = TypeParam;
  for (const Data data : {Data::uniform, Data::wide, Data::all_exponents, Data::subnormal,
                          Data::near_overflow, Data::massive_cancellation})
    for (const auto& [n, m] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {20000, 1}, {3000, 7}, {3000, 300}, {0, 3}})
      for (const bool special : {false, true}) {
        check_bins<T>(data, n, m, special, acc::reproducible<2>{});
        check_bins<T>(data, n, m, special, acc::reproducible<3>{});
        check_bins<T>(data, n, m, special, acc::reproducible<5>{});
      }
}

/// One pattern of bits from 200 orders of the numbers.
template <class T, class Method>
void expect_any_order(const Method& method) {
  Random random(17);
  const std::size_t n = 2000, m = 9;
  auto x = elements<T>(Data::wide, n, 18);
  auto index = random_indexes(n, m, random);
  const auto want = wanted(gathered(m, index, x), method);
  const Kokkos::View<T*, Exec> r("r", m);
  for (int shuffle = 0; shuffle < 200; ++shuffle) {
    acc::sum_by_index(Exec{}, r, on_device(index), on_device(x), method);
    const auto got = to_host(r);
    for (std::size_t b = 0; b < m; ++b) ASSERT_EQ(bits(got[b]), want[b]) << shuffle;
    for (std::size_t i = n; i > 1; --i) {
      const std::size_t j = random.below(i);
      std::swap(x[i - 1], x[j]);
      std::swap(index[i - 1], index[j]);
    }
  }
}
TYPED_TEST(SumByIndex, DoesNotDependOnTheOrder) { expect_any_order<TypeParam>(acc::exact{}); }
TYPED_TEST(SumByIndex, BinsDoNotDependOnTheOrder) {
  expect_any_order<TypeParam>(acc::reproducible<2>{});
}

// Of every engine, numbers and rows: sums, and sums upon what was there before.
TYPED_TEST(SumByIndex, NoEngineDependsOnTheOrder) {
  using T = TypeParam;
  const Exec exec;
  Random random(22);
  const std::size_t n = 400, m = 9;
  for (const std::size_t width : {std::size_t(1), std::size_t(3)}) {
    auto x = elements<T>(Data::uniform, n * width, 23);
    auto index = random_indexes(n, m, random);
    const auto before = elements<T>(Data::uniform, m * width, 24);
    std::vector<std::string> want(m * width);
    for (std::size_t j = 0; j < width; ++j) {
      std::vector<T> column(n), was(m);
      for (std::size_t i = 0; i < n; ++i) column[i] = x[i * width + j];
      for (std::size_t b = 0; b < m; ++b) was[b] = before[b * width + j];
      auto numbers = gathered(m, index, column);
      add_to_each(numbers, was);
      const auto one = wanted(numbers);
      for (std::size_t b = 0; b < m; ++b) want[b * width + j] = one[b];
    }
    for (int shuffle = 0; shuffle < 200; ++shuffle) {
      const auto dx = on_device(x);
      const auto di = on_device(index);
      for (const Engine& engine : gpu_engines) {
        const auto r = on_device(before);
        if (width == 1) {
          acc::impl::sum_by_index(exec, "acc::sum_by_index", r, di, dx, true, acc::exact{},
                                  engine.tuning());
        } else {
          using Rows = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
          acc::impl::sum_by_index(exec, "acc::sum_by_index", Rows(r.data(), m, width), di,
                                  Rows(dx.data(), n, width), true, acc::exact{}, engine.tuning());
        }
        exec.fence();
        const auto got = to_host(r);
        for (std::size_t s = 0; s < got.size(); ++s)
          ASSERT_EQ(bits(got[s]), want[s]) << engine << ", " << width << ", " << shuffle;
      }
      for (std::size_t i = n; i > 1; --i) {
        const std::size_t k = random.below(i);
        for (std::size_t j = 0; j < width; ++j) std::swap(x[(i - 1) * width + j], x[k * width + j]);
        std::swap(index[i - 1], index[k]);
      }
    }
  }
}

/// Numbers of half precision, whose sums are floats; the oracle's by exact. On a GPU some of the
/// wide ones are infinite.
template <class Half>
void expect_sums_of_halves(Data data) {
  Random random(25);
  const std::size_t n = 3000, m = 11;
  std::vector<Half> x;
  std::vector<float> as_floats;
  for (const float f : elements<float>(data, n, 26)) {
    x.push_back(Half(f));
    as_floats.push_back(float(x.back()));
  }
  const auto index = random_indexes(n, m, random);
  const auto before = elements<float>(Data::wide, m, 27);
  const Kokkos::View<Half*, Exec> dx("x", n);
  const auto h = Kokkos::create_mirror_view(dx);
  std::copy(x.begin(), x.end(), h.data());
  Kokkos::deep_copy(dx, h);
  const auto check = [&](bool adds, const std::vector<std::string>& want, auto method) {
    const auto r = on_device(before);
    if (adds)
      acc::add_by_index(r, on_device(index), dx, method);
    else
      acc::sum_by_index(r, on_device(index), dx, method);
    Exec{}.fence();
    const auto got = to_host(r);
    for (std::size_t b = 0; b < m; ++b) ASSERT_EQ(bits(got[b]), want[b]) << name(data) << ", " << b;
  };
  for (const bool adds : {false, true}) {
    auto numbers = gathered(m, index, as_floats);
    if (adds) add_to_each(numbers, before);
    std::vector<std::string> want;
    for (const auto& one : numbers) {
      const float sum = round_to<float>(exact_sum<float>(one));
      want.push_back(bits(sum == sum ? sum : std::numeric_limits<float>::quiet_NaN()));
    }
    check(adds, want, acc::exact{});
    check(adds, wanted(numbers, acc::reproducible<3>{}), acc::reproducible<3>{});
  }
}
TEST(SumByIndexOfHalves, HasTheBitsOfTheSumOfEachIndex) {
  for (const Data data : {Data::uniform, Data::wide}) {
    expect_sums_of_halves<Kokkos::Experimental::half_t>(data);
    expect_sums_of_halves<Kokkos::Experimental::bhalf_t>(data);
  }
}

TYPED_TEST(SumByIndex, AddsRowsAndToWhatIsThere) {
  using T = TypeParam;
  Random random(9);
  const std::size_t n = 500, m = 20, width = 11;
  const auto values = elements<T>(Data::wide, n * width, 3);
  const auto index = random_indexes(n, m, random);
  const auto before = elements<T>(Data::wide, m * width, 4);
  const auto check = [&]<class X, class R>(X, Order x_order, R, Order r_order) {
    const Array<T, 2> x({n, width}, x_order, values);
    const auto call = [&](bool adds, const Engine* engine) {
      const Exec exec;
      const Array<T, 2> sums({m, width}, r_order, before);
      const auto r = as<R>(sums.view());
      if (engine != nullptr)
        acc::impl::sum_by_index(exec, "acc::sum_by_index", r, on_device(index), as<X>(x.view()),
                                adds, acc::exact{}, engine->tuning());
      else if (adds)
        acc::add_by_index(exec, r, on_device(index), as<X>(x.view()));
      else
        acc::sum_by_index(exec, r, on_device(index), as<X>(x.view()), acc::exact{});
      exec.fence();
      const std::vector<T> got = sums.elements();
      for (std::size_t j = 0; j < width; ++j) {
        std::vector<T> column(n);
        for (std::size_t i = 0; i < n; ++i) column[i] = values[i * width + j];
        auto numbers = gathered(m, index, column);
        for (std::size_t b = 0; adds && b < m; ++b) numbers[b].push_back(before[b * width + j]);
        const auto want = wanted(numbers);
        for (std::size_t b = 0; b < m; ++b)
          ASSERT_EQ(bits(got[b * width + j]), want[b]) << b << ", " << j;
      }
    };
    for (const bool adds : {true, false}) {
      call(adds, nullptr);
      for (const Engine& engine : gpu_engines) call(adds, &engine);
    }
  };
  using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;
  check(LayoutLeft(), Order::left, LayoutRight(), Order::right);
  check(LayoutRight(), Order::right, LayoutLeft(), Order::left);
  // With gaps between the numbers of a row, and between rows.
  check(LayoutStride(), Order::gaps, LayoutStride(), Order::gaps);
}

TEST(SumByIndexErrors, FindsThemBeforeAnythingIsWritten) {
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "nothing";
  };
  const Kokkos::View<double*, Exec> r("r", 5);
  Kokkos::deep_copy(r, 3.0);
  const auto x = on_device(std::vector<double>(8, 1.0));
  const auto call = [&](const std::vector<long>& index) {
    return message([&] { acc::sum_by_index(r, on_device(index), x); });
  };
  EXPECT_EQ(call({0, 1, 2, 3, 4, -1, 5, 9}),
            "acc::sum_by_index: index(6) is 5, but r has extent 5");
  EXPECT_EQ(
      call({0, 1, 2}),
      "acc::sum_by_index: index and x must have the same length, but index has extent 3 and x "
      "has extent 8");
  for (const double v : to_host(r)) EXPECT_EQ(v, 3.0);
  const Kokkos::View<double**, Exec> rows("x", 8, 2), sums("r", 5, 3);
  EXPECT_EQ(
      message([&] { acc::add_by_index(sums, on_device(std::vector<unsigned char>(8)), rows); }),
      "acc::add_by_index: r and x must have as many columns, but r is 5 x 3 and x is 8 x 2");
  EXPECT_EQ(message([&] {
              acc::sum_by_index(Kokkos::subview(x, std::pair(0, 5)), on_device(std::vector<int>(8)),
                                x);
            }),
            "acc::sum_by_index: r (5) and x (8) overlap between their first and last elements");
  const Kokkos::View<double**, Kokkos::LayoutStride, Exec> shared(r.data(),
                                                                  Kokkos::LayoutStride(2, 1, 2, 1));
  EXPECT_EQ(message([&] { acc::sum_by_index(shared, on_device(std::vector<int>(8)), rows); }),
            "acc::sum_by_index: two elements of r share a place: its strides are 1 and 1");
}

}  // namespace
}  // namespace acc_test
