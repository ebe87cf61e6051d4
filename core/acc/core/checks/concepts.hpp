// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_CHECKS_CONCEPTS_HPP
#define ACC_CORE_CHECKS_CONCEPTS_HPP

/// \file
/// Concepts that select overloads. What an overload then rejects, and with which words, is in
/// check.hpp.

#include <Kokkos_Core.hpp>

namespace acc {

template <class E>
concept kokkos_execution_space = Kokkos::is_execution_space_v<E>;

template <class V>
concept kokkos_view = Kokkos::is_view_v<V>;

}  // namespace acc

#endif
