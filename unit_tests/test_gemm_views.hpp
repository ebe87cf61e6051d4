// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::gemm, gemv and batched_gemm by their public signatures: Views of every kind, workspaces and
// defaults. All of them give the bits of the definition.
#pragma once

#include "arrays.hpp"
#include "gemm_calls.hpp"

#include <acc/batched_gemm.hpp>
#include <acc/gemv.hpp>

#include <stdexcept>

namespace acc_test {
namespace {

/// As the block of a LayoutLeft or LayoutRight matrix.
template <class T>
auto block_of_left(const StridedView<T>& v) {
  const Kokkos::View<T**, Kokkos::LayoutLeft, Exec> whole(v.data(), v.stride(1), v.extent(1));
  return Kokkos::subview(whole, std::pair(std::size_t(0), v.extent(0)), Kokkos::ALL);
}
template <class T>
auto block_of_right(const StridedView<T>& v) {
  const Kokkos::View<T**, Kokkos::LayoutRight, Exec> whole(v.data(), v.extent(0), v.stride(0));
  return Kokkos::subview(whole, Kokkos::ALL, std::pair(std::size_t(0), v.extent(1)));
}
template <class Layout>
inline constexpr Lay lay_of = std::is_same_v<Layout, Kokkos::LayoutLeft>    ? Lay::left
                              : std::is_same_v<Layout, Kokkos::LayoutRight> ? Lay::right
                                                                            : Lay::strided;

template <class T>
class GemmViews : public testing::Test {
 public:
  static constexpr acc::selective<acc::seeded> method{16};

  /// Views of these layouts.
  template <class LA, class LB, class LC>
  static void expect_layouts() {
    Product<T> p({9, 17, 21, lay_of<LA>, lay_of<LB>, lay_of<LC>}, "T", "C", Data::uniform,
                 Data::uniform, 1);
    p.beta = T(-0.5);
    expect(p, [](const Exec& e, const auto& c) {
      acc::gemm(e, c.trans_a, c.trans_b, c.alpha, as<LA>(c.a), as<LB>(c.b), c.beta, as<LC>(c.c),
                method);
    });
  }
  template <class F>
  static void expect(const Product<T>& p, const F& f, const std::string& what = "") {
    p.expect_same(p.by_definition(method), p.by(f), what);
  }
};
using GemmViewTypes =
    testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(GemmViews, GemmViewTypes);

TYPED_TEST(GemmViews, OfEveryLayout) {
  using L = Kokkos::LayoutLeft;
  using R = Kokkos::LayoutRight;
  using S = Kokkos::LayoutStride;
  this->template expect_layouts<L, L, L>();  // every pair of layouts of two operands
  this->template expect_layouts<L, R, R>();
  this->template expect_layouts<L, S, S>();
  this->template expect_layouts<R, L, R>();
  this->template expect_layouts<R, R, S>();
  this->template expect_layouts<R, S, L>();
  this->template expect_layouts<S, L, S>();
  this->template expect_layouts<S, R, L>();
  this->template expect_layouts<S, S, R>();
}

TYPED_TEST(GemmViews, OfBlocksConstantsAndOwners) {
  using T = TypeParam;
  const auto method = this->method;
  Product<T> p({15, 18, 33, Lay::left_block, Lay::right_block, Lay::left_block}, "N", "N",
               Data::uniform, Data::uniform, 2);
  p.beta = T(2);
  this->expect(p, [&](const Exec& e, const auto& c) {
    acc::gemm(e, "N", "N", c.alpha, block_of_left(c.a), block_of_right(c.b), c.beta,
              block_of_left(c.c), method);
  });
  Product<T> q({15, 18, 33, Lay::right, Lay::left, Lay::right_block}, "N", "N", Data::uniform,
               Data::uniform, 2);
  this->expect(q, [&](const Exec& e, const auto& c) {
    using Constant = Kokkos::View<const T**, Kokkos::LayoutRight, Exec,
                                  Kokkos::MemoryTraits<Kokkos::RandomAccess>>;
    const Constant a(as<Kokkos::LayoutRight>(c.a));
    acc::gemm(e, "N", "N", c.alpha, a, as<Kokkos::LayoutLeft>(c.b), c.beta, block_of_right(c.c),
              method);
  });
}

TYPED_TEST(GemmViews, OneMatrixMayBeBothFactors) {
  using T = TypeParam;
  Product<T> p({19, 19, 40, Lay::right, Lay::right}, "N", "C", Data::uniform, Data::uniform, 3);
  p.b.memory = p.a.memory;  // A A^H
  this->expect(p, [&](const Exec& e, const auto& c) {
    acc::gemm(e, "N", "C", c.alpha, c.a, c.a, c.beta, c.c, this->method);
  });
}

/// gemv against the definition of gemm with a matrix of one column; x and y at some stride.
/// `edit(product)` changes numbers first.
template <class T, class Method = acc::selective<acc::seeded>, class Edit = void (*)(Product<T>&)>
void expect_gemv(
    std::size_t m, std::size_t k, const char* trans, Lay lay, Lay x_lay, Lay y_lay,
    const Method& method = {16}, const Edit& edit = [](Product<T>&) {}) {
  Product<T> p({m, 1, k, lay, x_lay, y_lay}, trans, "N", Data::uniform, Data::wide, m + k);
  p.alpha = T(-0.75);
  p.beta = T(3);
  edit(p);
  const auto got = p.by([&](const Exec& e, const auto& c) {
    acc::gemv(e, trans, c.alpha, c.a, Kokkos::subview(c.b, Kokkos::ALL, 0), c.beta,
              Kokkos::subview(c.c, Kokkos::ALL, 0), method);
  });
  p.expect_same(p.by_definition(method), got,
                "gemv, " + std::to_string(m) + " x " + std::to_string(k));
}

TYPED_TEST(GemmViews, GemvIsGemmWithOneColumn) {
  using T = TypeParam;
  for (const char* trans : {"N", "t", "C"}) {
    for (const Lay lay : all_lays) {
      for (const Lay vectors : {Lay::left, Lay::right_block, Lay::strided}) {
        expect_gemv<T>(67, 70, trans, lay, vectors, Lay::strided);
        expect_gemv<T>(5, 130, trans, lay, Lay::strided, vectors);
      }
    }
    for (const std::size_t extent : {0, 1, 2}) {
      expect_gemv<T>(extent, 3, trans, Lay::right, Lay::left, Lay::left);
      expect_gemv<T>(3, extent, trans, Lay::left, Lay::left, Lay::left);
    }
    expect_gemv<T>(3, 4500, trans, Lay::right, Lay::left, Lay::left);
  }
}

/// So many short rows that a GPU gives each a thread.
TYPED_TEST(GemmViews, GemvOfManyShortRows) {
  using T = TypeParam;
  using R = real_t<T>;
  constexpr std::size_t m = 110001;
  const auto expect = [](std::size_t k, const char* trans, Lay lay, const auto& method) {
    expect_gemv<T>(m, k, trans, lay, Lay::strided, Lay::strided, method, [k](Product<T>& p) {
      const auto a = [&p](std::size_t i, std::size_t j) -> T& {
        return Product<T>::plain(p.trans_a) ? p.a(i, j) : p.a(j, i);
      };
      a(5, 0) = std::numeric_limits<R>::infinity();
      a(m / 2, k - 1) = std::numeric_limits<R>::quiet_NaN();
      a(m - 1, k / 2) = std::numeric_limits<R>::max();
    });
  };
  expect(1, "N", Lay::left, acc::selective<acc::seeded>{256});
  expect(8, "T", Lay::right, acc::plain{});
  expect(19, "N", Lay::left_block, acc::compensated{});
  expect(37, "C", Lay::right, acc::selective<acc::kahan>{32});
  if constexpr (std::is_same_v<T, R>) expect(21, "T", Lay::right_block, acc::compensated{});
}

/// n matrices, one after the other.
template <class Layout, class T>
Kokkos::View<T***, Layout, Exec> batch(std::size_t n, std::size_t rows, std::size_t columns,
                                       std::uint64_t seed) {
  const Kokkos::View<T***, Layout, Exec> v("batch", n, rows, columns);
  const auto mirror = Kokkos::create_mirror_view(v);
  const auto x = elements<T>(Data::uniform, n * rows * columns, seed);
  std::size_t e = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) mirror(i, r, c) = x[e++];
    }
  }
  Kokkos::deep_copy(v, mirror);
  return v;
}

/// A batch against gemm of each of its matrices; `call` has the arguments of batched_gemm.
template <class T, class LA, class LB, class LC, class Call>
void expect_batch(std::size_t n, std::size_t m, std::size_t columns, std::size_t k,
                  const Call& call) {
  constexpr acc::selective<acc::seeded> method{16};
  const Exec exec;
  const auto a = batch<LA, T>(n, k, m, 1);
  const auto b = batch<LB, T>(n, k, columns, 2);
  const auto whole = batch<LC, T>(n, m + 2, columns + 1, 3);  // C is a block of each of these
  const auto want = batch<LC, T>(n, m + 2, columns + 1, 3);
  const auto block = [&](const auto& v) {
    return Kokkos::subview(v, Kokkos::ALL, std::pair(std::size_t(1), m + 1),
                           std::pair(std::size_t(1), columns + 1));
  };
  call(exec, "C", "N", T(0.3), a, b, T(2), block(whole), method);
  for (std::size_t i = 0; i < n; ++i) {
    const auto matrix = [&](const auto& v) {
      return Kokkos::subview(v, i, Kokkos::ALL, Kokkos::ALL);
    };
    acc::gemm(exec, "C", "N", T(0.3), matrix(a), matrix(b), T(2), matrix(block(want)), method);
  }
  exec.fence();
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole);
  const auto expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), want);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < m + 2; ++r) {
      for (std::size_t c = 0; c < columns + 1; ++c)
        ASSERT_EQ(bits(got(i, r, c)), bits(expected(i, r, c))) << i << ": " << r << ", " << c;
    }
  }
}

template <class T, class LA, class LB, class LC>
void expect_batch(std::size_t n, std::size_t m, std::size_t columns, std::size_t k) {
  expect_batch<T, LA, LB, LC>(n, m, columns, k, [](const auto&... x) { acc::batched_gemm(x...); });
}

TYPED_TEST(GemmViews, ABatchIsGemmOfEach) {
  using T = TypeParam;
  using L = Kokkos::LayoutLeft;
  using R = Kokkos::LayoutRight;
  for (const std::size_t n : {0, 1, 2, 7}) {
    expect_batch<T, R, R, R>(n, 5, 6, 20);
    expect_batch<T, L, L, L>(n, 17, 9, 35);
    expect_batch<T, L, R, L>(n, 3, 35, 1);
    expect_batch<T, R, L, R>(n, 1, 1, 300);
  }
  expect_batch<T, R, R, R>(3, 0, 4, 5);
  expect_batch<T, R, R, R>(3, 4, 4, 0);
  expect_batch<T, R, R, R>(300, 2, 3, 4);  // more than there are threads
  // Several sections.
  const std::size_t section = std::size_t(acc::gemm_section);
  expect_batch<T, R, L, R>(3, 5, 6, section + 9);
  expect_batch<T, L, R, L>(2, 17, 9, 2 * section + 9);
}

/// The host machine's products divided by k, of a batch.
TYPED_TEST(GemmViews, ABatchDividedByK) {
  using T = TypeParam;
  if constexpr (on_host_memory) {
    const auto divided = [](const Exec& exec, const auto&... x) {
      const auto problem = acc::impl::make_gemm_problem(acc::impl::names_of_gemm, x...);
      using tiles = acc::backends::host::gemm_tiles<std::decay_t<decltype(problem)>>;
      Kokkos::View<std::byte*, Exec> memory;
      acc::backends::launch_gemm(exec, "acc::gemm", tiles(exec, problem, true),
                                 [&](std::size_t bytes) {
                                   memory = Kokkos::View<std::byte*, Exec>("memory", bytes);
                                   return memory.data();
                                 });
      exec.fence();
    };
    const std::size_t k = 2 * std::size_t(acc::gemm_section) + 9;
    using L = Kokkos::LayoutLeft;
    using R = Kokkos::LayoutRight;
    expect_batch<T, R, L, R>(3, 5, 6, k, divided);
    expect_batch<T, L, L, L>(2, 17, 40, k, divided);
  }
}

TYPED_TEST(GemmViews, AWorkspaceOfTheCallers) {
  using T = TypeParam;
  const auto method = this->method;
  for (const Shape& s : {Shape{3, 4, 5}, Shape{40, 50, 2500, Lay::right, Lay::right, Lay::right}}) {
    const Product<T> p(s, "N", "N", Data::uniform, Data::uniform, 5);
    const auto got = p.by([&](const Exec& e, const auto& c) {
      const std::size_t bytes = acc::gemm_workspace(e, "N", "N", c.a, c.b, c.c, method);
      const Kokkos::View<std::byte*, Exec> memory("memory", bytes + 64);
      const auto call = [&](std::size_t given) {
        acc::gemm(e, "N", "N", c.alpha, c.a, c.b, c.beta, c.c, method,
                  Kokkos::subview(memory, std::pair(std::size_t(0), given)));
      };
      // A small product may need fewer with this alpha and beta.
      if (bytes > 0 && s.k == 2500) {
        try {
          call(bytes - 1);
          ADD_FAILURE() << "a workspace that is a byte too small was accepted";
        } catch (const std::invalid_argument& error) {
          EXPECT_EQ(error.what(), "acc::gemm: the workspace has " + std::to_string(bytes - 1) +
                                      " bytes, but " + std::to_string(bytes) + " are needed");
        }
      }
      call(bytes);
      e.fence();
      const auto after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
      for (std::size_t i = bytes; i < bytes + 64; ++i)
        ASSERT_EQ(after(i), std::byte(0)) << "wrote beyond the workspace";
    });
    p.expect_same(p.by_definition(method), got, "with a workspace");
  }
}

/// What a workspace is asked for does not say alpha and beta, by which a machine may choose tiles.
TYPED_TEST(GemmViews, AWorkspaceServesEveryAlphaAndBeta) {
  using T = TypeParam;
  const auto method = this->method;
  const Exec exec;
  for (const auto& [m, n, k] :
       {std::array{16, 1, 16}, {1, 16, 16}, {3, 4, 5}, {5, 6, 0}, {90, 80, 0}, {90, 80, 70}}) {
    const Kokkos::View<T**, Exec> a("a", m, k), b("b", k, n), c("c", m, n);
    const std::size_t bytes = acc::gemm_workspace(exec, "N", "N", a, b, c, method);
    const Kokkos::View<std::byte*, Exec> memory("memory", bytes);
    for (const T alpha : {T(0), T(1), T(2)})
      for (const T beta : {T(0), T(1), T(2)})
        EXPECT_NO_THROW(acc::gemm(exec, "N", "N", alpha, a, b, beta, c, method, memory))
            << m << " x " << n << ", k = " << k;
  }
}

TYPED_TEST(GemmViews, Defaults) {
  using T = TypeParam;
  const Product<T> p({7, 1, 600}, "N", "N", Data::uniform, Data::wide, 6);
  constexpr auto method = acc::gemm_default<T>;
  const auto want = p.by_definition(method);
  const auto expect = [&](const char* what, const auto& f) { p.expect_same(want, p.by(f), what); };
  const auto column = [](const auto& v) { return Kokkos::subview(v, Kokkos::ALL, 0); };
  expect("gemm", [&](const Exec& e, const auto& c) {
    acc::gemm(e, "N", "N", c.alpha, c.a, c.b, c.beta, c.c);
  });
  expect("gemm on the default instance", [&](const Exec&, const auto& c) {
    acc::gemm("N", "N", c.alpha, c.a, c.b, c.beta, c.c);
    Exec{}.fence();
  });
  expect("gemv", [&](const Exec& e, const auto& c) {
    acc::gemv(e, "N", c.alpha, c.a, column(c.b), c.beta, column(c.c));
  });
  expect("gemv on the default instance", [&](const Exec&, const auto& c) {
    acc::gemv("N", c.alpha, c.a, column(c.b), c.beta, column(c.c));
    Exec{}.fence();
  });
  const auto one = [](const auto& v) {  // a batch of this matrix
    using V = std::decay_t<decltype(v)>;
    return Kokkos::View<typename V::value_type***, Kokkos::LayoutStride, Exec>(
        v.data(),
        Kokkos::LayoutStride(1, 1000, v.extent(0), v.stride(0), v.extent(1), v.stride(1)));
  };
  expect("batched_gemm", [&](const Exec& e, const auto& c) {
    acc::batched_gemm(e, "N", "N", c.alpha, one(c.a), one(c.b), c.beta, one(c.c));
  });
  expect("batched_gemm on the default instance", [&](const Exec&, const auto& c) {
    acc::batched_gemm("N", "N", c.alpha, one(c.a), one(c.b), c.beta, one(c.c));
    Exec{}.fence();
  });
}

template <class T>
class GemmHalves : public testing::Test {};
using GemmHalfTypes = testing::Types<Kokkos::Experimental::half_t, Kokkos::Experimental::bhalf_t>;
TYPED_TEST_SUITE(GemmHalves, GemmHalfTypes);

/// Half precision in; C of half precision (float is what Kokkos takes for it where there is none)
/// and of float.
template <class Half, class Out>
void expect_widened(const Shape& s, const char* ta, const char* tb) {
  Product<Half, Out> p(s, ta, tb);
  const auto eighths = [](std::size_t n, std::uint64_t seed) {  // as every 16-bit format holds
    Random random(seed);
    std::vector<float> x(n);
    for (float& v : x) v = static_cast<float>(random.integer(-128, 128)) / 8;
    return x;
  };
  p.a.fill(eighths(s.m * s.k, 1));
  p.b.fill(eighths(s.k * s.n, 2));
  p.c.fill(eighths(s.m * s.n, 3));
  for (const float beta : {0.0f, 0.7f}) {
    p.alpha = 1.3f;
    p.beta = beta;
    p.expect_definition(acc::widened{});
  }
}

TYPED_TEST(GemmHalves, AreWidened) {
  for (const Lay lay : all_lays) {
    for (const char* trans : {"N", "T"}) {
      expect_widened<TypeParam, float>({15, 17, 50, lay, Lay::right, lay}, trans, "N");
      expect_widened<TypeParam, TypeParam>({15, 17, 50, Lay::left, lay, lay}, "N", trans);
    }
  }
  const std::size_t section = std::size_t(acc::gemm_section);
  expect_widened<TypeParam, TypeParam>({3, 4, section + 900}, "N", "N");
  expect_widened<TypeParam, float>({17, 9, 2 * section + 9, Lay::left, Lay::right, Lay::left}, "N",
                                   "N");
}

}  // namespace
}  // namespace acc_test
