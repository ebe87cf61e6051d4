// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_EXACT_SUMS_HPP
#define ACC_IMPL_EXACT_SUMS_HPP

/// \file
/// Exact sums brought to the host unrounded: what statistics are made of.

#include <acc/backends/workspace.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
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

/// Some exact sums of numbers T, on the host.
template <class T, int Count>
struct exact_sums {
  using sum = superaccumulator<T>;
  sum of[Count];

  /// Calls launch(memory, i, s) for each i: it enqueues the launches that add to sum i, at s.
  /// Fences exec.
  template <class Exec, class Launch>
  exact_sums(const Exec& exec, const char* label, const Launch& launch) {
    using word = std::uint64_t;
    constexpr std::size_t bytes = Count * sizeof(sum);
    static_assert(bytes <= backends::exact_sums_bytes && bytes % sizeof(word) == 0);
    static_assert(std::is_trivially_copyable_v<sum>);
    backends::locked_workspace memory(exec);
    auto& m = memory.get();
    auto* const at = reinterpret_cast<sum*>(m.exact_sums.data());
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, Count),
                         empty_sums_kernel<sum>{at});
    for (int i = 0; i < Count; ++i) launch(m, i, at + i);
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, int(bytes / sizeof(word))),
                         copied_sums_kernel{reinterpret_cast<const word*>(at),
                                            reinterpret_cast<word*>(m.result.data())});
    exec.fence(label);
    std::memcpy(static_cast<void*>(of), m.result.data(), bytes);
  }
};

/// Enqueues what adds x's numbers, or the products x_i y_i, to a sum.
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
  launch_reduction<dot_terms<value, false>, exact, merge_into>(exec, memory, label, sum, x, y);
}

}  // namespace acc::impl

#endif
