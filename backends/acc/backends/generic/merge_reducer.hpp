// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_MERGE_REDUCER_HPP
#define ACC_BACKENDS_GENERIC_MERGE_REDUCER_HPP

#include <Kokkos_Core.hpp>

namespace acc::backends::generic {

/// Kokkos's reducer of a type whose values merge, from Value() on, in any order.
template <class Value, class Space>
class merge_reducer {
 public:
  using reducer = merge_reducer;
  using value_type = Value;
  using result_view_type = Kokkos::View<value_type, Space, Kokkos::MemoryUnmanaged>;

  KOKKOS_INLINE_FUNCTION explicit merge_reducer(value_type& value) : value_(&value) {}
  KOKKOS_INLINE_FUNCTION void join(value_type& into, const value_type& from) const {
    into.merge(from);
  }
  KOKKOS_INLINE_FUNCTION void init(value_type& value) const { value = value_type{}; }
  KOKKOS_INLINE_FUNCTION value_type& reference() const { return *value_; }
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return result_view_type(value_); }
  KOKKOS_INLINE_FUNCTION bool references_scalar() const { return true; }

 private:
  value_type* value_;
};

}  // namespace acc::backends::generic

#endif
