// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// acc::gemm and acc::ngemm of rank-2 arrays, chosen by the type of an array and the name of a
// method.
#include <acc/blas/runtime.hpp>
#include <acc/core/numbers/kokkos_scalar.hpp>
#include <acc/gemm.hpp>
#include <acc/ngemm.hpp>

#include "module.hpp"

#include <Kokkos_Core.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace acc_python {
namespace {

template <class T>
using kokkos_t = acc::impl::kokkos_scalar_t<T>;

/// Strides of any kind, so that acc::gemm is compiled once for all memory orders.
template <class T>
using matrix = Kokkos::View<T**, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

template <class T>
matrix<kokkos_t<T>> matrix_of(const py::array& a) {
  const auto extent = [&](int i) { return static_cast<std::size_t>(a.shape(i)); };
  const auto stride = [&](int i) { return static_cast<std::size_t>(elements_in<T>(a.strides(i))); };
  auto* const data = static_cast<kokkos_t<T>*>(const_cast<void*>(a.data()));
  return matrix<kokkos_t<T>>(data,
                             Kokkos::LayoutStride(extent(0), stride(0), extent(1), stride(1)));
}

/// The names are the command line tool's.
constexpr std::tuple methods{
    std::pair{"plain", acc::plain{}},     std::pair{"seeded", acc::selective<acc::seeded>{}},
    std::pair{"widened", acc::widened{}}, std::pair{"compensated", acc::compensated{}},
    std::pair{"exact", acc::exact{}},     std::pair{"fixed_point", acc::fixed_point{}}};

template <class Method, class T>
constexpr bool takes =
    !std::is_same_v<Method, acc::widened> || sizeof(acc::impl::real_t<kokkos_t<T>>) == 4;

/// A product but for types and method.
struct product {
  std::string trans_a, trans_b;
  py::array a, b, c;  // C's memory is written
  py::object alpha, beta;

  /// Calls f(alpha, A, B, beta, C) for type T while other Python threads may run.
  template <class T, class F>
  void call(const F& f) const {
    const auto x = kokkos_t<T>(alpha.cast<T>()), y = kokkos_t<T>(beta.cast<T>());
    const auto A = matrix_of<T>(a), B = matrix_of<T>(b), C = matrix_of<T>(c);
    start();
    const py::gil_scoped_release others_may_run;
    acc::blas::with_kokkos([&] {
      const auto exec = acc::blas::host_space();
      f(exec, x, A, B, y, C);
      exec.fence("acc: Python");
    });
  }
};

/// Whether c is of type T and there was such a method for it.
template <class T>
bool gemm_of(const product& p, const std::string& name, std::int64_t strip, int bits) {
  if (!py::isinstance<py::array_t<T>>(p.c)) return false;
  const auto by = [&](auto method) {
    using Method = decltype(method.second);
    if (name != method.first) return false;
    if constexpr (takes<Method, T>) {
      if constexpr (std::is_same_v<Method, acc::selective<acc::seeded>>)
        method.second.strip = strip;
      if constexpr (std::is_same_v<Method, acc::fixed_point>) method.second.bits = bits;
      p.call<T>([&](const auto& exec, auto alpha, const auto& A, const auto& B, auto beta,
                    const auto& C) {
        acc::gemm(exec, p.trans_a.c_str(), p.trans_b.c_str(), alpha, A, B, beta, C, method.second);
      });
    }
    return takes<Method, T>;
  };
  return std::apply([&](const auto&... each) { return (by(each) || ...); }, methods);
}

template <class T>
bool ngemm_of(const product& p, const acc::ngemm_options& options) {
  if (!py::isinstance<py::array_t<T>>(p.c)) return false;
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
      std::apply([](const auto&... each) { return py::make_tuple(each.first...); }, methods);
  // Both return whether they take such a type, and a method of that name for it.
  m.def("gemm", [](const std::string& trans_a, const std::string& trans_b, const py::object& alpha,
                   const py::array& a, const py::array& b, const py::object& beta,
                   const py::array& c, const std::string& method, std::int64_t strip, int bits) {
    const product p{trans_a, trans_b, a, b, c, alpha, beta};
    return gemm_of<float>(p, method, strip, bits) || gemm_of<double>(p, method, strip, bits) ||
           gemm_of<std::complex<float>>(p, method, strip, bits) ||
           gemm_of<std::complex<double>>(p, method, strip, bits);
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
