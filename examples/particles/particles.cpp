// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Totals of particles that are distributed over MPI ranks. With acc::mpi they depend neither on the
// number of ranks nor on the distribution of the particles, and all totals travel in one message.
#include <acc/accumulate.hpp>
#include <acc/mpi.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, Exec>;
using Totals = std::array<double, 3>;  // mass, momentum, twice the energy

/// The particles of one rank.
struct Particles {
  Vector mass, velocity, velocity2;
};

/// The particles i of 200000 for which mine(i) is true. Masses span six decades. Momenta cancel
/// except for a fraction of 1e-10.
template <class Mine>
Particles particles(const Mine& mine) {
  std::mt19937 random(1);  // the same particles on every rank
  const auto uniform = [&] { return double(random()) / 4294967296.0; };
  std::vector<double> mass, velocity, velocity2;
  double m = 0, v = 0;
  for (int i = 0; i < 200000; ++i) {
    const bool second = i % 2 == 1;  // of a pair with opposite velocities
    if (!second) m = std::exp2(20 * uniform());
    v = second ? -v * (1 + 1e-10) : uniform();
    if (!mine(i)) continue;
    mass.push_back(m);
    velocity.push_back(v);
    velocity2.push_back(v * v);
  }
  const auto view = [](const char* label, const std::vector<double>& x) {
    const Vector there(label, x.size());
    Kokkos::deep_copy(there, Kokkos::View<const double*, Kokkos::HostSpace>(x.data(), x.size()));
    return there;
  };
  return {view("mass", mass), view("velocity", velocity), view("velocity squared", velocity2)};
}

/// The usual way: each rank sums its own particles, and MPI adds the sums.
Totals plain_totals(MPI_Comm comm, const Particles& p) {
  Totals t;
  Kokkos::parallel_reduce(
      "totals", p.mass.extent(0),
      KOKKOS_LAMBDA(int i, double& mass, double& momentum, double& energy) {
        mass += p.mass(i);
        momentum += p.mass(i) * p.velocity(i);
        energy += p.mass(i) * p.velocity2(i);
      },
      t[0], t[1], t[2]);
  MPI_Allreduce(MPI_IN_PLACE, t.data(), int(t.size()), MPI_DOUBLE, MPI_SUM, comm);
  return t;
}

/// With exact accumulators: their result does not depend on any order.
Totals acc_totals(MPI_Comm comm, const Particles& p) {
  const Exec exec;
  const Kokkos::View<acc::superaccumulator<double>[3], Exec> sums("sums");
  acc::accumulate(exec, Kokkos::subview(sums, 0), p.mass);
  acc::accumulate_dot(exec, Kokkos::subview(sums, 1), p.mass, p.velocity);
  acc::accumulate_dot(exec, Kokkos::subview(sums, 2), p.mass, p.velocity2);
  acc::mpi::all_reduce(comm, exec, sums);  // one message
  const auto here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  return {here(0).value(), here(1).value(), here(2).value()};
}

/// The totals of one method, for each number of ranks and each distribution.
class Table {
 public:
  void add(const std::string& by, const Totals& totals) {
    by_.push_back(by);
    totals_.push_back(totals);
  }
  bool same_everywhere() const {
    bool same = true;
    for (const Totals& t : totals_) same = same && !std::memcmp(&t, &totals_[0], sizeof t);
    return same;
  }
  void print(const char* method) const {
    std::printf("\n%-26s%22s%26s%24s\n", method, "mass", "momentum", "energy");
    for (std::size_t i = 0; i < by_.size(); ++i)
      std::printf("%-26s%22a%26a%24a\n", by_[i].c_str(), totals_[i][0], totals_[i][1],
                  totals_[i][2] / 2);
  }

 private:
  std::vector<std::string> by_;
  std::vector<Totals> totals_;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Table plain, exact;
    for (int ranks = 1; ranks <= size; ++ranks) {
      MPI_Comm comm;  // the first `ranks` ranks; the others skip this run
      MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
      if (comm == MPI_COMM_NULL) continue;
      const std::string by = std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
      const auto blocks = particles([=](int i) { return i / 2 * 2 * ranks / 200000 == rank; });
      const auto dealt = particles([=](int i) { return i % ranks == rank; });
      plain.add(by + ", blocks", plain_totals(comm, blocks));
      plain.add(by + ", dealt out", plain_totals(comm, dealt));
      exact.add(by + ", blocks", acc_totals(comm, blocks));
      exact.add(by + ", dealt out", acc_totals(comm, dealt));
      MPI_Comm_free(&comm);
    }
    wrong = !exact.same_everywhere();
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
      if (size == 1)
        std::puts("With one rank there is nothing to compare. Start more: mpiexec -n 4.");
      plain.print("MPI_Allreduce of sums");
      exact.print("acc::mpi::all_reduce");
      std::puts(
          wrong ? "\nUnexpected: the totals of acc must not depend on ranks."
                : "\nWith acc::mpi no bit depends on the number of ranks or on the distribution.");
    }
  }
  MPI_Finalize();
  return wrong;
}
