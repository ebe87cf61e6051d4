// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_SCATTER_SUM_HPP
#define ACC_SCATTER_SUM_HPP

#include <acc/backends/dispatch.hpp>
#include <acc/backends/scatter.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/exact/limbs_of_sum.hpp>
#include <acc/core/exact/shared_limbs.hpp>
#include <acc/core/exponent_range.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace acc {

namespace impl {

#define ACC_CHECK_REACHES(function, Exec, Memory)                     \
  static_assert(Kokkos::SpaceAccessibility<Exec, Memory>::accessible, \
                function ": the sums are not accessible from the execution space")

/// A number as it is added to `parts` real sums, and as they give it.
template <class T>
struct scattered_numbers {
  using real = real_t<T>;
  static constexpr int parts = components_of<T>;
  backends::scattered_sums<real> sums;

  KOKKOS_FUNCTION T value(std::int64_t b) const {
    if constexpr (parts == 1)
      return sums.value(b);
    else
      return T(sums.value(2 * b), sums.value(2 * b + 1));
  }
  KOKKOS_FUNCTION void add_to(superaccumulator<T>& s, std::int64_t b) const {
    for (int k = 0; k < parts; ++k) {
      superaccumulator<real>& to = part_of(s, k);
      const auto limb = sums.sum(parts * b + k);
      for (int i = 0; i < sums.window.count; ++i)
        if (limb(i) != 0) to.add_integer(limb(i), sums.window.unit + sums.window.spacing * i);
      to.add_kinds(sums.kinds_of(parts * b + k));
      to.normalise();
    }
  }
  /// Adds s to sum b, alone. What the limbs do not hold is noted.
  KOKKOS_FUNCTION void add_from(superaccumulator<T> s, std::int64_t b) const {
    for (int k = 0; k < parts; ++k) {
      const std::int64_t to = parts * b + k;
      const auto& part = part_of(s, k);
      const auto limb = sums.sum(to);
      bool held = cut_sum(part, sums.window, [&](int i, std::int64_t v) { limb(i) += v; });
      sums.window.carry(limb);
      held = held && sums.window.holds(limb(sums.window.count - 1));
      sums.template note<true>(to, part.kinds().bits | (held ? 0u : backends::outside_range));
    }
  }
  /// Whether the limbs hold s.
  KOKKOS_FUNCTION bool hold(superaccumulator<T> s) const {
    bool all = true;
    for (int k = 0; k < parts; ++k)
      all = all && cut_sum(part_of(s, k), sums.window, [](int, std::int64_t) {});
    return all;
  }
  KOKKOS_FUNCTION void reset(std::int64_t b) const {
    for (int k = 0; k < parts; ++k) {
      const auto limb = sums.sum(parts * b + k);
      for (int i = 0; i < sums.window.count; ++i) limb(i) = 0;
      sums.kinds[parts * b + k] = 0;
    }
  }
};

template <class T, class R>
struct round_scattered_kernel {
  scattered_numbers<T> numbers;
  R r;
  KOKKOS_FUNCTION void operator()(std::int64_t b) const { r(b) = numbers.value(b); }
};
/// From sum `first` on.
template <class T, class S>
struct add_scattered_to_kernel {
  scattered_numbers<T> numbers;
  S s;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { numbers.add_to(s(i), first + i); }
};
/// Resets: what the sums had is lost.
template <class T, class S, bool Resets>
struct add_to_scattered_kernel {
  scattered_numbers<T> numbers;
  S s;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if constexpr (Resets) numbers.reset(first + i);
    numbers.add_from(s(i), first + i);
  }
};
/// The first sum that the limbs do not hold.
template <class T, class S>
struct find_not_held_kernel {
  scattered_numbers<T> numbers;
  S s;
  KOKKOS_FUNCTION void operator()(std::int64_t b, std::int64_t& first) const {
    if (b < first && !numbers.hold(s(b))) first = b;
  }
};
template <class T>
struct merge_scattered_kernel {
  backends::scattered_sums<T> to, from;
  KOKKOS_FUNCTION void operator()(std::int64_t b) const {
    if (!to.merge(b, from, b)) to.template note<true>(b, backends::outside_range);
  }
};
/// The first sum that got a number outside of its range.
struct find_outside_kernel {
  const std::uint32_t* kinds;
  KOKKOS_FUNCTION void operator()(std::int64_t b, std::int64_t& first) const {
    if ((kinds[b] & backends::outside_range) != 0 && b < first) first = b;
  }
};

struct scatter_internals;

}  // namespace impl

/// Exact sums that a kernel of yours adds to, at any index, from any thread, without a lock. What
/// is added in any order, by any number of threads, gives the same bits: those of acc::sum with the
/// method exact. It is as a Kokkos::View: copies share the sums, and a kernel captures it by value.
///
///   acc::scatter_sum<double> charge("charge", cells);
///   Kokkos::parallel_for(particles, KOKKOS_LAMBDA(int i) { charge.add(cell(i), q(i)); });
///   charge.round(exec, rho);  // a View of cells numbers
///
/// \tparam T      float, double or Kokkos::complex of them
/// \tparam Space  execution space (its memory space has the sums)
///
/// An addition of a float is one atomic addition of 64 bits, of a double two at most. Lanes of an
/// NVIDIA warp that add to the same sum mostly add up first. A sum takes 156 bytes (float), 1068
/// (double), or twice that (complex), and holds 2^64 additions, also by merging; beyond them it is
/// NaN.
///
/// With a range of numbers that you state it takes 12 bytes, and 8 more for each 16 bits by which
/// the range exceeds 42. A number beyond the range is found, and so is a sum that reaches
/// 2^(unit + 61) on the way, or 2^16 times that for each 8 bytes more: `round` and `add_to` throw.
/// Whether a sum goes so far on the way can depend on the order of its numbers.
///
/// Every function except add writes the memory of the sums, even round and add_to. So call one at a
/// time. acc::mpi::all_reduce and reduce merge those of all ranks.
/// Source: docs/arithmetic.md, "Sums by index".
template <class T, class Space = Kokkos::DefaultExecutionSpace>
class scatter_sum {
  using exec_space = typename Space::execution_space;
  using real = impl::real_t<T>;
  using format = impl::ieee<real>;
  using window = impl::shared_limbs<real>;
  using sums = backends::scattered_sums<real>;
  using additions = typename backends::machine_of<exec_space>::scatter_atomics::additions;
  template <class Exec>
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  static constexpr int parts = impl::components_of<T>;
  static_assert(impl::is_full_scalar<T>,
                "acc::scatter_sum: T must be float, double or Kokkos::complex of them");

 public:
  using value_type = T;
  using execution_space = exec_space;
  using memory_space = typename Space::memory_space;

  scatter_sum() = default;
  /// Empty sums, of any numbers. Waits for the memory to be zero.
  scatter_sum(const std::string& label, std::size_t size)
      : scatter_sum(label, size, window::for_all(), false, format::highest) {}
  /// Empty sums, of numbers of a range.
  /// \throws std::invalid_argument if unit is not below top, or T has no number so large or so
  /// small
  scatter_sum(const std::string& label, std::size_t size, exponent_range range)
      : scatter_sum(label, size, window_of(range), true, range.top) {}

  KOKKOS_FUNCTION std::int64_t size() const { return size_; }

  /// Adds x to sum b, 0 <= b < size(), from any thread.
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t b, T x) const {
    if constexpr (parts == 1) {
      add_real(b, x);
    } else {
      add_real(2 * b, x.real());
      add_real(2 * b + 1, x.imag());
    }
  }

  /// Writes each sum, rounded to nearest even, to r, a rank-1 View of size() elements T that exec
  /// can write. What other instances add must be there: fence them. Asynchronous if exec is, but
  /// with a stated range it waits for exec, to look whether all numbers were in it.
  /// \throws std::invalid_argument if r has another extent or no data, or two elements of r share a
  ///         place; std::range_error, before anything is written, if a number was not in the stated
  ///         range, or a sum beyond
  template <kokkos_execution_space Exec, kokkos_view R>
  void round(const Exec& exec, const R& r) const {
    ACC_CHECK_REACHES("acc::scatter_sum::round", Exec, memory_space);
    ACC_CHECK_RESULT_OF_RANK("acc::scatter_sum::round", 1, Exec, R,
                             (std::is_same_v<typename R::value_type, T>));
    check_size("acc::scatter_sum::round", "r", r);
    impl::check_places("acc::scatter_sum::round", r);
    check_range(exec, "acc::scatter_sum::round");
    Kokkos::parallel_for("acc::scatter_sum::round", policy<Exec>(exec, 0, size_),
                         impl::round_scattered_kernel<T, R>{{all()}, r});
  }

  /// Adds the sums, unrounded, to s, a rank-1 View of size() acc::superaccumulator<T>, which
  /// to_wire writes for a restart, and add_from reads. Waits and throws as round.
  template <kokkos_execution_space Exec, kokkos_view S>
  void add_to(const Exec& exec, const S& s) const {
    ACC_CHECK_REACHES("acc::scatter_sum::add_to", Exec, memory_space);
    ACC_CHECK_OUTPUT("acc::scatter_sum::add_to", "s", 1, Exec, S);
    static_assert(std::is_same_v<typename S::value_type, superaccumulator<T>>,
                  "acc::scatter_sum::add_to: s must be a View of acc::superaccumulator<T>");
    check_size("acc::scatter_sum::add_to", "s", s);
    impl::check_places("acc::scatter_sum::add_to", s, "s");
    check_range(exec, "acc::scatter_sum::add_to");
    Kokkos::parallel_for("acc::scatter_sum::add_to", policy<Exec>(exec, 0, size_),
                         impl::add_scattered_to_kernel<T, S>{{all()}, s, 0});
  }

  /// Adds exact sums: the elements of s, a rank-1 View of size() acc::superaccumulator<T> that exec
  /// can read. These are what add_to has written, in another run or with another range. First a
  /// kernel looks whether the sums fit, and the call waits for it. The kernel that adds is
  /// asynchronous if exec is.
  /// \throws std::invalid_argument if s has another extent or no data; std::range_error, before
  ///         anything is added, if a sum in s is no multiple of 2^unit, or reaches half of what the
  ///         last limb holds. Where the sum that was here before makes the total so large, the
  ///         total counts as beyond the range, as in merge
  template <kokkos_execution_space Exec, kokkos_view S>
  void add_from(const Exec& exec, const S& s) const {
    constexpr const char* function = "acc::scatter_sum::add_from";
    ACC_CHECK_REACHES("acc::scatter_sum::add_from", Exec, memory_space);
    ACC_CHECK_VECTOR("acc::scatter_sum::add_from", "s", Exec, S);
    static_assert(std::is_same_v<typename S::non_const_value_type, superaccumulator<T>>,
                  "acc::scatter_sum::add_from: s must be a View of acc::superaccumulator<T>");
    check_size(function, "s", s);
    {
      const backends::locked_workspace memory(exec);  // launches on one instance take turns
      std::int64_t first = 0;
      Kokkos::parallel_reduce(function, policy<Exec>(exec, 0, size_),
                              impl::find_not_held_kernel<T, S>{{all()}, s},
                              Kokkos::Min<std::int64_t>(first));
      if (first < size_)
        throw std::range_error(std::string(function) + ": s(" + std::to_string(first) +
                               ") is no multiple of 2^" + std::to_string(window_.unit) +
                               ", or not below 2^" +
                               std::to_string(window_.unit + window::found - 1 +
                                              window::spacing * (window_.count - 1)));
    }
    Kokkos::parallel_for(function, policy<Exec>(exec, 0, size_),
                         impl::add_to_scattered_kernel<T, S, false>{{all()}, s, 0});
  }

  /// Adds the sums of another one of the same size and range.
  /// \throws std::invalid_argument if they are not the same
  template <kokkos_execution_space Exec>
  void merge(const Exec& exec, const scatter_sum& other) const {
    ACC_CHECK_REACHES("acc::scatter_sum::merge", Exec, memory_space);
    if (other.size_ != size_ || other.window_.unit != window_.unit || other.top_ != top_ ||
        other.stated_ != stated_)
      impl::reject("acc::scatter_sum::merge",
                   "both must have the same size and range, but one has " + description() +
                       " and the other " + other.description());
    Kokkos::parallel_for("acc::scatter_sum::merge", policy<Exec>(exec, 0, parts * size_),
                         impl::merge_scattered_kernel<real>{all(), other.all()});
  }

  /// Makes all sums empty. Asynchronous if exec is.
  template <kokkos_execution_space Exec>
  void reset(const Exec& exec) const {
    ACC_CHECK_REACHES("acc::scatter_sum::reset", Exec, memory_space);
    reset(exec, "acc::scatter_sum::reset");
  }

 private:
  friend struct impl::scatter_internals;

  template <class Exec>
  void reset(const Exec& exec, const char* label) const {
    Kokkos::parallel_for(label, policy<Exec>(exec, 0, parts * size_ * window_.count),
                         backends::clear_kernel<sums>{all(), parts * size_});
  }
  scatter_sum(const std::string& label, std::size_t size, const window& w, bool stated, int top)
      : window_(w),
        size_(std::int64_t(size)),
        stated_(stated),
        top_(top),
        limbs_(label, size * parts * std::size_t(w.count)),
        kinds_(label, size * parts) {}

  static window window_of(exponent_range range) {
    if (range.unit >= range.top || range.unit < format::lowest || range.top > format::highest)
      impl::reject("acc::scatter_sum", "the range must have " + std::to_string(format::lowest) +
                                           " <= unit < top <= " + std::to_string(format::highest) +
                                           ", but unit is " + std::to_string(range.unit) +
                                           " and top is " + std::to_string(range.top));
    return window::for_numbers(range.unit, range.top);
  }

  KOKKOS_FORCEINLINE_FUNCTION sums all() const {
    return sums::template of<exec_space>(window_, parts * size_, limbs_.data(), kinds_.data());
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_real(std::int64_t b, real x) const {
    const sums s = all();
    if (stated_ && impl::is_finite(x)) {
      const impl::number_parts n = format::parts(x);
      if (!window_.has_unit_of(n) || n.exponent + format::length(n.mantissa) > top_)
        return s.template note<false>(b, backends::outside_range);
    }
    if (!s.add(b, x, additions(b))) s.template note<false>(b, backends::outside_range);
  }
  std::string description() const {
    return std::to_string(size_) + " sums of numbers of units of 2^" +
           std::to_string(window_.unit) + " below 2^" + std::to_string(top_);
  }
  template <class V>
  void check_size(const char* function, const char* name, const V& v) const {
    if (std::int64_t(v.extent(0)) != size_)
      impl::reject(function, std::string(name) + " must have an element for each of the " +
                                 std::to_string(size_) + " sums, but has extent " +
                                 std::to_string(v.extent(0)));
    impl::check_data(function, name, v);
  }
  template <class Exec>
  void check_range(const Exec& exec, const char* function) const {
    if (!stated_) return;
    const backends::locked_workspace memory(exec);  // launches on one instance take turns
    std::int64_t first = 0;
    Kokkos::parallel_reduce(function, policy<Exec>(exec, 0, parts * size_),
                            impl::find_outside_kernel{kinds_.data()},
                            Kokkos::Min<std::int64_t>(first));
    if (first < parts * size_)
      throw std::range_error(
          std::string(function) + ": sum " + std::to_string(first / parts) +
          " has a number that is no multiple of 2^" + std::to_string(window_.unit) + " below 2^" +
          std::to_string(top_) + ", or is itself beyond 2^" +
          std::to_string(window_.unit + window::found + window::spacing * (window_.count - 1)));
  }

  window window_{0, 1};
  std::int64_t size_ = 0;
  bool stated_ = false;
  int top_ = 0;
  Kokkos::View<std::int64_t*, memory_space> limbs_;
  Kokkos::View<std::uint32_t*, memory_space> kinds_;
};

namespace impl {

/// What acc::mpi does with a scatter_sum, under the label of its caller.
struct scatter_internals {
  template <class S>
  static auto sums_of(const S& s) {
    return s.all();
  }
  template <class S>
  static bool has_stated_range(const S& s) {
    return s.stated_;
  }
  template <class S>
  static int top_of(const S& s) {
    return s.top_;
  }
  template <class Exec, class S>
  static void reset(const Exec& exec, const char* label, const S& s) {
    s.reset(exec, label);
  }
  /// Adds the sums from `first` on to those in a View, or from there, in place of what they were.
  template <class Exec, class S, class V>
  static void add_to(const Exec& exec, const char* label, const S& s, std::int64_t first,
                     const V& v) {
    using T = typename S::value_type;
    Kokkos::parallel_for(label, policy<Exec>(exec, 0, std::int64_t(v.extent(0))),
                         add_scattered_to_kernel<T, V>{{s.all()}, v, first});
  }
  template <class Exec, class S, class V>
  static void set(const Exec& exec, const char* label, const S& s, std::int64_t first, const V& v) {
    using T = typename S::value_type;
    Kokkos::parallel_for(label, policy<Exec>(exec, 0, std::int64_t(v.extent(0))),
                         add_to_scattered_kernel<T, V, true>{{s.all()}, v, first});
  }

 private:
  template <class Exec>
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
};

}  // namespace impl
}  // namespace acc

#endif
