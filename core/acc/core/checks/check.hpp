// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_CHECKS_CHECK_HPP
#define ACC_CORE_CHECKS_CHECK_HPP

/// \file
/// Every rejection of the sums and dots, and its text. All happen before any launch.

#include <acc/core/checks/concepts.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

// Macros, because a static_assert's text must be a literal. `function` is one, as "acc::sum".

/// x is a rank-1 View that Exec can read.
#define ACC_CHECK_VECTOR(function, name, Exec, X)                                       \
  static_assert(X::rank == 1, function ": " name " must be a rank-1 View");             \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible, \
                function ": " name " is not accessible from the execution space")

/// The elements T are of a type that a function without half precision takes.
#define ACC_CHECK_TYPE(function, T)             \
  static_assert(::acc::impl::is_full_scalar<T>, \
                function ": value type must be float, double or Kokkos::complex of them")

/// The same of a function that takes half precision too; `how` is "", or " with the methods ...".
#define ACC_CHECK_TYPE_OR_HALF(function, T, how)                                           \
  static_assert(::acc::impl::is_full_scalar<T> || ::acc::impl::is_half_scalar<T>, function \
                ": value type must be float, double or Kokkos::complex of them "           \
                "(or half_t, bhalf_t" how ")")

/// Method takes elements T: widened not those of double, half precision only `methods`, which are
/// `allowed`.
#define ACC_CHECK_METHOD_TAKES(function, Method, T, allowed, methods)                             \
  static_assert(                                                                                  \
      !std::is_same_v<Method, ::acc::widened> || !std::is_same_v<::acc::impl::real_t<T>, double>, \
      function ": method widened takes float or half input");                                     \
  static_assert(allowed || !::acc::impl::is_half_scalar<T>,                                       \
                function ": half_t and bhalf_t input needs the method " methods)

/// Elements T and Method are those of a sum or dot with all the methods.
#define ACC_CHECK_METHOD(function, Method, T)                                               \
  ACC_CHECK_TYPE_OR_HALF(function, T, " with the methods widened, exact and reproducible"); \
  ACC_CHECK_METHOD_TAKES(                                                                   \
      function, Method, T,                                                                  \
      (std::is_same_v<Method, ::acc::widened> || ::acc::impl::is_order_free<Method>),       \
      "widened, exact or reproducible")

/// Elements T and Method are those of the team functions.
#define ACC_CHECK_TEAM_METHOD(function, Method, T)                              \
  ACC_CHECK_TYPE_OR_HALF(function, T, " with the method widened");              \
  static_assert(!::acc::impl::is_order_free<Method>, function                   \
                ": exact and reproducible have no team form; use the reducers " \
                "acc::ExactSum and acc::BinnedSum");                            \
  ACC_CHECK_METHOD_TAKES(function, Method, T, (std::is_same_v<Method, ::acc::widened>), "widened")

/// r is a rank-0 View of the right type that Exec can write.
#define ACC_CHECK_RESULT(function, Exec, R, same_type) \
  ACC_CHECK_RESULT_OF_RANK(function, 0, Exec, R, same_type)

/// r is a View of this rank and of the right type that Exec can write.
#define ACC_CHECK_RESULT_OF_RANK(function, r, Exec, R, same_type) \
  ACC_CHECK_OUTPUT(function, "r", r, Exec, R);                    \
  static_assert(same_type, function ": r has the wrong value type")

/// r is a rank-0 View of this type that Exec can write, with data and none of x's elements.
#define ACC_CHECK_RESULT_OF(function, Exec, R, type, r, x)                             \
  ACC_CHECK_RESULT(function, Exec, R, (std::is_same_v<typename R::value_type, type>)); \
  ::acc::impl::check_data(function, "r", r);                                           \
  ::acc::impl::check_no_overlap(function, "x", r, x)

/// `what`, a View, has this rank, and Exec can write it.
#define ACC_CHECK_OUTPUT(function, what, r, Exec, R)                                    \
  static_assert(R::rank == r, function ": " what " must be a rank-" #r " View");        \
  static_assert(!std::is_const_v<typename R::value_type>,                               \
                function ": " what " must be a View of non-const");                     \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename R::memory_space>::accessible, \
                function ": " what " is not accessible from the execution space")

/// Elements T and Method are those of a scan or segmented sum.
#define ACC_CHECK_SCAN_METHOD(function, Method, T)                                        \
  ACC_CHECK_TYPE(function, T);                                                            \
  static_assert(                                                                          \
      std::is_same_v<Method, ::acc::compensated> || std::is_same_v<Method, ::acc::exact>, \
      function ": method must be compensated or exact")

/// v (`name`) is a rank-1 View of integers that Exec can read.
#define ACC_CHECK_INTEGERS(function, name, Exec, V)                                     \
  static_assert(V::rank == 1, function ": " name " must be a rank-1 View");             \
  static_assert(std::is_integral_v<typename V::non_const_value_type>,                   \
                function ": " name " must be a View of integers");                      \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible, \
                function ": " name " is not accessible from the execution space")

namespace acc::impl {

/// bool is none.
template <class T>
inline constexpr bool is_integer =
    std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool>;

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

/// r (`name`) is a View of integers, of a type that can hold numbers up to n.
template <class R>
void check_holds(const char* function, const char* name, const R&, const char* what,
                 std::size_t n) {
  using limits = std::numeric_limits<typename R::value_type>;
  if (n <= std::size_t(limits::max())) return;
  reject(function, std::string(name) + "'s type cannot hold " + what + ", " + std::to_string(n) +
                       ": its largest number is " + std::to_string(limits::max()));
}

template <class A, class B>
void check_same_length(const char* function, const char* a_name, const A& a, const char* b_name,
                       const B& b) {
  if (a.extent(0) == b.extent(0)) return;
  const std::string first(a_name), second(b_name);
  reject(function, first + " and " + second + " must have the same length, but " + first +
                       " has extent " + std::to_string(a.extent(0)) + " and " + second +
                       " has extent " + std::to_string(b.extent(0)));
}
template <class X, class Y>
void check_same_length(const char* function, const X& x, const Y& y) {
  check_same_length(function, "x", x, "y", y);
}

/// "3 x 4 x 5".
template <class View>
std::string extents_of(const View& v) {
  std::string text;
  for (std::size_t d = 0; d < View::rank; ++d)
    text += (d == 0 ? "" : " x ") + std::to_string(v.extent(d));
  return text;
}

/// Where the elements of a View are, as bytes from address to address.
struct byte_range {
  std::intptr_t low, high, pitch, width;
};
/// From the first element of a View of any rank to the last.
template <class View>
byte_range bytes_of_all(const View& v) {
  std::intptr_t low = 0, high = 0;
  for (std::size_t d = 0; d < View::rank; ++d) {
    if (v.extent(d) == 0) return {};
    const auto reach = std::intptr_t(v.extent(d) - 1) * std::intptr_t(v.stride(d));
    (reach < 0 ? low : high) += reach;
  }
  constexpr std::intptr_t width = sizeof(typename View::value_type);
  const auto first = reinterpret_cast<std::intptr_t>(v.data());
  return {first + low * width, first + (high + 1) * width, 0, width};
}

/// r (`what`) is none of x's numbers: a launch's last team writes r while others may still read x.
/// Elements between x's (a column of a row-major matrix, say) are no overlap where x has rank 1.
template <class R, class X>
void check_no_overlap(const char* function, const char* name, const R& r, const X& x,
                      const char* what = "r") {
  if constexpr (X::rank > 1) {
    const byte_range all = bytes_of_all(x);
    const auto at = reinterpret_cast<std::intptr_t>(r.data());
    if (at < all.high && all.low < at + std::intptr_t(sizeof(typename R::value_type)))
      reject(function, std::string(what) + " lies inside " + name + " (" + extents_of(x) + ")");
    return;
  }
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
  reject(function, std::string(what) + " lies inside " + name + " (extent " +
                       std::to_string(x.extent(0)) + ")");
}

/// Where the elements of a rank-1 View are.
template <class X>
byte_range bytes_of(const X& x) {
  constexpr std::intptr_t width = sizeof(typename X::value_type);
  const std::intptr_t step = std::intptr_t(x.stride(0)) * width;
  const std::intptr_t first = reinterpret_cast<std::intptr_t>(x.data());
  const std::intptr_t last = first + (std::intptr_t(x.extent(0)) - 1) * step;
  return {first < last ? first : last, (first < last ? last : first) + width,
          step < 0 ? -step : step, width};
}

/// Whether elements of two rank-1 Views may share memory. Columns of one row-major matrix do not.
template <class A, class B>
bool may_overlap(const A& a, const B& b) {
  if (a.extent(0) == 0 || b.extent(0) == 0) return false;
  const byte_range p = bytes_of(a), q = bytes_of(b);
  if (p.high <= q.low || q.high <= p.low) return false;
  if (p.pitch != q.pitch || p.pitch == 0) return true;
  const std::intptr_t offset = ((q.low - p.low) % p.pitch + p.pitch) % p.pitch;
  return !(offset >= p.width && offset + q.width <= p.pitch);
}

/// Whether two rank-1 Views are the same elements.
template <class A, class B>
bool are_same(const A& a, const B& b) {
  return a.data() == b.data() && a.extent(0) == b.extent(0) &&
         (a.stride(0) == b.stride(0) || a.extent(0) == 1);
}

/// r, whose elements are written while x's are read, has none of them.
template <class R, class X>
void check_disjoint(const char* function, const char* name, const R& r, const X& x,
                    const char* what = "r") {
  if (!may_overlap(r, x)) return;
  reject(function, std::string(what) + " (extent " + std::to_string(r.extent(0)) + ") and " + name +
                       " (extent " + std::to_string(x.extent(0)) + ") overlap");
}

// Of Views of any rank.

/// Every number of r (`what`) has a place of its own.
template <class R>
void check_places(const char* function, const R& r, const char* what = "r") {
  std::string strides;
  // Dimensions by ascending stride, each beyond the last place of those before.
  std::int64_t reach = 0;
  bool used[R::rank + 1] = {}, apart = true;
  for (std::size_t d = 0; d < R::rank; ++d) {
    if (r.extent(d) == 0) return;
    strides += (d == 0 ? "" : d + 1 == R::rank ? " and " : ", ") + std::to_string(r.stride(d));
  }
  for (std::size_t n = 0; n < R::rank; ++n) {
    std::size_t next = R::rank;
    std::int64_t stride = 0;
    for (std::size_t d = 0; d < R::rank; ++d) {
      const std::int64_t of_d = std::abs(std::int64_t(r.stride(d)));
      if (used[d] || r.extent(d) == 1 || (next < R::rank && of_d >= stride)) continue;
      next = d;
      stride = of_d;
    }
    if (next == R::rank) break;
    used[next] = true;
    apart = apart && stride > reach;
    reach += std::int64_t(r.extent(next) - 1) * stride;
  }
  if (apart) return;
  reject(function,
         std::string("two elements of ") + what + " share a place: its strides are " + strides);
}

/// No number of r (`what`), which is written while v is read, lies between v's first and last one.
template <class R, class V>
void check_apart(const char* function, const char* name, const R& r, const V& v,
                 const char* what = "r") {
  const byte_range a = bytes_of_all(r), b = bytes_of_all(v);
  if (a.high <= b.low || b.high <= a.low) return;
  reject(function, std::string(what) + " (" + extents_of(r) + ") and " + name + " (" +
                       extents_of(v) + ") overlap between their first and last elements");
}

}  // namespace acc::impl

#endif
