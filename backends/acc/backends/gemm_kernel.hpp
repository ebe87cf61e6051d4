// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GEMM_KERNEL_HPP
#define ACC_BACKENDS_GEMM_KERNEL_HPP

/// \file
/// GEMM: one team kernel over tiles of C, whose parts each machine supplies. None of them changes a
/// bit: an entry's products enter in ascending k whatever the tile, and core says how the sections
/// of k add up.
///
/// One team takes a tile through all of k; or, where C has few tiles and k is long, the product is
/// divided: a team takes a tile through one section and leaves its sums in memory, and a second
/// kernel adds the sections of each entry.
///
/// A machine's `tiles` is a value that the launch copies. It knows the problem and has
///  - problem: what it multiplies, and writes to;
///  - count, depth, section, kc: tiles in all, the depth k of a product, the length of a section of
///    it, and how much of it a step takes, in units of the machine's own;
///  - divided: a divided_sums, in use where the product is divided;
///  - bytes(), use(memory): workspace;
///  - prepare(exec): enqueues what has to be done before;
///  - policy(exec, items): a TeamPolicy for so many tiles, or sections of tiles;
///  - in_caller(exec), if there is any use in it: whether one thread is enough, and may be the
///    caller's;
///  - in_kernel: the type, a base or its own, of what a kernel needs of it;
///  - tile_of(team): what a team works on. For each item comes begin(index, first, end), where
///    [first, end) is its part of k; for each section load(k, end) and multiply(k, end of the
///    section) for each step of kc, and end_section(whether it is the item's last one); in the end
///    finish(first). Where k is nothing there is one section, which is empty.

#include <acc/backends/divided_sums.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/macros.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::backends {

template <class Tiles>
struct gemm_kernel {
  Tiles tiles;

  ACC_NO_EXECUTION_CHECK
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto tile = tiles.tile_of(team);
    const std::int64_t sections = tiles.divided.sections;
    const std::int64_t items = tiles.count * (sections > 0 ? sections : 1);
    for (std::int64_t item = team.league_rank(); item < items; item += team.league_size()) {
      // Teams that work at the same time share a section, and so rows and columns of it.
      const std::int64_t first = sections > 0 ? item / tiles.count * tiles.section : 0;
      const std::int64_t end =
          sections > 0 && first + tiles.section < tiles.depth ? first + tiles.section : tiles.depth;
      tile.begin(sections > 0 ? item % tiles.count : item, first, end);
      std::int64_t k = first;
      do {
        const std::int64_t next = end - k < tiles.section ? end : k + tiles.section;
        for (std::int64_t kk = k; kk < next; kk += tiles.kc) {
          tile.load(kk, end);
          tile.multiply(kk, next);
        }
        tile.end_section(next == end);
        k = next;
      } while (k < end);
      tile.finish(first);
    }
  }
};

/// The team that the calling thread is.
struct calling_thread {
  KOKKOS_FORCEINLINE_FUNCTION int league_rank() const { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION int league_size() const { return 1; }
};

/// The second step of a divided product, for one entry.
template <class Problem>
struct add_sections_kernel {
  Problem problem;
  divided_sums<Problem> divided;

  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    using sum = impl::entry_sum<Problem>;
    const std::int64_t i = e % divided.rows, column = e / divided.rows;
    const std::int64_t j = column % divided.columns;
    const Problem p = problem.of_batch(column / divided.columns);
    const sum* const of_entry = divided.memory + e;
    sum total = of_entry[0];
    // So many loads are under way at once, which conditions would keep apart.
    constexpr int together = 16;
    for (std::int64_t s = 1; s < divided.sections; s += together) {
      sum next[together];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (int t = 0; t < together; ++t)
        next[t] = of_entry[Kokkos::min(s + t, divided.sections - 1) * divided.entries];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (int t = 0; t < together; ++t)
        if (s + t < divided.sections) total.add(next[t]);
    }
    impl::write_entry(p, i, j, total);
  }
};

/// A machine whose launches may be refused says so: Tiles::launch_check.
struct no_launch_check {
  template <class Policy, class Kernel>
  static void launch(const char* label, const Policy& policy, const Kernel& kernel) {
    Kokkos::parallel_for(label, policy, kernel);
  }
  void verify(const char*) const {}
};
template <class Tiles>
struct launch_check_of {
  using type = no_launch_check;
};
template <class Tiles>
  requires requires { typename Tiles::launch_check; }
struct launch_check_of<Tiles> {
  using type = typename Tiles::launch_check;
};

/// What is no grid of tiles has bytes() and launch(exec, label, memory) of its own: the entries of
/// an exact product.
template <class Tiles>
concept gemm_grid = requires { typename Tiles::in_kernel; };

/// Bytes of workspace that the tiles need, and the sums of a divided product.
template <class Tiles>
std::size_t gemm_bytes(const Tiles& tiles) {
  if constexpr (!gemm_grid<Tiles>) {
    return tiles.bytes();
  } else {
    if (tiles.count == 0) return 0;
    const std::size_t own = tiles.bytes();
    return tiles.divided.sections == 0 ? own : aligned_size(own) + tiles.divided.bytes();
  }
}

/// Enqueues the product on exec; asynchronous where exec is. workspace(bytes) is called where
/// memory is needed.
template <class Exec, class Tiles, class Workspace>
void launch_gemm(const Exec& exec, const char* label, Tiles tiles, const Workspace& workspace) {
  const typename launch_check_of<Tiles>::type check;
  if constexpr (!gemm_grid<Tiles>) {
    tiles.launch(exec, label, tiles.bytes() > 0 ? workspace(tiles.bytes()) : nullptr);
  } else {
    if (tiles.count == 0) return;
    if (gemm_bytes(tiles) > 0) {
      void* const memory = workspace(gemm_bytes(tiles));
      const std::size_t own = tiles.bytes();
      if (own > 0) tiles.use(memory);
      tiles.divided.memory = reinterpret_cast<decltype(tiles.divided.memory)>(
          static_cast<char*>(memory) + aligned_size(own));
    }
    tiles.prepare(exec);
    using in_kernel = typename Tiles::in_kernel;
    if constexpr (requires { tiles.in_caller(exec); }) {
      if (tiles.in_caller(exec)) {
        const gemm_kernel<in_kernel> kernel{tiles};
        // A launch may take longer than the product. A tool is shown one all the same.
        if (!Kokkos::Tools::profileLibraryLoaded()) return kernel(calling_thread{});
        return Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, 1),
                                    [&](int) { kernel(calling_thread{}); });
      }
    }
    const std::int64_t sections = std::max<std::int64_t>(1, tiles.divided.sections);
    check.launch(label, tiles.policy(exec, tiles.count * sections), gemm_kernel<in_kernel>{tiles});
    if (tiles.divided.sections > 0) {
      using problem = typename Tiles::problem_type;
      Kokkos::parallel_for(label,
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                               exec, 0, tiles.divided.entries),
                           add_sections_kernel<problem>{tiles.problem, tiles.divided});
    }
  }
  check.verify(label);
}

}  // namespace acc::backends

#endif
