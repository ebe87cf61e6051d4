// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients, BiCGStab and restarted GMRES for sparse matrices from Matrix Market files,
// with 1, 2, 3 and 8 threads, and on the device if Kokkos has one. With dot products by
// Kokkos::parallel_reduce the residuals differ. With acc's every residual has the same bits.
//   sparse_solvers                  solves with two matrices, which it writes into files first
//   sparse_solvers FILE.mtx         BiCGStab and GMRES, and conjugate gradients if it is symmetric
#include "matrix_market.hpp"
#include "solvers.hpp"

#include <acc/nrm2.hpp>
#include <acc/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// 64 bits that change with any bit of any residual (FNV-1a).
std::uint64_t digest(const std::vector<double>& history) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const double residual : history) {
    std::uint64_t bits;
    std::memcpy(&bits, &residual, sizeof bits);
    for (int k = 0; k < 64; k += 8) hash = (hash ^ (bits >> k & 0xff)) * 0x100000001b3u;
  }
  return hash;
}

/// The histories of one solver, by different numbers of threads.
class Table {
 public:
  explicit Table(std::string title) : title_(std::move(title)) {}
  void add(const std::string& by, std::vector<double> history) {
    rows_.emplace_back(by, std::move(history));
  }
  bool same_everywhere() const {
    for (const auto& row : rows_) {
      if (digest(row.second) != digest(rows_.front().second)) return false;
    }
    return true;
  }
  void print() const {
    std::printf("\n%-38s%10s%24s%18s\n", title_.c_str(), "iterations", "|r| at the end",
                "digest of all |r|");
    for (const auto& [by, history] : rows_)
      std::printf("%-38s%10zu%24a  %016llx\n", by.c_str(), history.size() - 1, history.back(),
                  static_cast<unsigned long long>(digest(history)));
  }

 private:
  std::string title_;
  std::vector<std::pair<std::string, std::vector<double>>> rows_;
};

enum class Solver { cg, bicgstab, gmres };

/// One solver on one execution space. Checks that x solves the system.
template <class Exec, class Dot>
std::vector<double> solve(const Exec& exec, Solver solver, const Entries& entries, const Dot& dot) {
  const auto a = to_crs<Exec>(entries);
  const Vector<Exec> b("b", entries.rows), x("x", entries.rows);
  Kokkos::deep_copy(exec, b, 1.0);
  std::vector<double> history =
      solver == Solver::cg         ? conjugate_gradients(exec, a, b, x, dot, Until{})
      : solver == Solver::bicgstab ? bicgstab(exec, a, b, x, dot, Until{})
                                   : gmres(exec, a, b, x, 30, dot, Until{});
  // The solvers update |r| and do not compute b - A x, from which it drifts away by rounding.
  acc::spmv(exec, "N", -1.0, a, x, 1.0, b);
  if (!(acc::nrm2(exec, b) <= 2 * history.back() + 1e-11 * history.front()))
    throw std::runtime_error("|b - A x| is far from the solver's |r|");
  return history;
}

/// One solver with one kind of dot product, everywhere.
template <class Dot>
Table table_of(const std::string& title, Solver solver, const Entries& a) {
  Table table(title);
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Device = Kokkos::DefaultExecutionSpace;
#ifdef KOKKOS_ENABLE_OPENMP
  for (const int threads : {1, 2, 3, 8})
    table.add(std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
              solve(Kokkos::OpenMP(threads), solver, a, Dot{}));
#else
  table.add(Host::name(), solve(Host(), solver, a, Dot{}));
#endif
  if constexpr (!std::is_same_v<Host, Device>)
    table.add(Device::name(), solve(Device(), solver, a, Dot{}));
  return table;
}

/// Prints one solver with both kinds of dot product. True if acc's has the same bits everywhere.
bool compare(const std::string& name, Solver solver, const Entries& a) {
  table_of<PlainDot>(name + ", parallel_reduce", solver, a).print();
  const Table table = table_of<AccDot>(name + ", acc::dot", solver, a);
  table.print();
  return table.same_everywhere();
}

/// Diffusion on a grid of n x n cells, with u = 0 around it and conductivities of 1 to 16, and wind
/// along the rows. Without wind the matrix is symmetric.
Entries grid(int n, double wind) {
  // Twice the conductivity of a cell: a hash of its position.
  const auto k = [](int row, int column) {
    std::uint32_t h =
        0x9e3779b9u * std::uint32_t(row + 1) + 0x85ebca6bu * std::uint32_t(column + 1);
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return double(1u << ((h >> 16) % 5));
  };
  Entries a{n * n, n * n, {}};
  for (int i = 0; i < n * n; ++i) {
    const int row = i / n, column = i % n;
    double diagonal = 0;
    const auto neighbor = [&](int r, int c, double flow) {
      const double conductivity = k(row, column) + k(r, c);
      diagonal += conductivity;
      if (0 <= r && r < n && 0 <= c && c < n) a.list.push_back({i, r * n + c, flow - conductivity});
    };
    neighbor(row - 1, column, 0);
    neighbor(row, column - 1, -wind);
    neighbor(row, column + 1, wind);
    neighbor(row + 1, column, 0);
    a.list.push_back({i, i, diagonal});
  }
  a.sort();
  return a;
}

bool is_symmetric(const Entries& a) {
  Entries transposed = a;
  for (Entry& e : transposed.list) std::swap(e.row, e.column);
  transposed.sort();
  for (std::size_t k = 0; k < a.list.size(); ++k) {
    const Entry &x = a.list[k], &y = transposed.list[k];
    if (x.row != y.row || x.column != y.column || x.value != y.value) return false;
  }
  return true;
}

int main(int argc, char** argv) try {
  Kokkos::ScopeGuard kokkos(argc, argv);
  std::vector<std::string> files(argv + 1, argv + argc);
  if (files.empty()) {
    files = {"diffusion.mtx", "wind.mtx"};
    write_matrix_market(files[0], grid(40, 0), true);
    write_matrix_market(files[1], grid(40, 0.75), false);
  }
  bool same = true;
  for (const std::string& file : files) {
    const Entries a = read_matrix_market(file);
    if (a.rows != a.columns || a.rows == 0)
      throw std::runtime_error(file + ": the matrix must be square and not empty");
    const bool symmetric = is_symmetric(a);
    std::printf("\n%s: %d unknowns, %zu entries, until |r| <= 1e-8 |b|\n", file.c_str(), a.rows,
                a.list.size());
    if (symmetric) {
      same &= compare("Conjugate gradients", Solver::cg, a);
      if (argc == 1) continue;
    }
    same &= compare("BiCGStab", Solver::bicgstab, a);
    same &= compare("GMRES(30)", Solver::gmres, a);
  }
  std::puts(same ? "\nWith acc::dot every residual has the same bits in all runs."
                 : "\nUnexpected: acc::dot must give the same bits everywhere.");
  return same ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
