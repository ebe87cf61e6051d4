// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/sum.hpp>

#include "reduce.hpp"

namespace acc::blas {
namespace {

template <class Method>
struct sum_by {
  auto operator()(const auto& exec, const auto& x) const { return acc::sum(exec, x, Method{}); }
};

}  // namespace
}  // namespace acc::blas

#define ACC_DEFINE(type, T, R, method)                                                     \
  int acc_##type##sum_##method(std::int64_t n, const T* x, std::int64_t incx, T* result) { \
    using namespace acc::blas;                                                             \
    return guarded("acc_" #type "sum_" #method, [&] {                                      \
      reduce<sum_by<decltype(acc::method{})>>(n, result, vector<T>{"x", x, incx});         \
    });                                                                                    \
  }
ACC_EACH_TYPE_AND_METHOD(ACC_DEFINE)
