// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix Market files (Boisvert, Pozo and Remington, "The Matrix Market exchange formats", NISTIR
// 5935, 1996) of real sparse matrices, general and symmetric.
#pragma once

#include <acc/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// An entry of a sparse matrix. Rows and columns count from 0.
struct Entry {
  int row, column;
  double value;
};

/// The entries of a matrix, sorted by rows, and by columns in each row.
struct Entries {
  int rows = 0, columns = 0;
  std::vector<Entry> list;

  void sort() {
    // Stable: entries in one place keep their order in the file, and so the sum keeps its bits.
    std::stable_sort(list.begin(), list.end(), [](const Entry& a, const Entry& b) {
      return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
  }
};

inline bool is_symmetric(const Entries& a) {
  Entries transposed = a;
  for (Entry& e : transposed.list) std::swap(e.row, e.column);
  transposed.sort();
  return std::equal(a.list.begin(), a.list.end(), transposed.list.begin(),
                    [](const Entry& x, const Entry& y) {
                      return x.row == y.row && x.column == y.column && x.value == y.value;
                    });
}

/// Reads "matrix coordinate real general" and "matrix coordinate real symmetric". A symmetric file
/// holds one of the entries (i, j) and (j, i), and both are returned.
/// \throws std::runtime_error naming file, line and what is wrong, for every other file
inline Entries read_matrix_market(const std::string& name) {
  int number = 0;
  const auto fail = [&](const std::string& what) {
    throw std::runtime_error(name + ":" + std::to_string(number) + ": " + what);
  };
  std::ifstream file(name);
  if (!file) throw std::runtime_error(name + ": cannot be opened");
  std::string line;
  // The next line that is neither a comment nor empty, as a stream of words.
  const auto next = [&](const char* wanted) {
    while (std::getline(file, line)) {
      ++number;
      if (line[0] == '%' || line.find_first_not_of(" \t\r") == std::string::npos) continue;
      std::istringstream words(line);
      words.imbue(std::locale::classic());  // a decimal point, whatever the user's locale
      return words;
    }
    fail(std::string("the file ends where ") + wanted + " should be");
    return std::istringstream();
  };

  std::getline(file, line);
  ++number;
  std::transform(line.begin(), line.end(), line.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  std::istringstream header(line);
  std::string banner, object, format, field, symmetry;
  header >> banner >> object >> format >> field >> symmetry;
  if (banner != "%%matrixmarket") fail("not a Matrix Market file: no %%MatrixMarket");
  if (object != "matrix" || format != "coordinate" || field != "real" ||
      (symmetry != "general" && symmetry != "symmetric"))
    fail("only 'matrix coordinate real general' and '... symmetric' are read, not '" + object +
         " " + format + " " + field + " " + symmetry + "'");

  Entries result;
  std::int64_t entries = -1;
  if (!(next("the line of the extents") >> result.rows >> result.columns >> entries) ||
      result.rows < 0 || result.columns < 0 || entries < 0)
    fail("rows, columns and entries must be three numbers of at least 0");
  const bool symmetric = symmetry == "symmetric";
  if (symmetric && result.rows != result.columns) fail("a symmetric matrix must be square");
  // The Views of to_crs are indexed by int; symmetric files store half.
  if (entries > std::numeric_limits<int>::max() / 2) fail("more entries than 2^30 - 1");
  for (std::int64_t k = 0; k < entries; ++k) {
    int row, column;
    double value;
    if (!(next("an entry") >> row >> column >> value)) fail("an entry must be: row column value");
    if (row < 1 || row > result.rows || column < 1 || column > result.columns)
      fail("the entry is outside the matrix");
    result.list.push_back({row - 1, column - 1, value});
    if (symmetric && row != column) result.list.push_back({column - 1, row - 1, value});
  }
  result.sort();
  return result;
}

/// Writes a matrix, of a symmetric one the lower triangle. 17 digits give back every double.
inline void write_matrix_market(const std::string& name, const Entries& a, bool symmetric) {
  std::ofstream file(name);
  std::vector<Entry> list = a.list;
  if (symmetric)
    list.erase(
        std::remove_if(list.begin(), list.end(), [](const Entry& e) { return e.column > e.row; }),
        list.end());
  file.imbue(std::locale::classic());
  file.precision(17);
  file << "%%MatrixMarket matrix coordinate real " << (symmetric ? "symmetric\n" : "general\n");
  file << a.rows << ' ' << a.columns << ' ' << list.size() << '\n';
  for (const Entry& e : list) file << e.row + 1 << ' ' << e.column + 1 << ' ' << e.value << '\n';
  if (!file.flush()) throw std::runtime_error(name + ": cannot be written");
}

/// The matrix in compressed rows, in Exec's memory.
template <class Exec>
auto to_crs(const Entries& a) {
  using memory = typename Exec::memory_space;
  const int size = int(a.list.size());
  const Kokkos::View<int*, memory> row_map("row_map", a.rows + 1), columns("columns", size);
  const Kokkos::View<double*, memory> values("values", size);
  const auto r = Kokkos::create_mirror_view(row_map), c = Kokkos::create_mirror_view(columns);
  const auto v = Kokkos::create_mirror_view(values);
  for (int k = 0; k < size; ++k) {
    ++r(a.list[k].row + 1);
    c(k) = a.list[k].column;
    v(k) = a.list[k].value;
  }
  for (int i = 0; i < a.rows; ++i) r(i + 1) += r(i);
  Kokkos::deep_copy(row_map, r);
  Kokkos::deep_copy(columns, c);
  Kokkos::deep_copy(values, v);
  return acc::crs_matrix{a.rows, a.columns, row_map, columns, values};
}
