// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::gemm has the bits of its definition: for every method and type, whatever the tile, the piece
// of depth and the strip that an entry meets, and whatever becomes of it by alpha and beta.
#pragma once

#include "gemm_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace acc_test {
namespace {

template <class T>
class Gemm : public testing::Test {
 public:
  /// One of plain's chains and one that is closed into totals: where all methods would only repeat
  /// what does not depend on them.
  template <class Body>
  static void for_two_methods(const Body& body) {
    body(acc::plain{});
    body(acc::selective<acc::seeded>{16});
  }
  /// A factor with no zero part.
  static T factor(std::uint64_t seed) { return elements<T>(Data::uniform, 1, seed)[0]; }
};
using GemmTypes = testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Gemm, GemmTypes);

std::string text_of(const Shape& s) {
  return "k = " + std::to_string(s.k) + ", lays " + std::to_string(int(s.a)) +
         std::to_string(int(s.b)) + std::to_string(int(s.c));
}

TYPED_TEST(Gemm, EveryMethodAroundTheTiles) {
  using T = TypeParam;
  // Tiles have up to 14 rows and 32 real columns, fewer rows at an edge; on GPUs up to 128 rows,
  // and other ways to load what is aligned.
  const Shape shapes[] = {{1, 1, 37},
                          {1, 33, 37, Lay::right, Lay::left, Lay::left},
                          {14, 1, 37, Lay::left, Lay::right, Lay::strided},
                          {13, 31, 37, Lay::left, Lay::right, Lay::right},
                          {14, 32, 37, Lay::right, Lay::right_block, Lay::right},
                          {15, 33, 37, Lay::right_block, Lay::left_block, Lay::left},
                          {6, 8, 37, Lay::strided, Lay::strided, Lay::strided},
                          {7, 17, 37, Lay::left_block, Lay::right, Lay::left_block},
                          {5, 16, 37, Lay::right, Lay::left, Lay::right_block},
                          {2, 9, 37, Lay::left, Lay::left, Lay::right},
                          {29, 65, 37, Lay::left, Lay::right, Lay::left},
                          {64, 64, 20, Lay::left, Lay::right, Lay::left},
                          {68, 132, 18, Lay::left, Lay::right, Lay::right},
                          {129, 65, 9, Lay::right, Lay::left, Lay::left}};
  for (const Shape& s : shapes) {
    const Product<T> p(s, "N", "N", Data::wide, Data::uniform, s.m * 100 + s.n);
    for_methods<T>({8}, [&](const auto& method) { p.expect_definition(method, text_of(s)); });
  }
}

// Hosts multiply small matrices, and small matrices and vectors, by kernels of their own, whose
// tiles have up to 8 rows and 32 columns, a row alone 128. Columns whose numbers are no neighbors
// are packed, squares of up to 16 by 16 at a time. Of complex numbers they have half the columns, a
// row alone a quarter. C is copied where neither its rows nor its columns are neighbors: up to 2048
// real numbers.
TYPED_TEST(Gemm, SmallProductsOfEveryShape) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  const auto expect = [&](std::size_t m, std::size_t n, std::size_t k, const char* op_a,
                          const char* op_b) {
    ++seed;
    const Shape s{m, n, k, all_lays[seed % 5], all_lays[seed / 5 % 5], all_lays[seed / 2 % 5]};
    Product<T> p(s, op_a, op_b, Data::wide, Data::uniform, seed);
    p.alpha = seed % 3 == 0 ? this->factor(seed) : seed % 3 == 1 ? T(1) : T(-1);
    const T betas[] = {this->factor(seed + 1), T(0.5), T(0), T(0), T(1), T(-1), T(0)};
    p.beta = betas[seed % 7];
    p.expect_definition(acc::selective<acc::seeded>{}, text_of(s));
    // Beside an infinity, entries of the same tile are what they were.
    p.a(p.a.rows - 1, p.a.columns / 2) = T(std::numeric_limits<real_t<T>>::infinity());
    p.expect_definition(acc::selective<acc::seeded>{}, text_of(s) + ", with an infinity");
  };
  const char* const transposed[] = {"T", "C"};
  for (const std::size_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16})
    for (const std::size_t n : {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 31, 32, 33})
      for (const std::size_t k : {1, 2, 13})
        expect(m, n, k, k == 2 ? transposed[m % 2] : "N", n % 2 ? "N" : transposed[k % 2]);
  for (const std::size_t n : {16, 24, 25, 32, 40, 48, 63, 64, 65, 96, 127, 128, 129, 300}) {
    for (const std::size_t k : {9, 23}) {
      expect(1, n, k, "N", "N");
      expect(1, n, k, k == 9 ? "C" : "N", k == 9 ? "T" : "C");
      expect(n, 1, k, "N", "N");
      expect(n, 1, k, transposed[n % 2], "N");
    }
  }
  for (const char* const op_a : {"N", "T", "C"}) {
    for (const char* const op_b : {"N", "T", "C"}) {
      for (const std::size_t k : {16, 33, 64, 128, 129, 255, 256, 257}) {
        expect(3, 2, k, op_a, op_b);
        expect(9, 37, k, op_a, op_b);
        expect(1, 30, k, op_a, op_b);
        expect(30, 1, k, op_a, op_b);
      }
      expect(64, 64, 63, op_a, op_b);
      expect(65, 64, 64, op_a, op_b);
    }
  }
  for (const auto& [m, n] : {std::pair{32, 32}, std::pair{32, 33}, std::pair{40, 40},
                             std::pair{32, 64}, std::pair{33, 63}}) {
    const Shape s{std::size_t(m), std::size_t(n), 3, Lay::left, Lay::left, Lay::strided};
    Product<T> p(s, "N", "N", Data::wide, Data::uniform, ++seed);
    p.expect_definition(acc::selective<acc::seeded>{}, text_of(s));
  }
}

// What hosts do with alpha = 1 or -1 and beta = 0, 1 or -1, where nothing is rounded before the
// last addition and they leave out the corrections. What may tell are zeros of either sign, chains
// that underflow to -0, sums that overflow, and NaN.
TYPED_TEST(Gemm, SmallProductsByUnits) {
  using T = TypeParam;
  using Real = real_t<T>;
  using limits = std::numeric_limits<Real>;
  const Real numbers[] = {Real(-0.0),
                          Real(0),
                          -limits::denorm_min(),
                          limits::denorm_min(),
                          limits::max(),
                          -limits::max(),
                          Real(-1),
                          Real(0.5),
                          limits::infinity(),
                          limits::quiet_NaN()};
  std::vector<T> alphas{T(1), T(-1), T(2)}, betas{T(0), T(1), T(-1), T(2)};
  if constexpr (is_complex<T>) {
    alphas.insert(alphas.end(), {T(0, 1), T(1, -0.0), T(-1, 2)});
    betas.insert(betas.end(), {T(0, -1), T(-0.0, 0), T(1, -0.0), T(1, 2), T(-1, -1)});
  }
  std::uint64_t drawn = 0;
  for (const std::uint64_t count : {4, 8, 10}) {
    const auto number = [&] { return numbers[(++drawn * 0x9e3779b97f4a7c15u >> 40) % count]; };
    for (const T alpha : alphas) {
      for (const T beta : betas) {
        for (const std::size_t k : {1, 2, 5}) {
          Shape s{19, 21, k};
          if (k == 2) s.c = Lay::strided;
          Product<T> p(s, "N", "N");
          p.alpha = alpha;
          p.beta = beta;
          for (Matrix<T>* const x : {&p.a, &p.b, &p.c}) {
            for (std::size_t i = 0; i < x->rows; ++i) {
              for (std::size_t j = 0; j < x->columns; ++j) {
                if constexpr (is_complex<T>) {
                  const Real re = number();
                  (*x)(i, j) = T(re, number());
                } else {
                  (*x)(i, j) = number();
                }
              }
            }
          }
          p.expect_definition(acc::selective<acc::seeded>{}, text_of(s));
        }
      }
    }
  }
}

TYPED_TEST(Gemm, EveryOperationInEitherCase) {
  using T = TypeParam;
  const char* letters[] = {"N", "n", "T", "t", "C", "c"};
  std::uint64_t seed = 0;
  for (const char* ta : letters) {
    for (const char* tb : letters) {
      // All lays of A, B and C in turn, and whole vectors of columns beside odd ones.
      ++seed;
      const Shape s{seed % 2 == 0 ? 16u : 15u, seed % 3 == 0 ? 32u : 18u, 40,
                    all_lays[seed % 5],        all_lays[seed / 5 % 5],    all_lays[seed / 2 % 5]};
      const Product<T> p(s, ta, tb, Data::uniform, Data::uniform, seed);
      this->for_two_methods([&](const auto& method) { p.expect_definition(method, text_of(s)); });
    }
  }
}

// KokkosBlas's callers pass the address of one char, a BLAS's whole words.
TYPED_TEST(Gemm, TheFirstLetterAloneCounts) {
  using T = TypeParam;
  const char transposed[] = {'T', 'N'}, as_it_is[] = {'n', '?'};  // no end of a text
  const char* texts[] = {transposed, as_it_is, "No transpose", "transpose", "Conjugate"};
  for (const char* text : texts) {
    const Product<T> p({5, 7, 9}, text, text, Data::uniform, Data::uniform, 1);
    p.expect_same(p.by_definition(acc::plain{}), p.by_gemm(acc::plain{}), {text[0]});
  }
}

TYPED_TEST(Gemm, EveryLay) {
  using T = TypeParam;
  for (const Lay a : all_lays) {
    for (const Lay b : all_lays) {
      for (const Lay c : all_lays) {
        const Shape s{9, 17, 21, a, b, c};
        Product<T> p(s, "N", "N", Data::uniform, Data::uniform, 3);
        p.beta = this->factor(4);
        p.expect_definition(acc::selective<acc::kahan>{8}, text_of(s));
      }
    }
  }
}

TYPED_TEST(Gemm, StripsAgainstDepth) {
  using T = TypeParam;
  for (const std::size_t strip : {1, 2, 8, 64}) {
    for (const std::size_t k : {std::size_t(1), strip - 1, strip, strip + 1, 2 * strip - 1,
                                2 * strip, 2 * strip + 1, 5 * strip + 3}) {
      const Shape s{3, 5, k};
      const Product<T> p(s, "N", "T", Data::uniform, Data::wide, k);
      for_strip_methods(static_cast<std::int64_t>(strip),
                        [&](const auto& method) { p.expect_definition(method, text_of(s)); });
    }
  }
  for (const std::int64_t endless :
       {std::int64_t(1) << 32, std::numeric_limits<std::int64_t>::max()}) {
    const Product<T> p({3, 5, 70}, "N", "N", Data::uniform, Data::wide, 1);
    for_strip_methods(endless, [&](const auto& method) { p.expect_definition(method); });
  }
}

TYPED_TEST(Gemm, DepthsOfSeveralPieces) {
  using T = TypeParam;
  const std::size_t depth = is_complex<T> ? 1250 : 2500;  // a host takes up to 2048 real products
  for (const Shape& s : {Shape{9, 18, depth, Lay::right, Lay::left, Lay::right},
                         Shape{5, 3, depth, Lay::left, Lay::strided, Lay::left}}) {
    const Product<T> p(s, "N", "C", Data::uniform, Data::uniform, s.m);
    // The last strip is longer than a piece.
    for_methods<T>({1, 100, is_complex<T> ? 1100 : 2200},
                   [&](const auto& method) { p.expect_definition(method, text_of(s)); });
  }
  // More rows than a cache takes at a time, and few rows, for which B stays in place.
  for (const Shape& s : {Shape{230, 35, 520, Lay::right, Lay::right, Lay::right},
                         Shape{20, 70, 1100, Lay::right, Lay::right_block, Lay::right}}) {
    Product<T>(s, "N", "N", Data::uniform, Data::uniform, 1)
        .expect_definition(acc::selective<acc::seeded>{100}, text_of(s));
  }
}

/// Depths around sections' ends, with every method; tiles of whole and of part rows and columns.
TYPED_TEST(Gemm, SectionsOfDepth) {
  using T = TypeParam;
  constexpr std::size_t section = std::size_t(acc::gemm_section);
  for (const Shape& s : {Shape{3, 5, section - 1}, Shape{3, 5, section},
                         Shape{5, 3, section + 1, Lay::right, Lay::left, Lay::left},
                         Shape{2, 9, 2 * section, Lay::strided, Lay::right, Lay::strided},
                         Shape{17, 35, 2 * section + 70, Lay::left, Lay::right, Lay::right},
                         Shape{9, 2, 5 * section - 1, Lay::left, Lay::left, Lay::right_block},
                         // Divided, sections are added sixteen at a time after the first one.
                         Shape{2, 3, 18 * section + 5, Lay::left, Lay::right, Lay::right},
                         Shape{3, 2, 34 * section, Lay::right, Lay::left, Lay::left}}) {
    Product<T> p(s, "N", "N", Data::wide, Data::uniform, s.k);
    p.alpha = this->factor(1);
    if (s.m > s.n) p.beta = this->factor(2);
    // Strips that divide a section, and one that its end cuts.
    for_methods<T>({64, 100}, [&](const auto& method) { p.expect_definition(method, text_of(s)); });
  }
  // The strip is as long as all of k: a section ends it nevertheless.
  const Product<T> p({4, 6, 2 * section + 9}, "N", "C", Data::uniform, Data::uniform, 1);
  for_strip_methods(1 << 20, [&](const auto& method) { p.expect_definition(method, "one strip"); });
}

/// Many tiles, which wait from section to section; of some shapes B stays in place.
TYPED_TEST(Gemm, SectionsOfManyTiles) {
  using T = TypeParam;
  constexpr std::size_t section = std::size_t(acc::gemm_section);
  for (const Shape& s : {Shape{130, 40, section + 30, Lay::right, Lay::right, Lay::right},
                         Shape{20, 70, 2 * section + 1, Lay::right, Lay::right_block, Lay::right},
                         Shape{6, 97, section + 33, Lay::left, Lay::right, Lay::left}}) {
    Product<T> p(s, "N", "N", Data::uniform, Data::uniform, s.m);
    p.beta = this->factor(3);
    this->for_two_methods([&](const auto& method) { p.expect_definition(method, text_of(s)); });
  }
}

/// Sums of sections that cancel: what their additions keep shows in the result.
TYPED_TEST(Gemm, CancellationBetweenSections) {
  using T = TypeParam;
  constexpr std::size_t section = std::size_t(acc::gemm_section);
  Product<T> p({5, 7, 3 * section}, "N", "N", Data::uniform, Data::uniform, 23);
  for (std::size_t k = 0; k < section; ++k) {
    for (std::size_t i = 0; i < 5; ++i) p.a(i, k + 2 * section) = -p.a(i, k);
    for (std::size_t j = 0; j < 7; ++j) {
      p.b(k + 2 * section, j) = p.b(k, j);
      p.b(k + section, j) *= T(u<real_t<T>>);
    }
  }
  for_methods<T>({64}, [&](const auto& m) { p.expect_definition(m, "cancellation"); });
}

TYPED_TEST(Gemm, BlocksOfALargeMatrix) {
  using T = TypeParam;
  for (const Shape& s : {Shape{2070, 3, 5, Lay::left, Lay::left, Lay::left},
                         Shape{3, 2100, 5, Lay::right, Lay::right, Lay::right},
                         Shape{130, 140, 9, Lay::right, Lay::right, Lay::right}}) {
    const Product<T> p(s, "N", "N", Data::uniform, Data::uniform, s.m);
    p.expect_definition(acc::selective<acc::priest>{4}, text_of(s));
  }
}

/// A GPU's larger tiles serve products that fill all its multiprocessors (with_cuda_tiles); panels
/// in vectors, and panels that have to be packed.
TYPED_TEST(Gemm, ProductsThatFillTheDevice) {
  using T = TypeParam;
  const std::size_t m = on_host_memory ? 128 : 2048;
  const Product<T> largest({2 * m, m, 18, Lay::left, Lay::right, Lay::left}, "N", "N", Data::wide,
                           Data::uniform, 1);
  largest.expect_definition(acc::plain{});
  for (const Shape& s : {Shape{m, m, 34, Lay::left, Lay::right, Lay::left},
                         Shape{m - 1, m - 3, 21, Lay::right_block, Lay::left, Lay::right},
                         Shape{m / 2 + 1, m / 4, 19, Lay::left, Lay::left, Lay::strided}}) {
    const Product<T> p(s, "N", "N", Data::wide, Data::uniform, s.m);
    for_methods<T>({16}, [&](const auto& method) { p.expect_definition(method, text_of(s)); });
  }
}

TYPED_TEST(Gemm, EveryFamilyOfData) {
  using T = TypeParam;
  for (const Data data : all_data) {
    const Shape s{7, 9, 50};
    Product<T> p(s, "N", "N", data, Data::uniform, 7);
    for_methods<T>({8}, [&](const auto& m) { p.expect_definition(m, std::string(name(data))); });
    // Products that overflow or underflow.
    Product<T> twice(s, "T", "N", data, data, 7);
    for_methods<T>({8}, [&](const auto& m) {
      twice.expect_definition(m, "twice " + std::string(name(data)));
    });
  }
}

TYPED_TEST(Gemm, CancellationShowsTheCorrections) {
  using T = TypeParam;
  for (const std::size_t k : {7, 60, 200}) {
    Product<T> p = ill_conditioned_product<T>(k, sizeof(real_t<T>) == 4 ? 1e14 : 1e32);
    for_methods<T>({1, 8}, [&](const auto& m) { p.expect_definition(m, "condition"); });
    // The residual C - alpha A B, where C is that product rounded: what the rounding left.
    for (const T alpha : {T(1), this->factor(k)}) {
      p.beta = T(0);
      p.alpha = alpha;
      p.c = p.by_definition(acc::compensated{});
      p.alpha = -alpha;
      p.beta = T(1);
      for_methods<T>({1, 8}, [&](const auto& m) { p.expect_definition(m, "residual"); });
    }
  }
}

TYPED_TEST(Gemm, AlphaAndBeta) {
  using T = TypeParam;
  std::vector<T> factors{T(0), T(-0.0), T(1), T(-1), this->factor(1)};
  if constexpr (is_complex<T>) {
    factors.push_back(T(0, 1));
    factors.push_back(T(0, -0.7));
  }
  for (const Lay c : {Lay::right, Lay::left}) {
    Product<T> p({4, 6, 19, Lay::left, Lay::left, c}, "N", "N", Data::uniform, Data::uniform, 11);
    p.c(1, 2) = T(-0.0);
    p.a(2, 3) = T(0);
    for (const T alpha : factors) {
      for (const T beta : factors) {
        p.alpha = alpha;
        p.beta = beta;
        for_methods<T>({8}, [&](const auto& method) { p.expect_definition(method, "factors"); });
      }
    }
  }
}

TYPED_TEST(Gemm, EmptyAndSingleExtents) {
  using T = TypeParam;
  for (const std::size_t m : {0, 1, 2}) {
    for (const std::size_t n : {0, 1, 3}) {
      for (const std::size_t k : {0, 1, 2}) {
        for (const T beta : {T(0), T(1), this->factor(5)}) {
          Product<T> p({m, n, k}, "T", "N", Data::uniform, Data::uniform, m + 10 * n + 100 * k);
          p.beta = beta;
          this->for_two_methods([&](const auto& method) { p.expect_definition(method, "small"); });
        }
      }
    }
  }
}

TYPED_TEST(Gemm, AnEntryIsTheSameInEveryProduct) {
  using T = TypeParam;
  const Product<T> p({31, 37, 130}, "N", "N", Data::uniform, Data::wide, 13);
  const auto alone = [&](std::size_t i, std::size_t j, std::size_t m, std::size_t n) {
    Product<T> q({m, n, p.depth}, "N", "N");
    for (std::size_t k = 0; k < p.depth; ++k) {
      for (std::size_t r = 0; r < m; ++r) q.a(r, k) = p.a(i + r, k);
      for (std::size_t s = 0; s < n; ++s) q.b(k, s) = p.b(k, j + s);
    }
    return q;
  };
  for_methods<T>({16}, [&](const auto& method) {
    const auto whole = p.by_gemm(method);
    const auto expect = [&](std::size_t i, std::size_t j, std::size_t m, std::size_t n) {
      const auto block = alone(i, j, m, n).by_gemm(method);
      for (std::size_t r = 0; r < m; ++r) {
        for (std::size_t s = 0; s < n; ++s) {
          ASSERT_EQ(bits(block(r, s)), bits(whole(i + r, j + s)))
              << name(method) << ": block at " << i << ", " << j << ", entry " << r << ", " << s;
        }
      }
    };
    for (const std::size_t i : {0, 13, 30}) expect(i, 0, 1, 37);  // a row
    for (const std::size_t j : {0, 17, 36}) expect(0, j, 31, 1);  // a column
    expect(5, 3, 1, 1);
    expect(3, 7, 17, 19);
  });
}

TYPED_TEST(Gemm, TheSameBitsRunAfterRun) {
  using T = TypeParam;
  const Product<T> p({70, 80, 90}, "N", "N", Data::uniform, Data::uniform, 17);
  const acc::selective<acc::seeded> method{32};
  const auto first = p.by_gemm(method);
  for (int run = 0; run < 20; ++run) p.expect_same(first, p.by_gemm(method), "run");
}

TEST(GemmWidened, WritesTheTypeItFinds) {
  // Sums of products of floats that a double holds exactly are rounded once: to double, or float.
  const Shape s{5, 18, 60};
  Product<float, double> to_double(s, "N", "N", Data::uniform, Data::uniform, 1);
  to_double.alpha = 0.3, to_double.beta = -1.7;
  to_double.expect_definition(acc::widened{}, "float to double");
  using Complex = Kokkos::complex<double>;
  for (const Lay lay : all_lays) {
    Product<Kokkos::complex<float>, Complex> p({5, 18, 60, Lay::left, Lay::left, lay}, "C", "T",
                                               Data::uniform, Data::uniform, 2);
    p.alpha = Complex(0.3, 0.4), p.beta = Complex(-1, 2);
    p.expect_definition(acc::widened{}, "complex");
  }
}

}  // namespace
}  // namespace acc_test
