// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_CHECK_HPP
#define ACC_CORE_CHECK_HPP

/// \file
/// Every rejection of the sums and dots, and its text. All happen before any launch.

#include <acc/core/concepts.hpp>
#include <acc/core/method.hpp>
#include <acc/core/scalar_traits.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

// Macros, because a static_assert's text must be a literal. `function` is one, as "acc::sum".

/// x is a rank-1 View that Exec can read.
#define ACC_CHECK_VECTOR(function, name, Exec, X)                                       \
  static_assert(X::rank == 1, function ": " name " must be a rank-1 View");             \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible, \
                function ": " name " is not accessible from the execution space");      \
  static_assert(::acc::impl::is_full_scalar<typename X::non_const_value_type> ||        \
                    ::acc::impl::is_half_scalar<typename X::non_const_value_type>,      \
                function                                                                \
                ": value type must be float, double or Kokkos::complex of them (or "    \
                "half_t, bhalf_t with the methods widened, exact and reproducible)")

/// Method is one of this function's, and takes elements of x.
#define ACC_CHECK_METHOD(function, Method, X)                                                   \
  static_assert(                                                                                \
      !std::is_same_v<Method, ::acc::widened> ||                                                \
          !std::is_same_v<::acc::impl::real_t<typename X::non_const_value_type>, double>,       \
      function ": method widened takes float or half input");                                   \
  static_assert(std::is_same_v<Method, ::acc::widened> || ::acc::impl::is_order_free<Method> || \
                    !::acc::impl::is_half_scalar<typename X::non_const_value_type>,             \
                function                                                                        \
                ": half_t and bhalf_t input needs the method widened, exact or "                \
                "reproducible")

/// r is a rank-0 View of the right type that Exec can write.
#define ACC_CHECK_RESULT(function, Exec, R, same_type)                                  \
  static_assert(R::rank == 0, function ": the result must be a rank-0 View");           \
  static_assert(!std::is_const_v<typename R::value_type>,                               \
                function ": the result must be a View of non-const");                   \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename R::memory_space>::accessible, \
                function ": the result is not accessible from the execution space");    \
  static_assert(same_type, function ": the result has the wrong value type")

namespace acc::impl {

[[noreturn]] inline void reject(const char* function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

template <class View>
void check_data(const char* function, const char* name, const View& v) {
  // extent(0), not size(): Kokkos 5.2's size() is 0 wherever data() is null.
  if (v.data() != nullptr || (View::rank == 1 && v.extent(0) == 0)) return;
  reject(function,
         std::string(name) +
             (View::rank == 1 ? " has extent " + std::to_string(v.extent(0)) + " but" : " has") +
             " no data (null pointer)");
}

template <class X, class Y>
void check_same_length(const char* function, const X& x, const Y& y) {
  if (x.extent(0) == y.extent(0)) return;
  reject(function, "x and y must have the same length, but x has extent " +
                       std::to_string(x.extent(0)) + " and y has extent " +
                       std::to_string(y.extent(0)));
}

/// r's number is none of x's: a launch's last team writes r while others may still read x. Elements
/// between x's (a column of a row-major matrix, say) are no overlap.
template <class R, class X>
void check_no_overlap(const char* function, const char* name, const R& r, const X& x) {
  if (x.extent(0) == 0) return;
  using value = typename X::value_type;
  const auto address = [](const void* p) { return reinterpret_cast<std::intptr_t>(p); };
  const std::intptr_t step = std::intptr_t(x.stride(0)) * std::intptr_t(sizeof(value));
  const std::intptr_t first = address(x.data());
  const std::intptr_t last = first + std::intptr_t(x.extent(0) - 1) * step;
  const std::intptr_t low = first < last ? first : last, high = first < last ? last : first;
  const std::intptr_t result = address(r.data());
  constexpr std::intptr_t width = sizeof(typename R::value_type), element = sizeof(value);
  if (result + width <= low || high + element <= result) return;
  const std::intptr_t pitch = step < 0 ? -step : step;
  if (pitch > 0 && result > low && result < high) {
    const std::intptr_t offset = (result - low) % pitch;
    if (offset >= element && offset + width <= pitch) return;
  }
  reject(function, std::string("the result lies inside ") + name + " (extent " +
                       std::to_string(x.extent(0)) + ")");
}

}  // namespace acc::impl

#endif
