// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_PEERS_NCCL_HPP
#define ACC_PERF_TESTS_PEERS_NCCL_HPP

/// \file
/// NCCL's sum over ranks of numbers in device memory, on a CUDA stream.

#include <cstddef>
#include <mpi.h>
#include <nccl.h>
#include <stdexcept>
#include <string>

namespace peers {

class nccl {
 public:
  /// Of all ranks, each of which has set its device. No two may have the same one.
  nccl() {
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ncclUniqueId id;
    if (rank == 0) check(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    check(ncclCommInitRank(&comm_, ranks, id, rank));
  }
  ~nccl() { ncclCommDestroy(comm_); }
  nccl(const nccl&) = delete;

  /// Asynchronous, in place.
  void sum(void* data, std::size_t n, ncclDataType_t type, cudaStream_t stream) const {
    check(ncclAllReduce(data, data, n, type, ncclSum, comm_, stream));
  }

  static std::string version() {
    int v = 0;
    check(ncclGetVersion(&v));
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
           std::to_string(v % 100);
  }

 private:
  ncclComm_t comm_ = nullptr;

  static void check(ncclResult_t code) {
    if (code != ncclSuccess)
      throw std::runtime_error(std::string("NCCL: ") + ncclGetErrorString(code));
  }
};

}  // namespace peers

#endif
