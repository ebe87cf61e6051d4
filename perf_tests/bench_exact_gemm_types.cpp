// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact products of other numbers than bench_exact_gemm.cpp's, and sums of products that stay
// exact. `ratio` is the speed over the peer's (blas.hpp); `widened` and `exact` over acc's products
// by these.

#include "exact_products.hpp"

#include <acc/accumulate_gemm.hpp>

namespace {

using namespace perf;

template <class R>
void add_complex(const std::string& type) {
  using T = Kokkos::complex<R>;
  constexpr int digits = sizeof(R) == 4 ? 24 : 53;
  const auto row = [](auto method) {
    return [=](benchmark::State& state, const auto& product) {
      measure_product(
          state, product.operations(), [&] { product.by(method); }, [&] { product.by_peer(); });
    };
  };
  std::vector<int> sizes = {1024};
  if (on_gpu) sizes.insert(sizes.end(), {2048, 4096, 8192});
  for (const int n : sizes) {
    for (const family of : {family::grid, family::full, family::normal})
      add_exact<T>(type, product_shape(n), of, "acc exact", row(acc::exact{}));
    add_exact<T>(type, product_shape(n), family::full, "acc fixed_point " + std::to_string(digits),
                 row(acc::fixed_point{.bits = digits}));
  }
}

/// To floats. The BLAS has no such product.
void add_half(const std::string& type) {
  using In = Kokkos::Experimental::half_t;
  for (const int n : {1024, on_gpu ? 8192 : 2048})
    for (const family of : {family::grid, family::normal})
      add_exact<In, float>(type, product_shape(n), of, "acc exact",
                           [](benchmark::State& state, const auto& product) {
                             measure_product(state, product.operations(),
                                             [&] { product.by(acc::exact{}); },
                                             {{"widened", [&] { product.by(acc::widened{}); }}});
                           });
}

/// S += A B, S superaccumulators: 1072 bytes for each entry of doubles.
template <class T>
void add_sums(const std::string& type) {
  for (const int n : {512, on_gpu ? 2048 : 1024})
    add_exact<T>(type, product_shape(n), family::grid, "acc accumulate_gemm",
                 [=](benchmark::State& state, const auto& product) {
                   const Kokkos::View<acc::superaccumulator<T>**, Exec> sums("sums", n, n);
                   std::vector<rival> rivals = {{"exact", [&] { product.by(acc::exact{}); }}};
                   if (blas::exists) rivals.push_back({"ratio", [&] { product.by_peer(); }});
                   measure_product(
                       state, product.operations(),
                       [&] {
                         acc::accumulate_gemm(Exec(), sums, "N", "N", view(product.a),
                                              view(product.b));
                       },
                       rivals);
                 });
}

const bool registered = [] {
  add_complex<double>("complex f64");
  add_complex<float>("complex f32");
  add_half("f16");
  add_sums<double>("f64");
  add_sums<float>("f32");
  return true;
}();

}  // namespace
