// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_GEMV_ROWS_HPP
#define ACC_BACKENDS_CUDA_GEMM_GEMV_ROWS_HPP

/// \file
/// The tiles of a product with one column, y = alpha A x + beta y, of many short rows that are
/// neighbors in memory. Each thread has a row, and reads it in place, some elements at once. Many
/// threads keep memory busy here, not a ring for each warp (gemv_tiles.hpp).

#include <acc/backends/cuda/gemm/launch_check.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/divided_sums.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm_method.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

template <class Problem, class Ops>
class gemv_rows {
 public:
  using in_kernel = gemv_rows;
  using problem_type = Problem;
  using launch_check = cuda::launch_check;
  using in = typename Problem::in;
  using sum = impl::entry_sum<Problem>;
  static constexpr auto shape =
      tuning::gemv_rows_shape_of(int(sizeof(in)), int(sizeof(typename Problem::real)));
  static constexpr int warps = shape.warps, threads = warps * warp_size;

  Problem problem;
  std::int64_t count, depth;
  std::int64_t section = gemm_section, kc = gemm_section;
  divided_sums<Problem> divided;  ///< never in use

  /// p has one column, and serves(p) holds.
  explicit gemv_rows(const Problem& p)
      : problem(p), count((p.c.rows + threads - 1) / threads), depth(p.depth()) {}

  /// Whether p is one product of short rows that are neighbors in memory, and they are enough for
  /// `sms` multiprocessors. A strip that ends within a row must be long: a thread loads nothing
  /// beyond a strip before it has closed it.
  static bool serves(const Problem& p, std::int64_t sms) {
    static_assert(shape.most_k <= gemm_section);  // one section
    return p.batches == 1 && p.a.row_stride == 1 && p.depth() <= shape.most_k &&
           p.strip >= std::min(p.depth(), shape.least_strip) && p.c.rows >= shape.rows_per_sm * sms;
  }

  std::size_t bytes() const { return 0; }
  void use(void*) {}
  template <class Exec>
  void prepare(const Exec&) const {}
  template <class Exec>
  auto policy(const Exec& exec, std::int64_t items) const {
    return Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, shape.threads_per_sm / threads>>(
        exec, int(std::min(items, max_league_size)), threads);
  }

  /// One thread's row.
  class tile {
   public:
    KOKKOS_FORCEINLINE_FUNCTION tile(const gemv_rows& tiles, int rank) : t_(tiles), rank_(rank) {}

    KOKKOS_FORCEINLINE_FUNCTION void begin(std::int64_t index, std::int64_t, std::int64_t) {
      row_ = index * threads + rank_;
      section_ = {};
    }
    KOKKOS_FORCEINLINE_FUNCTION void load(std::int64_t, std::int64_t) {}
    KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t, std::int64_t end) {
      if (!has_row()) return;
      const Problem& p = t_.problem;
      a_ = p.a.data + row_;
      x_ = p.b.data;
      for (int left = int(end); left > 0;) {
        int run = p.strip < left ? int(p.strip) : left;
        left -= run;
        ACC_NO_UNROLL for (; run >= shape.at_once; run -= shape.at_once)
            multiply_next(shape.at_once);
        if (run > 0) multiply_next(run);
        section_.close();
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION void end_section(bool) {}
    KOKKOS_FORCEINLINE_FUNCTION void finish(std::int64_t) {
      if (has_row()) impl::write_entry(t_.problem, row_, 0, section_.sum());
    }

   private:
    KOKKOS_FORCEINLINE_FUNCTION bool has_row() const { return row_ < t_.problem.c.rows; }

    /// The next n products of the row. It loads all n before it multiplies.
    KOKKOS_FORCEINLINE_FUNCTION void multiply_next(int n) {
      in a[shape.at_once], x[shape.at_once];
      ACC_UNROLL for (int i = 0; i < shape.at_once; ++i) {
        if (i < n) {
          a[i] = Ops::read(a_);
          x[i] = Ops::read(x_);
          a_ += t_.problem.a.column_stride;
          x_ += t_.problem.b.row_stride;
        }
      }
      ACC_UNROLL for (int i = 0; i < shape.at_once; ++i) {
        if (i < n) impl::add_entry_product(t_.problem, section_, a[i], x[i]);
      }
    }

    const gemv_rows& t_;
    int rank_;
    std::int64_t row_ = 0;
    const in *a_ = nullptr, *x_ = nullptr;  ///< the next product's
    impl::entry_section<Problem> section_;
  };
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION tile tile_of(const Team& team) const {
    return tile(*this, team.team_rank());
  }
};

}  // namespace acc::backends::cuda

#endif
