// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One wrong call for each case of CMakeLists.txt, and the right ones beside them.
#include "stand_ins.hpp"

#include <vector>

/// A user's own function of acc's name, with a type that converts to its parameter's.
namespace app {
struct base {};
struct field : base {};
template <class Method>
double sum(const base&, Method) {
  return 0;
}
}  // namespace app
template <class X>
concept summable = requires(const X& x) { acc::sum(x); };

/// A sparse matrix of two rows.
template <class RowMap, class Values, class Entries = Vector<int>>
acc::crs_matrix<RowMap, Entries, Values> sparse(const RowMap& row_map, const Values& values,
                                                const Entries& entries = {}) {
  return {2, 2, row_map, entries, values};
}

void calls(const Exec& exec, const Vector<double>& x, const Vector<float>& f,
           const Vector<Complex>& z, const Scalar<double>& r,
           [[maybe_unused]] const Vector<Half>& h) {
#if defined(CASE_RIGHT_USE)
  acc::sum(exec, r, x, acc::fold<8>{});
  acc::sum(exec, r, Kokkos::View<double**, Kokkos::HostSpace>("m", 2, 2));
  (void)acc::dot(exec, z, z, acc::compensated_fma{});
  (void)acc::sum(exec, f, acc::widened{});
  acc::sum(exec, r, f, acc::widened{});
  acc::mean(exec, r, x);
  acc::variance(r, x, 1);
  (void)acc::covariance(exec, x, x, 1);
  acc::weighted_mean(exec, r, x, x);
  acc::asum(exec, r, z);
  (void)acc::nrm2(exec, x, acc::plain{});
  (void)acc::nrm2(exec, z, acc::exact{});
  acc::dot(exec, r, x, x, acc::reproducible{});
  acc::accumulate_dot(exec, Scalar<acc::binned<Complex, 4>>("a"), z, z);
  acc::prefix_sum(exec, z, z, acc::exact{});
  acc::segmented_sum(exec, f, f, Vector<const short>(Vector<short>("o", 2)));
  acc::spmv(exec, "N", 1.0, sparse(Vector<const short>(Vector<short>("m", 3)), z), z, 0.0, z);
  (void)acc::team_scratch_size<float>(acc::widened{});
  (void)sum(app::field{}, acc::exact{});  // the user's, though acc's is found, too
  static_assert(summable<Vector<double>> && !summable<std::vector<double>>);
#elif defined(CASE_SUM_OF_RANK_0)
  (void)acc::sum(exec, r, acc::exact{});
#elif defined(CASE_DOT_OF_RANK_2)
  const Kokkos::View<double**, Kokkos::HostSpace> m("m", 2, 2);
  (void)acc::dot(exec, m, m);
#elif defined(CASE_DOT_OF_RANK_0)
  (void)acc::dot(exec, x, r, acc::compensated{});
#elif defined(CASE_SUM_OF_INT)
  (void)acc::sum(exec, Vector<int>("i", 2));
#elif defined(CASE_DOT_OF_INT)
  (void)acc::dot(exec, Vector<int>("i", 2), Vector<int>("i", 2));
#elif defined(CASE_ACCUMULATE_OF_INT)
  acc::accumulate(exec, Scalar<acc::superaccumulator<double>>("a"), Vector<int>("i", 2));
#elif defined(CASE_ASUM_OF_INT)
  (void)acc::asum(exec, Vector<int>("i", 2));
#elif defined(CASE_NRM1_OF_INT)
  (void)acc::nrm1(exec, Vector<int>("i", 2));
#elif defined(CASE_SCAN_OF_INT)
  acc::prefix_sum(exec, Vector<int>("r", 2), Vector<int>("i", 2));
#elif defined(CASE_SUM_WITH_BOUND_OF_HALF)
  (void)acc::sum_with_bound(exec, h);
#elif defined(CASE_DOT_WITH_BOUND_OF_HALF)
  (void)acc::dot_with_bound(exec, h, h);
#elif defined(CASE_TEAM_SUM_OF_INT)
  (void)acc::team_scratch_size<int>();
#elif defined(CASE_TEAM_SUM_OF_HALF)
  (void)acc::team_scratch_size<Half>();
#elif defined(CASE_SUM_OF_LONG_DOUBLE)
  (void)acc::sum(exec, Vector<long double>("l", 2));
#elif defined(CASE_NRM2_OF_INT)
  (void)acc::nrm2(exec, Vector<int>("i", 2));
#elif defined(CASE_DOT_WIDENED_COMPLEX)
  (void)acc::dot(exec, z, z, acc::widened{});
#elif defined(CASE_SUM_COMPENSATED_FMA)
  (void)acc::sum(exec, x, acc::compensated_fma{});
#elif defined(CASE_NRM2_FOLD)
  (void)acc::nrm2(exec, x, acc::fold<3>{});
#elif defined(CASE_ASUM_DOUBLE_WORD)
  (void)acc::asum(exec, x, acc::double_word{});
#elif defined(CASE_FOLD_1)
  (void)acc::sum(exec, x, acc::fold<1>{});
#elif defined(CASE_FOLD_9)
  (void)acc::dot(exec, x, x, acc::fold<9>{});
#elif defined(CASE_REPRODUCIBLE_1)
  (void)acc::sum(exec, x, acc::reproducible<1>{});
#elif defined(CASE_REPRODUCIBLE_9)
  (void)acc::sum(exec, x, acc::reproducible<9>{});
#elif defined(CASE_ACCUMULATE_IN_DOUBLE)
  acc::accumulate(exec, r, x);
#elif defined(CASE_ACCUMULATE_OTHER_TYPE)
  acc::accumulate(exec, Scalar<acc::superaccumulator<double>>("a"), f);
#elif defined(CASE_ACCUMULATE_INTO_RANK_1)
  acc::accumulate(exec, Vector<acc::superaccumulator<double>>("a", 1), x);
#elif defined(CASE_ACCUMULATE_INTO_CONST)
  acc::accumulate_dot(exec, Scalar<const acc::superaccumulator<double>>("a"), x, x);
#elif defined(CASE_ACCUMULATE_ON_ANOTHER_DEVICE)
  acc::accumulate(exec, FarView<acc::superaccumulator<double>>{}, x);
#elif defined(CASE_DOTU_OF_TWO_TYPES)
  acc::dotu(exec, r, x, z);
#elif defined(CASE_ASUM_RESULT_COMPLEX)
  acc::asum(exec, Scalar<Complex>("r"), z);
#elif defined(CASE_RESULT_ON_ANOTHER_DEVICE)
  acc::sum(exec, FarView<double>{}, x);
#elif defined(CASE_SCAN_FOLD)
  acc::prefix_sum(exec, x, x, acc::fold<3>{});
#elif defined(CASE_SCAN_WITHOUT_RESULT)
  acc::prefix_sum(exec, x, acc::exact{});
#elif defined(CASE_INCLUSIVE_SCAN)
  acc::inclusive_scan(exec, x, x);
#elif defined(CASE_SCAN_OF_RANK_0)
  acc::prefix_sum(exec, x, r);
#elif defined(CASE_SCAN_INTO_RANK_0)
  acc::prefix_sum(exec, r, x);
#elif defined(CASE_SCAN_INTO_OTHER_TYPE)
  acc::prefix_sum(exec, x, f);
#elif defined(CASE_SCAN_INTO_CONST)
  acc::prefix_sum(exec, Vector<const double>(x), x);
#elif defined(CASE_MEAN_BY_METHOD)
  (void)acc::mean(exec, x, acc::exact{});
#elif defined(CASE_VARIANCE_INTO_RANK_1)
  acc::variance(exec, x, x, 1);
#elif defined(CASE_MEAN_INTO_OTHER_TYPE)
  acc::mean(exec, r, f);
#elif defined(CASE_COVARIANCE_OF_TWO_RANKS)
  (void)acc::covariance(exec, x, Kokkos::View<double**, Kokkos::HostSpace>("m", 2, 2));
#elif defined(CASE_WEIGHTED_MEAN_OF_COMPLEX)
  (void)acc::weighted_mean(exec, z, z);
#elif defined(CASE_BY_INDEX_PLAIN)
  acc::sum_by_index(exec, x, Vector<int>("i", 2), x, acc::plain{});
#elif defined(CASE_SEGMENTS_PLAIN)
  acc::segmented_sum(exec, x, x, Vector<int>("o", 1), acc::plain{});
#elif defined(CASE_SEGMENTS_OF_INT)
  acc::segmented_sum(exec, x, Vector<int>("i", 2), Vector<int>("o", 1));
#elif defined(CASE_SEGMENTS_BY_DOUBLE)
  acc::segmented_sum(exec, x, x, x);
#elif defined(CASE_SEGMENTS_BY_RANK_0)
  acc::segmented_sum(exec, x, x, Scalar<int>("o"));
#elif defined(CASE_SEGMENTS_BY_FAR_OFFSETS)
  acc::segmented_sum(exec, x, x, FarView<int*>{});
#elif defined(CASE_LENGTHS_OF_DOUBLE)
  acc::segmented_sum_by_lengths(exec, x, x, x);
#elif defined(CASE_KEYS_OF_DOUBLE)
  (void)acc::sum_by_key(exec, x, x, x, x);
#elif defined(CASE_KEYS_OF_ANOTHER_TYPE)
  (void)acc::sum_by_key(exec, x, Vector<long>("u", 2), Vector<int>("k", 2), x);
#elif defined(CASE_KEYS_COUNTED_IN_DOUBLE)
  acc::sum_by_key(exec, x, Vector<int>("u", 2), r, Vector<int>("k", 2), x);
#elif defined(CASE_ACCUMULATE_BY_METHOD)
  acc::accumulate(exec, Scalar<acc::superaccumulator<double>>("s"), x, acc::exact{});
#elif defined(CASE_ACCUMULATE_DOT_OF_ONE)
  acc::accumulate_dot(exec, Scalar<acc::superaccumulator<double>>("s"), x);
#elif defined(CASE_ACCUMULATE_GEMM_WITHOUT_LETTERS)
  const Kokkos::View<double**, Kokkos::HostSpace> m("m", 2, 2);
  acc::accumulate_gemm(
      exec, Kokkos::View<acc::superaccumulator<double>**, Kokkos::HostSpace>("s", 2, 2), m, m);
#elif defined(CASE_BOUND_BY_STRIPS)
  (void)acc::sum_with_bound(exec, x, acc::blocked{64});
#elif defined(CASE_DOT_WITH_BOUND_OF_ONE)
  (void)acc::dot_with_bound(exec, x);
#elif defined(CASE_STATISTICS_OF_A_NUMBER)
  (void)acc::statistics_of(exec, x, 1);
#elif defined(CASE_KEYS_COUNTED_IN_BOOL)
  acc::sum_by_key(exec, x, Vector<int>("u", 2), Scalar<bool>("c"), Vector<int>("k", 2), x);
#elif defined(CASE_IAMAX_INTO_BOOL)
  acc::iamax(exec, Scalar<bool>("r"), x);
#elif defined(CASE_ROT_BY_WIDE_COSINE)
  acc::rot(exec, Vector<float>("x", 2), Vector<float>("y", 2), r, 0.0f);
#elif defined(CASE_SCAL_BY_OTHER_TYPE)
  acc::scal(exec, Vector<float>("r", 2), r, Vector<float>("x", 2));
#elif defined(CASE_SPMV_WITHOUT_MODE)
  acc::spmv(exec, 1.0, sparse(Vector<int>("m", 3), x), x, 0.0, x);
#elif defined(CASE_KEYS_PLAIN)
  (void)acc::sum_by_key(exec, x, Vector<int>("u", 2), Vector<int>("k", 2), x, acc::plain{});
#elif defined(CASE_KEYS_MISSING)
  acc::sum_by_key(exec, x, Vector<int>("k", 2), x);
#elif defined(CASE_TEAM_SCRATCH_EXACT)
  (void)acc::team_scratch_size<double>(acc::exact{});
#elif defined(CASE_SPMV_FOLD)
  acc::spmv(exec, "N", 1.0, sparse(Vector<int>("m", 3), x), x, 0.0, x, acc::fold<3>{});
#elif defined(CASE_SPMV_OF_HALF)
  acc::spmv(exec, "N", Half{}, sparse(Vector<int>("m", 3), h), h, Half{}, h);
#elif defined(CASE_SPMV_OF_RANK_0)
  acc::spmv(exec, "N", 1.0, sparse(Vector<int>("m", 3), x), r, 0.0, x);
#elif defined(CASE_SPMV_OF_TWO_RANKS)
  acc::spmv(exec, "N", 1.0, sparse(Vector<int>("m", 3), x), x, 0.0,
            Kokkos::View<double**, Kokkos::HostSpace>("m", 2, 2));
#elif defined(CASE_SPMV_OF_TWO_TYPES)
  acc::spmv(exec, "N", 1.0, sparse(Vector<int>("m", 3), x), z, 0.0, x);
#elif defined(CASE_SPMV_INTO_CONST)
  acc::spmv(exec, "N", 1.0, sparse(Vector<int>("m", 3), x), x, 0.0, Vector<const double>(x));
#elif defined(CASE_SPMV_BY_DOUBLE)
  acc::spmv(exec, "N", 1.0, sparse(Vector<double>("m", 3), x), x, 0.0, x);
#elif defined(CASE_SPMV_OF_RANK_2_VALUES)
  acc::spmv(exec, "N", 1.0,
            sparse(Vector<int>("m", 3), Kokkos::View<double**, Kokkos::HostSpace>("v", 2, 2)), x,
            0.0, x);
#elif defined(CASE_SPMV_BY_FAR_ROW_MAP)
  acc::spmv(exec, "N", 1.0, sparse(FarView<int*>{}, x), x, 0.0, x);
#elif defined(CASE_SPMV_BY_FAR_ENTRIES)
  acc::spmv(exec, "N", 1.0, sparse(Vector<int>("m", 3), x, FarView<int*>{}), x, 0.0, x);
#elif defined(CASE_SPMV_OF_FAR_VALUES)
  acc::spmv(exec, "N", 1.0, sparse(Vector<int>("m", 3), FarView<double*>{}), x, 0.0, x);
#elif defined(CASE_SPMV_OF_A_VIEW)
  acc::spmv(exec, "N", 1.0, x, x, 0.0, x);
#else
#error "cases.cpp: no case is defined"
#endif
}
