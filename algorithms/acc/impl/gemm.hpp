// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_GEMM_HPP
#define ACC_IMPL_GEMM_HPP

/// \file
/// The driver that gemm, gemv and batched_gemm share: checks extents, describes the product and
/// launches it.

#include <acc/backends/dispatch.hpp>
#include <acc/backends/gemm_kernel.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/matrix.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace acc::impl {

/// The type of alpha and beta for a C of these values.
template <class T>
struct coefficient {
  using type = std::conditional_t<is_half_scalar<T>, float, T>;
};
template <class C>
using coefficient_t = typename coefficient<typename C::non_const_value_type>::type;

/// How a function calls its arguments in its errors.
struct gemm_names {
  const char *function, *a, *b, *c, *op_a, *op_b, *trans_a, *trans_b;
};

/// The product, once every argument has passed.
template <class Method, class A, class B, class C, class T>
auto make_gemm_problem(const gemm_names& names, const char* trans_a, const char* trans_b, T alpha,
                       const A& a_view, const B& b_view, T beta, const C& c_view,
                       const Method& method) {
  using in = typename A::non_const_value_type;
  using problem = gemm_problem<Method, in, typename C::value_type>;
  using real = typename problem::real;
  const char operation_a = checked_transpose_op(names.function, names.trans_a, trans_a);
  const char operation_b = checked_transpose_op(names.function, names.trans_b, trans_b);
  check_method(names.function, method);
  const auto batches_of = [](const auto& v) -> std::int64_t {
    if constexpr (std::decay_t<decltype(v)>::rank == 3) return std::int64_t(v.extent(0));
    return 1;
  };
  const std::int64_t batches = batches_of(c_view);
  if (batches_of(a_view) != batches || batches_of(b_view) != batches)
    reject(names.function, "A, B and C must have the same number of matrices, but have " +
                               std::to_string(batches_of(a_view)) + ", " +
                               std::to_string(batches_of(b_view)) + " and " +
                               std::to_string(batches));

  problem p;
  const auto as_const = [](const auto& m) {
    return matrix_data<const in>{m.data,          m.rows,         m.columns,  m.row_stride,
                                 m.column_stride, m.batch_stride, m.conjugate};
  };
  const auto a = matrix_data_of(a_view);
  const auto b = matrix_data_of(b_view);
  p.a = as_const(operated(a, operation_a));
  p.b = as_const(operated(b, operation_b));
  p.c = matrix_data_of(c_view);
  check_shapes(names.function, names.op_a, p.a, names.op_b, p.b, names.c, p.c);
  check_matrix_data(names.function, names.a, a, batches);
  check_matrix_data(names.function, names.b, b, batches);
  check_matrix_data(names.function, names.c, p.c, batches);
  check_strides(names.function, names.a, a, batches);
  check_strides(names.function, names.b, b, batches);
  check_strides(names.function, names.c, p.c, batches);
  check_distinct_entries(names.function, names.c, p.c, batches);
  check_no_alias(names.function, names.a, a, batches, names.c, p.c, batches);
  check_no_alias(names.function, names.b, b, batches, names.c, p.c, batches);

  p.batches = p.c.rows == 0 || p.c.columns == 0 ? 0 : batches;
  p.strip = strip_of(method);
  if constexpr (cuts_numbers<Method>) p.bits = method.bits;
  p.set_scale(alpha, beta);
  // As in BLAS: without depth alpha does not count, and C may be as it shall be already.
  if (p.depth() == 0) p.scale.alpha[0] = p.scale.alpha[1] = real(0);
  if (!p.reads_products() && p.scale.beta[0] == real(1) && p.scale.beta[1] == real(0))
    p.batches = 0;
  return p;
}

/// Calls f with what the machine makes of a product.
template <class Exec, class Problem, class F>
auto with_gemm_tiles(const Exec& exec, const Problem& p, const F& f) {
  using machine = backends::machine_of<Exec>;
  if constexpr (sums_exactly<typename Problem::method>)
    return machine::with_exact_entries(exec, p, f);
  else
    return machine::with_gemm_tiles(exec, p, f);
}
/// The same where C has one column.
template <class Exec, class Problem, class F>
auto with_gemv_tiles(const Exec& exec, const Problem& p, const F& f) {
  using machine = backends::machine_of<Exec>;
  if constexpr (sums_exactly<typename Problem::method>)
    return machine::with_exact_entries(exec, p, f);
  else
    return machine::with_gemv_tiles(exec, p, f);
}

/// Runs a machine's tiles with the instance's own workspace.
template <class Exec, class Tiles>
void run_tiles(const Exec& exec, const char* label, const Tiles& tiles) {
  if (backends::gemm_bytes(tiles) == 0) {
    backends::launch_gemm(exec, label, tiles, [](std::size_t) { return nullptr; });
    return;
  }
  backends::locked_workspace memory(exec);
  backends::launch_gemm(exec, label, tiles, [&](std::size_t bytes) {
    return memory.get().gemm_memory(bytes, backends::machine_of<Exec>::prepare_gemm_memory);
  });
}

/// Runs it.
template <class Exec, class Problem>
void run_gemm(const Exec& exec, const char* label, const Problem& p) {
  impl::with_gemm_tiles(exec, p, [&](const auto& tiles) { run_tiles(exec, label, tiles); });
}
/// The same where C has one column.
template <class Exec, class Problem>
void run_gemv(const Exec& exec, const char* label, const Problem& p) {
  impl::with_gemv_tiles(exec, p, [&](const auto& tiles) { run_tiles(exec, label, tiles); });
}

/// Runs it with the caller's.
template <class Exec, class Problem, class Workspace>
void run_gemm(const Exec& exec, const char* label, const Problem& p, const Workspace& workspace) {
  impl::with_gemm_tiles(exec, p, [&](const auto& tiles) {
    check_workspace(label, workspace.data(), workspace.extent(0), backends::gemm_bytes(tiles));
    backends::launch_gemm(exec, label, tiles, [&](std::size_t) { return workspace.data(); });
  });
}

}  // namespace acc::impl

#endif
