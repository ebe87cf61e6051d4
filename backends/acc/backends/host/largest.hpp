// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_LARGEST_HPP
#define ACC_BACKENDS_HOST_LARGEST_HPP

/// \file
/// The largest elements of columns on the host: a column, or a part of the only one, is a work
/// item's, and the last to end finds the largest of the parts'.

#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/elements/largest.hpp>
#include <acc/core/elements/modulus.hpp>
#include <acc/core/gemm/matrix_data.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

namespace acc::backends::host {

/// Of elements first to end of a column. A few at a time, so that comparisons need not wait for one
/// another.
template <class T>
impl::largest largest_of(const impl::matrix_data<const T>& x, std::int64_t first, std::int64_t end,
                         std::int64_t column) {
  constexpr int lanes = largest_tuning::lanes;
  impl::largest found[lanes];
  std::int64_t i = first;
  for (; i + lanes <= end; i += lanes) {
    for (int l = 0; l < lanes; ++l) {  // the first of equals stays
      const std::uint64_t bits = impl::modulus_bits(x(i + l, column));
      const bool larger = bits > found[l].bits || found[l].index == impl::largest::none;
      found[l].bits = larger ? bits : found[l].bits;
      found[l].index = larger ? i + l : found[l].index;
    }
  }
  for (; i < end; ++i) found[0].add(x(i, column), i);
  for (int l = 1; l < lanes; ++l) found[0].merge(found[l]);
  return found[0];
}

template <class L>
struct largest_kernel {
  L job;
  std::int64_t part;  ///< elements of a work item
  unsigned parts;     ///< work items of a column
  impl::largest* partials;
  unsigned* arrived;

  void operator()(std::int64_t item) const {
    if (parts == 1)
      return L::finish::write(job.result + item * job.stride,
                              largest_of(job.x, 0, job.x.rows, item));
    const std::int64_t first = item * part;
    partials[item] = largest_of(job.x, first, std::min(first + part, job.x.rows), 0);
    if (!arrives_last(arrived, parts)) return;
    impl::largest found;
    for (unsigned p = 0; p < parts; ++p) found.merge(partials[p]);
    L::finish::write(job.result, found);
  }
};

/// Enqueues it; asynchronous if exec is.
template <class Exec, class L>
void largest(const Exec& exec, workspace<Exec>& memory, const char* label, const L& job) {
  const std::int64_t columns = job.x.columns;
  if (columns == 0) return;
  std::int64_t parts = 1;
  if (columns == 1)
    parts = std::clamp<std::int64_t>(job.x.rows / largest_tuning::min_part, 1, most_largest);
  // Rounded up, the last parts may be empty.
  const largest_kernel<L> kernel{job, (job.x.rows + parts - 1) / parts, unsigned(parts),
                                 reinterpret_cast<impl::largest*>(memory.largest.data()),
                                 memory.arrived.data()};
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, columns == 1 ? parts : columns),
                       kernel);
}

}  // namespace acc::backends::host

#endif
