// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MPI_GEMM_HPP
#define ACC_MPI_GEMM_HPP

/// \file
/// Matrix products whose inner dimension is distributed over ranks.

#include <acc/accumulate_gemm.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/gemm/exact_entry.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/method.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/gemm.hpp>
#include <acc/impl/gemm.hpp>
#include <acc/impl/reduce.hpp>
#include <acc/mpi/all_reduce.hpp>
#include <acc/mpi/error.hpp>

#include <cstddef>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace acc::mpi {
namespace impl {

inline constexpr acc::impl::gemm_names names_of_gemm{"acc::mpi::gemm", "A",     "B",      "C",
                                                     "op(A)",          "op(B)", "transA", "transB"};

/// Some columns of C from their sums.
template <class Problem>
struct write_entries_kernel {
  using total = acc::impl::entry_accumulator<typename Problem::in>;

  Problem problem;
  total* sums;  ///< by columns

  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    acc::impl::exact_sum<typename Problem::in> s;
    for (int k = 0; k < Problem::parts; ++k) s.part[k] = acc::impl::part_of(sums[e], k);
    acc::impl::write_exact_entry(problem, e % problem.c.rows, e / problem.c.rows, s);
  }
};

/// The inner dimension of all ranks together, or at least whether there is any. Throws on all ranks
/// where they disagree about C, or whether alpha is 0, and with it how often they communicate.
template <class Problem>
std::int64_t common_depth(const char* function, MPI_Comm comm, const Problem& p,
                          bool alpha_is_zero) {
  const std::int64_t m = p.c.rows, n = p.c.columns;
  std::int64_t most[] = {m, -m, n, -n, p.depth(), alpha_is_zero ? 1 : 0, alpha_is_zero ? 0 : 1};
  check(MPI_Allreduce(MPI_IN_PLACE, most, 7, MPI_INT64_T, MPI_MAX, comm), function,
        "MPI_Allreduce");
  const auto span = [](std::int64_t least, std::int64_t greatest) {
    return std::to_string(least) + (least == greatest ? "" : " to " + std::to_string(greatest));
  };
  if (most[0] != -most[1] || most[2] != -most[3])
    throw std::invalid_argument(std::string(function) + ": C is " + std::to_string(m) + " x " +
                                std::to_string(n) + " on this rank, but the ranks' have " +
                                span(-most[1], most[0]) + " rows and " + span(-most[3], most[2]) +
                                " columns");
  if (most[5] == 1 && most[6] == 1)
    throw std::invalid_argument(std::string(function) +
                                ": alpha is 0 on some ranks and not on others");
  return most[4];
}

}  // namespace impl

/// C = alpha op(A) op(B) + beta C, where each rank of comm has some columns of op(A) and the rows
/// of op(B) that belong to them: op(A) and op(B) are those of all ranks side by side. Every rank
/// gets C, correctly rounded: the bits of acc::gemm of the whole matrices with the method exact,
/// for any number of ranks and any distribution of the inner dimension.
///
/// \param comm   intra-communicator; collective: every rank calls with the same types, the same
///               alpha, beta, m and n, and, where beta is not 0, the same C
/// \param exec   execution space instance of this rank; fenced
/// \param transA, transB, alpha, a, b, beta, c  as for acc::gemm with the method exact, this rank's
///               k, which may be 0 and another on each rank
///
/// For some columns of C at a time, up to 2^16 entries or one column: one acc::accumulate_gemm into
/// superaccumulators, one all_reduce of 128 bytes per entry and part (float: 100;
/// docs/distributed.md says where it is more), and one rounding.
/// \throws std::invalid_argument as acc::gemm and all_reduce (what acc::gemm rejects is rejected
///         before any communication, on that rank alone; the other ranks wait for it), and on all
///         ranks if they have C's of different extents, or alpha is 0 on some of them alone
template <kokkos_execution_space Exec, kokkos_view A, kokkos_view B, kokkos_view C>
void gemm(MPI_Comm comm, const Exec& exec, const char* transA, const char* transB,
          acc::impl::coefficient_t<C> alpha, const A& a, const B& b,
          acc::impl::coefficient_t<C> beta, const C& c, exact = {}) {
  constexpr const char* function = "acc::mpi::gemm";
  ACC_CHECK_GEMM("acc::mpi::gemm", 2, exact, Exec, A, B, C);
  using coefficient = acc::impl::coefficient_t<C>;
  using in = typename A::non_const_value_type;
  using total = acc::impl::entry_accumulator<in>;
  using one = acc::impl::result_t<in>;
  auto whole = acc::impl::make_gemm_problem(impl::names_of_gemm, transA, transB, alpha, a, b, beta,
                                            c, exact{});
  impl::check_communicator(function, comm);
  const bool alpha_is_zero = alpha == coefficient(0);
  if (impl::common_depth(function, comm, whole, alpha_is_zero) == 0 || alpha_is_zero) {
    acc::gemm(exec, transA, transB, coefficient(0), a, b, beta, c, exact{});
    exec.fence(function);
    return;
  }
  // What make_gemm_problem leaves out of a product without depth counts here.
  whole.set_scale(alpha, beta);
  const std::int64_t m = whole.c.rows, n = whole.c.columns;
  if (m == 0 || n == 0) return;
  const std::int64_t columns = std::clamp<std::int64_t>(impl::sums_at_once / m, 1, n);
  const Kokkos::View<total*, typename Exec::memory_space> sums(
      Kokkos::view_alloc(exec, std::string(function)), std::size_t(m * columns));
  for (std::int64_t first = 0; first < n; first += columns) {
    const std::int64_t count = std::min(columns, n - first);
    auto block = whole;
    block.batches = 1;
    block.b.data += first * block.b.column_stride;
    block.c.data += first * block.c.column_stride;
    block.b.columns = block.c.columns = count;
    const auto of_block =
        Kokkos::subview(sums, std::pair<std::int64_t, std::int64_t>(0, m * count));
    if (first > 0) Kokkos::deep_copy(exec, of_block, total());
    if (whole.depth() > 0) {
      acc::impl::gemm_problem<exact, in, total> products;
      products.a = block.a;
      products.b = block.b;
      products.c = {of_block.data(), m, count, 1, m};
      products.batches = 1;
      products.strip = block.strip;
      products.set_scale(one(1), one(1));
      acc::impl::run_gemm(exec, function, products);
    }
    impl::reduce_view(function, comm, -1, exec, of_block);
    Kokkos::parallel_for(
        function, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, m * count),
        impl::write_entries_kernel<decltype(block)>{block, of_block.data()});
  }
  exec.fence(function);
}

/// On the default instance of C's execution space.
template <kokkos_view A, kokkos_view B, kokkos_view C>
void gemm(MPI_Comm comm, const char* transA, const char* transB, acc::impl::coefficient_t<C> alpha,
          const A& a, const B& b, acc::impl::coefficient_t<C> beta, const C& c, exact = {}) {
  gemm(comm, typename C::execution_space{}, transA, transB, alpha, a, b, beta, c);
}

}  // namespace acc::mpi

#endif
