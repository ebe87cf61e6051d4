// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SUMS_GATHER_HPP
#define ACC_BACKENDS_HOST_SUMS_GATHER_HPP

/// \file
/// Contiguous copies of a part of a sequence, for kernels that read contiguous numbers.

#include <acc/backends/host/tuning.hpp>
#include <acc/core/order/array_data.hpp>
#include <acc/core/order/gathered_data.hpp>
#include <acc/core/order/vector_data.hpp>

#include <algorithm>
#include <cstdint>

namespace acc::backends::host {

/// Copies real elements [begin, begin + size) of a vector to `out`.
template <class T, class Element, int Components>
void gather(const impl::vector_data<Element, Components>& data, std::int64_t begin,
            std::int64_t size, T* out) {
  if (data.contiguous()) {  // a loop that compilers vectorize
    const Element* const from = data.data + begin;
    for (std::int64_t i = 0; i < size; ++i) out[i] = T(from[i]);
  } else {
    for (std::int64_t i = 0; i < size; ++i) out[i] = T(data[begin + i]);
  }
}

/// The same of elements that indexes name. begin and size are multiples of Components.
template <class T, class Element, int Components, class Index>
void gather(const impl::gathered_data<Element, Components, Index>& data, std::int64_t begin,
            std::int64_t size, T* out) {
  const std::int64_t first = begin / Components;
  for (std::int64_t i = 0; i < size / Components; ++i) {
    const Element* const from = data.at(first + i);
    for (int c = 0; c < Components; ++c) out[i * Components + c] = T(from[c]);
  }
}

/// The same of an array, whose lines are its elements along the last dimension. Where other
/// dimensions have neighbors closer together, so many lines are copied at once as share a line of
/// the cache. begin and size are multiples of Components.
template <class T, class Element, int Components, int Rank>
class array_gather {
 public:
  using data = impl::array_data<Element, Components, Rank>;

  array_gather(const data& a, std::int64_t begin, T* out)
      : a_(a), out_(out), length_(a.dimension[Rank - 1].extent) {
    std::int64_t at = begin / Components;
    first_ = at % length_;
    at /= length_;
    for (int d = Rank - 2; d >= 0; --d) {
      const std::int64_t n = a.dimension[d].extent;
      index_[d] = d == 0 ? at : at % n;
      at /= n;
      line_ += index_[d] * a.dimension[d].stride;
    }
  }

  /// Copies `size` real elements.
  void copy(std::int64_t size) {
    const std::int64_t step = a_.dimension[Rank - 1].stride;
    bool is_fastest = true;
    for (const auto& d : a_.dimension)
      is_fastest = is_fastest && (d.extent == 1 || step <= d.stride);
    std::int64_t rest = size / Components;
    if (is_fastest) {
      while (rest > 0) {
        const std::int64_t n = std::min(rest, length_ - first_);
        copy_line(n);
        rest -= n;
        first_ = 0;
        next_line();
      }
      return;
    }
    while (rest > 0) rest -= copy_lines(rest);
  }

 private:
  static constexpr int lines_at_once = slices_tuning::neighbors(sizeof(Element) * Components);

  void next_line() {
    for (int d = Rank - 2; d >= 0; --d) {
      const auto& dimension = a_.dimension[d];
      line_ += dimension.stride;
      if (++index_[d] < dimension.extent || d == 0) return;
      line_ -= dimension.extent * dimension.stride;
      index_[d] = 0;
    }
  }
  /// n elements of one line, from first_ on.
  void copy_line(std::int64_t n) {
    const std::int64_t step = a_.dimension[Rank - 1].stride;
    const Element* from = a_.data + line_ + first_ * step;
    for (std::int64_t j = 0; j < n; ++j)
      for (int c = 0; c < Components; ++c) out_[j * Components + c] = T(from[j * step + c]);
    out_ += n * Components;
  }
  /// The elements of some lines, or `most` of them; how many they were.
  std::int64_t copy_lines(std::int64_t most) {
    const Element* from[lines_at_once];
    T* to[lines_at_once];
    const std::int64_t step = a_.dimension[Rank - 1].stride, skipped = first_;
    const std::int64_t end = std::min(skipped + most, lines_at_once * length_);
    int lines = 0;
    for (std::int64_t begin = 0; begin < end; begin += length_, ++lines) {
      from[lines] = a_.data + line_;
      to[lines] = out_ + (begin - skipped) * Components;
      next_line();
    }
    const auto copy_columns = [&](std::int64_t first, std::int64_t last, int line, int line_end) {
      constexpr std::int64_t ahead = slices_tuning::prefetch_rows;
      for (std::int64_t j = first; j < last; ++j) {
        if (j + ahead < last) __builtin_prefetch(from[line] + (j + ahead) * step);
        for (int l = line; l < line_end; ++l)
          for (int c = 0; c < Components; ++c) to[l][j * Components + c] = T(from[l][j * step + c]);
      }
    };
    // The first line may begin late and the last one end early.
    const std::int64_t end_of_last = end - (lines - 1) * length_;
    if (lines == 1) {
      copy_columns(skipped, end, 0, 1);
    } else {
      const std::int64_t low = std::min(skipped, end_of_last),
                         high = std::max(skipped, end_of_last);
      copy_columns(0, low, 1, lines);
      if (skipped < end_of_last)
        copy_columns(low, high, 0, lines);
      else
        copy_columns(low, high, 1, lines - 1);
      copy_columns(high, length_, 0, lines - 1);
    }
    first_ = 0;
    out_ += (end - skipped) * Components;
    return end - skipped;
  }

  const data& a_;
  T* out_;
  std::int64_t length_, first_ = 0;  ///< of a line; the first element of this one
  std::int64_t index_[Rank] = {}, line_ = 0;
};

template <class T, class Element, int Components, int Rank>
void gather(const impl::array_data<Element, Components, Rank>& a, std::int64_t begin,
            std::int64_t size, T* out) {
  array_gather<T, Element, Components, Rank>(a, begin, out).copy(size);
}

}  // namespace acc::backends::host

#endif
