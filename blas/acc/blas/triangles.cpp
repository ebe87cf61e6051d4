// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "triangles.hpp"

#include <acc/core/checks/matrix.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/batched_gemm.hpp>
#include <acc/gemm.hpp>
#include <acc/gemv.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "equations.hpp"
#include "panel_substitution.hpp"
#include "runtime.hpp"
#include "strided.hpp"
#include "symmetric_rows.hpp"
#include "vector_substitution.hpp"
#include "views.hpp"
#include "wait.hpp"

namespace acc::blas {

namespace {

using host = Kokkos::DefaultHostExecutionSpace;

/// Rows of a symmetric matrix that are made whole at a time for a vector, and of the squares on the
/// diagonal of a product. They change no bits.
constexpr int panel = 64;

/// Rows that are made whole at a time for a product, of a matrix of this order: each panel packs
/// the other matrix anew, and all of it may take too much memory. They change no bits.
constexpr int panel_of_product(int order) {
  constexpr int least_rows = 512, numbers = 1 << 22;
  return std::min(order, std::max(least_rows, numbers / order));
}

/// Unknowns up to which a right-hand side is faster by one thread, whatever the threads.
constexpr int most_by_one_thread = 8192;

template <class T>
using vector_view =
    Kokkos::View<T*, Kokkos::LayoutStride, host::memory_space, Kokkos::MemoryUnmanaged>;

void need_host(memory where) {
  if (where != memory::host)
    throw std::invalid_argument("the matrices must be in host memory: this computes there alone");
}

/// A vector's elements in memory of their own, in order.
template <class T>
std::vector<std::remove_const_t<T>> elements_of(T* data, int n, std::int64_t increment) {
  std::vector<std::remove_const_t<T>> x(static_cast<std::size_t>(n));
  T* const first = first_of(data, n, increment);
  for (std::int64_t i = 0; i < n; ++i) x[std::size_t(i)] = read(first + i * increment);
  return x;
}
template <class T>
void write_elements(const std::vector<T>& x, T* data, std::int64_t increment) {
  const auto n = std::int64_t(x.size());
  T* const first = first_of(data, n, increment);
  for (std::int64_t i = 0; i < n; ++i) write(first + i * increment, x[std::size_t(i)]);
}
template <class T>
vector_view<T> view_of(T* data, int n) {
  return vector_view<T>(data, Kokkos::LayoutStride(std::size_t(n), std::size_t(1)));
}

enum class numbers_of { symmetric, hermitian, conjugated };

/// Rows [first, first + rows) of a symmetric or Hermitian matrix of order n, or of the conjugate of
/// a Hermitian one, whole, one after the other. By squares, as one of the two is read or written
/// along columns.
template <class T>
void whole_rows(const host& exec, const strided<const T>& a, char uplo, numbers_of which, int first,
                int rows, int n, T* to) {
  constexpr int square = 16;
  const auto copy = [=](int part) {
    const int end = std::min(n, (part + 1) * square);
    for (int r = 0; r < rows; ++r) {
      const int i = first + r;
      for (int j = part * square; j < end; ++j) {
        const bool is_stored = uplo == 'L' ? j <= i : j >= i;
        T x = is_stored ? a(i, j) : a(j, i);
        if (which != numbers_of::symmetric) {
          const bool as_stored = is_stored == (which == numbers_of::hermitian);
          x = i == j ? without_imaginary_part(x) : as_stored ? x : conjugate(x);
        }
        to[r * std::int64_t(n) + j] = x;
      }
    }
  };
  Kokkos::parallel_for(
      "acc::blas: rows of a symmetric matrix",
      Kokkos::RangePolicy<host, Kokkos::IndexType<int>>(exec, 0, (n + square - 1) / square), copy);
}

}  // namespace

template <class T>
void symmetric_vector_product(memory where, const symv_call<T>& c) {
  need_host(where);
  const host exec = host_space();
  const strided<const T> a(c.a, c.lda, c.row_major);
  const bool reads = c.reads_products();
  const int depth = reads ? c.n : 0;
  // Here, as acc::gemv gets copies.
  const auto of_y = memory_of_vector(c.y, c.n, c.incy);
  impl::check_no_alias("acc::blas", "A", a.whole(depth, depth), 1, "y", of_y, 1);
  impl::check_no_alias("acc::blas", "x", memory_of_vector(c.x, depth, c.incx), 1, "y", of_y, 1);
  const auto x = reads ? elements_of(c.x, c.n, c.incx) : std::vector<T>();
  auto y = c.beta != T(0) ? elements_of(c.y, c.n, c.incy) : std::vector<T>(std::size_t(c.n));
  if (reads) {
    std::vector<T> result = y;
    if (symmetric_rows<T>(c, x.data(), result.data()).run(exec))
      return write_elements(result, c.y, c.incy);
  }
  const auto which = c.hermitian ? numbers_of::hermitian : numbers_of::symmetric;
  std::vector<T> rows(std::size_t(std::min(panel, c.n)) * std::size_t(depth));
  for (int i = 0; i < c.n; i += panel) {
    const int m = std::min(panel, c.n - i);
    if (reads) whole_rows(exec, a, c.uplo, which, i, m, c.n, rows.data());
    acc::gemv(exec, "N", c.alpha, strided<const T>(rows.data(), depth, true).part(0, m, 0, depth),
              view_of<const T>(x.data(), depth), c.beta, view_of(y.data() + i, m));
    exec.fence("acc::blas: the panel is used again");
  }
  write_elements(y, c.y, c.incy);
}

template <class T>
void symmetric_product(memory where, const symm_call<T>& c) {
  need_host(where);
  const host exec = host_space();
  const strided<const T> a(c.a, c.lda, c.row_major), b(c.b, c.ldb, c.row_major);
  const strided<T> to(c.c, c.ldc, c.row_major);
  const bool reads = c.reads_products(), left = c.side == 'L';
  const int order = left ? c.m : c.n, depth = reads ? order : 0;
  if (reads) {  // before any panel of C is written
    impl::check_no_alias("acc::blas", "A", a.whole(order, order), 1, "C", to.whole(c.m, c.n), 1);
    impl::check_no_alias("acc::blas", "B", b.whole(c.m, c.n), 1, "C", to.whole(c.m, c.n), 1);
  }
  // By the right side A's columns, which are its rows, of a Hermitian A conjugated.
  const auto which = !c.hermitian ? numbers_of::symmetric
                     : left       ? numbers_of::hermitian
                                  : numbers_of::conjugated;
  const int most = panel_of_product(order);
  std::vector<T> rows(std::size_t(most) * std::size_t(depth));
  const strided<const T> whole(rows.data(), depth, true);
  for (int i = 0; i < order; i += most) {
    const int m = std::min(most, order - i);
    if (reads) whole_rows(exec, a, c.uplo, which, i, m, order, rows.data());
    if (left)
      acc::gemm(exec, "N", "N", c.alpha, whole.part(0, m, 0, depth), b.part(0, depth, 0, c.n),
                c.beta, to.part(i, m, 0, c.n));
    else
      acc::gemm(exec, "N", "T", c.alpha, b.part(0, c.m, 0, depth), whole.part(0, m, 0, depth),
                c.beta, to.part(0, c.m, i, m));
    exec.fence("acc::blas: the panel is used again");
  }
}

template <class T>
void rank_k_update(memory where, const syrk_call<T>& c) {
  need_host(where);
  const host exec = host_space();
  const strided<const T> a(c.a, c.lda, c.row_major);
  const strided<T> to(c.c, c.ldc, c.row_major);
  const int depth = c.reads_products() ? c.k : 0;
  const bool is_n = c.trans == 'N';
  const char* const other = c.hermitian ? "C" : "T";
  if (depth > 0)
    impl::check_no_alias("acc::blas", "A", a.whole(is_n ? c.n : c.k, is_n ? c.k : c.n), 1, "C",
                         to.whole(c.n, c.n), 1);
  const auto rows_of_a = [&](int i, int m) {
    return is_n ? a.part(i, m, 0, depth) : a.part(0, depth, i, m);
  };
  const auto multiply = [&](int i, int m, int j, int n, const matrix_view<host, T>& result) {
    acc::gemm(exec, is_n ? "N" : other, is_n ? other : "N", c.alpha, rows_of_a(i, m),
              rows_of_a(j, n), c.beta, result);
    wait_for(exec);
  };
  // Two triangles and the matrix between them, which is as large as it can be.
  const auto multiply_between = [&](const auto& self, int j, int n) -> void {
    if (n <= panel) return;
    const int half = (n / panel + 1) / 2 * panel, end = j + half, rest = n - half;
    if (c.uplo == 'L')
      multiply(end, rest, j, half, to.part(end, rest, j, half));
    else
      multiply(j, half, end, rest, to.part(j, half, end, rest));
    self(self, j, half);
    self(self, end, rest);
  };
  multiply_between(multiply_between, 0, c.n);

  // What is left are squares on the diagonal. They go by way of copies: their other triangles are
  // not C's.
  const int whole = c.n > panel ? c.n / panel * panel : 0;  // one alone is no batch
  std::vector<T> copies(std::size_t(c.n) * panel);
  const auto copy_of = [&](int i) { return copies.data() + std::int64_t(i) * panel; };
  const auto each_of_triangles = [&](const auto& f) {
    for (int i = 0; i < c.n; ++i) {
      const int square = i / panel * panel, last = std::min(c.n, square + panel) - 1;
      for (int j = c.uplo == 'L' ? square : i; j <= (c.uplo == 'L' ? i : last); ++j)
        f(copy_of(i) + (j - square), i, j);
    }
  };
  // Of a Hermitian C beta is real, so that the imaginary parts of its diagonal have no product.
  if (c.beta != T(0)) each_of_triangles([&](T* copy, int i, int j) { *copy = to(i, j); });
  if (whole > 0) {
    using batch =
        Kokkos::View<const T***, Kokkos::LayoutStride, host::memory_space, Kokkos::MemoryUnmanaged>;
    using batch_of_copies =
        Kokkos::View<T***, Kokkos::LayoutStride, host::memory_space, Kokkos::MemoryUnmanaged>;
    const std::size_t squares = std::size_t(whole / panel), k = std::size_t(depth),
                      row = std::size_t(a.row_stride), column = std::size_t(a.column_stride);
    const batch rows(a.data,
                     is_n ? Kokkos::LayoutStride(squares, panel * row, panel, row, k, column)
                          : Kokkos::LayoutStride(squares, panel * column, k, row, panel, column));
    acc::batched_gemm(exec, is_n ? "N" : other, is_n ? other : "N", c.alpha, rows, rows, c.beta,
                      batch_of_copies(copies.data(), Kokkos::LayoutStride(squares, panel * panel,
                                                                          panel, panel, panel, 1)));
    wait_for(exec);
  }
  if (whole < c.n)
    multiply(whole, c.n - whole, whole, c.n - whole,
             strided<T>(copy_of(whole), panel, true).part(0, c.n - whole, 0, c.n - whole));
  each_of_triangles([&](const T* copy, int i, int j) {
    write(to.at(i, j), c.hermitian && i == j ? without_imaginary_part(*copy) : *copy);
  });
}

namespace {

/// op(A) X = alpha B, or X op(A) = alpha B, on the host.
template <class T>
class substitution {
 public:
  explicit substitution(const trsm_call<T>& c) : c_(c), all_(c), exec_(host_space()) {}

  void run() {
    panel_substitution<T> panels(all_, c_.alpha);
    if (panels.serves(exec_.concurrency()))
      return panels.run(exec_, [this] { update(all_.block_of(0)); });
    if (solve_each()) return;
    std::vector<T> rows(all_.numbers_of_rows());
    for (int n = 0; n < all_.blocks(); ++n) {
      const block of = all_.block_of(n);
      update(of);
      all_.solve_block(of, rows.data());
    }
  }

 private:
  /// B's part = alpha B's part - the products with all that is solved.
  void update(const block& of) {
    const auto& [first, count, from, n] = of;
    const char trans[] = {c_.trans, '\0'};
    const bool is_n = c_.trans == 'N';
    const int width = all_.width;
    if (all_.left && width == 1)
      acc::gemv(exec_, trans, T(-1),
                is_n ? all_.a.part(first, count, from, n) : all_.a.part(from, n, first, count),
                vector(from, n), c_.alpha, vector(first, count));
    else if (all_.left)
      acc::gemm(exec_, trans, "N", T(-1),
                is_n ? all_.a.part(first, count, from, n) : all_.a.part(from, n, first, count),
                all_.b.part(from, n, 0, width), c_.alpha, all_.b.part(first, count, 0, width));
    else
      acc::gemm(exec_, "N", trans, T(-1), all_.b.part(0, width, from, n),
                is_n ? all_.a.part(from, n, first, count) : all_.a.part(first, count, from, n),
                c_.alpha, all_.b.part(0, width, first, count));
    exec_.fence("acc::blas: the next block reads it");
  }
  /// Each right-hand side by one thread, where more would wait for one another.
  bool solve_each() const {
    const bool one_thread = all_.order <= most_by_one_thread || exec_.concurrency() <= 2;
    if (!one_thread || c_.alpha != T(1)) return false;
    // The kernels multiply A's numbers by x's: for complex numbers x's by A's has other bits.
    if (impl::components_of<T> == 2 && !all_.left) return false;
    const std::int64_t unknown = all_.strides_of_b().first, number = all_.strides_of_b().second;
    const std::int64_t order = all_.order;
    using one = vector_substitution<T>;
    std::vector<T> x(std::size_t(order) * std::size_t(all_.width));
    const std::int64_t of_one = one::numbers_of_factors(order);
    std::vector<impl::real_t<T>> factors(std::size_t(of_one) * std::size_t(all_.width));
    const auto each = [&](const auto& f) {
      for (std::int64_t w = 0; w < all_.width; ++w)
        for (std::int64_t n = 0; n < order; ++n)
          f(x[std::size_t(w * order + n)], all_.b.data + n * unknown + w * number);
    };
    each([](T& copy, const T* b) { copy = read(b); });
    std::atomic<bool> has_nan{false};
    Kokkos::parallel_for("acc::blas: right-hand sides",
                         Kokkos::RangePolicy<host, Kokkos::IndexType<int>>(exec_, 0, all_.width),
                         [&, this](int w) {
                           if (has_nan.load(std::memory_order_relaxed)) return;
                           if (!one(all_, x.data() + w * order, factors.data() + w * of_one).run())
                             has_nan.store(true, std::memory_order_relaxed);
                         });
    exec_.fence("acc::blas: right-hand sides");
    if (has_nan.load(std::memory_order_relaxed)) return false;
    each([](const T& solved, T* b) { write(b, solved); });
    return true;
  }
  vector_view<T> vector(int i, int n) const {
    return vector_view<T>(n == 0 ? all_.b.data : all_.b.at(i, 0),
                          Kokkos::LayoutStride(std::size_t(n), std::size_t(all_.b.row_stride)));
  }

  const trsm_call<T>& c_;
  equations<T> all_;
  host exec_;
};

}  // namespace

template <class T>
void solve(memory where, const trsm_call<T>& c) {
  need_host(where);
  const strided<T> b(c.b, c.ldb, c.row_major);
  if (!c.reads_products()) {
    for (int i = 0; i < c.m; ++i)
      for (int j = 0; j < c.n; ++j) write(b.at(i, j), T(0));
    return;
  }
  const int order = c.side == 'L' ? c.m : c.n;
  impl::check_no_alias("acc::blas", "A",
                       strided<const T>(c.a, c.lda, c.row_major).whole(order, order), 1, "B",
                       b.whole(c.m, c.n), 1);
  substitution<T>(c).run();
}

template <class T>
void solve_vector(memory where, const trsv_call<T>& c) {
  need_host(where);
  impl::check_no_alias("acc::blas", "A", strided<const T>(c.a, c.lda, c.row_major).whole(c.n, c.n),
                       1, "x", memory_of_vector(c.x, c.n, c.incx), 1);
  // In memory of its own: its increment may be negative.
  auto x = elements_of(c.x, c.n, c.incx);
  solve(where, trsm_call<T>{c.row_major, 'L', c.uplo, c.trans, c.diag, c.n, 1, c.lda,
                            c.row_major ? 1 : c.n, T(1), c.a, x.data()});
  write_elements(x, c.x, c.incx);
}

#define ACC_INSTANTIATE(T)                                             \
  template void symmetric_vector_product(memory, const symv_call<T>&); \
  template void symmetric_product(memory, const symm_call<T>&);        \
  template void rank_k_update(memory, const syrk_call<T>&);            \
  template void solve_vector(memory, const trsv_call<T>&);             \
  template void solve(memory, const trsm_call<T>&);
ACC_INSTANTIATE(float)
ACC_INSTANTIATE(double)
ACC_INSTANTIATE(Kokkos::complex<float>)
ACC_INSTANTIATE(Kokkos::complex<double>)

}  // namespace acc::blas
