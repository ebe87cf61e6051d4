// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_MACHINE_HPP
#define ACC_BACKENDS_GENERIC_MACHINE_HPP

/// \file
/// The jobs of a machine, each in its file, by Kokkos's own interface alone: the machine of every
/// execution space that has no better one.

#include <acc/backends/generic/crs_rows.hpp>
#include <acc/backends/generic/elements.hpp>
#include <acc/backends/generic/exact_gemm.hpp>
#include <acc/backends/generic/gemm.hpp>
#include <acc/backends/generic/largest.hpp>
#include <acc/backends/generic/order_free.hpp>
#include <acc/backends/generic/reduce.hpp>
#include <acc/backends/generic/scan.hpp>
#include <acc/backends/generic/scatter_atomics.hpp>
#include <acc/backends/generic/segments.hpp>
#include <acc/backends/generic/slices.hpp>
#include <acc/backends/workspace.hpp>

#include <cstddef>
#include <cstdint>

namespace acc::backends::generic {

struct machine {
  /// Enqueues r, an impl::reduction, on exec; asynchronous if exec is.
  template <class Exec, class R>
  static void reduce(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
    generic::reduce(exec, memory, label, r);
  }
  /// Enqueues r, an impl::order_free_reduction.
  template <class Exec, class R>
  static void order_free(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
    generic::order_free(exec, memory, label, r);
  }
  /// Reduces r, an impl::reduction, in the calling thread, or returns false: where a launch takes
  /// no longer. Asked on execution spaces whose kernels have run when their launches return.
  template <class Exec, class R>
  static bool reduce_in_caller(const Exec&, const char*, const R&) {
    return false;
  }
  /// Enqueues s, prefix sums of at least one element.
  template <class Exec, class S>
  static void scan(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    generic::scan(exec, memory, label, s);
  }
  /// Enqueues s, impl::segments.
  template <class Exec, class S>
  static void segments(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    generic::segments(exec, memory, label, s);
  }
  /// Enqueues s, impl::crs_rows of at least one row.
  template <class Exec, class S>
  static void crs_rows(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    generic::crs_rows(exec, memory, label, s);
  }
  /// Enqueues s, impl::exact_crs_rows of at least one row.
  template <class Exec, class S>
  static void exact_rows(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    generic::exact_rows(exec, memory, label, s);
  }
  /// Whether so many slices of so many leaves, with nodes Node, can be summed in one call.
  template <class Node>
  static bool have_room_for_slices(std::int64_t count, std::int64_t leaves) {
    return have_room_for_pieces<Node>(count, leaves);
  }
  /// Enqueues s, impl::slices of at least one slice, for which there is room.
  template <class Exec, class S>
  static void slices(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    generic::slices(exec, memory, label, s);
  }
  /// Enqueues l, an impl::largest_of_columns.
  template <class Exec, class L>
  static void largest(const Exec& exec, workspace<Exec>& memory, const char* label, const L& l) {
    generic::largest(exec, memory, label, l);
  }
  /// Enqueues a rule (core/elements/rules.hpp) on arrays of so many rows and columns.
  template <class Exec, class Rule>
  static void elements(const Exec& exec, const char* label, const Rule& rule, std::int64_t rows,
                       std::int64_t columns) {
    generic::elements(exec, label, rule, rows, columns);
  }
  /// Calls f with the tiles (gemm_kernel.hpp) of p, an impl::gemm_problem, and returns what f does.
  template <class Exec, class Problem, class F>
  static auto with_gemm_tiles(const Exec& exec, const Problem& p, const F& f) {
    return f(generic::gemm_tiles<Problem>(exec, p));
  }
  /// The same for gemv: C has one column. A machine that has tiles of its own for gemm, but none
  /// for gemv, names those here, too.
  template <class Exec, class Problem, class F>
  static auto with_gemv_tiles(const Exec& exec, const Problem& p, const F& f) {
    return f(generic::gemm_tiles<Problem>(exec, p));
  }
  /// The same for exact products, gemv's included: f gets what has bytes() and launch(exec, label,
  /// memory) (gemm_kernel.hpp).
  template <class Exec, class Problem, class F>
  static auto with_exact_entries(const Exec& exec, const Problem& p, const F& f) {
    return f(generic::exact_entries<Problem>(exec, p));
  }
  /// The atomic additions of sums by index (scatter.hpp).
  using scatter_atomics = generic::scatter_atomics;
  /// Called once for memory that GEMM's workspace was just allocated in.
  static void prepare_gemm_memory(void*, std::size_t) {}

  /// The entries that a work item of an elementwise kernel takes: on a GPU one entry of each of
  /// some columns, so that neighboring items take neighboring entries.
  struct elementwise_tile {
    static constexpr int rows = 1, columns = 4;
  };
};

}  // namespace acc::backends::generic

#endif
