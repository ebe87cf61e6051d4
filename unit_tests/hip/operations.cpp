// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel for each piece of arithmetic whose operations docs/arithmetic.md states. operations.py
// reads the machine code of these kernels; nobody runs them. Each gets x[0], x[1], ... as arguments
// and writes its results to r[0], r[1], ... A product that the kernel forms itself, as a caller
// may, tempts the compiler to fuse it with what follows.
#include <acc/core/double_word.hpp>
#include <acc/core/eft.hpp>
#include <acc/core/elements/combination.hpp>
#include <acc/core/expansion.hpp>
#include <acc/core/gemm/scaling.hpp>
#include <acc/core/gemm/section_sum.hpp>
#include <acc/core/gemm/strip_sum.hpp>
#include <acc/core/order/plain_sum.hpp>

#include <Kokkos_Core.hpp>

namespace {

template <class T>
struct results {
  T* r;
  __device__ void operator()(T a) const { r[0] = a; }
  __device__ void operator()(T a, T b) const { r[0] = a, r[1] = b; }
  __device__ void operator()(T a, T b, T c) const { r[0] = a, r[1] = b, r[2] = c; }
  __device__ void operator()(acc::sum_and_error<T> s) const { (*this)(s.value, s.error); }
  __device__ void operator()(acc::fma_and_errors<T> s) const {
    (*this)(s.value, s.error, s.error2);
  }
};

}  // namespace

// KERNEL(name, numbers, body), of float and of double.
#define ACC_TEST_ARGUMENTS_2(T) T a, T b
#define ACC_TEST_ARGUMENTS_3(T) T a, T b, T c
#define ACC_TEST_ARGUMENTS_4(T) T a, T b, T c, T d
#define ACC_TEST_ARGUMENTS_5(T) T a, T b, T c, T d, T e
#define ACC_TEST_KERNEL_OF(T, name, count, ...)                                        \
  extern "C" __global__ void name##_##T(results<T> r, ACC_TEST_ARGUMENTS_##count(T)) { \
    using real [[maybe_unused]] = T;                                                   \
    __VA_ARGS__                                                                        \
  }
#define ACC_TEST_KERNEL(name, count, ...)              \
  ACC_TEST_KERNEL_OF(double, name, count, __VA_ARGS__) \
  ACC_TEST_KERNEL_OF(float, name, count, __VA_ARGS__)

ACC_TEST_KERNEL(two_sum, 2, { r(acc::two_sum(a, b)); })
ACC_TEST_KERNEL(two_sum_of_product, 3, { r(acc::two_sum(a * b, c)); })
ACC_TEST_KERNEL(two_sum_of_products, 4, { r(acc::two_sum(a * b, c * d)); })
ACC_TEST_KERNEL(fast_two_sum_of_product, 3, { r(acc::fast_two_sum(a * b, c)); })
ACC_TEST_KERNEL(two_prod, 2, { r(acc::two_prod(a, b)); })
ACC_TEST_KERNEL(two_prod_of_product, 3, { r(acc::two_prod(a * b, c)); })
ACC_TEST_KERNEL(two_prod_dekker, 2, { r(acc::two_prod_dekker(a, b)); })
ACC_TEST_KERNEL(err_fma, 3, { r(acc::err_fma(a, b, c)); })
ACC_TEST_KERNEL(err_fma_of_products, 5, { r(acc::err_fma(a, b * c, d * e)); })
// What the caller makes of a product's parts.
ACC_TEST_KERNEL(sum_of_two_prod, 3, {
  const auto p = acc::two_prod(a, b);
  r(p.value + c, p.error + c);
})

ACC_TEST_KERNEL(plain_sum_of_product, 3, {
  acc::plain_sum<real> s;
  s.sum = a;
  s.add(b * c);
  r(s.sum);
})
ACC_TEST_KERNEL(double_word_of_product, 4, {
  acc::double_word_number<real> s(a, b);
  s.add(c * d);
  r(s.hi, s.lo);
})
ACC_TEST_KERNEL(double_word_from_product, 3, {
  acc::double_word_number<real> s(a * b);
  s.add(c);
  r(s.hi, s.lo);
})
ACC_TEST_KERNEL(expansion_from_product, 3, {
  acc::expansion<real, 2> s(a * b);
  s.add(c);
  r(s.c[0], s.c[1]);
})
ACC_TEST_KERNEL(expansion_add_product, 4, {
  acc::expansion<real, 2> s;
  s.c[0] = a;
  s.c[1] = b;
  s.add_product(c, d);
  r(s.c[0], s.c[1]);
})
ACC_TEST_KERNEL(double_word_add_product, 4, {
  acc::double_word_number<real> s(a, b);
  s.add_product(c, d);
  r(s.hi, s.lo);
})
ACC_TEST_KERNEL(double_word_product, 4, {
  acc::double_word_number<real> s(a, b);
  s *= acc::double_word_number<real>(c, d);
  r(s.hi, s.lo);
})

ACC_TEST_KERNEL(plain_chain, 5, {
  acc::impl::fma_chain<real> chain;
  chain.sum = a;
  chain.add_product(b, c);
  chain.add_product(d, e);
  r(chain.sum);
})
ACC_TEST_KERNEL(compensated_chain, 4, {
  acc::impl::compensated_chain<real> chain;
  chain.sum = a;
  chain.rest = b;
  chain.add_product(c, d);
  r(chain.sum, chain.rest);
})
// A product enters a strip, which is closed.
ACC_TEST_KERNEL(blocked_strip, 4, {
  using sum = acc::impl::strip_sum<acc::blocked, real>;
  typename sum::totals totals{a};
  typename sum::chain chain{b};
  chain.add_product(c, d);
  totals.close(chain);
  r(totals.high(chain));
})
ACC_TEST_KERNEL(kahan_strip, 5, {
  using sum = acc::impl::strip_sum<acc::selective<acc::kahan>, real>;
  typename sum::totals totals{a, b};
  typename sum::chain chain{c};
  chain.add_product(d, e);
  totals.close(chain);
  r(totals.high(chain), totals.low(chain));
})
ACC_TEST_KERNEL(seeded_strip, 4, {
  using sum = acc::impl::strip_sum<acc::selective<acc::seeded>, real>;
  typename sum::totals totals{a};
  typename sum::chain chain{b};
  chain.add_product(c, d);
  totals.close(chain);
  r(totals.high(chain), totals.low(chain));
})

// alpha = 3 and beta = 5: the compiler knows them, and so which products there are.
ACC_TEST_KERNEL(alpha_beta, 2, {
  using acc::impl::entry_part;
  r(acc::impl::scaled<false, 1>(acc::impl::scaling<real>{{3, 0}, {5, 0}}, entry_part<real>{a, 0, b},
                                entry_part<real>{}, real(1)));
})
ACC_TEST_KERNEL(alpha_beta_with_low, 3, {
  using acc::impl::entry_part;
  r(acc::impl::scaled<true, 1>(acc::impl::scaling<real>{{3, 0}, {5, 0}}, entry_part<real>{a, b, c},
                               entry_part<real>{}, real(1)));
})
// Of a product of the caller, as a result that is not rounded to memory.
ACC_TEST_KERNEL(combination, 4, {
  const acc::impl::combination<real, 2> c2{{3, 5}, {0, 0}};
  const real x[2][1] = {{a * b}, {c * d}};
  acc::impl::product_sum<real> sum;
  acc::impl::add_combination<1>(sum, c2, x, 0);
  r(sum.sum);
})
