// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same bits of matrix products everywhere, as test_golden.hpp.
#pragma once

#include "gemm_calls.hpp"
#include "golden.hpp"

namespace acc_test {
namespace {

/// C after each method, as "gemm METHOD WHAT".
template <class T>
void check_product(Golden& golden, const Product<T>& p, const std::string& what) {
  for_methods<T>({64}, [&](const auto& method) {
    const Matrix<T> c = p.by_gemm(method);
    std::vector<T> all;
    for (std::size_t i = 0; i < c.rows; ++i) {
      for (std::size_t j = 0; j < c.columns; ++j) all.push_back(c(i, j));
    }
    golden.check("gemm " + name(method) + " " + name(T{}) + " " + what,
                 bits(all.front()) + " " + bits(all.back()), bits_of_all(all));
  });
}

/// C after a method whose sums are exact, as "gemm exact WHAT", and as gemv and batched_gemm give
/// it.
template <class T, class Method>
void check_exact(Golden& golden, const Product<T>& p, const std::string& what,
                 const Method& method) {
  const auto check = [&](const std::string& function, const Matrix<T>& c) {
    std::vector<T> all;
    for (std::size_t i = 0; i < c.rows; ++i) {
      for (std::size_t j = 0; j < c.columns; ++j) all.push_back(c(i, j));
    }
    golden.check(function + " " + name(method) + " " + name(T{}) + " " + what,
                 bits(all.front()) + " " + bits(all.back()), bits_of_all(all));
  };
  check("gemm", p.by_gemm(method));
  if (p.c.columns == 1)
    check("gemv", p.by([&](const Exec& e, const auto& call) { call_exact_gemv(e, call, method); }));
  if (p.trans_a[0] == 'N')
    check("batched_gemm",
          p.by([&](const Exec& e, const auto& call) { call_exact_batched_gemm(e, call, method); }));
}
template <class T, class Method>
void check_exact_products(Golden& golden, const Method& method) {
  const T alpha = elements<T>(Data::uniform, 1, 4)[0], beta = elements<T>(Data::uniform, 1, 5)[0];
  for (const Data data :
       {Data::uniform, Data::all_exponents, Data::massive_cancellation, Data::near_overflow}) {
    const std::string family(name(data));
    check_exact(golden, Product<T>({3, 5, 40}, "N", "N", data, Data::uniform, 1),
                family + " 3x5x40 NN", method);
    Product<T> p({33, 19, 300, Lay::left, Lay::right}, "C", "C", data, Data::wide, 1);
    p.alpha = alpha;
    p.beta = beta;
    check_exact(golden, p, family + " 33x19x300 CC", method);
    Product<T> v({7, 1, 2200, Lay::right, Lay::left}, "N", "N", data, Data::uniform, 2);
    v.beta = T(-1);
    check_exact(golden, v, family + " 7x1x2200 NN", method);
  }
  Product<T> p = ill_conditioned_product<T>(200, sizeof(real_t<T>) == 4 ? 1e14 : 1e32);
  check_exact(golden, p, "ill_conditioned", method);
}

/// For each family a small product and one of several tiles and pieces of depth, scaled into C;
/// then products that cancel, and what is left where C is taken from them.
template <class T>
void check_products(Golden& golden) {
  const T alpha = elements<T>(Data::uniform, 1, 4)[0], beta = elements<T>(Data::uniform, 1, 5)[0];
  for (const Data data :
       {Data::uniform, Data::wide, Data::massive_cancellation, Data::near_overflow}) {
    const std::string family(name(data));
    check_product(golden, Product<T>({3, 5, 40}, "N", "N", data, Data::uniform, 1),
                  family + " 3x5x40 NN");
    Product<T> p({33, 19, 2200, Lay::left, Lay::right}, "C", "C", data, Data::uniform, 1);
    p.alpha = alpha;
    p.beta = beta;
    check_product(golden, p, family + " 33x19x2200 CC");
  }
  Product<T> p = ill_conditioned_product<T>(200, sizeof(real_t<T>) == 4 ? 1e14 : 1e32);
  check_product(golden, p, "ill_conditioned");
  p.alpha = alpha;
  p.c = p.by_gemm(acc::compensated{});
  p.alpha = -alpha;
  p.beta = T(1);
  check_product(golden, p, "residual");
  if (recording().empty()) return;
  // What no golden file holds: see test_golden.hpp.
  for (const Data data : {Data::positive, Data::alternating, Data::subnormal}) {
    Product<T> more({18, 37, 2500, Lay::right, Lay::left}, "N", "T", data, Data::uniform, 7);
    more.alpha = beta;
    more.beta = alpha;
    check_product(golden, more, std::string(name(data)) + " 18x37x2500 NT");
  }
}

TEST(Golden, Gemm) {
  Golden golden("gemm.txt");
  check_products<float>(golden);
  check_products<double>(golden);
  check_products<Kokkos::complex<float>>(golden);
  check_products<Kokkos::complex<double>>(golden);
  golden.finish();
}

TEST(Golden, GemmExact) {
  Golden golden("gemm_exact.txt");
  check_exact_products<float>(golden, acc::exact{});
  check_exact_products<double>(golden, acc::exact{});
  check_exact_products<Kokkos::complex<float>>(golden, acc::exact{});
  check_exact_products<Kokkos::complex<double>>(golden, acc::exact{});
  golden.finish();
}

TEST(Golden, GemmFixedPoint) {
  Golden golden("gemm_fixed_point.txt");
  check_exact_products<float>(golden, acc::fixed_point{.bits = 12});
  check_exact_products<double>(golden, acc::fixed_point{.bits = 30});
  check_exact_products<Kokkos::complex<float>>(golden, acc::fixed_point{.bits = 12});
  check_exact_products<Kokkos::complex<double>>(golden, acc::fixed_point{.bits = 64});
  golden.finish();
}

}  // namespace
}  // namespace acc_test
