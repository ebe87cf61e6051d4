// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two multiplying warpgroups share a tile of 128 x 256 sums in registers; a third fetches. A pair
// of thread blocks (a cluster) has the same rows of Y: each fetches half of them for both. Blocks
// take tile after tile, so the next tile's operands are under way while a tile is reduced. Where Y
// has few rows a tile has 64 of them. Rows that X and Y do not have are not fetched: what is
// multiplied in their place is in no result.
//
// Instructions: PTX ISA 8.0, "wgmma.mma_async", "cp.async.bulk", "mbarrier".
#include <acc/backends/cuda/kernels/residue_products.hpp>
#include <acc/core/exact/moduli.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace acc::backends::cuda {
namespace {

using impl::byte_moduli;

constexpr int block_bytes = residue_blocks::bytes, row_bytes = residue_blocks::depth;
constexpr int cluster = 2, warpgroup = 128, threads = 3 * warpgroup;
static_assert(residue_squares::rows == cluster * residue_tile::x &&
              residue_squares::rows == residue_tile::y);
/// Tiles with so many rows of Y.
template <int YRows>
struct tiles {
  static constexpr int stages = YRows == residue_tile::y ? 4 : 8;
  static constexpr int stage_bytes = block_bytes + YRows * row_bytes;
  /// Sums of a thread.
  static constexpr int sums = YRows / 2;
  /// Stages, at a multiple of 1024; two barriers for each; and the item that a stage begins, if
  /// any.
  static constexpr int shared_bytes = stages * stage_bytes + 1024 + 2 * stages * 8 + stages * 16;
};
/// A modulus p and 2^38 / p, rounded up: for |x| <= 2^30, floor(x / p) or, where p divides a
/// negative x, one less.
struct reduction {
  std::uint32_t p[byte_moduli::count], reciprocal[byte_moduli::count];
};

// The architecture's own instructions are compiled for sm_90a alone.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDA_ARCH__)
#define ACC_HAS_WGMMA
#endif

#if defined(ACC_HAS_WGMMA)
__device__ std::uint32_t shared_address(const void* p) {
  return std::uint32_t(__cvta_generic_to_shared(p));
}
__device__ void init_barrier(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}
__device__ void wait_barrier(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
__device__ void expect_bytes(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// Arrives at the barrier that has this place in the cluster's thread block `rank`, after the
/// tensor cores have read what is to be overwritten. It orders nothing that this thread wrote: of
/// the whole cluster's scope each arrival would be a fence, which takes as long as the loads that
/// are under way.
__device__ void arrive_at(std::uint32_t barrier, std::uint32_t rank) {
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
      "r"(rank)
      : "memory");
}
__device__ void copy(std::uint32_t to, const std::uint8_t* from, int bytes, std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
/// The same into all thread blocks of the cluster, and their barriers.
__device__ void copy_to_all(std::uint32_t to, const std::uint8_t* from, int bytes,
                            std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1], %2, [%3], %4;" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier), "h"(std::uint16_t((1 << cluster) - 1))
      : "memory");
}
__device__ void sync_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
/// The descriptor of rows of 128 bytes in shared memory: swizzled, eight rows 1024 bytes apart.
__device__ std::uint64_t descriptor(std::uint32_t address) {
  return std::uint64_t((address & 0x3ffff) >> 4) | std::uint64_t(1) << 16 |
         std::uint64_t(1024 >> 4) << 32 | std::uint64_t(1) << 62;
}

#define ACC_TEN(t) \
  "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9,"
#define ACC_EIGHT(d, i)                                                                       \
  "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]), "+r"(d[i + 4]), "+r"(d[i + 5]), \
      "+r"(d[i + 6]), "+r"(d[i + 7])
#define ACC_SIXTY_FOUR(d, i)                                                        \
  ACC_EIGHT(d, i), ACC_EIGHT(d, i + 8), ACC_EIGHT(d, i + 16), ACC_EIGHT(d, i + 24), \
      ACC_EIGHT(d, i + 32), ACC_EIGHT(d, i + 40), ACC_EIGHT(d, i + 48), ACC_EIGHT(d, i + 56)
/// d += (or =) a b^T, 64 x 32 bytes by 256 x 32 bytes, by a warpgroup. Its thread t = 32 w + 4 g +
/// q has rows 16 w + g and 8 more, and columns 8 j + 2 q and one more: d[4 j] to d[4 j + 3].
__device__ void multiply(int (&d)[128], std::uint64_t a, std::uint64_t b, int adds) {
  asm volatile(
      "{ .reg .pred adds; setp.ne.b32 adds, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {" ACC_TEN() ACC_TEN(1) ACC_TEN(2)
          ACC_TEN(3) ACC_TEN(4) ACC_TEN(5) ACC_TEN(6) ACC_TEN(7) ACC_TEN(8) ACC_TEN(9) ACC_TEN(10)
              ACC_TEN(11) "%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, adds; }"
      : ACC_SIXTY_FOUR(d, 0), ACC_SIXTY_FOUR(d, 64)
      : "l"(a), "l"(b), "r"(adds));
}
/// The same by 64 x 32 bytes.
__device__ void multiply(int (&d)[32], std::uint64_t a, std::uint64_t b, int adds) {
  asm volatile(
      "{ .reg .pred adds; setp.ne.b32 adds, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {" ACC_TEN() ACC_TEN(1)
          ACC_TEN(2) "%30,%31}, %32, %33, adds; }"
      : ACC_EIGHT(d, 0), ACC_EIGHT(d, 8), ACC_EIGHT(d, 16), ACC_EIGHT(d, 24)
      : "l"(a), "l"(b), "r"(adds));
}
#undef ACC_TEN
#undef ACC_EIGHT
#undef ACC_SIXTY_FOUR

/// A thread's sums modulo p. Adds: and the residues that are there.
template <bool Adds, int Sums>
__device__ __forceinline__ void store_residues(const int (&d)[Sums], std::uint32_t p,
                                               int reciprocal, uint4* to) {
#pragma unroll
  for (int v = 0; v < Sums / 16; ++v) {
    std::uint32_t old[4] = {}, r[4];
    if constexpr (Adds) {
      const uint4 o = to[v * warpgroup];
      old[0] = o.x, old[1] = o.y, old[2] = o.z, old[3] = o.w;
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      std::uint32_t byte[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int sum = d[16 * v + 4 * e + i] + int(old[e] >> 8 * i & 255);
        byte[i] = std::uint32_t(sum) - std::uint32_t(__mulhi(sum, reciprocal) >> 6) * p;
      }
      r[e] = __byte_perm(__byte_perm(byte[0], byte[1], 0x0040),
                         __byte_perm(byte[2], byte[3], 0x0040), 0x5410);
    }
    to[v * warpgroup] = make_uint4(r[0], r[1], r[2], r[3]);
  }
}
#endif

template <int YRows>
__global__ __launch_bounds__(threads, 1) void multiply_residues(
    const __grid_constant__ residue_products c, const __grid_constant__ reduction constants) {
#if defined(ACC_HAS_WGMMA)
  constexpr int stages = tiles<YRows>::stages, stage_bytes = tiles<YRows>::stage_bytes;
  extern __shared__ std::uint8_t memory[];
  // Places are the same in all thread blocks of a cluster.
  const std::uint32_t base = (shared_address(memory) + 1023) & ~1023u;
  const std::uint32_t full = base + stages * stage_bytes, empty = full + stages * 8;
  int4* const begins =
      reinterpret_cast<int4*>(memory + (empty + stages * 8 - shared_address(memory)));
  const auto x_at = [&](int s) { return base + s * stage_bytes; };
  const auto y_at = [&](int s) { return base + s * stage_bytes + block_bytes; };
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      init_barrier(full + 8 * s, 1);
      init_barrier(empty + 8 * s, cluster * 2 * warpgroup / 32);
    }
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  sync_cluster();

  const int depth_blocks = int(c.depth_blocks);
  const int part_blocks = (depth_blocks + c.parts - 1) / c.parts;
  const int items_of_part = *c.item_count;
  // Plane after plane, and of each part after part.
  const int items = items_of_part * c.parts * c.planes;
  const int first_item = int(blockIdx.x) / cluster, step = int(gridDim.x) / cluster;
  const auto blocks_of = [&](int part) {
    return min(part_blocks, depth_blocks - part * part_blocks);
  };
  const int group = int(threadIdx.x) / warpgroup;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      int s = 0;
      std::uint32_t parity = 1;
      const std::int64_t row = c.depth_blocks * block_bytes;
      // Read before it is needed.
      residue_item next = c.items[first_item < items ? first_item % items_of_part : 0];
      for (int n = first_item; n < items; n += step) {
        const residue_item item = next;
        if (n + step < items) next = c.items[(n + step) % items_of_part];
        const int pass = n / items_of_part, part = pass % c.parts, plane = pass / c.parts;
        const int l = item.l, modulus_of_plane = plane * c.moduli + l;
        const std::int64_t k = std::int64_t(part) * part_blocks * block_bytes;
        const std::int64_t x_row = (std::int64_t(item.x) * cluster + rank) * residue_tile::x;
        const std::int64_t y_row = std::int64_t(item.y) * residue_tile::y;
        const auto first_byte = [&](std::int64_t r) {
          return r / residue_blocks::rows * row + r % residue_blocks::rows * row_bytes + k;
        };
        // Bytes of a stage's rows from r on.
        const auto bytes = [](std::int64_t r, std::int64_t end, int most) {
          return int(min(max(end - r, std::int64_t(0)), std::int64_t(most))) * row_bytes;
        };
        constexpr int share = YRows / cluster;
        const std::int64_t y_own = y_row + rank * share;
        const int x_bytes = bytes(x_row, c.x_rows, residue_tile::x);
        const int y_bytes = bytes(y_own, c.y_rows, share);
        const int expected = x_bytes + bytes(y_row, c.y_rows, YRows);
        const std::uint8_t* x = c.x + modulus_of_plane * c.x_stride + first_byte(x_row);
        const std::uint8_t* y = c.y + modulus_of_plane * c.y_stride + first_byte(y_own);
        const int blocks = blocks_of(part);
        for (int b = 0; b < blocks; ++b, x += block_bytes, y += block_bytes) {
          wait_barrier(empty + 8 * s, parity);
          if (b == 0) begins[s] = make_int4(part * c.planes + plane, l, item.x, item.y);
          expect_bytes(full + 8 * s, expected);
          if (x_bytes > 0) copy(x_at(s), x, x_bytes, full + 8 * s);
          if (y_bytes > 0)
            copy_to_all(y_at(s) + rank * share * row_bytes, y, y_bytes, full + 8 * s);
          if (++s == stages) s = 0, parity ^= 1;
        }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int half = group - 1, t = int(threadIdx.x) % warpgroup, lane = t % 32;
    int s = 0;
    std::uint32_t parity = 0;
    const auto free_stage = [&](int stage) {
      __syncwarp();  // all of its threads have read which item the stage begins
      if (lane < cluster) arrive_at(empty + 8 * stage, lane);
    };
    constexpr int sums = tiles<YRows>::sums;
    int d[sums];
    for (int n = first_item; n < items; n += step) {
      const int blocks = blocks_of(c.parts == 1 ? 0 : n / items_of_part % c.parts);
      int before = -1;
      int4 at{};
      for (int b = 0; b < blocks; ++b) {
        wait_barrier(full + 8 * s, parity);
        // The thread that fetches has made the divisions, while others were waiting for nothing.
        if (b == 0) at = begins[s];
        const std::uint64_t x = descriptor(x_at(s) + half * block_bytes / 2);
        const std::uint64_t y = descriptor(y_at(s));
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < residue_blocks::depth / 32; ++k)
          multiply(d, x + 2 * k, y + 2 * k, int(b != 0 || k != 0));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (b != 0) {
          asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
          free_stage(before);
        }
        before = s;
        if (++s == stages) s = 0, parity ^= 1;
      }
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
      for (int i = 0; i < sums; ++i) asm volatile("" : "+r"(d[i])::"memory");
      free_stage(before);
      const int plane_of_part = at.x, l = at.y;
      const std::int64_t tile = (at.z * cluster + rank) * c.y_tiles + at.w;
      const std::int64_t all = c.x_tiles * c.y_tiles;
      const std::uint32_t p = constants.p[l];
      const int reciprocal = int(constants.reciprocal[l]);
      uint4* const to =
          reinterpret_cast<uint4*>(c.residues +
                                   ((std::int64_t(plane_of_part) * c.moduli + l) * all + tile) *
                                       residue_tile::words) +
          half * 8 * warpgroup + t;
      // Not one loop for both: adding nothing would be a third of its instructions.
      if (c.adds)
        store_residues<true>(d, p, reciprocal, to);
      else
        store_residues<false>(d, p, reciprocal, to);
    }
  }
  // No thread block ends while another may write into its memory.
  sync_cluster();
#endif
}

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("acc: ") + what + ": " + cudaGetErrorString(error));
}

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "residue products: device");
  check(cudaDeviceGetAttribute(&value, attribute, device), "residue products: device");
  return value;
}

/// Memory for a residue_tables, in every device.
__device__ alignas(residue_tables) std::byte tables_memory[sizeof(residue_tables)];

template <int YRows>
void launch(CUstream_st* stream, const residue_products& products) {
  constexpr int shared_bytes = tiles<YRows>::shared_bytes;
  check(cudaFuncSetAttribute(multiply_residues<YRows>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_bytes),
        "residue products: shared memory");
  reduction constants{};
  for (int l = 0; l < byte_moduli::count; ++l) {
    const std::uint32_t p = byte_moduli::modulus(l);
    constants.p[l] = p;
    constants.reciprocal[l] = std::uint32_t(((std::uint64_t(1) << 38) + p - 1) / p);
  }
  const std::int64_t most =
      products.x_tiles * products.y_tiles * products.parts * products.planes * byte_moduli::count;
  const std::int64_t blocks = device_attribute(cudaDevAttrMultiProcessorCount) / cluster * cluster;
  cudaLaunchConfig_t config{};
  config.gridDim = unsigned(std::min(blocks, most));
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, multiply_residues<YRows>, products, constants),
        "residue products: launch");
}

}  // namespace

const residue_tables* residue_tables_on_device() {
  static std::mutex guard;
  static std::map<int, const residue_tables*> known;
  int device = 0;
  check(cudaGetDevice(&device), "residue products: device");
  const std::lock_guard lock(guard);
  const residue_tables*& place = known[device];
  if (place == nullptr) {
    const residue_tables tables = make_residue_tables();
    void* address = nullptr;
    check(cudaGetSymbolAddress(&address, tables_memory), "residue products: tables");
    check(cudaMemcpyToSymbol(tables_memory, &tables, sizeof(tables)), "residue products: tables");
    // The copy may still be under way, and a caller's stream need not wait for this one.
    check(cudaStreamSynchronize(nullptr), "residue products: tables");
    place = static_cast<const residue_tables*>(address);
  }
  return place;
}

bool has_residue_products() {
  return device_attribute(cudaDevAttrComputeCapabilityMajor) == 9 &&
         device_attribute(cudaDevAttrComputeCapabilityMinor) == 0;
}

void launch_residue_products(CUstream_st* stream, const residue_products& products) {
  if (products.y_rows <= residue_tile::few_y)
    launch<residue_tile::few_y>(stream, products);
  else
    launch<residue_tile::y>(stream, products);
}

}  // namespace acc::backends::cuda
