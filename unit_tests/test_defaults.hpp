// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who names no method has the same bits everywhere, too: every call without one has the bits of the
// same call with the method that the documents name, on every execution space, and golden ones.
#pragma once

#include "gemm_calls.hpp"
#include "golden.hpp"
#include "public_calls.hpp"

#include <acc/acc.hpp>
#include <acc/core/gemm_default.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace acc_test {
namespace {

/// The defaults as docs/methods.md has them, written out.
using default_of_sums = acc::compensated;
template <class T>
constexpr auto default_of_products() {
  if constexpr (acc::impl::is_half_scalar<T>)
    return acc::widened{};
  else
    return acc::selective<acc::seeded>{.strip = 256};
}

/// The bits of the first and the last number of a result, and a digest of all.
struct ResultBits {
  std::string ends, all;
  bool operator==(const ResultBits&) const = default;
};
inline void PrintTo(const ResultBits& r, std::ostream* out) { *out << r.ends << ' ' << r.all; }

template <class T>
ResultBits bits_of(const std::vector<T>& x) {
  if constexpr (acc::impl::is_half_scalar<T>) {
    return bits_of(std::vector<float>(x.begin(), x.end()));
  } else {
    if (x.size() == 1) return {bits(x[0]), ""};
    return {bits(x.front()) + " " + bits(x.back()), bits_of_all(x)};
  }
}

/// 1, then numbers of 0.3 units in its last place, which a plain sum of one lane loses all.
template <class T>
std::vector<T> lost_in_a_lane(std::size_t n) {
  std::vector<T> x(n, T(real_t<T>(0.6) * u<real_t<T>>));
  x[0] = T(1);
  return x;
}
/// The same of squares.
template <class T>
std::vector<T> squares_lost_in_a_lane(std::size_t n) {
  std::vector<T> x(n, T(std::sqrt(real_t<T>(0.6) * u<real_t<T>>)));
  x[0] = T(1);
  return x;
}

/// What a function gives where the default method is named, and what each way of calling it gives
/// that names none.
struct DefaultCall {
  std::string function;
  ResultBits by_name;
  std::vector<std::pair<std::string, ResultBits>> by_default;
};

/// Element i to sum i mod 2.
template <class T, class E>
struct AddByParity {
  acc::scatter_sum<T, E> sums;
  Kokkos::View<T*, Kokkos::LayoutRight, E> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sums.add(i % 2, x(i)); }
};

/// Every public function on execution space E, of elements T.
template <class E, class T>
class DefaultCalls {
 public:
  static std::vector<DefaultCall> all() {
    DefaultCalls calls;
    if constexpr (acc::impl::is_half_scalar<T>) {
      calls.add_products<T>("");
      calls.add_products<float>(" into float");
    } else {
      calls.add_sums();
      calls.add_scans();
      calls.add_slices();
      calls.add_products<T>("");
      if constexpr (!is_complex<T>) {
        calls.add_statistics();
        calls.add_recursive_products();
      }
    }
    return std::move(calls.calls_);
  }

 private:
  using R = real_t<T>;
  /// By rows, so that a digest does not depend on E.
  template <class Of>
  using View = Kokkos::View<Of, Kokkos::LayoutRight, E>;

  static View<T*> vector(const std::vector<T>& x) {
    const View<T*> v("x", x.size());
    const auto h = Kokkos::create_mirror_view(v);
    std::copy(x.begin(), x.end(), h.data());
    Kokkos::deep_copy(v, h);
    return v;
  }
  template <class Of, class... Extents>
  static View<Of> filled(Data family, std::uint64_t seed, Extents... extents) {
    using X = typename View<Of>::value_type;
    const View<Of> v("x", extents...);
    const auto h = Kokkos::create_mirror_view(v);
    if constexpr (acc::impl::is_half_scalar<X>) {
      const auto x = make<float>(family, v.span(), seed);
      std::transform(x.begin(), x.end(), h.data(), [](float f) { return static_cast<X>(f); });
    } else {
      const auto x = elements<X>(family, v.span(), seed);
      std::copy(x.begin(), x.end(), h.data());
    }
    Kokkos::deep_copy(v, h);
    return v;
  }

  /// Every call writes a copy of `start`.
  template <class V>
  void add(const std::string& function, const V& start,
           const std::function<void(const V&)>& by_name,
           const std::vector<std::pair<std::string, std::function<void(const V&)>>>& by_default) {
    using X = typename V::non_const_value_type;
    const auto result = [&](const auto& call) {
      const V r(start.label(), start.layout());
      Kokkos::deep_copy(r, start);
      call(r);
      E{}.fence();
      const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), r);
      return bits_of(std::vector<X>(h.data(), h.data() + h.span()));
    };
    DefaultCall all{function, result(by_name), {}};
    for (const auto& [how, call] : by_default) all.by_default.emplace_back(how, result(call));
    calls_.push_back(std::move(all));
  }

  /// f is acc's function, of these vectors, with a result of type X.
  template <class X, class F, class... Vectors>
  void add_reduction(const std::string& function, const F& f, const Vectors&... x) {
    using V = View<X>;
    add<V>(function, V("r"), [=](const V& r) { f(E(), r, x..., default_of_sums()); },
           {{"into a View", [=](const V& r) { f(E(), r, x...); }},
            {"into a View, without instance", [=](const V& r) { f(r, x...); }},
            {"to the host", [=](const V& r) { Kokkos::deep_copy(r, f(E(), x...)); }},
            {"to the host, without instance", [=](const V& r) { Kokkos::deep_copy(r, f(x...)); }}});
  }
  /// f takes no method: its value is that of `named`, by compensated. The bound and the condition
  /// number have bits of their own.
  template <class F, class G, class... Vectors>
  void add_certified(const std::string& function, const F& f, const G& named, const Vectors&... x) {
    using V = View<T>;
    using W = View<R*>;
    add<V>(function, V("r"), [=](const V& r) { named(E(), r, x..., default_of_sums()); },
           {{"", [=](const V& r) { Kokkos::deep_copy(r, f(E(), x...).value); }},
            {"without instance", [=](const V& r) { Kokkos::deep_copy(r, f(x...).value); }}});
    const auto write = [](const W& r, const auto& c) {
      Kokkos::deep_copy(Kokkos::subview(r, 0), c.error_bound);
      Kokkos::deep_copy(Kokkos::subview(r, 1), c.condition);
    };
    add<W>(function + ", bound and condition", W("r", 2),
           [=](const W& r) { write(r, f(E(), x...)); },
           {{"without instance", [=](const W& r) { write(r, f(x...)); }}});
  }
  /// A matrix of one row, whose sum is that of the dot product.
  void add_row(const View<T*>& row, const View<T*>& x) {
    using V = View<T*>;
    const auto n = static_cast<int>(row.extent(0));
    std::vector<int> columns(row.extent(0));
    for (int k = 0; k < n; ++k) columns[static_cast<std::size_t>(k)] = k;
    const View<int*> row_map("row map", 2), entries("entries", columns.size());
    Kokkos::deep_copy(Kokkos::subview(row_map, 1), n);
    Kokkos::deep_copy(entries,
                      Kokkos::View<int*, Kokkos::HostSpace>(columns.data(), columns.size()));
    const acc::crs_matrix a{1, n, row_map, entries, row};
    const T one(1), zero(0);
    add<V>("spmv", V("y", 1),
           [=](const V& y) { acc::spmv(E(), "N", one, a, x, zero, y, default_of_sums()); },
           {{"", [=](const V& y) { acc::spmv(E(), "N", one, a, x, zero, y); }},
            {"without instance", [=](const V& y) { acc::spmv("N", one, a, x, zero, y); }}});
  }
  /// Terms for which methods differ: those of sums cancel beyond what twice the precision holds.
  void add_sums() {
    constexpr std::size_t n = 9 * leaf<T> + 5;
    const auto x = vector(elements<T>(Data::massive_cancellation, n, 1));
    const auto y = vector(lost_in_a_lane<T>(n)), z = vector(squares_lost_in_a_lane<T>(n));
    const View<T*> ones("ones", n);
    Kokkos::deep_copy(ones, T(1));
    const auto sum = [](const auto&... a) { return acc::sum(a...); };
    const auto dot = [](const auto&... a) { return acc::dot(a...); };
    add_reduction<T>("sum", sum, x);
    add_reduction<T>("dot", dot, x, ones);
    add_reduction<T>("dotu", [](const auto&... a) { return acc::dotu(a...); }, x, ones);
    add_reduction<R>("asum", [](const auto&... a) { return acc::asum(a...); }, y);
    add_reduction<R>("nrm1", [](const auto&... a) { return acc::nrm1(a...); }, y);
    add_reduction<R>("nrm2", [](const auto&... a) { return acc::nrm2(a...); }, z);
    add_reduction<R>("nrm2_squared", [](const auto&... a) { return acc::nrm2_squared(a...); }, z);
    add_row(x, ones);
    const auto with_bound = [](const auto&... a) { return acc::sum_with_bound(a...); };
    const auto dot_with_bound = [](const auto&... a) { return acc::dot_with_bound(a...); };
    add_certified("sum_with_bound", with_bound, sum, x);
    add_certified("dot_with_bound", dot_with_bound, dot, x, ones);
  }

  /// f takes no method.
  template <bool IntoView = true, class F, class... Vectors>
  void add_statistic(const std::string& function, const F& f, const Vectors&... x) {
    using V = View<T>;
    std::vector<std::pair<std::string, std::function<void(const V&)>>> calls = {
        {"without instance", [=](const V& r) { Kokkos::deep_copy(r, f(x...)); }}};
    if constexpr (IntoView) {
      calls.emplace_back("into a View", [=](const V& r) { f(E(), r, x...); });
      calls.emplace_back("into a View, without instance", [=](const V& r) { f(r, x...); });
    }
    add<V>(function, V("r"), [=](const V& r) { Kokkos::deep_copy(r, f(E(), x...)); }, calls);
  }
  void add_statistics() {
    constexpr std::size_t n = 9 * leaf<T> + 5;
    const auto x = vector(elements<T>(Data::massive_cancellation, n, 1));
    const auto y = vector(elements<T>(Data::uniform, n, 2));
    add_statistic("mean", [](const auto&... a) { return acc::mean(a...); }, x);
    add_statistic("weighted_mean", [](const auto&... a) { return acc::weighted_mean(a...); }, x, y);
    add_statistic("variance", [](const auto&... a) { return acc::variance(a...); }, y);
    add_statistic<false>(
        "statistics_of", [](const auto&... a) { return acc::statistics_of(a...).variance(1); }, y);
    add_statistic("covariance", [](const auto&... a) { return acc::covariance(a...); }, x, y);
  }

  /// f is acc's function, called with a result, these arguments, then the method.
  template <class V, class F, class... Arguments>
  void add_slices_of(const std::string& function, const V& r, const F& f, const Arguments&... a) {
    add<V>(function, r, [=](const V& v) { f(E(), v, a..., default_of_sums()); },
           {{"", [=](const V& v) { f(E(), v, a...); }},
            {"without instance", [=](const V& v) { f(v, a...); }}});
  }
  /// The same without a method.
  template <class V, class F, class... Arguments>
  void add_slice_statistic(const std::string& function, const V& r, const F& f,
                           const Arguments&... a) {
    add<V>(function, r, [=](const V& v) { f(E(), v, a...); },
           {{"without instance", [=](const V& v) { f(v, a...); }}});
  }
  /// Of 1000 x 9 and 2 x 150 x 30 numbers.
  void add_slices() {
    constexpr std::size_t rows = 1000, columns = 9;
    const View<T**> x = filled<T**>(Data::massive_cancellation, 9, rows, columns);
    const View<T**> ones("ones", rows, columns);
    Kokkos::deep_copy(ones, T(1));
    const View<T***> a = filled<T***>(Data::massive_cancellation, 10, 2, 150, 30);
    const View<T*> r("r", columns);
    const View<R*> norm("norm", columns);
    const View<T**> plane("plane", 2, 30);
    add_slices_of("sum of columns", r, [](const auto&... p) { acc::sum(p...); }, x);
    add_slices_of("dot of columns", r, [](const auto&... p) { acc::dot(p...); }, x, ones);
    add_slices_of("dotu of columns", r, [](const auto&... p) { acc::dotu(p...); }, x, ones);
    add_slices_of("asum of columns", norm, [](const auto&... p) { acc::asum(p...); }, x);
    add_slices_of("nrm1 of columns", norm, [](const auto&... p) { acc::nrm1(p...); }, x);
    add_slices_of("nrm2 of columns", norm, [](const auto&... p) { acc::nrm2(p...); }, x);
    add_slices_of("sum_along", plane, [](const auto&... p) { acc::sum_along(p...); }, a, 1);
    add_slices_of(
        "nrm2_along", View<R**>("plane", 2, 30), [](const auto&... p) { acc::nrm2_along(p...); }, a,
        1);
    if constexpr (!is_complex<T>) {
      add_slice_statistic(
          "mean_along", plane, [](const auto&... p) { acc::mean_along(p...); }, a, 1);
      add_slice_statistic(
          "variance_along", plane, [](const auto&... p) { acc::variance_along(p...); }, a, 1);
      const View<T***> b = filled<T***>(Data::wide, 11, 2, 150, 30);
      add_slice_statistic(
          "covariance_along", plane, [](const auto&... p) { acc::covariance_along(p...); }, a, b,
          1);
      add_slice_statistic(
          "weighted_mean_along", plane, [](const auto&... p) { acc::weighted_mean_along(p...); }, a,
          b, 1);
    }
  }

  static View<int*> parity(std::int64_t n) {
    const View<int*> index("index", static_cast<std::size_t>(n));
    const auto h = Kokkos::create_mirror_view(index);
    for (std::int64_t i = 0; i < n; ++i) h(i) = int(i % 2);
    Kokkos::deep_copy(index, h);
    return index;
  }
  void add_scans() {
    using V = View<T*>;
    const std::int64_t n = 9 * static_cast<std::int64_t>(leaf<T>) + 5;
    const auto x = vector(elements<T>(Data::massive_cancellation, std::size_t(n), 3));
    const View<std::int64_t*> offsets("offsets", 3);
    const auto h = Kokkos::create_mirror_view(offsets);
    h(2) = n;  // an empty segment and one of all
    Kokkos::deep_copy(offsets, h);
    add<V>("prefix_sum", V("r", x.extent(0)),
           [=](const V& r) { acc::prefix_sum(E(), r, x, default_of_sums()); },
           {{"", [=](const V& r) { acc::prefix_sum(E(), r, x); }},
            {"without instance", [=](const V& r) { acc::prefix_sum(r, x); }}});
    add<V>("exclusive_prefix_sum", V("r", x.extent(0)),
           [=](const V& r) { acc::exclusive_prefix_sum(E(), r, x, default_of_sums()); },
           {{"", [=](const V& r) { acc::exclusive_prefix_sum(E(), r, x); }},
            {"without instance", [=](const V& r) { acc::exclusive_prefix_sum(r, x); }}});
    add<V>("segmented_sum", V("r", 2),
           [=](const V& r) { acc::segmented_sum(E(), r, x, offsets, default_of_sums()); },
           {{"", [=](const V& r) { acc::segmented_sum(E(), r, x, offsets); }},
            {"without instance", [=](const V& r) { acc::segmented_sum(r, x, offsets); }}});
    const View<int*> index("index", x.extent(0));  // all to sum 0
    const View<std::int64_t*> lengths("lengths", 2);
    const auto l = Kokkos::create_mirror_view(lengths);
    l(1) = n;
    Kokkos::deep_copy(lengths, l);
    add<V>(
        "segmented_sum_by_lengths", V("r", 2),
        [=](const V& r) { acc::segmented_sum_by_lengths(E(), r, x, lengths, default_of_sums()); },
        {{"", [=](const V& r) { acc::segmented_sum_by_lengths(E(), r, x, lengths); }},
         {"without instance", [=](const V& r) { acc::segmented_sum_by_lengths(r, x, lengths); }}});
    const View<int*> unique("unique", 1);
    const View<int> count("count");
    const auto last = [](const V& r) { return Kokkos::subview(r, std::make_pair(1, 2)); };
    add<V>("sum_by_key", V("r", 2),
           [=](const V& r) {
             acc::sum_by_key(E(), last(r), unique, count, index, x, default_of_sums());
           },
           {{"", [=](const V& r) { acc::sum_by_key(E(), last(r), unique, count, index, x); }},
            {"without instance",
             [=](const V& r) { acc::sum_by_key(last(r), unique, count, index, x); }},
            {"counted", [=](const V& r) { (void)acc::sum_by_key(E(), last(r), unique, index, x); }},
            {"counted, without instance",
             [=](const V& r) { (void)acc::sum_by_key(last(r), unique, index, x); }}});
    add<V>("sum_by_index", V("r", 2),
           [=](const V& r) { acc::sum_by_index(E(), r, index, x, acc::exact{}); },
           {{"", [=](const V& r) { acc::sum_by_index(E(), r, index, x); }},
            {"without instance", [=](const V& r) { acc::sum_by_index(r, index, x); }}});
    // One law and no method: its members are the ways of calling it.
    const auto scattered = [=](const V& part) {
      const acc::scatter_sum<T, E> sums("sums", 2);
      Kokkos::parallel_for("add", Kokkos::RangePolicy<E>(0, std::int64_t(part.extent(0))),
                           AddByParity<T, E>{sums, part});
      E().fence();
      return sums;
    };
    add<V>("scatter_sum", V("r", 2),
           [=](const V& r) { acc::sum_by_index(E(), r, parity(n), x, acc::exact{}); },
           {{"round", [=](const V& r) { scattered(x).round(E(), r); }},
            {"add_to",
             [=](const V& r) {
               const View<acc::superaccumulator<T>*> wide("wide", 2);
               Kokkos::deep_copy(wide, acc::superaccumulator<T>());
               scattered(x).add_to(E(), wide);
               const acc::scatter_sum<T, E> sums("sums", 2);
               sums.add_from(E(), wide);
               sums.round(E(), r);
             }},
            {"merge",
             [=](const V& r) {
               const auto first =
                   scattered(Kokkos::subview(x, std::make_pair(std::int64_t(0), n / 4 * 2)));
               first.merge(E(), scattered(Kokkos::subview(x, std::make_pair(n / 4 * 2, n))));
               first.round(E(), r);
             }},
            {"reset", [=](const V& r) {
               const auto sums = scattered(x);
               sums.reset(E());
               Kokkos::parallel_for("add", Kokkos::RangePolicy<E>(0, n),
                                    AddByParity<T, E>{sums, x});
               E().fence();
               sums.round(E(), r);
             }}});
    add<V>("add_by_index", V("r", 2),
           [=](const V& r) { acc::add_by_index(E(), r, index, x, acc::exact{}); },
           {{"", [=](const V& r) { acc::add_by_index(E(), r, index, x); }},
            {"without instance", [=](const V& r) { acc::add_by_index(r, index, x); }}});
  }

  /// f is acc's function, called with these arguments, then C, then the method.
  template <class V, class F, class... Arguments>
  void add_product(const std::string& function, const V& c, const F& f, const Arguments&... a) {
    add<V>(function, c, [=](const V& r) { f(E(), a..., r, default_of_products<T>()); },
           {{"", [=](const V& r) { f(E(), a..., r); }},
            {"without instance", [=](const V& r) { f(a..., r); }}});
  }
  /// Inner dimensions of more than two strips.
  template <class Out>
  void add_products(const std::string& into) {
    using Factor = acc::impl::coefficient_t<View<Out*>>;
    const char *n = "N", *t = "T";
    const Factor alpha = factor<Factor>(4), beta = factor<Factor>(5);
    const auto a = filled<T***>(Data::uniform, 6, 2, 33, 700);
    const auto b = filled<T***>(Data::uniform, 7, 2, 19, 700);
    const auto c = filled<Out***>(Data::uniform, 8, 2, 33, 19);
    const View<T**> a0(a.data(), 33, 700), b0(b.data(), 19, 700);
    const View<Out**> c0(c.data(), 33, 19);
    const View<T*> x(b.data(), 700);
    const View<Out*> y(c.data(), 33);
    add_product(
        "gemm" + into, c0, [](const auto&... p) { acc::gemm(p...); }, n, t, alpha, a0, b0, beta);
    add_product("gemv" + into, y, [](const auto&... p) { acc::gemv(p...); }, n, alpha, a0, x, beta);
    add_product(
        "batched_gemm" + into, c, [](const auto&... p) { acc::batched_gemm(p...); }, n, t, alpha, a,
        b, beta);
  }
  void add_recursive_products() {
    using V = View<T**>;
    const char *n = "N", *t = "T";
    const auto a = filled<T**>(Data::positive, 9, 40, 1300);
    const auto b = filled<T**>(Data::positive, 10, 36, 1300);
    const auto c = filled<T**>(Data::positive, 11, 40, 36);
    constexpr auto method = default_of_products<T>();
    // Too small for the default cutoff: acc::gemm's bits.
    add_product("ngemm", c, [](const auto&... p) { acc::ngemm(p...); }, n, t, T(1), a, b, T(0));
    const auto with = [&](const std::string& how, const acc::ngemm_options& o) {
      add<V>("ngemm, " + how, c,
             [=](const V& r) { acc::ngemm(E(), n, t, T(1), a, b, T(0), r, o, method); },
             {{"", [=](const V& r) { acc::ngemm(E(), n, t, T(1), a, b, T(0), r, o); }},
              {"without instance", [=](const V& r) { acc::ngemm(n, t, T(1), a, b, T(0), r, o); }}});
    };
    with("one level", {.depth = 1});
    with("outer products", {.recursion = acc::ngemm_recursion::outer_product, .depth = 1});
  }
  template <class Factor>
  static Factor factor(std::uint64_t seed) {
    return elements<Factor>(Data::uniform, 1, seed)[0];
  }

  std::vector<DefaultCall> calls_;
};

template <class T>
class Defaults : public testing::Test {};
/// Where Kokkos has no half precision, its types are float.
using DefaultTypes = testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>,
                                    Kokkos::Experimental::half_t, Kokkos::Experimental::bhalf_t>;
TYPED_TEST_SUITE(Defaults, DefaultTypes);

TYPED_TEST(Defaults, AreTheMethodsThatTheDocumentsName) {
  using T = TypeParam;
  static_assert(std::is_same_v<decltype(acc::gemm_default<T>),
                               const std::remove_const_t<decltype(default_of_products<T>())>>);
  static_assert(acc::impl::strip_of(acc::gemm_default<T>) ==
                acc::impl::strip_of(default_of_products<T>()));
  for (const DefaultCall& call : DefaultCalls<Exec, T>::all()) {
    for (const auto& [how, got] : call.by_default)
      EXPECT_EQ(got, call.by_name) << call.function << ", " << how;
  }
}

/// Another execution space than Exec: the host's, or Serial beside it; Exec where there is none.
#ifdef KOKKOS_ENABLE_SERIAL
using BesideHost = Kokkos::Serial;
#else
using BesideHost = Exec;
#endif
using OtherExec = std::conditional_t<std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>,
                                     BesideHost, Kokkos::DefaultHostExecutionSpace>;

template <class E, class F, class T>
void expect_same_on() {
  const auto here = DefaultCalls<E, T>::all(), there = DefaultCalls<F, T>::all();
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(here[i].by_default.front().second, there[i].by_default.front().second)
        << here[i].function << " on " << E::name() << " and " << F::name();
  }
}
TEST(DefaultSpaces, HaveTheSameBits) {
  if constexpr (std::is_same_v<Exec, OtherExec>) {
    GTEST_SKIP() << "this Kokkos has no other execution space than " << Exec::name();
  } else {
    expect_same_on<Exec, OtherExec, float>();
    expect_same_on<Exec, OtherExec, double>();
    expect_same_on<Exec, OtherExec, Kokkos::complex<float>>();
    expect_same_on<Exec, OtherExec, Kokkos::complex<double>>();
    expect_same_on<Exec, OtherExec, Kokkos::Experimental::half_t>();
    expect_same_on<Exec, OtherExec, Kokkos::Experimental::bhalf_t>();
  }
}

// Or the tests above would show nothing: other methods have other bits on such data.
template <class T>
void expect_products_apart() {
  const Product<T> p({33, 19, 700}, "N", "T", Data::uniform, Data::uniform, 6);
  const auto by = [&](const auto& method) { return bits_of_all(p.by_gemm(method).memory); };
  const std::string by_default = by(default_of_products<T>());
  for_methods<T>({64, 128, 512}, [&](const auto& method) {
    EXPECT_NE(by(method), by_default) << name(method) << ' ' << name(T());
  });
}
template <class T>
void expect_sums_apart() {
  const Exec e;
  constexpr std::size_t n = 9 * leaf<T> + 5;
  const auto x = on_device(elements<T>(Data::massive_cancellation, n, 1));
  const auto y = on_device(lost_in_a_lane<T>(n)), z = on_device(squares_lost_in_a_lane<T>(n));
  const auto ones = on_device(std::vector<T>(n, T(1)));
  const auto each = [&](const auto&... methods) {
    const auto check = [&](const auto& m) {
      EXPECT_NE(bits(acc::sum(e, x)), bits(acc::sum(e, x, m))) << name(m) << ' ' << name(T());
      EXPECT_NE(bits(acc::dot(e, x, ones)), bits(acc::dot(e, x, ones, m)))
          << name(m) << ' ' << name(T());
    };
    (check(methods), ...);
  };
  each(acc::plain(), acc::double_word(), acc::fold<3>(), acc::reproducible<3>(), acc::exact());
  EXPECT_NE(bits(acc::asum(e, y)), bits(acc::asum(e, y, acc::plain()))) << name(T());
  EXPECT_NE(bits(acc::nrm2(e, z)), bits(acc::nrm2(e, z, acc::plain()))) << name(T());
}
TEST(DefaultData, TellMethodsApart) {
  expect_products_apart<float>();
  expect_products_apart<double>();
  expect_sums_apart<float>();
  expect_sums_apart<double>();
}

TEST(DefaultData, HaveEveryPublicFunction) {
  std::set<std::string> tested;
  for (const DefaultCall& call : DefaultCalls<Exec, double>::all()) {
    tested.insert("acc::" + call.function);
    for (const auto& [how, bits] : call.by_default)  // a member, of scatter_sum
      tested.insert("acc::" + call.function + "::" + how);
  }
  class : public PublicCalls<double> {
    void TestBody() override {}
  } public_calls;
  // They take no method.
  const std::set<std::string> elementwise = {
      "acc::abs",    "acc::axpby",      "acc::axpy", "acc::fill", "acc::iamax", "acc::mult",
      "acc::nrminf", "acc::reciprocal", "acc::rot",  "acc::scal", "acc::swap",  "acc::update"};
  for (const auto& calls : {public_calls.asynchronous(), public_calls.to_host()}) {
    for (const auto& call : calls) {
      if (call.function.starts_with("acc::accumulate")) continue;  // the accumulator is the method
      if (elementwise.contains(call.function)) continue;
      EXPECT_TRUE(tested.contains(call.function)) << call.function << " is not in DefaultCalls";
    }
  }
}

template <class T>
void check_defaults(Golden& golden) {
  for (const DefaultCall& call : DefaultCalls<Exec, T>::all()) {
    const ResultBits& got = call.by_default.front().second;
    golden.check(call.function + " " + name(T{}), got.ends, got.all);
  }
}

// Half precision is float where Kokkos has none: it has no golden bits.
TEST(Golden, Defaults) {
  Golden golden("defaults.txt");
  check_defaults<float>(golden);
  check_defaults<double>(golden);
  check_defaults<Kokkos::complex<float>>(golden);
  check_defaults<Kokkos::complex<double>>(golden);
  golden.finish();
}

}  // namespace
}  // namespace acc_test
