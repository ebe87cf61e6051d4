// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of 50 neighbors for each particle, in a kernel of the user's: plain, and by the accumulators
// that no order of the neighbors changes. "positions" has one term from a gathered number, "forces"
// three components of a force.

#include "harness.hpp"

#include <acc/core/binned.hpp>
#include <acc/core/fixed_point_sum.hpp>
#include <acc/core/superaccumulator.hpp>

namespace {

using namespace perf;

constexpr int neighbors = 50;

struct plain_sum {
  double sum = 0;
  KOKKOS_FUNCTION void operator+=(double x) { sum += x; }
  KOKKOS_FUNCTION double value() const { return sum; }
};

/// Neighbor k of particle i is index(i, k), not far from i.
struct particles {
  vector<double> x, y, z;
  Kokkos::View<int**, Exec> index;
};

struct place_neighbors {
  particles p;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t n = std::int64_t(p.x.extent(0));
    std::uint32_t random = std::uint32_t(i) * 2654435761u + 1;
    for (int k = 0; k < neighbors; ++k) {
      random = random * 1664525u + 1013904223u;
      p.index(i, k) = int((i + 1 + (random >> 22)) % n);
    }
  }
};

template <class Sum>
struct sum_positions {
  particles p;
  vector<double> r;
  Sum none;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Sum sum = none;
    for (int k = 0; k < neighbors; ++k) {
      const double d = p.x(p.index(i, k)) - p.x(i);
      sum += d * (1 - d * d);
    }
    r(i) = sum.value();
  }
};

template <class Sum>
struct sum_forces {
  particles p;
  vector<double> r;
  Sum none;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Sum x = none, y = none, z = none;
    for (int k = 0; k < neighbors; ++k) {
      const int j = p.index(i, k);
      const double dx = p.x(j) - p.x(i), dy = p.y(j) - p.y(i), dz = p.z(j) - p.z(i);
      const double square = dx * dx + dy * dy + dz * dz + 0.1;
      const double weight = 1 / (square * Kokkos::sqrt(square));
      x += weight * dx;
      y += weight * dy;
      z += weight * dz;
    }
    r(i) = x.value() + y.value() + z.value();
  }
};

template <template <class> class Kernel, class Sum>
void add_row(const std::string& terms, const std::string& name, const Sum& none) {
  add("neighbors/f64/" + terms + "/" + name,
      [=](benchmark::State& state, std::int64_t n) {
        const vector<double> x = data<double>(n), y("y", n), z("z", n), r("r", n);
        Kokkos::deep_copy(y, x);
        Kokkos::deep_copy(z, x);
        const particles p{x, y, z, {"neighbors", std::size_t(n), std::size_t(neighbors)}};
        const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> all(0, n);
        Kokkos::parallel_for(all, place_neighbors{p});
        measure(state, double(n) * neighbors * (sizeof(double) + sizeof(int)),
                [&] { Kokkos::parallel_for(all, Kernel<Sum>{p, r, none}); });
        state.counters["ns per neighbor"] = benchmark::Counter(
            1e-9 * double(n) * neighbors,
            benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
      },
      {on_gpu ? 22 : 14});
}

template <template <class> class Kernel>
void add_rows(const std::string& terms) {
  add_row<Kernel>(terms, "plain", plain_sum{});
  add_row<Kernel>(terms, "acc fixed_point_sum", acc::fixed_point_sum<double>({-41, 10}));
  add_row<Kernel>(terms, "acc binned<double, 3>", acc::binned<double, 3>());
  add_row<Kernel>(terms, "acc superaccumulator", acc::superaccumulator<double>());
}

const bool registered = [] {
  add_rows<sum_positions>("positions");
  add_rows<sum_forces>("forces");
  return true;
}();

}  // namespace
