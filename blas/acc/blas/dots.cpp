// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/dot.hpp>

#include "reduce.hpp"

namespace acc::blas {
namespace {

template <class Method>
struct dot_by {
  using method = Method;
  template <class T>
  using terms = impl::dot_terms<impl::kokkos_scalar_t<T>, true>;
  using finish = impl::write_sum;
  auto operator()(const auto& exec, const auto& x, const auto& y) const {
    return acc::dot(exec, x, y, Method{});
  }
};
template <class Method>
struct dotu_by {
  using method = Method;
  template <class T>
  using terms = impl::dot_terms<impl::kokkos_scalar_t<T>, false>;
  using finish = impl::write_sum;
  auto operator()(const auto& exec, const auto& x, const auto& y) const {
    return acc::dotu(exec, x, y, Method{});
  }
};

}  // namespace
}  // namespace acc::blas

#define ACC_DEFINE_ONE(function, type, T, method)                                                \
  int acc_##type##function##_##method(std::int64_t n, const T* x, std::int64_t incx, const T* y, \
                                      std::int64_t incy, T* result) {                            \
    using namespace acc::blas;                                                                   \
    return guarded("acc_" #type #function "_" #method, [&] {                                     \
      reduce<function##_by<decltype(acc::method{})>>(n, result, vector<T>{"x", x, incx},         \
                                                     vector<T>{"y", y, incy});                   \
    });                                                                                          \
  }
#define ACC_DEFINE(type, T, R, method) \
  ACC_DEFINE_ONE(dot, type, T, method) \
  ACC_DEFINE_ONE(dotu, type, T, method)
ACC_EACH_TYPE_AND_METHOD(ACC_DEFINE)
