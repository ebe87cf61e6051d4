// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_REDUCERS_HPP
#define ACC_REDUCERS_HPP

/// \file
/// Kokkos reducers over acc's accumulators, for a user's own parallel_reduce at range, team and
/// vector level. The accuracy is the accumulator's. The order is Kokkos's and depends on the
/// launch. ExactSum, BinnedSum and FixedPointSum do not depend on the order, so their bits are the
/// same everywhere; the last bits of DoubleWordSum and ExpansionSum are not. acc::sum and
/// acc::team_sum have the same bits everywhere by every method.
///
/// Order-free accumulators in a View also work with Kokkos::atomic_add (of an accumulator made from
/// a number) and as values of a ScatterView (ScatterAtomic or duplicated). The bits are those of
/// one thread. Kokkos::atomic_add to a superaccumulator is acc::atomic_add (core/atomic_add.hpp),
/// which takes no lock. Kokkos locks a binned, and any accumulator for an atomic ScatterView.

#include <Kokkos_Core.hpp>

#include <acc/core/atomic_add.hpp>
#include <acc/core/binned.hpp>
#include <acc/core/double_word.hpp>
#include <acc/core/exponent_range.hpp>
#include <acc/core/expansion.hpp>
#include <acc/core/fixed_point_sum.hpp>
#include <acc/core/superaccumulator.hpp>

namespace acc {

/// A reducer that merges accumulators. Use DoubleWordSum, ExpansionSum, ExactSum, BinnedSum or
/// FixedPointSum.
template <class Accumulator, class Space>
class AccumulatorSum {
 public:
  using reducer = AccumulatorSum;
  using value_type = Accumulator;
  using result_view_type = Kokkos::View<value_type, Space, Kokkos::MemoryUnmanaged>;

  /// Into a variable: parallel_reduce fences.
  KOKKOS_FUNCTION explicit AccumulatorSum(value_type& result)
      : result_(&result), is_scalar_(true) {}
  /// Into a rank-0 View: parallel_reduce is asynchronous.
  KOKKOS_FUNCTION explicit AccumulatorSum(const Kokkos::View<value_type, Space>& result)
      : result_(result), is_scalar_(false) {}

  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.merge(from); }
  KOKKOS_FUNCTION void init(value_type& value) const { value = value_type(); }
  KOKKOS_FUNCTION value_type& reference() const { return *result_.data(); }
  KOKKOS_FUNCTION result_view_type view() const { return result_; }
  KOKKOS_FUNCTION bool references_scalar() const { return is_scalar_; }

 private:
  result_view_type result_;
  bool is_scalar_;
};

/// Sums into a double_word_number<T>; the loop body calls value += x, or value.add_product(x, y).
/// T: float, double or Kokkos::complex of them. Relative error: see double_word.
template <class T, class Space = Kokkos::HostSpace>
class DoubleWordSum : public AccumulatorSum<double_word_number<T>, Space> {
 public:
  using reducer = DoubleWordSum;
  using AccumulatorSum<double_word_number<T>, Space>::AccumulatorSum;
};

/// Sums into an expansion<T, K>; the loop body calls value += x, or value.add_product(x, y).
/// Error: see expansion.
template <class T, int K, class Space = Kokkos::HostSpace>
class ExpansionSum : public AccumulatorSum<expansion<T, K>, Space> {
 public:
  using reducer = ExpansionSum;
  using AccumulatorSum<expansion<T, K>, Space>::AccumulatorSum;
};

/// Sums exactly into a superaccumulator<T>; the loop body calls value += x, or
/// value.add_product(x, y). T: float, double or Kokkos::complex of them. The normalised result is
/// the same bit for bit whatever the launch, backend or order; value() is correctly rounded.
///
/// A value takes 1072 bytes for double, 160 for float, and each thread has one: on a GPU Kokkos
/// chooses small teams for it. Fold a few hundred elements into each iteration where speed matters.
template <class T, class Space = Kokkos::HostSpace>
class ExactSum : public AccumulatorSum<superaccumulator<T>, Space> {
 public:
  using reducer = ExactSum;
  using AccumulatorSum<superaccumulator<T>, Space>::AccumulatorSum;
};

/// Sums reproducibly into a binned<T, K>; the loop body calls value += x, or
/// value.add_product(x, y). The normalised result is the same bit for bit whatever the launch,
/// backend or order. Error: see binned. A value takes 16 K + 16 bytes.
template <class T, int K = 3, class Space = Kokkos::HostSpace>
class BinnedSum : public AccumulatorSum<binned<T, K>, Space> {
 public:
  using reducer = BinnedSum;
  using AccumulatorSum<binned<T, K>, Space>::AccumulatorSum;
};

/// Sums in fixed point into a fixed_point_sum<T>, of numbers of a range that you state; the loop
/// body calls value += x. T: float, double. value() is the same bit for bit whatever the launch,
/// backend or order, and NaN where a number was not in the range, or more numbers than the sum's
/// capacity() were added. Error: see fixed_point_sum. A value takes 32 bytes.
template <class T, class Space = Kokkos::HostSpace>
class FixedPointSum : public AccumulatorSum<fixed_point_sum<T>, Space> {
  using base = AccumulatorSum<fixed_point_sum<T>, Space>;

 public:
  using reducer = FixedPointSum;
  using typename base::value_type;

  /// \throws std::invalid_argument (a kernel aborts) as fixed_point_sum
  KOKKOS_FUNCTION FixedPointSum(value_type& result, exponent_range range)
      : base(result), none_(range) {}
  KOKKOS_FUNCTION FixedPointSum(const Kokkos::View<value_type, Space>& result, exponent_range range)
      : base(result), none_(range) {}

  KOKKOS_FUNCTION void init(value_type& value) const { value = none_; }

 private:
  value_type none_;
};

}  // namespace acc

// Doxygen does not see the template that these specialise.
/// \cond
// The neutral elements, so that Kokkos::Sum and duplicated ScatterViews take accumulators too.
template <class T>
struct Kokkos::reduction_identity<acc::superaccumulator<T>> {
  KOKKOS_FUNCTION static acc::superaccumulator<T> sum() { return {}; }
};
template <class T, int K>
struct Kokkos::reduction_identity<acc::binned<T, K>> {
  KOKKOS_FUNCTION static acc::binned<T, K> sum() { return {}; }
};
/// \endcond

#endif
