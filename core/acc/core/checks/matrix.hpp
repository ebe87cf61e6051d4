// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_CHECKS_MATRIX_HPP
#define ACC_CORE_CHECKS_MATRIX_HPP

/// \file
/// Every rejection of the matrix products, and its text. All happen before any launch.

#include <acc/core/checks/check.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/method.hpp>
#include <acc/core/checks/transpose_op.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <Kokkos_Core.hpp>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

/// v is a View of this rank that Exec can read.
#define ACC_CHECK_OPERAND(function, name, r, Exec, V)                                   \
  static_assert(V::rank == r, function ": " name " must be a rank-" #r " View");        \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible, \
                function ": " name " is not accessible from the execution space")

/// The value types of A, B and C agree with each other and with the method.
#define ACC_CHECK_GEMM_TYPES(function, Method, A, B, C, a, b, c)                                 \
  static_assert(::acc::impl::is_full_scalar<typename A::non_const_value_type> ||                 \
                    (::acc::impl::is_half_scalar<typename A::non_const_value_type> &&            \
                     ::acc::impl::rounds_to_any_type<Method>),                                   \
                function                                                                         \
                ": value type must be float, double or Kokkos::complex of them (or "             \
                "half_t, bhalf_t with the methods widened, exact and fixed_point)");             \
  static_assert(                                                                                 \
      std::is_same_v<typename A::non_const_value_type, typename B::non_const_value_type>,        \
      function ": " a " and " b " must have the same value type");                               \
  static_assert(                                                                                 \
      !std::is_same_v<Method, ::acc::widened> ||                                                 \
          !std::is_same_v<::acc::impl::real_t<typename A::non_const_value_type>, double>,        \
      function ": method widened takes float or half input");                                    \
  static_assert(!std::is_const_v<typename C::value_type>, function ": " c " must not be const"); \
  static_assert(::acc::impl::is_gemm_result<typename C::value_type,                              \
                                            typename A::non_const_value_type, Method>,           \
                function ": " c " has the wrong value type")

/// A workspace is a rank-1 View of bytes that Exec can write.
#define ACC_CHECK_WORKSPACE(function, Exec, W)                                          \
  static_assert(W::rank == 1 && std::is_same_v<typename W::value_type, std::byte>,      \
                function ": the workspace must be a rank-1 View of std::byte");         \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename W::memory_space>::accessible, \
                function ": the workspace is not accessible from the execution space")

namespace acc::impl {

/// Whether a method rounds once, to the type that it finds, and takes half precision.
template <class Method>
inline constexpr bool rounds_to_any_type = std::is_same_v<Method, widened> || sums_exactly<Method>;

/// Whether a C of Value may receive such a product.
template <class Value, class In, class Method>
inline constexpr bool is_gemm_result =
    std::is_same_v<Value, In> ||
    (rounds_to_any_type<Method> && (is_full_scalar<Value> || is_half_scalar<Value>) &&
     components_of<Value> == components_of<In>);

/// The operation that an argument names, by its first character: one of `known`, as `rule` says it.
/// No other character is looked at, as in KokkosBlas, whose callers pass the address of one char,
/// and in the BLAS, whose pass whole words.
inline char checked_letter(const char* function, const char* name, const char* text,
                           std::string_view known, const char* rule) {
  const char letter = text == nullptr ? '\0' : text[0];
  const char operation = known_letter(letter, known);
  if (operation != '\0') return operation;
  const bool is_printed = letter == '\0' || (letter >= ' ' && letter <= '~' && letter != '"');
  reject(function, std::string(name) + " must be " + rule + ", but is " +
                       (text == nullptr ? "a null pointer"
                        : is_printed    ? '"' + std::string(letter == '\0' ? 0 : 1, letter) + '"'
                                        : "the character " +
                                           std::to_string(static_cast<unsigned char>(letter))));
}

inline char checked_transpose_op(const char* function, const char* name, const char* text) {
  return checked_letter(function, name, text, "NTC", R"("N", "T" or "C")");
}

/// op(m) of a BLAS argument.
template <class T>
matrix_data<T> operated(const matrix_data<T>& m, char operation) {
  matrix_data<T> r = operation == 'N' ? m : m.transposed();
  r.conjugate = operation == 'C' && components_of<std::remove_const_t<T>> == 2;
  return r;
}

template <class Method>
void check_method(const char* function, const Method& method) {
  if (strip_of(method) < 1)
    reject(function, "strip must be at least 1, but is " + std::to_string(strip_of(method)));
  if constexpr (cuts_numbers<Method>) {
    if (method.bits < fixed_point::min_bits || method.bits > fixed_point::max_bits)
      reject(function, "bits must be " + std::to_string(fixed_point::min_bits) + " to " +
                           std::to_string(fixed_point::max_bits) + ", but are " +
                           std::to_string(method.bits));
  }
}

/// A caller's workspace is large enough, and aligned as the library's own.
inline void check_workspace(const char* function, const void* data, std::size_t given,
                            std::size_t needed) {
  if (given < needed)
    reject(function, "the workspace has " + std::to_string(given) + " bytes, but " +
                         std::to_string(needed) + " are needed");
  constexpr std::size_t alignment = 64;
  if (needed > 0 && reinterpret_cast<std::uintptr_t>(data) % alignment != 0)
    reject(function, "the workspace must be aligned to " + std::to_string(alignment) + " bytes");
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
void check_shapes(const char* function, const char* op_a, const matrix_data<A>& a, const char* op_b,
                  const matrix_data<B>& b, const char* c_name, const matrix_data<C>& c) {
  if (a.columns == b.rows && a.rows == c.rows && b.columns == c.columns) return;
  reject(function, std::string(op_a) + " is " + shape_of(a) + ", " + op_b + " is " + shape_of(b) +
                       " and " + c_name + " is " + shape_of(c) +
                       ", which are not m x k, k x n and m x n");
}

/// No stride is negative, of the dimensions that have two entries or more. (Views have such strides
/// by LayoutStride, whose strides are unsigned: they come from there modulo 2^64.)
template <class T>
void check_strides(const char* function, const char* name, const matrix_data<T>& m,
                   std::int64_t batches) {
  if (m.rows == 0 || m.columns == 0) return;
  const auto check = [&](std::int64_t stride, std::int64_t count) {
    if (count > 1 && stride < 0)
      reject(function, std::string(name) + " has a negative stride, " + std::to_string(stride));
  };
  check(m.row_stride, m.rows);
  check(m.column_stride, m.columns);
  check(m.batch_stride, batches);
}

/// Whether two of a_count x b_count elements with these strides share a place.
inline bool strides_coincide(std::int64_t a_stride, std::int64_t a_count, std::int64_t b_stride,
                             std::int64_t b_count) {
  if (a_count < 2) return b_count > 1 && b_stride == 0;
  if (b_count < 2) return a_stride == 0;
  if (a_stride == 0 || b_stride == 0) return true;
  // i a_stride = j b_stride for the first time.
  const std::int64_t common = std::gcd(a_stride, b_stride);
  return std::abs(b_stride / common) < a_count && std::abs(a_stride / common) < b_count;
}

/// Whether each stride is longer than all that the shorter ones span, as in any block or slice of
/// an array: then no two elements share a place.
template <class T>
bool strides_are_nested(const matrix_data<T>& m, std::int64_t batches) {
  // A matrix by itself, by rows or by columns.
  if (batches == 1 && m.row_stride == 1 && m.column_stride >= m.rows) return true;
  if (batches == 1 && m.column_stride == 1 && m.row_stride >= m.columns) return true;
  std::array<std::array<std::int64_t, 2>, 3> strides{{{std::abs(m.row_stride), m.rows},
                                                      {std::abs(m.column_stride), m.columns},
                                                      {std::abs(m.batch_stride), batches}}};
  std::sort(strides.begin(), strides.end());
  std::int64_t span = 0;
  for (const auto& [stride, count] : strides) {
    if (count < 2) continue;
    if (stride <= span) return false;
    span += stride * (count - 1);
  }
  return true;
}

/// Whether elements of two batches, in two rows and two columns, share a place: a search, for
/// strides that are not nested.
template <class T>
bool batches_coincide(const matrix_data<T>& m, std::int64_t batches) {
  if (m.columns < 2) return false;  // two strides are strides_coincide's
  for (std::int64_t batch = 1; batch < batches; ++batch)
    for (std::int64_t row = 1 - m.rows; row < m.rows; ++row) {
      const std::int64_t distance = batch * m.batch_stride + row * m.row_stride;
      if (distance % m.column_stride == 0 && std::abs(distance / m.column_stride) < m.columns)
        return true;
    }
  return false;
}

/// "with strides 1 and 4 and matrices 8 apart": of the dimensions that have two entries or more.
template <class T>
std::string strides_of(const matrix_data<T>& m, std::int64_t batches) {
  std::string text;
  if (m.rows > 1 && m.columns > 1) {
    text =
        "with strides " + std::to_string(m.row_stride) + " and " + std::to_string(m.column_stride);
  } else if (m.rows > 1 || m.columns > 1) {
    text = "with stride " + std::to_string(m.rows > 1 ? m.row_stride : m.column_stride);
  }
  if (batches > 1)
    text += (text.empty() ? "with matrices " : " and matrices ") + std::to_string(m.batch_stride) +
            " apart";
  return text;
}

/// Threads write C's entries at once, so no two may share a place.
template <class T>
void check_distinct_entries(const char* function, const char* name, const matrix_data<T>& m,
                            std::int64_t batches) {
  if (m.rows == 0 || m.columns == 0 || batches == 0 || strides_are_nested(m, batches)) return;
  if (!strides_coincide(m.row_stride, m.rows, m.column_stride, m.columns) &&
      !strides_coincide(m.row_stride, m.rows, m.batch_stride, batches) &&
      !strides_coincide(m.column_stride, m.columns, m.batch_stride, batches) &&
      !batches_coincide(m, batches))
    return;
  reject(function, std::string(name) + " is " + shape_of(m) + " " + strides_of(m, batches) +
                       ": two of its entries share a place");
}

/// A stride that two batches of matrices have in common, in bytes, and how many elements each has
/// along it.
struct common_stride {
  std::intptr_t bytes;
  std::int64_t a_count, b_count;
};

/// Whether an element of a lies in the memory of one of b, whose first elements are `distance`
/// bytes apart. Strides fall. Exact where they are nested, as those of any blocks and slices of an
/// array are: of larger strides few steps then bring a and b near each other, and others are taken
/// to.
inline bool elements_meet(std::span<const common_stride> strides, std::intptr_t a_size,
                          std::intptr_t b_size, std::intptr_t distance) {
  std::intptr_t a_span = a_size, b_span = b_size;  // bytes from the first to the last
  for (const auto& s : strides) {
    a_span += s.bytes * (s.a_count - 1);
    b_span += s.bytes * (s.b_count - 1);
  }
  if (distance >= a_span || -distance >= b_span) return false;
  if (strides.empty()) return true;
  const auto [stride, a_count, b_count] = strides.front();
  a_span -= stride * (a_count - 1);
  b_span -= stride * (b_count - 1);
  int near = 0;
  // b's steps less a's; -b_span < distance + steps * stride < a_span where they are near.
  std::int64_t steps = std::max((-b_span - distance) / stride - 1, 1 - a_count);
  for (; steps < b_count && distance + steps * stride < a_span; ++steps) {
    if (distance + steps * stride <= -b_span) continue;
    if (++near > 4) return true;
    if (elements_meet(strides.subspan(1), a_size, b_size, distance + steps * stride)) return true;
  }
  return false;
}

/// Where the elements of a batch of matrices begin and end.
template <class T>
std::array<std::intptr_t, 2> memory_of(const matrix_data<T>& m, std::int64_t batches) {
  const auto data = reinterpret_cast<std::intptr_t>(m.data);
  std::array<std::intptr_t, 2> memory{data, data + std::intptr_t(sizeof(T))};
  const auto extend = [&](std::int64_t stride, std::int64_t count) {
    memory[stride < 0 ? 0 : 1] += stride * (count - 1) * std::intptr_t(sizeof(T));
  };
  extend(m.row_stride, m.rows);
  extend(m.column_stride, m.columns);
  extend(m.batch_stride, batches);
  return memory;
}

/// Whether two batches of matrices share memory.
template <class A, class B>
bool may_overlap(const matrix_data<A>& a, std::int64_t a_batches, const matrix_data<B>& b,
                 std::int64_t b_batches) {
  if (a.rows * a.columns * a_batches == 0 || b.rows * b.columns * b_batches == 0) return false;
  const auto a_memory = memory_of(a, a_batches), b_memory = memory_of(b, b_batches);
  if (a_memory[1] <= b_memory[0] || b_memory[1] <= a_memory[0]) return false;  // as most are
  std::array<common_stride, 6> all{{{a.row_stride * std::intptr_t(sizeof(A)), a.rows, 1},
                                    {a.column_stride * std::intptr_t(sizeof(A)), a.columns, 1},
                                    {a.batch_stride * std::intptr_t(sizeof(A)), a_batches, 1},
                                    {b.row_stride * std::intptr_t(sizeof(B)), 1, b.rows},
                                    {b.column_stride * std::intptr_t(sizeof(B)), 1, b.columns},
                                    {b.batch_stride * std::intptr_t(sizeof(B)), 1, b_batches}}};
  std::sort(all.begin(), all.end(), [](auto& x, auto& y) { return x.bytes > y.bytes; });
  std::size_t count = 0;
  for (const common_stride& s : all) {
    if (s.bytes == 0 || s.a_count * s.b_count == 1) continue;
    if (count > 0 && all[count - 1].bytes == s.bytes) {
      all[count - 1].a_count += s.a_count - 1;
      all[count - 1].b_count += s.b_count - 1;
    } else {
      all[count++] = s;
    }
  }
  return elements_meet(
      {all.data(), count}, sizeof(A), sizeof(B),
      reinterpret_cast<std::intptr_t>(b.data) - reinterpret_cast<std::intptr_t>(a.data));
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
