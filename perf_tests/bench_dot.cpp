// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products: acc's methods, the BLAS, Kokkos::parallel_reduce, hand-written loops, and libraries
// that promise the same bits.

#include "blas.hpp"
#include "peers_host.hpp"
#include "peers_libraries.hpp"
#include "reductions.hpp"

#include <acc/dot.hpp>
#include <acc/nrm2.hpp>

namespace {

using namespace perf;

/// x is of the family; y is uniform.
template <class T>
struct dot {
  static constexpr const char* name = "dot";
  vector<T> x, y;

  explicit dot(std::int64_t n, family of = family::uniform)
      : x(data<T>(n, 0, of)), y(data<T>(n, 1)) {}

  std::int64_t size() const { return std::int64_t(x.extent(0)); }
  double bytes() const { return double(2 * size() * sizeof(T)); }
  template <class Method>
  void by_method(const Exec& exec, const result<T>& r, const Method& method) const {
    acc::dot(exec, r, x, y, method);
  }
  T by_loop() const { return peers::vectorised_dot(x.data(), y.data(), size()); }
  /// Both libraries round each product before they add it.
  static std::vector<serial_peer<dot, T>> by_libraries() {
    std::vector<serial_peer<dot, T>> all;
    if constexpr (!on_gpu && peers::has_xsum && sizeof(T) == 8)
      all.push_back(
          {"xsum", [](const dot& d) { return peers::xsum_dot(d.x.data(), d.y.data(), d.size()); }});
    if constexpr (!on_gpu && peers::has_reproblas)
      all.push_back({"ReproBLAS", [](const dot& d) {
                       return peers::reproblas_dot(d.x.data(), d.y.data(), d.size());
                     }});
    return all;
  }
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i, T& s) const {
    s += x(i) * y(i);
  }
};

template <class T>
void add_type(const std::string& type) {
  const reduction_rows<dot, T> rows(type);
  if constexpr (blas::exists)
    rows.add_peer(blas::name, [](const Exec&, const dot<T>& d, const result<T>& r) {
      blas::dot(d.size(), d.x.data(), d.y.data(), r.data());
    });
  rows.add_plain_peers();
  rows.add_method("plain", acc::plain{});
  rows.add_method("compensated", acc::compensated{});
  rows.add_method("compensated_fma", acc::compensated_fma{});
  rows.add_method("double_word", acc::double_word{});
  rows.add_method("fold<3>", acc::fold<3>{});
  rows.add_method("fold<4>", acc::fold<4>{});
  rows.add_order_free();
  add("nrm2/" + type + "/acc compensated", [](benchmark::State& state, std::int64_t n) {
    const auto x = data<T>(n);
    const result<T> r("r");
    measure(state, double(n * sizeof(T)), [&] { acc::nrm2(Exec(), r, x); });
  });
}

#if !defined(KOKKOS_ENABLE_CUDA)
template <double (*F)(const double*, const double*, std::int64_t)>
void add_sequential(const std::string& name) {
  reduction_rows<dot, double>("f64").add_sequential(
      name, [](const dot<double>& d) { return F(d.x.data(), d.y.data(), d.size()); });
}
#endif

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  reduction_rows<dot, float>("f32").add_method("widened", acc::widened{});
#if !defined(KOKKOS_ENABLE_CUDA)
  add_sequential<peers::dot_fma>("DotFMA");
  add_sequential<peers::comp_dot>("CompDot");
  add_sequential<peers::comp_dot_fma>("CompDotFMA");
  add_sequential<peers::dot_xblas>("double-double (XBLAS)");
#endif
  return true;
}();

}  // namespace
