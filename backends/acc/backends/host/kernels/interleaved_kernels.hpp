// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernel of leaves of vectors that lie interleaved in memory, as the columns of a matrix by
/// rows do. A number of a register is of another vector, and a lane of the canonical order is a
/// register: the tree combines whole registers. With 32 registers lanes are summed one after
/// another, so that their accumulators need no memory.

#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/tuning.hpp>

namespace acc::backends::host::ACC_HOST_ISA {

template <class Terms, class Method, class T>
struct interleaved_kernel {
  using Acc = typename impl::accumulator_of<Method, T>::type;
  static constexpr int W = vector_width<T>;
  using V = simd<T, W>;
  using VAcc = typename simd_accumulator<Acc, V, Terms>::type;
  static constexpr int lanes = impl::lanes<T>, width = impl::group_width<T>;
  static constexpr int line_registers = interleaved_line<T> / W;
  static_assert(line_registers * W == interleaved_line<T>);

  ACC_SIMD_INLINE static V number(const interleaved_vectors<T>& v, std::int64_t i, int r) {
    return v.are_one ? V(v.data[i * v.step]) : V::load(v.data + i * v.step + r * W);
  }
  static constexpr bool has_many_registers = vector_bytes == 64;
  /// Lines that are summed at once: what accumulators in registers allow, or in the first cache.
  static constexpr int lines_at_once = has_many_registers ? max_interleaved_lines : 4;

  /// Registers per lane: a constant, so that the loops over them are unrolled.
  template <int Registers>
  static void sum(const interleaved_vectors<T>& x, const interleaved_vectors<T>& y, int size,
                  Acc* results) {
    VAcc state[lanes][Registers];
    // Groups of padding alone change no bit (leaf_kernel::run_few).
    const int used = size > 0 && size < lanes ? (size + width - 1) / width * width : lanes;
    if constexpr (has_many_registers)
      sum_by_lanes<Registers>(x, y, size, used, state);
    else
      sum_by_rows<Registers>(x, y, size, used, state);
    for (int stride = width / 2; stride > 0; stride /= 2)
      for (int first = 0; first < used; first += width)
        for (int j = first; j < first + stride; ++j) merge<Registers>(state[j], state[j + stride]);
    for (int stride = lanes / 2; stride >= width; stride /= 2)
      for (int j = 0; j < stride && j + stride < used; j += width)
        merge<Registers>(state[j], state[j + stride]);
    for (int r = 0; r < Registers; ++r)
      for (int b = 0; b < W; ++b)
        for (int k = 0; k < Acc::components; ++k)
          results[r * W + b].component(k) = state[0][r].component(k)[b];
  }
  static void run(interleaved_vectors<T> x, interleaved_vectors<T> y, int lines, int size,
                  Acc* results) {
    static_assert(max_interleaved_lines == 8);
    while (lines > 0) {
      int n = 1;
      if (lines_at_once >= 8 && lines >= 8) {
        if constexpr (lines_at_once >= 8) sum<8 * line_registers>(x, y, size, results);
        n = 8;
      } else if (lines >= 4) {
        sum<4 * line_registers>(x, y, size, results);
        n = 4;
      } else if (lines >= 2) {
        sum<2 * line_registers>(x, y, size, results);
        n = 2;
      } else {
        sum<line_registers>(x, y, size, results);
      }
      lines -= n;
      results += n * interleaved_line<T>;
      x.data += n * interleaved_line<T>;
      if (!y.are_one) y.data += n * interleaved_line<T>;
    }
  }

 private:
  /// Row by row of memory; accumulators stay in the first cache.
  template <int Registers>
  static void sum_by_rows(const interleaved_vectors<T>& x, const interleaved_vectors<T>& y,
                          int size, int used, VAcc (*state)[Registers]) {
    constexpr std::int64_t ahead = slices_tuning::prefetch_rows;
    for (int i = 0; i < size; ++i) {
      if (i + ahead < size)
        for (int r = 0; r < Registers; r += line_registers)
          __builtin_prefetch(x.data + (i + ahead) * x.step + r * W);
      VAcc* const lane = state[i % lanes];
      for (int r = 0; r < Registers; ++r) {
        const V xv = V::load(x.data + i * x.step + r * W);
        const V yv = Terms::inputs == 2 ? number(y, i, r) : xv;
        Terms::deposit(lane + r, xv, yv, yv, all_lanes{});
      }
    }
    for (int i = size; i % used != 0; ++i) {
      const V xv(impl::padding<T>::x), yv(impl::padding<T>::y);
      for (int r = 0; r < Registers; ++r)
        Terms::deposit(state[i % lanes] + r, xv, yv, yv, all_lanes{});
    }
  }

  /// Lane by lane: its accumulators stay in registers, and each row is still read once.
  template <int Registers>
  static void sum_by_lanes(const interleaved_vectors<T>& x, const interleaved_vectors<T>& y,
                           int size, int used, VAcc (*state)[Registers]) {
    order rows{size};
    for (int n = 0; n < slices_tuning::prefetch_rows_of_lanes; ++n) {
      prefetch<Registers>(x, y, rows.row);
      rows.next();
    }
    for (int lane = 0; lane < used; ++lane) {
      VAcc a[Registers];
      for (int i = lane; i < size; i += lanes) {
        prefetch<Registers>(x, y, rows.row);
        rows.next();
        unrolled<Registers>(ACC_UNROLLED(r) {
          const V xv = V::load(x.data + i * x.step + r * W);
          const V yv = Terms::inputs == 2 ? number(y, i, r) : xv;
          Terms::deposit(a + r, xv, yv, yv, all_lanes{});
        });
      }
      if (size % lanes != 0 && lane >= size % lanes) {
        const V xv(impl::padding<T>::x), yv(impl::padding<T>::y);
        unrolled<Registers>(ACC_UNROLLED(r) { Terms::deposit(a + r, xv, yv, yv, all_lanes{}); });
      }
      unrolled<Registers>(ACC_UNROLLED(r) { state[lane][r] = a[r]; });
    }
  }
  /// The order in which sum_by_lanes takes rows; past the end it stays at the last one.
  struct order {
    int size, row = 0, lane = 0;
    ACC_SIMD_INLINE void next() {
      row += lanes;
      if (row >= size) {
        if (lane + 1 < lanes && lane + 1 < size) ++lane;
        row = lane;
      }
    }
  };
  template <int Registers>
  ACC_SIMD_INLINE static void prefetch(const interleaved_vectors<T>& x,
                                       const interleaved_vectors<T>& y, std::int64_t row) {
    for (int r = 0; r < Registers; r += line_registers)
      __builtin_prefetch(x.data + row * x.step + r * W);
    if (Terms::inputs == 2 && !y.are_one)
      for (int r = 0; r < Registers; r += line_registers)
        __builtin_prefetch(y.data + row * y.step + r * W);
  }
  template <int Registers>
  ACC_SIMD_INLINE static void merge(VAcc* into, const VAcc* from) {
    for (int r = 0; r < Registers; ++r) into[r].merge(from[r]);
  }
};

template <class Terms, class Method, class T>
interleaved_function<Terms, Method, T> get_interleaved() {
  return &interleaved_kernel<Terms, Method, T>::run;
}

}  // namespace acc::backends::host::ACC_HOST_ISA
