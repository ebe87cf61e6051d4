// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_EXACT_SUMS_HPP
#define ACC_IMPL_EXACT_SUMS_HPP

/// \file
/// Exact sums that are not rounded each by itself: what statistics are made of, on the host or in a
/// View.

#include <acc/backends/workspace.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/array_pairs.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/dot.hpp>
#include <acc/impl/reduce.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace acc::impl {

template <class Sum>
struct empty_sums_kernel {
  Sum* sums;
  KOKKOS_FUNCTION void operator()(int i) const { sums[i] = Sum(); }
};

/// To memory that the host reads: by a kernel, as a copy of Kokkos's is ordered among all instances
/// of some devices.
struct copied_sums_kernel {
  const std::uint64_t* from;
  std::uint64_t* to;
  KOKKOS_FUNCTION void operator()(int word) const { to[word] = from[word]; }
};

/// Enqueues Count exact sums of numbers T in memory of exec's, where they are until its next
/// launch: calls launch(memory, i, s) for each i, which enqueues the launches that add to sum i, at
/// s.
template <class T, int Count, class Exec, class Launch>
superaccumulator<T>* launch_exact_sums(const Exec& exec, backends::workspace<Exec>& memory,
                                       const char* label, const Launch& launch) {
  using sum = superaccumulator<T>;
  static_assert(Count * sizeof(sum) <= backends::exact_sums_bytes);
  auto* const at = reinterpret_cast<sum*>(memory.exact_sums.data());
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, Count),
                       empty_sums_kernel<sum>{at});
  for (int i = 0; i < Count; ++i) launch(memory, i, at + i);
  return at;
}

/// Some exact sums of numbers T, on the host.
template <class T, int Count>
struct exact_sums {
  using sum = superaccumulator<T>;
  sum of[Count];

  /// Fences exec.
  template <class Exec, class Launch>
  exact_sums(const Exec& exec, const char* label, const Launch& launch) {
    using word = std::uint64_t;
    constexpr std::size_t bytes = Count * sizeof(sum);
    static_assert(bytes % sizeof(word) == 0);
    static_assert(std::is_trivially_copyable_v<sum>);
    backends::locked_workspace memory(exec);
    auto& m = memory.get();
    const auto* const at = launch_exact_sums<T, Count>(exec, m, label, launch);
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, int(bytes / sizeof(word))),
                         copied_sums_kernel{reinterpret_cast<const word*>(at),
                                            reinterpret_cast<word*>(m.result.data())});
    exec.fence(label);
    std::memcpy(static_cast<void*>(of), m.result.data(), bytes);
  }
};

/// Writes what a statistic makes of exact sums.
template <class T, class Statistic>
struct write_statistic_kernel {
  const superaccumulator<T>* sums;
  T* result;
  Statistic statistic;
  KOKKOS_FUNCTION void operator()(int) const { *result = statistic(sums); }
};

/// The same sums, of which statistic(sums) is written to *result: returns at once.
template <int Count, class Exec, class T, class Launch, class Statistic>
void exact_sums_to_view(const Exec& exec, const char* label, T* result, const Launch& launch,
                        const Statistic& statistic) {
  backends::locked_workspace memory(exec);
  const auto* const sums = launch_exact_sums<T, Count>(exec, memory.get(), label, launch);
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, 1),
                       write_statistic_kernel<T, Statistic>{sums, result, statistic});
}

/// Enqueues what adds x's numbers, or the products of x's and y's, to a sum. Views of any rank; x
/// and y have the same extents.
template <class Exec, class Sum, class X>
void launch_exact_sum(const Exec& exec, backends::workspace<Exec>& memory, const char* label,
                      Sum* sum, const X& x) {
  using value = typename X::non_const_value_type;
  launch_reduction<sum_terms<components_of<value>>, exact, merge_into>(exec, memory, label, sum, x,
                                                                       x);
}
template <class Exec, class Sum, class X, class Y>
void launch_exact_dot(const Exec& exec, backends::workspace<Exec>& memory, const char* label,
                      Sum* sum, const X& x, const Y& y) {
  using value = typename X::non_const_value_type;
  with_pairs_of(x, y, [&](const auto& xs, const auto& ys) {
    launch<exact>(exec, memory, label,
                  reduction_of<dot_terms<value, false>, exact, merge_into>(sum, xs, ys));
  });
}

}  // namespace acc::impl

#endif
