// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// acc::gemm and acc::ngemm of matrices, acc::batched_gemm of stacks of them. In one file, as most
// of the first and the last is the same code.
#include <acc/batched_gemm.hpp>
#include <acc/gemm.hpp>
#include <acc/ngemm.hpp>

#include "gemm_methods.hpp"

namespace acc_python {
namespace {

/// A product except for types and method.
struct product {
  std::string trans_a, trans_b;
  py::array a, b, c;  // C's memory is written
  py::object alpha, beta;

  /// Calls f(exec, alpha, A, B, beta, C) for type T.
  template <class T, class F>
  void call(const F& f) const {
    const auto x = kokkos_t<T>(alpha.cast<T>()), y = kokkos_t<T>(beta.cast<T>());
    const auto A = matrix_of<T>(a), B = matrix_of<T>(b), C = matrix_of<T>(c);
    run([&](const auto& exec) { f(exec, x, A, B, y, C); });
  }
};

template <class T>
bool ngemm_of(const product& p, const acc::ngemm_options& options) {
  if (!is_of<T>(p.c)) return false;
  p.call<T>(
      [&](const auto& exec, auto alpha, const auto& A, const auto& B, auto beta, const auto& C) {
        acc::ngemm(exec, p.trans_a.c_str(), p.trans_b.c_str(), alpha, A, B, beta, C, options);
      });
  return true;
}

}  // namespace

void add_products(py::module_& m) {
  m.def("threads", [] {
    start();
    return acc::blas::with_kokkos([] { return acc::blas::host_space().concurrency(); });
  });
  m.attr("gemm_methods") =
      std::apply([](const auto&... each) { return py::make_tuple(each.first...); }, gemm_methods);
  // Each returns whether it takes such a type, and a method of that name for it.
  m.def("gemm", [](const std::string& trans_a, const std::string& trans_b, const py::object& alpha,
                   const py::array& a, const py::array& b, const py::object& beta,
                   const py::array& c, const std::string& method, std::int64_t strip, int bits) {
    const product p{trans_a, trans_b, a, b, c, alpha, beta};
    return with_type(c, [&]<class T>(T) {
      return with_gemm_method<T>({method, strip, bits}, [&](const auto& by) {
        p.call<T>(
            [&](const auto& exec, auto x, const auto& A, const auto& B, auto y, const auto& C) {
              acc::gemm(exec, p.trans_a.c_str(), p.trans_b.c_str(), x, A, B, y, C, by);
            });
      });
    });
  });
  // c = a b, of each matrix of a stack.
  m.def("batched_gemm", [](const py::array& a, const py::array& b, const py::array& c,
                           const std::string& method, std::int64_t strip, int bits) {
    return with_type(c, [&]<class T>(T) {
      return with_gemm_method<T>({method, strip, bits}, [&](const auto& by) {
        const auto A = stack_of<T>(a), B = stack_of<T>(b), C = stack_of<T>(c);
        run([&](const auto& exec) {
          acc::batched_gemm(exec, "N", "N", kokkos_t<T>(1), A, B, kokkos_t<T>(0), C, by);
        });
      });
    });
  });
  m.def("ngemm", [](const std::string& trans_a, const std::string& trans_b, const py::object& alpha,
                    const py::array& a, const py::array& b, const py::object& beta,
                    const py::array& c, int depth, bool check_sign) {
    const product p{trans_a, trans_b, a, b, c, alpha, beta};
    acc::ngemm_options options;
    options.depth = depth;
    options.check_sign = check_sign;
    return ngemm_of<float>(p, options) || ngemm_of<double>(p, options);
  });
}

}  // namespace acc_python
