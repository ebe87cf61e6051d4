// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of <acc/c.h>: the bits of the golden files, which acc::sum and its kin have too,
// whatever the increments; and what is wrong input to them.
#define ACC_TEST_SPACE Kokkos::DefaultHostExecutionSpace
#include "device.hpp"
#include "golden.hpp"

#include <acc/c.h>
#include <acc/core/numbers/kokkos_scalar.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace acc_test {
namespace {

/// The functions of a type and a method; T is Kokkos's type where C is C's.
template <class Number, class CNumber, class Real>
struct Functions {
  using T = Number;
  using C = CNumber;
  using R = Real;
  template <class Result>
  using OfOne = int(std::int64_t, const C*, std::int64_t, Result*);
  using OfTwo = int(std::int64_t, const C*, std::int64_t, const C*, std::int64_t, C*);
  std::string method;
  OfOne<C>* sum;
  OfOne<R>*asum, *nrm2;
  OfTwo *dot, *dotu;

  std::string golden_method() const { return method == "reproducible" ? method + "3" : method; }
};

/// Calls body(functions) for each type and method.
template <class Body>
void for_functions(const Body& body) {
#define CALL(type, C, R, method)                                                               \
  body(Functions<acc::impl::kokkos_scalar_t<C>, C, R>{                                         \
      #method, acc_##type##sum_##method, acc_##type##asum_##method, acc_##type##nrm2_##method, \
      acc_##type##dot_##method, acc_##type##dotu_##method});
  ACC_EACH_TYPE_AND_METHOD(CALL)
}

/// x in C's type as a vector of the BLAS with this increment, NaN in between.
template <class C>
class Strided {
 public:
  template <class T>
  Strided(const std::vector<T>& x, std::int64_t increment) {
    const auto width = static_cast<std::size_t>(increment < 0 ? -increment : increment);
    data_.resize(x.size() * width, C(std::nan("")));
    for (std::size_t i = 0; i < x.size(); ++i)
      data_[(increment < 0 ? x.size() - 1 - i : i) * width] = reinterpret_cast<const C&>(x[i]);
  }
  const C* data() const { return data_.data(); }

 private:
  std::vector<C> data_;
};

template <class T, class Result>
std::string bits_of(const Result& r) {
  if constexpr (is_complex<T> && !std::is_floating_point_v<Result>)
    return bits(T(r));
  else
    return bits(r);
}

TEST(Sums, HaveTheBitsOfTheGoldenFiles) {
  Golden sums("sum.txt"), dots("dot.txt"), norms("norms.txt");
  int calls = 0;
  for_functions([&]<class F>(const F& f) {
    using T = typename F::T;
    const auto ok = [&](int status) {
      EXPECT_EQ(status, ACC_SUCCESS) << acc_last_error();
      ++calls;
    };
    for (const Data data :
         {Data::uniform, Data::wide, Data::massive_cancellation, Data::near_overflow}) {
      for (const std::size_t size : {std::size_t(3), std::size_t(1000), 5 * leaf<T> + row<T> + 1}) {
        const std::string what = f.golden_method() + " " + name(T{}) + " " +
                                 std::string(name(data)) + " " + std::to_string(size);
        const auto x = elements<T>(data, size, 1), y = elements<T>(Data::uniform, size, 2);
        // Each of them in one golden case, so that no case is seen twice.
        const std::int64_t inc = size == 3 ? 1 : size == 1000 ? -2 : data == Data::wide ? -1 : 3;
        const Strided<typename F::C> in_x(x, inc), in_y(y, -inc);
        const auto n = static_cast<std::int64_t>(size);
        typename F::C sum, dot, dotu;
        typename F::R asum, nrm2;
        ok(f.sum(n, in_x.data(), inc, &sum));
        sums.check(what, bits_of<T>(sum));
        ok(f.asum(n, in_x.data(), inc, &asum));
        norms.check("asum " + what, bits(asum));
        ok(f.nrm2(n, in_x.data(), inc, &nrm2));
        norms.check("nrm2 " + what, bits(nrm2));
        ok(f.dot(n, in_x.data(), inc, in_y.data(), -inc, &dot));
        dots.check("dot " + what, bits_of<T>(dot));
        ok(f.dotu(n, in_x.data(), inc, in_y.data(), -inc, &dotu));
        if constexpr (is_complex<T>)
          dots.check("dotu " + what, bits_of<T>(dotu));
        else
          EXPECT_EQ(bits_of<T>(dotu), bits_of<T>(dot)) << what;
      }
    }
  });
  EXPECT_EQ(calls, 80 * 12);
}

TEST(Sums, OfOneElementManyTimesAndOfNone) {
  for_functions([]<class F>(const F& f) {
    using C = typename F::C;
    const C quarter(0.25);
    const C* const none = nullptr;
    C sum(7), dot(7), dotu(7);
    typename F::R asum = 7, nrm2 = 7;
    EXPECT_EQ(f.sum(10000, &quarter, 0, &sum), ACC_SUCCESS);
    EXPECT_EQ(sum, C(2500));
    EXPECT_EQ(f.dot(10000, &quarter, 0, &quarter, 0, &dot), ACC_SUCCESS);
    EXPECT_EQ(dot, C(625));
    EXPECT_EQ(f.sum(0, none, -1, &sum), ACC_SUCCESS);
    EXPECT_EQ(f.asum(0, none, 1, &asum), ACC_SUCCESS);
    EXPECT_EQ(f.nrm2(0, none, 1, &nrm2), ACC_SUCCESS);
    EXPECT_EQ(f.dot(0, none, 1, none, 1, &dot), ACC_SUCCESS);
    EXPECT_EQ(f.dotu(0, none, 1, none, 1, &dotu), ACC_SUCCESS);
    for (const std::string& zero : {bits_of<typename F::T>(sum), bits_of<typename F::T>(dot),
                                    bits_of<typename F::T>(dotu), bits(asum), bits(nrm2)})
      EXPECT_EQ(zero.find_first_not_of("0 "), std::string::npos) << zero;
  });
}

/// Each argument of each function: the status, the text, and that the result stays as it is.
TEST(Sums, WrongArguments) {
  for_functions([]<class F>(const F& f) {
    using C = typename F::C;
    const std::vector<C> x(3, C(1));
    const C* const none = nullptr;
    C* const no_result = nullptr;
    const auto expect = [&](int status, const std::string& why) {
      EXPECT_EQ(status, ACC_INVALID_ARGUMENT);
      const std::string text = acc_last_error();
      EXPECT_EQ(text.substr(0, 4), "acc_");
      EXPECT_EQ(text.substr(text.find(':') - f.method.size()), f.method + ": " + why) << text;
    };
    C r(7);
    typename F::R q = 7;
    expect(f.sum(-1, x.data(), 1, &r), "n is -1");
    expect(f.sum(3, none, 1, &r), "x is a null pointer, but n is 3");
    expect(f.sum(3, x.data(), 1, no_result), "result is a null pointer");
    expect(f.asum(-1, x.data(), 1, &q), "n is -1");
    expect(f.asum(3, none, 1, &q), "x is a null pointer, but n is 3");
    expect(f.nrm2(-2, x.data(), 1, &q), "n is -2");
    expect(f.nrm2(3, none, 1, &q), "x is a null pointer, but n is 3");
    expect(f.dot(-1, x.data(), 1, x.data(), 1, &r), "n is -1");
    expect(f.dot(3, none, 1, x.data(), 1, &r), "x is a null pointer, but n is 3");
    expect(f.dot(3, x.data(), 1, none, 1, &r), "y is a null pointer, but n is 3");
    expect(f.dotu(3, x.data(), 1, none, 1, &r), "y is a null pointer, but n is 3");
    expect(f.dotu(3, x.data(), 1, x.data(), 1, no_result), "result is a null pointer");
    EXPECT_EQ(r, C(7));
    EXPECT_EQ(q, 7);
  });
}

TEST(Sums, TheTextNamesTheFunction) {
  double r = 0;
  EXPECT_EQ(acc_dsum_exact(-1, &r, 1, &r), ACC_INVALID_ARGUMENT);
  EXPECT_STREQ(acc_last_error(), "acc_dsum_exact: n is -1");
  const float one = 1;
  float q = 0;
  EXPECT_EQ(acc_sdotu_reproducible(1, nullptr, 1, &one, 1, &q), ACC_INVALID_ARGUMENT);
  EXPECT_STREQ(acc_last_error(), "acc_sdotu_reproducible: x is a null pointer, but n is 1");
  EXPECT_EQ(acc_initialize(), ACC_SUCCESS);  // this program already has
}

#if defined(KOKKOS_ENABLE_CUDA)
/// The GPU's memory, managed memory, and vectors in different ones.
TEST(Sums, InTheMemoryOfTheGpu) {
  const Kokkos::View<double*, Kokkos::CudaSpace> device("device", 1000);
  const Kokkos::View<double*, Kokkos::CudaUVMSpace> managed("managed", 1000);
  const std::vector<double> host(1000, 0.5);
  Kokkos::deep_copy(device, 0.5);
  Kokkos::deep_copy(managed, 0.5);
  double r = 0;
  EXPECT_EQ(acc_dsum_exact(1000, device.data(), 1, &r), ACC_SUCCESS) << acc_last_error();
  EXPECT_EQ(r, 500);
  EXPECT_EQ(acc_ddot_plain(1000, managed.data(), 1, device.data(), 1, &r), ACC_SUCCESS);
  EXPECT_EQ(r, 250);
  EXPECT_EQ(acc_ddot_plain(1000, host.data(), 1, managed.data(), 1, &r), ACC_SUCCESS);
  EXPECT_EQ(r, 250);
  EXPECT_EQ(acc_ddot_plain(1000, host.data(), 1, device.data(), 1, &r), ACC_INVALID_ARGUMENT);
  EXPECT_STREQ(acc_last_error(),
               "acc_ddot_plain: the vectors must all be in host memory, or all in that of "
               "Kokkos's GPU");
}
#endif

}  // namespace
}  // namespace acc_test
