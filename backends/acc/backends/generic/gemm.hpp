// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_GEMM_HPP
#define ACC_BACKENDS_GENERIC_GEMM_HPP

/// \file
/// GEMM by any Kokkos team. A tile of C is a grid of small squares, one per thread, whose sums stay
/// in registers. A and B pass through team scratch memory, kc of k at a time.

#include <acc/backends/workspace.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/gemm/scaling.hpp>
#include <acc/core/gemm/strip_sum.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace acc::backends::generic {

template <class Problem>
class gemm_tiles {
 public:
  using in_kernel = gemm_tiles;
  using in = typename Problem::in;
  using out = typename Problem::out;
  using real = typename Problem::real;
  static constexpr int parts = Problem::parts;
  /// Rows and columns of a thread's square.
  static constexpr int square = sizeof(real) * parts * Problem::chain::components <= 8 ? 4 : 2;
  static constexpr int kc = 16;

  Problem problem;
  int thread_rows, thread_columns;
  std::int64_t grid_rows, grid_columns, count;
  std::int64_t depth;

  template <class Exec>
  gemm_tiles(const Exec&, const Problem& p) : problem(p) {
    if (!problem.reads_products()) problem.a.columns = problem.b.rows = 0;
    depth = problem.depth();
    // As square a grid of threads as a power of two allows.
    const int threads = runs_on_host<Exec> ? 1 : 256;
    thread_columns = 1;
    while (thread_columns * thread_columns < threads) thread_columns *= 2;
    thread_rows = threads / thread_columns;
    grid_rows = (problem.c.rows + tile_rows() - 1) / tile_rows();
    grid_columns = (problem.c.columns + tile_columns() - 1) / tile_columns();
    count = grid_rows * grid_columns * problem.batches;
  }

  KOKKOS_FORCEINLINE_FUNCTION int tile_rows() const { return thread_rows * square; }
  KOKKOS_FORCEINLINE_FUNCTION int tile_columns() const { return thread_columns * square; }
  std::size_t bytes() const { return 0; }
  void use(void*) {}
  template <class Exec>
  void prepare(const Exec&) const {}
  std::size_t scratch_bytes() const {
    return std::size_t(kc) * std::size_t(tile_rows() + tile_columns()) * sizeof(in) + 64;
  }
  template <class Exec>
  auto policy(const Exec& exec) const {
    return Kokkos::TeamPolicy<Exec>(exec, int(std::min(count, max_league_size)),
                                    thread_rows * thread_columns)
        .set_scratch_size(0, Kokkos::PerTeam(int(scratch_bytes())));
  }

  template <class Team>
  class tile;
};

template <class Problem>
template <class Team>
class gemm_tiles<Problem>::tile {
 public:
  KOKKOS_FORCEINLINE_FUNCTION tile(const gemm_tiles& tiles, const Team& team)
      : t_(tiles),
        team_(team),
        a_(static_cast<in*>(team.team_scratch(0).get_shmem_aligned(
            std::ptrdiff_t(sizeof(in)) * kc * t_.tile_rows(), 16))),
        b_(static_cast<in*>(team.team_scratch(0).get_shmem_aligned(
            std::ptrdiff_t(sizeof(in)) * kc * t_.tile_columns(), 16))),
        row_(team.team_rank() % t_.thread_rows),
        column_(team.team_rank() / t_.thread_rows) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(std::int64_t index) {
    const std::int64_t tiles = t_.grid_rows * t_.grid_columns;
    problem_ = t_.problem.of_batch(index / tiles);
    first_row_ = index % tiles % t_.grid_rows * t_.tile_rows();
    first_column_ = index % tiles / t_.grid_rows * t_.tile_columns();
    until_close_ = problem_.strip;
    for (auto& rows : sums_)
      for (auto& e : rows)
        for (auto& s : e) s = {};
  }

  /// Loads [k, k + kc) of A's rows and of B's columns, zero beyond the edges.
  KOKKOS_FORCEINLINE_FUNCTION void load(std::int64_t k) {
    team_.team_barrier();  // until all have used what was there
    const int rows = t_.tile_rows(), columns = t_.tile_columns();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team_, kc * rows), [&](int e) {
      const std::int64_t i = first_row_ + e % rows, kk = k + e / rows;
      a_[e] = i < problem_.c.rows && kk < t_.depth ? problem_.a(i, kk) : in(0);
    });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team_, kc * columns), [&](int e) {
      const std::int64_t j = first_column_ + e % columns, kk = k + e / columns;
      b_[e] = j < problem_.c.columns && kk < t_.depth ? problem_.b(kk, j) : in(0);
    });
    team_.team_barrier();
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t k) {
    const int steps = int(t_.depth - k < kc ? t_.depth - k : std::int64_t(kc));
    for (int kk = 0; kk < steps; ++kk) {
      for (int r = 0; r < square; ++r) {
        for (int c = 0; c < square; ++c) {
          add_product(sums_[r][c], a_[kk * t_.tile_rows() + row_ + r * t_.thread_rows],
                      b_[kk * t_.tile_columns() + column_ + c * t_.thread_columns]);
        }
      }
      if (--until_close_ == 0) {
        close();
        until_close_ = problem_.strip;
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish() {
    if (until_close_ != problem_.strip) close();
    for (int r = 0; r < square; ++r) {
      for (int c = 0; c < square; ++c) {
        const std::int64_t i = first_row_ + row_ + r * t_.thread_rows;
        const std::int64_t j = first_column_ + column_ + c * t_.thread_columns;
        if (i < problem_.c.rows && j < problem_.c.columns) write(i, j, sums_[r][c]);
      }
    }
  }

 private:
  struct sum {
    typename Problem::chain chain;
    typename Problem::totals totals;
  };
  using entry = sum[parts];

  template <class P = Problem, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Sum (&s)[parts], const in& a, const in& b) const {
    if constexpr (parts == 1) {
      s[0].chain.add_product(real(a), real(b));
    } else {
      const real ai = problem_.a.conjugate ? -a.imag() : a.imag();
      const real bi = problem_.b.conjugate ? -b.imag() : b.imag();
      s[0].chain.add_product(real(a.real()), real(b.real()));
      s[0].chain.add_product(ai, -bi);
      s[1].chain.add_product(real(a.real()), bi);
      s[1].chain.add_product(ai, real(b.real()));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void close() {
    for (auto& rows : sums_)
      for (auto& e : rows)
        for (auto& s : e) s.totals.close(s.chain);
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t i, std::int64_t j, const entry& s) const {
    out& c = problem_.c(i, j);
    real value[parts];
    scale(s, c, value);
    if constexpr (Problem::has_low) {
      bool any_nan = false;
      for (real v : value) any_nan = any_nan || v != v;
      if (any_nan) write_plain(i, j, c, value);
    }
    using impl::as_result;
    if constexpr (parts == 1) {
      c = as_result<out>(value[0]);
    } else {
      using part = impl::real_t<out>;
      c = out(as_result<part>(value[0]), as_result<part>(value[1]));
    }
  }

  template <class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void scale(const Sum (&s)[parts], const out& c,
                                         real (&value)[parts]) const {
    impl::entry_part<real> part[parts];
    const bool reads_c = problem_.reads_c();
    for (int p = 0; p < parts; ++p)
      part[p] = {s[p].totals.high(s[p].chain), s[p].totals.low(s[p].chain),
                 reads_c ? part_of(c, p) : real(0)};
    constexpr bool has_low = decltype(s[0].totals)::has_low;
    for (int p = 0; p < parts; ++p)
      value[p] = impl::scaled<has_low, parts>(problem_.scale, part[p], part[parts - 1 - p],
                                              p == 0 ? real(-1) : real(1));
  }
  static KOKKOS_FORCEINLINE_FUNCTION real part_of(const out& c, int p) {
    if constexpr (parts == 1)
      return real(c);
    else
      return real(p == 0 ? c.real() : c.imag());
  }

  /// Replaces each value that is NaN by plain's.
  KOKKOS_FUNCTION void write_plain(std::int64_t i, std::int64_t j, const out& c,
                                   real (&value)[parts]) const {
    using plain_sum = impl::strip_sum<plain, real>;
    struct {
      typename plain_sum::chain chain;
      typename plain_sum::totals totals;
    } s[parts];
    for (std::int64_t k = 0; k < t_.depth; ++k) add_product(s, problem_.a(i, k), problem_.b(k, j));
    real by_plain[parts];
    scale(s, c, by_plain);
    for (int p = 0; p < parts; ++p)
      if (value[p] != value[p]) value[p] = by_plain[p];
  }

  const gemm_tiles& t_;
  const Team& team_;
  in *a_, *b_;
  int row_, column_;
  Problem problem_;
  std::int64_t first_row_ = 0, first_column_ = 0, until_close_ = 0;
  entry sums_[square][square];
};

}  // namespace acc::backends::generic

#endif
