// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_SUM_BY_KEY_HPP
#define ACC_SUM_BY_KEY_HPP

#include <acc/backends/workspace.hpp>
#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/segments.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

namespace acc {

namespace impl {

/// The arguments that both forms of sum_by_key have.
template <class Method, class Exec, class R, class Unique, class Keys, class X>
void check_sum_by_key(const R& r, const Unique& unique, const Keys& keys, const X& x) {
  ACC_CHECK_VECTOR("acc::sum_by_key", "x", Exec, X);
  ACC_CHECK_SCAN_METHOD("acc::sum_by_key", Method, typename X::non_const_value_type);
  ACC_CHECK_RESULT_OF_RANK(
      "acc::sum_by_key", 1, Exec, R,
      (std::is_same_v<typename R::value_type, typename X::non_const_value_type>));
  ACC_CHECK_INTEGERS("acc::sum_by_key", "keys", Exec, Keys);
  ACC_CHECK_OUTPUT("acc::sum_by_key", "unique", 1, Exec, Unique);
  static_assert(std::is_same_v<typename Unique::value_type, typename Keys::non_const_value_type>,
                "acc::sum_by_key: unique must be a View of the keys' type");
  check_same_length("acc::sum_by_key", "keys", keys, "x", x);
  check_same_length("acc::sum_by_key", "unique", unique, "r", r);
  check_data("acc::sum_by_key", "r", r);
  check_data("acc::sum_by_key", "unique", unique);
  check_data("acc::sum_by_key", "keys", keys);
  check_data("acc::sum_by_key", "x", x);
  check_places("acc::sum_by_key", r);
  check_places("acc::sum_by_key", unique, "unique");
  check_disjoint("acc::sum_by_key", "unique", r, unique);
  check_disjoint("acc::sum_by_key", "keys", r, keys);
  check_disjoint("acc::sum_by_key", "x", r, x);
  check_disjoint("acc::sum_by_key", "keys", unique, keys, "unique");
  check_disjoint("acc::sum_by_key", "x", unique, x, "unique");
}

}  // namespace impl

/// The sums of runs of equal keys: where keys are sorted, one sum for each key. Elements belong to
/// one run as long as their keys, which are adjacent, are equal; each sum has the bits of acc::sum
/// over its run. Asynchronous if exec is.
///
/// \param exec   execution space instance
/// \param r      rank-1 View of m sums, of x's type, any layout, accessible from exec
/// \param unique rank-1 View of m keys, of the keys' type: the key of each run
/// \param count  rank-0 View of integers, accessible from exec: how many runs there are
/// \param keys   rank-1 View of n integers of any type, accessible from exec. A key that comes
///               again after another one begins a new run
/// \param x      rank-1 View of n float, double or Kokkos::complex of them, any layout,
///               accessible from exec
/// \param method the arithmetic: compensated (default) or exact
///
/// If there are more than m runs, the first m are summed; count tells. Where there are fewer, the
/// other elements of r become +0, and those of unique are left as they are. Error bounds, NaN,
/// infinities, overflow and zeros are acc::sum's. Where the runs begin is kept in memory of acc's
/// until the next call, 8 (m + 1) bytes.
///
/// \throws std::invalid_argument if keys and x, or unique and r, do not have the same length; if
///         one of them has elements but no data, or count none; if the type of count cannot hold n;
///         if two elements of r or unique share a place; if r, unique or count overlaps another
///         argument
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view Unique, kokkos_view Count,
          kokkos_view Keys, kokkos_view X, sum_method Method = compensated>
void sum_by_key(const Exec& exec, const R& r, const Unique& unique, const Count& count,
                const Keys& keys, const X& x, Method = {}) {
  ACC_CHECK_OUTPUT("acc::sum_by_key", "count", 0, Exec, Count);
  static_assert(impl::is_integer<typename Count::value_type>,
                "acc::sum_by_key: count must be a View of integers");
  impl::check_sum_by_key<Method, Exec>(r, unique, keys, x);
  impl::check_data("acc::sum_by_key", "count", count);
  impl::check_holds("acc::sum_by_key", "count", count, "keys' extent", keys.extent(0));
  impl::check_no_overlap("acc::sum_by_key", "r", count, r, "count");
  impl::check_no_overlap("acc::sum_by_key", "unique", count, unique, "count");
  impl::check_no_overlap("acc::sum_by_key", "keys", count, keys, "count");
  impl::check_no_overlap("acc::sum_by_key", "x", count, x, "count");
  backends::locked_workspace memory(exec);
  impl::sum_runs<Method>(exec, memory.get(), "acc::sum_by_key", r, unique, count.data(), keys, x);
}

/// The same, and returns how many runs there are: waits for exec, and for nothing else.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view Unique, kokkos_view Keys,
          kokkos_view X, sum_method Method = compensated>
[[nodiscard]] std::int64_t sum_by_key(const Exec& exec, const R& r, const Unique& unique,
                                      const Keys& keys, const X& x, Method = {}) {
  impl::check_sum_by_key<Method, Exec>(r, unique, keys, x);
  backends::locked_workspace memory(exec);
  auto* const count = reinterpret_cast<std::int64_t*>(memory.get().result.data());
  impl::sum_runs<Method>(exec, memory.get(), "acc::sum_by_key", r, unique, count, keys, x);
  exec.fence("acc::sum_by_key");
  return *count;
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view Unique, kokkos_view Count, kokkos_view Keys, kokkos_view X,
          sum_method Method = compensated>
void sum_by_key(const R& r, const Unique& unique, const Count& count, const Keys& keys, const X& x,
                Method method = {}) {
  sum_by_key(typename X::execution_space{}, r, unique, count, keys, x, method);
}
template <kokkos_view R, kokkos_view Unique, kokkos_view Keys, kokkos_view X,
          sum_method Method = compensated>
[[nodiscard]] std::int64_t sum_by_key(const R& r, const Unique& unique, const Keys& keys,
                                      const X& x, Method method = {}) {
  return sum_by_key(typename X::execution_space{}, r, unique, keys, x, method);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(sum_by_key, sum_method, "(exec,) r, unique, (count,) keys, x (, method)",
                           "compensated or exact", "vvvv", "v m vm")

}  // namespace acc

#endif
