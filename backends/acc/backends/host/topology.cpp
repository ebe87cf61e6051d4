// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/backends/host/topology.hpp>

#if defined(ACC_HAVE_HWLOC)
#include <hwloc.h>
#endif

#if defined(__linux__)
#include <sys/mman.h>

#include <cstdint>
#endif

namespace acc::backends::host {

namespace {

constexpr cache_sizes assumed{32 << 10, 512 << 10};

#if defined(ACC_HAVE_HWLOC)
/// The smallest cache of a level: blocks must suit every core.
std::size_t smallest(hwloc_topology_t topology, hwloc_obj_type_t level, std::size_t otherwise) {
  std::size_t size = 0;
  for (hwloc_obj_t cache = hwloc_get_next_obj_by_type(topology, level, nullptr); cache != nullptr;
       cache = hwloc_get_next_obj_by_type(topology, level, cache)) {
    const std::size_t cores = std::size_t(
        hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE));
    const std::size_t share = std::size_t(cache->attr->cache.size) / (cores > 0 ? cores : 1);
    if (share > 0 && (size == 0 || share < size)) size = share;
  }
  return size == 0 ? otherwise : size;
}

cache_sizes find() {
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return assumed;
  cache_sizes found = assumed;
  if (hwloc_topology_load(topology) == 0)
    found = {smallest(topology, HWLOC_OBJ_L1CACHE, assumed.first),
             smallest(topology, HWLOC_OBJ_L2CACHE, assumed.second)};
  hwloc_topology_destroy(topology);
  return found;
}
#endif

}  // namespace

cache_sizes caches() {
#if defined(ACC_HAVE_HWLOC)
  static const cache_sizes found = find();
  return found;
#else
  return assumed;
#endif
}

#if defined(__linux__) && defined(MADV_HUGEPAGE)
void prefer_large_pages(void* memory, std::size_t bytes) {
  constexpr std::uintptr_t page = std::uintptr_t(2) << 20;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  // Advice: where the system does not take it, pages stay small.
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}
#else
void prefer_large_pages(void*, std::size_t) {}
#endif

}  // namespace acc::backends::host
