// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix times vector, and batches of small products, each in turn with the peer (blas.hpp).

#include "products.hpp"

#include <acc/batched_gemm.hpp>
#include <acc/gemv.hpp>

namespace {

using namespace perf;

template <class T>
void add_gemv(const std::string& type) {
  const auto add = [&](int n, bool transposed, const std::string& name, auto method) {
    const std::string op = transposed ? "A^T x, " : "A x, ";
    add_product("gemv/" + type + "/" + op + std::to_string(n) + "/acc " + name,
                [=](benchmark::State& state) {
                  const auto a_data = data<T>(std::int64_t(n) * n, 0), x = data<T>(n, 1);
                  const vector<T> y("y", std::size_t(n));
                  const auto m = matrix_of<const T>(a_data.data(), n, n, transposed);
                  const auto a = view(m);
                  measure_product(
                      state, 2.0 * n * n,
                      [&] { acc::gemv(Exec(), letter(transposed), T(1), a, x, T(0), y, method); },
                      [&] {
                        if constexpr (blas::exists) blas::gemv<T>(m, x.data(), y.data());
                      });
                });
  };
  for (const int n : {512, 8192}) {
    for (const bool transposed : {false, true}) {
      add(n, transposed, "plain", acc::plain{});
      add(n, transposed, "seeded 256", acc::gemm_default<T>);
      add(n, transposed, "compensated", acc::compensated{});
    }
  }
}

template <class T>
void add_batch(const std::string& type) {
  constexpr int count = 1000, n = 32;
  const auto add = [&](const std::string& name, auto method) {
    add_product("batched_gemm/" + type + "/1000 of 32/acc " + name, [=](benchmark::State& state) {
      using batch = Kokkos::View<T***, Kokkos::LayoutRight, Exec, Kokkos::MemoryUnmanaged>;
      const auto a_data = data<T>(count * n * n, 0), b_data = data<T>(count * n * n, 1);
      const vector<T> c_data("c", std::size_t(count * n * n));
      const batch a(a_data.data(), count, n, n), b(b_data.data(), count, n, n);
      const batch c(c_data.data(), count, n, n);
      // LayoutRight: each matrix by rows, on a GPU, too.
      const auto first = [=](auto* data) { return matrix_of(data, n, n, false, !on_gpu); };
      measure_product(
          state, 2.0 * count * n * n * n,
          [&] { acc::batched_gemm(Exec(), "N", "N", T(1), a, b, T(0), c, method); },
          [&] {
            if constexpr (blas::exists)
              blas::batched_gemm<T>(count, first(static_cast<const T*>(a.data())),
                                    first(static_cast<const T*>(b.data())), first(c.data()));
          });
    });
  };
  add("plain", acc::plain{});
  add("seeded 256", acc::gemm_default<T>);
  add("compensated", acc::compensated{});
}

template <class T>
void add_type(const std::string& type) {
  add_gemv<T>(type);
  add_batch<T>(type);
}

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  return true;
}();

}  // namespace
