// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_BINNED_LEAF_HPP
#define ACC_BACKENDS_CUDA_BINNED_LEAF_HPP

/// \file
/// The binned sum of as many elements as a leaf by a warp of an NVIDIA GPU. All threads of the warp
/// keep the same bins, those of its largest element so far, in registers.

#include <acc/backends/cuda/bin_window.hpp>
#include <acc/backends/cuda/row_stream.hpp>
#include <acc/backends/cuda/terms.hpp>

#include <algorithm>

namespace acc::backends {

/// As many leaves as warps fit the GPU, in one wave: what a leaf costs besides its elements, and
/// what the last ones cost that are alone, is paid once.
template <class R>
struct binned_leaf {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using node = typename R::total;
  using reader = term_reader<R>;

  static constexpr int bins = R::accumulator::bins, parts = reader::parts;
  static constexpr bool has_y = reader::has_y;
  static constexpr bool has_fast_path = is_one_load<element>;
  static constexpr bool is_large = bins * parts > 4;  ///< bins take the registers of loads
  static constexpr int width = impl::group_width<element>;
  /// Rows in flight, and rows that are looked at together before they are deposited.
  static constexpr int depth = 8 / R::terms::inputs, step = 2;
  static constexpr int warps = is_large ? 12 : 20;
  static constexpr int row = impl::lanes<element>;
  /// Rows of a leaf: at most so many that a warp's bins, 2^40 units a deposit, hold them.
  static constexpr int min_rows = 16, max_rows = 1 << 14;

  R reduction;
  std::int64_t head;       ///< elements before the first row that loads of 16 bytes can read
  std::int64_t all_rows;   ///< such rows, a multiple of depth
  std::int64_t leaf_rows;  ///< of them in each leaf but the last

  binned_leaf(const R& r, int processors) : reduction(r), head(elements_before_loads(r)) {
    all_rows = head < 0 || !has_fast_path ? 0 : (r.x.size - head) / row / depth * depth;
    const std::int64_t wave = std::int64_t(processors) * warps * depth;
    leaf_rows = std::clamp<std::int64_t>((all_rows + wave - 1) / wave * depth, min_rows, max_rows);
    head = std::max<std::int64_t>(head, 0);
  }

  KOKKOS_FUNCTION std::int64_t full_leaves() const {
    return (all_rows + leaf_rows - 1) / leaf_rows;
  }
  std::int64_t leaves() const {
    const std::int64_t rest = reduction.x.size - all_rows * row, size = min_rows * row;
    return std::max<std::int64_t>(1, full_leaves() + (rest + size - 1) / size);
  }
  __device__ void finish(const node& root) const { reduction.finish(root); }
  /// Raises all nodes of a warp to the same top, once.
  template <int N>
  __device__ static void align(node (&n)[N]) {
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      int top = 0;
#pragma unroll
      for (int i = 0; i < N; ++i) top = max(top, n[i].part[p].top());
      top = __reduce_max_sync(all_lanes, top);
#pragma unroll
      for (int i = 0; i < N; ++i) n[i].part[p].raise(top);
    }
  }
  __device__ static void merge(node& n, const node& other) {
#pragma unroll
    for (int p = 0; p < parts; ++p) n.part[p].merge_aligned(other.part[p]);
  }

  __device__ bool try_full(std::int64_t leaf, int lane, node& n) const {
    thread_state s;
    std::int64_t begin = leaf * leaf_rows;
    const std::int64_t end = min(begin + leaf_rows, all_rows);
    sum_rows<false>(*this, s, begin, end, lane);
    n = begin < end ? sum_with_care(*this, s, begin, end, lane) : combine(s);
    return true;
  }
  __device__ node sum_any(std::int64_t leaf, int lane) const {
    return sum_ragged(*this, leaf - full_leaves(), lane);
  }

 private:
  using group = typename row_stream<element, depth>::group;
  /// High words from here on need care: infinities, NaN, and numbers too large to add M to.
  static constexpr unsigned special = 2028u << 20;
  /// A lifted window is so many bins below its place: its numbers, or both factors of its
  /// products, are scaled.
  static constexpr int lifted_bins = reader::products ? 27 : 25;
  static constexpr scalar lifting_scale = scalar(reader::products ? 0x1p-540 : 0x1p-1000);

  struct thread_state {
    bin_window<bins> window[parts];
    element_kinds kinds[parts];
    bool is_lifted = false;    ///< the same in all threads of the warp
    bool has_nonzero = false;  ///< in each part, in some thread of the warp
  };

  /// Rows begin to end, up to those that need care and get none, or are not worth their code.
  template <bool WithCare>
  __device__ static void sum_rows(const binned_leaf& b, thread_state& s, std::int64_t& begin,
                                  std::int64_t end, int lane) {
    using rows = row_stream<element, depth>;
    const std::int64_t first = b.head + begin * row;
    rows x(b.reduction.x.data + first, lane);
    std::conditional_t<has_y, rows, no_rows<element, depth>> y(b.reduction.y.data + first, lane);
#pragma unroll 1
    for (; begin < end; begin += depth) {
      const bool more = begin + depth < end;
#pragma unroll
      for (int i = 0; i < depth; i += step) {
        if (!add<WithCare>(s, x.buffer + i, y.buffer + i, ~0u)) {
          begin += i;
          return;
        }
        if (!more) continue;
#pragma unroll
        for (int k = i; k < i + step; ++k) {
          x.refill(k);
          if constexpr (has_y) y.refill(k);
        }
      }
      x.advance();
      if constexpr (has_y) y.advance();
    }
  }

  /// Calls f(part, term, its index) for the terms of `step` rows.
  template <class F>
  __device__ static void for_each_term(const group* x, const group* y, const F& f) {
    constexpr int steps = width / reader::elements;
#pragma unroll
    for (int i = 0; i < step; ++i) {
#pragma unroll
      for (int u = 0; u < steps; ++u) {
        typename reader::term t[parts];
        reader::read(x[i].e, y[i].e, u, t);
#pragma unroll
        for (int p = 0; p < parts; ++p) f(p, t[p], i * steps + u);
      }
    }
  }

  /// Adds `step` rows of a thread's terms, those whose bit is set in `present`.
  template <bool WithCare>
  __device__ static bool add(thread_state& s, group* x, group* y, unsigned present) {
    unsigned word[parts];
    find_largest_words(x, y, word);
    bool is_above = WithCare && s.is_lifted;
#pragma unroll
    for (int p = 0; p < parts; ++p) is_above |= word[p] >= s.window[p].limit();
    if (__any_sync(all_lanes, is_above)) {
      if (!(WithCare ? tame(s, x, y, word) : !has_special(word))) return false;
#pragma unroll
      for (int p = 0; p < parts; ++p)
        s.window[p].raise(bin_window<bins>::top_of(__reduce_max_sync(all_lanes, word[p])));
    }
    if (!s.has_nonzero) note_zeros(s, x, y, present);
#pragma unroll
    for (int p = 0; p < parts; ++p) deposit(s.window[p], p, x, y);
    return true;
  }
  /// Whether a thread of the warp has a term that needs care.
  __device__ static bool has_special(const unsigned (&word)[parts]) {
    unsigned largest = 0;
#pragma unroll
    for (unsigned w : word) largest = max(largest, w);
    return __any_sync(all_lanes, largest >= special);
  }

  /// Deposits the terms of part p.
  __device__ static void deposit(bin_window<bins>& window, int p, const group* x, const group* y) {
    constexpr bool has_errors = reader::products && std::is_same_v<scalar, double>;
    constexpr int steps = width / reader::elements, terms = step * steps;
    constexpr int together = terms < (has_errors ? 4 : 8) ? terms : has_errors ? 4 : 8;
#pragma unroll
    for (int first = 0; first < terms; first += together) {
      double value[together], error[together];
#pragma unroll
      for (int i = 0; i < together; ++i) {
        const int row = (first + i) / steps;
        typename reader::term t[parts];
        reader::read(x[row].e, y[row].e, (first + i) % steps, t);
        value[i] = reader::rounded(t[p]);
        if constexpr (has_errors) error[i] = __fma_rn(t[p].x, t[p].y, -value[i]);
      }
      window.deposit(value);
      if constexpr (has_errors) window.deposit(error);
    }
  }

  /// The largest high word of each part's terms, as doubles.
  __device__ static void find_largest_words(const group* x, const group* y,
                                            unsigned (&word)[parts]) {
    constexpr bool is_float = !reader::products && std::is_same_v<scalar, float>;
#pragma unroll
    for (unsigned& w : word) w = 0;
    for_each_term(x, y, [&](int p, const typename reader::term& t, int) {
      const unsigned bits =
          is_float ? __float_as_uint(float(t.x)) : unsigned(__double2hiint(reader::rounded(t)));
      word[p] = max(word[p], bits & 0x7fffffffu);
    });
    if constexpr (is_float) {
#pragma unroll
      for (unsigned& w : word) w = unsigned(__double2hiint(double(__uint_as_float(w))));
    }
  }

  /// Replaces what is not finite by zeros, and lifts the window for numbers that are too large.
  __device__ static bool tame(thread_state& s, group* x, group* y, unsigned (&word)[parts]) {
    if (has_special(word)) {
      for_each_term(x, y, [&](int p, const typename reader::term& t, int) {
        if (is_finite(t.x) && (!reader::products || is_finite(t.y))) return;
        s.kinds[p].merge(element_kinds::of(reader::products ? t.x * t.y : t.x));
      });
      const auto finite_or_zero = [](scalar v) { return is_finite(v) ? v : scalar(0); };
      replace(x, finite_or_zero);
      if constexpr (has_y) replace(y, finite_or_zero);
      find_largest_words(x, y, word);
    }
    const bool lifts = has_special(word);
    if (!lifts && !s.is_lifted) return true;
    if constexpr (std::is_same_v<scalar, double> && parts == 1) {
      if (!s.is_lifted) {
        s.window[0].raise(lifted_bins + bins - 1);
        s.window[0].top -= lifted_bins;
        s.is_lifted = true;
      }
      const auto lifted = [](scalar v) { return v * lifting_scale; };
      replace(x, lifted);
      if constexpr (has_y) replace(y, lifted);
      find_largest_words(x, y, word);
      return true;
    }
    return false;
  }
  __device__ static bool is_finite(double x) {
    return (unsigned(__double2hiint(x)) & 0x7fffffffu) < 2047u << 20;
  }
  __device__ static bool is_finite(float x) { return impl::is_finite(x); }
  template <class F>
  __device__ static void replace(group* rows, const F& f) {
#pragma unroll
    for (int i = 0; i < step; ++i)
#pragma unroll
      for (auto& e : rows[i].e) e = element(f(scalar(e)));
  }

  /// Notes kinds, as long as there are none but zeros.
  __device__ static void note_zeros(thread_state& s, const group* x, const group* y,
                                    unsigned present) {
    zero_kinds zeros[parts];
    for_each_term(x, y, [&](int p, const typename reader::term& t, int index) {
      if (present >> index & 1) zeros[p].note(reader::rounded(t));
    });
    s.has_nonzero = true;
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      if (present != 0) s.kinds[p].merge(zeros[p].kinds());
      s.has_nonzero &= __any_sync(all_lanes, s.kinds[p].bits & element_kinds::nonzero);
    }
  }

  /// The sum of all threads; complete in lane 0.
  __device__ static node combine(thread_state& s) {
    node n;
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      const unsigned kinds = __reduce_or_sync(all_lanes, s.kinds[p].bits);
      std::int64_t (&units)[bins] = s.window[p].units;
#pragma unroll
      for (int k = 0; k < bins; ++k)
#pragma unroll
        for (int stride = warp_size / 2; stride > 0; stride /= 2)
          units[k] += __shfl_down_sync(all_lanes, units[k], stride);
      n.part[p] = {s.window[p].top + (s.is_lifted ? lifted_bins : 0), units, {kinds}};
    }
    return n;
  }

  /// Rows begin to end, whatever is in them: where one needed care, others will.
  __device__ __noinline__ static node sum_with_care(binned_leaf b, thread_state s,
                                                    std::int64_t begin, std::int64_t end,
                                                    int lane) {
    const auto place = [&, first = b.head + begin * row](std::int64_t i) { return first + i; };
    const std::int64_t count = (end - begin) * row, uneven = (end - begin) % depth;
    std::int64_t done = add_elements(b, s, uneven * row, place, lane);
    if (done == uneven * row) {
      begin += uneven;
      if (begin < end) sum_rows<true>(b, s, begin, end, lane);  // it loads before it looks
      done = count - (end - begin) * row;
    }
    return combine(b, s, done, count, place, lane);
  }

  /// Elements before and behind the rows.
  __device__ __noinline__ static node sum_ragged(binned_leaf b, std::int64_t leaf, int lane) {
    const std::int64_t in_rows = b.all_rows * row, begin = leaf * min_rows * row;
    const std::int64_t count =
        min(std::int64_t(min_rows * row), b.reduction.x.size - in_rows - begin);
    const auto place = [&](std::int64_t i) {
      return begin + i < b.head ? begin + i : begin + i + in_rows;
    };
    thread_state s;
    const std::int64_t done = add_elements(b, s, count, place, lane);
    return combine(b, s, done, count, place, lane);
  }

  /// Adds the elements place(0) to place(count - 1), read one by one; returns how many were added.
  template <class Place>
  __device__ static std::int64_t add_elements(const binned_leaf& b, thread_state& s,
                                              std::int64_t count, const Place& place, int lane) {
    std::int64_t done = 0;
#pragma unroll 1
    for (; done < count; done += step * row) {
      group x[step], y[step];
      unsigned present = 0;
#pragma unroll
      for (int j = 0; j < step * width; ++j) {
        auto &xj = x[j / width].e[j % width], &yj = y[j / width].e[j % width];
        xj = yj = element(0);
        const std::int64_t i = done + (j / width * warp_size + lane) * width + j % width;
        if (i >= count) continue;
        xj = b.reduction.x[place(i)];
        if constexpr (has_y) yj = b.reduction.y[place(i)];
        present |= 1u << j / reader::elements;
      }
      if (!add<true>(s, x, y, present)) return done;
    }
    return count;
  }
  /// The sum of all threads, and of the elements from `done` on, by the value type.
  template <class Place>
  __device__ static node combine(const binned_leaf& b, thread_state& s, std::int64_t done,
                                 std::int64_t count, const Place& place, int lane) {
    node n = combine(s);
    if (done == count) return n;
    node rest;
#pragma unroll 1
    for (std::int64_t i = done + lane; i < count; i += warp_size)
      b.reduction.deposit(rest, place(i));
#pragma unroll 1
    for (int stride = warp_size / 2; stride > 0; stride /= 2)
      rest.merge(shuffle_down(rest, stride));
    n.merge(rest);
    // No word below 0 but carries: the mailbox has a word that means "not there yet".
#pragma unroll
    for (auto& part : n.part) part.normalise();
    return n;
  }
};

}  // namespace acc::backends

#endif
