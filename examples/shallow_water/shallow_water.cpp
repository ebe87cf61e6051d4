// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mass and energy of a shallow-water model, summed by acc's reducers in a parallel_reduce of the
// application. The scheme loses no water: what leaves a cell enters the next. Kokkos::Sum cannot
// show this, because its rounding errors change from step to step and with the number of threads.
// With acc::ExactSum the mass stays the same to the last bit.
#include <acc/reducers.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

constexpr int n = 30000;       // cells around a circle
constexpr double ratio = 0.2;  // time step over cell width; gravity is 1

/// x, rounded to the nearest multiple of 2^-48. For such numbers below 8, h + in - out has no
/// rounding error, so the scheme conserves the sum of h exactly.
KOKKOS_INLINE_FUNCTION double on_grid(double x) { return Kokkos::round(x * 0x1p48) * 0x1p-48; }

template <class Exec>
struct Water {
  using View = Kokkos::View<double*, typename Exec::memory_space>;
  View h{"h", n}, momentum{"h u", n}, h_flow{"flow of h", n}, momentum_flow{"flow of h u", n};
};

/// Water at rest, with a hump.
template <class Exec>
Water<Exec> initial_water() {
  const Water<Exec> water;
  const auto h = Kokkos::create_mirror_view(water.h);
  for (int i = 0; i < n; ++i) h(i) = on_grid(1 + std::exp(-100 * std::pow(double(i) / n - 0.5, 2)));
  Kokkos::deep_copy(water.h, h);
  return water;
}

/// One time step with Rusanov's (local Lax-Friedrichs) flow between neighbors.
template <class Exec>
void step(const Exec& exec, const Water<Exec>& water) {
  const auto h = water.h, m = water.momentum, h_flow = water.h_flow, m_flow = water.momentum_flow;
  const Kokkos::RangePolicy<Exec> cells(exec, 0, n);
  Kokkos::parallel_for(
      "flow", cells, KOKKOS_LAMBDA(int i) {  // from cell l into cell i
        const int l = (i + n - 1) % n;
        const double u_l = m(l) / h(l), u = m(i) / h(i);
        const double wave = Kokkos::fmax(Kokkos::abs(u_l) + Kokkos::sqrt(h(l)),
                                         Kokkos::abs(u) + Kokkos::sqrt(h(i)));
        const double p_l = Kokkos::fma(m(l), u_l, 0.5 * h(l) * h(l)),
                     p = Kokkos::fma(m(i), u, 0.5 * h(i) * h(i));
        h_flow(i) = on_grid(0.5 * ratio * Kokkos::fma(wave, h(l) - h(i), m(l) + m(i)));
        m_flow(i) = 0.5 * ratio * Kokkos::fma(wave, m(l) - m(i), p_l + p);
      });
  Kokkos::parallel_for(
      "update", cells, KOKKOS_LAMBDA(int i) {
        const int r = (i + 1) % n;
        h(i) += h_flow(i) - h_flow(r);
        m(i) += m_flow(i) - m_flow(r);
      });
}

struct Totals {
  acc::superaccumulator<double> mass;
  acc::binned<double, 3> energy;
  double plain_mass, plain_energy;
};

/// Several reducers in one pass: those of acc and those of Kokkos.
template <class Exec>
Totals sum_up(const Exec& exec, const Water<Exec>& water) {
  const auto h = water.h, m = water.momentum;
  Totals t;
  Kokkos::parallel_reduce(
      "totals", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int i, acc::superaccumulator<double>& mass, acc::binned<double, 3>& energy,
                    double& plain_mass, double& plain_energy) {
        const double e = 0.5 * Kokkos::fma(h(i), h(i), m(i) * m(i) / h(i));
        mass += h(i);
        energy += e;
        plain_mass += h(i);
        plain_energy += e;
      },
      acc::ExactSum<double>(t.mass), acc::BinnedSum<double, 3>(t.energy),
      Kokkos::Sum<double>(t.plain_mass), Kokkos::Sum<double>(t.plain_energy));
  return t;
}

/// The totals at the start, halfway and at the end of 500 steps.
template <class Exec>
std::vector<Totals> run(const Exec& exec) {
  const auto water = initial_water<Exec>();
  std::vector<Totals> history{sum_up(exec, water)};
  for (int i = 1; i <= 500; ++i) {
    step(exec, water);
    if (i % 250 == 0) history.push_back(sum_up(exec, water));
  }
  return history;
}

/// Prints a run under the name `by`. Returns whether its mass never changed and its sums have the
/// bits of `first`.
bool report(const std::string& by, const std::vector<Totals>& history,
            const std::vector<Totals>& first) {
  bool right = true;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Totals& t = history[i];
    const double gain = (t.mass - first[0].mass).value();  // exact, rounded once
    std::printf("%-10s%5zu%12.1e%14.1e%24a%24a\n", i == 0 ? by.c_str() : "", 250 * i, gain,
                t.plain_mass - history[0].plain_mass, t.energy.value(), t.plain_energy);
    right = right && identical(t.mass, first[0].mass) && identical(t.energy, first[i].energy);
  }
  return right;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Device = Kokkos::DefaultExecutionSpace;
  std::printf("%-15s%26s%48s\n", "", "mass gained by", "energy by");
  std::printf("%-10s%5s%12s%14s%24s%24s\n", "", "step", "ExactSum", "Kokkos::Sum", "BinnedSum",
              "Kokkos::Sum");
  const auto first = run(Host());
  bool right = report(Host::name(), first, first);
#ifdef KOKKOS_ENABLE_OPENMP
  for (const int threads : {1, 2, 3, 8}) {
    const std::string by = std::to_string(threads) + (threads == 1 ? " thread" : " threads");
    right = report(by, run(Kokkos::OpenMP(threads)), first) && right;
  }
#else
  std::puts("This Kokkos has no OpenMP, so different numbers of threads cannot be compared.");
#endif
  if constexpr (!std::is_same_v<Host, Device>)
    right = report(Device::name(), run(Device()), first) && right;
  std::puts(right ? "\nWith acc's reducers mass is conserved to the last bit, and all bits are the "
                    "same in all runs."
                  : "\nUnexpected: mass must not change, and no bit may depend on threads.");
  return right ? 0 : 1;
}
