// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mdspans that no View can express, one for each case of CMakeLists.txt, and right ones beside
// them: of Kokkos, and of the standard library where it has them.
#include "../layout_mapping.hpp"

#include <acc/mdspan.hpp>

#include <array>
#include <cstddef>
#include <type_traits>

#if defined(CASE_STD_MDSPAN)
#include <mdspan>
namespace md = std;
#else
namespace md = Kokkos;
#endif

/// Elements times two: not what lies in memory.
struct DoublingAccessor {
  using element_type = double;
  using reference = double;
  using data_handle_type = double*;
  using offset_policy = DoublingAccessor;
  reference access(double* p, std::size_t i) const { return 2 * p[i]; }
  double* offset(double* p, std::size_t i) const { return p + i; }
};

/// Everything at one place: exhaustive, but without strides.
struct FoldedLayout {
  template <class Extents>
  struct mapping : acc_test::layout_mapping<FoldedLayout, Extents, false, true, false> {
    using index_type = typename Extents::index_type;
    index_type required_span_size() const { return 1; }
    template <class... I>
    index_type operator()(I...) const {
      return 0;
    }
    index_type stride(typename Extents::rank_type) const { return 0; }
  };
};

using Extents = md::dextents<int, 1>;

double right_use(double* p, int n) {
  using Matrix = md::mdspan<double, md::dextents<int, 2>, md::layout_left>;
  const md::mdspan<const double, Extents> x(p, n);
  const md::mdspan<double, md::dextents<int, 2>, md::layout_stride> strided(
      p, md::layout_stride::mapping<md::dextents<int, 2>>(md::dextents<int, 2>(2, 2),
                                                          std::array<int, 2>{5, 1}));
  static_assert(
      std::is_same_v<decltype(acc::view(Matrix(p, 2, 2)))::array_layout, Kokkos::LayoutLeft>);
  static_assert(std::is_same_v<decltype(acc::view(strided))::array_layout, Kokkos::LayoutStride>);
  static_assert(std::is_same_v<decltype(acc::view(x))::value_type, const double>);
  acc::gemm("N", "N", 1.0, strided, strided, 0.0, Matrix(p, 2, 2), acc::plain{});
  return acc::dot(x, x) + acc::sum(x, acc::plain{});
}

#if defined(CASE_MDSPAN_ACCESSOR)
double wrong(double* p) {
  return acc::sum(md::mdspan<double, Extents, md::layout_right, DoublingAccessor>(p, Extents(3)));
}
#elif defined(CASE_MDSPAN_LAYOUT)
double wrong(double* p) {
  return acc::sum(
      md::mdspan<double, Extents, FoldedLayout>(p, FoldedLayout::mapping<Extents>{{Extents(3)}}));
}
#elif defined(CASE_MDSPAN_RANK)
void wrong(double* p) {
  (void)acc::view(md::mdspan<double, md::dextents<int, 9>>(p, 1, 1, 1, 1, 1, 1, 1, 1, 1));
}
#endif
