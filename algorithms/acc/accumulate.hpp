// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_ACCUMULATE_HPP
#define ACC_ACCUMULATE_HPP

#include <acc/core/binned.hpp>
#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/dot.hpp>
#include <acc/impl/reduce.hpp>
#include <acc/sum.hpp>

#include <type_traits>

namespace acc {

namespace impl {
/// The order-free method whose accumulator a type is, and the type's scalar.
template <class Sum>
struct method_of_accumulator {
  using method = void;
  using scalar = void;
};
template <class T>
struct method_of_accumulator<superaccumulator<T>> {
  using method = exact;
  using scalar = T;
};
template <class T, int K>
struct method_of_accumulator<binned<T, K>> {
  using method = reproducible<K>;
  using scalar = T;
};

#define ACC_CHECK_ACCUMULATOR(function, Exec, A, X, sum)                                          \
  ACC_CHECK_OUTPUT(function, "sum", 0, Exec, A);                                                  \
  static_assert(                                                                                  \
      !std::is_void_v<                                                                            \
          typename ::acc::impl::method_of_accumulator<typename A::non_const_value_type>::method>, \
      function ": sum must be a View of acc::superaccumulator or acc::binned");                   \
  static_assert(                                                                                  \
      std::is_same_v<                                                                             \
          typename ::acc::impl::method_of_accumulator<typename A::non_const_value_type>::scalar,  \
          ::acc::impl::result_t<typename X::non_const_value_type>>,                               \
      function ": sum must be one of x's value type (float for half_t, bhalf_t)");                \
  ACC_CHECK_TYPE_OR_HALF(function, typename X::non_const_value_type, "");                         \
  ::acc::impl::check_data(function, "sum", sum)
}  // namespace impl

/// Adds the elements of x to the sum in a rank-0 View; asynchronous if exec is. Data that arrives
/// in batches, from ranks or after a restart gives the bits of one acc::sum of all of it, whatever
/// the order and the division.
///
/// \param exec execution space instance
/// \param sum  rank-0 View of superaccumulator<T> (exact) or binned<T, K> (reproducible<K>), T the
///             type of x (float for half_t and bhalf_t), accessible from exec. A View that is
///             initialized (not WithoutInitializing) starts as the empty sum. For the result copy
///             it to the host and call value()
/// \param x    View of rank 1 to 8, as for acc::sum
/// \throws std::invalid_argument if x has elements but no data, sum has no data, or lies inside x
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view X>
void accumulate(const Exec& exec, const A& sum, const X& x) {
  using value = typename X::non_const_value_type;
  using method = typename impl::method_of_accumulator<typename A::non_const_value_type>::method;
  ACC_CHECK_ACCUMULATOR("acc::accumulate", Exec, A, X, sum);
  ACC_CHECK_ARRAY("acc::accumulate", "x", 1, 8, Exec, X);
  impl::check_array_data("acc::accumulate", "x", x);
  impl::check_no_overlap("acc::accumulate", "x", sum, x, "sum");
  impl::reduce_to_view<impl::sum_terms<impl::components_of<value>>, method, impl::merge_into>(
      exec, "acc::accumulate", sum, x, x);
}

/// The same for the products conj(x_i) y_i, as acc::dot.
/// \throws std::invalid_argument also if the lengths differ
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view X, kokkos_view Y>
void accumulate_dot(const Exec& exec, const A& sum, const X& x, const Y& y) {
  using method = typename impl::method_of_accumulator<typename A::non_const_value_type>::method;
  ACC_CHECK_ACCUMULATOR("acc::accumulate_dot", Exec, A, X, sum);
  ACC_CHECK_TWO_VECTORS("acc::accumulate_dot", Exec, X, Y, x, y);
  impl::check_no_overlap("acc::accumulate_dot", "x", sum, x, "sum");
  impl::check_no_overlap("acc::accumulate_dot", "y", sum, y, "sum");
  impl::reduce_to_view<impl::dot_terms<typename X::non_const_value_type, true>, method,
                       impl::merge_into>(exec, "acc::accumulate_dot", sum, x, y);
}

/// On the default instance of x's execution space.
template <kokkos_view A, kokkos_view X>
void accumulate(const A& sum, const X& x) {
  accumulate(typename X::execution_space{}, sum, x);
}
template <kokkos_view A, kokkos_view X, kokkos_view Y>
void accumulate_dot(const A& sum, const X& x, const Y& y) {
  accumulate_dot(typename X::execution_space{}, sum, x, y);
}

// Reject all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(accumulate, sum_method, "(exec,) sum, x",
                           "left out: it is the accumulator's", "vv", "")
ACC_REJECT_OTHER_ARGUMENTS(accumulate_dot, sum_method, "(exec,) sum, x, y",
                           "left out: it is the accumulator's", "vvv", "")

}  // namespace acc

#endif
