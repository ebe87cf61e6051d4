// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/asum.hpp>
#include <acc/nrm2.hpp>

#include "reduce.hpp"

namespace acc::blas {
namespace {

template <class Method>
struct asum_by {
  using method = Method;
  template <class>
  using terms = impl::magnitude_terms;
  using finish = impl::write_magnitude;
  auto operator()(const auto& exec, const auto& x) const { return acc::asum(exec, x, Method{}); }
};
template <class Method>
struct nrm2_by {
  using method = Method;
  template <class>
  using terms = impl::square_terms;
  using finish = impl::write_root;
  auto operator()(const auto& exec, const auto& x) const { return acc::nrm2(exec, x, Method{}); }
};

}  // namespace
}  // namespace acc::blas

#define ACC_DEFINE_ONE(function, type, T, R, method)                                              \
  int acc_##type##function##_##method(std::int64_t n, const T* x, std::int64_t incx, R* result) { \
    using namespace acc::blas;                                                                    \
    return guarded("acc_" #type #function "_" #method, [&] {                                      \
      reduce<function##_by<decltype(acc::method{})>>(n, result, vector<T>{"x", x, incx});         \
    });                                                                                           \
  }
#define ACC_DEFINE(type, T, R, method)     \
  ACC_DEFINE_ONE(asum, type, T, R, method) \
  ACC_DEFINE_ONE(nrm2, type, T, R, method)
ACC_EACH_TYPE_AND_METHOD(ACC_DEFINE)
