/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * <acc/c_mpi.h> is C: some of its functions, called with a communicator of C. */
#include <acc/c_mpi.h>

int c_mpi_in_c(double* sum, double* dot, float sums[2], float dots[2]);
int c_mpi_in_c(double* sum, double* dot, float sums[2], float dots[2]) {
  const double x[] = {1, 1e100, 1, -1e100};
  const float w[] = {1, 2}, f[] = {1, 2, 3, 4};
  int status = acc_mpi_dsum_exact(MPI_COMM_WORLD, 4, x, 1, sum);
  if (status == ACC_SUCCESS) status = acc_mpi_ddot_exact(MPI_COMM_WORLD, 4, x, 1, x, 0, dot);
  if (status == ACC_SUCCESS) status = acc_mpi_ssums_exact(MPI_COMM_WORLD, 2, 2, f, 2, sums);
  if (status == ACC_SUCCESS) status = acc_mpi_sdots_exact(MPI_COMM_WORLD, 2, 2, w, f, 2, dots);
  return status;
}
