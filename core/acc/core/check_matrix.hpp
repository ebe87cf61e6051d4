// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_CHECK_MATRIX_HPP
#define ACC_CORE_CHECK_MATRIX_HPP

/// \file
/// Every rejection of the matrix products, and its text. All happen before any launch.

#include <acc/core/check.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/matrix_data.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

/// v is a View of this rank that Exec can read.
#define ACC_CHECK_OPERAND(function, name, r, Exec, V)                                   \
  static_assert(V::rank == r, function ": " name " must be a rank-" #r " View");        \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible, \
                function ": " name " is not accessible from the execution space")

/// The value types of A, B and C agree with each other and with the method.
#define ACC_CHECK_GEMM_TYPES(function, Method, A, B, C, a, b, c)                                 \
  static_assert(::acc::impl::is_full_scalar<typename A::non_const_value_type> ||                 \
                    (::acc::impl::is_half_scalar<typename A::non_const_value_type> &&            \
                     std::is_same_v<Method, ::acc::widened>),                                    \
                function ": value type must be float, double or Kokkos::complex of them (or "    \
                         "half_t, bhalf_t with the method widened)");                            \
  static_assert(                                                                                 \
      std::is_same_v<typename A::non_const_value_type, typename B::non_const_value_type>,        \
      function ": " a " and " b " must have the same value type");                               \
  static_assert(                                                                                 \
      !std::is_same_v<Method, ::acc::widened> ||                                                 \
          !std::is_same_v<::acc::impl::real_t<typename A::non_const_value_type>, double>,        \
      function ": method widened takes float or half input");                                    \
  static_assert(!std::is_const_v<typename C::value_type>, function ": " c " must not be const"); \
  static_assert(                                                                                 \
      ::acc::impl::is_gemm_result<typename C::value_type, typename A::non_const_value_type,      \
                                  Method>,                                                       \
      function ": " c " has the wrong value type")

/// A workspace is a rank-1 View of bytes that Exec can write.
#define ACC_CHECK_WORKSPACE(function, Exec, W)                                          \
  static_assert(W::rank == 1 && std::is_same_v<typename W::value_type, std::byte>,      \
                function ": the workspace must be a rank-1 View of std::byte");         \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename W::memory_space>::accessible, \
                function ": the workspace is not accessible from the execution space")

namespace acc::impl {

/// Whether a C of Value may receive such a product. widened rounds once to the type it finds.
template <class Value, class In, class Method>
inline constexpr bool is_gemm_result =
    std::is_same_v<Value, In> ||
    (std::is_same_v<Method, widened> && (is_full_scalar<Value> || is_half_scalar<Value>) &&
     components_of<Value> == components_of<In>);

/// "N", "T" or "C" of a BLAS argument, in either case.
inline char checked_operation(const char* function, const char* name, const char* text) {
  const char letter = text == nullptr ? '\0' : text[0];
  switch (letter) {
    case 'n':
    case 'N': return 'N';
    case 't':
    case 'T': return 'T';
    case 'c':
    case 'C': return 'C';
    default: break;
  }
  reject(function, std::string(name) + R"( must be "N", "T" or "C", but is )" +
                       (text == nullptr ? "a null pointer" : '"' + std::string(text) + '"'));
}

/// op(m) of a BLAS argument.
template <class T>
matrix_data<T> operated(const matrix_data<T>& m, char operation) {
  matrix_data<T> r = operation == 'N' ? m : m.transposed();
  r.conjugate = operation == 'C' && components_of<std::remove_const_t<T>> == 2;
  return r;
}

template <class Method>
void check_strip(const char* function, const Method& method) {
  if (strip_of(method) < 1)
    reject(function, "strip must be at least 1, but is " + std::to_string(strip_of(method)));
}

template <class T>
std::string shape_of(const matrix_data<T>& m) {
  return std::to_string(m.rows) + " x " + std::to_string(m.columns);
}

template <class T>
void check_matrix_data(const char* function, const char* name, const matrix_data<T>& m,
                       std::int64_t batches = 1) {
  if (m.data != nullptr || m.rows == 0 || m.columns == 0 || batches == 0) return;
  reject(function, std::string(name) + " is " + shape_of(m) + " but has no data (null pointer)");
}

/// op(A) is m x k, op(B) k x n and C m x n.
template <class A, class B, class C>
void check_shapes(const char* function, const char* op_a, const matrix_data<A>& a,
                  const char* op_b, const matrix_data<B>& b, const char* c_name,
                  const matrix_data<C>& c) {
  if (a.columns == b.rows && a.rows == c.rows && b.columns == c.columns) return;
  reject(function, std::string(op_a) + " is " + shape_of(a) + ", " + op_b + " is " + shape_of(b) +
                       " and " + c_name + " is " + shape_of(c) +
                       ", which are not m x k, k x n and m x n");
}

/// The elements of a batch of matrices as bytes: first, one past the last, the largest step between
/// elements, and the bytes from the first to the last that do not take it.
struct extent_in_memory {
  std::intptr_t low, high, pitch, span;
};
template <class T>
extent_in_memory extent_of(const matrix_data<T>& m, std::int64_t batches) {
  std::array<std::pair<std::intptr_t, std::int64_t>, 3> steps{
      {{m.row_stride, m.rows}, {m.column_stride, m.columns}, {m.batch_stride, batches}}};
  for (auto& [stride, count] : steps) {
    stride = count <= 1 ? 0 : stride * std::intptr_t(sizeof(T));
    count = std::max<std::int64_t>(count, 1);
  }
  std::sort(steps.begin(), steps.end());
  const std::intptr_t low = reinterpret_cast<std::intptr_t>(m.data);
  std::intptr_t span = sizeof(T);
  for (int i = 0; i < 2; ++i) span += steps[i].first * (steps[i].second - 1);
  return {low, low + span + steps[2].first * (steps[2].second - 1), steps[2].first, span};
}

/// Whether two batches of matrices may share memory. Blocks of one larger matrix that share none do
/// not.
template <class A, class B>
bool may_overlap(const matrix_data<A>& a, std::int64_t a_batches, const matrix_data<B>& b,
                 std::int64_t b_batches) {
  if (a.rows * a.columns * a_batches == 0 || b.rows * b.columns * b_batches == 0) return false;
  const extent_in_memory p = extent_of(a, a_batches), q = extent_of(b, b_batches);
  if (p.high <= q.low || q.high <= p.low) return false;
  if (p.pitch != 0 && q.pitch != 0 && p.pitch != q.pitch) return true;
  const std::intptr_t pitch = std::max(p.pitch, q.pitch);
  if (pitch == 0 || p.span > pitch || q.span > pitch) return true;
  const std::intptr_t offset = ((q.low - p.low) % pitch + pitch) % pitch;
  return !(offset >= p.span && offset + q.span <= pitch);
}

template <class A, class C>
void check_no_alias(const char* function, const char* a_name, const matrix_data<A>& a,
                    std::int64_t a_batches, const char* c_name, const matrix_data<C>& c,
                    std::int64_t c_batches) {
  if (!may_overlap(a, a_batches, c, c_batches)) return;
  reject(function, std::string(c_name) + " (" + shape_of(c) + ") and " + a_name + " (" +
                       shape_of(a) + ") overlap");
}

}  // namespace acc::impl

#endif
