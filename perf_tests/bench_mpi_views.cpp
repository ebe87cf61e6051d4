// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of the Views of all ranks, in the memory of the default execution space: with CUDA, of GPUs.
//   mpiexec -n 2 acc_mpi_views_bench --kokkos-map-device-id-by=mpi_rank [ROUNDS [LOG2...]]
// A rank has 2^LOG2 doubles, one LOG2 after the other: 20 and 26, on hosts 20. A call begins with
// the rank's numbers and ends with the sum in host memory, a message alone where its row says.
// Peers: CUB's sum and MPI_Allreduce; the same with NCCL's all-reduce, where acc was built with
// NCCL and no two ranks share a GPU; and with MPI's of device memory, where MPI says that it takes
// it. Rounds are those of mpi_candidates.hpp.
#include "mpi_candidates.hpp"

#include <acc/accumulate.hpp>
#include <acc/mpi.hpp>
#include <acc/sum.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#if defined(KOKKOS_ENABLE_CUDA)
#include "peers_cuda.hpp"
#if defined(ACC_HAS_NCCL)
#include "peers_nccl.hpp"
#endif
#endif

namespace {

using namespace perf;
using Exec = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, Exec>;
using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;
using Sum = acc::superaccumulator<double>;
using Wire = Kokkos::View<std::int64_t[Sum::wire_words], Exec>;

#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
using Pinned = Kokkos::SharedHostPinnedSpace;
#else
using Pinned = Kokkos::HostSpace;
#endif

constexpr bool on_gpu =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;
constexpr int fields = 16;

/// Open MPI's word for it; of others none is asked, and no device memory given to them.
bool mpi_takes_device_memory() {
#if defined(KOKKOS_ENABLE_CUDA) && defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

/// A rank's GPU: its name and address.
std::string device_of_rank() {
#if defined(KOKKOS_ENABLE_CUDA)
  char address[32] = "";
  cudaDeviceGetPCIBusId(address, int(sizeof address), Exec().cuda_device());
  return std::string(Exec().cuda_device_prop().name) + " " + address;
#else
  return std::string(Exec::name()) + ", " + std::to_string(Exec().concurrency()) + " threads";
#endif
}

/// Each rank's text, on all ranks.
std::vector<std::string> of_all_ranks(const std::string& text) {
  constexpr int most = 128;
  char mine[most] = "";
  std::strncpy(mine, text.c_str(), most - 1);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<char> all(std::size_t(ranks) * most);
  MPI_Allgather(mine, most, MPI_CHAR, all.data(), most, MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (int r = 0; r < ranks; ++r) texts.emplace_back(all.data() + r * most);
  return texts;
}

/// Numbers in [-1, 1), others on each rank.
struct fill {
  Vector x;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t z = (seed << 40) + std::uint64_t(i) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    x(i) = double(std::int64_t(z ^ (z >> 31))) * 0x1p-63;
  }
};
struct add_up {
  Vector x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& s) const { s += x(i); }
};
struct write_wire {
  Kokkos::View<Sum, Exec> sum;
  Wire wire;
  KOKKOS_FUNCTION void operator()(int) const { sum().to_wire(wire.data()); }
};
struct read_wire {
  Wire wire;
  Kokkos::View<double, Pinned> result;
  KOKKOS_FUNCTION void operator()(int) const {
    result() = Sum::from_wire(wire.data(), Sum::wire_words).value();
  }
};
struct set_sums {
  Vector x;
  Kokkos::View<Sum*, Exec> sums;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    sums(i) = Sum(x(i));
    sums(i).add(x(x.extent(0) - 1 - i));
  }
};

double all_reduced(double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return x;
}

/// What a rank has of the peers: memory, and NCCL where it can be had.
struct Ranks {
  Exec exec;
  Kokkos::View<double, Exec> number{"number"};
  Kokkos::View<double, Pinned> result{"result"};
  Kokkos::View<Sum, Exec> sum{"sum"};
  Wire wire{"wire"};
#if defined(KOKKOS_ENABLE_CUDA) && defined(ACC_HAS_NCCL)
  std::shared_ptr<peers::nccl> nccl;
#endif

  /// The plain sum of x to *r, asynchronous.
  void plain_sum(const Vector& x, double* r) const {
#if defined(KOKKOS_ENABLE_CUDA)
    peers::cub_sum(exec.cuda_stream(), x.data(), std::int64_t(x.extent(0)), r);
#else
    Kokkos::parallel_reduce(
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, x.extent(0)), add_up{x},
        Kokkos::View<double, Exec, Kokkos::MemoryUnmanaged>(r));
#endif
  }
  /// `number` in host memory, once exec has finished.
  double number_on_host() const {
    Kokkos::deep_copy(exec, result, number);
    exec.fence();
    return result();
  }
  /// The exact sum of x as a wire form in exec's memory, summed by `add`, and rounded there.
  template <class Add>
  double exact_sum_by(const Vector& x, const Add& add) const {
    const Kokkos::RangePolicy<Exec> one(exec, 0, 1);
    Kokkos::deep_copy(exec, sum, Sum());
    acc::accumulate(exec, sum, x);
    Kokkos::parallel_for("write", one, write_wire{sum, wire});
    add();
    Kokkos::parallel_for("read", one, read_wire{wire, result});
    exec.fence();
    return result();
  }
  double exact_sum_by_mpi(const Vector& x) const {
    return exact_sum_by(x, [&] {
      exec.fence();
      MPI_Allreduce(MPI_IN_PLACE, wire.data(), Sum::wire_words, MPI_INT64_T, MPI_SUM,
                    MPI_COMM_WORLD);
    });
  }
#if defined(KOKKOS_ENABLE_CUDA) && defined(ACC_HAS_NCCL)
  double exact_sum_by_nccl(const Vector& x) const {
    return exact_sum_by(
        x, [&] { nccl->sum(wire.data(), Sum::wire_words, ncclInt64, exec.cuda_stream()); });
  }
#endif
};

const char* const plain_name = on_gpu ? "CUB's sum" : "Kokkos::parallel_reduce";

/// Sums of one vector.
std::vector<Candidate> sums_of(const Ranks& r, const Vector& x) {
  std::vector<Candidate> all;
  all.push_back({std::string(plain_name) + ", MPI_Allreduce of a double", [=] {
                   r.plain_sum(x, r.result.data());
                   r.exec.fence();
                   all_reduced(r.result());
                 }});
  if (mpi_takes_device_memory())
    all.push_back({std::string(plain_name) + ", MPI_Allreduce of a double in device memory", [=] {
                     r.plain_sum(x, r.number.data());
                     r.exec.fence();
                     MPI_Allreduce(MPI_IN_PLACE, r.number.data(), 1, MPI_DOUBLE, MPI_SUM,
                                   MPI_COMM_WORLD);
                     r.number_on_host();
                   }});
  all.push_back({"acc::sum compensated, MPI_Allreduce of a double",
                 [=] { all_reduced(acc::sum(r.exec, x, acc::compensated{})); }});
  all.push_back({"acc::mpi::sum reproducible<3>",
                 [=] { (void)acc::mpi::sum(MPI_COMM_WORLD, r.exec, x, acc::reproducible<3>{}); }});
  all.push_back({"acc::mpi::sum exact", [=] { (void)acc::mpi::sum(MPI_COMM_WORLD, r.exec, x); }});
  if (mpi_takes_device_memory())
    all.push_back(
        {"exact, wire form by MPI_Allreduce in device memory", [=] { r.exact_sum_by_mpi(x); }});
  return all;
}

/// Sums of some fields, one message for all of them.
std::vector<Candidate> sums_of_fields(const Ranks& r, const Matrix& x) {
  const Kokkos::View<double*, Exec> sums("sums", fields);
  const Kokkos::View<double*, Pinned> on_host("sums", fields);
  const auto copy = [=] {
    Kokkos::deep_copy(r.exec, on_host, sums);
    r.exec.fence();
  };
  std::vector<Candidate> all;
  all.push_back({"acc::sum compensated of fields, MPI_Allreduce of doubles", [=] {
                   acc::sum(r.exec, sums, x, acc::compensated{});
                   copy();
                   MPI_Allreduce(MPI_IN_PLACE, on_host.data(), fields, MPI_DOUBLE, MPI_SUM,
                                 MPI_COMM_WORLD);
                 }});
  all.push_back({"acc::mpi::sum reproducible<3> of fields", [=] {
                   acc::mpi::sum(MPI_COMM_WORLD, r.exec, sums, x, acc::reproducible<3>{});
                   copy();
                 }});
  all.push_back({"acc::mpi::sum exact of fields", [=] {
                   acc::mpi::sum(MPI_COMM_WORLD, r.exec, sums, x);
                   copy();
                 }});
  return all;
}

/// n numbers or accumulators in exec's memory, which stay there.
std::vector<Candidate> messages_of(const Ranks& r, const Vector& x, int n) {
  const Vector numbers("numbers", std::size_t(n));
  const Kokkos::View<double*, Pinned> on_host("numbers", std::size_t(n));
  const Kokkos::View<Sum*, Exec> mine("mine", std::size_t(n)), sums("sums", std::size_t(n));
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(r.exec, 0, n), set_sums{x, mine});
  std::vector<Candidate> all;
  all.push_back({"MPI_Allreduce of doubles, copied to the host and back", [=] {
                   Kokkos::deep_copy(r.exec, on_host, numbers);
                   r.exec.fence();
                   MPI_Allreduce(MPI_IN_PLACE, on_host.data(), n, MPI_DOUBLE, MPI_SUM,
                                 MPI_COMM_WORLD);
                   Kokkos::deep_copy(r.exec, numbers, on_host);
                   r.exec.fence();
                 }});
  if (mpi_takes_device_memory())
    all.push_back({"MPI_Allreduce of doubles in device memory", [=] {
                     MPI_Allreduce(MPI_IN_PLACE, numbers.data(), n, MPI_DOUBLE, MPI_SUM,
                                   MPI_COMM_WORLD);
                   }});
  all.push_back({"acc::mpi::all_reduce of superaccumulators, set anew", [=] {
                   Kokkos::deep_copy(r.exec, sums, mine);
                   acc::mpi::all_reduce(MPI_COMM_WORLD, r.exec, sums);
                 }});
  return all;
}

#if defined(KOKKOS_ENABLE_CUDA) && defined(ACC_HAS_NCCL)
void add_nccl_sums(std::vector<Candidate>& all, const Ranks& r, const Vector& x) {
  if (!r.nccl) return;
  all.push_back({"CUB's sum, ncclAllReduce of a double", [=] {
                   r.plain_sum(x, r.number.data());
                   r.nccl->sum(r.number.data(), 1, ncclDouble, r.exec.cuda_stream());
                   r.number_on_host();
                 }});
  all.push_back({"exact, wire form by ncclAllReduce", [=] { r.exact_sum_by_nccl(x); }});
}
void add_nccl_messages(std::vector<Candidate>& all, const Ranks& r, int n) {
  if (!r.nccl) return;
  const Vector numbers("numbers", std::size_t(n));
  all.push_back({"ncclAllReduce of doubles", [=] {
                   r.nccl->sum(numbers.data(), std::size_t(n), ncclDouble, r.exec.cuda_stream());
                   r.exec.fence();
                 }});
}
#else
void add_nccl_sums(std::vector<Candidate>&, const Ranks&, const Vector&) {}
void add_nccl_messages(std::vector<Candidate>&, const Ranks&, int) {}
#endif

/// NCCL for the ranks, if it can be had; in words.
std::string begin_nccl([[maybe_unused]] Ranks& r,
                       [[maybe_unused]] std::vector<std::string> devices) {
#if defined(KOKKOS_ENABLE_CUDA) && defined(ACC_HAS_NCCL)
  std::sort(devices.begin(), devices.end());
  if (std::adjacent_find(devices.begin(), devices.end()) != devices.end())
    return "not used, for ranks share a GPU";
  r.nccl = std::make_shared<peers::nccl>();
  return peers::nccl::version();
#else
  return "none";
#endif
}

/// Whether the ways to the exact sum have the same bits. The ranks are asked one by one.
std::string same_bits(const Ranks& r, const Vector& x) {
  const double mine = acc::mpi::sum(MPI_COMM_WORLD, r.exec, x);
  bool same = true;
  std::string ways = "acc::mpi::sum exact";
  const auto compare = [&](const char* way, double other) {
    same = same && std::bit_cast<std::uint64_t>(other) == std::bit_cast<std::uint64_t>(mine);
    ways += std::string(", ") + way;
  };
  if (mpi_takes_device_memory() || !on_gpu) compare("by MPI_INT64_T", r.exact_sum_by_mpi(x));
#if defined(KOKKOS_ENABLE_CUDA) && defined(ACC_HAS_NCCL)
  if (r.nccl) compare("by NCCL", r.exact_sum_by_nccl(x));
#endif
  double from_first = mine;
  MPI_Bcast(&from_first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  compare("on all ranks", from_first);
  int all_same = same;
  MPI_Allreduce(MPI_IN_PLACE, &all_same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  char text[32];
  std::snprintf(text, sizeof text, "%a", mine);
  return std::string(all_same ? "the same bits: " : "DIFFERENT BITS: ") + ways + ": " + text;
}

void run(int rounds, const std::vector<int>& log2s) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Ranks r;
  char host[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  MPI_Get_processor_name(host, &length);
  const auto devices =
      of_all_ranks(device_of_rank() + ", " + std::string(host, std::size_t(length)));
  const std::string nccl = begin_nccl(r, devices);
  if (rank == 0) {
    std::printf("%d ranks, medians of %d rounds\n", ranks, rounds);
    std::printf("MPI: %s; takes device memory: %s\nNCCL: %s\n", mpi_library().c_str(),
                mpi_takes_device_memory() ? "yes" : "no", nccl.c_str());
    for (int i = 0; i < ranks; ++i)
      std::printf("rank %d: %s\n", i, devices[std::size_t(i)].c_str());
  }
  const auto measure = [&](const std::string& title, std::vector<Candidate> all, int calls) {
    time_candidates(all, rounds, calls);
    if (rank != 0) return;
    std::printf("\n");
    print_candidates(title, all);
    std::fflush(stdout);
  };
  for (const int log2 : log2s) {
    const std::int64_t n = std::int64_t(1) << log2;
    const std::string doubles = "2^" + std::to_string(log2) + " doubles a rank";
    const Vector x(Kokkos::view_alloc("x", Kokkos::WithoutInitializing), std::size_t(n));
    Kokkos::parallel_for(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(r.exec, 0, n),
                         fill{x, std::uint64_t(rank)});
    const int calls = log2 > 22 ? 5 : 20;
    auto sums = sums_of(r, x);
    add_nccl_sums(sums, r, x);
    measure(doubles, std::move(sums), calls);
    const std::string bits = same_bits(r, x);
    if (rank == 0) std::printf("%s\n", bits.c_str());
    const Matrix m(x.data(), std::size_t(n / fields), std::size_t(fields));
    measure(doubles + ", " + std::to_string(fields) + " fields of them", sums_of_fields(r, m),
            calls);
  }
  const Vector x("x", std::size_t(1) << 16);
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                           r.exec, 0, std::int64_t(x.extent(0))),
                       fill{x, std::uint64_t(rank)});
  for (const int n : {1, 64, 1024, 1 << 16}) {
    auto messages = messages_of(r, x, n);
    add_nccl_messages(messages, r, n);
    measure("messages alone, " + std::to_string(n) + " numbers", std::move(messages),
            n > 1024 ? 3 : 20);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 51;
    std::vector<int> log2s;
    for (int i = 2; i < argc; ++i) log2s.push_back(std::atoi(argv[i]));
    if (log2s.empty()) log2s = on_gpu ? std::vector<int>{20, 26} : std::vector<int>{20};
    run(rounds, log2s);
  }
  MPI_Finalize();
}
