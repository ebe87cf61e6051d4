// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <acc/exact_sums.h>: values that are those of one exact sum of all that was added, in any order
// and division; the wire form; and wrong input to every function.
#define ACC_TEST_SPACE Kokkos::DefaultHostExecutionSpace
#include "device.hpp"

#include <acc/c.h>
#include <acc/exact_sums.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace acc_test {
namespace {

struct Destroy {
  void operator()(acc_exact_sums* s) const { acc_exact_sums_destroy(s); }
};
using Sums = std::unique_ptr<acc_exact_sums, Destroy>;

Sums create(std::int64_t m) {
  acc_exact_sums* s = nullptr;
  EXPECT_EQ(acc_exact_sums_create(m, &s), ACC_SUCCESS) << acc_last_error();
  return Sums(s);
}

int add(acc_exact_sums* s, std::int64_t i, std::int64_t n, const double* x, std::int64_t inc) {
  return acc_exact_sums_dadd(s, i, n, x, inc);
}
int add(acc_exact_sums* s, std::int64_t i, std::int64_t n, const float* x, std::int64_t inc) {
  return acc_exact_sums_sadd(s, i, n, x, inc);
}
int add_products(acc_exact_sums* s, std::int64_t i, std::int64_t n, const double* x,
                 std::int64_t incx, const double* y, std::int64_t incy) {
  return acc_exact_sums_dadd_products(s, i, n, x, incx, y, incy);
}
int add_products(acc_exact_sums* s, std::int64_t i, std::int64_t n, const float* x,
                 std::int64_t incx, const float* y, std::int64_t incy) {
  return acc_exact_sums_sadd_products(s, i, n, x, incx, y, incy);
}
int values(const acc_exact_sums* s, double* v) { return acc_exact_sums_dvalues(s, v); }
int values(const acc_exact_sums* s, float* v) { return acc_exact_sums_svalues(s, v); }
int exact_sum(std::int64_t n, const double* x, double* r) { return acc_dsum_exact(n, x, 1, r); }
int exact_sum(std::int64_t n, const float* x, float* r) { return acc_ssum_exact(n, x, 1, r); }
int exact_dot(std::int64_t n, const double* x, const double* y, double* r) {
  return acc_ddot_exact(n, x, 1, y, 1, r);
}
int exact_dot(std::int64_t n, const float* x, const float* y, float* r) {
  return acc_sdot_exact(n, x, 1, y, 1, r);
}

template <class T>
T value_of(const Sums& s) {
  T v = 7;
  EXPECT_EQ(values(s.get(), &v), ACC_SUCCESS) << acc_last_error();
  return v;
}

std::vector<std::int64_t> wire_of(const Sums& s) {
  std::vector<std::int64_t> words(std::size_t(acc_exact_sums_wire_words(s.get())));
  EXPECT_EQ(acc_exact_sums_to_wire(s.get(), std::int64_t(words.size()), words.data()), ACC_SUCCESS);
  return words;
}

/// Pieces, backwards, with an increment, in two objects: the bits of the whole at once.
template <class T>
void pieces_are_the_whole() {
  for (const Data data :
       {Data::uniform, Data::wide, Data::massive_cancellation, Data::near_overflow}) {
    const auto x = elements<T>(data, 1001, 1), y = elements<T>(Data::uniform, 1001, 2);
    T sum = 0, dot = 0;
    ASSERT_EQ(exact_sum(1001, x.data(), &sum), ACC_SUCCESS);
    ASSERT_EQ(exact_dot(1001, x.data(), y.data(), &dot), ACC_SUCCESS);
    const Sums a = create(2), b = create(2), once = create(2);
    const auto ok = [](int status) { EXPECT_EQ(status, ACC_SUCCESS) << acc_last_error(); };
    ok(add(once.get(), 0, 1001, x.data(), 1));
    ok(add_products(once.get(), 1, 1001, x.data(), 1, y.data(), 1));
    ok(add(a.get(), 0, 501, x.data(), -2));     // the even elements
    ok(add(b.get(), 0, 300, x.data() + 1, 2));  // the odd ones, in two pieces
    ok(add(b.get(), 0, 200, x.data() + 601, 2));
    ok(add_products(b.get(), 1, 1000, x.data() + 1, -1, y.data() + 1, -1));
    ok(add_products(a.get(), 1, 1, x.data(), 1, y.data(), 1));
    ok(acc_exact_sums_merge(a.get(), b.get()));
    T v[2] = {};
    ok(values(a.get(), v));
    EXPECT_EQ(bits(v[0]), bits(sum)) << name(data);
    EXPECT_EQ(bits(v[1]), bits(dot)) << name(data);
    EXPECT_EQ(wire_of(a), wire_of(once)) << name(data);
  }
}
TEST(ExactSums, PiecesAreTheWhole) {
  pieces_are_the_whole<double>();
  pieces_are_the_whole<float>();
}

/// Sums that are ties of floats but for a last bit far below a double's: by way of a double they
/// would be rounded twice.
TEST(ExactSums, FloatsAreRoundedOnce) {
  const float ulp = std::ldexp(1.0f, -23);
  const struct {
    double x[3];
    float value;
  } cases[] = {
      {{1, std::ldexp(1.0, -24), std::ldexp(1.0, -100)}, 1 + ulp},
      {{1, std::ldexp(1.0, -24), -std::ldexp(1.0, -100)}, 1},
      {{1, std::ldexp(1.0, -24), 0}, 1},
      {{1 + 0x1p-23, 0x1p-24, 0}, 1 + 2 * ulp},
      {{-1, -std::ldexp(1.0, -24), -std::ldexp(1.0, -1070)}, -1 - ulp},
      {{1, 0x1p-200, 0}, 1},
      {{0x1p-150, 0x1p-1074, 0}, 0x1p-149f},  // of subnormal floats
      {{0x1p-150, -0x1p-1074, 0}, 0},
      {{0x1.fffffep127, 0x1p103, 0}, INFINITY},
      {{0x1.fffffep127, 0x1p103, -0x1p-1074}, 0x1.fffffep127f},
      {{0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 1}, INFINITY},
      {{-0.0, -0.0, -0.0}, -0.0f},
      {{INFINITY, 1, 1}, INFINITY},
  };
  for (const auto& c : cases) {
    const Sums s = create(1);
    EXPECT_EQ(acc_exact_sums_dadd(s.get(), 0, 3, c.x, 1), ACC_SUCCESS);
    EXPECT_EQ(bits(value_of<float>(s)), bits(c.value)) << c.x[0] << ' ' << c.x[1] << ' ' << c.x[2];
  }
  const Sums s = create(1);  // less than half of the least double, from below
  const double tiny = -0x1p-1074;
  const double small = 0x1p-10;
  EXPECT_EQ(acc_exact_sums_dadd_products(s.get(), 0, 1, &tiny, 1, &small, 1), ACC_SUCCESS);
  EXPECT_EQ(value_of<float>(s), 0);
  const double nan[] = {INFINITY, -INFINITY};
  EXPECT_EQ(acc_exact_sums_dadd(s.get(), 0, 2, nan, 1), ACC_SUCCESS);
  EXPECT_TRUE(std::isnan(value_of<float>(s)));
  EXPECT_TRUE(std::isnan(value_of<double>(s)));
}

/// Products of floats beyond their range are exact, and both types add to one sum.
TEST(ExactSums, OfBothTypes) {
  const Sums s = create(1);
  const float large[] = {0x1.fffffep127f, -0x1p-149f}, other[] = {0x1.fffffep127f, 0x1p-149f};
  EXPECT_EQ(acc_exact_sums_sadd_products(s.get(), 0, 2, large, 1, other, 1), ACC_SUCCESS);
  const double x[] = {-0x1.fffffep127 * 0x1.fffffep127, 1};
  EXPECT_EQ(acc_exact_sums_dadd(s.get(), 0, 2, x, 1), ACC_SUCCESS);
  const float minus_one = -1;
  EXPECT_EQ(acc_exact_sums_sadd(s.get(), 0, 1, &minus_one, 1), ACC_SUCCESS);
  EXPECT_EQ(value_of<double>(s), -0x1p-298);
  EXPECT_TRUE(std::signbit(value_of<float>(s)));
  const float kinds[] = {-0.0f, -0.0f};
  EXPECT_EQ(acc_exact_sums_reset(s.get()), ACC_SUCCESS);
  EXPECT_EQ(bits(value_of<double>(s)), bits(0.0));
  EXPECT_EQ(acc_exact_sums_sadd(s.get(), 0, 2, kinds, 1), ACC_SUCCESS);
  EXPECT_EQ(bits(value_of<double>(s)), bits(-0.0));
}

TEST(ExactSums, CopiesAndMergesWithItself) {
  const Sums s = create(2);
  const double x[] = {1, 1e100, 1, -1e100};
  EXPECT_EQ(acc_exact_sums_dadd(s.get(), 1, 4, x, 1), ACC_SUCCESS);
  acc_exact_sums* c = nullptr;
  EXPECT_EQ(acc_exact_sums_copy(s.get(), &c), ACC_SUCCESS);
  const Sums copy(c);
  EXPECT_EQ(acc_exact_sums_merge(s.get(), s.get()), ACC_SUCCESS);
  double v[2] = {7, 7};
  EXPECT_EQ(acc_exact_sums_dvalues(s.get(), v), ACC_SUCCESS);
  EXPECT_EQ(v[0], 0);
  EXPECT_EQ(v[1], 4);
  EXPECT_EQ(acc_exact_sums_dvalues(copy.get(), v), ACC_SUCCESS);
  EXPECT_EQ(v[1], 2);
  EXPECT_EQ(acc_exact_sums_count(s.get()), 2);
  EXPECT_EQ(acc_exact_sums_count(create(0).get()), 0);
  EXPECT_EQ(acc_exact_sums_dvalues(create(0).get(), nullptr), ACC_SUCCESS);
  EXPECT_EQ(acc_exact_sums_dadd(s.get(), 0, 0, nullptr, 1), ACC_SUCCESS);
}

/// Read back, and the word-by-word sum of two.
TEST(ExactSums, WireForm) {
  const Sums a = create(2), b = create(2), both = create(2), read = create(2);
  const auto x = elements<double>(Data::wide, 100, 3), y = elements<double>(Data::uniform, 100, 4);
  for (const std::int64_t i : {0, 1}) {
    EXPECT_EQ(acc_exact_sums_dadd(a.get(), i, 50 + i, x.data(), 1), ACC_SUCCESS);
    EXPECT_EQ(acc_exact_sums_dadd(b.get(), i, 100 - i, y.data(), 1), ACC_SUCCESS);
  }
  EXPECT_EQ(acc_exact_sums_merge(both.get(), a.get()), ACC_SUCCESS);
  EXPECT_EQ(acc_exact_sums_merge(both.get(), b.get()), ACC_SUCCESS);
  auto words = wire_of(a);
  EXPECT_EQ(words.size(), 282u);
  EXPECT_EQ(acc_exact_sums_from_wire(read.get(), 282, words.data()), ACC_SUCCESS);
  EXPECT_EQ(wire_of(read), words);
  const auto other = wire_of(b);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] += other[i];
  EXPECT_EQ(acc_exact_sums_from_wire(read.get(), 282, words.data()), ACC_SUCCESS);
  EXPECT_EQ(wire_of(read), wire_of(both));
  // What is refused changes nothing, though the first sum is right.
  auto wrong = words;
  wrong[141] += 1;
  EXPECT_EQ(acc_exact_sums_from_wire(a.get(), 282, wrong.data()), ACC_INVALID_ARGUMENT);
  EXPECT_NE(std::string(acc_last_error()).find("[0] is not the tag"), std::string::npos)
      << acc_last_error();
  EXPECT_EQ(acc_exact_sums_merge(a.get(), b.get()), ACC_SUCCESS);
  EXPECT_EQ(wire_of(a), wire_of(both));
}

TEST(ExactSums, WrongArguments) {
  const auto refused = [](int status, const std::string& why) {
    EXPECT_EQ(status, ACC_INVALID_ARGUMENT);
    EXPECT_EQ(acc_last_error(), why);
  };
  const Sums two = create(2), three = create(3);
  acc_exact_sums* const none = nullptr;
  acc_exact_sums* made = nullptr;
  const double x[2] = {1, 2};
  const float f[2] = {1, 2};
  double d = 7;
  float s = 7;
  std::int64_t words[282] = {};
  const std::string p = "acc_exact_sums_", null = "sums is a null pointer";
  refused(acc_exact_sums_create(-1, &made), p + "create: m is -1");
  refused(acc_exact_sums_create(1, nullptr), p + "create: " + null);
  refused(acc_exact_sums_copy(none, &made), p + "copy: " + null);
  refused(acc_exact_sums_copy(two.get(), nullptr), p + "copy: copy is a null pointer");
  EXPECT_EQ(made, nullptr);
  acc_exact_sums_destroy(none);
  EXPECT_EQ(acc_exact_sums_count(none), -1);
  EXPECT_EQ(acc_exact_sums_wire_words(none), -1);
  refused(acc_exact_sums_reset(none), p + "reset: " + null);
  refused(acc_exact_sums_dadd(none, 0, 1, x, 1), p + "dadd: " + null);
  refused(acc_exact_sums_dadd(two.get(), -1, 1, x, 1),
          p + "dadd: i is -1, but the number of sums is 2");
  refused(acc_exact_sums_sadd(two.get(), 2, 1, f, 1),
          p + "sadd: i is 2, but the number of sums is 2");
  refused(acc_exact_sums_dadd(two.get(), 0, -1, x, 1), p + "dadd: n is -1");
  refused(acc_exact_sums_sadd(two.get(), 0, 2, nullptr, 1),
          p + "sadd: x is a null pointer, but n is 2");
  refused(acc_exact_sums_dadd_products(two.get(), 2, 1, x, 1, x, 1),
          p + "dadd_products: i is 2, but the number of sums is 2");
  refused(acc_exact_sums_dadd_products(two.get(), 0, -3, x, 1, x, 1), p + "dadd_products: n is -3");
  refused(acc_exact_sums_sadd_products(two.get(), 0, 1, f, 1, nullptr, 1),
          p + "sadd_products: y is a null pointer, but n is 1");
  refused(acc_exact_sums_merge(none, two.get()), p + "merge: " + null);
  refused(acc_exact_sums_merge(two.get(), none), p + "merge: other is a null pointer");
  refused(acc_exact_sums_merge(two.get(), three.get()),
          p + "merge: the number of sums is 2, but other has 3");
  refused(acc_exact_sums_dvalues(none, &d), p + "dvalues: " + null);
  refused(acc_exact_sums_dvalues(two.get(), nullptr), p + "dvalues: values is a null pointer");
  refused(acc_exact_sums_svalues(none, &s), p + "svalues: " + null);
  const std::string n = "n is 281, but the wire form of 2 sums has 282 words";
  refused(acc_exact_sums_to_wire(none, 282, words), p + "to_wire: " + null);
  refused(acc_exact_sums_to_wire(two.get(), 281, words), p + "to_wire: " + n);
  refused(acc_exact_sums_to_wire(two.get(), 282, nullptr), p + "to_wire: words is a null pointer");
  refused(acc_exact_sums_from_wire(none, 282, words), p + "from_wire: " + null);
  refused(acc_exact_sums_from_wire(two.get(), 281, words), p + "from_wire: " + n);
  refused(acc_exact_sums_from_wire(two.get(), 282, nullptr),
          p + "from_wire: words is a null pointer");
  EXPECT_EQ(acc_exact_sums_from_wire(two.get(), 282, words), ACC_INVALID_ARGUMENT);
  EXPECT_EQ(d, 7);
  EXPECT_EQ(s, 7);
}

}  // namespace
}  // namespace acc_test
