// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of complex matrices, in turn with the peer (blas.hpp). A product counts as four real
// ones.

#include "gemm_shapes.hpp"

namespace {

using namespace perf;

template <class R>
void add_type(const std::string& type) {
  std::vector<int> sizes = {1024};
  if (on_gpu) sizes.insert(sizes.end(), {2048, 4096});
  for (const int n : sizes) add_shape<Kokkos::complex<R>>(type, std::to_string(n), {n, n, n});
}

const bool registered = [] {
  add_type<double>("complex f64");
  add_type<float>("complex f32");
  return true;
}();

}  // namespace
