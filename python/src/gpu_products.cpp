// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which method multiplies arrays in a GPU's memory.
#include "gemm_methods.hpp"
#include "gpu.hpp"

#include <tuple>
#include <utility>

namespace acc_python {
namespace {

static_assert(std::tuple_size_v<decltype(gemm_methods)> == 9,
              "CMakeLists.txt compiles multiply_on_gpu for as many methods");

template <std::size_t... I>
bool multiply(const std::string& method, const gpu_product& p, std::index_sequence<I...>) {
  return ((method == std::get<I>(gemm_methods).first && multiply_on_gpu<I>(p)) || ...);
}

}  // namespace

// Returns whether it takes such types, and a method of that name for them.
void add_gpu_products(py::module_& gpu) {
  gpu.def("product",
          [](const std::string& trans_a, const std::string& trans_b, const py::object& alpha,
             const foreign_array& a, const foreign_array& b, const py::object& beta,
             const foreign_array& c, const std::string& method, std::int64_t strip, int bits) {
            constexpr std::make_index_sequence<std::tuple_size_v<decltype(gemm_methods)>> all;
            return multiply(method, {trans_a, trans_b, alpha, a, b, beta, c, strip, bits}, all);
          });
}

}  // namespace acc_python
