// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Particles that repel their neighbors. The order in which a particle meets its neighbors depends
// on how an application sorted them: here it is ascending in one run and descending in the other.
// With plain sums of the forces the two runs drift apart. With acc::fixed_point_sum, which takes as
// long, they are the same to the last bit.
#include <acc/core/fixed_point_sum.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>

using Exec = Kokkos::DefaultExecutionSpace;
using Vectors = Kokkos::View<double* [2], Exec>;

constexpr int n = 200;           // particles in a periodic square of side 1
constexpr double reach = 0.28;   // of the force: some 50 neighbors
constexpr double stiffness = 5;  // no component of a force is larger than stiffness * reach
constexpr double step = 0.01;    // of time

/// The usual sum, with the functions that the kernel below needs.
struct plain_sum {
  double sum = 0;
  KOKKOS_FUNCTION plain_sum& operator+=(double x) { return sum += x, *this; }
  KOKKOS_FUNCTION double value() const { return sum; }
};

struct Particles {
  Vectors position{"position", n}, velocity{"velocity", n};
};

Particles initial_particles() {
  const Particles p;
  const auto x = Kokkos::create_mirror_view(p.position);
  for (int i = 0; i < n; ++i) {  // evenly, but on no lattice
    x(i, 0) = std::fmod(0.754877666246693 * i, 1);
    x(i, 1) = std::fmod(0.569840290998053 * i, 1);
  }
  Kokkos::deep_copy(p.position, x);
  return p;
}

/// Adds the forces on each particle to its velocity, and moves it. `none` is an empty sum.
template <class Sum>
void move(const Particles& p, const Sum& none, bool ascending) {
  const Vectors x = p.position, v = p.velocity;
  Kokkos::parallel_for(
      "forces", Kokkos::RangePolicy<Exec>(0, n), KOKKOS_LAMBDA(int i) {
        Sum sum[2] = {none, none};
        for (int k = 0; k < n; ++k) {
          const int j = ascending ? k : n - 1 - k;
          double d[2];
          for (int c = 0; c < 2; ++c) {
            d[c] = x(i, c) - x(j, c);
            d[c] -= Kokkos::round(d[c]);  // to the nearest image
          }
          const double square = Kokkos::fma(d[0], d[0], d[1] * d[1]);
          if (j == i || square >= reach * reach) continue;
          const double near = 1 - square / (reach * reach);
          for (int c = 0; c < 2; ++c) sum[c] += stiffness * near * near * d[c];
        }
        for (int c = 0; c < 2; ++c) v(i, c) = Kokkos::fma(step, sum[c].value(), v(i, c));
      });
  Kokkos::parallel_for(
      "move", Kokkos::RangePolicy<Exec>(0, n), KOKKOS_LAMBDA(int i) {
        for (int c = 0; c < 2; ++c) x(i, c) = Kokkos::fma(step, v(i, c), x(i, c));
      });
}

/// How far apart a particle is in two runs, at most; NaN if a force was out of range.
double distance(const Particles& p, const Particles& q) {
  const Vectors x = p.position, y = q.position;
  double most = 0;
  int nan = 0;
  Kokkos::parallel_reduce(
      "distance", Kokkos::RangePolicy<Exec>(0, n),
      KOKKOS_LAMBDA(int i, double& d, int& k) {
        for (int c = 0; c < 2; ++c) {
          d = Kokkos::fmax(d, Kokkos::abs(x(i, c) - y(i, c)));
          k += Kokkos::isnan(x(i, c)) || Kokkos::isnan(y(i, c));
        }
      },
      Kokkos::Max<double>(most), Kokkos::Sum<int>(nan));
  return nan == 0 ? most : NAN;
}

/// Two runs that differ in the order of neighbors alone; prints how they drift apart. Returns
/// whether they do not.
template <class Sum>
bool compare(const char* name, const Sum& none) {
  const Particles up = initial_particles(), down = initial_particles();
  double apart = 0;
  std::printf("%-22s", name);
  for (int i = 1; i <= 800; ++i) {
    move(up, none, true);
    move(down, none, false);
    if (i % 200 != 0) continue;
    apart = distance(up, down);
    std::printf("%14.1e", apart);
  }
  std::printf("\n");
  return apart == 0;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  std::printf("How far apart two runs are that differ in the order of neighbors\n\n");
  std::printf("%-22s%14d%14d%14d%14d\n", "forces summed by, step", 200, 400, 600, 800);
  compare("double", plain_sum());
  const bool same =
      compare("acc::fixed_point_sum", acc::fixed_point_sum<double>::up_to(stiffness * reach));
  std::puts(same ? "\nWith acc the order of neighbors changes no bit."
                 : "\nUnexpected: the order of neighbors must not change a bit.");
  return same ? 0 : 1;
}
