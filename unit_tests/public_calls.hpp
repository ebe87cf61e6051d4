// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of each public function that launches kernels, on an instance of one's own: what the tests
// of labels, instances, fences and allocations go through. (Team functions and reducers run in the
// user's own kernels; acc::mpi has mpi/test_instances.cpp.)
#pragma once

#include "instances.hpp"

#include <acc/acc.hpp>

#include <functional>

namespace acc_test {

template <class T>
class PublicCalls : public testing::Test {
 public:
  using R = real_t<T>;
  struct Call {
    std::string function;  ///< as its kernels are to be labelled
    std::string how;
    std::function<void()> run;
  };
  using Calls = std::vector<Call>;
  // Clang before 16 lets no lambda capture structured bindings: each View is copied by itself.

  /// Into a View of rank 0.
  Calls to_view() const {
    const auto exec = exec_;
    const auto x = x_, y = y_;
    const auto r = r_;
    const auto real = real_;
    const auto all = exact_;
    const auto bins = bins_;
    const auto array = array_;
    const auto index = runs_;
    Calls calls = {
        {"acc::sum", "", [=] { acc::sum(exec, r, x); }},
        {"acc::sum", "plain", [=] { acc::sum(exec, r, x, acc::plain{}); }},
        {"acc::sum", "fold<8>", [=] { acc::sum(exec, r, x, acc::fold<8>{}); }},
        {"acc::sum", "exact", [=] { acc::sum(exec, r, x, acc::exact{}); }},
        {"acc::dot", "", [=] { acc::dot(exec, r, x, y); }},
        {"acc::dot", "reproducible", [=] { acc::dot(exec, r, x, y, acc::reproducible{}); }},
        {"acc::dotu", "double_word", [=] { acc::dotu(exec, r, x, y, acc::double_word{}); }},
        {"acc::asum", "", [=] { acc::asum(exec, real, x); }},
        {"acc::nrm1", "", [=] { acc::nrm1(exec, real, x); }},
        {"acc::nrm2", "", [=] { acc::nrm2(exec, real, x); }},
        {"acc::nrm2", "exact", [=] { acc::nrm2(exec, real, x, acc::exact{}); }},
        {"acc::nrm2_squared", "", [=] { acc::nrm2_squared(exec, real, x); }},
        {"acc::nrm2_squared", "reproducible",
         [=] { acc::nrm2_squared(exec, real, x, acc::reproducible{}); }},
        {"acc::nrminf", "", [=] { acc::nrminf(exec, real, x); }},
        {"acc::iamax", "", [=] { acc::iamax(exec, index, x); }},
        {"acc::sum", "array", [=] { acc::sum(exec, r, array); }},
        {"acc::sum", "array, exact", [=] { acc::sum(exec, r, array, acc::exact{}); }},
        {"acc::asum", "array", [=] { acc::asum(exec, real, array); }},
        {"acc::nrm1", "array", [=] { acc::nrm1(exec, real, array); }},
        {"acc::nrm2", "array", [=] { acc::nrm2(exec, real, array); }},
        {"acc::accumulate", "exact", [=] { acc::accumulate(exec, all, x); }},
        {"acc::accumulate_dot", "reproducible", [=] { acc::accumulate_dot(exec, bins, x, y); }}};
    if constexpr (!is_complex<T>) {
      const auto other = other_array_;
      calls.push_back({"acc::mean", "", [=] { acc::mean(exec, r, x); }});
      calls.push_back({"acc::weighted_mean", "", [=] { acc::weighted_mean(exec, r, x, y); }});
      calls.push_back({"acc::variance", "", [=] { acc::variance(exec, r, x); }});
      calls.push_back({"acc::covariance", "", [=] { acc::covariance(exec, r, x, y); }});
      calls.push_back(
          {"acc::covariance", "arrays", [=] { acc::covariance(exec, r, array, other); }});
    }
    return calls;
  }
  /// Into a vector.
  Calls to_vector() const {
    const auto exec = exec_;
    const auto x = x_, y = y_, r = segment_sums_;
    const auto offsets = offsets_;
    const auto a = sparse();
    return {
        {"acc::prefix_sum", "", [=] { acc::prefix_sum(exec, y, x); }},
        {"acc::prefix_sum", "exact", [=] { acc::prefix_sum(exec, y, x, acc::exact{}); }},
        {"acc::exclusive_prefix_sum", "", [=] { acc::exclusive_prefix_sum(exec, y, x); }},
        {"acc::segmented_sum", "", [=] { acc::segmented_sum(exec, r, x, offsets); }},
        {"acc::segmented_sum", "exact",
         [=] { acc::segmented_sum(exec, r, x, offsets, acc::exact{}); }},
        {"acc::spmv", "", [=] { acc::spmv(exec, "N", T(2), a, y, T(0), r); }},
        {"acc::spmv", "plain", [=] { acc::spmv(exec, "C", T(2), a, y, T(1), r, acc::plain{}); }},
        {"acc::spmv", "exact", [=] { acc::spmv(exec, "N", T(2), a, y, T(1), r, acc::exact{}); }}};
  }
  /// Each element by itself.
  Calls to_elements() const {
    const auto exec = exec_;
    const auto x = x_, y = y_, coefficients = coefficients_;
    const auto a = a_, b = b_;
    const auto absolute = absolute_;
    const auto row = [](const auto& v) { return Kokkos::subview(v, 1, Kokkos::ALL, Kokkos::ALL); };
    const auto scale = Kokkos::subview(x_, std::pair(0, 600));
    return {
        {"acc::axpy", "", [=] { acc::axpy(exec, T(2), x, y); }},
        {"acc::axpby", "", [=] { acc::axpby(exec, T(2), x, T(-1), y); }},
        {"acc::axpby", "columns", [=] { acc::axpby(exec, coefficients, matrix(b), T(3), row(b)); }},
        {"acc::scal", "", [=] { acc::scal(exec, y, T(0.5), x); }},
        {"acc::update", "", [=] { acc::update(exec, T(1), x, T(2), x, T(0.25), y); }},
        {"acc::mult", "", [=] { acc::mult(exec, T(1), y, T(2), x, x); }},
        {"acc::mult", "columns", [=] { acc::mult(exec, T(0), row(b), T(2), scale, matrix(b)); }},
        {"acc::rot", "", [=] { acc::rot(exec, x, y, R(0.6), T(0.8)); }},
        {"acc::abs", "", [=] { acc::abs(exec, absolute, x); }},
        {"acc::reciprocal", "", [=] { acc::reciprocal(exec, y, x); }},
        {"acc::swap", "", [=] { acc::swap(exec, matrix(a), row(a)); }},
        {"acc::fill", "", [=] { acc::fill(exec, y, T(1)); }},
    };
  }
  /// Into a vector, of segments whose offsets have to be found: into memory for as many.
  Calls to_vector_with_offsets() const {
    const auto exec = exec_;
    const auto x = x_, r = segment_sums_;
    const auto lengths = lengths_;
    const auto unique = unique_, keys = index_;
    const auto runs = runs_;
    const auto y = y_;
    const auto a = sparse();
    return {{"acc::spmv", "transposed", [=] { acc::spmv(exec, "T", T(2), a, r, T(0), y); }},
            {"acc::segmented_sum_by_lengths", "",
             [=] { acc::segmented_sum_by_lengths(exec, r, x, lengths); }},
            {"acc::sum_by_key", "", [=] { acc::sum_by_key(exec, r, unique, runs, keys, x); }},
            {"acc::sum_by_key", "exact",
             [=] { acc::sum_by_key(exec, r, unique, runs, keys, x, acc::exact{}); }}};
  }
  /// The same, with the count on the host.
  Calls counted() const {
    const auto exec = exec_;
    const auto x = x_, r = segment_sums_;
    const auto unique = unique_, keys = index_;
    return {{"acc::sum_by_key", "", [=] { (void)acc::sum_by_key(exec, r, unique, keys, x); }}};
  }
  /// Of columns and along an axis.
  Calls to_slices() const {
    const auto exec = exec_;
    const auto a = a_, b = b_;
    const auto r = column_sums_;
    const auto real = column_norms_;
    const auto indices = column_indices_;
    const auto plane = plane_;
    return {
        {"acc::sum", "columns", [=] { acc::sum(exec, r, matrix(b)); }},
        {"acc::sum", "columns, exact", [=] { acc::sum(exec, r, matrix(b), acc::exact{}); }},
        {"acc::dot", "columns", [=] { acc::dot(exec, r, matrix(b), matrix(b)); }},
        {"acc::dotu", "columns, reproducible",
         [=] { acc::dotu(exec, r, matrix(b), matrix(b), acc::reproducible{}); }},
        {"acc::asum", "columns", [=] { acc::asum(exec, real, matrix(b)); }},
        {"acc::nrm1", "columns", [=] { acc::nrm1(exec, real, matrix(b)); }},
        {"acc::nrm2", "columns", [=] { acc::nrm2(exec, real, matrix(b)); }},
        {"acc::nrm2_squared", "columns", [=] { acc::nrm2_squared(exec, real, matrix(b)); }},
        {"acc::nrminf", "columns", [=] { acc::nrminf(exec, real, matrix(b)); }},
        {"acc::iamax", "columns", [=] { acc::iamax(exec, indices, matrix(b)); }},
        {"acc::sum_along", "", [=] { acc::sum_along(exec, plane, a, 0); }},
        {"acc::sum_along", "exact", [=] { acc::sum_along(exec, plane, a, 0, acc::exact{}); }},
    };
  }
  /// Which keep sums in memory.
  Calls to_slice_statistics() const {
    if constexpr (is_complex<T>) {
      return {};
    } else {
      const auto exec = exec_;
      const auto a = a_;
      const auto plane = plane_;
      return {{"acc::mean_along", "", [=] { acc::mean_along(exec, plane, a, 0); }},
              {"acc::variance_along", "", [=] { acc::variance_along(exec, plane, a, 0, 1); }},
              {"acc::covariance_along", "", [=] { acc::covariance_along(exec, plane, a, a, 0); }},
              {"acc::weighted_mean_along", "",
               [=] { acc::weighted_mean_along(exec, plane, a, a, 0); }}};
    }
  }
  /// The matrix products of one kernel.
  Calls products() const {
    const auto exec = exec_;
    const auto a = a_, b = b_, c = c_;
    const auto column = [](const auto& v) { return Kokkos::subview(v, 0, Kokkos::ALL, 0); };
    return {
        {"acc::gemm", "",
         [=] { acc::gemm(exec, "N", "N", T(1), matrix(a), matrix(b), T(0), matrix(c)); }},
        {"acc::gemv", "",
         [=] { acc::gemv(exec, "N", T(1), matrix(a), column(b), T(1), column(c)); }},
        {"acc::batched_gemm", "", [=] { acc::batched_gemm(exec, "N", "N", T(1), a, b, T(2), c); }}};
  }
  /// Those of several, of real matrices alone.
  Calls recursive_products() const {
    if constexpr (is_complex<T>) {
      return {};
    } else {
      const auto call = [this](const std::string& how, const acc::ngemm_options& options, T beta) {
        const auto exec = exec_;
        const auto a = matrix(a_), b = matrix(b_), c = matrix(c_);
        return Call{"acc::ngemm", how,
                    [=] { acc::ngemm(exec, "N", "N", T(1), a, b, beta, c, options); }};
      };
      return {call("winograd", {.depth = 1}, T(2)), call("undivided", {.depth = 0}, T(0)),
              call("outer_product", {.recursion = acc::ngemm_recursion::outer_product, .depth = 2},
                   T(0))};
    }
  }
  /// To the host.
  Calls to_host() const {
    const auto exec = exec_;
    const auto x = x_, y = y_;
    Calls calls = {
        {"acc::sum", "", [=] { (void)acc::sum(exec, x); }},
        {"acc::sum", "fold<8>", [=] { (void)acc::sum(exec, x, acc::fold<8>{}); }},
        {"acc::sum", "reproducible", [=] { (void)acc::sum(exec, x, acc::reproducible{}); }},
        {"acc::dot", "", [=] { (void)acc::dot(exec, x, y); }},
        {"acc::dot", "exact", [=] { (void)acc::dot(exec, x, y, acc::exact{}); }},
        {"acc::dotu", "compensated_fma",
         [=] { (void)acc::dotu(exec, x, y, acc::compensated_fma{}); }},
        {"acc::asum", "", [=] { (void)acc::asum(exec, x); }},
        {"acc::nrm1", "", [=] { (void)acc::nrm1(exec, x); }},
        {"acc::nrm2", "", [=] { (void)acc::nrm2(exec, x); }},
        {"acc::nrm2_squared", "", [=] { (void)acc::nrm2_squared(exec, x); }},
        {"acc::nrminf", "", [=] { (void)acc::nrminf(exec, x); }},
        {"acc::iamax", "", [=] { (void)acc::iamax(exec, x); }},
        {"acc::sum_with_bound", "", [=] { (void)acc::sum_with_bound(exec, x); }},
        {"acc::dot_with_bound", "", [=] { (void)acc::dot_with_bound(exec, x, y); }}};
    if constexpr (!is_complex<T>) {
      calls.push_back({"acc::mean", "", [=] { (void)acc::mean(exec, x); }});
      calls.push_back({"acc::weighted_mean", "", [=] { (void)acc::weighted_mean(exec, x, y); }});
      calls.push_back({"acc::variance", "", [=] { (void)acc::variance(exec, x); }});
      calls.push_back({"acc::covariance", "", [=] { (void)acc::covariance(exec, x, y); }});
      calls.push_back({"acc::statistics_of", "", [=] { (void)acc::statistics_of(exec, x); }});
    }
    return calls;
  }
  /// Into a View, by kernels that depend on the numbers: the calls wait for these.
  Calls by_index() const {
    const auto exec = exec_;
    const auto x = x_, r = segment_sums_;
    const auto index = index_;
    return {{"acc::sum_by_index", "", [=] { acc::sum_by_index(exec, r, index, x); }},
            {"acc::sum_by_index", "reproducible",
             [=] { acc::sum_by_index(exec, r, index, x, acc::reproducible{}); }},
            {"acc::add_by_index", "", [=] { acc::add_by_index(exec, r, index, x); }}};
  }
  /// Of sums that kernels add to. (Of a stated range they wait: see waiting_scattered.)
  Calls scattered() const {
    const auto exec = exec_;
    const auto sums = scattered_, others = other_scattered_;
    const auto r = segment_sums_;
    const auto exact = exact_sums_;
    return {{"acc::scatter_sum::round", "", [=] { sums.round(exec, r); }},
            {"acc::scatter_sum::add_to", "", [=] { sums.add_to(exec, exact); }},
            {"acc::scatter_sum::merge", "", [=] { sums.merge(exec, others); }},
            {"acc::scatter_sum::reset", "", [=] { sums.reset(exec); }}};
  }
  /// Those that look whether numbers or sums fit.
  Calls waiting_scattered() const {
    const auto exec = exec_;
    const auto sums = scattered_of_range_;
    const auto r = segment_sums_;
    const auto exact = exact_sums_;
    return {{"acc::scatter_sum::round", "range", [=] { sums.round(exec, r); }},
            {"acc::scatter_sum::add_to", "range", [=] { sums.add_to(exec, exact); }},
            {"acc::scatter_sum::add_from", "", [=] { sums.add_from(exec, exact); }}};
  }
  /// All whose result is in memory of exec.
  Calls asynchronous() const {
    Calls all = to_view();
    for (const Calls& more : {to_elements(), to_vector(), to_vector_with_offsets(), to_slices(),
                              to_slice_statistics(), scattered(), products(), recursive_products()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// Three rows, all of whose entries are in the first column.
  auto sparse() const {
    return acc::crs_matrix{3, std::int64_t(y_.extent(0)), offsets_, index_, x_};
  }
  /// The first of a batch.
  template <class View>
  static auto matrix(const View& v) {
    return Kokkos::subview(v, 0, Kokkos::ALL, Kokkos::ALL);
  }

  Exec exec_ = new_instance();
  Kokkos::View<T*, Exec> x_ = on_device(elements<T>(Data::wide, 9 * leaf<T> + 5, 1));
  Kokkos::View<T*, Exec> y_ = on_device(elements<T>(Data::uniform, 9 * leaf<T> + 5, 2));
  Kokkos::View<T, Exec> r_{"r"};
  Kokkos::View<R, Exec> real_{"real"};
  Kokkos::View<acc::superaccumulator<T>, Exec> exact_{"exact"};
  Kokkos::View<acc::binned<T, 3>, Exec> bins_{"bins"};
  acc::scatter_sum<T, Exec> scattered_{"scattered", 3}, other_scattered_{"others", 3},
      scattered_of_range_{"of a range", 3, {-10, 10}};
  Kokkos::View<acc::superaccumulator<T>*, Exec> exact_sums_{"exact sums", 3};
  /// A short segment, one of several blocks, and one of a few rows.
  Kokkos::View<std::int64_t*, Exec> offsets_ = on_device(std::vector<std::int64_t>{
      0, 7, 7 + 8 * static_cast<std::int64_t>(leaf<T>), 9 * static_cast<std::int64_t>(leaf<T>)});
  Kokkos::View<T*, Exec> segment_sums_{"segment sums", 3};
  Kokkos::View<std::int64_t*, Exec> lengths_ =
      on_device(std::vector<std::int64_t>{5, 8 * static_cast<std::int64_t>(leaf<T>), 77});
  Kokkos::View<int*, Exec> unique_{"unique", 3};
  Kokkos::View<int, Exec> runs_{"runs"};
  Kokkos::View<int*, Exec> index_{"index", 9 * leaf<T> + 5};
  Kokkos::View<T*, Exec> column_sums_{"column sums", 40};
  /// In no order of memory that a vector has.
  Kokkos::View<T***, Kokkos::LayoutLeft, Exec> array_{"array", 40, 3, 200};
  Kokkos::View<T***, Kokkos::LayoutRight, Exec> other_array_{"another one", 40, 3, 200};
  Kokkos::View<R*, Exec> column_norms_{"column norms", 40};
  Kokkos::View<int*, Exec> column_indices_{"column indices", 40};
  Kokkos::View<T*, Exec> coefficients_{"coefficients", 40};
  Kokkos::View<R*, Exec> absolute_{"absolute", 9 * leaf<T> + 5};
  Kokkos::View<T**, Exec> plane_{"plane", 70, 600};
  Kokkos::View<T***, Exec> a_{"A", 3, 70, 600}, b_{"B", 3, 600, 40}, c_{"C", 3, 70, 40};
};

}  // namespace acc_test
