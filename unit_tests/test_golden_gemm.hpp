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

}  // namespace
}  // namespace acc_test
