// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/c_mpi.h>

#include <acc/core/superaccumulator.hpp>
#include <acc/mpi/all_reduce.hpp>
#include <acc/mpi/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "exact_sums.hpp"

namespace acc::blas {
namespace {

/// What handle() gives, which may ask MPI, if it is an intra-communicator.
template <class Handle>
MPI_Comm communicator(const char* function, const Handle& handle) {
  int begun = 0, ended = 0;
  mpi::impl::check(MPI_Initialized(&begun), function, "MPI_Initialized");
  mpi::impl::check(MPI_Finalized(&ended), function, "MPI_Finalized");
  if (begun == 0 || ended != 0)
    throw std::runtime_error(begun == 0 ? "MPI is not initialized" : "MPI has been finalized");
  const MPI_Comm comm = handle();
  mpi::impl::check_communicator(function, comm);
  return comm;
}

template <class T>
void reduce_sums(const char* function, MPI_Comm comm, int root,
                 std::vector<superaccumulator<T>>& sums) {
  const auto m = static_cast<std::int64_t>(sums.size());
  mpi::impl::check_same_extent(function, comm, "the number of sums is", m);
  mpi::impl::reduce_sums(function, comm, root, sums.data(), m);
}

/// *result = the sum over all ranks of local().
template <class Handle, class T, class Local>
int sum_of_ranks(const char* function, const Handle& handle, T* result, const Local& local) {
  return guarded(function, [&] {
    const MPI_Comm comm = communicator(function, handle);
    need("result", result);
    superaccumulator<T> sum = local();
    mpi::impl::reduce_sums(function, comm, -1, &sum, 1);
    *result = sum.value();
  });
}

/// result[j] = the sum over all ranks of local(column j).
template <class Handle, class T, class Local>
int sums_of_ranks(const char* function, const Handle& handle, std::int64_t n, std::int64_t m,
                  const T* x, std::int64_t ldx, T* result, const Local& local) {
  return guarded(function, [&] {
    const MPI_Comm comm = communicator(function, handle);
    if (n < 0) throw std::invalid_argument("n is " + std::to_string(n));
    if (m < 0) throw std::invalid_argument("m is " + std::to_string(m));
    if (ldx < n)
      throw std::invalid_argument("ldx is " + std::to_string(ldx) + ", but n is " +
                                  std::to_string(n));
    if (m > 0) need("result", result);
    if (m > 0 && n > 0 && x == nullptr)
      throw std::invalid_argument("x is a null pointer, but n is " + std::to_string(n));
    std::vector<superaccumulator<T>> sums;
    sums.reserve(static_cast<std::size_t>(m));
    for (std::int64_t j = 0; j < m; ++j)
      sums.push_back(local(vector<T>{"x", n > 0 ? x + j * ldx : nullptr, 1}));
    reduce_sums(function, comm, -1, sums);
    for (const superaccumulator<T>& sum : sums) *result++ = sum.value();
  });
}

/// root: null where all ranks get the result.
template <class Handle>
int reduce_object(const char* function, const Handle& handle, const int* root,
                  acc_exact_sums* sums) {
  return guarded(function, [&] {
    const MPI_Comm comm = communicator(function, handle);
    if (root != nullptr) mpi::impl::check_root(function, *root);
    need("sums", sums);
    auto merged = sums->sum;  // a call that fails changes no sum
    reduce_sums(function, comm, root == nullptr ? -1 : *root, merged);
    sums->sum.swap(merged);
  });
}

}  // namespace
}  // namespace acc::blas

#define ACC_DEFINE_OF_TYPE(prefix, Comm, from, type, T)                                           \
  int acc_mpi_##prefix##type##sum_exact(Comm comm, std::int64_t n, const T* x, std::int64_t incx, \
                                        T* result) {                                              \
    using namespace acc::blas;                                                                    \
    return sum_of_ranks(                                                                          \
        "acc_mpi_" #type "sum_exact", [&] { return from(comm); }, result,                         \
        [&] { return exact_sum(n, vector<T>{"x", x, incx}); });                                   \
  }                                                                                               \
  int acc_mpi_##prefix##type##dot_exact(Comm comm, std::int64_t n, const T* x, std::int64_t incx, \
                                        const T* y, std::int64_t incy, T* result) {               \
    using namespace acc::blas;                                                                    \
    return sum_of_ranks(                                                                          \
        "acc_mpi_" #type "dot_exact", [&] { return from(comm); }, result,                         \
        [&] { return exact_dot(n, vector<T>{"x", x, incx}, vector<T>{"y", y, incy}); });          \
  }                                                                                               \
  int acc_mpi_##prefix##type##sums_exact(Comm comm, std::int64_t n, std::int64_t m, const T* x,   \
                                         std::int64_t ldx, T* result) {                           \
    using namespace acc::blas;                                                                    \
    return sums_of_ranks(                                                                         \
        "acc_mpi_" #type "sums_exact", [&] { return from(comm); }, n, m, x, ldx, result,          \
        [&](const vector<T>& column) { return exact_sum(n, column); });                           \
  }                                                                                               \
  int acc_mpi_##prefix##type##dots_exact(Comm comm, std::int64_t n, std::int64_t m, const T* w,   \
                                         const T* x, std::int64_t ldx, T* result) {               \
    using namespace acc::blas;                                                                    \
    return sums_of_ranks(                                                                         \
        "acc_mpi_" #type "dots_exact", [&] { return from(comm); }, n, m, x, ldx, result,          \
        [&](const vector<T>& column) { return exact_dot(n, vector<T>{"w", w, 1}, column); });     \
  }
#define ACC_DEFINE(prefix, Comm, from)                                                 \
  ACC_DEFINE_OF_TYPE(prefix, Comm, from, s, float)                                     \
  ACC_DEFINE_OF_TYPE(prefix, Comm, from, d, double)                                    \
  int acc_mpi_##prefix##exact_sums_all_reduce(Comm comm, acc_exact_sums* sums) {       \
    return acc::blas::reduce_object(                                                   \
        "acc_mpi_exact_sums_all_reduce", [&] { return from(comm); }, nullptr, sums);   \
  }                                                                                    \
  int acc_mpi_##prefix##exact_sums_reduce(Comm comm, int root, acc_exact_sums* sums) { \
    return acc::blas::reduce_object(                                                   \
        "acc_mpi_exact_sums_reduce", [&] { return from(comm); }, &root, sums);         \
  }
ACC_DEFINE(, MPI_Comm, )
ACC_DEFINE(f_, MPI_Fint, MPI_Comm_f2c)
