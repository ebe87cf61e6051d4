// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_MACHINE_HPP
#define ACC_BACKENDS_HOST_MACHINE_HPP

/// \file
/// The machine of host execution spaces. Kokkos runs loops over subtrees, tiles and blocks; the
/// library's vector kernels, compiled per instruction set (host/kernels/), do the work.

#include <acc/backends/generic/machine.hpp>
#include <acc/backends/host/crs_rows.hpp>
#include <acc/backends/host/elements.hpp>
#include <acc/backends/host/gemm.hpp>
#include <acc/backends/host/gemv.hpp>
#include <acc/backends/host/largest.hpp>
#include <acc/backends/host/order_free.hpp>
#include <acc/backends/host/reduce.hpp>
#include <acc/backends/host/residue_gemm.hpp>
#include <acc/backends/host/scan.hpp>
#include <acc/backends/host/segments.hpp>
#include <acc/backends/host/slices.hpp>
#include <acc/backends/host/small_gemm.hpp>
#include <acc/backends/host/topology.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>

#include <cstddef>
#include <cstdint>

namespace acc::backends::host {

struct machine : generic::machine {
  template <class Exec, class R>
  static void reduce(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
    host::reduce(exec, memory, label, r);
  }
  template <class Exec, class R>
  static bool reduce_in_caller(const Exec& exec, const char* label, const R& r) {
    return host::reduce_in_caller(exec, label, r);
  }
  template <class Exec, class R>
  static void order_free(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
    host::order_free(exec, memory, label, r);
  }
  template <class Exec, class S>
  static void scan(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    host::scan(exec, memory, label, s);
  }
  template <class Exec, class S>
  static void segments(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    host::segments(exec, memory, label, s);
  }
  template <class Exec, class S>
  static void crs_rows(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    host::crs_rows(exec, memory, label, s);
  }
  template <class Exec, class S>
  static void slices(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
    host::slices(exec, memory, label, s);
  }
  template <class Exec, class L>
  static void largest(const Exec& exec, workspace<Exec>& memory, const char* label, const L& l) {
    host::largest(exec, memory, label, l);
  }
  template <class Exec, class Rule>
  static void elements(const Exec& exec, const char* label, const Rule& rule, std::int64_t rows,
                       std::int64_t columns) {
    host::elements(exec, label, rule, rows, columns);
  }
  template <class Exec, class Problem, class F>
  static auto with_gemm_tiles(const Exec& exec, const Problem& p, const F& f) {
    if (host::is_gemv(p)) return with_gemv_tiles(exec, p, f);
    if constexpr (runs_at_once<Exec> && small_product<Problem>::exists)
      if (small_product<Problem>::serves(p)) return f(small_product<Problem>(p));
    return f(host::gemm_tiles<Problem>(exec, p));
  }
  template <class Exec, class Problem, class F>
  static auto with_gemv_tiles(const Exec& exec, const Problem& p, const F& f) {
    if constexpr (runs_at_once<Exec> && small_product<Problem>::exists)
      if (small_product<Problem>::serves(p)) return f(small_product<Problem>(p));
    return f(host::gemv_tiles_of(exec, p));
  }
  template <class Exec, class Problem, class F>
  static auto with_exact_entries(const Exec& exec, const Problem& p, const F& f) {
    return f(host::residue_entries<Problem>(exec, p));
  }
  static void prepare_gemm_memory(void* memory, std::size_t bytes) {
    host::prefer_large_pages(memory, bytes);
  }

  using elementwise_tile = elementwise_tuning;
};

}  // namespace acc::backends::host

#endif
