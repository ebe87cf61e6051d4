// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_TEAM_HPP
#define ACC_TEAM_HPP

#include <acc/backends/team_reduction.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/order/vector_data.hpp>
#include <acc/dot.hpp>
#include <acc/impl/reduce.hpp>

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace acc {

namespace impl {
/// The widest reduction of vectors of T under Method, whose memory serves all team callables.
template <class T, class Method>
using team_reduction =
    reduction<dot_terms<T, true>, Method, real_t<T>, components_of<T>, write_sum, result_t<T>>;
}  // namespace impl

/// Bytes of level-0 team scratch that an acc::team_scratch<T, Method> takes, whatever the team's
/// size and the vectors' length. For double 928 with plain, 1968 with compensated, compensated_fma
/// and double_word, 672 + 648 K with fold<K>; about half of that for float (widened: 928) and twice
/// for Kokkos::complex, so below 12 KiB always.
///
/// T: float, double or Kokkos::complex of them (half_t and bhalf_t with widened). Method: plain,
/// compensated (default), compensated_fma (products alone), double_word, fold<K>, widened (not for
/// double). The order-free methods exact and reproducible<K> need no team form: acc::ExactSum and
/// acc::BinnedSum give their bits in any reduction.
template <class T, class Method = compensated>
KOKKOS_INLINE_FUNCTION constexpr int team_scratch_size(Method = {}) {
  ACC_CHECK_TEAM_METHOD("acc::team_scratch_size", Method, T);
  return int(sizeof(backends::team_memory<impl::team_reduction<T, Method>>)) + 16;
}

/// Scratch memory of a team for acc::team_sum and acc::team_dot of vectors of T; it names their
/// method. Make one at the start of the kernel, in all threads of the team, and reuse it.
/// The policy must reserve team_scratch_size bytes for it, beside the kernel's own (if there are
/// fewer, Kokkos::abort ends the kernel):
///   using method = acc::fold<3>;  // 2616 bytes
///   policy.set_scratch_size(0, Kokkos::PerTeam(acc::team_scratch_size<double, method>()));
/// and in the kernel:
///   acc::team_scratch<double, method> scratch(team);
///   const double s = acc::team_sum(team, scratch, x);  // the bits of acc::sum(x, method{})
template <class T, class Method = compensated>
class team_scratch {
 public:
  template <class Team>
  KOKKOS_FUNCTION explicit team_scratch(const Team& team)
      : memory_(team.team_scratch(0).get_shmem_aligned(team_scratch_size<T, Method>() - 16, 16)) {
    if (memory_ == nullptr)
      Kokkos::abort(
          "acc::team_scratch: the policy must reserve acc::team_scratch_size bytes of level-0 "
          "scratch");
  }

  template <class R>
  KOKKOS_FUNCTION backends::team_memory<R>& as() const {
    static_assert(sizeof(backends::team_memory<R>) + 16 <= team_scratch_size<T, Method>());
    return *static_cast<backends::team_memory<R>*>(memory_);
  }

 private:
  void* memory_;
};

namespace impl {
template <class Terms, class T, class Method, class Team, class X, class Y>
KOKKOS_FUNCTION result_t<T> team_reduce(const Team& team, const team_scratch<T, Method>& scratch,
                                        const X& x, const Y& y) {
  result_t<T> result;
  const auto xs = vector_data_of(x), ys = vector_data_of(y);
  using R = reduction<Terms, Method, real_t<T>, components_of<T>, write_sum, result_t<T>>;
  const R r{xs, ys, &result};
  r.finish(backends::team_subtree(team, scratch.template as<R>(), r, 0, r.leaves()));
  return result;
}
}  // namespace impl

/// The sum of a vector by one team, inside a kernel: the bits of acc::sum(x, method).
///
/// Collective: all threads of the team call it with the same arguments, outside nested loops, and
/// all get the sum. Ends with a team barrier. x: rank-1 View of T, any layout, readable in the
/// kernel. Error bound: acc::sum's. Method, the scratch's: plain, compensated, double_word, fold<K>
/// or widened. Returns T, float for half_t and bhalf_t.
template <class Team, class T, class Method, kokkos_view X>
KOKKOS_FUNCTION impl::result_t<T> team_sum(const Team& team, const team_scratch<T, Method>& scratch,
                                           const X& x) {
  static_assert(X::rank == 1, "acc::team_sum: x must be a rank-1 View");
  static_assert(std::is_same_v<typename X::non_const_value_type, T>,
                "acc::team_sum: x and scratch must have the same value type");
  ACC_CHECK_TEAM_METHOD("acc::team_sum", Method, T);
  static_assert(!std::is_same_v<Method, compensated_fma>,
                "acc::team_sum: method compensated_fma is for dot products");
  return impl::team_reduce<impl::sum_terms<impl::components_of<T>>>(team, scratch, x, x);
}

/// The dot product sum conj(x_i) y_i by one team, inside a kernel: the bits of acc::dot(x, y,
/// method). Collective as team_sum, with its methods and compensated_fma. x and y must have the
/// same length: otherwise Kokkos::abort ends the kernel, because device code cannot throw.
template <class Team, class T, class Method, kokkos_view X, kokkos_view Y>
KOKKOS_FUNCTION impl::result_t<T> team_dot(const Team& team, const team_scratch<T, Method>& scratch,
                                           const X& x, const Y& y) {
  static_assert(X::rank == 1 && Y::rank == 1, "acc::team_dot: x and y must be rank-1 Views");
  static_assert(std::is_same_v<typename X::non_const_value_type, T> &&
                    std::is_same_v<typename Y::non_const_value_type, T>,
                "acc::team_dot: x, y and scratch must have the same value type");
  ACC_CHECK_TEAM_METHOD("acc::team_dot", Method, T);
  if (x.extent(0) != y.extent(0)) Kokkos::abort("acc::team_dot: x and y must have the same length");
  return impl::team_reduce<impl::dot_terms<T, true>>(team, scratch, x, y);
}

}  // namespace acc

#endif
