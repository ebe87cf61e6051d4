// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_GEMV_TILES_HPP
#define ACC_BACKENDS_CUDA_GEMM_GEMV_TILES_HPP

/// \file
/// The tiles of a product with one column, y = alpha A x + beta y, that gemm_kernel
/// (backends/gemm_kernel.hpp) asks for. A warp takes one section of some rows, a row per thread,
/// and has as much of A under way as its ring holds (gemv_ring.hpp): memory is the limit. The warps
/// of a team take sections that follow each other of the same rows; these are a round. After it
/// their sums are added by way of scratch memory.

#include <acc/backends/cuda/gemm/gemv_ring.hpp>
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

template <class Problem, panel_access Access, tuning::gemv_shape Shape, class Ops>
class gemv_tiles {
 public:
  using in_kernel = gemv_tiles;
  using problem_type = Problem;
  using launch_check = cuda::launch_check;
  using in = typename Problem::in;
  using ring = gemv_ring<Ops, in, Access, Shape.stage_bytes, Shape.stages>;
  using sum = impl::entry_sum<Problem>;
  /// A section's sums take its warp's ring, which is empty by then.
  static_assert(std::size_t(Shape.stage_bytes) * Shape.stages >= warp_size * sizeof(sum));
  static constexpr int min_log2_rows = log2_of(std::max(Shape.min_rows, ring::min_rows));
  static_assert(Shape.warps * ring::bytes(min_log2_rows) + 128 <= 47 << 10);

  Problem problem;
  int log2_rows = 0, warps = 1;  ///< of a warp; of a team
  std::int64_t blocks = 0, count = 0;
  std::int64_t depth;
  std::int64_t section, kc;  ///< a round: the sections of a team's warps
  bool x_vectors;            ///< whether x can be copied 16 bytes at a time
  divided_sums<Problem> divided;

  /// p has one column. `sms` multiprocessors are to be busy.
  gemv_tiles(const Problem& p, std::int64_t sms) : problem(p), depth(p.depth()) {
    x_vectors =
        is_16_byte_vectorizable(p.b.data, p.b.row_stride, p.b.column_stride, p.b.batch_stride);
    const std::int64_t sections = std::max<std::int64_t>(1, p.sections());
    const std::int64_t rounds = (sections + Shape.warps - 1) / Shape.warps;
    const std::int64_t of_team = (sections + rounds - 1) / rounds;
    divide(log2_rows_for(of_team, sms), int(of_team));
    if (rounds > 1 && count < sms) {
      divided = divided_sums<Problem>(p);
      divide(log2_rows_for(sections, sms), 1);
    }
  }

  /// Gives a warp so many rows, and a team so many warps.
  void divide(int log2_of_rows, int team_warps) {
    log2_rows = log2_of_rows;
    warps = team_warps;
    section = kc = warps * gemm_section;
    blocks = blocks_of(log2_rows);
    count = blocks * problem.batches;
  }

  std::size_t bytes() const { return 0; }
  void use(void*) {}
  template <class Exec>
  void prepare(const Exec&) const {}
  KOKKOS_FORCEINLINE_FUNCTION int scratch_bytes() const { return warps * ring::bytes(log2_rows); }
  template <class Exec>
  auto policy(const Exec& exec, std::int64_t items) const {
    return Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<warp_size * Shape.warps, 4>>(
               exec, int(std::min(items, max_league_size)), warp_size * warps)
        .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes() + 128));
  }

  template <class Team>
  class tile;
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION auto tile_of(const Team& team) const {
    return tile<Team>(*this, team);
  }

 private:
  std::int64_t blocks_of(int log2) const {
    return (problem.c.rows + (std::int64_t(1) << log2) - 1) >> log2;
  }
  /// The most rows with which there are warps enough, each row taking `sections` of them.
  int log2_rows_for(std::int64_t sections, std::int64_t sms) const {
    int log2 = log2_of(warp_size);
    while (log2 > min_log2_rows &&
           blocks_of(log2) * problem.batches * sections < sms * Shape.warps_per_sm)
      --log2;
    return log2;
  }
};

template <class Problem, panel_access Access, tuning::gemv_shape Shape, class Ops>
template <class Team>
class gemv_tiles<Problem, Access, Shape, Ops>::tile {
 public:
  KOKKOS_FORCEINLINE_FUNCTION tile(const gemv_tiles& tiles, const Team& team)
      : t_(tiles),
        team_(team),
        rings_(
            static_cast<char*>(team.team_scratch(0).get_shmem_aligned(tiles.scratch_bytes(), 128))),
        lane_id_(team.team_rank() % warp_size),
        warp_(team.team_rank() / warp_size),
        ring_(lane_id_, t_.log2_rows, ring_of(warp_)) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(std::int64_t index, std::int64_t, std::int64_t end) {
    batch_ =
        t_.problem.batches == 1 ? 0 : index / t_.blocks;  // a division is a hundred instructions
    first_row_ = (index - batch_ * t_.blocks) << t_.log2_rows;
    end_ = end;
    fresh_ = true;
    total_ = {};
  }

  /// Begins to copy this warp's section of the round at k.
  KOKKOS_FORCEINLINE_FUNCTION void load(std::int64_t k, std::int64_t) {
    // The rings are free once the round before is done.
    if (t_.warps > 1)
      Ops::barrier(team_);
    else
      Ops::sync_warp();
    const std::int64_t own = k + warp_ * gemm_section, rest = end_ - own;
    left_ = rest < 0 ? 0 : int(rest < gemm_section ? rest : gemm_section);
    const auto& a = t_.problem.a;
    const auto& x = t_.problem.b;
    const std::int64_t rows = a.rows - first_row_;
    ring_.begin(
        a.data + batch_ * a.batch_stride + first_row_ * a.row_stride + own * a.column_stride,
        int(rows < warp_size ? rows : warp_size), a.row_stride, a.column_stride,
        x.data + batch_ * x.batch_stride + own * x.row_stride, x.row_stride, t_.x_vectors, left_);
    until_close_ = int(t_.problem.strip);
    section_ = {};
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t k, std::int64_t) {
    const std::int64_t rest = (end_ - k + gemm_section - 1) / gemm_section;
    sections_ = rest < t_.warps ? int(rest) : t_.warps;
    ACC_NO_UNROLL for (int left = left_; left > 0; left -= ring_.stage_k) {
      ring_.advance();
      if (has_row()) multiply_stage(left < ring_.stage_k ? left : ring_.stage_k);
    }
    if (until_close_ != t_.problem.strip) section_.close();
  }
  /// Ends a round.
  KOKKOS_FORCEINLINE_FUNCTION void end_section(bool) {
    if (t_.warps == 1) {
      add(section_.sum());
      return;
    }
    Ops::sync_warp();  // all have read the last stage
    if (has_row()) sums_of(warp_)[lane_id_] = section_.sum();
    Ops::barrier(team_);
    if (warp_ == 0 && has_row()) {
      ACC_NO_UNROLL for (int w = 0; w < sections_; ++w) add(sums_of(w)[lane_id_]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int64_t first) {
    const std::int64_t i = first_row_ + lane_id_;
    if (warp_ != 0 || !has_row() || i >= t_.problem.c.rows) return;
    if (t_.divided.sections > 0) {
      t_.divided.at(first / gemm_section, batch_, i, 0) = total_;
      return;
    }
    impl::write_entry(t_.problem.of_batch(batch_), i, 0, total_);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool has_row() const { return lane_id_ >> t_.log2_rows == 0; }
  KOKKOS_FORCEINLINE_FUNCTION char* ring_of(int warp) const {
    return rings_ + warp * ring::bytes(t_.log2_rows);
  }
  KOKKOS_FORCEINLINE_FUNCTION sum* sums_of(int warp) const {
    return reinterpret_cast<sum*>(ring_of(warp));
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(const sum& next) {
    if (fresh_)
      total_ = next;
    else
      total_.add(next);
    fresh_ = false;
  }

  /// The first n products of a stage.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_stage(int n) {
    for (int k = 0; k < n;) {
      const int run = until_close_ < n - k ? until_close_ : n - k, end = k + run;
      ACC_NO_UNROLL for (; k < end && k % ring::batch != 0; ++k) multiply_one(k);
      if (k + ring::batch <= end) {
        // The next batch is read while this one is multiplied.
        typename ring::numbers now, next;
        ring_.read(k, now);
        k += ring::batch;
        ACC_UNROLL_BY(2) for (; k + ring::batch <= end; k += ring::batch) {
          ring_.read(k, next);
          multiply_batch(now);
          now = next;
        }
        multiply_batch(now);
      }
      ACC_NO_UNROLL for (; k < end; ++k) multiply_one(k);
      until_close_ -= run;
      if (until_close_ == 0) {
        section_.close();
        until_close_ = int(t_.problem.strip);
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply_batch(const typename ring::numbers& n) {
    ACC_UNROLL for (int i = 0; i < ring::batch; ++i) {
      impl::add_entry_product(t_.problem, section_, n.a[i], n.x[i]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply_one(int k) {
    impl::add_entry_product(t_.problem, section_, ring_.a(k), ring_.x(k));
  }

  const gemv_tiles& t_;
  const Team& team_;
  char* rings_;
  int lane_id_, warp_;
  ring ring_;
  std::int64_t batch_ = 0, first_row_ = 0, end_ = 0;
  bool fresh_ = true;    ///< no section has been added yet
  int left_ = 0;         ///< products of this warp's section
  int sections_ = 0;     ///< of the round
  int until_close_ = 0;  ///< products until the strip ends
  impl::entry_section<Problem> section_;
  sum total_;  ///< of the first warp's threads
};

}  // namespace acc::backends::cuda

#endif
