// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MPI_HPP
#define ACC_MPI_HPP

/// \file
/// Order-free sums and matrix products over the ranks of an MPI communicator. Not part of
/// <acc/acc.hpp>: link acc::mpi (CMake: ACC_ENABLE_MPI, find_package(acc COMPONENTS mpi)).

#include <acc/mpi/all_reduce.hpp>
#include <acc/mpi/columns.hpp>
#include <acc/mpi/gemm.hpp>
#include <acc/mpi/scatter_sum.hpp>
#include <acc/mpi/statistics.hpp>
#include <acc/mpi/sum.hpp>
#include <acc/mpi/sum_by_index.hpp>

#endif
