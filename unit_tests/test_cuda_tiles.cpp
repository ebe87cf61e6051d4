// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU's tiles of matrix products on a host: their code takes the GPU's instructions as a type,
// and here each thread of a team is a thread of the host, a copy is done at once, and a warp's
// multiplication is an exchange of numbers and a chain of FMAs. So indices, edges, strips and the
// order of stages are checked where there is no GPU; the instructions themselves are not.

#include "reference_gemm.hpp"

#include <acc/backends/cuda/gemm.hpp>
#include <acc/backends/gemm.hpp>

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <cstring>
#include <memory>
#include <random>
#include <thread>

namespace acc_test {
namespace {

constexpr int threads = 128;
thread_local int this_thread = 0;

struct Warp {
  std::array<double, 32> a0{}, a1{}, b{};
  std::barrier<> barrier{32};
};
std::array<Warp, threads / 32> warps;

struct HostOps {
  static void copy16(void* dst, const void* src, int bytes) {
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(dst) % 16, 0U);
    if (bytes > 0) {
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(src) % 16, 0U);
    }
    std::memset(dst, 0, 16);
    std::memcpy(dst, src, static_cast<std::size_t>(bytes));
  }
  template <class T>
  static void copy(T* dst, const T* src, bool present) {
    *dst = present ? *src : T(0);
  }
  static void commit() {}
  template <int N>
  static void wait() {}

  static void multiply(double (&c)[4], double a0, double a1, double b) {
    Warp& warp = warps[static_cast<std::size_t>(this_thread / 32)];
    const std::size_t lane = static_cast<std::size_t>(this_thread % 32);
    warp.a0[lane] = a0;
    warp.a1[lane] = a1;
    warp.b[lane] = b;
    warp.barrier.arrive_and_wait();
    for (std::size_t e = 0; e < 4; ++e) {
      const auto& a = e < 2 ? warp.a0 : warp.a1;
      const std::size_t row = lane / 4, column = lane % 4 * 2 + e % 2;
      for (std::size_t k = 0; k < 4; ++k)
        c[e] = std::fma(a[row * 4 + k], warp.b[column * 4 + k], c[e]);
    }
    warp.barrier.arrive_and_wait();
  }
};

struct Scratch {
  unsigned char* memory;
  void* get_shmem_aligned(int, int) const { return memory; }
};
struct Team {
  int rank;
  std::barrier<>& barrier;
  unsigned char* memory;
  int team_rank() const { return rank; }
  int league_rank() const { return 0; }
  int league_size() const { return 1; }
  void team_barrier() const { barrier.arrive_and_wait(); }
  Scratch team_scratch(int) const { return {memory}; }
};

template <class Tiles>
void run(const Tiles& tiles) {
  alignas(128) static unsigned char memory[64 * 1024];
  std::memset(memory, 0xff, sizeof memory);  // NaN wherever nothing is copied
  std::barrier<> barrier(threads);
  std::vector<std::thread> team;
  for (int i = 0; i < threads; ++i) {
    team.emplace_back([&, i] {
      this_thread = i;
      acc::backends::gemm_kernel<Tiles>{tiles}(Team{i, barrier, memory});
    });
  }
  for (std::thread& t : team) t.join();
}

/// Numbers of rows x columns, in memory order by columns or by rows, `offset` into a larger matrix.
template <class T>
struct Matrix {
  std::vector<T> numbers;
  acc::impl::matrix_data<T> data;

  Matrix(std::int64_t rows, std::int64_t columns, bool by_columns, std::int64_t offset) {
    static std::mt19937 random(7);
    const std::int64_t lead = (by_columns ? rows : columns) + offset;
    numbers.resize(static_cast<std::size_t>(lead * (by_columns ? columns : rows) + offset + 8));
    for (T& x : numbers) x = static_cast<T>(std::normal_distribution<>()(random));
    T* first = numbers.data();
    while (reinterpret_cast<std::uintptr_t>(first) % 16 != 0) ++first;
    data = {first + offset, rows, columns, by_columns ? 1 : lead, by_columns ? lead : 1};
  }
};

template <class Method, class T>
void expect_bits(const Method& method, std::int64_t m, std::int64_t n, std::int64_t k,
                 bool a_columns, bool b_columns, bool c_columns, std::int64_t offset) {
  using Problem = acc::impl::gemm_problem<Method, T, T>;
  using Real = typename Problem::real;
  const Matrix<T> a(m, k, a_columns, offset), b(k, n, b_columns, offset);
  Matrix<T> c(m, n, c_columns, offset);
  const std::vector<T> before = c.numbers;
  Problem p;
  const auto as_const = [](const acc::impl::matrix_data<T>& x) {
    return acc::impl::matrix_data<const T>{x.data, x.rows, x.columns, x.row_stride,
                                           x.column_stride};
  };
  p.a = as_const(a.data);
  p.b = as_const(b.data);
  p.c = c.data;
  p.batches = 1;
  p.strip = acc::impl::strip_of(method);
  p.scale = {{Real(1.25), 0}, {Real(-0.75), 0}};
  run(acc::backends::cuda_tiles<Problem, HostOps>(p));

  std::vector<T> want = before;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      std::vector<T> row, column;
      for (std::int64_t l = 0; l < k; ++l) {
        row.push_back(a.data(i, l));
        column.push_back(b.data(l, j));
      }
      T& entry = want[static_cast<std::size_t>(&c.data(i, j) - c.numbers.data())];
      entry = reference::gemm_entry(method, Real(1.25), row, column, Real(-0.75), entry);
    }
  }
  EXPECT_EQ(std::memcmp(want.data(), c.numbers.data(), want.size() * sizeof(T)), 0)
      << m << " x " << n << " x " << k << ", by columns: " << a_columns << b_columns << c_columns
      << ", offset " << offset;
}

/// Tiles and pieces, one more and one less; every order in memory; aligned or not.
template <class T, class Method>
void expect_bits_everywhere(const Method& method) {
  expect_bits<Method, T>(method, 128, 64, 32, true, false, true, 0);
  expect_bits<Method, T>(method, 129, 65, 17, true, false, false, 0);
  expect_bits<Method, T>(method, 63, 127, 15, false, true, true, 4);
  expect_bits<Method, T>(method, 3, 70, 50, false, false, true, 1);
  expect_bits<Method, T>(method, 70, 5, 3, true, true, false, 1);
  expect_bits<Method, T>(method, 5, 6, 0, true, false, true, 0);
}

TEST(CudaTiles, OfFloatsHaveTheBits) {
  expect_bits_everywhere<float>(acc::plain{});
  expect_bits_everywhere<float>(acc::blocked{7});
  expect_bits_everywhere<float>(acc::selective<acc::kahan>{16});
  expect_bits_everywhere<float>(acc::selective<acc::priest>{1});
  expect_bits_everywhere<float>(acc::selective<acc::seeded>{18});
}

TEST(CudaTiles, OfTheTensorCoresHaveTheBits) {
  expect_bits_everywhere<float>(acc::widened{});
  expect_bits_everywhere<double>(acc::plain{});
  expect_bits_everywhere<double>(acc::blocked{7});
  expect_bits_everywhere<double>(acc::selective<acc::priest>{5});
  expect_bits_everywhere<double>(acc::selective<acc::seeded>{16});
}

}  // namespace
}  // namespace acc_test
