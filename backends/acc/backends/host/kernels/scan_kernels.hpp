// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernels of compensated prefix sums (scans.hpp says what they do). A register has the same
/// element of neighboring groups: squares of registers are transposed on the way in and out.

#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/scans.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/core/expansion.hpp>

namespace acc::backends::host::ACC_HOST_ISA {

/// Row i, number j becomes row j, number i. Each step takes the lowest bit of a number's place in
/// its register to be the highest of its row, and the lowest of its row to be the highest in the
/// register.
template <class T, int W>
ACC_SIMD_INLINE void transpose(simd<T, W> (&rows)[W]) {
  for (int step = 1; step < W; step *= 2) {
    simd<T, W> next[W];
    unrolled<W / 2>(ACC_UNROLLED(i) {
      next[i] = every_other<1, 0>(rows[2 * i], rows[2 * i + 1]);
      next[W / 2 + i] = every_other<1, 1>(rows[2 * i], rows[2 * i + 1]);
    });
    unrolled<W>(ACC_UNROLLED(i) { rows[i] = next[i]; });
  }
}

template <class T>
struct scan_block_kernels {
  static constexpr int W = vector_width<T>, group = scan_block_group;
  static_assert(group % W == 0 && scan_block_groups % W == 0);
  using V = simd<T, W>;
  using sum = expansion<V, 2>;

  static void totals(const T* x, T* high, T* low) {
    for (int g = 0; g < scan_block_groups; g += W, x += W * group) {
      sum s;
      for (int first = 0; first < group; first += W) {
        V rows[W];
        load_square(x + first, rows);
        unrolled<W>(ACC_UNROLLED(j) { s.add(rows[j]); });
      }
      s.c[0].store(high + g);
      s.c[1].store(low + g);
    }
  }

  static void prefixes(const T* x, T* high, T* low, T* r) {
    for (int g = 0; g < scan_block_groups; g += W, x += W * group, r += W * group) {
      sum s;
      s.c[0] = V::load(high + g);
      s.c[1] = V::load(low + g);
      for (int first = 0; first < group; first += W) {
        V rows[W];
        load_square(x + first, rows);
        unrolled<W>(ACC_UNROLLED(j) {
          s.add(rows[j]);
          rows[j] = value(s);
        });
        transpose(rows);
        unrolled<W>(ACC_UNROLLED(i) { rows[i].store(r + i * group + first); });
      }
      s.c[0].store(high + g);
      s.c[1].store(low + g);
    }
  }

 private:
  ACC_SIMD_INLINE static void load_square(const T* x, V (&rows)[W]) {
    unrolled<W>(ACC_UNROLLED(i) { rows[i] = V::load(x + i * group); });
    transpose(rows);
  }
  /// expansion::value of finite sums: one of -0 stays -0.
  ACC_SIMD_INLINE static V value(const sum& s) {
    return V::of(s.c[1].v == V(T(0)).v ? s.c[0].v : (s.c[0] + s.c[1]).v);
  }
};

template <class T>
const scan_kernels<T>& get_scan_kernels() {
  static const scan_kernels<T> kernels = {&scan_block_kernels<T>::totals,
                                          &scan_block_kernels<T>::prefixes};
  return kernels;
}
#define ACC_INSTANTIATE_SCANS(T) template const scan_kernels<T>& get_scan_kernels<T>();
ACC_SCANS(ACC_INSTANTIATE_SCANS)

}  // namespace acc::backends::host::ACC_HOST_ISA
