// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles of the CUDA machine's GEMM, on a host (host_team.hpp): every way in which panels reach
// them, at the edges of tiles, stages, strips and sections.

#include "host_team.hpp"
#include "reference_gemm.hpp"

#include <acc/backends/cuda/gemm/half_precision_gemm.hpp>
#include <acc/backends/cuda/gemm.hpp>
#include <acc/backends/gemm_kernel.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace acc_test {
namespace {

template <class Tiles>
void run_tiles(Tiles tiles) {
  static_assert(Tiles::scratch_bytes <= host_scratch_bytes);
  late_copies = !late_copies;
  std::vector<double> workspace(tiles.bytes() / sizeof(double) + 2);
  std::vector<typename decltype(tiles.divided)::sum> sums(
      tiles.divided.bytes() / sizeof(typename decltype(tiles.divided)::sum));
  tiles.divided.memory = sums.data();
  void* aligned = workspace.data();
  if (reinterpret_cast<std::uintptr_t>(aligned) % 16 != 0) aligned = workspace.data() + 1;
  tiles.use(aligned);
  tiles.pack([](const auto& kernel) { run(kernel, kernel.threads); });
  run(acc::backends::gemm_kernel<typename Tiles::in_kernel>{tiles}, Tiles::layout::threads);
  using Problem = typename Tiles::problem_type;
  const acc::backends::add_sections_kernel<Problem> add{tiles.problem, tiles.divided};
  for (std::int64_t e = 0; e < tiles.divided.entries; ++e) add(e);
}

/// A matrix by columns or by rows, `offset` into a larger one. With offset 0 every column, or row,
/// begins at a multiple of 16 bytes.
template <class T>
struct Matrix {
  std::vector<T> numbers;
  acc::impl::matrix_data<T> data;

  Matrix(std::int64_t rows, std::int64_t columns, bool by_columns, std::int64_t offset) {
    static std::mt19937 random(7);
    std::int64_t lead = (by_columns ? rows : columns) + offset;
    if (offset == 0) lead = (lead + 3) / 4 * 4;
    numbers.resize(static_cast<std::size_t>(lead * (by_columns ? columns : rows) + offset + 8));
    for (T& x : numbers) x = normal_number<T>(random);
    T* first = numbers.data();
    while (reinterpret_cast<std::uintptr_t>(first) % 16 != 0) ++first;
    data = {first + offset, rows, columns, by_columns ? 1 : lead, by_columns ? lead : 1};
  }
};

template <class T>
struct Operands {
  std::int64_t m, n, k;
  bool a_columns, b_columns, c_columns;
  std::int64_t offset;
  bool conjugate_a = false, conjugate_b = false;
};

/// with(p, run) runs the problem p in tiles. infinite: two adjacent rows of A have an infinity.
template <class T, class Method, class With>
void expect_bits(const Method& method, const Operands<T>& o, const With& with,
                 bool infinite = false) {
  using Problem = acc::impl::gemm_problem<Method, T, T>;
  using Real = typename Problem::real;
  Matrix<T> a(o.m, o.k, o.a_columns, o.offset);
  const Matrix<T> b(o.k, o.n, o.b_columns, o.offset);
  if (infinite)
    for (const std::int64_t i : {4, 5}) a.data(i, 1) = std::numeric_limits<real_t<T>>::infinity();
  Matrix<T> c(o.m, o.n, o.c_columns, o.offset);
  const std::vector<T> before = c.numbers;
  Problem p;
  const auto as_const = [](const acc::impl::matrix_data<T>& x, bool conjugate) {
    return acc::impl::matrix_data<const T>{x.data,          x.rows, x.columns, x.row_stride,
                                           x.column_stride, 0,      conjugate};
  };
  p.a = as_const(a.data, o.conjugate_a);
  p.b = as_const(b.data, o.conjugate_b);
  p.c = c.data;
  p.batches = 1;
  p.strip = acc::impl::strip_of(method);
  const T alpha = scalar<T>(1.25, 0.5), beta = scalar<T>(-0.75, 2);
  constexpr bool complex = is_complex<T>;
  p.scale = {{Real(1.25), Real(complex ? 0.5 : 0)}, {Real(-0.75), Real(complex ? 2 : 0)}};
  with(p, [](const auto& tiles) { run_tiles(tiles); });

  std::vector<T> want = before;
  for (std::int64_t i = 0; i < o.m; ++i) {
    for (std::int64_t j = 0; j < o.n; ++j) {
      std::vector<T> row, column;
      for (std::int64_t l = 0; l < o.k; ++l) {
        row.push_back(conjugated_if(o.conjugate_a, a.data(i, l)));
        column.push_back(conjugated_if(o.conjugate_b, b.data(l, j)));
      }
      T& entry = want[static_cast<std::size_t>(&c.data(i, j) - c.numbers.data())];
      entry = reference::gemm_entry(method, alpha, row, column, beta, entry);
    }
  }
  EXPECT_EQ(std::memcmp(want.data(), c.numbers.data(), want.size() * sizeof(T)), 0)
      << o.m << " x " << o.n << " x " << o.k << ", by columns: " << o.a_columns << o.b_columns
      << o.c_columns << ", offset " << o.offset << ", conjugate " << o.conjugate_a << o.conjugate_b;
}

/// Several sections of k, by one team or divided, where a strip ends with a section and where not.
template <class T, class Method>
void expect_sections(const Method& method) {
  using acc::backends::cuda::tuning::unpacked;
  using Problem = acc::impl::gemm_problem<Method, T, T>;
  using Tile = typename acc::backends::cuda::tiles_for<Problem, HostOps>::large;
  for (const bool divides : {false, true}) {
    const auto with = [&](const auto& p, const auto& f) {
      acc::backends::cuda::with_panels<Tile, unpacked::none>(p, 1, divides, f);
    };
    expect_bits<T>(method, {3, 5, 2 * acc::gemm_section + 5, true, false, true, 0}, with);
  }
}

/// One tile and parts of one, one row or column more and less; every layout; aligned or not.
template <class Tile, class T, class Method>
void expect_bits_of(const Method& method) {
  constexpr int rows = Tile::layout::tile_m, columns = Tile::layout::tile_n;
  const auto with = [](const auto& p, const auto& f) {
    using acc::backends::cuda::tuning::unpacked;
    using Tiles = acc::backends::cuda::tiles_for<std::decay_t<decltype(p)>, HostOps>;
    if constexpr (Tiles::narrow_has_vectors && std::is_same_v<Tile, typename Tiles::narrow>)
      acc::backends::cuda::with_vectors<Tile>(p, 1, false, f);
    else
      acc::backends::cuda::with_panels<Tile, (std::is_same_v<Tile, typename Tiles::large>
                                                  ? Tiles::unpacks_large
                                                  : Tiles::unpacks_medium)
                                                 ? unpacked::b_or_both
                                                 : unpacked::none>(p, 1, false, f);
  };
  const auto expect = [&](const Operands<T>& o) { expect_bits(method, o, with); };
  constexpr bool complex = is_complex<T>;
  expect({rows, columns, 32, true, false, true, 0});
  expect({rows + 1, 65, 17, true, false, false, 0, complex, false});
  expect({63, columns - 1, 15, false, true, true, 4, false, complex});
  expect({3, columns + 6, 50, false, false, true, 1});
  expect({70, 5, 3, true, true, false, 1});
  expect({5, 6, 0, true, false, true, 0});
  expect_bits(method, Operands<T>{rows, 11, 5, true, false, true, 0}, with, true);
  expect_bits(method, Operands<T>{13, columns, 9, false, true, false, 0}, with, true);
  // Panels that are contiguous in k, also where k ends within 16 bytes.
  expect({rows - 3, columns + 2, 37, true, true, true, 0});
  expect({rows, 9, 23, false, true, true, 0, complex, complex});
  expect({5, columns - 5, 19, false, false, true, 0});
}
template <class T, class Method>
void expect_bits_everywhere(const Method& method) {
  using Problem = acc::impl::gemm_problem<Method, T, T>;
  using Tiles = acc::backends::cuda::tiles_for<Problem, HostOps>;
  expect_bits_of<typename Tiles::large, T>(method);
  expect_bits_of<typename Tiles::medium, T>(method);
  expect_bits_of<typename Tiles::small, T>(method);
  // Those for few entries differ from these in their shapes alone, except narrow ones.
  constexpr bool is_default = std::is_same_v<Method, acc::selective<acc::seeded>>;
  if constexpr (is_default && !std::is_same_v<typename Tiles::few, typename Tiles::small>) {
    expect_bits_of<typename Tiles::few, T>(method);
    expect_bits_of<typename Tiles::fewest, T>(method);
    expect_bits_of<typename Tiles::narrow, T>(method);
  }
}
using complex_float = Kokkos::complex<float>;
using complex_double = Kokkos::complex<double>;

TEST(CudaTiles, OfFloatsHaveTheBits) {
  expect_bits_everywhere<float>(acc::plain{});
  expect_bits_everywhere<float>(acc::blocked{7});
  expect_bits_everywhere<float>(acc::selective<acc::kahan>{16});
  expect_bits_everywhere<float>(acc::selective<acc::priest>{1});
  expect_bits_everywhere<float>(acc::selective<acc::seeded>{18});
}

TEST(CudaTiles, OfComplexFloatsHaveTheBits) {
  expect_bits_everywhere<complex_float>(acc::plain{});
  expect_bits_everywhere<complex_float>(acc::selective<acc::priest>{5});
  expect_bits_everywhere<complex_float>(acc::selective<acc::seeded>{9});
}

TEST(CudaTiles, CompensatedHaveTheBits) {
  expect_bits_everywhere<float>(acc::compensated{});
  expect_bits_everywhere<double>(acc::compensated{});
  expect_bits_everywhere<complex_float>(acc::compensated{});
  expect_bits_everywhere<complex_double>(acc::compensated{});
}

TEST(CudaTiles, OfTheTensorCoresHaveTheBits) {
  expect_bits_everywhere<float>(acc::widened{});
  expect_bits_everywhere<double>(acc::plain{});
  expect_bits_everywhere<double>(acc::blocked{7});
  expect_bits_everywhere<double>(acc::selective<acc::priest>{5});
  expect_bits_everywhere<double>(acc::selective<acc::seeded>{16});
}

TEST(CudaTiles, OfComplexNumbersInTheTensorCoresHaveTheBits) {
  expect_bits_everywhere<complex_float>(acc::widened{});
  expect_bits_everywhere<complex_double>(acc::plain{});
  expect_bits_everywhere<complex_double>(acc::selective<acc::kahan>{5});
  expect_bits_everywhere<complex_double>(acc::selective<acc::seeded>{8});
}

TEST(CudaTiles, OfSeveralSectionsHaveTheBits) {
  expect_sections<float>(acc::selective<acc::seeded>{256});
  expect_sections<float>(acc::selective<acc::kahan>{100});
  expect_sections<double>(acc::plain{});
  expect_sections<double>(acc::selective<acc::seeded>{256});
  expect_sections<complex_double>(acc::plain{});
}

/// Products whose k is divided, or whose rows are few, as the machine chooses their tiles: panels
/// along m and n, along k, or neither.
TEST(CudaTiles, OfFewEntriesHaveTheBits) {
  const auto with = [](const auto& p, const auto& f) {
    acc::backends::cuda::with_cuda_tiles<true, HostOps>(
        p, acc::backends::cuda::gpu{8, host_scratch_bytes}, f);
  };
  const acc::selective<acc::seeded> method{256};
  constexpr std::int64_t k = acc::gemm_section + 5;
  for (const bool a_columns : {false, true}) {
    expect_bits<float>(method, {36, 40, k, a_columns, true, true, 0}, with);
    expect_bits<float>(method, {12, 60, 130, a_columns, true, true, 0}, with);
    expect_bits<float>(method, {12, 60, 130, true, a_columns, true, 1}, with);
  }
  // By few, and where that would have too many entries beyond C's edges.
  expect_bits<float>(method, {126, 120, 2 * k, true, true, true, 0}, with);
  expect_bits<float>(method, {68, 66, 2 * k, true, true, true, 0}, with);
}

/// Half precision is converted to float in this way.
TEST(CudaTiles, OfConvertedNumbersHaveTheBits) {
  const auto with = [](const auto& p, const auto& f) {
    acc::backends::cuda::with_converted_tiles<double, HostOps>(
        p, acc::backends::cuda::gpu{2, 40944}, f);
  };
  const auto expect = [&](const Operands<float>& o) { expect_bits(acc::widened{}, o, with); };
  expect({40, 30, 17, true, false, true, 0});
  expect({133, 70, 17, false, true, false, 1});
  expect({1, 70, 5, false, true, true, 0});
  expect({5, 6, 0, true, false, true, 0});
}

}  // namespace
}  // namespace acc_test
