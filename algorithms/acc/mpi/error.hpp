// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_MPI_ERROR_HPP
#define ACC_MPI_ERROR_HPP

/// \file
/// How the distributed functions refuse wrong input and report what MPI reports.

#include <cstddef>
#include <mpi.h>
#include <stdexcept>
#include <string>

namespace acc::mpi::impl {

/// MPI's error codes as exceptions. Communicators abort on errors unless told otherwise, so this is
/// for those with MPI_ERRORS_RETURN.
inline void check(int code, const char* function, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(std::string(function) + ": " + call +
                           " failed: " + std::string(text, static_cast<std::size_t>(length)));
}

/// The ranks that comm has. Throws where it is none, or an inter-communicator, whose reductions
/// give each group the other's sum.
inline int check_communicator(const char* function, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL)
    throw std::invalid_argument(std::string(function) + ": comm is MPI_COMM_NULL");
  int between = 0, ranks = 0;
  check(MPI_Comm_test_inter(comm, &between), function, "MPI_Comm_test_inter");
  if (between != 0)
    throw std::invalid_argument(std::string(function) + ": comm is an inter-communicator");
  check(MPI_Comm_size(comm, &ranks), function, "MPI_Comm_size");
  return ranks;
}

}  // namespace acc::mpi::impl

#endif
