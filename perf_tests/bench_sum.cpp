// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums: acc's methods, Kokkos::parallel_reduce, CUB or a hand-vectorised loop, and libraries that
// promise the same bits or the exact sum.

#include "peers_host.hpp"
#include "peers_libraries.hpp"
#include "reductions.hpp"

#include <acc/sum.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include "peers_cuda.hpp"
#endif

namespace {

using namespace perf;

template <class T>
struct sum {
  static constexpr const char* name = "sum";
  vector<T> x;

  explicit sum(std::int64_t n, family of = family::uniform) : x(data<T>(n, 0, of)) {}

  std::int64_t size() const { return std::int64_t(x.extent(0)); }
  double bytes() const { return double(size() * sizeof(T)); }
  template <class Method>
  void by_method(const Exec& exec, const result<T>& r, const Method& method) const {
    acc::sum(exec, r, x, method);
  }
  T by_loop() const { return peers::vectorised_sum(x.data(), size()); }
  static std::vector<serial_peer<sum, T>> by_libraries() {
    std::vector<serial_peer<sum, T>> all;
    if constexpr (!on_gpu && peers::has_xsum && sizeof(T) == 8)
      all.push_back({"xsum", [](const sum& s) { return peers::xsum_sum(s.x.data(), s.size()); }});
    if constexpr (!on_gpu && peers::has_reproblas)
      all.push_back(
          {"ReproBLAS", [](const sum& s) { return peers::reproblas_sum(s.x.data(), s.size()); }});
    return all;
  }
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i, T& s) const {
    s += x(i);
  }
};

template <class T>
void add_type(const std::string& type) {
  const reduction_rows<sum, T> rows(type);
#if defined(KOKKOS_ENABLE_CUDA)
  rows.add_peer("CUB", [](const Exec& exec, const sum<T>& s, const result<T>& r) {
    peers::cub_sum(exec.cuda_stream(), s.x.data(), s.size(), r.data());
  });
  if constexpr (peers::has_gpu_to_gpu)
    rows.add_peer("CUB gpu_to_gpu", [](const Exec& exec, const sum<T>& s, const result<T>& r) {
      peers::cub_sum_gpu_to_gpu(exec.cuda_stream(), s.x.data(), s.size(), r.data());
    });
#endif
  rows.add_plain_peers();
  rows.add_method("plain", acc::plain{});
  rows.add_method("compensated", acc::compensated{});
  rows.add_method("double_word", acc::double_word{});
  rows.add_method("fold<3>", acc::fold<3>{});
  rows.add_method("fold<4>", acc::fold<4>{});
  rows.add_method("fold<8>", acc::fold<8>{});
  rows.add_order_free();
}

#if !defined(KOKKOS_ENABLE_CUDA)
template <double (*F)(const double*, std::int64_t)>
void add_sequential(const std::string& name) {
  reduction_rows<sum, double>("f64").add_sequential(
      name, [](const sum<double>& s) { return F(s.x.data(), s.size()); });
}
#endif

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  reduction_rows<sum, float>("f32").add_method("widened", acc::widened{});
#if !defined(KOKKOS_ENABLE_CUDA)
  add_sequential<peers::sum2>("Sum2");
  add_sequential<peers::sum_xblas>("double-double (XBLAS)");
#endif
  return true;
}();

}  // namespace
