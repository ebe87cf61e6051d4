// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_SEGMENTS_HPP
#define ACC_IMPL_SEGMENTS_HPP

/// \file
/// The drivers of segmented sums and sums by key: describe the reduction of a segment, find the
/// offsets where the caller has none, and launch.

#include <acc/backends/dispatch.hpp>
#include <acc/backends/segment_offsets.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/segments.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/order/vector_data.hpp>
#include <acc/impl/reduce.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
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
void sum_segments(const Exec& exec, backends::workspace<Exec>& memory, const char* label,
                  const R& r, const X& x, const Offsets& offsets) {
  const auto s = make_segments<Method>(r, x, offsets);
  if (s.count != 0) backends::machine_of<Exec>::segments(exec, memory, label, s);
}

/// The workspace's room for `count` offsets.
template <class Exec>
auto workspace_offsets(backends::workspace<Exec>& memory, std::size_t count) {
  return Kokkos::View<std::int64_t*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(
      memory.segment_offsets(count), count);
}

/// The same of segments with lengths in place of offsets.
template <class Method, class Exec, class R, class X, class Lengths>
void sum_segments_by_lengths(const Exec& exec, const char* label, const R& r, const X& x,
                             const Lengths& lengths) {
  if (r.extent(0) == 0) return;
  backends::locked_workspace memory(exec);
  const auto offsets = workspace_offsets(memory.get(), r.extent(0) + 1);
  backends::find_offsets_of_lengths(exec, label, lengths, offsets.data());
  sum_segments<Method>(exec, memory.get(), label, r, x, offsets);
}

/// Sums of runs of equal keys, whose count goes to *count, in memory of exec.
template <class Method, class Exec, class R, class Unique, class Count, class Keys, class X>
void sum_runs(const Exec& exec, backends::workspace<Exec>& memory, const char* label, const R& r,
              const Unique& unique, Count* count, const Keys& keys, const X& x) {
  const auto offsets = workspace_offsets(memory, r.extent(0) + 1);
  using runs = backends::runs<Keys, Unique, Count>;
  backends::find_runs(exec, label,
                      runs{keys, unique, count, offsets.data(), std::int64_t(keys.extent(0)),
                           std::int64_t(r.extent(0))});
  sum_segments<Method>(exec, memory, label, r, x, offsets);
}

}  // namespace acc::impl

#endif
