// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_NGEMM_HPP
#define ACC_IMPL_NGEMM_HPP

/// \file
/// The driver of acc::ngemm: what of a product its recursion divides, what gemm does of it, and in
/// what memory. Every step is taken twice: counted, for the workspace, then enqueued.

#include <acc/core/gemm/entry.hpp>
#include <acc/core/ngemm_options.hpp>
#include <acc/impl/gemm.hpp>
#include <acc/impl/winograd.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::impl {

/// How ngemm forms its base products: by acc::gemm's kernels with this method.
template <class Method>
struct ngemm_base;

template <gemm_method Method>
struct ngemm_base<Method> {
  using method = Method;
  static const Method& method_of(const Method& m) { return m; }

  template <class Exec, class Problem>
  static std::size_t bytes(const Exec& exec, const Problem& p) {
    return impl::with_gemm_tiles(exec, p,
                                 [](const auto& tiles) { return backends::gemm_bytes(tiles); });
  }
  template <class Exec, class Problem>
  static void launch(const Exec& exec, const Problem& p, void* memory) {
    impl::with_gemm_tiles(exec, p, [&](const auto& tiles) {
      backends::launch_gemm(exec, "acc::ngemm: product", tiles,
                            [&](std::size_t) { return memory; });
    });
  }
};

/// Scales the entries of A B, V, into C. Those that are not finite are computed again by the
/// fallback of all matrix products: a recursion carries infinities and NaN to entries that have no
/// part in them, and sums of blocks overflow where no entry does.
template <class Problem>
struct ngemm_entries {
  using real = typename Problem::real;
  using out = typename Problem::out;

  Problem p;
  matrix_data<const out> v;
  bool apart;  ///< whether V is not C itself

  template <class Tile>
  KOKKOS_FUNCTION void operator()(const backends::entry_range& range) const {
    out x[Tile::columns][Tile::rows];
    for (int s = 0; s < Tile::columns; ++s)
      backends::read_run(v, range.i, range.j + s, s < range.columns ? range.rows : 0, x[s]);
    decltype(not_finite_bit(out())) bits = 0;
    for (int s = 0; s < Tile::columns; ++s)
      for (int r = 0; r < Tile::rows; ++r) bits |= not_finite_bit(x[s][r]);
    if (bits >> (8 * sizeof(out) - 1) == 0 && !apart) return;
    for (int s = 0; s < range.columns; ++s)
      for (int r = 0; r < range.rows; ++r) entry(range.i + r, range.j + s, x[s][r]);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void entry(std::int64_t i, std::int64_t j, out value) const {
    out& c = p.c(i, j);
    if (!is_finite(value)) {
      c = scaled_entry(sum(i, j), c);
    } else if (apart) {
      c = scaled_entry(real(value), c);
    }
  }
  /// The rare entry's, apart from the others' registers.
  ACC_COLD_FUNCTION real sum(std::int64_t i, std::int64_t j) const {
    return fallback_sum(p, i, j).x[0].high();
  }
  KOKKOS_FORCEINLINE_FUNCTION out scaled_entry(real value, const out& c) const {
    const entry_part<real> part[1] = {{value, real(0), p.reads_c() ? real(c) : real(0)}};
    return as_scalar(scaled_parts<false>(p, part));
  }
};

/// p's rows [i, i + rows), columns [j, j + columns) and depths [k, k + depth).
template <class Problem>
Problem part_of(Problem p, std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t columns,
                std::int64_t k, std::int64_t depth) {
  p.a.data += i * p.a.row_stride + k * p.a.column_stride;
  p.b.data += k * p.b.row_stride + j * p.b.column_stride;
  p.c.data += i * p.c.row_stride + j * p.c.column_stride;
  p.a.rows = p.c.rows = rows;
  p.b.columns = p.c.columns = columns;
  p.a.columns = p.b.rows = depth;
  return p;
}

/// The steps of a product; `steps` takes them.
template <class Steps, class Problem>
void ngemm_by_winograd(Steps& steps, memory_stack& memory, const Problem& p, int levels) {
  using out = typename Problem::out;
  const std::int64_t m = p.c.rows, n = p.c.columns, k = p.depth();
  const std::int64_t rows = divisible_part(m, levels), columns = divisible_part(n, levels),
                     depth = divisible_part(k, levels);
  const Problem block = part_of(p, 0, rows, 0, columns, 0, k);
  const bool apart = p.scale.alpha[0] != 1 || p.scale.beta[0] != 0;
  matrix_data<out> v = block.c;
  if (apart) v = memory.take_matrix<out>(rows, columns, p.c);
  const Problem divided = part_of(block, 0, rows, 0, columns, 0, depth);
  winograd_product(steps, memory, divided.a, divided.b, v, levels);
  if (depth < k) {
    Problem rest = part_of(block, 0, rows, 0, columns, depth, k - depth);
    rest.c = v;
    rest.scale = {{1, 0}, {1, 0}};
    steps.product(rest);
  }
  steps.finish(ngemm_entries<Problem>{block, as_const(v), apart});
  if (rows < m) steps.product(part_of(p, rows, m - rows, 0, n, 0, k));
  if (columns < n) steps.product(part_of(p, 0, rows, columns, n - columns, 0, k));
}

template <class Steps, class Problem>
void ngemm_by_outer_products(Steps& steps, const Problem& p, int levels) {
  const std::int64_t k = p.depth(), pieces = std::int64_t(1) << levels;
  for (std::int64_t i = 0; i < pieces; ++i) {
    const auto begin_of = [&](std::int64_t piece) {
      return piece * (k / pieces) + piece * (k % pieces) / pieces;
    };
    const std::int64_t begin = begin_of(i), end = begin_of(i + 1);
    Problem piece = part_of(p, 0, p.c.rows, 0, p.c.columns, begin, end - begin);
    if (i > 0) piece.scale.beta[0] = 1;
    steps.product(piece);
  }
}

/// Counts the memory that the base products need or, once there is memory, enqueues the
/// steps.
template <class Base, class Exec, class Problem>
class ngemm_steps {
 public:
  using in = typename Problem::in;
  using out = typename Problem::out;

  ngemm_steps(const Exec& exec, const Problem& p) : exec_(exec), base_(p) {
    base_.scale = {{1, 0}, {0, 0}};
  }
  void use(void* memory) { memory_ = memory, launches_ = true; }
  std::size_t bytes() const { return bytes_; }

  void product(const Problem& p) {
    if (launches_)
      Base::launch(exec_, p, memory_);
    else
      bytes_ = std::max(bytes_, Base::bytes(exec_, p));
  }
  void product(const matrix_data<const in>& a, const matrix_data<const in>& b,
               const matrix_data<out>& c) {
    base_.a = a;
    base_.b = b;
    base_.c = c;
    product(base_);
  }
  template <class Rule, int Ins, int Outs>
  void entries(const char* label, const matrix_data<const in> (&from)[Ins],
               const matrix_data<out> (&to)[Outs]) const {
    if (!launches_) return;
    backends::elementwise<Rule, out, Ins, Outs> body;
    std::copy_n(from, Ins, body.in);
    std::copy_n(to, Outs, body.out);
    backends::launch_elementwise(exec_, label, body);
  }
  void finish(ngemm_entries<Problem> entries) const {
    if (!launches_) return;
    if (entries.v.column_stride < entries.v.row_stride) {  // along what is contiguous
      entries.p = entries.p.transposed();
      entries.v = entries.v.transposed();
    }
    backends::for_each_tile(exec_, "acc::ngemm: result", entries.v.rows, entries.v.columns,
                            entries);
  }

 private:
  const Exec& exec_;
  Problem base_;
  bool launches_ = false;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A product with its recursion.
template <class Base, class Exec, class Problem>
class ngemm_plan {
 public:
  ngemm_plan(const Exec& exec, const Problem& p, const ngemm_options& options, std::int64_t cutoff)
      : problem_(p),
        winograd_(options.recursion == ngemm_recursion::winograd),
        levels_(p.reads_products() ? ngemm_levels(p.c.rows, p.c.columns, p.depth(), options, cutoff)
                                   : 0),
        steps_(exec, p) {
    memory_stack memory;
    take(memory);
    matrices_ = memory.most();
  }

  int levels() const { return levels_; }
  std::size_t bytes() const { return matrices_ + steps_.bytes(); }
  /// In a region: a profiler shows its many kernels as one product.
  void launch(void* workspace) {
    const Kokkos::Profiling::ScopedRegion region("acc::ngemm");
    memory_stack memory(workspace);
    steps_.use(static_cast<std::byte*>(workspace) + matrices_);
    take(memory);
  }

 private:
  void take(memory_stack& memory) {
    if (problem_.batches == 0) return;
    if (levels_ == 0)
      steps_.product(problem_);
    else if (winograd_)
      ngemm_by_winograd(steps_, memory, problem_, levels_);
    else
      ngemm_by_outer_products(steps_, problem_, levels_);
  }

  Problem problem_;
  bool winograd_;
  int levels_;
  ngemm_steps<Base, Exec, Problem> steps_;
  std::size_t matrices_ = 0;
};

/// Runs it with the instance's own workspace.
template <class Exec, class Plan>
void run_ngemm(const Exec& exec, const char*, Plan& plan) {
  if (plan.bytes() == 0) return plan.launch(nullptr);
  backends::locked_workspace memory(exec);
  plan.launch(
      memory.get().gemm_memory(plan.bytes(), backends::machine_of<Exec>::prepare_gemm_memory));
}

/// Runs it with the caller's.
template <class Exec, class Plan, class Workspace>
void run_ngemm(const Exec&, const char* function, Plan& plan, const Workspace& workspace) {
  check_workspace(function, workspace.data(), workspace.extent(0), plan.bytes());
  plan.launch(workspace.data());
}

}  // namespace acc::impl

#endif
