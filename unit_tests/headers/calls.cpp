// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function, once for each kind of number and method: what a template warns of, it warns of
// where it is instantiated, in a user's code. Compiled, never called.
#include <acc/acc.hpp>
#include <Kokkos_Core.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Scalar = Kokkos::View<T, Exec>;
template <class T>
using Vector = Kokkos::View<T*, Exec>;
template <class T>
using Matrix = Kokkos::View<T**, Exec>;
template <class T>
using Batch = Kokkos::View<T***, Exec>;

template <class T, class... Methods>
void sums(const Exec& exec, const Vector<T>& x, Methods... methods) {
  const Vector<const T> y = x;
  const Scalar<acc::impl::result_t<T>> r("r");
  ((acc::sum(exec, r, x, methods), acc::dot(exec, r, x, y, methods)), ...);
  (((void)acc::sum(x, methods), (void)acc::dotu(x, y, methods)), ...);
}

template <class T, class... Methods>
void norms(const Exec& exec, const Vector<T>& x, Methods... methods) {
  (((void)acc::asum(exec, x, methods), (void)acc::nrm2(exec, x, methods)), ...);
}

template <class T>
struct TeamSums {
  using member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Vector<T> x;
  KOKKOS_FUNCTION void operator()(const member& team) const {
    acc::team_scratch<T> scratch(team);
    x(team.league_rank()) = acc::team_dot(team, scratch, x, x) + acc::team_sum(team, scratch, x);
  }
};

template <class T, class Sum>
struct Deposits {
  Vector<T> x;
  Vector<Sum> sums;
  KOKKOS_FUNCTION void operator()(int i, Sum& sum) const {
    sum.add_product(x(i), x(i));
    sum += x(i);
    if constexpr (requires { sum + sum; }) Kokkos::atomic_add(&sums(i), Sum(x(i)));
  }
};

template <class T, class... Sums>
void reductions(const Exec& exec, const Vector<T>& x) {
  const auto reduce = [&]<class Sum>(Sum sum) {
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(exec, 0, 1),
                            Deposits<T, Sum>{x, Vector<Sum>("sums", 1)},
                            acc::AccumulatorSum<Sum, Kokkos::HostSpace>(sum));
    (void)sum.value();
  };
  (reduce(Sums()), ...);
}

template <class T>
struct Scatters {
  acc::scatter_sum<T, Exec> sums;
  Vector<T> x;
  KOKKOS_FUNCTION void operator()(int i) const { sums.add(0, x(i)); }
};

template <class T>
void by_index(const Exec& exec, const Vector<T>& x) {
  using R = acc::impl::result_t<T>;
  const Vector<int> index("index", 1);
  const Matrix<T> rows("rows", 1, 1);
  acc::sum_by_index(exec, Vector<R>("r", 1), index, x);
  acc::add_by_index(Vector<R>("r", 1), index, x, acc::reproducible<3>{});
  acc::sum_by_index(exec, Matrix<R>("r", 1, 1), index, rows);
  if constexpr (!acc::impl::is_half_scalar<T>) {
    const acc::scatter_sum<T, Exec> sums("sums", 1), of_range("of range", 1, {-10, 10});
    const Vector<acc::superaccumulator<T>> exact("exact", 1);
    Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(exec, 0, 1), Scatters<T>{sums, x});
    sums.round(exec, x);
    sums.add_to(exec, exact);
    of_range.add_from(exec, exact);
    sums.merge(exec, sums);
    sums.reset(exec);
  }
}

template <class T>
void statistics(const Exec& exec, const Vector<T>& x) {
  using R = acc::impl::result_t<T>;
  const Scalar<R> r("r");
  const Matrix<T> a("a", 1, 1);
  const Kokkos::View<T**, Kokkos::LayoutStride, Exec> b = a;
  const Vector<R> along("along", 1);
  (void)(acc::mean(exec, x), acc::variance(a, 1), acc::covariance(exec, x, x),
         acc::weighted_mean(a, b));
  acc::mean(exec, r, a);
  acc::variance(r, x, 1);
  acc::covariance(exec, r, a, b);
  acc::weighted_mean(exec, r, x, x);
  auto all = acc::statistics_of(x);
  all.merge(acc::statistics_of(exec, a));
  (void)(all.mean() + all.variance() + acc::statistics_of(x, x).covariance());
  acc::mean_along(exec, along, a, 0);
  acc::variance_along(along, a, -1, 1);
  acc::covariance_along(exec, along, a, b, 0);
  acc::weighted_mean_along(exec, along, a, x, 0);
}

template <class T>
void of_slices(const Exec& exec, const Vector<T>& x) {
  using R = acc::impl::real_t<T>;
  const Matrix<T> a("a", 1, 1);
  const Vector<R> norm("norm", 1);
  acc::sum(exec, x, a);
  acc::dot(exec, x, a, a, acc::exact{});
  acc::dotu(x, a, x, acc::reproducible<3>{});
  acc::asum(exec, norm, a);
  acc::nrm1(norm, a);
  acc::nrm2(exec, norm, a, acc::exact{});
  acc::sum_along(exec, x, a, 0);
  acc::nrm2_along(norm, a, 1);
}

template <class T>
void on_vectors(const Exec& exec, const Vector<T>& x) {
  const Scalar<acc::superaccumulator<T>> exact("exact");
  const Scalar<acc::binned<T, 3>> binned("binned");
  sums(exec, x, acc::plain{}, acc::compensated{}, acc::double_word{}, acc::fold<3>{}, acc::exact{},
       acc::reproducible<3>{});
  (void)acc::dot(exec, x, x, acc::compensated_fma{});
  norms(exec, x, acc::plain{}, acc::compensated{}, acc::exact{}, acc::reproducible<3>{});
  (void)(acc::sum_with_bound(x), acc::dot_with_bound(x, x));
  acc::accumulate(exec, exact, x);
  acc::accumulate_dot(exec, binned, x, x);
  acc::prefix_sum(exec, x, x);
  acc::prefix_sum(exec, x, x, acc::exact{});
  acc::segmented_sum(exec, x, x, Vector<int>("offsets", 2));
  acc::segmented_sum(exec, x, x, Vector<int>("offsets", 2), acc::exact{});
  acc::segmented_sum_by_lengths(exec, x, x, Vector<int>("lengths", 1));
  (void)acc::sum_by_key(exec, x, Vector<int>("unique", 1), Vector<int>("keys", 1), x);
  acc::exclusive_prefix_sum(exec, x, x);
  acc::exclusive_prefix_sum(x, x, acc::exact{});
  by_index(exec, x);
  of_slices(exec, x);
  Kokkos::parallel_for(Kokkos::TeamPolicy<Exec>(exec, 1, 1), TeamSums<T>{x});
  reductions<T, acc::double_word_number<T>, acc::expansion<T, 3>, acc::superaccumulator<T>,
             acc::binned<T, 3>>(exec, x);
}

template <class T, class... Methods>
void sparse_products(const Exec& exec, const Vector<T>& x, Methods... methods) {
  const acc::crs_matrix a{1, 1, Vector<int>("row_map", 2), Vector<int>("entries", 1), x};
  const Matrix<T> several("several", 1, 1);
  (acc::spmv(exec, "N", T(1), a, x, T(0), Vector<T>("y", 1), methods), ...);
  (acc::spmv(exec, "T", T(1), a, several, T(0), Matrix<T>("ys", 1, 1), methods), ...);
}

template <class T, class Out, class... Methods>
void products(const Exec& exec, const Vector<T>& x, const Vector<Out>& y, Methods... methods) {
  const Matrix<T> a("a", 1, 1);
  const Matrix<Out> c("c", 1, 1);
  (acc::gemm(exec, "N", "T", 1.0f, a, a, 0.0f, c, methods), ...);
  (acc::gemv(exec, "N", 1.0f, a, x, 0.0f, y, methods), ...);
}

template <class T>
void on_matrices(const Exec& exec, const Vector<T>& x) {
  const Matrix<T> a("a", 1, 1);
  const Batch<T> batch("batch", 1, 1, 1);
  products(exec, x, x, acc::blocked{}, acc::selective<acc::seeded>{}, acc::compensated{});
  acc::batched_gemm(exec, "N", "N", T(1), batch, batch, T(0), batch);
  sparse_products(exec, x, acc::plain{}, acc::compensated{}, acc::exact{});
}

template <class T>
void on_numbers_of_one_sign(const Exec& exec) {
  const Matrix<T> a("a", 1, 1);
  acc::ngemm(exec, "N", "N", T(1), a, a, T(0), a);
  acc::ngemm(exec, "N", "N", T(1), a, a, T(0), a, {.check_sign = true}, acc::plain{});
}

template <class T>
void on_narrow_numbers(const Exec& exec, const Vector<T>& x) {
  sums(exec, x, acc::widened{}, acc::exact{}, acc::reproducible<3>{});
  statistics(exec, x);
  products(exec, x, Vector<float>("y", 1), acc::widened{});
}

}  // namespace

void every_call(const Exec& exec) {
  const Vector<float> f("f", 1);
  const Vector<double> d("d", 1);
  const Vector<Kokkos::complex<float>> c("c", 1);
  const Vector<Kokkos::complex<double>> z("z", 1);
  on_vectors(exec, f);
  on_vectors(exec, d);
  on_vectors(exec, c);
  on_vectors(exec, z);
  on_matrices(exec, f);
  on_matrices(exec, d);
  on_matrices(exec, c);
  on_matrices(exec, z);
  products(exec, f, f, acc::plain{}, acc::selective<acc::kahan>{}, acc::selective<acc::priest>{});
  on_numbers_of_one_sign<float>(exec);
  on_numbers_of_one_sign<double>(exec);
  on_narrow_numbers(exec, f);
  statistics(exec, d);
  const Vector<Kokkos::Experimental::half_t> h("h", 1);
  const Vector<Kokkos::Experimental::bhalf_t> b("b", 1);
  on_narrow_numbers(exec, h);
  on_narrow_numbers(exec, b);
  by_index(exec, h);
  by_index(exec, b);
}
