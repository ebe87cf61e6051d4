// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: acc's methods, each in turn with the peer (blas.hpp).

#include "gemm_shapes.hpp"

namespace {

using namespace perf;

template <class T>
void add_squares(const std::string& type) {
  std::vector<int> sizes = {1024, 2048, 4096};
  if (on_gpu) sizes.insert(sizes.end(), {8192, 16384});
  for (const int n : sizes) {
    const shape s{n, n, n};
    const std::string begin = "gemm/" + type + "/" + std::to_string(n) + "/";
    const auto add = [&](const std::string& name, auto method) {
      add_method<T>(begin + "acc " + name, s, method);
    };
    add_peer<T>(begin + blas::name, s);
    add("plain", acc::plain{});
    add("blocked 64", acc::blocked{.strip = 64});
    for (const std::int64_t strip : {64, 256}) {
      add("kahan " + std::to_string(strip), acc::selective<acc::kahan>{.strip = strip});
      add("priest " + std::to_string(strip), acc::selective<acc::priest>{.strip = strip});
    }
    for (const std::int64_t strip : {64, 128, 256})
      add("seeded " + std::to_string(strip), acc::selective<acc::seeded>{.strip = strip});
    add("compensated", acc::compensated{});
    if constexpr (sizeof(T) == 4) add("widened", acc::widened{});
  }
}

/// Small and skinny shapes; operations and layouts.
template <class T>
void add_shapes(const std::string& type) {
  for (const int n : {32, 64, 128, 256}) add_shape<T>(type, std::to_string(n), {n, n, n});
  add_shape<T>(type, "64x64x65536", {64, 64, 65536});
  add_shape<T>(type, "64x64x1000000", {64, 64, 1000000});
  add_shape<T>(type, "128x128x32768", {128, 128, 32768});
  add_shape<T>(type, "256x256x32768", {256, 256, 32768});
  add_shape<T>(type, "2048x16x2048", {2048, 16, 2048});
  add_shape<T>(type, "16x2048x2048", {16, 2048, 2048});

  const int n = on_gpu ? 4096 : 2048;
  const auto add = [&](const std::string& name, bool trans_a, bool trans_b, bool turned_a = false,
                       bool turned_b = false, bool turned_c = false) {
    add_shape<T>(type, name + ", " + std::to_string(n),
                 {n, n, n, trans_a, trans_b, turned_a, turned_b, turned_c});
  };
  add("A^T B", true, false);
  add("A B^T", false, true);
  add("A^T B^T", true, true);
  add("other layout", false, false, true, true, true);
  add("A in other layout", false, false, true);
  add("B in other layout", false, false, false, true);
  add("C in other layout", false, false, false, false, true);
}

template <class T>
void add_type(const std::string& type) {
  add_squares<T>(type);
  add_shapes<T>(type);
}

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  return true;
}();

}  // namespace
