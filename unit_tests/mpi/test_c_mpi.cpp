// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <acc/c_mpi.h> by any number of ranks: the bits of <acc/c.h>'s exact functions of all elements,
// for any distribution; and wrong input to every function.
#define ACC_TEST_SPACE Kokkos::DefaultHostExecutionSpace
#include "device.hpp"
#include "ranks.hpp"

#include <acc/c_mpi.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" int c_mpi_in_c(double* sum, double* dot, float sums[2], float dots[2]);

namespace acc_test {
namespace {

MPI_Fint world() { return MPI_Comm_c2f(MPI_COMM_WORLD); }

template <class T>
struct Functions;
#define FUNCTIONS(type, T)                                                    \
  template <>                                                                 \
  struct Functions<T> {                                                       \
    static constexpr auto sum = acc_mpi_##type##sum_exact;                    \
    static constexpr auto dot = acc_mpi_##type##dot_exact;                    \
    static constexpr auto sums = acc_mpi_##type##sums_exact;                  \
    static constexpr auto dots = acc_mpi_##type##dots_exact;                  \
    static constexpr auto f_sum = acc_mpi_f_##type##sum_exact;                \
    static constexpr auto f_dot = acc_mpi_f_##type##dot_exact;                \
    static constexpr auto f_sums = acc_mpi_f_##type##sums_exact;              \
    static constexpr auto f_dots = acc_mpi_f_##type##dots_exact;              \
    static constexpr auto local_sum = acc_##type##sum_exact;                  \
    static constexpr auto local_dot = acc_##type##dot_exact;                  \
    static constexpr auto add = acc_exact_sums_##type##add;                   \
    static constexpr auto add_products = acc_exact_sums_##type##add_products; \
    static constexpr auto values = acc_exact_sums_##type##values;             \
    static constexpr const char* name = #type;                                \
  }
FUNCTIONS(s, float);
FUNCTIONS(d, double);

void ok(int status) { EXPECT_EQ(status, ACC_SUCCESS) << acc_last_error(); }

/// Two fields of which each rank has some cells: the bits of the whole.
template <class T>
void any_distribution() {
  using F = Functions<T>;
  constexpr std::size_t n = 501;
  for (const Data data : {Data::uniform, Data::wide, Data::massive_cancellation}) {
    const std::vector<T> field[2] = {elements<T>(data, n, 1), elements<T>(Data::uniform, n, 2)};
    const auto area = elements<T>(Data::uniform, n, 3);
    T sum[2], dot[2];
    for (int j = 0; j < 2; ++j) {
      ok(F::local_sum(n, field[j].data(), 1, &sum[j]));
      ok(F::local_dot(n, area.data(), 1, field[j].data(), 1, &dot[j]));
    }
    for (const Split split : all_splits) {
      const auto w = share(area, split, 4);
      const auto mine = static_cast<std::int64_t>(w.size());
      const std::int64_t ldx = mine + rank();  // each rank has its own
      std::vector<T> x(static_cast<std::size_t>(2 * ldx), T(NAN));
      for (std::size_t j = 0; j < 2; ++j) {
        const auto f = share(field[j], split, 4);
        std::copy(f.begin(), f.end(), x.begin() + std::int64_t(j) * ldx);
      }
      T r = 7, rs[2] = {7, 7};
      const auto same = [&](T got, T want) { EXPECT_EQ(bits(got), bits(want)) << name(data); };
      ok(F::sum(MPI_COMM_WORLD, mine, x.data(), 1, &r));
      same(r, sum[0]);
      ok(F::f_sum(world(), mine, x.data() + ldx, -1, &r));
      same(r, sum[1]);
      ok(F::dot(MPI_COMM_WORLD, mine, w.data(), 1, x.data(), 1, &r));
      same(r, dot[0]);
      ok(F::f_dot(world(), mine, w.data(), -1, x.data() + ldx, -1, &r));
      same(r, dot[1]);
      for (const bool by_integer : {false, true}) {
        ok(by_integer ? F::f_sums(world(), mine, 2, x.data(), ldx, rs)
                      : F::sums(MPI_COMM_WORLD, mine, 2, x.data(), ldx, rs));
        for (int j = 0; j < 2; ++j) same(rs[j], sum[j]);
        ok(by_integer ? F::f_dots(world(), mine, 2, w.data(), x.data(), ldx, rs)
                      : F::dots(MPI_COMM_WORLD, mine, 2, w.data(), x.data(), ldx, rs));
        for (int j = 0; j < 2; ++j) same(rs[j], dot[j]);

        acc_exact_sums *all = nullptr, *at_root = nullptr;
        ok(acc_exact_sums_create(2, &all));
        ok(F::add(all, 0, mine, x.data(), 1));
        ok(F::add_products(all, 1, mine, w.data(), 1, x.data() + ldx, 1));
        ok(acc_exact_sums_copy(all, &at_root));
        T before[2];
        ok(F::values(all, before));
        ok(by_integer ? acc_mpi_f_exact_sums_all_reduce(world(), all)
                      : acc_mpi_exact_sums_all_reduce(MPI_COMM_WORLD, all));
        ok(F::values(all, rs));
        same(rs[0], sum[0]);
        same(rs[1], dot[1]);
        const int root = ranks() - 1;
        ok(by_integer ? acc_mpi_f_exact_sums_reduce(world(), root, at_root)
                      : acc_mpi_exact_sums_reduce(MPI_COMM_WORLD, root, at_root));
        ok(F::values(at_root, rs));
        same(rs[0], rank() == root ? sum[0] : before[0]);
        same(rs[1], rank() == root ? dot[1] : before[1]);
        acc_exact_sums_destroy(all);
        acc_exact_sums_destroy(at_root);
      }
    }
  }
}
TEST(CMpi, AnyDistribution) {
  any_distribution<double>();
  any_distribution<float>();
}

TEST(CMpi, FromC) {
  double sum = 0, dot = 0;
  float sums[2], dots[2];
  ok(c_mpi_in_c(&sum, &dot, sums, dots));
  const auto p = static_cast<float>(ranks());
  EXPECT_EQ(sum, 2 * p);
  EXPECT_EQ(dot, 2 * p);
  EXPECT_EQ(sums[0], 3 * p);
  EXPECT_EQ(sums[1], 7 * p);
  EXPECT_EQ(dots[0], 5 * p);
  EXPECT_EQ(dots[1], 11 * p);
}

TEST(CMpi, NoFields) {
  double r = 7;
  ok(acc_mpi_dsums_exact(MPI_COMM_WORLD, 3, 0, nullptr, 3, &r));
  ok(acc_mpi_ddots_exact(MPI_COMM_WORLD, 0, 0, nullptr, nullptr, 0, nullptr));
  EXPECT_EQ(r, 7);
  double zero = 7;
  ok(acc_mpi_dsums_exact(MPI_COMM_WORLD, 0, 1, nullptr, 0, &zero));
  EXPECT_EQ(bits(zero), bits(0.0));
}

void refused(int status, const std::string& why) {
  EXPECT_EQ(status, ACC_INVALID_ARGUMENT);
  EXPECT_EQ(acc_last_error(), why);
}

template <class T>
void wrong_arguments() {
  using F = Functions<T>;
  const MPI_Comm comm = MPI_COMM_WORLD;
  const T x[4] = {};
  T r = 7;
  const std::string p = std::string("acc_mpi_") + F::name;
  const std::string no_comm = "_exact: comm is MPI_COMM_NULL";
  refused(F::sum(MPI_COMM_NULL, 4, x, 1, &r), p + "sum" + no_comm);
  refused(F::dot(MPI_COMM_NULL, 4, x, 1, x, 1, &r), p + "dot" + no_comm);
  refused(F::sums(MPI_COMM_NULL, 4, 1, x, 4, &r), p + "sums" + no_comm);
  refused(F::dots(MPI_COMM_NULL, 4, 1, x, x, 4, &r), p + "dots" + no_comm);
  refused(F::sum(comm, -1, x, 1, &r), p + "sum_exact: n is -1");
  refused(F::sum(comm, 4, nullptr, 1, &r), p + "sum_exact: x is a null pointer, but n is 4");
  refused(F::sum(comm, 4, x, 1, nullptr), p + "sum_exact: result is a null pointer");
  refused(F::dot(comm, -1, x, 1, x, 1, &r), p + "dot_exact: n is -1");
  refused(F::dot(comm, 4, x, 1, nullptr, 1, &r), p + "dot_exact: y is a null pointer, but n is 4");
  refused(F::dot(comm, 4, x, 1, x, 1, nullptr), p + "dot_exact: result is a null pointer");
  refused(F::sums(comm, -1, 1, x, 4, &r), p + "sums_exact: n is -1");
  refused(F::sums(comm, 2, -1, x, 2, &r), p + "sums_exact: m is -1");
  refused(F::sums(comm, 2, 1, x, 1, &r), p + "sums_exact: ldx is 1, but n is 2");
  refused(F::sums(comm, 2, 1, nullptr, 2, &r), p + "sums_exact: x is a null pointer, but n is 2");
  refused(F::sums(comm, 2, 1, x, 2, nullptr), p + "sums_exact: result is a null pointer");
  refused(F::dots(comm, 2, -1, x, x, 2, &r), p + "dots_exact: m is -1");
  refused(F::dots(comm, 2, 1, x, x, 1, &r), p + "dots_exact: ldx is 1, but n is 2");
  refused(F::dots(comm, 2, 1, nullptr, x, 2, &r),
          p + "dots_exact: w is a null pointer, but n is 2");
  refused(F::dots(comm, 2, 1, x, x, 2, nullptr), p + "dots_exact: result is a null pointer");
  if (ranks() > 1) {
    EXPECT_EQ(F::sums(comm, 1, rank() == 0 ? 1 : 2, x, 2, std::vector<T>(2).data()),
              ACC_INVALID_ARGUMENT);
    EXPECT_EQ(acc_last_error(), p + "sums_exact: the number of sums is " +
                                    (rank() == 0 ? "1" : "2") + " on this rank, but 1 to 2 on all");
  }
  EXPECT_EQ(r, 7);
}
TEST(CMpi, WrongArguments) {
  wrong_arguments<double>();
  wrong_arguments<float>();
}

TEST(CMpi, WrongArgumentsOfObjects) {
  acc_exact_sums* s = nullptr;
  ok(acc_exact_sums_create(rank() == 0 ? 1 : 2, &s));
  const double x = 3;
  ok(acc_exact_sums_dadd(s, 0, 1, &x, 1));
  const std::string all = "acc_mpi_exact_sums_all_reduce: ", one = "acc_mpi_exact_sums_reduce: ";
  refused(acc_mpi_exact_sums_all_reduce(MPI_COMM_NULL, s), all + "comm is MPI_COMM_NULL");
  refused(acc_mpi_exact_sums_all_reduce(MPI_COMM_WORLD, nullptr), all + "sums is a null pointer");
  refused(acc_mpi_exact_sums_reduce(MPI_COMM_NULL, 0, s), one + "comm is MPI_COMM_NULL");
  refused(acc_mpi_exact_sums_reduce(MPI_COMM_WORLD, 0, nullptr), one + "sums is a null pointer");
  refused(acc_mpi_exact_sums_reduce(MPI_COMM_WORLD, -1, s), one + "root is -1");
  refused(acc_mpi_f_exact_sums_reduce(MPI_Comm_c2f(MPI_COMM_SELF), 1, s),
          one + "root is 1, but comm has 1 ranks");
  if (ranks() > 1) {
    const std::string why = std::string("the number of sums is ") + (rank() == 0 ? "1" : "2") +
                            " on this rank, but 1 to 2 on all";
    refused(acc_mpi_exact_sums_all_reduce(MPI_COMM_WORLD, s), all + why);
    refused(acc_mpi_exact_sums_reduce(MPI_COMM_WORLD, 0, s), one + why);
  }
  double v[2] = {};
  ok(acc_exact_sums_dvalues(s, v));
  EXPECT_EQ(v[0], 3);
  acc_exact_sums_destroy(s);
}

}  // namespace
}  // namespace acc_test
