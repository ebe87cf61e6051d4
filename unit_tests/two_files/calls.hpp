// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls whose kernels may have more than 48 KiB of scratch memory on a GPU. CUDA has to be asked
// for that for each file that compiles such a kernel (docs/dev/gemm-cuda.md).
#pragma once

#include <acc/gemm.hpp>
#include <acc/sum_by_index.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

namespace acc_test {

using Numbers = std::vector<double>;

template <class View>
Numbers numbers_of(const View& v) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  return Numbers(host.data(), host.data() + host.size());
}

/// A B with the large tiles of a GPU. Every entry is a small integer.
template <class T>
Numbers product() {
  using Exec = Kokkos::DefaultExecutionSpace;
  const int n = 2304, k = 40;
  const Kokkos::View<T**, Kokkos::LayoutLeft, Exec> a("a", n, k), b("b", k, n), c("c", n, n);
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(0, n), KOKKOS_LAMBDA(int i) {
        for (int l = 0; l < k; ++l) {
          a(i, l) = T((i + l) % 7 - 3);
          b(l, i) = T((i + 2 * l) % 5 - 2);
        }
      });
  acc::gemm(Exec(), "N", "N", T(1), a, b, T(0), c);
  return numbers_of(c);
}

/// Sums of one number in each `sums`, which teams of a GPU keep in scratch memory.
inline Numbers sums_of(int sums) {
  using Exec = Kokkos::DefaultExecutionSpace;
  const int n = 1 << 20;
  const Kokkos::View<float*, Exec> x("x", n), r("r", sums);
  const Kokkos::View<int*, Exec> index("index", n);
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(0, n), KOKKOS_LAMBDA(int i) {
        x(i) = float(i % 11);
        index(i) = i % sums;
      });
  acc::sum_by_index(Exec(), r, index, x);
  return numbers_of(r);
}

Numbers product_of_second_file(bool is_double);
Numbers sums_of_second_file(int sums);

}  // namespace acc_test
