// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_SUM_BY_INDEX_HPP
#define ACC_IMPL_SUM_BY_INDEX_HPP

/// \file
/// The driver of sum_by_index and add_by_index: checks the arguments, describes the call, looks at
/// the numbers, and launches.

#include <acc/backends/dispatch.hpp>
#include <acc/backends/scatter.hpp>
#include <acc/backends/scatter_binned.hpp>
#include <acc/backends/scatter_rows.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/impl/reduce.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <Kokkos_Core.hpp>
#include <string>
#include <type_traits>

/// The types of r, index and x are those of a sum by index.
#define ACC_CHECK_BY_INDEX(function, Exec, R, Index, X, Method)                                \
  static_assert(::acc::impl::is_order_free<Method>,                                            \
                function ": the method must be exact or reproducible<K>");                     \
  static_assert(X::rank == 1 || X::rank == 2, function ": x must be a rank-1 or rank-2 View"); \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible,        \
                function ": x is not accessible from the execution space");                    \
  ACC_CHECK_TYPE_OR_HALF(function, typename X::non_const_value_type, "");                      \
  static_assert(R::rank == X::rank, function ": r must have the rank of x");                   \
  ACC_CHECK_RESULT_OF_RANK(                                                                    \
      function, R::rank, Exec, R,                                                              \
      (std::is_same_v<typename R::value_type,                                                  \
                      ::acc::impl::result_t<typename X::non_const_value_type>>));              \
  static_assert(Index::rank == 1, function ": index must be a rank-1 View");                   \
  static_assert(std::is_integral_v<typename Index::non_const_value_type>,                      \
                function ": index must be a View of integers");                                \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename Index::memory_space>::accessible,    \
                function ": index is not accessible from the execution space")

namespace acc::impl {

/// v's rows as real numbers.
template <class View>
auto real_rows_of(const View& v) {
  using scalar = typename View::value_type;
  using plain = std::remove_const_t<scalar>;
  using real = std::conditional_t<is_half_scalar<plain>, plain, real_t<plain>>;
  using element = std::conditional_t<std::is_const_v<scalar>, const real, real>;
  constexpr int parts = components_of<plain>;
  std::int64_t columns = 1, column_stride = 0;
  if constexpr (View::rank == 2) {
    columns = std::int64_t(v.extent(1));
    column_stride = std::int64_t(v.stride(1)) * parts;
  }
  return backends::real_rows<element>{reinterpret_cast<element*>(v.data()),
                                      std::int64_t(v.extent(0)),
                                      columns * parts,
                                      std::int64_t(v.stride(0)) * parts,
                                      column_stride,
                                      parts};
}

/// The rejections that need no look at the indexes.
template <class R, class Index, class X>
void check_by_index(const char* function, const R& r, const Index& index, const X& x) {
  check_same_length(function, "index", index, "x", x);
  if constexpr (X::rank == 2) {
    if (r.extent(1) != x.extent(1))
      reject(function, "r and x must have as many columns, but r is " +
                           std::to_string(r.extent(0)) + " x " + std::to_string(r.extent(1)) +
                           " and x is " + std::to_string(x.extent(0)) + " x " +
                           std::to_string(x.extent(1)));
  }
  const auto check_data = [&](const char* name, const auto& v) {
    if (v.extent(0) != 0 && (v.rank == 1 || v.extent(v.rank - 1) != 0))
      impl::check_data(function, name, v);
  };
  check_data("r", r);
  check_data("index", index);
  check_data("x", x);
  check_places(function, r);
  check_apart(function, "x", r, x);
  check_apart(function, "index", r, index);
}

/// Whether an index is m or more, where there are m rows.
template <class Integer>
KOKKOS_FUNCTION bool is_beyond(Integer index, std::int64_t rows) {
  return !backends::is_below_zero(index) && std::uint64_t(index) >= std::uint64_t(rows);
}

/// The rejection of index(i), which is beyond r.
template <class Exec, class R, class Index>
void reject_index(const Exec& exec, const char* function, const R& r, const Index& index,
                  std::int64_t i) {
  typename Index::non_const_value_type first;
  Kokkos::deep_copy(exec, first, Kokkos::subview(index, i));
  exec.fence(function);
  reject(function, "index(" + std::to_string(i) + ") is " + std::to_string(first) +
                       ", but r has extent " + std::to_string(r.extent(0)));
}

template <int K>
constexpr int bins_of(reproducible<K>) {
  return K;
}

template <class Exec, class R, class Index, class X, class Method>
void sum_by_index(const Exec& exec, const char* function, const R& r, const Index& index,
                  const X& x, bool adds, [[maybe_unused]] Method method,
                  const backends::scatter_tuning& tuning = backends::scatter_tuning::of<Exec>()) {
  check_by_index(function, r, index, x);
  using real = std::remove_const_t<std::remove_pointer_t<decltype(real_rows_of(x).data)>>;
  using total = std::remove_pointer_t<decltype(real_rows_of(r).data)>;
  using integer = typename Index::non_const_value_type;
  typename X::const_type read = x;
  using problem = backends::scatter_problem<total, real, integer>;
  const problem p{real_rows_of(read), real_rows_of(r), index.data(), std::int64_t(index.stride(0)),
                  adds};
  backends::locked_workspace memory(exec);
  const auto check_indexes = [&](const auto& range) {
    if (range.wrong < p.x.rows) reject_index(exec, function, r, index, range.wrong);
  };
  if constexpr (X::rank == 2 && !is_reproducible<Method>) {
    const backends::scatter_rows_call<Exec, problem> rows{exec, function, p, tuning};
    if (rows.pays()) {
      const auto range = rows.look();
      check_indexes(range);
      if (rows.run(memory.get(), range)) return;
    }
  }
  const auto range = backends::look(exec, function, p);
  check_indexes(range);
  if constexpr (is_reproducible<Method>)
    backends::scatter_binned<bins_of(Method{})>(exec, memory.get(), function, p, range, tuning);
  else
    backends::scatter<typename backends::machine_of<Exec>::scatter_atomics>(
        exec, memory.get(), function, p, range, tuning);
}

}  // namespace acc::impl

#endif
