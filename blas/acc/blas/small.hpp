// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_SMALL_HPP
#define ACC_BLAS_SMALL_HPP

/// \file
/// Small products in host memory, without what takes longer than they do: Views, execution spaces,
/// the checks of strides that a BLAS cannot have, and what keeps forks away.

#include <acc/backends/host/small_gemm.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/core/gemm_method.hpp>

#include <cstdint>
#include <type_traits>

#include "call.hpp"
#include "memory.hpp"
#include "runtime.hpp"

namespace acc::blas {

/// Where a matrix that has elements begins and ends; strides are not negative.
template <class T>
struct memory_range {
  const T *begin, *end;
  explicit memory_range(const impl::matrix_data<T>& m)
      : begin(m.data),
        end(m.data + (m.rows - 1) * m.row_stride + (m.columns - 1) * m.column_stride + 1) {}
  template <class U>
  bool is_apart_from(const memory_range<U>& other) const {
    return reinterpret_cast<std::uintptr_t>(end) <= reinterpret_cast<std::uintptr_t>(other.begin) ||
           reinterpret_cast<std::uintptr_t>(other.end) <= reinterpret_cast<std::uintptr_t>(begin);
  }
};

/// C = alpha A B + beta C with the bits of acc::gemm's default method, by the calling thread; or
/// false, and nothing has been done: the product is not small, or may have to be refused, as C lies
/// among A or B. C has elements, the extents agree, and Kokkos runs. It takes no lock.
template <class T>
bool multiply_small(T alpha, const impl::matrix_data<const T>& a,
                    const impl::matrix_data<const T>& b, T beta, const impl::matrix_data<T>& c) {
  using problem = impl::gemm_problem<impl::gemm_default_t<T>, T, T>;
  using small = backends::host::small_product<problem>;
  if constexpr (small::exists) {
    if (a.columns == 0) return false;
    problem p;
    p.a = a;
    p.b = b;
    p.c = c;
    p.batches = 1;
    p.strip = impl::strip_of(gemm_default<T>);
    p.set_scale(alpha, beta);
    if (!small::serves(p)) return false;
    const memory_range written(c);
    if (!written.is_apart_from(memory_range(a)) || !written.is_apart_from(memory_range(b)))
      return false;
    small::multiply(p);
    return true;
  } else {
    return false;
  }
}

/// Whether a call can be computed by its arguments and the calling thread alone: they are legal,
/// its arrays are in host memory and none of them is null, and Kokkos runs.
template <class Call>
bool can_be_done_at_once(const Call& c) noexcept {
  if (!is_all_host_memory || !runs_already()) return false;
  if (illegal_argument(c) != none || c.is_done() || !c.reads_products()) return false;
  for (const operand& o : c.operands())
    if (o.data == nullptr) return false;
  return true;
}

}  // namespace acc::blas

#endif
