// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The charge of particles on a periodic grid: each adds to the four cells around it (cloud in cell;
// Birdsall and Fuss, Journal of Computational Physics 3, 1969). By Kokkos::atomic_add the last bits
// depend on the order in which threads come, and on the order of the particles. By acc::scatter_sum
// no bit does. Threads: 1, 2, 3 and 8; particles: as they were made, and sorted by cell.
#include <acc/core/superaccumulator.hpp>
#include <acc/scatter_sum.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

constexpr int side = 64, cells = side * side, n = 200000;

struct Particle {
  double x, y, charge;  // a position in [0, side)
};

std::vector<Particle> make_particles() {
  std::mt19937 random(1);  // the same particles everywhere
  const auto uniform = [&] { return double(random()) / 4294967296.0; };
  std::vector<Particle> all;
  for (int i = 0; i < n; ++i) {
    const double x = side * uniform(), y = side * uniform();
    all.push_back({x, y, 0.5 + uniform()});
  }
  return all;
}

/// Adds the particle's shares by add(cell, share). The shares are products, each rounded by itself:
/// there is nothing to contract.
template <class Add>
KOKKOS_FUNCTION void deposit(const Particle& p, const Add& add) {
  const int column = int(p.x), row = int(p.y);
  const double right = p.x - column, upper = p.y - row;
  const int next = (column + 1) % side, above = (row + 1) % side;
  add(row * side + column, p.charge * ((1 - right) * (1 - upper)));
  add(row * side + next, p.charge * (right * (1 - upper)));
  add(above * side + column, p.charge * ((1 - right) * upper));
  add(above * side + next, p.charge * (right * upper));
}

template <class Exec>
using Particles = Kokkos::View<Particle*, typename Exec::memory_space>;
template <class Exec>
using Grid = Kokkos::View<double*, typename Exec::memory_space>;

struct Atomic {
  template <class Exec>
  void operator()(const Exec& exec, const Particles<Exec>& particles,
                  const Grid<Exec>& grid) const {
    Kokkos::parallel_for(
        "deposit", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
          deposit(particles(i),
                  [&](int cell, double share) { Kokkos::atomic_add(&grid(cell), share); });
        });
  }
};

/// Any double fits. A sum takes 1068 bytes, less if the range of the shares is stated.
struct ScatterSum {
  template <class Exec>
  void operator()(const Exec& exec, const Particles<Exec>& particles,
                  const Grid<Exec>& grid) const {
    const acc::scatter_sum<double, Exec> sums("sums", cells);
    Kokkos::parallel_for(
        "deposit", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
          deposit(particles(i), [&](int cell, double share) { sums.add(cell, share); });
        });
    sums.round(exec, grid);
  }
};

/// The charges of all cells on the host.
template <class Exec, class Deposit>
std::vector<double> charges(const Exec& exec, const std::vector<Particle>& particles,
                            const Deposit& deposit_all) {
  const Particles<Exec> there("particles", n);
  Kokkos::deep_copy(exec, there,
                    Kokkos::View<const Particle*, Kokkos::HostSpace>(particles.data(), n));
  const Grid<Exec> grid("grid", cells);
  deposit_all(exec, there, grid);
  exec.fence();
  std::vector<double> result(cells);
  Kokkos::deep_copy(Kokkos::View<double*, Kokkos::HostSpace>(result.data(), cells), grid);
  return result;
}

/// One way to deposit, by different threads and orders of the particles.
class Table {
 public:
  explicit Table(const char* title) {
    std::printf("\n%-40s%12s%26s\n", title, "other cells", "cell 0");
  }

  void add(const std::string& by, const std::vector<double>& grid) {
    if (first_.empty()) first_ = grid;
    int others = 0;
    for (int c = 0; c < cells; ++c)
      others += std::memcmp(&grid[c], &first_[c], sizeof(double)) != 0;
    most_ = std::max(most_, others);
    std::printf("%-40s%12d%26a\n", by.c_str(), others, grid[0]);
  }
  bool same_everywhere() const { return most_ == 0; }

 private:
  std::vector<double> first_;
  int most_ = 0;
};

template <class Deposit>
bool run(const char* title, const std::vector<Particle>& made,
         const std::vector<Particle>& sorted) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Device = Kokkos::DefaultExecutionSpace;
  Table table(title);
  const auto both = [&](const std::string& by, const auto& exec) {
    table.add(by, charges(exec, made, Deposit{}));
    table.add(by + ", sorted", charges(exec, sorted, Deposit{}));
  };
#ifdef KOKKOS_ENABLE_OPENMP
  for (const int threads : {1, 2, 3, 8})
    both(std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
         Kokkos::OpenMP(threads));
#else
  both(Host::name(), Host());
#endif
  if constexpr (!std::is_same_v<Host, Device>) both(Device::name(), Device());
  return table.same_everywhere();
}

struct SharesOfCell0 {
  acc::superaccumulator<double>* sum;
  KOKKOS_FUNCTION void operator()(int cell, double share) const {
    if (cell == 0) *sum += share;
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const std::vector<Particle> made = make_particles();
  std::vector<Particle> sorted = made;
  std::sort(sorted.begin(), sorted.end(), [](const Particle& a, const Particle& b) {
    return std::pair(int(a.y) * side + int(a.x), a.x) < std::pair(int(b.y) * side + int(b.x), b.x);
  });
  std::printf("%d particles on %d x %d cells; cells whose bits are not those of the first run\n", n,
              side, side);
  run<Atomic>("Kokkos::atomic_add", made, sorted);
  const bool same = run<ScatterSum>("acc::scatter_sum", made, sorted);

  // One cell again, by another of acc's sums.
  acc::superaccumulator<double> cell0;
  for (const Particle& p : made) deposit(p, SharesOfCell0{&cell0});
  const bool right =
      charges(Kokkos::DefaultHostExecutionSpace(), made, ScatterSum{})[0] == cell0.value();
  std::puts(same && right ? "\nWith acc::scatter_sum every cell has the same bits in all runs."
            : same        ? "\nUnexpected: cell 0 is not the sum of its shares."
                          : "\nUnexpected: acc::scatter_sum must give the same bits everywhere.");
  return same && right ? 0 : 1;
}
