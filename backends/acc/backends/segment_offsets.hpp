// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_SEGMENT_OFFSETS_HPP
#define ACC_BACKENDS_SEGMENT_OFFSETS_HPP

/// \file
/// Offsets of segments that are given in another way: by their lengths, or as runs of equal keys.

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::backends {

/// offsets(i): elements before segment i.
template <class Lengths>
struct lengths_scan {
  Lengths lengths;
  std::int64_t* offsets;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& before, bool is_final) const {
    const auto length = std::int64_t(lengths(i));
    if (is_final) {
      if (i == 0) offsets[0] = 0;
      offsets[i + 1] = before + length;
    }
    before += length;
  }
};
/// Enqueues the offsets of m > 0 segments on exec.
template <class Exec, class Lengths>
void find_offsets_of_lengths(const Exec& exec, const char* label, const Lengths& lengths,
                             std::int64_t* offsets) {
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_scan(label, range(exec, 0, std::int64_t(lengths.extent(0))),
                        lengths_scan<Lengths>{lengths, offsets});
}

/// What find_runs writes: where the first `room` runs begin, and in offsets[room] the end of the
/// last of them; their keys; how many runs there are.
template <class Keys, class Unique, class Count>
struct runs {
  Keys keys;
  Unique unique;
  Count* count;
  std::int64_t* offsets;
  std::int64_t size, room;
};

/// As if there were no runs: all segments are empty, at the end.
template <class Runs>
struct no_runs {
  Runs runs;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    runs.offsets[i] = runs.size;
    if (i == 0) *runs.count = 0;
  }
};
template <class Runs>
struct runs_scan {
  Runs runs;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& before, bool is_final) const {
    const bool begins = i == 0 || !(runs.keys(i) == runs.keys(i - 1));
    if (is_final) {
      if (begins && before <= runs.room) runs.offsets[before] = i;
      if (begins && before < runs.room) runs.unique(before) = runs.keys(i);
      if (i == runs.size - 1) {
        using count = std::remove_pointer_t<decltype(runs.count)>;
        *runs.count = count(before + (begins ? 1 : 0));
      }
    }
    before += begins ? 1 : 0;
  }
};
/// Enqueues it on exec.
template <class Exec, class Runs>
void find_runs(const Exec& exec, const char* label, const Runs& r) {
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(label, range(exec, 0, r.room + 1), no_runs<Runs>{r});
  if (r.size > 0) Kokkos::parallel_scan(label, range(exec, 0, r.size), runs_scan<Runs>{r});
}

}  // namespace acc::backends

#endif
