// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_LOOK_BACK_HPP
#define ACC_BACKENDS_CUDA_SUMS_LOOK_BACK_HPP

/// \file
/// The kernel of prefix sums: one pass over the vector, a tile per team, each of which looks back
/// at what tiles before it have published (decoupled look-back: Merrill and Garland, NVIDIA
/// technical report NVR-2016-002).
///
/// The order of docs/arithmetic.md, P2, asks for less than any order would: the prefix before tile
/// t merges one subtree per binary digit of t that is set. Tiles are blocks of level 0; 32 blocks
/// of one level are one block of the next. A tile publishes its total, and those of the blocks that
/// end with it; tiles t with t mod 1024 = 0 publish the prefix before them. So a tile reads at most
/// 31 totals of each of two levels and a prefix, all at once, and a warp finds the subtrees of a
/// level's digits. A total waits for nothing, a total of 32 for totals; no chain goes from tile to
/// tile.

#include <acc/backends/cuda/gemm/ptx.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/exact/windowed_sum.hpp>
#include <acc/core/order/prefix_sum.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// What the launches of an instance's scans hand to one another. Zero before the first one.
struct look_back_state {
  std::uint64_t launches;   ///< that have ended
  unsigned taken, ended;    ///< tiles of this launch; zero between launches
  impl::element_span span;  ///< of this call's elements; zero between calls
  unsigned is_done;         ///< whether this call's prefixes are written
};

/// A node that other teams may read once each piece of it has the number of the launch. A piece and
/// its number are one access of 16 bytes, so no fence is needed: a team that waited for one would
/// load nothing.
template <class Node>
class published_node {
 public:
  __device__ void publish(const Node& n, std::uint64_t launch) {
    words w = {};
    w.node = n;
    ACC_UNROLL for (int i = 0; i < pieces; ++i) { store(piece_[i], {w.bits[i], launch}); }
  }
  /// Whether the node is there; then it is in n.
  __device__ bool read(Node& n, std::uint64_t launch) const {
    words w = {};
    bool complete = true;
    ACC_UNROLL for (int i = 0; i < pieces; ++i) {
      const piece p = load(piece_[i]);
      w.bits[i] = p.bits;
      complete = complete && p.launch == launch;
    }
    n = w.node;
    return complete;
  }

 private:
  static constexpr int pieces = (sizeof(Node) + 7) / 8;
  union words {
    std::uint64_t bits[pieces];
    Node node;
  };
  struct alignas(16) piece {
    std::uint64_t bits, launch;
  };
  __device__ static void store(piece& to, const piece& p) {
#if defined(__CUDA_ARCH__)
    asm volatile(
        "{ .reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.gpu.global.b128 [%0], q; }" ::"l"(&to),
        "l"(p.bits), "l"(p.launch)
        : "memory");
#else
    to = p;
#endif
  }
  __device__ static piece load(const piece& from) {
#if defined(__CUDA_ARCH__)
    piece p;
    asm volatile("{ .reg .b128 q; ld.relaxed.gpu.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }"
                 : "=l"(p.bits), "=l"(p.launch)
                 : "l"(&from)
                 : "memory");
    return p;
#else
    return from;
#endif
  }

  piece piece_[pieces];
};

/// The value of the thread whose lane_id is lower by `distance`.
template <class T>
__device__ T shuffle_up(const T& value, int distance) {
  struct words {
    unsigned w[sizeof(T) / 4];
  } in = Kokkos::bit_cast<words>(value), out;
  ACC_UNROLL for (unsigned i = 0; i < sizeof(T) / 4; ++i) {
    out.w[i] = __shfl_up_sync(full_warp, in.w[i], distance);
  }
  return Kokkos::bit_cast<T>(out);
}
/// The value of the thread `lane_id`.
template <class T>
__device__ T broadcast(const T& value, int lane_id) {
  struct words {
    unsigned w[sizeof(T) / 4];
  } in = Kokkos::bit_cast<words>(value), out;
  ACC_UNROLL for (unsigned i = 0; i < sizeof(T) / 4; ++i) {
    out.w[i] = __shfl_sync(full_warp, in.w[i], lane_id);
  }
  return Kokkos::bit_cast<T>(out);
}

/// A thread has one group or two. S: a scan by groups (core/order/prefix_sum.hpp).
template <class S,
          tuning::scan_shape Shape =
              tuning::scan_shape_of(sizeof(typename S::element), S::components),
          class Ops = cuda_ops>
struct look_back_scan {
  using element = typename S::element;
  using node = typename S::node;
  using group = typename S::group;
  static constexpr int parts = S::components;
  static constexpr int threads = Shape.threads, warps = threads / warp_size;
  static constexpr int groups = Shape.groups_per_thread;
  static constexpr int warp_elements = warp_size * groups * impl::scan_group;
  static constexpr int size = warps * warp_elements;
  static_assert((warps & (warps - 1)) == 0 && groups <= 2);

  S scan;
  look_back_state* state;
  published_node<node>* prefix;  ///< prefix[i]: the one before tile 1024 i
  published_node<node>* totals;  ///< of tiles, then of the blocks of each level

  template <class Exec>
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, Shape.teams_per_sm>>;

  /// A warp's elements: the first groups of its threads, then the second ones. Each part of a group
  /// has room for one element more, so that what threads read at once is in different banks; and so
  /// has the place of second groups, for what they copy at once.
  struct warp_memory {
    static constexpr int stride = impl::scan_group + 1;
    element value[groups][warp_size * parts * stride + impl::scan_group];

    /// The thread's first one of the elements that it copies.
    __device__ element* copied(int lane_id) {
      const int k = lane_id / parts;
      return value[0] + after(k / impl::scan_group) + lane_id % parts * stride +
             k % impl::scan_group;
    }
    /// From group 0 to group g.
    KOKKOS_FUNCTION static constexpr int after(int g) {
      return g % groups * int(sizeof(value[0]) / sizeof(element)) + g / groups * parts * stride;
    }
    __device__ group of(int lane_id, int i) {
      group g;
      ACC_UNROLL for (int p = 0; p < parts; ++p) {
        g.part[p] = &value[i][(lane_id * parts + p) * stride];
      }
      return g;
    }
  };
  struct team_memory {
    warp_memory of_warp[warps];
    node warp[warps];  ///< warp[k - 1]: the subtree of the warps k - low to k - 1
    node before;
    std::uint64_t launch;
    unsigned tile;
  };
  static_assert(sizeof(team_memory) + 16 <= (tuning::large_scratch ? 227 << 10 : 48 << 10));

  KOKKOS_FUNCTION static std::int64_t tiles(const S& s) { return (s.size() + size - 1) / size; }

  template <class Team>
  __device__ void operator()(const Team& team) const {
    auto& m =
        *static_cast<team_memory*>(team.team_scratch(0).get_shmem_aligned(sizeof(team_memory), 16));
    const int thread = team.team_rank(), warp = thread / warp_size, lane_id = thread % warp_size;
    // Tiles are taken in the order in which teams start, so none waits for one that has not.
    if (thread == 0) {
      m.tile = atomicAdd(&state->taken, 1u);
      m.launch = state->launches + 1;
    }
    S s = scan;
    bool fits = true;
    if constexpr (requires { s.span; }) {
      s.set_span(state->span);
      fits = s.fits();
    }
    team.team_barrier();
    if (fits) run(team, s, m, warp, lane_id);
    if (thread == 0) leave(unsigned(team.league_size()), fits);
  }

 private:
  /// The last team leaves the state as the next launch needs it.
  __device__ void leave(unsigned teams, bool is_done) const {
    if (atomicAdd(&state->ended, 1u) + 1 != teams) return;
    state->launches += 1;
    state->taken = state->ended = 0;
    state->span = {};
    state->is_done = is_done ? 1 : 0;
  }

  template <class Team>
  __device__ void run(const Team& team, const S& s, team_memory& m, int warp, int lane_id) const {
    const std::int64_t first = (std::int64_t(m.tile) * warps + warp) * warp_elements;
    const std::int64_t rest = s.size() - first;
    warp_memory& mine = m.of_warp[warp];
    load(mine, first, rest, lane_id);
    __syncwarp();

    // Subtrees within the warp: a thread gets the one that ends with its last group.
    const node total_of_first = s.group_total(mine.of(lane_id, 0));
    node total = total_of_first;
    if constexpr (groups == 2) total.merge(s.group_total(mine.of(lane_id, 1)));
    find_subtrees(total, lane_id);
    if (lane_id == warp_size - 1) m.warp[warp] = total;
    team.team_barrier();
    if (warp == 0) look_back(m, unsigned(team.league_size()), lane_id);
    team.team_barrier();

    // The prefix before the warp, then within it.
    node before = m.before;
    for (int stride = warps / 2, done = 0; stride > 0; stride /= 2) {
      if ((warp & stride) == 0) continue;
      done += stride;
      before.merge(m.warp[done - 1]);
    }
    const node left = shuffle_up(total, 1);
    ACC_UNROLL for (int stride = warp_size / 2; stride > 0; stride /= 2) {
      node p = shuffle_up(before, stride);
      if (lane_id % (2 * stride) == stride) {
        p.merge(left);
        before = p;
      }
    }
    s.run_group(before, mine.of(lane_id, 0));
    if constexpr (groups == 2) {
      before.merge(total_of_first);
      s.run_group(before, mine.of(lane_id, 1));
    }
    __syncwarp();
    store(mine, first, rest, lane_id);
  }

  /// Of 32 totals in a row, which the threads of a warp have, the subtree that ends with each.
  __device__ static void find_subtrees(node& total, int lane_id) {
    ACC_UNROLL for (int stride = 1; stride < warp_size; stride *= 2) {
      node left = shuffle_up(total, stride);
      if ((lane_id + 1) % (2 * stride) == 0) {
        left.merge(total);
        total = left;
      }
    }
  }
  /// Adds the first `count` of 32 totals to the prefix before the first one.
  __device__ static void add_blocks(node& before, node total, int count, int lane_id) {
    find_subtrees(total, lane_id);
    ACC_UNROLL for (int low = 16; low > 0; low /= 2) {
      if ((count & low) != 0) before.merge(broadcast(total, (count & -low) - 1));
    }
  }

  /// Publishes the totals of the blocks that end with this tile, and finds the prefix before it.
  __device__ void look_back(team_memory& m, unsigned tiles, int lane_id) const {
    const unsigned t = m.tile;
    const std::uint64_t launch = m.launch;
    if (lane_id == 0) {
      ACC_UNROLL for (int stride = 1; stride < warps; stride *= 2) {
        ACC_UNROLL for (int i = 2 * stride - 1; i < warps; i += 2 * stride) {
          node left = m.warp[i - stride];
          left.merge(m.warp[i]);
          m.warp[i] = left;
        }
      }
    }
    __syncwarp();
    node own = m.warp[warps - 1];
    published_node<node>* to = totals;
    for (unsigned block = t, blocks = tiles;; to += blocks, block /= 32, blocks /= 32) {
      if (lane_id == 0) to[block].publish(own, launch);
      __syncwarp();  // else the other threads' waiting may come first
      if (block % 32 != 31) break;
      if (lane_id < 31) {
        while (!to[block - 31 + lane_id].read(own, launch)) {
        }
      }
      __syncwarp();
      find_subtrees(own, lane_id);
      own = broadcast(own, 31);
    }
    if (t == 0) {
      if (lane_id == 0) m.before = node{};
      return;
    }
    // The lowest two levels of which one has blocks between the last prefix and the tile. A block
    // of the lower one has 2^shift tiles.
    const published_node<node>* lower = totals;
    unsigned block = t, blocks = tiles;
    int shift = 0;
    for (; block % 1024 == 0; shift += 10, block /= 1024, blocks /= 1024) {
      lower += blocks + blocks / 32;
    }
    const published_node<node>* const upper = lower + blocks;
    const int lower_count = int(block % 32), upper_count = int(block / 32 % 32);
    const unsigned first = block / 1024 * 1024;
    const published_node<node>* const of_lower = lower + block - lower_count + lane_id;
    const published_node<node>* const of_upper =
        lane_id == 31 ? prefix + (first >> 10 << shift) : upper + first / 32 + lane_id;
    const bool needs_lower = lane_id < lower_count,
               needs_upper = lane_id == 31 ? first != 0 : lane_id < upper_count;
    node lower_total, upper_total;
    bool is_complete = false;
    while (!is_complete) {
      is_complete = !needs_lower || of_lower->read(lower_total, launch);
      if (needs_upper) is_complete = of_upper->read(upper_total, launch) && is_complete;
    }
    __syncwarp();
    node before = broadcast(upper_total, 31);
    add_blocks(before, upper_total, upper_count, lane_id);
    add_blocks(before, lower_total, lower_count, lane_id);
    if (lane_id != 0) return;
    m.before = before;
    if (t % 1024 == 0) prefix[t / 1024].publish(before, launch);
  }

  /// Neighbors in a warp read and write neighbors in memory: real elements lane_id, lane_id + 32,
  /// ... of the warp's. rest: elements from its first one on.
  static constexpr int copies = impl::scan_group * groups * parts,
                       copy_step = warp_size / parts;  ///< elements
  KOKKOS_FUNCTION static constexpr int to_copy(int i) {
    return warp_memory::after(i * copy_step / impl::scan_group);
  }

  __device__ void load(warp_memory& memory, std::int64_t first, std::int64_t rest,
                       int lane_id) const {
    const element* from = scan.place(first + lane_id / parts, lane_id % parts);
    const std::int64_t step = copy_step * scan.x.stride;
    element* const to = memory.copied(lane_id);
    if (rest >= warp_elements) {
      ACC_UNROLL for (int i = 0; i < copies; ++i, from += step) {
        Ops::copy(to + to_copy(i), from, true);
      }
      Ops::commit();
      Ops::template wait<0>();
    } else {
      int k = lane_id / parts;
      ACC_UNROLL for (int i = 0; i < copies; ++i, from += step, k += copy_step) {
        to[to_copy(i)] = k < rest ? *from : element(-0.0);
      }
    }
  }
  __device__ void store(warp_memory& memory, std::int64_t first, std::int64_t rest,
                        int lane_id) const {
    const element* const from = memory.copied(lane_id);
    const std::int64_t step = copy_step * scan.stride;
    element* to = scan.r + (first + lane_id / parts) * scan.stride + lane_id % parts;
    int k = lane_id / parts;
    ACC_UNROLL for (int i = 0; i < copies; ++i, to += step, k += copy_step) {
      if (k < rest) *to = from[to_copy(i)];
    }
  }
};

/// Finds what the elements of a vector span.
template <class S>
struct span_of_elements {
  static constexpr int threads = 256, loads = 8;
  S scan;
  look_back_state* state;

  template <class Exec>
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, 4>>;

  template <class Team>
  __device__ void operator()(const Team& team) const {
    using element = typename S::element;
    constexpr int parts = S::components;
    const std::int64_t size = scan.size() * parts,
                       step = std::int64_t(team.league_size()) * threads;  // even
    const std::int64_t number_step = step / parts * scan.x.stride;
    impl::element_span span;
    std::int64_t e = std::int64_t(team.league_rank()) * threads + team.team_rank();
    const element* from = scan.place(e / parts, int(e % parts));
    ACC_NO_UNROLL for (; e + (loads - 1) * step < size; e += loads * step) {
      element x[loads];
      ACC_UNROLL for (int i = 0; i < loads; ++i, from += number_step) x[i] = *from;
      ACC_UNROLL for (int i = 0; i < loads; ++i) span.add(x[i]);
    }
    ACC_NO_UNROLL for (; e < size; e += step, from += number_step) span.add(*from);
    const unsigned top = __reduce_max_sync(full_warp, span.top),
                   depth = __reduce_max_sync(full_warp, span.depth);
    if (team.team_rank() % warp_size != 0) return;
    // Most warps find that others have raised the maxima already.
    volatile const impl::element_span& all = state->span;
    if (top > all.top) atomicMax(&state->span.top, top);
    if (depth > all.depth) atomicMax(&state->span.depth, depth);
  }
};

}  // namespace acc::backends::cuda

#endif
