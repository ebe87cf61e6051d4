// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_GEMV_HPP
#define ACC_BACKENDS_HOST_GEMV_HPP

/// \file
/// Matrix times vector on hosts: tiles of rows, for the library's kernels of them. A team is one
/// thread. Where rows are too few for the threads, and k is long, the product is divided.
///
/// A kernel reads A where it lies: down its columns or along its rows, whichever are contiguous.
/// Where neither are, or A's numbers are of a type that kernels do not know, some columns at a time
/// are copied for the walk down columns. x is read in place, or laid out for each section.

#include <acc/backends/divided_sums.hpp>
#include <acc/backends/host/gemm/blocking.hpp>
#include <acc/backends/host/kernels/gemv.hpp>
#include <acc/backends/host/topology.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace acc::backends::host {

/// What gemm_kernel.hpp asks for, of a problem whose C has one column.
template <class Problem>
class gemv_tiles {
 public:
  using in_kernel = gemv_tiles;
  using problem_type = Problem;
  using real = typename Problem::real;
  using in = typename Problem::in;
  using out = typename Problem::out;
  using method = std::conditional_t<std::is_same_v<typename Problem::method, widened>, plain,
                                    typename Problem::method>;
  static constexpr int parts = Problem::parts;
  /// The real numbers of A as kernels know them; half precision is copied to `real`.
  using number = std::conditional_t<impl::is_half_scalar<in>, real, impl::real_t<in>>;
  static constexpr std::int64_t section = gemm_section, kc = gemm_section;

  Problem problem;
  std::int64_t depth, count = 0;
  divided_sums<Problem> divided;

  /// divides_k: whether to divide the product by k, where it has sections, if that is not to be
  /// chosen here.
  template <class Exec>
  gemv_tiles(const Exec& exec, const Problem& p, std::optional<bool> divides_k = std::nullopt)
      : problem(p) {
    if (!problem.reads_products()) problem.a.columns = problem.b.rows = 0;
    depth = problem.depth();
    choose_kernels();
    const std::int64_t rows = problem.c.rows;
    const std::int64_t threads = std::max<std::int64_t>(1, exec.concurrency());
    const std::int64_t unit = gemv_rows_for_this_processor<number, real>(walk_, parts);
    const std::int64_t largest =
        walk_ == gemv_walk::along_rows
            ? unit * gemv_tuning::row_tiles
            : gemv_tuning::column_tile_bytes / std::int64_t(sizeof(real)) / parts;
    const std::int64_t wanted =
        threads > 1 ? threads * gemv_tuning::tiles_per_thread : std::int64_t(1);
    const std::int64_t per_batch = divide_up(wanted, std::max<std::int64_t>(1, problem.batches));
    tile_rows_ = round_up(std::clamp<std::int64_t>(divide_up(rows, per_batch), 1, largest), unit);
    tiles_ = divide_up(rows, tile_rows_);
    count = tiles_ * problem.batches;
    // Tiles that threads do not share evenly are many small ones where k is cut, too.
    const bool uneven = count < wanted && count % threads != 0;
    if (problem.sections() > 1 && count > 0 && divides_k.value_or(uneven))
      divided = divided_sums<Problem>(problem);
    const std::int64_t items = count * std::max<std::int64_t>(1, divided.sections);
    teams_ = int(std::clamp<std::int64_t>(items, 1, threads));
  }

  std::size_t bytes() const {
    return std::size_t(team_size()) * std::size_t(teams_) * sizeof(real);
  }
  void use(void* workspace) { memory_ = static_cast<real*>(workspace); }
  template <class Exec>
  void prepare(const Exec&) const {}
  template <class Exec>
  auto policy(const Exec& exec, std::int64_t) const {
    return Kokkos::TeamPolicy<Exec>(exec, teams_, 1);
  }

  template <class Team>
  class tile;
  template <class Team>
  auto tile_of(const Team& team) const {
    return tile<Team>(*this, team);
  }

 private:
  using walk_function = gemv_function<number, real>;

  void choose_kernels() {
    const auto& a = problem.a;
    const bool known = !impl::is_half_scalar<in>;
    const bool down = known && a.row_stride == 1, along = known && a.column_stride == 1;
    const auto choose = [&](gemv_walk walk) {
      walk_ = walk;
      sum_ = gemv_for_this_processor<method, number, real>(walk, parts);
      sum_fallback_ = gemv_for_this_processor<impl::fallback, number, real>(walk, parts);
    };
    // Of a row alone both may be.
    if (along && (!down || a.rows == 1)) choose(gemv_walk::along_rows);
    copies_a_ = !sum_ && !down;
    if (copies_a_) {
      walk_ = gemv_walk::down_columns;
      sum_copy_ = gemv_for_this_processor<method, real, real>(walk_, parts);
      sum_copy_fallback_ = gemv_for_this_processor<impl::fallback, real, real>(walk_, parts);
    } else if (!sum_) {
      choose(gemv_walk::down_columns);
    }
    const std::int64_t fetched = walk_ == gemv_walk::along_rows ? gemv_tuning::fetched_of_rows
                                                                : gemv_tuning::fetched_of_columns;
    fetches_ = a.rows * a.columns >= fetched * std::int64_t(caches().second / sizeof(in));
    constexpr bool same_type = parts == 1 && std::is_same_v<in, real>;
    lays_out_x_ = !same_type || (problem.b.row_stride != 1 && depth > 1);
  }

  // What a team's memory holds, in numbers.
  static constexpr std::int64_t whole_registers = 64 / std::int64_t(sizeof(float));
  std::int64_t entries_size() const { return round_up(tile_rows_ * parts, whole_registers); }
  std::int64_t x_size() const {
    if (!lays_out_x_) return 0;
    return round_up(std::min(section, depth) * parts * parts, whole_registers);
  }
  std::int64_t copy_size() const {
    return copies_a_ ? entries_size() * gemv_tuning::copied_columns : 0;
  }
  /// Two sums of two numbers, what y was and what it becomes by the method and by the fallback.
  static constexpr int arrays_of_entries = max_gemv_components + 2 * 2 + 3;
  std::int64_t team_size() const {
    return x_size() + copy_size() + arrays_of_entries * entries_size();
  }

  gemv_walk walk_ = gemv_walk::down_columns;
  bool copies_a_ = false, lays_out_x_ = false, fetches_ = false;
  walk_function sum_ = nullptr, sum_fallback_ = nullptr;
  gemv_function<real, real> sum_copy_ = nullptr, sum_copy_fallback_ = nullptr;
  std::int64_t tile_rows_ = 1, tiles_ = 0;
  int teams_ = 1;
  real* memory_ = nullptr;
};

/// One thread's rows.
template <class Problem>
template <class Team>
class gemv_tiles<Problem>::tile {
 public:
  tile(const gemv_tiles& tiles, const Team& team)
      : t_(tiles),
        step_(tiles.entries_size()),
        x_(tiles.memory_ + team.league_rank() * tiles.team_size()),
        copy_(x_ + tiles.x_size()),
        state_(copy_ + tiles.copy_size()),
        sums_(state_ + max_gemv_components * step_),
        next_(sums_ + 2 * step_),
        before_(next_ + 2 * step_),
        values_(before_ + step_) {}

  void begin(std::int64_t index, std::int64_t, std::int64_t) {
    batch_ = index / t_.tiles_;
    problem_ = t_.problem.of_batch(batch_);
    row_ = index % t_.tiles_ * t_.tile_rows_;
    rows_ = std::min(t_.tile_rows_, problem_.c.rows - row_);
    fresh_ = true;
  }
  void load(std::int64_t, std::int64_t) {}
  void multiply(std::int64_t k, std::int64_t) {
    sum_section(t_.sum_, t_.sum_copy_, k, fresh_ ? sums_ : next_);
  }
  void end_section(bool) {
    if (!fresh_) entry_functions<method>().add(entries());
    fresh_ = false;
  }
  void finish(std::int64_t first) {
    if (t_.divided.sections > 0) return keep(first);
    if (t_.depth == 0) std::fill_n(sums_, 2 * step_, real(0));
    if (problem_.reads_c()) {
      for_entries([&](std::int64_t e, const auto& entry) { before_[e] = real(entry); });
    }
    entry_functions<method>().scale(entries());
    if constexpr (impl::has_fallback<method>) replace_by_fallback();
    for_entries([&](std::int64_t e, auto& entry) {
      entry = impl::as_result<impl::real_t<out>>(values_[e]);
    });
  }

 private:
  template <class M>
  static gemv_entry_functions<real> entry_functions() {
    return gemv_entries_for_this_processor<M, real>(parts);
  }
  gemv_entries<real> entries() const {
    return {rows_ * parts, step_, sums_, next_, problem_.scale, before_, values_};
  }

  /// f(e, real part of y) for all entries.
  template <class F>
  void for_entries(const F& f) const {
    const std::int64_t stride = problem_.c.row_stride;
    out* const y = problem_.c.data + row_ * stride;
    if constexpr (parts == 1) {
      if (stride == 1) {
        for (std::int64_t i = 0; i < rows_; ++i) f(i, y[i]);
      } else {
        for (std::int64_t i = 0; i < rows_; ++i) f(i, y[i * stride]);
      }
    } else {
      for (std::int64_t i = 0; i < rows_; ++i) {
        auto* const entry = reinterpret_cast<impl::real_t<out>*>(y + i * stride);
        f(2 * i, entry[0]);
        f(2 * i + 1, entry[1]);
      }
    }
  }

  /// The sums of the section that begins at k.
  void sum_section(walk_function sum, gemv_function<real, real> sum_copy, std::int64_t k,
                   real* to) {
    const std::int64_t n = std::min(section, t_.depth - k);
    const real* x = x_;
    if (t_.lays_out_x_) {
      lay_out_x(k, n);
    } else if constexpr (std::is_same_v<in, real>) {
      x = &problem_.b(k, 0);
    }
    if (t_.copies_a_) return sum_copies(sum_copy, k, n, to);
    if constexpr (!impl::is_half_scalar<in>) {
      auto arguments = section_arguments<number>(n, to);
      arguments.a = reinterpret_cast<const number*>(&problem_.a(row_, k));
      arguments.stride = parts * (t_.walk_ == gemv_walk::along_rows ? problem_.a.row_stride
                                                                    : problem_.a.column_stride);
      arguments.x = x;
      sum(arguments);
    }
  }
  template <class T>
  gemv_arguments<T, real> section_arguments(std::int64_t n, real* to) const {
    gemv_arguments<T, real> r{};
    r.rows = rows_;
    r.k = n;
    r.strip = r.until_close = problem_.strip * parts;
    r.fetches = t_.fetches_;
    r.first = r.last = true;
    r.state = state_;
    r.sums = to;
    r.step = step_;
    return r;
  }
  /// The same by copies of a few columns at a time.
  void sum_copies(gemv_function<real, real> sum, std::int64_t k, std::int64_t n, real* to) {
    auto arguments = section_arguments<real>(n, to);
    const std::int64_t strip = arguments.strip;
    for (std::int64_t done = 0; done < n; done += arguments.k) {
      arguments.k = std::min(gemv_tuning::copied_columns, n - done);
      copy_columns(k + done, arguments.k);
      arguments.a = copy_;
      arguments.stride = step_;
      arguments.x = x_of(k, done);
      arguments.first = done == 0;
      arguments.last = done + arguments.k == n;
      arguments.until_close = strip - done * parts % strip;
      sum(arguments);
    }
  }
  const real* x_of(std::int64_t k, std::int64_t done) const {
    if constexpr (std::is_same_v<in, real>)
      if (!t_.lays_out_x_) return &problem_.b(k + done, 0);
    return x_ + done * parts * parts;
  }
  void copy_columns(std::int64_t k, std::int64_t n) {
    const auto copy = [&](std::int64_t i, std::int64_t j) {
      const auto value = impl::parts_of<Problem>(problem_.a(row_ + i, k + j));
      for (int part = 0; part < parts; ++part) copy_[j * step_ + i * parts + part] = value.x[part];
    };
    if (problem_.a.row_stride <= problem_.a.column_stride) {
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < rows_; ++i) copy(i, j);
    } else {
      for (std::int64_t i = 0; i < rows_; ++i)
        for (std::int64_t j = 0; j < n; ++j) copy(i, j);
    }
  }
  /// The factors of all products, with their signs.
  void lay_out_x(std::int64_t k, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto x = impl::parts_of<Problem>(problem_.b(k + i, 0));
      if constexpr (parts == 1) {
        x_[i] = x.x[0];
      } else {
        impl::complex_product::lay_out_factors(x.x, problem_.a.conjugate, problem_.b.conjugate,
                                               x_ + i * parts * parts);
      }
    }
  }

  /// Computes all entries again by `fallback` if one needs it, and takes those that do.
  void replace_by_fallback() {
    bool any = false;
    for (std::int64_t e = 0; e < rows_ * parts; ++e) any = any || impl::needs_fallback(values_[e]);
    if (!any) return;
    const auto functions = entry_functions<impl::fallback>();
    for (std::int64_t k = 0; k < t_.depth; k += section) {
      sum_section(t_.sum_fallback_, t_.sum_copy_fallback_, k, k == 0 ? sums_ : next_);
      if (k > 0) functions.add(entries());
    }
    auto other = entries();
    other.values = values_ + step_;
    functions.scale(other);
    for (std::int64_t e = 0; e < rows_ * parts; ++e)
      if (impl::needs_fallback(values_[e])) values_[e] = other.values[e];
  }

  /// Leaves a section's sums for the second step.
  void keep(std::int64_t first) const {
    for (std::int64_t i = 0; i < rows_; ++i) {
      impl::entry_sum<Problem> s;
      for (int part = 0; part < parts; ++part)
        for (int c = 0; c < decltype(s)::part::components; ++c)
          s.x[part].component(c) = sums_[c * step_ + i * parts + part];
      t_.divided.at(first / section, batch_, row_ + i, 0) = s;
    }
  }

  const gemv_tiles& t_;
  std::int64_t step_;
  real *x_, *copy_, *state_, *sums_, *next_, *before_, *values_;
  Problem problem_;
  std::int64_t batch_ = 0, row_ = 0, rows_ = 0;
  bool fresh_ = true;  ///< no section has ended yet
};

/// Whether a product is a matrix times a vector: C has one column or, of real numbers, one row.
template <class Problem>
bool is_gemv(const Problem& p) {
  return p.c.columns == 1 || (Problem::parts == 1 && p.c.rows == 1);
}
/// The tiles of a problem for which is_gemv holds.
template <class Exec, class Problem>
auto gemv_tiles_of(const Exec& exec, const Problem& p,
                   std::optional<bool> divides_k = std::nullopt) {
  if constexpr (Problem::parts == 1)
    if (p.c.columns != 1) return gemv_tiles<Problem>(exec, p.transposed(), divides_k);
  return gemv_tiles<Problem>(exec, p, divides_k);
}

}  // namespace acc::backends::host

#endif
