// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix times vector, and batches of small products, each in turn with the peer (blas.hpp).

#include "products.hpp"

#include <acc/batched_gemm.hpp>
#include <acc/gemv.hpp>

namespace {

using namespace perf;

/// Products of op(A), m x k, with a vector.
template <class T>
void add_gemv(const std::string& type, int m, int k, bool transposed) {
  const std::string op = transposed ? "A^T x, " : "A x, ";
  const std::string shape =
      m == k ? std::to_string(m) : std::to_string(m) + " x " + std::to_string(k);
  const auto add = [=](const std::string& name, auto method) {
    add_product("gemv/" + type + "/" + op + shape + "/acc " + name, [=](benchmark::State& state) {
      const auto a_data = data<T>(std::int64_t(m) * k, 0), x = data<T>(k, 1);
      const vector<T> y("y", std::size_t(m));
      const auto op_a = matrix_of<const T>(a_data.data(), m, k, transposed);
      const auto a = view(op_a);
      measure_product(
          state, 2.0 * m * k,
          [&] { acc::gemv(Exec(), letter(transposed), T(1), a, x, T(0), y, method); },
          [&] {
            if constexpr (blas::exists) blas::gemv<T>(op_a, x.data(), y.data());
          });
    });
  };
  add("plain", acc::plain{});
  add("seeded 256", acc::gemm_default<T>);
  add("compensated", acc::compensated{});
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
  for (const int n : {512, 8192})
    for (const bool transposed : {false, true}) add_gemv<T>(type, n, n, transposed);
  // Combinations of the vectors that a solver keeps (GMRES).
  for (const int m : {100000, 1000000})
    for (const int k : {4, 16, 30}) add_gemv<T>(type, m, k, false);
  add_batch<T>(type);
}

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  return true;
}();

}  // namespace
