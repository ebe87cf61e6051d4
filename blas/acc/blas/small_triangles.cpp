// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the calling thread alone does no slower than all: few numbers, or what each waits for. What
// may still be given back to the general way goes by copies, so that nothing is written before all
// is done.
#include <acc/backends/host/kernels/symv.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "at_once.hpp"
#include "chosen_kernel.hpp"
#include "equations.hpp"
#include "numbers.hpp"
#include "panel_substitution.hpp"
#include "small.hpp"
#include "strided.hpp"
#include "symmetric_rows.hpp"
#include "triangles.hpp"
#include "vector_substitution.hpp"
#include "views.hpp"

namespace acc::blas {

namespace {

/// trsm: columns of one block; numbers of a panel and its coefficients.
constexpr int most_columns = 64;
template <class T>
constexpr int most_of_panel = 32768 / int(sizeof(T));
/// Rows of symv from which three threads, which read each stored number twice, are faster than one;
/// of hemv, which always reads them twice, two threads.
constexpr int most_of_threads = 512, most_of_two_threads = 96;
/// Rows of a triangle that hemv, symm, syrk and herk copy, and of a square of syrk's product.
constexpr int most_rows = 64, rows_of_square = 32;
template <class T>
constexpr bool is_real = impl::components_of<T> == 1;

/// The lines of a triangle: its columns, or by rows its rows. Numbers of a line are neighbors.
struct lines {
  int n;
  bool from_diagonal;

  lines(int order, char uplo, bool row_major)
      : n(order), from_diagonal((uplo == 'L') != row_major) {}
  int first(int line) const { return from_diagonal ? line : 0; }
  int end(int line) const { return from_diagonal ? n : line + 1; }
};

/// Either may be aligned for its parts alone.
template <class T>
void copy_triangle(const lines& of, const T* from, std::int64_t from_step, T* to,
                   std::int64_t to_step) {
  for (int l = 0; l < of.n; ++l)
    std::memcpy(static_cast<void*>(to + l * to_step + of.first(l)),
                static_cast<const void*>(from + l * from_step + of.first(l)),
                std::size_t(of.end(l) - of.first(l)) * sizeof(T));
}

/// A Hermitian matrix's diagonal: its imaginary parts count as zero.
template <class T>
void make_diagonal_real(T* matrix, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    matrix[i * (n + 1)] = without_imaginary_part(matrix[i * (n + 1)]);
}

/// A number's bits in one register, and those that conjugation turns.
template <class T>
struct number_bits {
  static constexpr int parts = impl::components_of<T>;
  typedef impl::real_t<T> type __attribute__((vector_size(sizeof(T))));
  typedef std::conditional_t<sizeof(impl::real_t<T>) == 4, std::int32_t, std::int64_t> bits
      __attribute__((vector_size(sizeof(T))));

  static type conjugate(type x) {
    if constexpr (parts == 2) {
      const type signs{0, impl::real_t<T>(-0.0)};
      return type(bits(x) ^ bits(signs));
    } else {
      return x;
    }
  }
};

/// Makes a matrix of neighbors, whose lines are as those of the triangle in memory. As many lines
/// at a time as a cache line has numbers: those of the other triangle are written across them.
template <bool Hermitian, class T>
void make_whole(const lines& of, const T* from, std::int64_t from_step, T* to) {
  using number = number_bits<T>;
  constexpr int together = 64 / int(sizeof(T));
  const std::int64_t n = of.n;
  const auto copy = [&](std::int64_t l, std::int64_t i) __attribute__((always_inline)) {
    typename number::type x;
    std::memcpy(&x, static_cast<const void*>(from + l * from_step + i), sizeof(T));
    std::memcpy(static_cast<void*>(to + l * n + i), &x, sizeof(T));
    if constexpr (Hermitian) x = number::conjugate(x);
    std::memcpy(static_cast<void*>(to + i * n + l), &x, sizeof(T));
  };
  for (std::int64_t first = 0; first < n; first += together) {
    const std::int64_t end = std::min(n, first + together);
    std::int64_t i = of.from_diagonal ? end : 0;
    const std::int64_t i_end = of.from_diagonal ? n : first;
    if (end == first + together)
      for (; i < i_end; ++i)
        for (int l = 0; l < together; ++l) copy(first + l, i);
    for (; i < i_end; ++i)
      for (std::int64_t l = first; l < end; ++l) copy(l, i);
    for (std::int64_t l = first; l < end; ++l)  // the square on the diagonal
      for (i = of.from_diagonal ? l : first; i < (of.from_diagonal ? end : l + 1); ++i) copy(l, i);
  }
  if (Hermitian) make_diagonal_real(to, n);
}
template <class T>
void make_whole(const lines& of, bool hermitian, const T* from, std::int64_t from_step, T* to) {
  hermitian ? make_whole<true>(of, from, from_step, to)
            : make_whole<false>(of, from, from_step, to);
}

template <class T>
using symv_kernel =
    chosen_kernel<&backends::host::symv_for_this_processor<impl::gemm_default_t<T>, T>>;

/// f with a copy of x.
template <class T, class F>
[[gnu::noinline]] bool with_neighbors(const symv_call<T>& c, const F& f) {
  T x[gemm_section];
  const T* const first = first_of(c.x, c.n, c.incx);
  for (std::int64_t i = 0; i < c.n; ++i) x[i] = first[i * c.incx];
  return f(x);
}

/// Unknowns that are `step` numbers apart, a section's products at most.
template <class T>
[[gnu::noinline]] bool solve_copy(const equations<T>& all, T* first, std::int64_t step) {
  T x[gemm_section];
  for (std::int64_t i = 0; i < all.order; ++i) x[i] = first[i * step];
  if (all.blocks() == 1)
    all.solve_rows(all.block_of(0), x, 1, 1);
  else if (!vector_substitution<T>(all, x, nullptr).run())
    return false;
  for (std::int64_t i = 0; i < all.order; ++i) first[i * step] = x[i];
  return true;
}

/// No products are subtracted of it.
template <class T>
[[gnu::noinline]] bool solve_one_block(const equations<T>& all) {
  if (all.width > most_columns) return false;
  T rows[solved_at_once * most_columns];
  all.solve_block(all.block_of(0), rows);
  return true;
}

/// Complex numbers, `unknown` and `number` apart. What a block loses are small products.
template <class T>
[[gnu::noinline]] bool solve_by_small_products(const equations<T>& all, T* b, std::int64_t unknown,
                                               std::int64_t number) {
  const std::int64_t width = all.width;
  if (all.order > most_copied<T> / width) return false;
  numbers<T, most_copied<T>> memory;
  T* const x = memory.data();
  const auto each = [&](const auto& f) {
    for (std::int64_t i = 0; i < all.order; ++i)
      for (std::int64_t w = 0; w < width; ++w) f(x + i * width + w, b + i * unknown + w * number);
  };
  each([](T* copy, const T* from) { *copy = read(from); });
  const auto [row, column] = all.strides();
  for (int n = 0; n < all.blocks(); ++n) {
    const block of = all.block_of(n);
    if (of.n > 0) {
      // By the left side: op(A) X, where X has rows of unknowns; else X^T op(A).
      impl::matrix_data<const T> a{all.a.data + of.first * row + of.solved * column,
                                   of.count,
                                   of.n,
                                   row,
                                   column,
                                   0,
                                   all.conjugates};
      impl::matrix_data<const T> solved{x + of.solved * width, of.n, width, width, 1};
      impl::matrix_data<T> block_of_x{x + of.first * width, of.count, width, width, 1};
      const bool done = all.left ? multiply_small<T>(T(-1), a, solved, T(1), block_of_x)
                                 : multiply_small<T>(T(-1), solved.transposed(), a.transposed(),
                                                     T(1), block_of_x.transposed());
      if (!done) return false;
    }
    all.solve_rows(of, x + of.first * width, width, width);
  }
  each([](const T* solved, T* to) { write(to, *solved); });
  return true;
}

/// As solve_copy, of complex numbers.
template <class T>
[[gnu::noinline]] bool solve_complex_copy(const equations<T>& all, T* first, std::int64_t step) {
  using one = vector_substitution<T>;
  using real = impl::real_t<T>;
  const std::int64_t parts = impl::components_of<T> * std::int64_t(all.order);
  return with_numbers<real>(parts + one::numbers_of_factors(all.order), [&](real* memory) {
    T* const x = reinterpret_cast<T*>(memory);
    for (std::int64_t i = 0; i < all.order; ++i) x[i] = read(first + i * step);
    if (!one(all, x, memory + parts).run()) return false;
    for (std::int64_t i = 0; i < all.order; ++i) write(first + i * step, x[i]);
    return true;
  });
}

/// f(copies of x and y, whose elements are neighbors). y becomes what f leaves, unless f is false.
template <class T, class F>
[[gnu::noinline]] bool with_vectors(const symv_call<T>& c, const F& f) {
  return with_numbers<T>(2 * std::int64_t(c.n), [&](T* x) {
    T* const y = x + c.n;
    const T* const first_x = first_of(c.x, c.n, c.incx);
    T* const first_y = first_of(c.y, c.n, c.incy);
    for (std::int64_t i = 0; i < c.n; ++i) {
      x[i] = read(first_x + i * c.incx);
      y[i] = c.beta != T(0) ? read(first_y + i * c.incy) : T(0);
    }
    if (!f(x, y)) return false;
    for (std::int64_t i = 0; i < c.n; ++i) write(first_y + i * c.incy, y[i]);
    return true;
  });
}

/// hemv of few numbers: the matrix is made whole.
template <class T>
[[gnu::noinline]] bool multiply_whole(const symv_call<T>& c, const T* x, T* y) {
  return with_numbers<T>(std::int64_t(c.n) * c.n, [&](T* all) {
    make_whole(lines(c.n, c.uplo, c.row_major), c.hermitian, c.a, c.lda, all);
    const std::int64_t row = c.row_major ? c.n : 1, column = c.row_major ? 1 : c.n;
    return multiply_small<T>(c.alpha, {all, c.n, c.n, row, column, 0}, {x, c.n, 1, 1, 1, 0}, c.beta,
                             {y, c.n, 1, 1, 1, 0});
  });
}
/// hemv of more numbers, by rows in place.
template <class T>
[[gnu::noinline]] bool multiply_rows(const symv_call<T>& c, const T* x, T* y) {
  try {
    return symmetric_rows<T>(c, x, y).run();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

template <class T>
bool symmetric_vector_product_at_once(const symv_call<T>& c) noexcept {
  if (!can_be_done_at_once(c) || c.n > gemm_section) return false;
  const impl::matrix_data<const T> a{c.a, c.n, c.n, c.lda, 1, 0};
  const memory_range written(memory_of_vector(c.y, c.n, c.incy));
  if (!written.is_apart_from(memory_range(a)) ||
      !written.is_apart_from(memory_range(memory_of_vector(c.x, c.n, c.incx))))
    return false;
  if constexpr (is_real<T>) {
    if (c.n > most_of_threads && host_threads() > 2) return false;
    const lines stored(c.n, c.uplo, c.row_major);
    const auto multiply = [&](const T* x) {
      return symv_kernel<T>::run({c.n, gemm_default<T>.strip, c.a, c.lda, stored.from_diagonal, x,
                                  first_of(c.y, c.n, c.incy), c.incy, c.alpha, c.beta});
    };
    return c.incx == 1 ? multiply(c.x) : with_neighbors(c, multiply);
  } else {
    if (c.n > most_of_two_threads && host_threads() > 1) return false;
    return with_vectors(c, [&](const T* x, T* y) {
      return c.n <= most_rows ? multiply_whole(c, x, y) : multiply_rows(c, x, y);
    });
  }
}

template <class T>
bool symmetric_product_at_once(const symm_call<T>& c) noexcept {
  if (!can_be_done_at_once(c)) return false;
  const bool left = c.side == 'L';
  const std::int64_t order = left ? c.m : c.n, width = left ? c.n : c.m;
  constexpr std::int64_t parts = impl::components_of<T>;
  if (order > most_rows || width > most_products() / (parts * order * order)) return false;
  const impl::matrix_data<const T> a{c.a, order, order, c.lda, 1, 0};
  const auto matrix_of = [&](auto* data, int leading) {
    using U = std::remove_pointer_t<decltype(data)>;
    return impl::matrix_data<U>{
        data, c.m, c.n, c.row_major ? leading : 1, c.row_major ? 1 : leading, 0};
  };
  const auto b = matrix_of(c.b, c.ldb);
  const auto to = matrix_of(c.c, c.ldc);
  const memory_range written(to);
  if (!written.is_apart_from(memory_range(a)) || !written.is_apart_from(memory_range(b)))
    return false;
  // C is written part by part, so none of them may be given back: small_product serves them all.
  using tuning = backends::host::small_gemm_tuning;
  constexpr std::int64_t most_lines = 1024;
  static_assert(parts * most_lines <= tuning::copied && parts * most_lines <= tuning::of_vector);
  static_assert(parts * most_rows * most_rows <= tuning::of_vector);
  static_assert(parts * most_rows * most_rows <= tuning::of_matrix);
  static_assert(most_rows <= gemm_default<T>.strip && most_rows <= tuning::packed / 16);
  const std::int64_t most =
      std::min<std::int64_t>(tuning::of_matrix / (parts * order * order), most_lines);
  return with_numbers<T>(order * order, [&](T* copy) {
    make_whole(lines(int(order), c.uplo, c.row_major), c.hermitian, c.a, c.lda, copy);
    const impl::matrix_data<const T> whole{
        copy, order, order, c.row_major ? order : 1, c.row_major ? 1 : order, 0};
    for (std::int64_t at = 0; at < width; at += most) {
      const std::int64_t count = std::min(most, width - at);
      const auto part = [&](auto m) {
        (left ? m.columns : m.rows) = count;
        m.data += at * (left ? m.column_stride : m.row_stride);
        return m;
      };
      const bool done = left ? multiply_small<T>(c.alpha, whole, part(b), c.beta, part(to))
                             : multiply_small<T>(c.alpha, part(b), whole, c.beta, part(to));
      if (!done) return false;
    }
    return true;
  });
}

template <class T>
bool rank_k_update_at_once(const syrk_call<T>& c) noexcept {
  if (!can_be_done_at_once(c) || c.n > most_rows) return false;
  const bool is_n = c.trans == 'N', by_rows = c.row_major == is_n;
  impl::matrix_data<const T> a{c.a, c.n, c.k, by_rows ? c.lda : 1, by_rows ? 1 : c.lda, 0};
  impl::matrix_data<const T> b = a.transposed();
  (is_n ? b : a).conjugate = c.hermitian;
  const impl::matrix_data<T> all{c.c, c.n, c.n, c.ldc, 1, 0};
  if (!memory_range(all).is_apart_from(memory_range(a))) return false;
  const lines of(c.n, c.uplo, c.row_major);
  return with_numbers<T>(std::int64_t(c.n) * c.n, [&](T* copy) {
    if (c.beta != T(0)) {
      std::fill_n(copy, c.n * c.n, T(0));
      copy_triangle(of, c.c, c.ldc, copy, c.n);
    }
    // Of real numbers column l of the product is row l: the products of two numbers are the same,
    // and k ascends in both.
    const bool lines_are_rows = !is_real<T> && c.row_major;
    const impl::matrix_data<T> to{
        copy, c.n, c.n, lines_are_rows ? c.n : 1, lines_are_rows ? 1 : c.n, 0};
    const auto multiply = [&](int i, int j) {
      const auto part = [&](auto m, int row, int column, bool cuts_rows, bool cuts_columns) {
        if (cuts_rows) {
          m.data += row * m.row_stride;
          m.rows = std::min(rows_of_square, c.n - row);
        }
        if (cuts_columns) {
          m.data += column * m.column_stride;
          m.columns = std::min(rows_of_square, c.n - column);
        }
        return m;
      };
      return multiply_small<T>(c.alpha, part(a, i, 0, true, false), part(b, 0, j, false, true),
                               c.beta, part(to, i, j, true, true));
    };
    // Two squares on the diagonal, and of `to` the one below them or above.
    constexpr int half = rows_of_square;
    if (!multiply(0, 0)) return false;
    if (c.n > half) {
      const bool is_below = of.from_diagonal != lines_are_rows;
      if (!multiply(half, half) || !(is_below ? multiply(half, 0) : multiply(0, half)))
        return false;
    }
    if (c.hermitian) make_diagonal_real(copy, c.n);
    copy_triangle(of, copy, c.n, c.c, c.ldc);
    return true;
  });
}

template <class T>
bool solve_vector_at_once(const trsv_call<T>& c) noexcept {
  if (!can_be_done_at_once(c) || c.n > gemm_section) return false;
  const impl::matrix_data<const T> a{c.a, c.n, c.n, c.lda, 1, 0};
  if (!memory_range(memory_of_vector(c.x, c.n, c.incx)).is_apart_from(memory_range(a)))
    return false;
  const equations<T> all(trsm_call<T>{c.row_major, 'L', c.uplo, c.trans, c.diag, c.n, 1, c.lda,
                                      c.row_major ? 1 : c.n, T(1), c.a, c.x});
  T* const first = first_of(c.x, c.n, c.incx);
  if constexpr (is_real<T>)
    return solve_copy(all, first, c.incx);
  else
    return all.order <= rows_of_square ? solve_by_small_products(all, first, c.incx, 1)
                                       : solve_complex_copy(all, first, c.incx);
}

template <class T>
bool solve_at_once(const trsm_call<T>& c) noexcept {
  if (!can_be_done_at_once(c) || c.alpha != T(1)) return false;
  const equations<T> all(c);
  const impl::matrix_data<const T> a{c.a, all.order, all.order, c.lda, 1, 0};
  if (!memory_range(all.b.whole(c.m, c.n)).is_apart_from(memory_range(a))) return false;
  const auto [unknown, number] = all.strides_of_b();
  if constexpr (is_real<T>) {
    if (all.width == 1 && all.order <= gemm_section) return solve_copy(all, c.b, unknown);
    if (all.width > backends::host::small_gemm_tuning::of_matrix / all.order / all.order)
      return false;
    if (all.order <= solved_at_once) return solve_one_block(all);
    return panel_substitution<T>(all, T(1)).template run_with_own_memory<most_of_panel<T>>();
  } else {
    if (all.left && all.width == 1 && all.order > rows_of_square && all.order <= gemm_section)
      return solve_complex_copy(all, c.b, unknown);
    return solve_by_small_products(all, c.b, unknown, number);
  }
}

#define ACC_INSTANTIATE(T)                                                        \
  template bool symmetric_vector_product_at_once(const symv_call<T>& c) noexcept; \
  template bool symmetric_product_at_once(const symm_call<T>& c) noexcept;        \
  template bool rank_k_update_at_once(const syrk_call<T>& c) noexcept;            \
  template bool solve_vector_at_once(const trsv_call<T>& c) noexcept;             \
  template bool solve_at_once(const trsm_call<T>& c) noexcept;
ACC_INSTANTIATE(float)
ACC_INSTANTIATE(double)
ACC_INSTANTIATE(Kokkos::complex<float>)
ACC_INSTANTIATE(Kokkos::complex<double>)

}  // namespace acc::blas
