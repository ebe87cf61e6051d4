// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::spmv and memory: it touches nothing beyond its arrays, and finds what is more than 2^31
// bytes or elements away. What is computed is compared with the same call for arrays of Kokkos's,
// which test_spmv.hpp tests.
#pragma once

#include "crs.hpp"
#include "device.hpp"
#include "mapped_memory.hpp"
#include "segments.hpp"

#include <acc/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

inline constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

// One type of View, so that there are few kernels to compile.
template <class T>
using Vector = Kokkos::View<T*, Kokkos::LayoutStride, Exec, Kokkos::MemoryUnmanaged>;
template <class T>
using Vectors = Kokkos::View<T**, Kokkos::LayoutStride, Exec, Kokkos::MemoryUnmanaged>;

template <class T>
Vector<T> vector_at(T* data, std::size_t n, std::size_t stride = 1) {
  return Vector<T>(data, Kokkos::LayoutStride(n, stride));
}

/// Where an array is: in memory of Kokkos's, or between pages that cannot be read, at the first of
/// them or at the second.
enum class Place { ordinary, after_a_page, before_a_page };

/// Numbers, each `stride` after the one before.
template <class T>
class Placed {
 public:
  Placed(Place place, const std::vector<T>& x, std::size_t stride = 1)
      : size_(x.size()), stride_(stride) {
    std::vector<T> all(x.empty() ? 0 : (x.size() - 1) * stride + 1);
    for (std::size_t i = 0; i < x.size(); ++i) all[i * stride] = x[i];
    if (place == Place::ordinary) {
      ordinary_ = on_device(all);
      data_ = ordinary_.data();
      return;
    }
    const std::size_t bytes = all.size() * sizeof(T);
    mapped_ = std::make_unique<MappedMemory>(bytes);
    data_ = reinterpret_cast<T*>(place == Place::after_a_page ? mapped_->begin()
                                                              : mapped_->end() - bytes);
    std::copy(all.begin(), all.end(), data_);
  }
  Vector<T> vector() const { return vector_at(data_, size_, stride_); }
  /// As so many columns, whose elements are neighbors, or those of rows are.
  Vectors<T> columns(std::size_t count, bool is_left) const {
    const std::size_t rows = size_ / count;
    return Vectors<T>(data_,
                      Kokkos::LayoutStride(rows, is_left ? 1 : count, count, is_left ? rows : 1));
  }

 private:
  std::size_t size_, stride_;
  T* data_;
  Kokkos::View<T*, Exec> ordinary_;
  std::unique_ptr<MappedMemory> mapped_;
};

/// An array of which a test touches few elements: on hosts the others take no memory.
template <class T>
class Roomy {
 public:
  explicit Roomy(std::size_t size) {
    if constexpr (on_host) {
      mapped_ = std::make_unique<MappedMemory>(size * sizeof(T));
      data_ = reinterpret_cast<T*>(mapped_->begin());
    } else {
      view_ =
          Kokkos::View<T*, Exec>(Kokkos::view_alloc("roomy", Kokkos::WithoutInitializing), size);
      data_ = view_.data();
    }
  }
  T* data() const { return data_; }
  /// Elements `at`, at + stride, ...
  void put(std::size_t at, const std::vector<T>& x, std::size_t stride = 1) const {
    Kokkos::deep_copy(vector_at(data_ + at, x.size(), stride),
                      vector_at(on_device(x).data(), x.size()));
  }
  std::vector<T> get(std::size_t at, std::size_t n, std::size_t stride = 1) const {
    const Kokkos::View<T*, Exec> found("found", n);
    Kokkos::deep_copy(vector_at(found.data(), n), vector_at(data_ + at, n, stride));
    std::vector<T> x(n);
    Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(x.data(), n),
                      found);
    return x;
  }

 private:
  T* data_;
  Kokkos::View<T*, Exec> view_;
  std::unique_ptr<MappedMemory> mapped_;
};
/// Bytes of such an array, more than 2^32: on GPUs they are allocated.
inline constexpr std::size_t room = std::size_t(1) << (on_host ? 40 : 33);

template <class C>
class SpmvMemory : public testing::Test {
 public:
  using T = typename C::Scalar;
  using M = typename C::Method;

  struct Call {
    const char* mode;
    T alpha, beta;
    std::size_t vectors;
    bool is_left;            ///< the vectors' elements are neighbors
    std::size_t stride = 1;  ///< of the matrix's arrays
  };
  /// y after the call, with all arrays in this place.
  template <class Offset, class Ordinal>
  static std::vector<T> product(Place place, const Call& c, const Crs<T>& a,
                                const std::vector<T>& x, const std::vector<T>& y) {
    const Placed<Offset> row_map(place, {a.row_map.begin(), a.row_map.end()}, c.stride);
    const Placed<Ordinal> entries(place, {a.entries.begin(), a.entries.end()}, c.stride);
    const Placed<T> values(place, a.values, c.stride), px(place, x), py(place, y);
    const acc::crs_matrix matrix{static_cast<std::int64_t>(a.rows()), a.columns, row_map.vector(),
                                 entries.vector(), values.vector()};
    if (c.vectors == 1)
      acc::spmv(Exec{}, c.mode, c.alpha, matrix, px.vector(), c.beta, py.vector(), M{});
    else
      acc::spmv(Exec{}, c.mode, c.alpha, matrix, px.columns(c.vectors, c.is_left), c.beta,
                py.columns(c.vectors, c.is_left), M{});
    const Kokkos::View<T*, Exec> result("result", y.size());
    Kokkos::deep_copy(vector_at(result.data(), y.size()), py.vector());
    std::vector<T> host(y.size());
    Kokkos::deep_copy(
        Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), host.size()),
        result);
    return host;
  }
  static std::size_t length_of_x(const char* mode, const Crs<T>& a) {
    return transposes(mode) ? a.rows() : static_cast<std::size_t>(a.columns);
  }
  static std::size_t length_of_y(const char* mode, const Crs<T>& a) {
    return transposes(mode) ? static_cast<std::size_t>(a.columns) : a.rows();
  }
  static void expect_same(const std::vector<T>& got, const std::vector<T>& want,
                          const std::string& what) {
    ASSERT_EQ(got.size(), want.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(bits(got[i]), bits(want[i])) << what << ", row " << i;
  }

 private:
  static bool transposes(const char* mode) { return *mode == 'T' || *mode == 'H'; }
};
TYPED_TEST_SUITE(SpmvMemory, SpmvCases);

/// Rows, the last of every length around registers, stripes and leaves, alone and after others: all
/// arrays end, or begin, at a page that stops the program.
TYPED_TEST(SpmvMemory, NothingBeyondItsArraysIsTouched) {
  using T = typename TypeParam::Scalar;
  using Call = typename TestFixture::Call;
  if constexpr (on_host) {
    const auto r = static_cast<std::int64_t>(row<T>), l = static_cast<std::int64_t>(leaf<T>);
    std::vector<std::int64_t> before;
    for (std::int64_t k = 0; k < 70; ++k) before.push_back(k * 7 % (k % 5 == 0 ? 3 * r : r / 2));
    std::vector<std::int64_t> lengths{0, 1, 3, 7, 8, 9, 17, 31};
    lengths.insert(lengths.end(), {r - 1, r + 1, 3 * r + 5, l + 1, 5 * l + 3});
    std::vector<const char*> modes{"N", "T"};
    if (is_complex<T>) modes.insert(modes.end(), {"C", "H"});
    for (const std::int64_t last : lengths) {
      // After rows of other lengths, alone, and after rows of its own length if that is short.
      const std::vector<std::int64_t> equal(last < 10 ? 70 : 0, last);
      for (std::vector<std::int64_t> sizes : {before, std::vector<std::int64_t>(), equal}) {
        const bool is_alone = sizes.empty();
        sizes.push_back(last);
        const Offsets offsets = offsets_of(sizes);
        const auto n = static_cast<std::size_t>(offsets.back());
        auto a = crs_of(offsets, is_alone ? 5 : 83, elements<T>(Data::wide, n, 3));
        if (n != 0) a.entries.back() = a.columns - 1;
        if (n > 1) a.entries.front() = 0;
        for (const char* mode : modes) {
          const auto check = [&]<class Offset, class Ordinal>(Offset, Ordinal, const Call& c) {
            const auto x = elements<T>(Data::wide, c.vectors * this->length_of_x(mode, a), 4),
                       y = elements<T>(Data::wide, c.vectors * this->length_of_y(mode, a), 5);
            const auto want = this->template product<Offset, Ordinal>(Place::ordinary, c, a, x, y);
            for (const Place place : {Place::after_a_page, Place::before_a_page})
              this->expect_same(this->template product<Offset, Ordinal>(place, c, a, x, y), want,
                                std::string(mode) + ", last row of " + std::to_string(last));
          };
          check(int(), int(), {mode, T(1), T(0), 1, true});
          check(int(), int(), {mode, T(2), T(3), 1, true});
          check(int(), int(), {mode, T(2), T(3), 3, true});
          check(std::int64_t(), std::int64_t(), {mode, T(1), T(0), 1, true});
          check(std::int64_t(), std::int64_t(), {mode, T(2), T(3), 3, false});
          check(unsigned(), unsigned(), {mode, T(1), T(1), 1, true, 2});
        }
      }
    }
  }
}

/// Vectors that begin more than 2^31 bytes, and more than 2^31 elements, after the one before.
TYPED_TEST(SpmvMemory, VectorsThatAreFarApart) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Offsets offsets = offsets_of({0, 3, 27, 1, 65, 200, 7, 5000});
  const auto a = crs_of(offsets, 31, elements<T>(Data::wide, std::size_t(offsets.back()), 3));
  const Placed<int> row_map(Place::ordinary, {a.row_map.begin(), a.row_map.end()}),
      entries(Place::ordinary, {a.entries.begin(), a.entries.end()});
  const Placed<T> values(Place::ordinary, a.values);
  const acc::crs_matrix matrix{static_cast<std::int64_t>(a.rows()), a.columns, row_map.vector(),
                               entries.vector(), values.vector()};
  constexpr std::size_t vectors = 3, most = 31;
  std::vector<std::size_t> distances{(std::size_t(1) << 31) / sizeof(T) + 7};
  if (on_host) distances.push_back((std::size_t(1) << 31) + 7);
  for (const std::size_t distance : distances) {
    const Roomy<T> rx(2 * distance + most), ry(2 * distance + most);
    for (const char* mode : {"N", "T", "C", "H"}) {
      const std::size_t n = this->length_of_x(mode, a), m = this->length_of_y(mode, a);
      const auto x = elements<T>(Data::wide, n * vectors, 4),
                 y = elements<T>(Data::wide, m * vectors, 5);
      const auto put = [&](const Roomy<T>& to, const std::vector<T>& v, std::size_t length) {
        for (std::size_t j = 0; j < vectors; ++j)
          to.put(j * distance, {v.begin() + std::ptrdiff_t(j * length),
                                v.begin() + std::ptrdiff_t((j + 1) * length)});
      };
      put(rx, x, n);
      put(ry, y, m);
      const auto columns = [&](const Roomy<T>& of, std::size_t length) {
        return Vectors<T>(of.data(), Kokkos::LayoutStride(length, 1, vectors, distance));
      };
      acc::spmv(Exec{}, mode, T(2), matrix, columns(rx, n), T(3), columns(ry, m), M{});
      std::vector<T> got;
      for (std::size_t j = 0; j < vectors; ++j) {
        const auto column = ry.get(j * distance, m);
        got.insert(got.end(), column.begin(), column.end());
      }
      this->expect_same(got,
                        this->template product<int, int>(
                            Place::ordinary, {mode, T(2), T(3), vectors, true}, a, x, y),
                        std::string(mode) + ", " + std::to_string(distance) + " apart");
    }
  }
}

/// Vectors whose elements are up to 2^31 bytes from their neighbors.
TYPED_TEST(SpmvMemory, ElementsThatAreFarApart) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Offsets offsets = offsets_of({3, 70, 0, 5000});
  const auto a = crs_of(offsets, 5, elements<T>(Data::wide, std::size_t(offsets.back()), 3));
  const Placed<int> row_map(Place::ordinary, {a.row_map.begin(), a.row_map.end()}),
      entries(Place::ordinary, {a.entries.begin(), a.entries.end()});
  const Placed<T> values(Place::ordinary, a.values);
  const acc::crs_matrix matrix{static_cast<std::int64_t>(a.rows()), a.columns, row_map.vector(),
                               entries.vector(), values.vector()};
  for (const int bits_of_bytes : {30, 31}) {
    const std::size_t distance = (std::size_t(1) << bits_of_bytes) / sizeof(T) + 3;
    const Roomy<T> rx(4 * distance + 1), ry(4 * distance + 1);
    for (const char* mode : {"N", "T", "C", "H"}) {
      const auto x = elements<T>(Data::wide, this->length_of_x(mode, a), 4),
                 y = elements<T>(Data::wide, this->length_of_y(mode, a), 5);
      rx.put(0, x, distance);
      ry.put(0, y, distance);
      acc::spmv(Exec{}, mode, T(2), matrix, vector_at(rx.data(), x.size(), distance), T(3),
                vector_at(ry.data(), y.size(), distance), M{});
      this->expect_same(
          ry.get(0, y.size(), distance),
          this->template product<int, int>(Place::ordinary, {mode, T(2), T(3), 1, true}, a, x, y),
          std::string(mode) + ", " + std::to_string(distance) + " apart");
    }
  }
}

/// Columns whose elements of x begin at 2^31 bytes and at 2^32, and columns beyond number 2^31.
TYPED_TEST(SpmvMemory, ColumnsOfLargeNumbers) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Offsets offsets = offsets_of({3, 27, 1, 65, 200, 7, 5000});
  const auto size = static_cast<std::size_t>(offsets.back());
  const auto check = [&]<class Offset, class Ordinal>(Offset, Ordinal ordinal) {
    const std::int64_t columns = std::min<std::int64_t>(
        (std::int64_t(1) << (sizeof(Ordinal) == 4 && std::is_signed_v<Ordinal> ? 31 : 32)) - 1,
        std::int64_t(room / sizeof(T)));
    std::vector<std::int64_t> used;
    for (const std::int64_t at :
         {std::int64_t(1), (std::int64_t(1) << 31) / std::int64_t(sizeof(T)),
          (std::int64_t(1) << 32) / std::int64_t(sizeof(T)), std::int64_t(1) << 31, columns - 1})
      for (std::int64_t k = at - 1; k <= at + 1; ++k)
        if (k < columns) used.push_back(k);
    const auto x = elements<T>(Data::wide, used.size(), 4);
    // The same product, of columns 0, 1, ...
    const auto near = crs_of(offsets, std::int64_t(used.size()), elements<T>(Data::wide, size, 3));
    Crs<T> a = near;
    a.columns = columns;
    for (std::int64_t& column : a.entries) column = used[static_cast<std::size_t>(column)];
    const Roomy<T> rx(static_cast<std::size_t>(columns));
    for (std::size_t k = 0; k < used.size(); ++k) rx.put(static_cast<std::size_t>(used[k]), {x[k]});
    // A column that is used twice has one number.
    std::vector<T> of_near;
    for (const std::int64_t column : used)
      of_near.push_back(rx.get(static_cast<std::size_t>(column), 1)[0]);
    const Placed<Offset> row_map(Place::ordinary, {a.row_map.begin(), a.row_map.end()});
    const Placed<Ordinal> entries(Place::ordinary, {a.entries.begin(), a.entries.end()});
    const Placed<T> values(Place::ordinary, a.values);
    const Roomy<T> ry(a.rows());
    const acc::crs_matrix matrix{static_cast<std::int64_t>(a.rows()), columns, row_map.vector(),
                                 entries.vector(), values.vector()};
    for (const char* mode : {"N", "C"}) {
      acc::spmv(Exec{}, mode, T(1), matrix, vector_at(rx.data(), static_cast<std::size_t>(columns)),
                T(0), vector_at(ry.data(), a.rows()), M{});
      this->expect_same(
          ry.get(0, a.rows()),
          this->template product<Offset, Ordinal>(Place::ordinary, {mode, T(1), T(0), 1, true},
                                                  near, of_near, std::vector<T>(a.rows(), T(7))),
          std::string(mode) + ", columns of " + std::to_string(sizeof ordinal) + " bytes, below " +
              std::to_string(columns));
    }
  };
  check(int(), int());
  check(std::int64_t(), std::int64_t());
  check(unsigned(), unsigned());
}

/// Rows that begin after entry 2^31, or as near to it as the type of the row map permits.
TYPED_TEST(SpmvMemory, EntriesOfLargeNumbers) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const std::vector<std::int64_t> sizes{3, 0, 27, 1, 65, 200, 7, 5000, 64, 9};
  const auto size = static_cast<std::size_t>(offsets_of(sizes).back());
  const auto near = crs_of(offsets_of(sizes), 31, elements<T>(Data::wide, size, 3));
  const auto x = elements<T>(Data::wide, 31, 4);
  const auto check = [&]<class Offset, class Ordinal>(Offset, Ordinal) {
    const std::int64_t before = std::is_same_v<Offset, int>
                                    ? (std::int64_t(1) << 31) - 1 - std::int64_t(size)
                                    : (std::int64_t(1) << 31) + 5;
    const auto first =
        std::min(static_cast<std::size_t>(before), 2 * room / (sizeof(T) + sizeof(Ordinal)));
    const Offsets offsets = offsets_of(sizes, static_cast<std::int64_t>(first));
    const Roomy<Ordinal> entries(first + size);
    entries.put(first, {near.entries.begin(), near.entries.end()});
    const Roomy<T> values(first + size), y(sizes.size());
    values.put(first, near.values);
    const Placed<Offset> row_map(Place::ordinary, {offsets.begin(), offsets.end()});
    const Placed<T> px(Place::ordinary, x);
    const acc::crs_matrix matrix{static_cast<std::int64_t>(sizes.size()), near.columns,
                                 row_map.vector(), vector_at(entries.data(), first + size),
                                 vector_at(values.data(), first + size)};
    for (const char* mode : {"N", "C"}) {
      acc::spmv(Exec{}, mode, T(1), matrix, px.vector(), T(0), vector_at(y.data(), sizes.size()),
                M{});
      this->expect_same(
          y.get(0, sizes.size()),
          this->template product<Offset, Ordinal>(Place::ordinary, {mode, T(1), T(0), 1, true},
                                                  near, x, std::vector<T>(sizes.size(), T(7))),
          std::string(mode) + ", rows from entry " + std::to_string(first) + " on");
    }
  };
  check(int(), int());
  check(std::int64_t(), std::int64_t());
  check(unsigned(), unsigned());
}

}  // namespace
}  // namespace acc_test
