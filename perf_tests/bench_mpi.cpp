// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Latencies of all_reduce beside MPI_Allreduce on one double, on the ranks it is started with:
//   mpiexec -n 4 acc_mpi_bench [ROUNDS]
// Rounds are those of mpi_candidates.hpp, of 20 calls. The last rows are what a rank does of
// itself: writing, merging and reading messages.
#include "mpi_candidates.hpp"

#include <acc/mpi.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace perf;

/// MPI's own: n elements, summed.
template <class T>
Candidate plain(const std::string& name, int n, MPI_Datatype type) {
  std::vector<T> send(std::size_t(n), T(1)), receive(std::size_t(n), T(0));
  return {"MPI_Allreduce, " + name, [=]() mutable {
            MPI_Allreduce(send.data(), receive.data(), n, type, MPI_SUM, MPI_COMM_WORLD);
          }};
}

/// Ours: the accumulator is copied before each call, for sums of sums would grow.
template <class Sum>
Candidate merged(const std::string& name, const Sum& mine, bool round = false) {
  return {"all_reduce, " + name, [=] {
            Sum sum = mine;
            acc::mpi::all_reduce(MPI_COMM_WORLD, sum);
            if (round) {
              [[maybe_unused]] volatile double value = sum.value();
            }
          }};
}
template <class Sum>
Candidate merged_many(const std::string& name, const Sum& mine, std::size_t n) {
  const std::vector<Sum> locals(n, mine);
  std::vector<Sum> sums(n);
  return {"all_reduce, " + name, [=]() mutable {
            std::copy(locals.begin(), locals.end(), sums.begin());
            acc::mpi::all_reduce(MPI_COMM_WORLD, std::span(sums));
          }};
}

/// A rank's own work, too short to be timed once.
template <class Work>
Candidate local(const std::string& name, Work work) {
  constexpr int times = 100;
  return {"no message: " + name,
          [=]() mutable {
            for (int k = 0; k < times; ++k) {
              work();
              std::atomic_signal_fence(std::memory_order_seq_cst);  // its result is wanted
            }
          },
          times};
}
/// A wire form that MPI's own sum merges.
struct summed_wire {
  using Sum = acc::superaccumulator<double>;
  std::int64_t word[Sum::wire_words];
  explicit summed_wire(const Sum& sum) { sum.to_wire(word); }
  Sum sum() const { return Sum::from_wire(word, Sum::wire_words); }
};
/// An element's cost: n of `type` are one, and op merges two.
template <class Element, class Sum>
void add_local(std::vector<Candidate>& all, const std::string& name, const Sum& sum, int n,
               MPI_Datatype type, MPI_Op op) {
  const auto message = std::make_shared<Element>(sum), other = std::make_shared<Element>(sum);
  const auto result = std::make_shared<Sum>(sum);
  all.push_back(local(name + ", written", [=] { *message = Element(*result); }));
  all.push_back(local(name + ", merged (MPI_Reduce_local)",
                      [=] { MPI_Reduce_local(other.get(), message.get(), n, type, op); }));
  all.push_back(local(name + ", read", [=] { *result = other->sum(); }));
}
template <class Element, class Sum>
void add_local(std::vector<Candidate>& all, const std::string& name, const Sum& sum) {
  const auto [type, op] = acc::mpi::impl::owned_merge_operation<Element>::get("acc_mpi_bench");
  add_local<Element>(all, name, sum, 1, type, op);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 501, calls = 20;

  acc::superaccumulator<double> exact, wide;
  acc::superaccumulator<float> exact_float;
  acc::binned<double, 3> bins;
  for (int i = 0; i < 1000; ++i) {
    const double x = std::ldexp(std::sin(i + rank), i % 200 - 100);  // 60 decades
    exact.add(x);
    exact_float.add(float(x));
    bins.add(x);
  }
  wide = exact;
  wide.add(0x1p1000);
  wide.add(0x1p-1000);

  std::vector<Candidate> all;
  all.push_back(plain<double>("1 double", 1, MPI_DOUBLE));
  all.push_back(plain<double>("2 doubles", 2, MPI_DOUBLE));
  all.push_back(plain<std::int64_t>("128 bytes", 16, MPI_INT64_T));
  all.push_back(plain<std::int64_t>("1128 bytes, a wire form", 141, MPI_INT64_T));
  exact.normalise();
  all.push_back(merged("exact double", exact));
  all.push_back(merged("exact double, and its value", exact, true));
  all.push_back(merged("exact double of 600 decades", wide));
  all.push_back(merged("exact float", exact_float));
  all.push_back(merged("binned<double, 3>", bins));
  all.push_back(plain<double>("100 doubles", 100, MPI_DOUBLE));
  all.push_back(merged_many("100 binned<double, 3>", bins, 100));
  all.push_back(plain<std::int64_t>("7200 bytes", 900, MPI_INT64_T));
  all.push_back(merged_many("100 exact double", exact, 100));
  all.push_back(plain<std::int64_t>("12800 bytes", 1600, MPI_INT64_T));
  all.push_back(plain<std::int64_t>("112800 bytes, 100 wire forms", 14100, MPI_INT64_T));

  add_local<acc::mpi::impl::merged_window<double>>(all, "window", exact);
  add_local<summed_wire>(all, "wire form", exact, summed_wire::Sum::wire_words, MPI_INT64_T,
                         MPI_SUM);
  add_local<acc::mpi::impl::merged_wire<acc::binned<double, 3>>>(all, "binned<double, 3>", bins);

  time_candidates(all, rounds, calls);
  if (rank == 0) {
    std::printf("%d ranks, %u processors, medians of %d rounds of %d calls; %s\n", ranks,
                std::thread::hardware_concurrency(), rounds, calls, mpi_library().c_str());
    print_candidates("", all);
  }
  MPI_Finalize();
}
