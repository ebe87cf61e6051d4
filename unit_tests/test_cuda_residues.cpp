// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of exact products by residues on CUDA, on a host (host_team.hpp): ranges, plan,
// conversion and the way back, of all types, at the edges of teams, blocks and tiles. Between them,
// in place of the tensor cores, a loop multiplies the bytes where they lie.

#include "host_team.hpp"

#include <acc/backends/cuda/residue_gemm.hpp>
#include <acc/core/gemm/exact_entry.hpp>
#include <acc/core/gemm/problem.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

namespace cuda = acc::backends::cuda;
using family = acc::impl::byte_moduli;

const cuda::residue_tables tables = cuda::make_residue_tables();

/// What the kernels of a product leave to the next one.
struct Pipeline {
  std::vector<acc::impl::row_scale> rows, columns;
  cuda::residue_plan plan{};
};

/// How a product is cut.
struct Cuts {
  int more_moduli = 0;
  std::int64_t section = 65408;  ///< products of real numbers, a multiple of 128
  int k_parts = 1;
  bool y_is_rows = false;
};

/// The product p, but for what the moduli do not hold.
template <class Problem>
Pipeline multiply(Problem p, const Cuts& cuts) {
  using in = typename Problem::in;
  constexpr int parts = Problem::parts;
  const std::int64_t depth = parts * p.depth(), columns = parts * p.c.columns;
  Pipeline s;
  s.rows.resize(std::size_t(p.c.rows));
  s.columns.resize(std::size_t(p.c.columns));
  using ranges = cuda::residue_ranges_kernel<in>;
  const auto find_ranges = [](const auto& matrix, std::vector<cuda::merged_range>& found) {
    // What no kernel writes is not 0.
    found.assign(std::size_t(ranges::parts_for(matrix.rows, matrix.columns) * matrix.rows),
                 {~0u, ~0u});
    const ranges kernel(matrix, found.data());
    for (std::int64_t i = 0; i < kernel.teams(); ++i)
      run([&](const Team& team) { kernel.run(team, i); }, kernel.threads);
    return kernel.parts();
  };
  std::vector<cuda::merged_range> of_rows, of_columns;
  const int row_parts = find_ranges(p.a, of_rows);
  const int column_parts = find_ranges(p.b.transposed(), of_columns);

  cuda::residue_plan_kernel<Problem> plan(family::count, cuts.more_moduli);
  plan.rows = p.c.rows;
  plan.columns = p.c.columns;
  plan.row_ranges = of_rows.data();
  plan.column_ranges = of_columns.data();
  plan.row_parts = row_parts;
  plan.column_parts = column_parts;
  plan.row_scales = s.rows.data();
  plan.column_scales = s.columns.data();
  plan.plan = &s.plan;
  plan.depth_bits = acc::impl::depth_bits(depth);
  plan.bits = 0;
  if constexpr (acc::impl::cuts_numbers<typename Problem::method>) {
    plan.bits = p.bits;
    p.row_scales = s.rows.data();
    p.column_scales = s.columns.data();
  }
  run(plan, plan.threads);

  const auto up = [](std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; };
  const std::int64_t x_count = cuts.y_is_rows ? columns : p.c.rows;
  const std::int64_t y_count = cuts.y_is_rows ? p.c.rows : columns;
  const std::int64_t x_rows = up(x_count, 256), y_rows = up(y_count, 256);
  const std::int64_t section = std::min(cuts.section, up(depth, 128));
  // What no kernel writes is not 0.
  std::vector<std::uint8_t> x(std::size_t(family::count * x_rows * section), 0x55);
  std::vector<std::uint8_t> y(std::size_t(family::count * y_rows * section), 0xaa);
  const std::int64_t words = x_rows * y_rows / 4;
  const int moduli = s.plan.moduli;
  std::vector<std::uint32_t> residues(std::size_t(cuts.k_parts * moduli * words));
  const acc::impl::exact_operands<in> operands{p.a, p.b};
  for (std::int64_t k = 0; k < depth; k += section) {
    const std::int64_t end = std::min(k + section, depth);
    const auto convert = [&](const auto& kernel) {
      for (std::int64_t i = 0; i < kernel.teams(); ++i)
        run([&](const Team& team) { kernel.run(team, i); }, kernel.threads);
    };
    auto* const a_bytes = cuts.y_is_rows ? y.data() : x.data();
    auto* const b_bytes = cuts.y_is_rows ? x.data() : y.data();
    const std::int64_t a_rows = cuts.y_is_rows ? y_rows : x_rows;
    const std::int64_t b_rows = cuts.y_is_rows ? x_rows : y_rows;
    convert(cuda::residue_convert_kernel<Problem, false>{operands, s.rows.data(), &s.plan, &tables,
                                                         a_bytes, 0, p.c.rows, k, end,
                                                         a_rows * section, p.a.column_stride == 1});
    convert(cuda::residue_convert_kernel<Problem, true>{operands, s.columns.data(), &s.plan,
                                                        &tables, b_bytes, 0, columns, k, end,
                                                        b_rows * section, p.b.row_stride == 1});
    // The products, as residue_products.cpp makes them.
    const std::int64_t blocks = (end - k + 127) / 128;
    const std::int64_t of_part = (blocks + cuts.k_parts - 1) / cuts.k_parts;
    const auto byte = [&](const std::vector<std::uint8_t>& all, std::int64_t rows, int l,
                          std::int64_t row, std::int64_t kk) {
      const std::int64_t block = (row / 128 * blocks + kk / 128) * 128 * 128;
      const std::int64_t chunk = kk % 128 / 16 ^ (row % 8);
      return int(std::int8_t(
          all[std::size_t(l * rows * section + block + row % 128 * 128 + chunk * 16 + kk % 16)]));
    };
    for (int part = 0; part < cuts.k_parts; ++part)
      for (int l = 0; l < moduli; ++l)
        for (std::int64_t n = 0; n < 4 * words; ++n) {
          const std::int64_t tile = n / (128 * 256), e = n % 4, w = n % (128 * 256) / 4;
          const std::int64_t thread = w / 4 % 128, j = 4 * (w / 512 % 8) + w % 4;
          const std::int64_t row = tile / (y_rows / 256) * 128 + 64 * (w / 4096) +
                                   16 * (thread / 32) + thread % 32 / 4 + 8 * (e / 2);
          const std::int64_t column =
              tile % (y_rows / 256) * 256 + 8 * j + 2 * (thread % 4) + e % 2;
          if (row >= x_count || column >= y_count) continue;
          auto& word = residues[std::size_t((part * moduli + l) * words + n / 4)];
          std::int64_t sum = k > 0 ? word >> 8 * e & 255 : 0;
          for (std::int64_t kk = part * of_part * 128;
               kk < std::min((part + 1) * of_part, blocks) * 128; ++kk)
            sum += byte(x, x_rows, l, row, kk) * byte(y, y_rows, l, column, kk);
          // Rounded down, or one less where p divides a negative sum.
          const std::int64_t m = family::modulus(l), up_38 = ((std::int64_t(1) << 38) + m - 1) / m;
          const std::int64_t residue = sum - (sum * up_38 >> 38) * m;
          EXPECT_TRUE(residue >= 0 && residue < 256);
          word = (word & ~(255u << 8 * e)) | std::uint32_t(residue) << 8 * e;
        }
  }
  const auto finish = [&](const auto& kernel) {
    for (std::int64_t n = 0; n < words; ++n) kernel(n);
  };
  using out = typename Problem::out;
  const int x_tiles = int(x_rows / 128), y_tiles = int(y_rows / 256);
  if constexpr (std::is_same_v<out, float> || std::is_same_v<out, double>) {
    if (parts == 1 && p.scale.alpha[0] == 1 && !p.reads_c()) {
      finish(cuda::residue_finish_kernel<Problem, true, family::count>{
          p, s.rows.data(), s.columns.data(), &s.plan, &tables, residues.data(), x_tiles, y_tiles,
          0, p.c.rows, 0, columns, cuts.k_parts, cuts.y_is_rows});
      return s;
    }
  }
  finish(cuda::residue_finish_kernel<Problem, false, family::count>{
      p, s.rows.data(), s.columns.data(), &s.plan, &tables, residues.data(), x_tiles, y_tiles, 0,
      p.c.rows, 0, columns, cuts.k_parts, cuts.y_is_rows});
  return s;
}

enum class Numbers {
  uniform,
  wide,      ///< 2^-30 to 2^30
  integers,  ///< -3 to 3: sums that are zero
  zeros,     ///< most are zeros of both signs
  subnormal,
  infinite,  ///< a row, or column, has an infinity
  ones,      ///< all digits are 1: the largest sums that the plan allows for
  wider,     ///< 2^-70 to 2^50: more than the words of an integer hold
};

template <class R>
R number(Numbers kind, std::mt19937& random) {
  const auto integer = [&](int low, int high) {
    return std::uniform_int_distribution<>(low, high)(random);
  };
  const R u = static_cast<R>(std::uniform_real_distribution<>(-1, 1)(random));
  switch (kind) {
    case Numbers::wide:
      return std::ldexp(u, integer(-30, 30));
    case Numbers::integers:
      return static_cast<R>(integer(-3, 3));
    case Numbers::zeros:
      return integer(0, 3) != 0 ? R(0) : integer(0, 1) != 0 ? R(-0.0) : R(-1);
    case Numbers::subnormal:
      return std::ldexp(u, std::numeric_limits<R>::min_exponent - 3);
    case Numbers::ones:
      return std::ldexp(R(1), std::numeric_limits<R>::digits) - 1;
    case Numbers::wider:
      return std::ldexp(u, integer(-70, 50));
    default:
      return u;
  }
}

/// A matrix by columns or by rows, with a row or column more in memory.
template <class T>
struct Matrix {
  std::vector<T> numbers;
  acc::impl::matrix_data<T> data;

  Matrix(std::int64_t rows, std::int64_t columns, bool by_columns)
      : numbers(std::size_t((rows + 1) * (columns + 1))),
        data{numbers.data(), rows, columns, by_columns ? 1 : columns + 1,
             by_columns ? rows + 1 : 1} {}
  void fill(Numbers kind, std::mt19937& random) {
    using R = std::conditional_t<acc::impl::is_half_scalar<T>, float, real_t<T>>;
    for (T& x : numbers) {
      if constexpr (is_complex<T>) {
        const R re = number<R>(kind, random);
        x = T(re, number<R>(kind, random));
      } else {
        x = T(number<R>(kind, random));
      }
    }
  }
  acc::impl::matrix_data<const T> as_const(bool conjugate = false) const {
    return {data.data, data.rows, data.columns, data.row_stride, data.column_stride, 0, conjugate};
  }
};

struct Shape {
  std::int64_t m, n, k;
  bool a_by_columns, b_by_columns, c_by_columns;
  double alpha = 1, beta = 0;
};

template <class In, class Out, class Method = acc::exact>
void expect_sums_rounded_once(const Shape& s, Numbers kind_a, Numbers kind_b, const Cuts& cuts,
                              const Method& method = {}) {
  using Problem = acc::impl::gemm_problem<Method, In, Out>;
  static std::mt19937 random(11);
  Matrix<In> a(s.m, s.k, s.a_by_columns), b(s.k, s.n, s.b_by_columns);
  a.fill(kind_a, random);
  b.fill(kind_b, random);
  if (kind_a == Numbers::infinite) a.data(s.m / 2, 0) = In(INFINITY);
  if (kind_b == Numbers::infinite) b.data(0, s.n / 2) = In(NAN);
  Matrix<Out> got(s.m, s.n, s.c_by_columns);
  if constexpr (!acc::impl::is_entry_accumulator<Out>) {
    got.fill(Numbers::uniform, random);
  } else {
    for (Out& x : got.numbers) x.add(In(0.75));
  }
  Matrix<Out> want = got;
  want.data.data = want.numbers.data();
  Problem p;
  p.a = a.as_const(is_complex<In> && s.m % 2 == 1);
  p.b = b.as_const(is_complex<In> && s.n % 2 == 1);
  p.c = got.data;
  p.batches = 1;
  p.strip = 0;
  if constexpr (acc::impl::cuts_numbers<Method>) p.bits = method.bits;
  const bool turns = is_complex<In> && s.beta != 0;
  p.scale = {{s.alpha, turns ? 0.5 : 0}, {s.beta, turns ? -2.0 : 0}};
  const Pipeline pipeline = multiply(p, cuts);

  Problem q = p;
  q.c = want.data;
  if constexpr (acc::impl::cuts_numbers<Method>) {
    q.row_scales = pipeline.rows.data();
    q.column_scales = pipeline.columns.data();
  }
  int fitting = 0;
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j) {
      if (!pipeline.rows[std::size_t(i)].finite() || !pipeline.columns[std::size_t(j)].finite())
        continue;
      ++fitting;
      acc::impl::exact_sum<In> sum;
      sum.add(acc::impl::operands_of(q).of_entry(i, j), i, j, 0, Problem::parts * s.k);
      acc::impl::write_exact_entry(q, i, j, sum);
    }
  const auto differ = [&](std::int64_t i, std::int64_t j) {
    if constexpr (acc::impl::is_entry_accumulator<Out>) {
      const auto x = got.data(i, j).value(), y = want.data(i, j).value();
      return std::memcmp(&x, &y, sizeof(x)) != 0;
    } else {
      return std::memcmp(&got.data(i, j), &want.data(i, j), sizeof(Out)) != 0;
    }
  };
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j)
      ASSERT_FALSE(differ(i, j)) << "entry " << i << ", " << j << " of " << s.m << " x " << s.n
                                 << " x " << s.k << ", numbers " << int(kind_a) << ", "
                                 << int(kind_b) << ", alpha " << s.alpha;
  const bool others = kind_a == Numbers::infinite || kind_b == Numbers::infinite;
  if (kind_a == Numbers::wider) return;  // it depends on what they span
  EXPECT_EQ(pipeline.plan.others != 0, others);
  EXPECT_EQ(fitting == s.m * s.n, !others);
}

constexpr Numbers all_numbers[] = {Numbers::uniform, Numbers::wide,      Numbers::integers,
                                   Numbers::zeros,   Numbers::subnormal, Numbers::infinite};

/// All layouts, and numbers.
template <class In, class Out>
void expect_all() {
  int n = 0;
  for (const Numbers kind : all_numbers) {
    const bool odd = ++n % 2 == 1;
    const Numbers other = all_numbers[std::size_t(n) % 5];
    const bool y_is_rows = acc::impl::components_of<In> == 1 && odd;
    expect_sums_rounded_once<In, Out>({37, 18, 133, odd, !odd, y_is_rows}, kind, other,
                                      {.more_moduli = n % 3, .y_is_rows = y_is_rows});
    expect_sums_rounded_once<In, Out>({6, 33, 70, !odd, odd, !odd, -0.75, 1.5}, other, kind,
                                      {.y_is_rows = y_is_rows});
  }
}

TEST(CudaResidues, SumsOfFloatsAreRoundedOnce) { expect_all<float, float>(); }
TEST(CudaResidues, SumsOfDoublesAreRoundedOnce) { expect_all<double, double>(); }
TEST(CudaResidues, ComplexSumsAreRoundedOnce) {
  expect_all<Kokkos::complex<float>, Kokkos::complex<float>>();
  expect_all<Kokkos::complex<double>, Kokkos::complex<double>>();
}
TEST(CudaResidues, SumsOfHalvesAreRoundedOnce) {
  using Half = Kokkos::Experimental::half_t;
  expect_sums_rounded_once<Half, float>({9, 20, 140, true, true, true}, Numbers::uniform,
                                        Numbers::integers, {.y_is_rows = true});
  expect_sums_rounded_once<Half, Half>({9, 20, 140, false, true, false, 2, 1}, Numbers::integers,
                                       Numbers::uniform, {});
}
TEST(CudaResidues, SumsMayHaveAnotherType) {
  expect_sums_rounded_once<double, float>({9, 20, 140, true, true, true}, Numbers::uniform,
                                          Numbers::wide, {.y_is_rows = true});
  expect_sums_rounded_once<float, double>({9, 20, 140, false, true, false, -0.5, 1},
                                          Numbers::uniform, Numbers::zeros, {});
}
TEST(CudaResidues, SumsMayStayUnrounded) {
  expect_sums_rounded_once<float, acc::superaccumulator<float>>(
      {9, 20, 140, true, true, true}, Numbers::uniform, Numbers::wide, {.y_is_rows = true});
  expect_sums_rounded_once<Kokkos::complex<double>, acc::superaccumulator<Kokkos::complex<double>>>(
      {9, 5, 60, true, true, false}, Numbers::uniform, Numbers::integers, {});
}

TEST(CudaResidues, CutNumbers) {
  for (const int bits : {8, 31, 53, 64})
    for (const Numbers kind : all_numbers) {
      expect_sums_rounded_once<double, double>({7, 20, 40, true, false, true}, kind, Numbers::wide,
                                               {.y_is_rows = true}, acc::fixed_point{bits});
      expect_sums_rounded_once<float, float>({7, 20, 40, true, false, true, 3}, Numbers::wide, kind,
                                             {}, acc::fixed_point{bits});
    }
}

/// Around the sizes of teams, blocks and tiles; sections of k that add up, and parts.
TEST(CudaResidues, HaveTheirBitsAtEveryEdge) {
  for (const std::int64_t n : {1, 31, 33, 127, 129})
    expect_sums_rounded_once<double, double>({n, 130 - n, 3, n % 4 == 1, true, true},
                                             Numbers::uniform, Numbers::uniform,
                                             {.y_is_rows = n % 4 == 1});
  expect_sums_rounded_once<float, float>({258, 3, 5, true, true, true}, Numbers::uniform,
                                         Numbers::zeros, {.y_is_rows = true});
  expect_sums_rounded_once<float, float>({3, 258, 5, true, true, false}, Numbers::uniform,
                                         Numbers::zeros, {});
  for (const std::int64_t k : {1, 15, 17, 127, 128, 129, 600}) {
    expect_sums_rounded_once<double, double>({5, 6, k, true, true, true}, Numbers::uniform,
                                             Numbers::uniform, {.section = 256});
    expect_sums_rounded_once<double, double>({5, 6, k, false, false, true}, Numbers::uniform,
                                             Numbers::uniform, {.k_parts = k > 512 ? 3 : 1});
    expect_sums_rounded_once<double, double>({5, 6, k, false, true, true}, Numbers::uniform,
                                             Numbers::uniform, {.section = 256, .k_parts = 2});
  }
}

TEST(CudaResidues, HoldTheLargestSums) {
  for (const std::int64_t k : {4, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256}) {
    expect_sums_rounded_once<float, float>({2, 3, k, true, true, true}, Numbers::ones,
                                           Numbers::ones, {});
    expect_sums_rounded_once<double, double>({2, 3, k, true, true, true}, Numbers::ones,
                                             Numbers::ones, {});
  }
  for (int n = 0; n < 20; ++n)
    expect_sums_rounded_once<double, double>({4, 3, 40, true, true, true}, Numbers::wider,
                                             Numbers::zeros, {});
}

TEST(CudaResidues, FitIntoMemory) {
  const std::int64_t counts[] = {1, 300, 2048, 5000, 1 << 17, 1 << 21, 1 << 26};
  for (const double bytes : {1e6, 4e8, 1e9})
    for (const std::int64_t x : counts)
      for (const std::int64_t y : counts)
        for (const std::int64_t depth : {1, 128, 1000, 20000, 1000000}) {
          const cuda::residue_cut cut(x, y, depth, bytes);
          const std::int64_t all = cut.bytes();
          EXPECT_TRUE(cut.x % 256 == 0 && cut.y % 256 == 0 && cut.section % 128 == 0);
          EXPECT_LE(static_cast<double>(all),
                    bytes + static_cast<double>(2048 * (2 * cut.section + 2048)))
              << x << " x " << y << ", " << depth << " products, " << bytes << " bytes";
        }
}

}  // namespace
}  // namespace acc_test
