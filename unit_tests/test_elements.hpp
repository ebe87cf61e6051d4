// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element-wise kernels of GPUs (backends/generic/elements.hpp) on every execution space: the
// same bits as the functions' own kernels, for every rule, lay and alignment; each element once.
#pragma once

#include "arrays.hpp"
#include "hard_numbers.hpp"
#include "views.hpp"

#include <acc/acc.hpp>
#include <acc/backends/generic/elements.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace acc_test {
namespace {

/// How arrays of one shape lie: distances of neighbors in a column and in a row.
struct Lay {
  std::int64_t rows, columns, row_stride, column_stride;
};
/// Contiguous, padded, with gaps, one row.
constexpr Lay some_lays[] = {{1003, 1, 1, 1003}, {5, 7, 1, 5},  {4, 6, 1, 9},
                             {37, 1, 2, 74},     {1, 37, 1, 1}, {6, 5, 5, 1}};

template <class T>
class Elements : public testing::Test {};
using ElementsTypes =
    testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Elements, ElementsTypes);

TYPED_TEST(Elements, GenericKernelsHaveTheSameBits) {
  using T = TypeParam;
  using R = real_t<T>;
  using acc::impl::column_coefficient, acc::impl::matrix_data;
  const Exec exec;
  for (const Lay& lay : some_lays) {
    const std::size_t size =
        std::size_t(lay.rows * lay.row_stride + lay.columns * lay.column_stride) + 16;
    const auto x = numbers_of_all_kinds<T>(size, 1), y = numbers_of_all_kinds<T>(size, 2),
               z = elements<T>(Data::uniform, size, 3);
    const auto scalars = on_device(elements<T>(Data::uniform, std::size_t(lay.columns), 4));
    const auto reals = on_device(elements<R>(Data::uniform, std::size_t(lay.columns), 5));
    const std::vector<R> norms(size, R(-5));
    // moved: the array that begins in the middle of a vector; 3: none.
    for (int moved = 0; moved < 4; ++moved) {
      /// make(x, y, z, norms) is a rule.
      const auto expect_same = [&](const std::string& what, const auto& make) {
        std::vector<std::string> results[2];
        for (const bool generic : {false, true}) {
          const auto dx = on_device(x), dy = on_device(y), dz = on_device(z);
          const auto dn = on_device(norms);
          const auto matrix = [&]<class S>(S* data, int which) {
            return matrix_data<S>{data + (which == moved ? 1 : 0), lay.rows, lay.columns,
                                  lay.row_stride, lay.column_stride};
          };
          const auto rule = make(matrix(dx.data(), 0), matrix(dy.data(), 1), matrix(dz.data(), 2),
                                 matrix(dn.data(), 0));
          if (generic)
            acc::backends::generic::elements(exec, "acc::test", rule, lay.rows, lay.columns);
          else
            acc::backends::machine_of<Exec>::elements(exec, "acc::test", rule, lay.rows,
                                                      lay.columns);
          auto& all = results[generic];
          for (const auto& v : {dx, dy, dz})
            for (const T& e : to_host(v)) all.push_back(bits(e));
          for (const R e : to_host(dn)) all.push_back(bits(e));
        }
        ASSERT_EQ(results[0], results[1])
            << what << ", " << lay.rows << " x " << lay.columns << ", strides " << lay.row_stride
            << ", " << lay.column_stride << ", moved " << moved;
      };
      const auto read = []<class S>(const matrix_data<S>& m) {
        return matrix_data<const S>{m.data, m.rows, m.columns, m.row_stride, m.column_stride};
      };
      const auto number = [](auto a) {
        return column_coefficient<decltype(a)>{a, {nullptr, 0, 0, 0, 0}};
      };
      const auto by_column = [&]<class S>(const Kokkos::View<S*, Exec>& v) {
        return column_coefficient<S>{S(0), {v.data(), 1, lay.columns, 0, 1}};
      };
      for (const T a : {T(R(0.7)), T(R(0))}) {
        for (const T b : {T(R(-1.3)), T(R(0))}) {
          expect_same("z = a x + b y", [&](auto mx, auto my, auto mz, auto) {
            return acc::impl::linear_combination<T, 2>{
                mz, {read(mx), read(my)}, {number(a), number(b)}};
          });
          expect_same("x = a x + b y + c z", [&](auto mx, auto my, auto mz, auto) {
            return acc::impl::linear_combination<T, 3>{
                mx, {read(mx), read(my), read(mz)}, {number(a), number(b), by_column(scalars)}};
          });
          expect_same("y = a y + b x z", [&](auto mx, auto my, auto mz, auto) {
            return acc::impl::multiply<T>{my, read(mx), read(mz), a, b};
          });
        }
      }
      expect_same("y = a x", [&](auto mx, auto my, auto, auto) {
        return acc::impl::linear_combination<T, 1>{my, {read(mx)}, {number(T(R(0.7)))}};
      });
      expect_same("y = a x by columns", [&](auto mx, auto my, auto, auto) {
        return acc::impl::linear_combination<T, 1>{my, {read(mx)}, {by_column(scalars)}};
      });
      expect_same("moduli", [&](auto mx, auto, auto, auto norm) {
        return acc::impl::transform<acc::impl::absolute, R, T>{norm, read(mx)};
      });
      expect_same("reciprocals", [&](auto mx, auto my, auto, auto) {
        return acc::impl::transform<acc::impl::inverse, T, T>{my, read(mx)};
      });
      expect_same("a number",
                  [&](auto mx, auto, auto, auto) { return acc::impl::assign<T>{mx, T(R(0.7))}; });
      expect_same("exchange",
                  [&](auto mx, auto my, auto, auto) { return acc::impl::exchange<T>{mx, my}; });
      expect_same("rotation", [&](auto mx, auto my, auto, auto) {
        return acc::impl::rotate<T>{mx, my, number(R(0.6)), number(T(R(0.8)))};
      });
      expect_same("rotation by columns", [&](auto mx, auto my, auto, auto) {
        return acc::impl::rotate<T>{mx, my, by_column(reals), by_column(scalars)};
      });
    }
  }
}

/// Adds 1 to each element.
struct CountVisits {
  using number = int;
  using result = int;
  static constexpr int reads = 1, writes = 1;

  acc::impl::matrix_data<int> visits;
  bool uniform;

  template <class F>
  KOKKOS_FUNCTION void each_read(std::int64_t, std::int64_t, const F& f) const {
    f(0, visits);
  }
  KOKKOS_FUNCTION int value(std::int64_t, std::int64_t, const int* x) const { return x[0] + 1; }
  template <class F>
  KOKKOS_FUNCTION void each_written(int x, const F& f) const {
    f(0, visits, x);
  }
  template <class F>
  void each_array(const F& f) {
    f(visits);
  }
  bool is_uniform() const { return uniform; }
};

/// The kernels of GPUs, on this execution space: contiguous columns (one column of all), padded
/// ones, and arrays that begin in the middle of a vector.
TEST(GenericElements, ReachEachOnce) {
  for (const std::int64_t rows : {1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 255, 1000, 4099})
    for (const std::int64_t columns : {1, 3, 33})
      for (const std::int64_t padding : {0, 3})
        for (const std::int64_t begin : {0, 1, 2, 3})
          for (const bool uniform : {false, true}) {
            const std::int64_t pitch = rows + padding;
            std::vector<int> numbers(std::size_t(begin + pitch * columns + 8), -1);
            std::vector<int> expected = numbers;
            for (std::int64_t j = 0; j < columns; ++j)
              for (std::int64_t i = 0; i < rows; ++i) {
                numbers[std::size_t(begin + i + j * pitch)] = int(16 * (i + j * pitch));
                expected[std::size_t(begin + i + j * pitch)] = int(16 * (i + j * pitch) + 1);
              }
            const auto visits = on_device(numbers);
            acc::backends::generic::elements(
                Exec{}, "acc::test",
                CountVisits{{visits.data() + begin, rows, columns, 1, pitch}, uniform}, rows,
                columns);
            ASSERT_EQ(to_host(visits), expected)
                << rows << " x " << columns << ", " << padding << ", " << begin;
          }
}

}  // namespace
}  // namespace acc_test
