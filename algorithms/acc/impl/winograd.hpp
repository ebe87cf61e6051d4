// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_WINOGRAD_HPP
#define ACC_IMPL_WINOGRAD_HPP

/// \file
/// Winograd's variant of Strassen's algorithm (Winograd 1971) in the order of additions of table 1
/// of Badin, D'Alberto, Bic, Dillencourt and Nicolau 2013: nothing is ever subtracted from C.
///
/// Their schedule reuses three temporary matrices and so passes 39 quarters of a matrix through
/// memory at each level. Here all temporary sums live at the same time: one pass over A makes its
/// four sums, one over B its four, and one over the seven products C: 27 quarters, and the products
/// do not depend on each other.

#include <acc/backends/elementwise.hpp>
#include <acc/core/eft.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::impl {

/// S1 = A21 + A22, S2 = S1 - A11, S3 = A12 - S2, S4 = A11 - A21 of a quartered A.
struct left_sums {
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION void apply(const T (&a)[4], T (&s)[4]) {
    s[0] = add(a[2], a[3]);
    s[1] = sub(s[0], a[0]);
    s[2] = sub(a[1], s[1]);
    s[3] = sub(a[0], a[2]);
  }
};

/// T1 = B12 - B11, T2 = B22 - T1, T3 = B21 - T2, T4 = B22 - B12 of a quartered B.
struct right_sums {
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION void apply(const T (&b)[4], T (&t)[4]) {
    t[0] = sub(b[1], b[0]);
    t[1] = sub(b[3], t[0]);
    t[2] = sub(b[2], t[1]);
    t[3] = sub(b[3], b[1]);
  }
};

/// C of the products S1 T1, A11 B11, A12 B21, S2 T2, S3 B22, A22 T3, S4 T4.
struct products_to_c {
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION void apply(const T (&p)[7], T (&c)[4]) {
    const T u = add(p[1], p[3]), v = add(u, p[6]);
    c[0] = add(p[1], p[2]);
    c[1] = add(add(p[0], u), p[4]);
    c[2] = add(p[5], v);
    c[3] = add(p[0], v);
  }
};

/// Memory that is taken and given back in the order of a stack. Without memory it only counts.
class memory_stack {
 public:
  static constexpr std::size_t alignment = 64;

  memory_stack() = default;  // not at 0, which pointers may not be counted from
  explicit memory_stack(void* memory) : first_(reinterpret_cast<std::uintptr_t>(memory)) {}

  template <class T>
  T* take(std::int64_t count) {
    const std::uintptr_t at = first_ + used_;
    used_ += (std::size_t(count) * sizeof(T) + alignment - 1) / alignment * alignment;
    most_ = std::max(most_, used_);
    return reinterpret_cast<T*>(at);
  }
  /// rows x columns, in columns or, where like's rows are contiguous, in rows.
  template <class T, class Like>
  matrix_data<T> take_matrix(std::int64_t rows, std::int64_t columns,
                             const matrix_data<Like>& like) {
    T* const data = take<T>(rows * columns);
    if (like.column_stride < like.row_stride) return {data, rows, columns, columns, 1};
    return {data, rows, columns, 1, rows};
  }
  std::size_t used() const { return used_; }
  void give_back_to(std::size_t used) { used_ = used; }
  std::size_t most() const { return most_; }

 private:
  std::uintptr_t first_ = alignment;
  std::size_t used_ = 0, most_ = 0;
};

template <class T>
struct quarters {
  matrix_data<T> q[4];  ///< 11, 12, 21, 22

  explicit quarters(const matrix_data<T>& m) {
    const std::int64_t rows = m.rows / 2, columns = m.columns / 2;
    for (int i = 0; i < 4; ++i) {
      q[i] = m;
      q[i].rows = rows;
      q[i].columns = columns;
      q[i].data += i / 2 * rows * m.row_stride + i % 2 * columns * m.column_stride;
    }
  }
  const matrix_data<T>& operator[](int i) const { return q[i]; }
};

template <class T>
matrix_data<const T> as_const(const matrix_data<T>& m) {
  return {m.data, m.rows, m.columns, m.row_stride, m.column_stride, m.batch_stride, m.conjugate};
}

/// c = a b by `levels` levels of recursion, which divide all extents. steps.product(a, b, c)
/// forms base products; steps.entries<Rule>(label, in, out) makes entries of entries.
template <class Steps, class T>
void winograd_product(Steps& steps, memory_stack& memory, const matrix_data<const T>& a,
                      const matrix_data<const T>& b, const matrix_data<T>& c, int levels) {
  if (levels == 0) return steps.product(a, b, c);
  const std::size_t before = memory.used();
  const quarters<const T> qa(a), qb(b);
  const quarters<T> qc(c);
  matrix_data<T> s[4], t[4], p[7];
  for (auto& m : s) m = memory.take_matrix<T>(a.rows / 2, a.columns / 2, a);
  for (auto& m : t) m = memory.take_matrix<T>(b.rows / 2, b.columns / 2, b);
  for (const int i : {0, 1, 3}) p[i] = memory.take_matrix<T>(c.rows / 2, c.columns / 2, c);
  p[2] = qc[0];
  p[4] = qc[1];
  p[5] = qc[2];
  p[6] = qc[3];

  steps.template entries<left_sums>("acc::ngemm: sums of A", {qa[0], qa[1], qa[2], qa[3]},
                                    {s[0], s[1], s[2], s[3]});
  steps.template entries<right_sums>("acc::ngemm: sums of B", {qb[0], qb[1], qb[2], qb[3]},
                                     {t[0], t[1], t[2], t[3]});
  const auto multiply = [&](const matrix_data<const T>& x, const matrix_data<const T>& y, int i) {
    winograd_product(steps, memory, x, y, p[i], levels - 1);
  };
  multiply(as_const(s[0]), as_const(t[0]), 0);
  multiply(qa[0], qb[0], 1);
  multiply(qa[1], qb[2], 2);
  multiply(as_const(s[1]), as_const(t[1]), 3);
  multiply(as_const(s[2]), qb[3], 4);
  multiply(qa[3], as_const(t[2]), 5);
  multiply(as_const(s[3]), as_const(t[3]), 6);
  steps.template entries<products_to_c>(
      "acc::ngemm: sums of products",
      {as_const(p[0]), as_const(p[1]), as_const(p[2]), as_const(p[3]), as_const(p[4]),
       as_const(p[5]), as_const(p[6])},
      {qc[0], qc[1], qc[2], qc[3]});
  memory.give_back_to(before);
}

}  // namespace acc::impl

#endif
