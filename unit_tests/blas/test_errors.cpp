// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrong arguments: which of them xerbla_ and cblas_xerbla are told of, and that C stays as it is.
#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include "calls.hpp"

#include <array>
#include <functional>

namespace acc_test {
namespace {

template <class E>
class BlasErrors : public testing::Test {
 public:
  using T = typename E::type;
  using Change = std::function<void(Call<T>&)>;

  std::vector<T> a = std::vector<T>(64, T(1)), b = a, c = std::vector<T>(64, T(7));

  /// A right call, by rows or by columns: op(A) is 2 x 4, op(B) 4 x 3.
  Call<T> right(int layout, const char* letters = "NN") {
    const bool by_rows = layout == AccRowMajor;
    Call<T> call{layout,   letters[0], letters[1], 2, 3, 4,        1,
                 a.data(), 0,          b.data(),   0, 0, c.data(), by_rows ? 3 : 2};
    call.lda = by_rows == (letters[0] == 'N') ? 4 : 2;
    call.ldb = by_rows == (letters[1] == 'N') ? 3 : 4;
    return call;
  }

  /// The place that one of them is told of, 0 if it is told of none; the text as well, if asked.
  int place(const Call<T>& call, void (*function)(const Call<T>&), const std::string& name,
            std::string* text = nullptr) {
    c.assign(64, T(7));
    function(call);
    const auto reports = take_reports();
    EXPECT_LE(reports.size(), 1u);
    if (reports.empty()) return 0;
    EXPECT_EQ(c, std::vector<T>(64, T(7))) << "place " << reports[0].place;
    EXPECT_EQ(reports[0].routine, name);
    if (text != nullptr) *text = reports[0].text;
    return reports[0].place;
  }
  int fortran(const Change& change, const char* letters = "NN") {
    Call<T> call = right(AccColMajor, letters);
    change(call);
    return place(call, E::fortran, E::fortran_name());
  }
  int cblas(int layout, const Change& change, const char* letters = "NN",
            std::string* text = nullptr) {
    Call<T> call = right(layout, letters);
    change(call);
    return place(call, E::cblas, E::c_name(), text);
  }
  /// By all three: places of Fortran's, C's by columns, C's by rows.
  std::array<int, 3> all(const Change& change, const char* letters = "NN") {
    return {fortran(change, letters), cblas(AccColMajor, change, letters),
            cblas(AccRowMajor, change, letters)};
  }
};
using Places = std::array<int, 3>;
TYPED_TEST_SUITE(BlasErrors, Entries);

TYPED_TEST(BlasErrors, EachArgument) {
  const auto same = [](int fortran) { return Places{fortran, fortran + 1, fortran + 1}; };
  EXPECT_EQ(this->all([](auto&) {}), Places());  // the control
  EXPECT_EQ(this->all([](auto& c) { c.transa = 'X'; }), same(1));
  EXPECT_EQ(this->all([](auto& c) { c.transb = '\0'; }), same(2));
  EXPECT_EQ(this->all([](auto& c) { c.m = -1; }), same(3));
  EXPECT_EQ(this->all([](auto& c) { c.n = -1; }), same(4));
  EXPECT_EQ(this->all([](auto& c) { c.k = -1; }), same(5));
  EXPECT_EQ(this->all([](auto& c) { c.a = nullptr; }), same(7));
  EXPECT_EQ(this->all([](auto& c) { c.b = nullptr; }), same(9));
  EXPECT_EQ(this->all([](auto& c) { c.c = nullptr; }), same(12));
  for (const char* letters : {"NN", "NT", "TN", "CC"}) {
    EXPECT_EQ(this->all([](auto&) {}, letters), Places());
    EXPECT_EQ(this->all([](auto& c) { --c.lda; }, letters), same(8));
    EXPECT_EQ(this->all([](auto& c) { --c.ldb; }, letters), same(10));
    EXPECT_EQ(this->all([](auto& c) { --c.ldc; }, letters), same(13));
  }
}

TYPED_TEST(BlasErrors, ALeadingDimensionIsAtLeastOne) {
  const auto empty = [](auto& c) { c.m = c.n = c.k = 0, c.lda = c.ldb = c.ldc = 1; };
  EXPECT_EQ(this->all(empty), Places());
  EXPECT_EQ(this->all([&](auto& c) { empty(c), c.lda = 0; }), (Places{8, 9, 9}));
  EXPECT_EQ(this->all([&](auto& c) { empty(c), c.ldb = 0; }), (Places{10, 11, 11}));
  EXPECT_EQ(this->all([&](auto& c) { empty(c), c.ldc = 0; }), (Places{13, 14, 14}));
}

/// As the reference: in the order of the arguments, those of B before A's where it is by rows.
TYPED_TEST(BlasErrors, TheFirstOfSeveral) {
  const auto last = [](auto& c) { c.ldc = 0, c.c = nullptr; };
  const auto leading = [&](auto& c) { last(c), c.lda = c.ldb = 0; };
  const auto extents = [&](auto& c) { leading(c), c.m = c.n = c.k = -1; };
  EXPECT_EQ(this->all(last), (Places{13, 14, 14}));
  EXPECT_EQ(this->all(leading), (Places{8, 9, 11}));
  EXPECT_EQ(this->all(extents), (Places{3, 4, 5}));
  EXPECT_EQ(this->all([&](auto& c) { extents(c), c.transb = 'X'; }), (Places{2, 3, 3}));
  EXPECT_EQ(this->all([&](auto& c) { extents(c), c.transa = c.transb = 'X'; }), (Places{1, 2, 2}));
  EXPECT_EQ(this->all([&](auto& c) { last(c), c.k = -1; }), (Places{5, 6, 6}));
  // An error counts where there is nothing to do, too.
  EXPECT_EQ(this->all([&](auto& c) { c.m = 0, c.n = -1; }), (Places{4, 5, 5}));
}

TYPED_TEST(BlasErrors, Layouts) {
  for (const int layout : {0, 100, 103}) {
    std::string text;
    EXPECT_EQ(this->cblas(
                  AccColMajor, [&](auto& c) { c.layout = layout, c.transa = 'X'; }, "NN", &text),
              1);
    EXPECT_EQ(text, "Illegal layout setting, " + std::to_string(layout) + "\n");
  }
}

TYPED_TEST(BlasErrors, TextsOfCblas) {
  std::string text;
  this->cblas(AccRowMajor, [](auto& c) { c.transa = 'X'; }, "NN", &text);
  EXPECT_EQ(text, "Illegal TransA setting, " + std::to_string('X') + "\n");
  this->cblas(AccRowMajor, [](auto& c) { c.transb = 'X'; }, "NN", &text);
  EXPECT_EQ(text, "Illegal TransB setting, " + std::to_string('X') + "\n");
  this->cblas(AccRowMajor, [](auto& c) { c.lda = 1; }, "NN", &text);
  EXPECT_EQ(text, "");
  this->cblas(AccRowMajor, [](auto& c) { c.b = nullptr; }, "NN", &text);
  EXPECT_EQ(text, "a null pointer to an array\n");
}

/// What acc throws is reported at C.
TYPED_TEST(BlasErrors, OverlappingMatrices) {
  EXPECT_EQ(this->all([](auto& c) { c.a = c.c; }), (Places{12, 13, 13}));
  EXPECT_EQ(this->all([](auto& c) { c.b = c.c + 1; }), (Places{12, 13, 13}));
  EXPECT_EQ(this->all([](auto& c) { c.alpha = 0, c.a = c.b = c.c; }), Places());  // not read
  std::string text;
  this->cblas(AccColMajor, [](auto& c) { c.a = c.c; }, "NN", &text);
  EXPECT_NE(text.find("C (2 x 3) and A (2 x 4) overlap"), std::string::npos) << text;
  testing::internal::CaptureStderr();
  this->fortran([](auto& c) { c.a = c.c; });
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_EQ(line.find(" ** " + TypeParam::fortran_name() + ": acc::"), 0u) << line;
  EXPECT_NE(line.find("C (2 x 3) and A (2 x 4) overlap\n"), std::string::npos) << line;
}

#if defined(KOKKOS_ENABLE_CUDA)
/// Matrices in different memories: the first that is not where those before it are.
TYPED_TEST(BlasErrors, MatricesInDifferentMemories) {
  using T = typename TypeParam::type;
  const Kokkos::View<T*, Kokkos::CudaSpace> device("device", 64);
  const Kokkos::View<T*, Kokkos::CudaUVMSpace> managed("managed", 64);
  EXPECT_EQ(this->all([&](auto& c) { c.a = device.data(); }), (Places{9, 10, 10}));
  EXPECT_EQ(this->all([&](auto& c) { c.b = device.data(); }), (Places{9, 10, 10}));
  EXPECT_EQ(this->all([&](auto& c) { c.a = c.b = device.data(); }), (Places{12, 13, 13}));
  EXPECT_EQ(this->all([&](auto& c) { c.a = managed.data(), c.b = device.data(); }),
            (Places{12, 13, 13}));
  EXPECT_EQ(this->all([&](auto& c) { c.a = c.b = managed.data(); }), Places());
  EXPECT_EQ(this->all([&](auto& c) { c.a = device.data(), c.alpha = 0; }), Places());
}
#endif

}  // namespace
}  // namespace acc_test
