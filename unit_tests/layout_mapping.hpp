// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every layout mapping of an mdspan must have, for the tests' own layouts. A mapping derives
// from it and adds required_span_size, the operator () and stride.
#pragma once

namespace acc_test {

template <class Layout, class Extents, bool unique, bool exhaustive, bool strided>
struct layout_mapping {
  using extents_type = Extents;
  using index_type = typename Extents::index_type;
  using size_type = typename Extents::size_type;
  using rank_type = typename Extents::rank_type;
  using layout_type = Layout;

  Extents shape;

  constexpr const Extents& extents() const { return shape; }
  static constexpr bool is_always_unique() { return unique; }
  static constexpr bool is_always_exhaustive() { return exhaustive; }
  static constexpr bool is_always_strided() { return strided; }
  static constexpr bool is_unique() { return unique; }
  static constexpr bool is_exhaustive() { return exhaustive; }
  static constexpr bool is_strided() { return strided; }
};

}  // namespace acc_test
