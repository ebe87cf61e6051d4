// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles of the CUDA machine's products with one column, on a host (host_team.hpp): every way in
// which A reaches the warps, and short rows with a thread each, around the sizes of teams, warps,
// stages, strips, sections and rounds.

#include "host_team.hpp"
#include "reference_gemm.hpp"

#include <acc/backends/cuda/gemv.hpp>
#include <acc/backends/gemm_kernel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

namespace acc_test {
namespace {

constexpr std::int64_t section = acc::gemm_section;

template <class Tiles>
void run_tiles(Tiles tiles) {
  using problem = typename Tiles::problem_type;
  if (tiles.count == 0) return;
  std::vector<typename Tiles::sum> sums(
      static_cast<std::size_t>(tiles.divided.sections * tiles.divided.entries));
  tiles.divided.memory = sums.data();
  run(acc::backends::gemm_kernel<typename Tiles::in_kernel>{tiles}, 32 * tiles.warps);
  const acc::backends::add_sections_kernel<problem> add{tiles.problem, tiles.divided};
  for (std::int64_t e = 0; tiles.divided.sections > 0 && e < tiles.divided.entries; ++e) add(e);
}

/// How A lies in memory.
enum class Layout { rows, columns, odd_rows, odd_columns, strided };
constexpr Layout layouts[] = {Layout::rows, Layout::columns, Layout::odd_rows, Layout::odd_columns,
                              Layout::strided};

/// The product of an m x k matrix and a vector.
struct Shape {
  std::int64_t m, k;
  Layout layout = Layout::rows;
  std::int64_t sms = 4;  ///< multiprocessors, which the tiles are chosen for
  std::int64_t x_stride = 1;
  bool as_row = false;  ///< C is a row, and A the second factor
  std::int64_t batches = 1;
  bool conjugate_a = false, conjugate_x = false;
};

/// Numbers from an address that is, or is not, a multiple of 16 bytes.
template <class T>
struct Numbers {
  std::vector<T> all;
  T* first;
  Numbers(std::int64_t n, bool aligned) : all(static_cast<std::size_t>(n) + 16) {
    static std::mt19937 random(7);
    for (T& x : all) x = normal_number<T>(random);
    first = all.data();
    while (reinterpret_cast<std::uintptr_t>(first) % 16 != 0) ++first;
    if (!aligned) ++first;
  }
};

/// `edit(a, x)`, of m x k numbers by rows and k numbers, changes them first.
template <class T, class Out = T, class Method, class Edit>
void expect_bits(const Method& method, const Shape& s, const Edit& edit) {
  using Problem = acc::impl::gemm_problem<Method, T, Out>;
  using Real = typename Problem::real;
  const bool odd = s.layout == Layout::odd_rows || s.layout == Layout::odd_columns;
  const bool by_rows = s.layout == Layout::rows || s.layout == Layout::odd_rows;
  std::int64_t lead = by_rows ? s.k : s.m;
  lead = odd ? lead / 16 * 16 + 17 : (lead + 15) / 16 * 16;
  const std::int64_t step = s.layout == Layout::strided ? 2 : 1;
  const std::int64_t size = step * lead * (by_rows ? s.m : s.k) + 32;
  Numbers<T> a(size * s.batches, !odd), x((s.k + 16) * s.x_stride * s.batches, s.x_stride == 1);
  Numbers<Out> y(3 * s.m * s.batches, true);
  acc::impl::matrix_data<const T> a_data{a.first, s.m, s.k, by_rows ? lead : 1, by_rows ? 1 : lead};
  a_data.row_stride *= step;
  a_data.column_stride *= step;
  a_data.batch_stride = s.batches > 1 ? (size + 15) / 16 * 16 : 0;
  a_data.conjugate = s.conjugate_a;
  if (s.batches > 1)
    a = Numbers<T>(a_data.batch_stride * s.batches + 32, !odd), a_data.data = a.first;
  acc::impl::matrix_data<const T> x_data{x.first, s.k, 1, s.x_stride, 0};
  x_data.batch_stride = s.batches > 1 ? (s.k + 15) / 16 * 16 * s.x_stride : 0;
  x_data.conjugate = s.conjugate_x;
  acc::impl::matrix_data<Out> y_data{y.first, s.m, 1, 2, 0};
  y_data.batch_stride = 3 * s.m;
  const auto a_at = [&](std::int64_t b, std::int64_t i, std::int64_t k) -> T& {
    return const_cast<T&>(a_data.of_batch(b)(i, k));
  };
  const auto x_at = [&](std::int64_t b, std::int64_t k) -> T& {
    return const_cast<T&>(x_data.of_batch(b)(k, 0));
  };
  edit([&](std::int64_t i, std::int64_t k) -> T& { return a_at(0, i, k); },
       [&](std::int64_t k) -> T& { return x_at(0, k); });

  Problem p;
  p.a = a_data;
  p.b = x_data;
  p.c = y_data;
  p.batches = s.batches;
  p.strip = acc::impl::strip_of(method);
  const Real alpha = Real(1.25), beta = Real(-0.75);
  constexpr bool complex = is_complex<T>;
  p.scale = {{alpha, Real(complex ? 0.5 : 0)}, {beta, Real(complex ? 2 : 0)}};
  if constexpr (Problem::parts == 1)
    if (s.as_row) p = p.transposed();

  const std::vector<Out> before = y.all;
  const auto in_order = [&](const T* from, std::int64_t n) {
    return std::pair{reinterpret_cast<const char*>(from), reinterpret_cast<const char*>(from + n)};
  };
  readable = {in_order(a.all.data(), std::int64_t(a.all.size())),
              in_order(x.all.data(), std::int64_t(x.all.size()))};
  if (s.batches == 1 && s.m > 0 && s.k > 0) {  // what is between the first element and the last
    readable = {
        in_order(a_data.data, (s.m - 1) * a_data.row_stride + (s.k - 1) * a_data.column_stride + 1),
        in_order(x_data.data, (s.k - 1) * s.x_stride + 1)};
  }
  late_copies = !late_copies;
  acc::backends::cuda::with_cuda_gemv_tiles<true, HostOps>(
      p, s.sms, [](const auto& tiles) { run_tiles(tiles); });

  std::vector<Out> want = before;
  using Factor = std::conditional_t<complex, Out, Real>;
  for (std::int64_t b = 0; b < s.batches; ++b) {
    for (std::int64_t i = 0; i < s.m; ++i) {
      std::vector<T> row, column;
      for (std::int64_t l = 0; l < s.k; ++l) {
        row.push_back(conjugated_if(s.conjugate_a, a_at(b, i, l)));
        column.push_back(conjugated_if(s.conjugate_x, x_at(b, l)));
      }
      Out& entry = want[static_cast<std::size_t>(&y_data.of_batch(b)(i, 0) - y.all.data())];
      entry = reference::gemm_entry(method, scalar<Factor>(1.25, 0.5), row, column,
                                    scalar<Factor>(-0.75, 2), entry);
    }
  }
  EXPECT_EQ(std::memcmp(want.data(), y.all.data(), want.size() * sizeof(Out)), 0)
      << s.m << " x " << s.k << ", layout " << int(s.layout) << ", for " << s.sms
      << " multiprocessors, x's stride " << s.x_stride << ", as row " << s.as_row << ", batches "
      << s.batches << ", conjugate " << s.conjugate_a << s.conjugate_x << ", late copies "
      << late_copies;
}
template <class T, class Out = T, class Method>
void expect_bits(const Method& method, const Shape& s) {
  expect_bits<T, Out>(method, s, [](const auto&, const auto&) {});
}

/// Every layout, around the sizes of a warp's rows, of stages and of sections.
template <class T, class Out = T, class Method>
void expect_bits_everywhere(const Method& method) {
  constexpr bool complex = is_complex<T>;
  for (const Layout layout : layouts) {
    expect_bits<T, Out>(method, {.m = 33, .k = 131, .layout = layout});
    expect_bits<T, Out>(method, {.m = 32, .k = 64, .layout = layout, .sms = 0, .x_stride = 3});
    expect_bits<T, Out>(method, {.m = 7, .k = 50, .layout = layout, .conjugate_a = complex});
    expect_bits<T, Out>(method, {.m = 1, .k = 17, .layout = layout, .conjugate_x = complex});
    expect_bits<T, Out>(method, {.m = 9, .k = 1, .layout = layout, .as_row = !complex});
    expect_bits<T, Out>(method, {.m = 5, .k = 0, .layout = layout});
  }
  // Enough rows for a thread each; then too few.
  for (const Layout layout : {Layout::columns, Layout::odd_columns}) {
    for (const std::int64_t k : {0, 1, 4, 8, 17, 64, 256})
      expect_bits<T, Out>(method, {.m = 131, .k = k, .layout = layout, .sms = 0, .x_stride = 2});
    expect_bits<T, Out>(method,
                        {.m = 129, .k = 19, .layout = layout, .sms = 0, .as_row = !complex});
    expect_bits<T, Out>(method,
                        {.m = 40, .k = 33, .layout = layout, .sms = 0, .conjugate_a = complex});
    expect_bits<T, Out>(method,
                        {.m = 40, .k = 33, .layout = layout, .sms = 0, .conjugate_x = complex});
    expect_bits<T, Out>(method, {.m = 225, .k = 64, .layout = layout, .sms = 1, .x_stride = 3});
  }
  expect_bits<T, Out>(method, {.m = 34, .k = section - 1, .layout = Layout::columns, .sms = 0});
  expect_bits<T, Out>(method, {.m = 225, .k = section, .layout = Layout::columns, .sms = 1});
  expect_bits<T, Out>(method, {.m = 7, .k = section + 1, .layout = Layout::rows, .x_stride = 2});
  // A round of all warps; rounds of three; divided.
  expect_bits<T, Out>(method, {.m = 9, .k = 4 * section, .layout = Layout::rows});
  expect_bits<T, Out>(method, {.m = 17, .k = 4 * section + 5, .layout = Layout::columns, .sms = 0});
  expect_bits<T, Out>(method,
                      {.m = 11, .k = 5 * section - 3, .layout = Layout::columns, .sms = 99});
}

using complex_float = Kokkos::complex<float>;
using complex_double = Kokkos::complex<double>;

TEST(CudaGemv, OfFloatsHasTheBits) {
  expect_bits_everywhere<float>(acc::plain{});
  expect_bits_everywhere<float>(acc::blocked{7});
  expect_bits_everywhere<float>(acc::selective<acc::kahan>{16});
  expect_bits_everywhere<float>(acc::selective<acc::priest>{1});
  expect_bits_everywhere<float>(acc::selective<acc::seeded>{256});
  expect_bits_everywhere<float>(acc::selective<acc::kahan>{33});
  expect_bits_everywhere<float>(acc::widened{});
  expect_bits_everywhere<float>(acc::compensated{});
}

TEST(CudaGemv, OfDoublesHasTheBits) {
  expect_bits_everywhere<double>(acc::plain{});
  expect_bits_everywhere<double>(acc::blocked{3000});
  expect_bits_everywhere<double>(acc::selective<acc::kahan>{5});
  expect_bits_everywhere<double>(acc::selective<acc::priest>{40});
  expect_bits_everywhere<double>(acc::selective<acc::seeded>{18});
  expect_bits_everywhere<double>(acc::selective<acc::priest>{32});
  expect_bits_everywhere<double>(acc::compensated{});
}

TEST(CudaGemv, OfComplexNumbersHasTheBits) {
  expect_bits_everywhere<complex_float>(acc::plain{});
  expect_bits_everywhere<complex_float>(acc::selective<acc::seeded>{9});
  expect_bits_everywhere<complex_float>(acc::selective<acc::seeded>{64});
  expect_bits_everywhere<complex_float>(acc::widened{});
  expect_bits_everywhere<complex_double>(acc::selective<acc::kahan>{5});
  expect_bits_everywhere<complex_double>(acc::compensated{});
}

TEST(CudaGemv, OfHalfPrecisionHasTheBits) {
  using half = Kokkos::Experimental::half_t;
  using bfloat16 = Kokkos::Experimental::bhalf_t;
  expect_bits_everywhere<half, float>(acc::plain{});
  expect_bits_everywhere<bfloat16, float>(acc::selective<acc::seeded>{20});
  expect_bits_everywhere<bfloat16, float>(acc::selective<acc::seeded>{35});
  expect_bits_everywhere<bfloat16, float>(acc::widened{});
}

TEST(CudaGemv, OfBatchesHasTheBits) {
  for (const Layout layout : layouts) {
    expect_bits<float>(acc::selective<acc::seeded>{20},
                       {.m = 35, .k = 70, .layout = layout, .batches = 3});
    expect_bits<double>(acc::plain{},
                        {.m = 3, .k = 5 * section, .layout = layout, .sms = 99, .batches = 2});
  }
}

/// Infinities and NaN, in an entry of every section.
TEST(CudaGemv, OfSpecialValuesHasTheBits) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto edit = [](const auto& a, const auto& x) {
    a(0, 3) = inf;
    a(1, section + 2) = -inf;
    a(2, 5) = std::numeric_limits<double>::quiet_NaN();
    a(3, 1) = inf, a(3, section + 1) = -inf;
    a(4, 0) = std::numeric_limits<double>::max(), x(0) = 4;
    a(6, 2 * section) = -std::numeric_limits<double>::max(), x(2 * section) = 3;
    a(7, 7) = -0.0, x(7) = std::numeric_limits<double>::denorm_min();
  };
  for (const Layout layout : {Layout::rows, Layout::columns, Layout::odd_columns}) {
    for (const std::int64_t sms : {0, 99}) {
      const Shape s{.m = 10, .k = 2 * section + 10, .layout = layout, .sms = sms};
      expect_bits<double>(acc::plain{}, s, edit);
      expect_bits<double>(acc::selective<acc::seeded>{64}, s, edit);
      expect_bits<double>(acc::selective<acc::priest>{64}, s, edit);
      expect_bits<double>(acc::compensated{}, s, edit);
    }
  }
}

/// The same for short rows with a thread each.
TEST(CudaGemv, OfSpecialValuesInShortRowsHasTheBits) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto edit = [](const auto& a, const auto& x) {
    a(0, 3) = inf;
    a(1, 40) = -inf;
    a(2, 5) = std::numeric_limits<double>::quiet_NaN();
    a(3, 1) = inf, a(3, 41) = -inf;
    a(4, 0) = std::numeric_limits<double>::max(), x(0) = 4;
    a(6, 44) = -std::numeric_limits<double>::max(), x(44) = 3;
    a(7, 7) = -0.0, x(7) = std::numeric_limits<double>::denorm_min();
  };
  const Shape s{.m = 140, .k = 45, .layout = Layout::columns, .sms = 0};
  expect_bits<double>(acc::plain{}, s, edit);
  expect_bits<double>(acc::selective<acc::seeded>{32}, s, edit);
  expect_bits<double>(acc::selective<acc::priest>{64}, s, edit);
  expect_bits<double>(acc::compensated{}, s, edit);
}

/// Elements of a stage have places of their own, and what eight threads read at once, 16 bytes
/// along k of eight rows or the rows of eight vectors at one k, is in different banks.
template <class T, acc::backends::cuda::panel_access Access>
void expect_places() {
  constexpr int bytes = 4096, vector = 16 / int(sizeof(T));
  using place = acc::backends::cuda::stage_place<T, Access, bytes>;
  for (int log2_rows = 3; log2_rows <= 5; ++log2_rows) {
    const place p(log2_rows);
    const int rows = 1 << log2_rows, stage_k = place::stage_k(log2_rows);
    std::vector<int> elements(static_cast<std::size_t>(place::size(log2_rows)));
    std::vector<int> banks(8);
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < stage_k; ++k)
        ++elements.at(static_cast<std::size_t>(p.row(r) + k * p.step()));
    EXPECT_EQ(*std::max_element(elements.begin(), elements.end()), 1);
    for (int r = 0, n = 0; r < rows && n < 8; r += place::by_k ? vector : 1, ++n)
      ++banks.at(static_cast<std::size_t>(p.row(r) / vector % 8));
    EXPECT_EQ(*std::max_element(banks.begin(), banks.end()), 1) << rows << " rows";
  }
}
TEST(CudaGemv, PlacesInStagesAreInDifferentBanks) {
  using enum acc::backends::cuda::panel_access;
  expect_places<double, mn_vectors>();
  expect_places<double, k_vectors>();
  expect_places<float, mn_vectors>();
  expect_places<float, k_vectors>();
  expect_places<float, elements>();
}

/// Nothing is read where alpha is zero.
TEST(CudaGemv, OfNoProductsReadsNone) {
  for (const bool neighbors : {false, true}) {
    std::vector<double> y{1, 2, 3};
    acc::impl::gemm_problem<acc::plain, double, double> p;
    p.a = {nullptr, 3, 50, neighbors ? 1 : 50, neighbors ? 3 : 1};
    p.b = {nullptr, 50, 1, 1, 50};
    p.c = {y.data(), 3, 1, 1, 3};
    p.batches = 1;
    p.strip = acc::impl::strip_of(acc::plain{});
    p.scale = {{0, 0}, {2, 0}};
    acc::backends::cuda::with_cuda_gemv_tiles<true, HostOps>(
        p, neighbors ? 0 : 4, [](const auto& tiles) { run_tiles(tiles); });
    EXPECT_EQ(y, (std::vector<double>{2, 4, 6}));
  }
}

}  // namespace
}  // namespace acc_test
