// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernels of compensated prefix sums (scans.hpp says what they do). A register has the same
/// element of neighboring groups: squares of registers are transposed on the way in and out.

#include <acc/backends/host/kernels/instances.hpp>
#include <acc/backends/host/kernels/scans.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/transpose.hpp>
#include <acc/core/expansion.hpp>

namespace acc::backends::host::ACC_HOST_ISA {

template <class T>
struct scan_block_kernels {
  static constexpr int W = vector_width<T>, group = scan_block_group, groups = scan_block_groups;
  static_assert(group % W == 0 && groups % (2 * W) == 0);
  using V = simd<T, W>;
  using sum = expansion<V, 2>;
  using tree_type = scan_tree<T>;

  static bool subtrees(const T* x, T limit, tree_type& tree) {
    for (int g = 0; g < groups; g += W, x += W * group) {
      sum s;
      for (int first = 0; first < group; first += W) {
        V rows[W];
        load_square(x + first, rows);
        unrolled<W>(ACC_UNROLLED(j) { s.add(rows[j]); });
      }
      store(s, tree.high + g, tree.low + g);
    }
    // Of a level of fewer sums than a register has, the others have no meaning.
    for (int l = 1; l < tree_type::levels; ++l) {
      const int from = tree_type::first_of_level(l - 1), to = tree_type::first_of_level(l);
      for (int i = 0; i < groups >> l; i += W) {
        const sum a = load(tree.high + from + 2 * i, tree.low + from + 2 * i),
                  b = load(tree.high + from + 2 * i + W, tree.low + from + 2 * i + W);
        sum left, right;
        for (int k = 0; k < 2; ++k) {
          left.c[k] = every_other<1, 0>(a.c[k], b.c[k]);
          right.c[k] = every_other<1, 1>(a.c[k], b.c[k]);
        }
        left.merge(right);
        store(left, tree.high + to + i, tree.low + to + i);
      }
    }
    return are_below(limit, tree.high, tree.low, tree_type::size);
  }

  static bool prefixes(const T* x, T limit, const tree_type& tree, T* high, T* low, T* r) {
    // From the prefixes before pairs of subtrees to those before each.
    for (int l = tree_type::levels - 2; l >= 0; --l) {
      const int of_level = tree_type::first_of_level(l), count = groups >> l;
      alignas(64) T pair_high[groups], pair_low[groups];
      for (int i = 0; i < count / 2; ++i) {
        pair_high[i] = high[i];
        pair_low[i] = low[i];
      }
      for (int i = 0; i < count / 2; ++i) {
        expansion<T, 2> before, left;
        before.c[0] = pair_high[i];
        before.c[1] = pair_low[i];
        left.c[0] = tree.high[of_level + 2 * i];
        left.c[1] = tree.low[of_level + 2 * i];
        high[2 * i] = before.c[0];
        low[2 * i] = before.c[1];
        before.merge(left);
        high[2 * i + 1] = before.c[0];
        low[2 * i + 1] = before.c[1];
      }
    }
    bool fit = are_below(limit, high, low, groups);
    alignas(64) T end_high[groups], end_low[groups];
    for (int g = 0; g < groups; g += W, x += W * group, r += W * group) {
      sum s = load(high + g, low + g);
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
      store(s, end_high + g, end_low + g);
    }
    return are_below(limit, end_high, end_low, groups) && fit;
  }

 private:
  ACC_SIMD_INLINE static sum load(const T* high, const T* low) {
    sum s;
    s.c[0] = V::load(high);
    s.c[1] = V::load(low);
    return s;
  }
  ACC_SIMD_INLINE static void store(const sum& s, T* high, T* low) {
    s.c[0].store(high);
    s.c[1].store(low);
  }
  ACC_SIMD_INLINE static void load_square(const T* x, V (&rows)[W]) {
    unrolled<W>(ACC_UNROLLED(i) { rows[i] = V::load(x + i * group); });
    transpose(rows);
  }
  /// expansion::value of finite sums: one of -0 stays -0.
  ACC_SIMD_INLINE static V value(const sum& s) {
    return V::of(s.c[1].v == V(T(0)).v ? s.c[0].v : (s.c[0] + s.c[1]).v);
  }
  /// NaN is not below.
  ACC_SIMD_INLINE static bool are_below(T limit, const T* high, const T* low, int count) {
    int below = 1;
    for (int i = 0; i < count; ++i)
      below &=
          int(high[i] < limit) & int(high[i] > -limit) & int(low[i] < limit) & int(low[i] > -limit);
    return below != 0;
  }
};

template <class T>
const scan_kernels<T>& get_scan_kernels() {
  static const scan_kernels<T> kernels = {&scan_block_kernels<T>::subtrees,
                                          &scan_block_kernels<T>::prefixes};
  return kernels;
}
#define ACC_INSTANTIATE_SCANS(T) template const scan_kernels<T>& get_scan_kernels<T>();
ACC_SCANS(ACC_INSTANTIATE_SCANS)

}  // namespace acc::backends::host::ACC_HOST_ISA
