// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_CHECKS_ARGUMENTS_HPP
#define ACC_CORE_CHECKS_ARGUMENTS_HPP

/// \file
/// The rejection of arguments that no overload of a function takes: in the wrong order, missing, or
/// with a method of another function. Without it a compiler lists every overload and says of each
/// why not.

#include <acc/core/checks/concepts.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/method.hpp>
#include <acc/core/ngemm_options.hpp>

#include <Kokkos_Complex.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace acc::impl {

/// What a rejected call returns: anything, so that the rejection is the only error.
struct rejected_call {
  template <class T>
  operator T() const;
};

/// What an argument is: e an execution space, v a View, m a method of the function, w of another
/// one, o options of ngemm, s a text, n a number, ? none of these.
template <class T, bool is_method>
constexpr char argument_kind() {
  if constexpr (kokkos_execution_space<T>)
    return 'e';
  else if constexpr (kokkos_view<T>)
    return 'v';
  else if constexpr (is_method)
    return 'm';
  else if constexpr (sum_method<T> || gemm_method<T>)
    return 'w';
  else if constexpr (std::is_same_v<T, ngemm_options>)
    return 'o';
  else if constexpr (std::is_convertible_v<const T&, const char*>)
    return 's';
  else if constexpr (std::is_convertible_v<const T&, double> ||
                     std::is_convertible_v<const T&, Kokkos::complex<double>>)
    return 'n';
  else
    return '?';
}
template <char... kinds>
inline constexpr char kinds_of[] = {kinds..., '\0'};

/// Whether `list`, whose words blanks divide, has this one.
constexpr bool is_listed(std::string_view word, std::string_view list) {
  while (true) {
    const std::size_t blank = list.find(' ');
    if (list.substr(0, blank) == word) return true;
    if (blank == list.npos) return false;
    list.remove_prefix(blank + 1);
  }
}

/// What is wrong with arguments of these kinds. Right ones begin with `head`, in which ? is a
/// matrix that need be no View. Nothing follows, or one of `tails`, or, where an execution space
/// comes first, one of `more`. The result is
///  - 0, if nothing is wrong;
///  - w, if there is a method of another function;
///  - a kind of head, if that argument is missing or another one is in its place;
///  - . if the arguments behind head are wrong.
///
/// Nothing is wrong, either, where an argument is of no known kind, for it may convert to one (but
/// to a View after an execution space), and without an execution space or a View: the call may be
/// of another function of this name.
constexpr char misfit(std::string_view kinds, std::string_view head, std::string_view tails,
                      std::string_view more = "") {
  if (kinds.find_first_of("ev") == kinds.npos) return 0;
  if (kinds.find('w') != kinds.npos) return 'w';
  const bool has_exec = kinds.starts_with('e');
  if (!has_exec && kinds.find('?') != kinds.npos) return 0;
  if (has_exec) kinds.remove_prefix(1);
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (i >= kinds.size()) return head[i];
    if (kinds[i] != head[i] && (kinds[i] != '?' || head[i] == 'v')) return head[i];
  }
  kinds.remove_prefix(head.size());
  if (kinds.find('?') != kinds.npos) return 0;
  const bool fits =
      kinds.empty() || is_listed(kinds, tails) || (has_exec && is_listed(kinds, more));
  return fits ? 0 : '.';
}

}  // namespace acc::impl

/// The overload of `name` for arguments that no other one takes: those that do not fit `...`, head
/// and tails of acc::impl::misfit. `order` and `methods` say what does.
#define ACC_REJECT_OTHER_ARGUMENTS(name, is_method, order, methods, ...)                        \
  template <class... Args>                                                                      \
    requires(::acc::impl::misfit(                                                               \
                 ::acc::impl::kinds_of<::acc::impl::argument_kind<Args, is_method<Args>>()...>, \
                 __VA_ARGS__) != 0)                                                             \
  auto name(const Args&...) {                                                                   \
    constexpr char wrong = ::acc::impl::misfit(                                                 \
        ::acc::impl::kinds_of<::acc::impl::argument_kind<Args, is_method<Args>>()...>,          \
        __VA_ARGS__);                                                                           \
    static_assert(wrong != 'w', "acc::" #name ": the method must be " methods);                 \
    static_assert(wrong != 's',                                                                 \
                  "acc::" #name                                                                 \
                  ": a text such as N is missing or out of place: the arguments are " order);   \
    static_assert(wrong != 'n',                                                                 \
                  "acc::" #name                                                                 \
                  ": a number is missing or out of place: the arguments are " order);           \
    static_assert(wrong != 'v',                                                                 \
                  "acc::" #name                                                                 \
                  ": a Kokkos::View is missing or out of place: the arguments are " order);     \
    static_assert(wrong != '?',                                                                 \
                  "acc::" #name                                                                 \
                  ": a matrix is missing or out of place: the arguments are " order);           \
    static_assert(wrong != '.',                                                                 \
                  "acc::" #name                                                                 \
                  ": the last arguments are out of place: the arguments are " order);           \
    return ::acc::impl::rejected_call{};                                                        \
  }

#endif
