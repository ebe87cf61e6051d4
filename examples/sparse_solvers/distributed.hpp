// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sparse matrix whose rows are distributed over MPI ranks.
#pragma once

#include "matrix_market.hpp"
#include "solvers.hpp"

#include <acc/spmv.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// This rank's rows of a matrix, whose rows lie on the ranks of comm in blocks. Vectors are
/// distributed alike. A row keeps the order of its entries, so acc::spmv gives each element of the
/// product the same bits for any number of ranks. MPI reads and writes the host's memory alone, so
/// what other ranks need is packed and copied to it, and theirs is copied back.
template <class Exec>
class DistributedMatrix {
  using Rows = Kokkos::View<int*, typename Exec::memory_space>;

 public:
  /// \param all  the whole matrix, which is square; the same on every rank
  DistributedMatrix(MPI_Comm comm, const Entries& all)
      : comm_(comm), starts_(starts_of(comm, all.rows)), a_(to_crs<Exec>(own_rows(all))) {
    // The others need rows of this rank: each asks for those that its entries meet.
    const std::size_t ranks = starts_.size() - 1;
    send_counts_.resize(ranks);
    receive_counts_.resize(ranks);
    for (const int column : ghosts_) ++receive_counts_[owner(column)];
    MPI_Alltoall(receive_counts_.data(), 1, MPI_INT, send_counts_.data(), 1, MPI_INT, comm);
    receive_at_ = offsets(receive_counts_);
    send_at_ = offsets(send_counts_);
    send_ = Rows("send", std::size_t(send_at_.back() + send_counts_.back()));
    const auto send = Kokkos::create_mirror_view(send_);
    MPI_Alltoallv(ghosts_.data(), receive_counts_.data(), receive_at_.data(), MPI_INT, send.data(),
                  send_counts_.data(), send_at_.data(), MPI_INT, comm);
    for (std::size_t k = 0; k < send.size(); ++k) send(k) -= first();
    Kokkos::deep_copy(send_, send);
    x_ = Vector<Exec>("x with ghosts", std::size_t(rows()) + ghosts_.size());
    packed_ = Vector<Exec>("packed", send_.size());
    to_others_ = Kokkos::create_mirror_view(packed_);
    from_others_ = Kokkos::create_mirror_view(ghosts_of_x());
  }

  int rows() const { return starts_[rank() + 1] - starts_[rank()]; }
  int first() const { return starts_[rank()]; }

  /// y = alpha A x + beta y
  template <class X, class Y>
  void operator()(const Exec& exec, const X& x, const Y& y, double alpha = 1,
                  double beta = 0) const {
    const Vector<Exec> own = Kokkos::subview(x_, Kokkos::pair(0, rows()));
    Kokkos::deep_copy(exec, own, x);
    const Rows send = send_;
    const Vector<Exec> packed = packed_;
    Kokkos::parallel_for(
        "pack", Kokkos::RangePolicy<Exec>(exec, 0, send_.extent_int(0)),
        KOKKOS_LAMBDA(int k) { packed(k) = own(send(k)); });
    Kokkos::deep_copy(exec, to_others_, packed_);
    exec.fence();
    MPI_Alltoallv(to_others_.data(), send_counts_.data(), send_at_.data(), MPI_DOUBLE,
                  from_others_.data(), receive_counts_.data(), receive_at_.data(), MPI_DOUBLE,
                  comm_);
    Kokkos::deep_copy(exec, ghosts_of_x(), from_others_);
    acc::spmv(exec, "N", alpha, a_, x_, beta, y);
  }

 private:
  Vector<Exec> ghosts_of_x() const {
    return Kokkos::subview(x_, Kokkos::pair(std::size_t(rows()), x_.size()));
  }
  std::size_t rank() const {
    int rank;
    MPI_Comm_rank(comm_, &rank);
    return std::size_t(rank);
  }
  std::size_t owner(int column) const {
    return std::size_t(std::upper_bound(starts_.begin(), starts_.end(), column) - starts_.begin() -
                       1);
  }
  /// The first row of each rank, and the count of rows.
  static std::vector<int> starts_of(MPI_Comm comm, int rows) {
    int ranks;
    MPI_Comm_size(comm, &ranks);
    std::vector<int> starts;
    for (int r = 0; r <= ranks; ++r) starts.push_back(int(std::int64_t(rows) * r / ranks));
    return starts;
  }
  static std::vector<int> offsets(const std::vector<int>& counts) {
    std::vector<int> at(counts.size());
    for (std::size_t r = 1; r < counts.size(); ++r) at[r] = at[r - 1] + counts[r - 1];
    return at;
  }
  /// This rank's rows. Columns 0, 1, ... are its own; then come ghosts_, in order of their owners.
  Entries own_rows(const Entries& all) {
    Entries own{rows(), 0, {}};
    for (const Entry& e : all.list) {
      if (e.row < first() || e.row >= first() + rows()) continue;
      own.list.push_back({e.row - first(), e.column, e.value});
      if (owner(e.column) != rank()) ghosts_.push_back(e.column);
    }
    std::sort(ghosts_.begin(), ghosts_.end());
    ghosts_.erase(std::unique(ghosts_.begin(), ghosts_.end()), ghosts_.end());
    for (Entry& e : own.list) {
      const auto ghost = std::lower_bound(ghosts_.begin(), ghosts_.end(), e.column);
      e.column =
          owner(e.column) == rank() ? e.column - first() : rows() + int(ghost - ghosts_.begin());
    }
    own.columns = rows() + int(ghosts_.size());
    return own;
  }

  MPI_Comm comm_;
  std::vector<int> starts_;
  std::vector<int> ghosts_;  // columns of other ranks that own rows have entries in
  decltype(to_crs<Exec>(Entries())) a_;
  std::vector<int> send_counts_, send_at_, receive_counts_, receive_at_;  // of each rank
  Rows send_;                                                             // own rows
  Vector<Exec> x_, packed_;
  typename Vector<Exec>::host_mirror_type to_others_, from_others_;
};
