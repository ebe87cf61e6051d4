// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_ARRAY_DATA_HPP
#define ACC_CORE_ORDER_ARRAY_DATA_HPP

/// \file
/// A View of any rank seen as a sequence of real numbers: of its elements in index order, the last
/// index fastest, or, for sums without an order, in the order of memory.

#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/vector_data.hpp>

#include <Kokkos_Macros.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// An extent of an array, and the distance of neighbors in real elements.
struct array_dimension {
  std::int64_t extent = 1, stride = 0;
};

/// Real elements of an array, numbered as those of vector_data: the last dimension is fastest.
template <class Element, int Components, int Rank>
struct array_data {
  using element = Element;
  static constexpr int components = Components;
  static constexpr int rank = Rank;

  const Element* data;
  std::int64_t size;  ///< in real elements
  array_dimension dimension[Rank];

  KOKKOS_INLINE_FUNCTION Element operator[](std::int64_t k) const {
    std::int64_t scalar = k / Components, at = k % Components;
    for (int d = Rank - 1; d > 0; --d) {
      const std::int64_t rest = quotient(scalar, dimension[d].extent);
      at += (scalar - rest * dimension[d].extent) * dimension[d].stride;
      scalar = rest;
    }
    return data[at + scalar * dimension[0].stride];
  }
  /// One that is contiguous is made a vector.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool contiguous() { return false; }

 private:
  /// On GPUs a division of 32 bits takes a fraction of the time of one of 64.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t quotient(std::int64_t a, std::int64_t b) {
    if (((a | b) >> 32) == 0) return std::int64_t(std::uint32_t(a) / std::uint32_t(b));
    return a / b;
  }
};

template <class Data>
inline constexpr bool is_array_data = false;
template <class Element, int Components, int Rank>
inline constexpr bool is_array_data<array_data<Element, Components, Rank>> = true;

/// Reads groups of `Width` elements, each `step` elements after the one before: what a thread reads
/// of a leaf. Elements that are not there are not to be read.
template <class Data, int Width>
class group_reader {
 public:
  KOKKOS_FORCEINLINE_FUNCTION group_reader(const Data& data, std::int64_t first, std::int64_t step)
      : data_(data), at_(first), step_(step) {}
  /// The first `present` elements of this group, and goes on to the next one.
  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION void read(Scalar (&x)[Width], std::int64_t present) {
    for (int j = 0; j < Width; ++j)
      if (j < present) x[j] = Scalar(data_[at_ + j]);
    at_ += step_;
  }

 private:
  const Data& data_;
  std::int64_t at_, step_;
};

/// Of an array: indexes that go on digit by digit, as a division for each element would take more
/// time than the sum does.
template <class Element, int Components, int Rank, int Width>
class group_reader<array_data<Element, Components, Rank>, Width> {
  using data = array_data<Element, Components, Rank>;
  static_assert(Width % Components == 0);

 public:
  KOKKOS_INLINE_FUNCTION group_reader(const data& a, std::int64_t first, std::int64_t step)
      : data_(a), place_(), step_() {
    first /= Components;
    step /= Components;
    for (int d = Rank - 1; d >= 0; --d) {
      const std::int64_t n = a.dimension[d].extent;
      place_.index[d] = d == 0 ? first : first % n;
      step_.index[d] = d == 0 ? step : step % n;
      first /= n;
      step /= n;
      place_.offset += place_.index[d] * a.dimension[d].stride;
      step_.offset += step_.index[d] * a.dimension[d].stride;
    }
  }
  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION void read(Scalar (&x)[Width], std::int64_t present) {
    place p = place_;
    for (int j = 0; j < Width; j += Components) {
      if (j < present)
        for (int c = 0; c < Components; ++c) x[j + c] = Scalar(data_.data[p.offset + c]);
      if (j + Components < Width) go_on_by_one(p);
    }
    for (int d = Rank - 1; d > 0; --d) {
      place_.index[d] += step_.index[d];
      carry(place_, d);
    }
    place_.index[0] += step_.index[0];
    place_.offset += step_.offset;
  }

 private:
  struct place {
    std::int64_t index[Rank] = {}, offset = 0;
  };
  KOKKOS_FORCEINLINE_FUNCTION void go_on_by_one(place& p) const {
    ++p.index[Rank - 1];
    p.offset += data_.dimension[Rank - 1].stride;
    for (int d = Rank - 1; d > 0; --d) carry(p, d);
  }
  KOKKOS_FORCEINLINE_FUNCTION void carry(place& p, int d) const {
    const array_dimension &inner = data_.dimension[d], &outer = data_.dimension[d - 1];
    if (p.index[d] < inner.extent) return;
    p.index[d] -= inner.extent;
    ++p.index[d - 1];
    p.offset += outer.stride - inner.extent * inner.stride;
  }

  const data& data_;
  place place_, step_;
};

/// Makes one of neighbors among `count` dimensions, outer ones first, that are one in memory; how
/// many there are then.
template <class Dimension, class AreOne>
int join_dimensions(Dimension* all, int count, const AreOne& are_one) {
  int last = -1;
  for (int d = 0; d < count; ++d) {
    if (last >= 0 && are_one(all[last], all[d])) {
      const std::int64_t extent = all[last].extent * all[d].extent;
      all[last] = all[d];
      all[last].extent = extent;
    } else {
      all[++last] = all[d];
    }
  }
  return last + 1;
}

/// The elements of x, a View of rank 2 and more, in index order or in the order of memory, with
/// dimensions that are one in memory made one. The first `rank - count` dimensions are of extent 1.
template <class View>
auto array_data_of(const View& x, bool by_memory, int& count) {
  using scalar = typename View::non_const_value_type;
  using element = real_t<scalar>;
  constexpr int components = components_of<scalar>;
  constexpr int rank = int(View::rank);
  array_data<element, components, rank> a{
      reinterpret_cast<const element*>(x.data()), components, {}};
  array_dimension all[rank];
  count = 0;
  for (unsigned d = 0; d < unsigned(rank); ++d) {
    const auto extent = std::int64_t(x.extent(d));
    a.size *= extent;
    if (extent != 1) all[count++] = {extent, std::int64_t(x.stride(d)) * components};
  }
  if (a.size == 0) count = 0;
  if (by_memory)
    std::stable_sort(all, all + count, [](const array_dimension& p, const array_dimension& q) {
      return p.stride > q.stride;
    });
  count =
      join_dimensions(all, count, [](const array_dimension& outer, const array_dimension& inner) {
        return outer.stride == inner.extent * inner.stride;
      });
  std::copy(all, all + count, a.dimension + (rank - count));
  return a;
}

/// Calls f with the elements of x as vector_data where they lie at one distance from each other,
/// else as array_data. The order of a View of rank 1 is its own.
template <class View, class F>
void with_elements_of(const View& x, [[maybe_unused]] bool by_memory, const F& f) {
  if constexpr (View::rank == 1) {
    f(vector_data_of(x));
  } else {
    int count = 0;
    const auto a = array_data_of(x, by_memory, count);
    using array = std::remove_const_t<decltype(a)>;
    if (count > 1) return f(a);
    const std::int64_t stride =
        count == 0 ? array::components : a.dimension[array::rank - 1].stride;
    f(vector_data<typename array::element, array::components>{a.data, stride, a.size});
  }
}

}  // namespace acc::impl

#endif
