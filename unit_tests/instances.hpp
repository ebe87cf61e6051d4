// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution space instances of one's own, and what happened meanwhile by Kokkos Tools' callbacks.
#pragma once

#include "device.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace acc_test {

/// An instance that is not the default one. partition_space needs a thread a part on OpenMP, so
/// host spaces make theirs directly.
template <class E = Exec>
E new_instance() {
#ifdef KOKKOS_ENABLE_SERIAL  // elsewhere there is no NewInstance to name
  if constexpr (std::is_same_v<E, Kokkos::Serial>) return E(Kokkos::NewInstance{});
#endif
  if constexpr (std::is_constructible_v<E, int> &&
                Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                           typename E::memory_space>::accessible) {
    return E(std::max(1, E{}.concurrency() / 2));  // OpenMP: a pool of so many threads
  } else {
    return Kokkos::Experimental::partition_space(E{}, 1, 1)[1];
  }
}

/// One callback: a kernel, fence, deep copy, allocation or region began, or a region ended.
struct Event {
  enum Kind { kernel, fence, deep_copy, allocation, region, region_end } kind;
  std::string name;
  std::uint32_t instance = 0;  // of kernels and fences
};

/// Records events from construction to destruction. One at a time.
class Recorder {
 public:
  Recorder() {
    using namespace Kokkos::Tools::Experimental;
    events_.clear();
    set_begin_parallel_for_callback(on_kernel);
    set_begin_parallel_reduce_callback(on_kernel);
    set_begin_parallel_scan_callback(on_kernel);
    set_begin_fence_callback(on_fence);
    set_begin_deep_copy_callback(on_deep_copy);
    set_allocate_data_callback(on_allocation);
    set_push_region_callback([](const char* name) { events_.push_back({Event::region, name}); });
    set_pop_region_callback([] { events_.push_back({Event::region_end, ""}); });
  }
  ~Recorder() {
    using namespace Kokkos::Tools::Experimental;
    set_begin_parallel_for_callback(nullptr);
    set_begin_parallel_reduce_callback(nullptr);
    set_begin_parallel_scan_callback(nullptr);
    set_begin_fence_callback(nullptr);
    set_begin_deep_copy_callback(nullptr);
    set_allocate_data_callback(nullptr);
    set_push_region_callback(nullptr);
    set_pop_region_callback(nullptr);
  }
  Recorder(const Recorder&) = delete;

  std::vector<Event> of(Event::Kind kind) const {
    std::vector<Event> chosen;
    for (const Event& e : events_) {
      if (e.kind == kind) chosen.push_back(e);
    }
    return chosen;
  }

 private:
  static std::uint32_t instance_of(std::uint32_t device) {
    return Kokkos::Tools::Experimental::identifier_from_devid(device).instance_id;
  }
  static void on_kernel(const char* name, std::uint32_t device, std::uint64_t* id) {
    *id = 0;
    events_.push_back({Event::kernel, name, instance_of(device)});
  }
  static void on_fence(const char* name, std::uint32_t device, std::uint64_t* id) {
    *id = 0;
    // Kokkos fences before it calls a tool such as this one.
    if (std::string_view(name).find("Kokkos Profile Tool Fence") != std::string_view::npos) return;
    events_.push_back({Event::fence, name, instance_of(device)});
  }
  static void on_deep_copy(Kokkos::Tools::SpaceHandle, const char* name, const void*,
                           Kokkos::Tools::SpaceHandle, const char*, const void*, std::uint64_t) {
    events_.push_back({Event::deep_copy, name});
  }
  static void on_allocation(Kokkos::Tools::SpaceHandle, const char* name, const void*,
                            std::uint64_t bytes) {
    // Kokkos 4 reports one of no bytes for each launch of teams on a GPU.
    if (bytes > 0) events_.push_back({Event::allocation, name});
  }

  static inline std::vector<Event> events_;
};

inline void PrintTo(const Event& e, std::ostream* out) {
  *out << "\"" << e.name << "\" on instance " << e.instance;
}

/// Runs call, which must throw std::invalid_argument with this text and launch nothing of acc's but
/// a kernel that checks.
template <class Call>
void expect_rejected(const Call& call, const std::string& message,
                     const std::string& check = "no check") {
  const Recorder recorder;
  try {
    call();
    ADD_FAILURE() << "accepted; expected: " << message;
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(e.what(), message);
  }
  for (const Event& e : recorder.of(Event::kernel)) {  // Views made in `call` are initialised
    EXPECT_TRUE(e.name.find("acc::") == std::string::npos || e.name == check)
        << e.name << " was launched before the rejection";
  }
}

}  // namespace acc_test
