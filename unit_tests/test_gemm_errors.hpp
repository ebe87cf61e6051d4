// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bad arguments of acc::gemm, gemv and batched_gemm are rejected before any launch, by texts that
// name function, argument and extents, and C stays as it was; matrices that merely lie between each
// other are not rejected. (What does not compile is in compile_fail/.)
#pragma once

#include "instances.hpp"

#include <acc/batched_gemm.hpp>
#include <acc/gemm.hpp>
#include <acc/gemv.hpp>

#include <limits>
#include <stdexcept>

namespace acc_test {
namespace {

class GemmErrors : public testing::Test {
 public:
  template <class Layout>
  using MatrixOf = Kokkos::View<double**, Layout, Exec>;
  using Matrix = MatrixOf<Kokkos::LayoutRight>;
  using Vector = Kokkos::View<double*, Exec>;
  using Batch = Kokkos::View<double***, Kokkos::LayoutRight, Exec>;
  using Nowhere = Kokkos::View<double**, Kokkos::LayoutRight, Exec, Kokkos::MemoryUnmanaged>;
  GemmErrors() { Kokkos::deep_copy(c, 7.0); }
  ~GemmErrors() override {
    const auto after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(after(i, j), 7) << "a rejected call wrote";
    }
  }

  /// C = A B, without transposition.
  template <class A, class B, class C>
  static void multiply(const A& a, const B& b, const C& c) {
    acc::gemm(Exec{}, "N", "N", 1.0, a, b, 1.0, c, acc::plain{});
  }
  template <class A, class B, class C>
  static void expect_overlap(const A& a, const B& b, const C& c, const std::string& message) {
    expect_rejected([&] { multiply(a, b, c); }, "acc::gemm: " + message);
  }

  Exec exec;
  Matrix a{"a", 3, 4}, b{"b", 4, 5}, c{"c", 3, 5};
};

std::pair<int, int> span(int begin, int end) { return {begin, end}; }

TEST_F(GemmErrors, ShapesDoNotMatch) {
  const std::string rule = ", which are not m x k, k x n and m x n";
  expect_rejected([&] { acc::gemm(exec, "N", "N", 1.0, a, a, 0.0, c); },
                  "acc::gemm: op(A) is 3 x 4, op(B) is 3 x 4 and C is 3 x 5" + rule);
  expect_rejected([&] { acc::gemm(exec, "T", "N", 1.0, a, b, 0.0, c); },
                  "acc::gemm: op(A) is 4 x 3, op(B) is 4 x 5 and C is 3 x 5" + rule);
  expect_rejected([&] { acc::gemm("N", "c", 1.0, a, b, 0.0, c, acc::compensated{}); },
                  "acc::gemm: op(A) is 3 x 4, op(B) is 5 x 4 and C is 3 x 5" + rule);
  expect_rejected([&] { acc::gemm(exec, "N", "N", 0.0, a, b, 0.0, Matrix("c", 3, 4)); },
                  "acc::gemm: op(A) is 3 x 4, op(B) is 4 x 5 and C is 3 x 4" + rule);
  expect_rejected([&] { acc::gemm(exec, "N", "N", 1.0, Matrix("a", 0, 4), b, 0.0, c); },
                  "acc::gemm: op(A) is 0 x 4, op(B) is 4 x 5 and C is 3 x 5" + rule);
  expect_rejected([&] { (void)acc::gemm_workspace(exec, "N", "N", b, a, c); },
                  "acc::gemm_workspace: op(A) is 4 x 5, op(B) is 3 x 4 and C is 3 x 5" + rule);
  expect_rejected([&] { acc::gemv(exec, "N", 1.0, a, Vector("x", 3), 0.0, Vector("y", 3)); },
                  "acc::gemv: op(A) is 3 x 4, x is 3 x 1 and y is 3 x 1" + rule);
  expect_rejected([&] { acc::gemv("t", 1.0, a, Vector("x", 3), 0.0, Vector("y", 3)); },
                  "acc::gemv: op(A) is 4 x 3, x is 3 x 1 and y is 3 x 1" + rule);
  const auto batch = [](int n, int m, int k) { return Batch("batch", n, m, k); };
  expect_rejected(
      [&] {
        acc::batched_gemm(exec, "N", "N", 1.0, batch(2, 3, 4), batch(2, 5, 6), 0.0, batch(2, 3, 6));
      },
      "acc::batched_gemm: op(A) is 3 x 4, op(B) is 5 x 6 and C is 3 x 6" + rule);
}

TEST_F(GemmErrors, NumbersOfMatricesDiffer) {
  const auto batch = [](int n) { return Batch("batch", n, 3, 3); };
  const std::string text =
      "acc::batched_gemm: A, B and C must have the same number of matrices, but ";
  expect_rejected(
      [&] { acc::batched_gemm(exec, "N", "N", 1.0, batch(2), batch(3), 0.0, batch(2)); },
      text + "have 2, 3 and 2");
  expect_rejected([&] { acc::batched_gemm("N", "N", 1.0, batch(0), batch(1), 0.0, batch(1)); },
                  text + "have 0, 1 and 1");
}

TEST_F(GemmErrors, UnknownLetters) {
  const auto call = [&](const char* ta, const char* tb) {
    acc::gemm(exec, ta, tb, 1.0, a, b, 0.0, c);
  };
  const std::string rule = R"( must be "N", "T" or "C", but is )";
  expect_rejected([&] { call("X", "N"); }, "acc::gemm: transA" + rule + "\"X\"");
  expect_rejected([&] { call("N", ""); }, "acc::gemm: transB" + rule + "\"\"");
  expect_rejected([&] { call("N", "*"); }, "acc::gemm: transB" + rule + "\"*\"");
  expect_rejected([&] { call("\n", "N"); }, "acc::gemm: transA" + rule + "the character 10");
  expect_rejected([&] { call("\"", "N"); }, "acc::gemm: transA" + rule + "the character 34");
  expect_rejected([&] { call("\xe9", "N"); }, "acc::gemm: transA" + rule + "the character 233");
  expect_rejected([&] { call(nullptr, "N"); }, "acc::gemm: transA" + rule + "a null pointer");
  expect_rejected([&] { acc::gemv(exec, "H", 1.0, a, Vector("x", 4), 0.0, Vector("y", 3)); },
                  "acc::gemv: trans" + rule + "\"H\"");
  const Batch one("one", 1, 2, 2), two("two", 1, 2, 2);
  expect_rejected([&] { acc::batched_gemm(exec, "N", "h", 1.0, one, one, 0.0, two); },
                  "acc::batched_gemm: transB" + rule + "\"h\"");
  // The message shows no more than was looked at: behind a char there may be nothing to read.
  const char letters[] = {'X', 'N'};
  expect_rejected([&] { call("N", letters); }, "acc::gemm: transB" + rule + "\"X\"");
}

TEST_F(GemmErrors, StripsAreAtLeastOne) {
  const auto expect = [&](const auto& method, const std::string& number) {
    expect_rejected([&] { acc::gemm(exec, "N", "N", 1.0, a, b, 0.0, c, method); },
                    "acc::gemm: strip must be at least 1, but is " + number);
  };
  expect(acc::blocked{0}, "0");
  expect(acc::selective<acc::seeded>{-1}, "-1");
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  expect(acc::selective<acc::kahan>{least}, std::to_string(least));
  expect_rejected(
      [&] { acc::gemv(exec, "N", 1.0, a, Vector("x", 4), 0.0, Vector("y", 3), acc::blocked{-5}); },
      "acc::gemv: strip must be at least 1, but is -5");
}

TEST_F(GemmErrors, NoData) {
  const std::string text = " but has no data (null pointer)";
  expect_overlap(Nowhere(nullptr, 3, 4), b, c, "A is 3 x 4" + text);
  expect_overlap(a, Nowhere(nullptr, 4, 5), c, "B is 4 x 5" + text);
  expect_overlap(a, b, Nowhere(nullptr, 3, 5), "C is 3 x 5" + text);
  // The matrix as it was given, not op of it.
  expect_rejected(
      [&] { acc::gemm(exec, "T", "N", 1.0, Nowhere(nullptr, 4, 3), b, 0.0, c, acc::plain{}); },
      "acc::gemm: A is 4 x 3" + text);
  // Without elements there need be no data.
  multiply(Nowhere(nullptr, 3, 0), Nowhere(nullptr, 0, 5), c);
  multiply(Nowhere(nullptr, 0, 4), b, Nowhere(nullptr, 0, 5));
}

TEST_F(GemmErrors, CLiesInAFactor) {
  const Matrix m("m", 8, 8);
  const auto whole = Kokkos::subview(m, Kokkos::ALL, Kokkos::ALL);
  const Matrix other("other", 8, 8);
  expect_overlap(m, other, m, "C (8 x 8) and A (8 x 8) overlap");
  expect_overlap(other, m, whole, "C (8 x 8) and B (8 x 8) overlap");
  const auto block = [&](int row, int column, int rows, int columns) {
    return Kokkos::subview(m, span(row, row + rows), span(column, column + columns));
  };
  const Matrix square("square", 3, 3);
  expect_overlap(block(0, 0, 3, 3), square, block(2, 2, 3, 3), "C (3 x 3) and A (3 x 3) overlap");
  expect_overlap(square, block(1, 1, 3, 4), block(3, 4, 3, 4), "C (3 x 4) and B (3 x 4) overlap");
  // The same memory seen by other strides.
  const MatrixOf<Kokkos::LayoutLeft> left("left", 3, 3);
  const Nowhere as_right(left.data(), 3, 3);
  expect_overlap(left, square, as_right, "C (3 x 3) and A (3 x 3) overlap");
  const Vector x("x", 8);
  expect_rejected([&] { acc::gemv(exec, "N", 1.0, m, x, 0.0, x); },
                  "acc::gemv: y (8 x 1) and x (8 x 1) overlap");
  expect_rejected([&] { acc::gemv(exec, "N", 1.0, m, x, 0.0, Kokkos::subview(m, Kokkos::ALL, 3)); },
                  "acc::gemv: y (8 x 1) and A (8 x 8) overlap");
  const Batch batch("batch", 3, 4, 4), factor("factor", 3, 4, 4);
  expect_rejected([&] { acc::batched_gemm(exec, "N", "T", 1.0, batch, factor, 0.0, batch); },
                  "acc::batched_gemm: C (4 x 4) and A (4 x 4) overlap");
  // The matrix as it was given, not op of it.
  const auto tall = block(0, 0, 5, 2), wide = block(1, 1, 2, 3);
  expect_rejected(
      [&] { acc::gemm(exec, "T", "N", 1.0, tall, Matrix("b", 5, 3), 0.0, wide, acc::plain{}); },
      "acc::gemm: C (2 x 3) and A (5 x 2) overlap");
}

TEST_F(GemmErrors, EntriesOfCShareAPlace) {
  const Matrix a("a", 3, 2), b("b", 2, 4);
  const Kokkos::View<double*, Exec> memory("memory", 64);
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Exec>;
  const auto expect = [&](std::size_t rows, std::size_t columns, const std::string& text) {
    const Strided c(memory.data(), Kokkos::LayoutStride(3, rows, 4, columns));
    expect_rejected(
        [&] { acc::gemm(exec, "N", "N", 1.0, a, b, 0.0, c); },
        "acc::gemm: C is 3 x 4 with strides " + text + ": two of its entries share a place");
  };
  expect(0, 1, "0 and 1");
  expect(5, 0, "5 and 0");
  expect(1, 1, "1 and 1");
  expect(2, 1, "2 and 1");
  expect(6, 4, "6 and 4");
  const Kokkos::View<double*, Kokkos::LayoutStride, Exec> y(memory.data(),
                                                            Kokkos::LayoutStride(3, 0));
  expect_rejected([&] { acc::gemv(exec, "N", 1.0, a, Vector("x", 2), 0.0, y); },
                  "acc::gemv: y is 3 x 1 with stride 0: two of its entries share a place");
  // Interleaved, but each in its own place.
  const Strided c(memory.data(), Kokkos::LayoutStride(3, 4, 4, 3));
  EXPECT_NO_THROW(acc::gemm(exec, "N", "N", 1.0, a, b, 0.0, c));
  // Of two batches, in two rows and two columns: 15 = 3 * 4 + 3 * 1.
  using StridedBatch = Kokkos::View<double***, Kokkos::LayoutStride, Exec>;
  const Batch factors("factors", 3, 4, 4);
  const auto batches = [&](std::size_t stride) {
    return StridedBatch(memory.data(), Kokkos::LayoutStride(3, stride, 4, 1, 4, 4));
  };
  for (const std::size_t stride : {11, 13, 15})
    expect_rejected(
        [&] { acc::batched_gemm(exec, "N", "N", 1.0, factors, factors, 0.0, batches(stride)); },
        "acc::batched_gemm: C is 4 x 4 with strides 1 and 4 and matrices " +
            std::to_string(stride) + " apart: two of its entries share a place");
  for (const std::size_t stride : {16, 17})
    EXPECT_NO_THROW(acc::batched_gemm(exec, "N", "N", 1.0, factors, factors, 0.0, batches(stride)));
  // Not nested, and yet apart: rows 6 apart, columns 10, batches 15.
  const StridedBatch apart(memory.data(), Kokkos::LayoutStride(2, 15, 2, 6, 2, 10));
  const Batch pairs("pairs", 2, 2, 2);
  EXPECT_NO_THROW(acc::batched_gemm(exec, "N", "N", 1.0, pairs, pairs, 0.0, apart));
}

/// Views have them by LayoutStride, modulo 2^64, as those of an mdspan that runs backwards.
TEST_F(GemmErrors, StridesAreNotNegative) {
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Exec>;
  const Kokkos::View<double*, Exec> memory("memory", 64);
  const auto view = [&](std::size_t rows, std::int64_t row, std::size_t columns,
                        std::int64_t column) {
    return Strided(memory.data() + 32,
                   Kokkos::LayoutStride(rows, static_cast<std::size_t>(row), columns,
                                        static_cast<std::size_t>(column)));
  };
  expect_overlap(view(3, 4, 4, -1), b, c, "A has a negative stride, -1");
  expect_overlap(a, view(4, -5, 5, 1), c, "B has a negative stride, -5");
  expect_overlap(a, b, view(3, -5, 5, 1), "C has a negative stride, -5");
  expect_rejected([&] { acc::gemm(exec, "T", "N", 1.0, view(4, 1, 3, -4), b, 0.0, c); },
                  "acc::gemm: A has a negative stride, -4");
  const Kokkos::View<double*, Kokkos::LayoutStride, Exec> x(
      memory.data() + 32, Kokkos::LayoutStride(4, static_cast<std::size_t>(-2)));
  expect_rejected([&] { acc::gemv(exec, "N", 1.0, a, x, 0.0, Vector("y", 3)); },
                  "acc::gemv: x has a negative stride, -2");
  // Of a single row or column, and without elements, a stride leads nowhere.
  multiply(view(1, -4, 4, 1), b, Matrix("c", 1, 5));
  multiply(Matrix("a", 1, 4), b, view(1, -5, 5, 1));
  multiply(view(3, -1, 0, -1), view(0, -1, 5, -1), Matrix("c", 3, 5));
}

/// Blocks of one matrix that share no element.
template <class Layout>
void expect_disjoint_blocks_accepted() {
  const Kokkos::View<double**, Layout, Exec> m("m", 12, 12);
  const auto block = [&](int row, int column, int rows, int columns) {
    return Kokkos::subview(m, span(row, row + rows), span(column, column + columns));
  };
  const auto expect = [](const auto& a, const auto& b, const auto& c) {
    EXPECT_NO_THROW(GemmErrors::multiply(a, b, c));
  };
  expect(block(4, 0, 8, 4), block(0, 4, 4, 8), block(4, 4, 8, 8));  // a step of LU
  expect(block(0, 0, 3, 3), block(0, 6, 3, 3), block(0, 3, 3, 3));  // side by side
  expect(block(0, 0, 3, 3), block(6, 0, 3, 3), block(3, 0, 3, 3));  // above each other
  expect(block(9, 9, 3, 3), block(0, 0, 3, 3), block(3, 6, 3, 3));
  expect(block(0, 0, 1, 1), block(0, 1, 1, 1), block(1, 0, 1, 1));
  // One row or one column of C beside wider factors.
  expect(block(0, 0, 6, 5), block(0, 8, 5, 1), block(6, 3, 6, 1));
  expect(block(2, 0, 1, 5), block(7, 2, 5, 6), block(3, 6, 1, 6));
  expect(block(0, 0, 3, 6), block(6, 0, 6, 1), block(3, 3, 3, 1));
  expect(block(0, 0, 1, 6), block(0, 2, 6, 4), block(3, 7, 1, 4));
}

TEST_F(GemmErrors, DisjointBlocksOfOneMatrixAreAccepted) {
  expect_disjoint_blocks_accepted<Kokkos::LayoutLeft>();
  expect_disjoint_blocks_accepted<Kokkos::LayoutRight>();
}

TEST_F(GemmErrors, InterleavedMatricesAreAccepted) {
  // Columns (rows) of three matrices in turn: the slices of an array of rank 3.
  const Kokkos::View<double***, Kokkos::LayoutLeft, Exec> left("left", 5, 3, 5);
  const Kokkos::View<double***, Kokkos::LayoutRight, Exec> right("right", 5, 3, 5);
  const auto slice = [](const auto& v, int i) {
    return Kokkos::subview(v, Kokkos::ALL, i, Kokkos::ALL);
  };
  EXPECT_NO_THROW(multiply(slice(left, 0), slice(left, 2), slice(left, 1)));
  EXPECT_NO_THROW(multiply(slice(right, 2), slice(right, 1), slice(right, 0)));
  expect_overlap(slice(right, 2), slice(right, 1), slice(right, 2),
                 "C (5 x 5) and A (5 x 5) overlap");
  // Elements in turn: real and imaginary parts, say.
  const Kokkos::View<double***, Kokkos::LayoutRight, Exec> pairs("pairs", 4, 4, 2);
  const Matrix other("other", 4, 4);
  EXPECT_NO_THROW(multiply(Kokkos::subview(pairs, Kokkos::ALL, Kokkos::ALL, 0), other,
                           Kokkos::subview(pairs, Kokkos::ALL, Kokkos::ALL, 1)));
  // A row of a matrix from others of its rows.
  const MatrixOf<Kokkos::LayoutLeft> m("m", 9, 7);
  const auto row = [&](int i) { return Kokkos::subview(m, i, Kokkos::ALL); };
  EXPECT_NO_THROW(acc::gemv(exec, "T", 1.0, Kokkos::subview(m, span(0, 7), Kokkos::ALL), row(7),
                            1.0, row(8), acc::plain{}));
}

/// Which of the 400 numbers a batch of matrices has.
std::vector<bool> numbers_of(const acc::impl::matrix_data<double>& m, const double* first,
                             std::int64_t batches) {
  std::vector<bool> has(400, false);
  for (std::int64_t e = 0; e < batches * m.rows * m.columns; ++e) {
    const double& x = m.of_batch(e / m.rows / m.columns)(e % m.rows, e / m.rows % m.columns);
    has[static_cast<std::size_t>(&x - first)] = true;
  }
  return has;
}

TEST(GemmOverlap, IsWhatTheElementsShow) {
  double memory[400];
  Random random(1);
  int shared = 0, apart = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    // Blocks of an array of rank 3, its indices in any order; or, at times, any strides at all.
    const bool nested = trial % 4 != 0;
    const auto draw = [&] {
      const std::int64_t strides[3] = {1, 7, 56};
      std::int64_t extents[3], stride[3], offset = 0;
      std::size_t order[3] = {0, 1, 2};
      for (std::size_t i = 3; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      for (int i = 0; i < 3; ++i) {
        const int all = 7 - random.integer(0, 6);
        extents[i] = random.integer(1, nested ? all : 3);
        stride[i] = nested ? strides[order[i]] : random.integer(0, 40);
        if (nested) offset += stride[i] * random.integer(0, static_cast<int>(7 - extents[i]));
      }
      if (!nested) offset = random.integer(0, 100);
      return std::pair(acc::impl::matrix_data<double>{memory + offset, extents[0], extents[1],
                                                      stride[0], stride[1], stride[2]},
                       extents[2]);
    };
    const auto [a, a_batches] = draw();
    const auto [b, b_batches] = draw();
    const auto in_a = numbers_of(a, memory, a_batches), in_b = numbers_of(b, memory, b_batches);
    bool share = false;
    for (std::size_t i = 0; i < 400; ++i) share = share || (in_a[i] && in_b[i]);
    (share ? shared : apart) += 1;
    const bool says = acc::impl::may_overlap(a, a_batches, b, b_batches);
    if (nested || share) {
      ASSERT_EQ(says, share) << "trial " << trial;
    }
  }
  EXPECT_GT(shared, 1000);
  EXPECT_GT(apart, 1000);
}

}  // namespace
}  // namespace acc_test
