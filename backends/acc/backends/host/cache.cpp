// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/backends/host/cache.hpp>

#if defined(ACC_HAVE_HWLOC)
#include <hwloc.h>
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
    const std::size_t cores =
        std::size_t(hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE));
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

}  // namespace acc::backends::host
