// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of non-negative matrices by recursion, each in turn with the peer (blas.hpp) and, on a
// host, with acc::gemm by plain.

#include "products.hpp"

#include <acc/ngemm.hpp>

namespace {

using namespace perf;

template <class T>
struct square {
  vector<T> c_data;
  blas::matrix<const T> a, b;
  blas::matrix<T> c;

  explicit square(std::int64_t n)
      : c_data("c", std::size_t(n * n)),
        a(matrix_of<const T>(data<T>(n * n, 0, family::fractions).data(), n, n)),
        b(matrix_of<const T>(data<T>(n * n, 1, family::fractions).data(), n, n)),
        c(matrix_of<T>(c_data.data(), n, n)) {}

  template <class Method>
  void by_recursion(const acc::ngemm_options& options, const Method& method) const {
    acc::ngemm(Exec(), "N", "N", T(1), view(a), view(b), T(0), view(c), options, method);
  }
  void by_plain() const {
    acc::gemm(Exec(), "N", "N", T(1), view(a), view(b), T(0), view(c), acc::plain{});
  }
  void by_peer() const {
    if constexpr (blas::exists) blas::gemm(a, b, c);
  }
};

double operations(std::int64_t n) { return 2.0 * double(n) * double(n) * double(n); }

template <class T, class Method>
void add_recursion(const std::string& name, std::int64_t n, const acc::ngemm_options& options,
                   const Method& method) {
  add_product(name, [=](benchmark::State& state) {
    const square<T> s(n);
    std::vector<rival> rivals;
    if (blas::exists) rivals.push_back({"ratio", [&] { s.by_peer(); }});
    if (!on_gpu) rivals.push_back({"to plain", [&] { s.by_plain(); }});
    measure_product(state, operations(n), [&] { s.by_recursion(options, method); }, rivals);
    state.counters["levels"] = acc::ngemm_depth<T>(n, n, n, options);
  });
}

/// By the default depth, and by the other ones up to 3.
template <class T, class Method>
void add_depths(const std::string& name, std::int64_t n, const Method& method) {
  add_recursion<T>(name, n, {}, method);
  for (int depth = 1; depth <= 3; ++depth)
    if (depth != acc::ngemm_depth<T>(n, n, n))
      add_recursion<T>(name + ", depth " + std::to_string(depth), n, {.depth = depth}, method);
}

template <class T>
void add_sizes(const std::string& type) {
  std::vector<std::int64_t> sizes = {4096, 8192};
  if (on_gpu) sizes.insert(sizes.end(), {16384, 32768});
  for (const std::int64_t n : sizes) {
    const std::string begin = "ngemm/" + type + "/" + std::to_string(n) + "/acc";
    add_product(begin + " gemm plain", [=](benchmark::State& state) {
      const square<T> s(n);
      measure_product(state, operations(n), [&] { s.by_plain(); }, [&] { s.by_peer(); });
    });
    add_depths<T>(begin + " seeded 256 leaves", n, acc::gemm_default<T>);
    add_depths<T>(begin + " plain leaves", n, acc::plain{});
    // The tensor cores make it the fastest of floats on a GPU, and cost twice plain's time
    // elsewhere.
    if constexpr (on_gpu && sizeof(T) == 4)
      add_depths<T>(begin + " widened leaves", n, acc::widened{});
    add_recursion<T>(begin + " outer product, plain", n,
                     {.recursion = acc::ngemm_recursion::outer_product}, acc::plain{});
  }
}

const bool registered = [] {
  add_sizes<double>("f64");
  add_sizes<float>("f32");
  return true;
}();

}  // namespace
