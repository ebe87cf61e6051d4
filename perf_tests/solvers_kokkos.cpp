// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The example's solvers once more, in a namespace where acc is the name of Kokkos Kernels'
// functions.
#include "solvers.hpp"

// All that solvers.hpp includes: below, it is included in a namespace.
#include <acc/axpby.hpp>
#include <acc/dot.hpp>
#include <acc/gemv.hpp>
#include <acc/scal.hpp>
#include <acc/spmv.hpp>
#include <acc/update.hpp>

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_scal.hpp>
#include <KokkosBlas1_update.hpp>
#include <KokkosBlas2_gemv.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace perf::solvers {
namespace with_kokkos_kernels {

/// A matrix, and what its first product sets up for the others.
struct matrix {
  using exec = Kokkos::DefaultExecutionSpace;
  using crs = KokkosSparse::CrsMatrix<double, int, exec, void, int>;
  using vector = Kokkos::View<double*, exec, Kokkos::MemoryUnmanaged>;

  crs a;
  std::shared_ptr<KokkosSparse::SPMVHandle<exec, crs, vector, vector>> setup =
      std::make_shared<KokkosSparse::SPMVHandle<exec, crs, vector, vector>>();
};

namespace acc {
using KokkosBlas::axpby;
using KokkosBlas::axpy;
using KokkosBlas::gemv;
using KokkosBlas::scal;
using KokkosBlas::update;

template <class Exec, class X, class Y>
double dot(const Exec& exec, const X& x, const Y& y) {
  return KokkosBlas::dot(exec, x, y);
}
/// With each column of a matrix, as programs without acc call it.
template <class Exec, class R, class X, class Y>
void dot(const Exec& exec, const R& r, const X& x, const Y& y) {
  KokkosBlas::gemv(exec, "T", 1.0, x, y, 0.0, r);
}
template <class Exec, class X, class Y>
void spmv(const Exec& exec, const char* mode, double alpha, const matrix& a, const X& x,
          double beta, const Y& y) {
  KokkosSparse::spmv(exec, a.setup.get(), mode, alpha, a.a, matrix::vector(x.data(), x.extent(0)),
                     beta, matrix::vector(y.data(), y.extent(0)));
}
}  // namespace acc

#include "../examples/sparse_solvers/solvers.hpp"

}  // namespace with_kokkos_kernels

peer kokkos_solver(const system& s, kind which) {
  using namespace with_kokkos_kernels;
  using Exec = matrix::exec;
  const auto m = to_crs<Exec>(s.a);
  const matrix a{matrix::crs("A", s.a.rows, s.a.columns, int(s.a.list.size()), m.values, m.row_map,
                             m.entries)};
  const Vector<Exec> b("b", s.a.rows), x("x", s.a.rows);
  Kokkos::deep_copy(b, 1.0);
  return [=, until = Until{s.tolerance, s.iterations}] {
    return ACC_PERF_SOLVE(which, Exec(), a, b, x, AccDot(), until);
  };
}

}  // namespace perf::solvers
