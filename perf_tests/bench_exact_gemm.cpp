// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact matrix products, each in turn with the peer (blas.hpp) and with acc's plain product.
// `ratio` is the speed over the peer's, `plain` that over plain's. Products that are not exact, the
// peer's own and its emulation among them, have their errors as counters (product_errors.hpp).

#include "exact_products.hpp"
#include "product_errors.hpp"

#include <acc/dot.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include "emulation_cuda.hpp"
#endif

namespace {

using namespace perf;

/// `calls` after each other, where the peer does the same: a GPU then need not wait for its host.
template <class T, class Method>
void add_method(const std::string& type, const product_shape& s, family of, const std::string& name,
                Method method, int calls = 1) {
  add_exact<T>(type, s, of, "acc " + name, [=](benchmark::State& state, const auto& product) {
    const auto repeat = [=](const auto& call) {
      for (int i = 0; i < calls; ++i) call();
    };
    std::vector<rival> rivals = {{"plain", [&] { repeat([&] { product.by(acc::plain{}); }); }}};
    if (blas::exists) rivals.push_back({"ratio", [&] { repeat([&] { product.by_peer(); }); }});
    measure_product(
        state, calls * product.operations(), [&] { repeat([&] { product.by(method); }); }, rivals);
    if constexpr (!std::is_same_v<Method, acc::exact>) {
      product.by(method);
      report_errors(state, product.a, product.b, product.c);
    }
  });
}

/// What the peer and its emulation make of the same numbers.
template <class T>
void add_peers(const std::string& type, const product_shape& s, family of) {
  if constexpr (blas::exists)
    add_exact<T>(type, s, of, blas::name, [](benchmark::State& state, const auto& product) {
      measure_product(state, product.operations(), [&] { product.by_peer(); });
      report_errors(state, product.a, product.b, product.c);
    });
#if defined(KOKKOS_ENABLE_CUDA)
  // As many bits as cuBLAS finds that it takes; and seven bytes, which hold a double's.
  for (const int bits : {0, 55}) {
    if (bits && sizeof(T) == 4) continue;
    const std::string kept = bits ? ", " + std::to_string(bits) + " bits" : "";
    add_exact<T>(type, s, of, "cuBLAS emulation" + kept,
                 [=](benchmark::State& state, const auto& product) {
                   const auto& a = product.a;
                   const auto& b = product.b;
                   const auto& c = product.c;
                   const auto found = blas::try_emulation(a, b, c, bits);
                   if (!found.refusal.empty()) return state.SkipWithError(found.refusal.c_str());
                   measure_product(
                       state, product.operations(), [&] { blas::emulated_gemm(a, b, c, bits); },
                       [&] { product.by_peer(); });
                   blas::emulated_gemm(a, b, c, bits);
                   report_errors(state, a, b, c);
                   if (found.bits) state.counters["bits"] = found.bits;
                 });
  }
#endif
}

/// Rows of all exponents, which no moduli hold. `dots`: how many times as fast the product is as
/// acc::dot, called on the host for each entry, by one thread where Kokkos has Serial; measured on
/// a row of C.
template <class T>
void add_all_exponents(const std::string& type, const product_shape& s) {
  add_exact<T>(type, s, family::any, "acc exact", [](benchmark::State& state, const auto& product) {
#if defined(KOKKOS_ENABLE_SERIAL)
    using space = Kokkos::Serial;
#else
    using space = Kokkos::DefaultHostExecutionSpace;
#endif
    const auto on_host = [](auto m, const auto& data) {
      auto copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), data);
      m.data = copy.data();
      return std::pair(copy, view<space>(m));
    };
    const auto a = on_host(product.a, product.a_data), b = on_host(product.b, product.b_data);
    const auto dots = [&] {
      for (std::size_t j = 0; j < b.second.extent(1); ++j)
        benchmark::DoNotOptimize(acc::dot(space(), Kokkos::subview(a.second, 0, Kokkos::ALL),
                                          Kokkos::subview(b.second, Kokkos::ALL, j), acc::exact{}));
    };
    std::vector<rival> rivals = {{"dots", dots}};
    if (blas::exists) rivals.push_back({"ratio", [&] { product.by_peer(); }});
    measure_product(state, product.operations(), [&] { product.by(acc::exact{}); }, rivals);
    state.counters["dots"].value *= double(product.c.rows);
  });
}

template <class T>
void add_type(const std::string& type) {
  constexpr int digits = sizeof(T) == 4 ? 24 : 53;
  const acc::fixed_point fixed{.bits = digits};
  const std::string fixed_name = "fixed_point " + std::to_string(digits);
  std::vector<family> families = {family::grid, family::full, family::normal};
  // Of doubles they would be as the grid's.
  if (sizeof(T) == 4) families.push_back(family::words);
  std::vector<int> sizes = {512, 1024, 2048};
  if (on_gpu) sizes.insert(sizes.end(), {4096, 8192, 16384});

  for (const int n : sizes) {
    for (const family of : families)
      add_method<T>(type, product_shape(n), of, "exact", acc::exact{});
    add_method<T>(type, product_shape(n), family::full, fixed_name, fixed);
  }
  for (const product_shape& s : {product_shape(64, 64, 65536), product_shape(2048, 16, 2048)})
    add_method<T>(type, s, family::grid, "exact", acc::exact{});
  for (const int n : {512, 1024})
    add_method<T>(type, product_shape(n), family::grid, "exact, 20 calls", acc::exact{}, 20);
  add_all_exponents<T>(type, {256, 256, 1024});

  for (const int n : sizes) {
    if (n != 2048 && n != 8192) continue;
    for (const family of : {family::grid, family::full, family::normal, family::decades})
      add_peers<T>(type, product_shape(n), of);
    add_method<T>(type, product_shape(n), family::decades, fixed_name, fixed);
  }
}

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  return true;
}();

}  // namespace
