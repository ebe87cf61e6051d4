// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of exact products by residues on CUDA, on a host (host_team.hpp): ranges, plan,
// conversion and the way back, of all types, at the edges of teams, blocks and tiles. Between them,
// in place of the tensor cores, a loop multiplies the bytes where they lie.

#include "host_team.hpp"

#include <acc/backends/cuda/residue_gemm.hpp>
#include <acc/core/exact/complex_residues.hpp>
#include <acc/core/gemm/exact_entry.hpp>
#include <acc/core/gemm/problem.hpp>

#include <gtest/gtest.h>

#include <algorithm>
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

/// What the kernels of a product leave to the next one: of rows and of columns.
struct Pipeline {
  struct Side {
    std::vector<acc::impl::row_scale> scales;
    std::vector<std::int32_t> sizes, places, rows, group_sizes;
    std::vector<std::uint8_t> group_moduli;
    cuda::residue_rows data;

    /// In memory that is not 0 before.
    void make(std::int64_t count, std::int64_t block) {
      data.count = count;
      data.block = block;
      const auto n = static_cast<std::size_t>(count);
      const auto groups = static_cast<std::size_t>(data.groups());
      const auto take = [](auto& all, std::size_t size, auto*& to) {
        all.assign(size, {});
        std::memset(static_cast<void*>(all.data()), 0x55, size * sizeof(all[0]));
        to = all.data();
      };
      take(scales, n, data.scales);
      take(sizes, n, data.sizes);
      take(places, n, data.places);
      take(rows, n, data.rows);
      take(group_sizes, groups, data.group_sizes);
      take(group_moduli, groups, data.group_moduli);
    }
  };
  Side side[2];
  cuda::residue_plan plan{};
  int items = 0, most_items = 0;  ///< of all blocks; if all squares had as many as one of them
};

/// How a product is cut.
struct Cuts {
  int more_moduli = 0;
  std::int64_t section = 65408;  ///< products, a multiple of 128
  int k_parts = 1;
  bool y_is_rows = false;
  std::int64_t block = 1 << 20;  ///< of C, in rows of X and of Y, a multiple of 256
  bool narrow = false;           ///< by the kernel for few rows of Y, if they are few
  bool has_two_buffers = true;
  std::int64_t blocks_of_sum = 2048;
  int teams = 0;  ///< of a strip, if not 0: few moduli need one
  std::int64_t few_rows = 0;
  /// A number of A (0) or B (1) that becomes negative: of a row of A, or a column of B.
  int negative_of = -1;
  std::int64_t negative_row = 0, negative_k = 0;
};

/// byte_products, by each thread for itself.
struct HostBytes {
  struct Rows {
    const std::uint8_t* bytes;
    int first;
    int at(int row, int k) const {
      return std::int8_t(bytes[cuda::residue_strip::place(first + row, k)]);
    }
  };
  using x_rows = Rows;
  using y_rows = Rows;
  static Rows load_x(const std::uint8_t* rows, int) { return {rows, 0}; }
  static void load_y(Rows (&y)[2], const std::uint8_t* rows, int) {
    y[0] = {rows, 0};
    y[1] = {rows, 8};
  }
  static void multiply(std::int32_t (&sum)[4], const Rows& x, const Rows& y, int lane_id) {
    for (int e = 0; e < 4; ++e)
      for (int k = 0; k < 32; ++k)
        sum[e] += x.at(lane_id / 4 + 8 * (e / 2), k) * y.at(2 * (lane_id % 4) + e % 2, k);
  }
};

/// Each row has a place of its own, in its block of C.
void expect_places(const Pipeline::Side& side) {
  const cuda::residue_rows& r = side.data;
  for (std::int64_t i = 0; i < r.count; ++i) {
    const std::int64_t place = r.places[i];
    ASSERT_TRUE(place >= 0 && place < r.count);
    ASSERT_EQ(place / r.block, i / r.block);
    ASSERT_EQ(r.rows[place], i);
  }
}

/// Rows' units, and norms that their sizes are no less than. x: by its rows.
template <class Problem, class X>
void expect_sizes(const Pipeline::Side& side, const X& x, int bits) {
  using acc::impl::number_range;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const auto scale = side.scales[std::size_t(i)];
    if (!scale.finite()) continue;
    number_range range;
    const auto each = [&](const auto& f) {
      for (std::int64_t k = 0; k < x.columns; ++k) {
        if constexpr (is_complex<typename Problem::in>) {
          f(x(i, k).real());
          f(x(i, k).imag());
        } else {
          f(typename acc::impl::exact_operands<typename Problem::in>::real(x(i, k)));
        }
      }
    };
    each([&](auto y) { range.merge(number_range::of(y)); });
    const auto want = acc::impl::cuts_numbers<typename Problem::method>
                          ? acc::impl::cut_scale_of(range, bits)
                          : acc::impl::scale_of(range);
    ASSERT_TRUE(scale.unit == want.unit && scale.width == want.width) << "row " << i;
    double squares = 0;
    each([&](auto y) {
      const double in_units = std::nearbyint(std::ldexp(double(y), -scale.unit));
      squares += in_units * in_units;
    });
    ASSERT_LE(squares, std::exp2(side.sizes[std::size_t(i)] / 4.0) * (1 + 1e-12)) << "row " << i;
  }
}

/// Whether one of x's numbers has a sign.
template <class X>
bool has_sign(const X& x) {
  using T = std::remove_cv_t<std::remove_reference_t<decltype(x(0, 0))>>;
  bool found = false;
  if constexpr (!is_complex<T>)
    for (std::int64_t i = 0; i < x.rows; ++i)
      for (std::int64_t j = 0; j < x.columns; ++j)
        found = found || std::signbit(typename acc::impl::exact_operands<T>::real(x(i, j)));
  return found;
}

/// The product p, but for what the moduli do not hold.
template <class Problem>
Pipeline multiply(Problem p, const Cuts& cuts) {
  using in = typename Problem::in;
  constexpr int parts = Problem::parts, planes = acc::impl::residue_planes<parts>;
  constexpr int most = family::count;
  const std::int64_t depth = p.depth(), columns = p.c.columns;
  const auto up = [](std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; };
  const std::int64_t x_count = cuts.y_is_rows ? columns : p.c.rows;
  const std::int64_t y_count = cuts.y_is_rows ? p.c.rows : columns;
  const std::int64_t block_x = std::min(cuts.block, up(x_count, 256));
  const std::int64_t block_y = std::min(cuts.block, up(y_count, 256));
  Pipeline s;
  s.side[0].make(p.c.rows, cuts.y_is_rows ? block_y : block_x);
  s.side[1].make(p.c.columns, cuts.y_is_rows ? block_x : block_y);

  using ranges = cuda::residue_ranges_kernel<in>;
  const auto find_ranges = [](const auto& matrix, std::vector<cuda::merged_range>& found) {
    // What no kernel writes is not 0.
    found.assign(std::size_t(ranges::parts_for(matrix.rows, matrix.columns) * matrix.rows),
                 {~0u, ~0u, NAN});
    ranges kernel(matrix, found.data());
    constexpr int zeros = 1000;
    std::vector<std::uint64_t> words(zeros + 1, 7);
    kernel.zeros = words.data();
    kernel.zero_count = zeros;
    for (std::int64_t i = 0; i < kernel.teams(); ++i)
      run([&](const Team& team) { kernel.run(team, i); }, kernel.threads);
    const auto other = std::find_if(words.begin(), words.end(), [](auto w) { return w != 0; });
    EXPECT_EQ(other - words.begin(), zeros);
    return kernel.parts();
  };
  std::vector<cuda::merged_range> found[2];
  cuda::residue_plan_kernel<Problem> plan(parts * depth, most, cuts.more_moduli);
  plan.range_parts[0] = find_ranges(p.a, found[0]);
  plan.range_parts[1] = find_ranges(p.b.transposed(), found[1]);
  for (int e = 0; e < 2; ++e) {
    plan.ranges[e] = found[e].data();
    plan.side[e] = s.side[e].data;
  }
  const std::int64_t blocks = up(x_count, block_x) / block_x * (up(y_count, block_y) / block_y);
  const std::int64_t squares = block_x / 256 * (block_y / 256);
  std::vector<std::uint8_t> square_moduli(std::size_t(blocks * squares), 0x55);
  std::vector<cuda::residue_item> items(std::size_t(blocks * squares * most));
  std::vector<int> item_counts(std::size_t(blocks), -1);
  plan.blocks = {square_moduli.data(), items.data(), item_counts.data(), squares, most};
  plan.plan = &s.plan;
  plan.y_is_rows = cuts.y_is_rows;
  plan.few_rows = cuts.few_rows;
  plan.bits = 0;
  if constexpr (acc::impl::cuts_numbers<typename Problem::method>) {
    plan.bits = p.bits;
    p.row_scales = s.side[0].scales.data();
    p.column_scales = s.side[1].scales.data();
  }
  run(plan, plan.threads);
  for (const auto& side : s.side) expect_places(side);
  expect_sizes<Problem>(s.side[0], p.a, plan.bits);
  expect_sizes<Problem>(s.side[1], p.b.transposed(), plan.bits);
  const bool nonnegative = parts == 1 && !has_sign(p.a) && !has_sign(p.b);
  EXPECT_EQ(s.plan.nonnegative != 0, nonnegative);

  const std::int64_t section = std::min(cuts.section, up(depth, 128));
  // What no kernel writes is not 0.
  std::vector<std::uint8_t> x(std::size_t(planes * most * block_x * section), 0x55);
  std::vector<std::uint8_t> y(std::size_t(planes * most * block_y * section), 0xaa);
  std::vector<std::uint32_t> residues(
      std::size_t(cuts.k_parts * planes * most * block_x * block_y / 4), 0x55555555);
  const acc::impl::exact_operands<in> operands{p.a, p.b};
  const auto of_block = [&](std::int64_t n, std::int64_t first_x, std::int64_t first_y) {
    const std::int64_t end_x = std::min(first_x + block_x, x_count);
    const std::int64_t end_y = std::min(first_y + block_y, y_count);
    const auto x_tiles = int(up(end_x - first_x, 256) / 128);
    const auto y_tiles = int(up(end_y - first_y, 256) / 256);
    std::int64_t words = std::int64_t(x_tiles) * y_tiles * 128 * 256 / 4;
    const auto taken = plan.blocks.of(n);
    s.items += *taken.item_counts;
    s.most_items += x_tiles / 2 * y_tiles *
                    *std::max_element(taken.moduli, taken.moduli + x_tiles / 2 * y_tiles);
    // Each square has each of its moduli once.
    std::vector<int> found_moduli(std::size_t(squares), 0);
    const cuda::residue_squares in_squares{x_tiles / 2, y_tiles};
    for (int i = 0; i < *taken.item_counts; ++i) {
      const auto item = taken.items[i];
      const int square = in_squares.index(item.x, item.y);
      ASSERT_TRUE(item.x < x_tiles / 2 && item.y < y_tiles && square < squares);
      ASSERT_EQ(in_squares.at(square).x, item.x);
      ASSERT_EQ(in_squares.at(square).y, item.y);
      ASSERT_EQ(item.l, found_moduli[std::size_t(square)]++);
    }
    for (int i = 0; i < in_squares.count(); ++i)
      ASSERT_EQ(found_moduli[std::size_t(i)], int(taken.moduli[i]));

    // Moduli that hold the largest of its rows.
    const auto largest = [&](bool of_y, std::int64_t first, std::int64_t end_of_block) {
      const Pipeline::Side& side = s.side[of_y != cuts.y_is_rows];
      int size = 0;
      for (std::int64_t place = first; place < std::min(first + 256, end_of_block); ++place)
        size = std::max(size, side.sizes[std::size_t(side.data.rows[place])]);
      return size;
    };
    for (int i = 0; i < in_squares.count(); ++i) {
      const auto at = in_squares.at(i);
      const std::int64_t at_x = first_x + 256 * at.x, at_y = first_y + 256 * at.y;
      const int moduli = taken.moduli[i];
      EXPECT_LE(largest(false, at_x, end_x) + largest(true, at_y, end_y),
                nonnegative ? acc::impl::nonnegative_capacity_in_eighths<family>(moduli)
                            : acc::impl::capacity_in_eighths<family>(moduli));
      for (const bool of_y : {false, true})
        EXPECT_LE(
            moduli,
            int(s.side[of_y != cuts.y_is_rows].data.group_moduli[(of_y ? at_y : at_x) / 256]));
    }

    const std::int64_t row = cuts.y_is_rows ? first_y : first_x;
    const std::int64_t end_row = cuts.y_is_rows ? end_y : end_x;
    const std::int64_t column = cuts.y_is_rows ? first_x : first_y;
    const std::int64_t end_column = cuts.y_is_rows ? end_x : end_y;
    std::vector<std::uint64_t> sums;
    int tile_words = cuda::residue_tile::words;
    const auto multiply_narrow = [&]<int YTiles>() {
      if constexpr (parts == 1) {
        using kernel = cuda::residue_narrow_kernel<Problem, YTiles, HostBytes>;
        tile_words = cuda::narrow_tile<YTiles>::words;
        words = std::int64_t(x_tiles) * tile_words;
        const auto operand_of = [](const acc::impl::matrix_data<const in>& m) {
          return typename kernel::operand{m, m.column_stride == 1, false};
        };
        const auto a = operand_of(p.a), b = operand_of(p.b.transposed());
        const std::int64_t strips = kernel::strips_of(end_x - first_x);
        const int teams = cuts.teams > 0
                              ? cuts.teams
                              : kernel::teams_for(strips, int(strips) * cuts.k_parts * 2, most);
        sums.assign(std::size_t(most * words), 0);
        const kernel narrow{{cuts.y_is_rows ? b : a, cuts.y_is_rows ? a : b},
                            {s.side[cuts.y_is_rows].data, s.side[!cuts.y_is_rows].data},
                            &s.plan,
                            &tables,
                            taken.moduli,
                            sums.data(),
                            first_x,
                            end_x,
                            depth,
                            x_tiles,
                            cuts.y_is_rows,
                            teams,
                            cuts.has_two_buffers,
                            cuts.blocks_of_sum};
        for (std::int64_t strip = 0; strip < strips; ++strip)
          for (int t = 0; t < teams; ++t)
            run([&](const Team& team) { narrow.run(team, strip, t); }, kernel::threads);
      }
    };
    if (cuts.narrow) {
      ASSERT_LE(y_count, cuda::residue_tile::few_y);
      if (y_count <= 16)
        multiply_narrow.template operator()<2>();
      else if (y_count <= 32)
        multiply_narrow.template operator()<4>();
      else
        multiply_narrow.template operator()<8>();
    }
    for (std::int64_t k = 0; k < depth && !cuts.narrow; k += section) {
      const std::int64_t end = std::min(k + section, depth);
      const auto convert = [&](const auto& kernel) {
        for (std::int64_t i = 0; i < kernel.teams(); ++i)
          run([&](const Team& team) { kernel.run(team, i); }, kernel.threads);
      };
      auto* const a_bytes = cuts.y_is_rows ? y.data() : x.data();
      auto* const b_bytes = cuts.y_is_rows ? x.data() : y.data();
      const std::int64_t a_stride = (cuts.y_is_rows ? block_y : block_x) * section;
      const std::int64_t b_stride = (cuts.y_is_rows ? block_x : block_y) * section;
      convert(cuda::residue_convert_kernel<Problem, false>{
          operands, s.side[0].data, &s.plan, &tables, a_bytes, row, end_row, k, end, a_stride,
          most * a_stride, p.a.column_stride == 1});
      convert(cuda::residue_convert_kernel<Problem, true>{
          operands, s.side[1].data, &s.plan, &tables, b_bytes, column, end_column, k, end, b_stride,
          most * b_stride, p.b.row_stride == 1});
      // The products, as residue_products.cpp makes them.
      const std::int64_t k_blocks = (end - k + 127) / 128;
      const std::int64_t of_part = (k_blocks + cuts.k_parts - 1) / cuts.k_parts;
      const auto byte = [&](const std::vector<std::uint8_t>& all, std::int64_t rows, int l,
                            std::int64_t r, std::int64_t kk) {
        const std::int64_t at = (r / 128 * k_blocks + kk / 128) * 128 * 128;
        const std::int64_t chunk = kk % 128 / 16 ^ (r % 8);
        return int(std::int8_t(
            all[std::size_t(l * rows * section + at + r % 128 * 128 + chunk * 16 + kk % 16)]));
      };
      for (int pass = 0; pass < cuts.k_parts * planes; ++pass)
        for (int i = 0; i < *taken.item_counts; ++i) {
          const int part = pass / planes, plane = pass % planes;
          const auto item = taken.items[i];
          for (int e = 0; e < 256 * 256; ++e) {
            const std::int64_t tile = (2 * item.x + e / (128 * 256)) * y_tiles + item.y;
            const std::int64_t w = e % (128 * 256) / 4;
            const std::int64_t thread = w / 4 % 128, j = 4 * (w / 512 % 8) + w % 4;
            const std::int64_t r = tile / y_tiles * 128 + 64 * (w / 4096) + 16 * (thread / 32) +
                                   thread % 32 / 4 + 8 * (e % 4 / 2);
            const std::int64_t c = item.y * 256 + 8 * j + 2 * (thread % 4) + e % 2;
            if (first_x + r >= end_x || first_y + c >= end_y) continue;
            const int l = item.l;
            const int at = plane * most + l;
            auto& word = residues[std::size_t((pass * most + l) * words + tile * 8192 + w)];
            std::int64_t sum = k > 0 ? word >> 8 * (e % 4) & 255 : 0;
            for (std::int64_t kk = part * of_part * 128;
                 kk < std::min((part + 1) * of_part * 128, end - k); ++kk)
              sum += byte(x, block_x, at, r, kk) * byte(y, block_y, at, c, kk);
            // Rounded down, or one less where p divides a negative sum.
            const std::int64_t m = family::modulus(l);
            const std::int64_t residue = sum - (sum * (((1LL << 38) + m - 1) / m) >> 38) * m;
            EXPECT_TRUE(residue >= 0 && residue < 256);
            word = (word & ~(255u << 8 * (e % 4))) | std::uint32_t(residue) << 8 * (e % 4);
          }
        }
    }
    const auto finish = [&](const auto& kernel) {
      for (std::int64_t w = 0; w < words; ++w) kernel(w);
    };
    using out = typename Problem::out;
    if constexpr (std::is_same_v<out, float> || std::is_same_v<out, double>) {
      if (parts == 1 && p.scale.alpha[0] == 1 && !p.reads_c()) {
        finish(cuda::residue_finish_kernel<Problem, true, most>{
            p, s.side[0].data, s.side[1].data, &s.plan, taken.moduli, most, &tables,
            residues.data(), x_tiles, y_tiles, row, end_row, column, end_column, cuts.k_parts,
            cuts.y_is_rows, cuts.narrow ? sums.data() : nullptr, tile_words});
        return;
      }
    }
    finish(cuda::residue_finish_kernel<Problem, false, most>{
        p, s.side[0].data, s.side[1].data, &s.plan, taken.moduli, most, &tables, residues.data(),
        x_tiles, y_tiles, row, end_row, column, end_column, cuts.k_parts, cuts.y_is_rows,
        cuts.narrow ? sums.data() : nullptr, tile_words});
  };
  std::int64_t n = 0;
  for (std::int64_t i = 0; i < x_count; i += block_x)
    for (std::int64_t j = 0; j < y_count; j += block_y) of_block(n++, i, j);
  return s;
}

enum class Numbers {
  uniform,
  wide,      ///< 2^-30 to 2^30
  integers,  ///< -3 to 3: sums that are zero
  zeros,     ///< most are zeros of both signs
  subnormal,
  infinite,    ///< a row, or column, has an infinity
  ones,        ///< all digits are 1: the largest sums that the plan allows for
  positive,    ///< 0 to 1
  wider,       ///< 2^-70 to 2^50: more than the words of an integer hold
  spread,      ///< each hundredth is far smaller, so some rows are wider than others
  digits,      ///< all of `reach` digits are 1
  far_apart,   ///< next to 2^reach, and 1
  less_far,    ///< next to 2^(reach - 12), and 1
  nearly_one,  ///< 1 - 2^-53, cut to 1, and 2^-70, which widens a row
};
/// Of digits, far_apart and less_far.
int reach = 0;

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
    case Numbers::positive:
      return std::abs(u);
    case Numbers::wider:
      return std::ldexp(u, integer(-70, 50));
    case Numbers::digits:
      return std::ldexp(R(1), reach) - 1;
    case Numbers::far_apart:
    case Numbers::less_far:
      return integer(0, 15) != 0 ? std::ldexp(1 - std::numeric_limits<R>::epsilon(),
                                              kind == Numbers::far_apart ? reach : reach - 12)
                                 : R(1);
    case Numbers::nearly_one:
      return integer(0, 15) != 0 ? 1 - std::numeric_limits<R>::epsilon() / 2
                                 : std::ldexp(R(1), -70);
    case Numbers::spread:
      return std::ldexp(u, integer(0, 99) != 0 ? 0 : integer(-40, -10));
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
Pipeline expect_sums_rounded_once(const Shape& s, Numbers kind_a, Numbers kind_b, const Cuts& cuts,
                                  const Method& method = {}) {
  using Problem = acc::impl::gemm_problem<Method, In, Out>;
  static std::mt19937 random(11);
  Matrix<In> a(s.m, s.k, s.a_by_columns), b(s.k, s.n, s.b_by_columns);
  a.fill(kind_a, random);
  b.fill(kind_b, random);
  if (kind_a == Numbers::infinite) a.data(s.m / 2, 0) = In(INFINITY);
  if (kind_b == Numbers::infinite) b.data(0, s.n / 2) = In(NAN);
  if constexpr (!is_complex<In>) {
    if (cuts.negative_of >= 0) {
      In& x = cuts.negative_of == 0 ? a.data(cuts.negative_row, cuts.negative_k)
                                    : b.data(cuts.negative_k, cuts.negative_row);
      x = In(-x);
    }
  }
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
    q.row_scales = pipeline.side[0].scales.data();
    q.column_scales = pipeline.side[1].scales.data();
  }
  int fitting = 0;
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j) {
      if (!pipeline.side[0].scales[std::size_t(i)].finite() ||
          !pipeline.side[1].scales[std::size_t(j)].finite())
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
      if (differ(i, j)) {
        ADD_FAILURE() << "entry " << i << ", " << j << " of " << s.m << " x " << s.n << " x " << s.k
                      << ", numbers " << int(kind_a) << ", " << int(kind_b) << ", alpha "
                      << s.alpha;
        return pipeline;
      }
  const bool others = kind_a == Numbers::infinite || kind_b == Numbers::infinite;
  if (kind_a == Numbers::wider || kind_a == Numbers::far_apart || kind_a == Numbers::less_far)
    return pipeline;  // it depends on what they span
  EXPECT_EQ(pipeline.plan.others != 0, others);
  EXPECT_EQ(fitting == s.m * s.n, !others);
  return pipeline;
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
    expect_sums_rounded_once<In, Out>({37, 18, 133, odd, !odd, odd}, kind, other,
                                      {.more_moduli = n % 3, .y_is_rows = odd});
    expect_sums_rounded_once<In, Out>({6, 33, 70, !odd, odd, !odd, -0.75, 1.5}, other, kind,
                                      {.y_is_rows = odd});
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
  using Half = Kokkos::Experimental::bhalf_t;
  for (const std::int64_t rows : {1, 16})
    expect_sums_rounded_once<Half, float>({rows, 40, 600, false, true, false}, Numbers::uniform,
                                          Numbers::uniform, {.y_is_rows = true, .narrow = true},
                                          acc::fixed_point{8});
  // Parts that are cut to 2^bits: a word holds one of 2^30 with its sign, and no sum of two.
  using Complex = Kokkos::complex<double>;
  for (const int bits : {29, 30, 31, 62})
    for (const Numbers kind : {Numbers::uniform, Numbers::nearly_one})
      expect_sums_rounded_once<Complex, Complex>({7, 20, 40, true, false, true}, kind,
                                                 Numbers::nearly_one, {.y_is_rows = bits % 2 == 1},
                                                 acc::fixed_point{bits});
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
    using Complex = Kokkos::complex<float>;
    expect_sums_rounded_once<Complex, Complex>(
        {5, 6, k, k % 2 == 0, true, true}, Numbers::uniform, Numbers::uniform,
        {.section = 256, .k_parts = 2, .y_is_rows = k % 2 == 1});
  }
}

/// One kernel for residues and products, of all types: at the edges of strips, of a team's rows of
/// Y and of blocks of k, with as many parts of k as there are teams, and with each number of words.
TEST(CudaResidues, NarrowProductsHaveTheirBits) {
  for (const bool two : {false, true})
    for (const bool y_is_rows : {false, true})
      for (const std::int64_t y : {1, 15, 16, 17, 32, 33, 64})
        for (const std::int64_t x : {3, 65, 113, 256, 300}) {
          const auto shape = [&](std::int64_t k, bool right_a, bool right_b) {
            return y_is_rows ? Shape{y, x, k, right_a, right_b, true}
                             : Shape{x, y, k, right_a, right_b, true};
          };
          Cuts cuts{.k_parts = x == 3 ? 3 : 1, .y_is_rows = y_is_rows};
          cuts.narrow = true;
          cuts.has_two_buffers = two;
          expect_sums_rounded_once<double, double>(shape(33 + y % 5, x % 2 == 0, y % 2 == 0),
                                                   Numbers::uniform, Numbers::uniform, cuts);
          if (x != 65) continue;
          expect_sums_rounded_once<float, float>(shape(100, true, false), Numbers::uniform,
                                                 Numbers::zeros, cuts);
          expect_sums_rounded_once<Kokkos::Experimental::half_t, float>(
              shape(31, false, true), Numbers::uniform, Numbers::uniform, cuts);
          expect_sums_rounded_once<double, double>(shape(64, true, true), Numbers::uniform,
                                                   Numbers::uniform, cuts, acc::fixed_point{40});
        }
  Cuts cuts;
  cuts.narrow = true;
  for (reach = 20; reach <= 180; reach += 20)
    expect_sums_rounded_once<double, double>({6, 7, 40, true, true, true}, Numbers::far_apart,
                                             Numbers::less_far, cuts);
  // Rows of many sizes: squares, and strips between two of them, have different numbers of moduli.
  reach = 60;
  for (const std::int64_t block : {512, 1 << 20}) {
    cuts.block = block;
    expect_sums_rounded_once<double, double>({600, 5, 2, true, true, true}, Numbers::far_apart,
                                             Numbers::integers, cuts);
  }
  // Sums that are reduced before all of them are added, and more parts than blocks.
  cuts.blocks_of_sum = 2;
  expect_sums_rounded_once<double, double>({2, 2, 650, true, true, true}, Numbers::uniform,
                                           Numbers::uniform, cuts);
  cuts.blocks_of_sum = 2048;
  cuts.teams = 1;
  reach = 7;
  expect_sums_rounded_once<float, float>({1, 1, 140000, true, true, true}, Numbers::digits,
                                         Numbers::digits, cuts);
  cuts.teams = 80;
  expect_sums_rounded_once<float, float>({2, 2, 70, true, true, true}, Numbers::ones, Numbers::ones,
                                         cuts);
}

TEST(CudaResidues, HoldTheLargestSums) {
  for (reach = 1; reach <= 53; ++reach)
    for (const std::int64_t k : {181, 362})
      for (const int negative : {-1, 0})
        expect_sums_rounded_once<double, double>({2, 3, k, true, false, true}, Numbers::digits,
                                                 Numbers::digits, {.negative_of = negative});
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

/// The same where ranges of k have several parts, of complex numbers, and at each modulus: sums of
/// one sign, of 2^(2 reach) k.
TEST(CudaResidues, HoldTheLargestSumsOfParts) {
  using Complex = Kokkos::complex<float>;
  for (reach = 2; reach <= 24; ++reach) {
    expect_sums_rounded_once<float, float>({2, 3, 600, true, true, true}, Numbers::digits,
                                           Numbers::digits, {});
    expect_sums_rounded_once<double, double>({2, 3, 600, false, false, true}, Numbers::digits,
                                             Numbers::digits, {});
    expect_sums_rounded_once<Complex, Complex>({2, 3, 9, true, true, true}, Numbers::digits,
                                               Numbers::digits, {});
  }
}

/// Where moduli are few, a conversion rounds all four entries of a word at once: but not where one
/// is zero, which may be -0, nor where one lies outside C or does not fit.
TEST(CudaResidues, WordsOfFourEntriesAreConverted) {
  for (const bool y_is_rows : {false, true})
    for (const std::int64_t m : {1, 8, 9, 17, 37})
      for (const std::int64_t n : {1, 8, 9, 17, 37}) {
        const Cuts cuts{.y_is_rows = y_is_rows};
        for (const std::int64_t k : {1, 2, 60})
          expect_sums_rounded_once<float, float>({m, n, k, true, true, true}, Numbers::zeros,
                                                 k == 1 ? Numbers::zeros : Numbers::uniform, cuts);
        expect_sums_rounded_once<float, float>({m, n, 60, true, true, true}, Numbers::infinite,
                                               Numbers::uniform, cuts);
        expect_sums_rounded_once<float, float>({m, n, 60, true, true, true}, Numbers::uniform,
                                               Numbers::infinite, cuts);
      }
}

/// Numbers without a sign take a modulus less where that holds their sums, and one negative number
/// anywhere is seen.
TEST(CudaResidues, SumsWithoutSignTakeFewerModuli) {
  // Sums of 55 bits: seven moduli hold 54.7 and a sign.
  reach = 24;
  const Pipeline without = expect_sums_rounded_once<float, float>(
      {40, 30, 128, true, true, true}, Numbers::digits, Numbers::digits, {});
  const Pipeline with = expect_sums_rounded_once<float, float>(
      {40, 30, 128, true, true, true}, Numbers::digits, Numbers::digits, {.negative_of = 0});
  EXPECT_EQ(without.items, 7);
  EXPECT_EQ(with.items, 8);
  expect_sums_rounded_once<float, double>({40, 30, 300, false, true, true, 0.75, -1.5},
                                          Numbers::positive, Numbers::positive, {});
  expect_sums_rounded_once<float, float>({40, 30, 300, false, true, true}, Numbers::positive,
                                         Numbers::positive, {}, acc::fixed_point{.bits = 20});
  for (const int operand : {0, 1})
    for (const bool along_k : {false, true})
      // In several lanes, warps, loops and parts of k; few rows, and more than a team has threads.
      for (const std::int64_t rows : {60, 1100})
        for (const std::int64_t k : {0, 33, 127, 255, 256, 300, 511, 607}) {
          if (rows > 1000 && k != 0 && k != 256 && k != 607) continue;
          const std::int64_t few = 3;
          expect_sums_rounded_once<float, float>(
              {operand == 0 ? rows : few, operand == 0 ? few : rows, 608, (operand == 0) != along_k,
               (operand == 1) == along_k, true},
              Numbers::digits, Numbers::digits,
              {.negative_of = operand, .negative_row = rows - 1 - k % 5, .negative_k = k});
        }
  // A thread of the plan merges several ranges.
  expect_sums_rounded_once<float, float>({300, 3, 2600, true, true, true}, Numbers::digits,
                                         Numbers::digits, {.negative_of = 0});
  expect_sums_rounded_once<float, float>({3, 300, 2600, true, true, true}, Numbers::digits,
                                         Numbers::digits, {.negative_of = 1});
}

/// Around the largest sums that all moduli hold, and the widest numbers that words hold: of numbers
/// without a sign, and where one has a sign.
TEST(CudaResidues, HoldNoMoreThanTheyCan) {
  for (const int negative : {-1, 0}) {
    const Cuts cuts{.negative_of = negative};
    for (reach = 80; reach <= 95; ++reach)
      expect_sums_rounded_once<double, double>({6, 7, 64, true, true, true}, Numbers::far_apart,
                                               Numbers::far_apart, cuts);
    for (reach = 88; reach <= 106; ++reach) {
      expect_sums_rounded_once<double, double>({12, 7, 64, true, true, true}, Numbers::far_apart,
                                               Numbers::less_far, cuts);
      expect_sums_rounded_once<double, double>({7, 12, 64, true, true, true}, Numbers::less_far,
                                               Numbers::far_apart, cuts);
    }
  }
  using Complex = Kokkos::complex<double>;
  for (reach = 154; reach <= 164; ++reach)
    for (const Numbers kind : {Numbers::zeros, Numbers::integers}) {
      expect_sums_rounded_once<double, double>({6, 7, 64, true, true, true}, Numbers::far_apart,
                                               kind, {});
      expect_sums_rounded_once<Complex, Complex>({6, 7, 30, true, true, true}, Numbers::far_apart,
                                                 kind, {});
    }
}

/// Rows with sizes so far apart that the last bucket has the rest.
TEST(CudaResidues, SortRowsOfAllSizes) {
  for (reach = 60; reach <= 120; reach += 20) {
    expect_sums_rounded_once<double, double>({600, 5, 2, true, true, true}, Numbers::far_apart,
                                             Numbers::integers, {.block = 512});
    expect_sums_rounded_once<double, double>({5, 600, 3, true, true, true}, Numbers::far_apart,
                                             Numbers::far_apart, {});
  }
}

/// More rows than the plan's team has threads, and fewer, whose parts of k all threads merge.
TEST(CudaResidues, HaveRangesOfManyRowsAndParts) {
  expect_sums_rounded_once<float, float>({1100, 3, 600, true, true, true}, Numbers::uniform,
                                         Numbers::uniform, {});
  expect_sums_rounded_once<float, float>({3, 1100, 600, true, false, true}, Numbers::uniform,
                                         Numbers::uniform, {});
  expect_sums_rounded_once<double, double>({20, 3, 2600, true, true, true}, Numbers::wide,
                                           Numbers::uniform, {});
  expect_sums_rounded_once<double, double>({3, 20, 2600, true, false, true}, Numbers::uniform,
                                           Numbers::wide, {});
  expect_sums_rounded_once<float, float>({300, 3, 2600, true, true, true}, Numbers::uniform,
                                         Numbers::uniform, {});
}

/// Rows with a few small numbers are put side by side, in each block of C, and cost the others no
/// moduli.
TEST(CudaResidues, WideRowsAreSideBySide) {
  for (const std::int64_t block : {256, 512, 1 << 20})
    for (const bool y_is_rows : {false, true}) {
      const Pipeline p = expect_sums_rounded_once<float, float>(
          {900, 600, 7, true, y_is_rows, y_is_rows}, Numbers::spread, Numbers::spread,
          {.y_is_rows = y_is_rows, .block = block});
      if (block > 256) {
        EXPECT_LT(p.items, p.most_items * 9 / 10) << block;
      }
    }
  expect_sums_rounded_once<double, double>({300, 700, 9, true, true, true, 2, 1}, Numbers::spread,
                                           Numbers::infinite,
                                           {.more_moduli = 1, .section = 128, .k_parts = 2});
  using Complex = Kokkos::complex<double>;
  const Pipeline p = expect_sums_rounded_once<Complex, Complex>(
      {520, 400, 5, true, true, true}, Numbers::uniform, Numbers::spread, {.block = 512});
  EXPECT_LT(p.items, p.most_items);
  expect_sums_rounded_once<Complex, Complex>({401, 301, 3, true, true, true}, Numbers::uniform,
                                             Numbers::spread, {.y_is_rows = true, .block = 256});
  const Pipeline q = expect_sums_rounded_once<double, double>(
      {520, 400, 5, true, true, true}, Numbers::uniform, Numbers::uniform, {.block = 512});
  EXPECT_EQ(q.items, q.most_items);
  expect_sums_rounded_once<float, float>({520, 400, 5, true, true, true}, Numbers::spread,
                                         Numbers::spread, {}, acc::fixed_point{40});
}

/// Few rows stay where they are if parts of C differ by one modulus at most; more rows are sorted.
TEST(CudaResidues, FewRowsAreSortedForTwoModuli) {
  int kept = 0, sorted = 0;
  for (int round = 0; round < 12; ++round) {
    const bool few = round % 3 != 0;
    const Pipeline p = expect_sums_rounded_once<float, float>(
        {300, 290, 80, true, true, true}, round % 2 ? Numbers::spread : Numbers::uniform,
        Numbers::integers, {.few_rows = few ? 300 : 299});
    const auto moduli_for = [&](int eighths) {
      int l = 1;
      while (acc::impl::capacity_in_eighths<family>(l) < eighths) ++l;
      return l;
    };
    int largest = 0, least = 0;
    bool in_place = true, alike = true;
    for (const Pipeline::Side& side : p.side) {
      const auto [low, high] = std::minmax_element(side.sizes.begin(), side.sizes.end());
      least += *low;
      largest += *high;
      alike = alike && *high - *low < 8;
      for (std::size_t i = 0; i < side.places.size(); ++i)
        in_place = in_place && side.places[i] == int(i);
    }
    if (alike) continue;  // in whichever order
    const int differ = moduli_for(largest) - moduli_for(least);
    EXPECT_EQ(in_place, differ <= (few ? 1 : 0)) << round << ": " << differ;
    (in_place ? kept : sorted) += differ == 1 ? 1 : 0;
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(sorted, 0);
}

/// Of two numbers' residues, in [0, p] as products leave them.
TEST(CudaResidues, PlanesMakeAComplexProduct) {
  for (int l = 0; l < family::count; ++l) {
    const std::uint32_t p = family::modulus(l);
    for (std::uint32_t r0 = 0; r0 <= p; ++r0)
      for (std::uint32_t r1 = 0; r1 <= p; ++r1) {
        const std::uint32_t re = acc::impl::real_residue(r0, r1, p);
        ASSERT_TRUE(re <= p && (re + r1) % p == r0 % p) << p << ": " << r0 << ", " << r1;
        for (std::uint32_t r2 = 0; r2 <= p; r2 += r2 < 2 || r2 + 2 >= p ? 1 : 13) {
          const std::uint32_t im = acc::impl::imaginary_residue(r0, r1, r2, p);
          ASSERT_TRUE(im <= p && (im + r0 + r1) % p == r2 % p) << p << ": " << r0 << ", " << r1;
        }
      }
  }
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
          EXPECT_LE(static_cast<double>(all), 1.5 * bytes + 2048 * (2 * 128 + 2048))
              << x << " x " << y << ", " << depth << " products, " << bytes << " bytes";
        }
}

}  // namespace
}  // namespace acc_test
