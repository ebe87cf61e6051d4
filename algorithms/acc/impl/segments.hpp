// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_SEGMENTS_HPP
#define ACC_IMPL_SEGMENTS_HPP

/// \file
/// The driver of segmented sums: describes the reduction of a segment, and launches them all.

#include <acc/backends/dispatch.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/segments.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/order/vector_data.hpp>
#include <acc/impl/reduce.hpp>

#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// Sums over segments of x, into r.
template <class Method, class R, class X, class Offsets>
auto make_segments(const R& r, const X& x, const Offsets& offsets) {
  using value = typename R::value_type;
  const auto xs = vector_data_of(x);
  using one =
      decltype(make_reduction<sum_terms<components_of<value>>, Method, write_sum>(r.data(), x, x));
  return segments<one, value, typename Offsets::non_const_value_type>{
      xs,
      r.data(),
      std::int64_t(r.stride(0)),
      offsets.data(),
      std::int64_t(offsets.stride(0)),
      std::int64_t(r.extent(0))};
}

/// Enqueues them on exec.
template <class Method, class Exec, class R, class X, class Offsets>
void sum_segments(const Exec& exec, const char* label, const R& r, const X& x,
                  const Offsets& offsets) {
  const auto s = make_segments<Method>(r, x, offsets);
  if (s.count == 0) return;
  backends::locked_workspace memory(exec);
  backends::machine_of<Exec>::segments(exec, memory.get(), label, s);
}

}  // namespace acc::impl

#endif
