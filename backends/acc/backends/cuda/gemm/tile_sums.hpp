// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_TILE_SUMS_HPP
#define ACC_BACKENDS_CUDA_GEMM_TILE_SUMS_HPP

/// \file
/// What both kinds of tile share: the pipeline of a team's panels through stages in scratch memory,
/// and the chains and totals of a thread's entries.

#include <acc/backends/cuda/gemm/epilogue.hpp>
#include <acc/backends/cuda/gemm/panel_stage.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/gemm/problem.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// A team's warps and stages, as a tile's shape has them.
struct team_extents {
  int warps_m, warps_n, warp_tile_m, warp_tile_n, tile_k, stages;
  int smem_padding;  ///< bytes between k and k + 1 of a panel in a stage, besides its elements
  int vector_m = 1, vector_n = 1;  ///< see k_order
  bool pads_k = false;             ///< whether panels by k_vectors are padded, too, or in k_order
};

/// What follows from them for elements of type In; A and B: how the panels reach scratch memory.
template <class In, team_extents E, panel_access A, panel_access B>
struct tile_layout {
  static constexpr int warps_m = E.warps_m, threads = warp_size * E.warps_m * E.warps_n;
  static constexpr int warp_tile_m = E.warp_tile_m, warp_tile_n = E.warp_tile_n;
  static constexpr int tile_m = E.warps_m * E.warp_tile_m, tile_n = E.warps_n * E.warp_tile_n;
  static constexpr int tile_k = E.tile_k, stages = E.stages;
  static constexpr int padding = E.smem_padding / int(sizeof(In));
  static constexpr int vector_m = E.vector_m, vector_n = E.vector_n;
  static constexpr bool pads_k = E.pads_k;
  static constexpr panel_access a_access = A, b_access = B;
  /// From k to k + 1 in a stage, or of panels by k_vectors from place to place.
  static consteval int smem_ld(panel_access access, int tile_mn) {
    return access == panel_access::k_vectors ? tile_k + (pads_k ? padding : 0) : tile_mn + padding;
  }
  static consteval int smem_size(panel_access access, int tile_mn) {
    return smem_ld(access, tile_mn) * (access == panel_access::k_vectors ? tile_mn : tile_k);
  }
  static constexpr int a_smem_ld = smem_ld(A, tile_m), b_smem_ld = smem_ld(B, tile_n);
  static constexpr int a_smem_size = smem_size(A, tile_m), b_smem_size = smem_size(B, tile_n);
};

/// A's rows as a panel.
template <class Problem>
KOKKOS_FORCEINLINE_FUNCTION panel_data<const typename Problem::in> rows_of(const Problem& p) {
  return {p.a.data, p.a.rows, p.a.columns, p.a.row_stride, p.a.column_stride, p.a.batch_stride};
}
/// B's columns as a panel.
template <class Problem>
KOKKOS_FORCEINLINE_FUNCTION panel_data<const typename Problem::in> columns_of(const Problem& p) {
  return {p.b.data, p.b.columns, p.b.rows, p.b.column_stride, p.b.row_stride, p.b.batch_stride};
}

/// The stages of a team's panels: a ring in scratch memory. While one is multiplied, the copies of
/// the next ones are under way.
template <class Problem, class Layout, class Ops>
class panel_pipeline {
 public:
  using in = typename Problem::in;
  static constexpr int a_size = Layout::a_smem_size, size = a_size + Layout::b_smem_size;
  static constexpr int bytes = Layout::stages * size * int(sizeof(in));

  KOKKOS_FORCEINLINE_FUNCTION panel_pipeline(int thread, void* scratch)
      : a_copies_(thread), b_copies_(thread), memory_(static_cast<in*>(scratch)) {}

  /// Begins the copies of the first stages of k in [first_k, end_k).
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column, std::int64_t first_k,
                                         std::int64_t end_k) {
    a_copies_.begin(from_k(rows_of(p), first_k), first_row);
    b_copies_.begin(from_k(columns_of(p), first_k), first_column);
    at_ = 0;
    left_ = bounded(end_k - first_k);
    ACC_UNROLL for (int s = 0; s < Layout::stages; ++s) { copy(memory_ + s * size); }
  }
  /// From the stage in use on there are `k` products of an entry.
  KOKKOS_FORCEINLINE_FUNCTION void set_remaining(std::int64_t k) {
    left_ = bounded(k - Layout::stages * Layout::tile_k);
  }
  /// Waits for the first stage.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void first(const Team& team) {
    Ops::template wait<Layout::stages - 1>();
    Ops::barrier(team);
  }
  /// Waits for the next stage. Begins the copies of a later one to the place of the last one, which
  /// all threads have in registers by now.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Team& team) {
    Ops::template wait<Layout::stages - 2>();
    Ops::barrier(team);
    copy(memory_ + at_);
    at_ = at_ + size == Layout::stages * size ? 0 : at_ + size;
  }
  /// Waits for the copies of zeros after the last stage.
  KOKKOS_FORCEINLINE_FUNCTION void drain() const { Ops::template wait<0>(); }
  KOKKOS_FORCEINLINE_FUNCTION void* scratch() const { return memory_; }
  /// The panels of the stage in use.
  KOKKOS_FORCEINLINE_FUNCTION const in* a() const { return memory_ + at_; }
  KOKKOS_FORCEINLINE_FUNCTION const in* b() const { return a() + a_size; }

 private:
  template <panel_access Access, int TileMN, int Ld, int VectorMN>
  static auto choose_stage() {
    constexpr int tile_k = Layout::tile_k, threads = Layout::threads;
    using order = std::conditional_t<Layout::pads_k, padded_k_order<Ld>,
                                     k_order<impl::real_t<in>, tile_k * Problem::parts, VectorMN>>;
    if constexpr (Access == panel_access::elements)
      return std::type_identity<element_stage<Ops, in, TileMN, tile_k, Ld, threads>>{};
    else if constexpr (Access == panel_access::k_vectors)
      return std::type_identity<k_vector_stage<Ops, in, TileMN, tile_k, order, threads>>{};
    else
      return std::type_identity<mn_vector_stage<Ops, in, TileMN, tile_k, Ld, threads>>{};
  }
  template <panel_access Access, int TileMN, int Ld, int VectorMN>
  using stage = typename decltype(choose_stage<Access, TileMN, Ld, VectorMN>())::type;

  template <class Panel>
  static KOKKOS_FORCEINLINE_FUNCTION Panel from_k(Panel panel, std::int64_t k) {
    panel.data += k * panel.k_stride;
    return panel;
  }
  static KOKKOS_FORCEINLINE_FUNCTION int bounded(std::int64_t k) {
    constexpr std::int64_t bound = 1 << 30;
    return int(k < bound ? k : bound);
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy(in* to) {
    // Of stages beyond k nothing is multiplied. Copies of elements are long, and small products
    // have more stages than k; elsewhere a branch would cost more than copies of zeros.
    if (Layout::a_access != panel_access::elements || left_ > 0) {
      a_copies_.copy(to, left_);
      b_copies_.copy(to + a_size, left_);
    }
    Ops::commit();
    left_ -= Layout::tile_k;
  }

  stage<Layout::a_access, Layout::tile_m, Layout::a_smem_ld, Layout::vector_m> a_copies_;
  stage<Layout::b_access, Layout::tile_n, Layout::b_smem_ld, Layout::vector_n> b_copies_;
  in* memory_;
  int at_ = 0;    ///< where the stage in use begins
  int left_ = 0;  ///< k from the next stage to be copied on
};

/// Count numbers of each of a team's threads in memory, in vectors of Vector numbers.
template <class Real, int Count, int Threads, int Vector = 16 / int(sizeof(Real))>
class thread_numbers {
 public:
  static constexpr int vector = Vector;
  static constexpr int bytes = Count * Threads * int(sizeof(Real));
  static_assert(Count % vector == 0);
  using numbers = panel_vector<Real, vector>;

  KOKKOS_FORCEINLINE_FUNCTION thread_numbers(int thread, void* memory)
      : memory_(static_cast<numbers*>(memory) + thread) {}
  /// Those from number e on.
  KOKKOS_FORCEINLINE_FUNCTION numbers& operator[](int e) const {
    return memory_[e / vector * Threads];
  }

 private:
  numbers* memory_;
};

/// The totals of a thread's Entries entries. The last InSmem numbers of each total are in scratch
/// memory, the others in registers.
template <class Problem, int Entries, int Threads, int InSmem>
class entry_totals {
  using real = typename Problem::real;
  using totals = typename Problem::totals;
  using in_smem = thread_numbers<real, InSmem * Entries, Threads>;
  static constexpr int kept = totals::components - InSmem;  ///< in registers
  /// Entries whose totals are read and written at once.
  static constexpr int vector = InSmem > 0 || Entries % in_smem::vector == 0 ? in_smem::vector : 1;
  static_assert(kept >= 0 && Entries % vector == 0);

 public:
  static constexpr int bytes = in_smem::bytes;

  KOKKOS_FORCEINLINE_FUNCTION entry_totals(int thread, void* scratch) : memory_(thread, scratch) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin() {
    ACC_UNROLL for (int e = 0; e < Entries; e += vector) {
      totals t[vector];
      put(e, t);
    }
  }
  /// Closes the chains of Count entries, from the first on.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void close(typename Problem::chain (&chains)[Entries], int first) {
    static_assert(Count % vector == 0);
    ACC_UNROLL for (int e = first; e < first + Count; e += vector) {
      totals t[vector];
      get(e, t);
      ACC_UNROLL for (int i = 0; i < vector; ++i) { t[i].close(chains[e + i]); }
      put(e, t);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION totals at(int e) const {
    totals t[vector];
    get(e / vector * vector, t);
    return t[e % vector];
  }
  /// Makes entry e's sum high + low.
  KOKKOS_FORCEINLINE_FUNCTION void put(int e, typename Problem::chain& chain, real high, real low) {
    totals t[vector];
    get(e / vector * vector, t);
    t[e % vector].put(chain, high, low);
    put(e / vector * vector, t);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void get(int e, totals (&t)[vector]) const {
    if constexpr (totals::components > 0) {
      ACC_UNROLL for (int k = 0; k < totals::components; ++k) {
        if (k < kept) {
          ACC_UNROLL for (int i = 0; i < vector; ++i) { t[i].component(k) = kept_[k][e + i]; }
        } else {
          const auto v = memory_[(k - kept) * Entries + e];
          ACC_UNROLL for (int i = 0; i < vector; ++i) { t[i].component(k) = v.x[i]; }
        }
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int e, totals (&t)[vector]) {
    if constexpr (totals::components > 0) {
      ACC_UNROLL for (int k = 0; k < totals::components; ++k) {
        if (k < kept) {
          ACC_UNROLL for (int i = 0; i < vector; ++i) { kept_[k][e + i] = t[i].component(k); }
        } else {
          typename in_smem::numbers v;
          ACC_UNROLL for (int i = 0; i < vector; ++i) { v.x[i] = t[i].component(k); }
          memory_[(k - kept) * Entries + e] = v;
        }
      }
    }
  }

  in_smem memory_;
  real kept_[kept > 0 ? kept : 1][Entries];
};

/// The base of both kinds of tile: the pipeline of its panels, and the chains and totals of a
/// thread's Entries entries. The imaginary parts of complex entries follow all real parts. From one
/// section of k to the next the entries' sums wait where Sums says: in scratch memory, or in
/// `memory`, waiting_bytes of global memory that belong to the team.
///
/// Unless Sums is registers, the last sums go by way of that memory, too, and a short loop makes
/// entries of them. Code for all entries of a thread at once wants more registers than are left
/// beside the chains, and what it does without is missing in the loop over k.
///
/// AddsInMemory: sums of sections are added in global memory, not in registers, and stored one by
/// one. FMA instructions are a tenth slower where anything else wants chains in certain registers,
/// vectors of four among them: then operands share banks.
template <class Problem, class Layout, class Ops, int Entries, int TotalsInSmem,
          tuning::sums_in Sums, bool AddsInMemory>
class tile_sums {
 public:
  using in = typename Problem::in;
  using real = typename Problem::real;
  using layout = Layout;
  static constexpr int parts = Problem::parts;
  using pipeline = panel_pipeline<Problem, Layout, Ops>;
  using totals = entry_totals<Problem, parts * Entries, Layout::threads, TotalsInSmem>;
  using sum = typename entry_sum<Problem>::part;
  using waiting_sums = thread_numbers<real, sum::components * parts * Entries, Layout::threads,
                                      AddsInMemory ? 1 : 16 / int(sizeof(real))>;
  static constexpr bool in_smem = Sums == tuning::sums_in::smem;
  static constexpr int bytes =
      pipeline::bytes + totals::bytes + (in_smem ? waiting_sums::bytes : 0);
  static constexpr int waiting_bytes = in_smem ? 0 : (AddsInMemory ? 2 : 1) * waiting_sums::bytes;
  static_assert(!(in_smem && AddsInMemory));
  /// Whether a product of one section needs the memory, too.
  static constexpr bool needs_memory = Sums == tuning::sums_in::memory;

  KOKKOS_FORCEINLINE_FUNCTION tile_sums(int thread, void* scratch)
      : panels_(thread, scratch),
        totals_(thread, static_cast<char*>(scratch) + pipeline::bytes),
        thread_(thread) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column, std::int64_t first_k,
                                         std::int64_t end_k) {
    panels_.begin(p, first_row, first_column, first_k, end_k);
    begin_section();
    fresh_ = true;
  }
  /// Whether no section has ended yet.
  KOKKOS_FORCEINLINE_FUNCTION bool is_fresh() const { return fresh_; }
  KOKKOS_FORCEINLINE_FUNCTION void set_remaining(std::int64_t k) { panels_.set_remaining(k); }
  /// Ends a strip: closes the chains into the totals.
  KOKKOS_FORCEINLINE_FUNCTION void close() { totals_.template close<parts * Entries>(chains_, 0); }
  /// Adds the section, whose last strip is closed, to those before it. last: the sum is complete;
  /// else it waits, and the next section begins.
  KOKKOS_FORCEINLINE_FUNCTION void end_section(void* memory, bool last) {
    if (!writes_from_memory && fresh_ && last) return;
    if constexpr (in_smem)
      memory = static_cast<char*>(panels_.scratch()) + pipeline::bytes + totals::bytes;
    memory_ = memory;
    if constexpr (AddsInMemory) {
      store_section(fresh_ ? before() : section());
      if (!fresh_ && !last) add_in_memory();
    } else {
      if (!fresh_) add_waiting(before());
      if (writes_from_memory || !last) store_section(before());
    }
    if (last) {
      is_sum_in_two_ = AddsInMemory && !fresh_;
      return;
    }
    fresh_ = false;
    begin_section();
  }
  KOKKOS_FORCEINLINE_FUNCTION void drain() const { panels_.drain(); }

 protected:
  /// The same of Count entries, from the first on.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void close_entries(int first) {
    totals_.template close<Count>(chains_, first);
  }

  /// The sum of all sections, once the last one is ended.
  KOKKOS_FORCEINLINE_FUNCTION entry_sum<Problem> sum_of(int e) const {
    entry_sum<Problem> s;
    ACC_UNROLL for (int p = 0; p < parts; ++p) {
      s.x[p] = impl::section_of(totals_.at(p * Entries + e), chains_[p * Entries + e]);
    }
    return s;
  }

  /// Writes the entries, in groups of N rows of one column: entry(g, r) is the index of row r of
  /// group g, and place(g) is where the group begins.
  template <int N, class Entry, class Place>
  KOKKOS_FORCEINLINE_FUNCTION void write_groups(const Problem& p, const entry_sink<Problem>& sink,
                                                const Entry& entry, const Place& place) const {
    if constexpr (writes_from_memory) {
      write_from_memory<N>(p, sink, entry, place);
    } else {
      if (AddsInMemory && !fresh_) return write_from_memory<N>(p, sink, entry, place);
      ACC_UNROLL for (int g = 0; g < Entries / N; ++g) {
        entry_sum<Problem> sums[N];
        ACC_UNROLL for (int r = 0; r < N; ++r) { sums[r] = sum_of(entry(g, r)); }
        const auto at = place(g);
        write_entries<N>(p, sink, at.i, at.j, sums);
      }
    }
  }

  pipeline panels_;
  totals totals_;
  typename Problem::chain chains_[parts * Entries];

 private:
  KOKKOS_FORCEINLINE_FUNCTION void begin_section() {
    totals_.begin();
    ACC_UNROLL for (auto& chain : chains_) { chain = {}; }
  }
  KOKKOS_FORCEINLINE_FUNCTION waiting_sums before() const { return {thread_, memory_}; }
  KOKKOS_FORCEINLINE_FUNCTION waiting_sums section() const {
    return {thread_, static_cast<char*>(memory_) + waiting_sums::bytes};
  }
  static constexpr int count = parts * Entries;
  static constexpr bool writes_from_memory = Sums != tuning::sums_in::registers;

  KOKKOS_FORCEINLINE_FUNCTION void store_section(const waiting_sums& to) const {
    constexpr int vector = waiting_sums::vector;
    ACC_UNROLL for (int e = 0; e < count; e += vector) {
      sum s[vector];
      ACC_UNROLL for (int i = 0; i < vector; ++i) {
        s[i] = impl::section_of(totals_.at(e + i), chains_[e + i]);
      }
      ACC_UNROLL for (int k = 0; k < sum::components; ++k) {
        typename waiting_sums::numbers v;
        ACC_UNROLL for (int i = 0; i < vector; ++i) { v.x[i] = s[i].component(k); }
        to[k * count + e] = v;
      }
    }
  }
  /// The sum of number e in memory; adds: of the sections so far and of one more.
  KOKKOS_FORCEINLINE_FUNCTION sum load_sum(int e, bool adds) const {
    constexpr int vector = waiting_sums::vector;
    sum s;
    ACC_UNROLL for (int k = 0; k < sum::components; ++k) {
      const int at = k * count + e;
      s.component(k) = before()[at / vector * vector].x[at % vector];
    }
    if (AddsInMemory && adds) {
      sum next;
      ACC_UNROLL for (int k = 0; k < sum::components; ++k) {
        const int at = k * count + e;
        next.component(k) = section()[at / vector * vector].x[at % vector];
      }
      s.add(next);
    }
    return s;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_in_memory() const {
    constexpr int vector = waiting_sums::vector;
    constexpr int together =
        smaller(tuning::waiting_loads / sum::components * 16 / int(sizeof(real)), count);
    static_assert(count % together == 0);
    ACC_NO_UNROLL for (int first = 0; first < count; first += together) {
      sum s[together];
      ACC_UNROLL for (int i = 0; i < together; ++i) { s[i] = load_sum(first + i, true); }
      ACC_UNROLL for (int k = 0; k < sum::components; ++k) {
        ACC_UNROLL for (int i = 0; i < together; i += vector) {
          typename waiting_sums::numbers v;
          ACC_UNROLL for (int l = 0; l < vector; ++l) { v.x[l] = s[i + l].component(k); }
          before()[k * count + first + i] = v;
        }
      }
    }
  }
  /// Writes the totals of all sections, which are in memory.
  template <int N, class Entry, class Place>
  KOKKOS_FORCEINLINE_FUNCTION void write_from_memory(const Problem& p,
                                                     const entry_sink<Problem>& sink,
                                                     const Entry& entry, const Place& place) const {
    constexpr int groups = Entries / N, together = groups % 4 == 0 && !in_smem ? 4 : 1;
    ACC_NO_UNROLL for (int first = 0; first < groups; first += together) {
      entry_sum<Problem> sums[together][N];
      ACC_UNROLL for (int g = 0; g < together; ++g) {
        ACC_UNROLL for (int r = 0; r < N; ++r) {
          ACC_UNROLL for (int k = 0; k < parts; ++k) {
            sums[g][r].x[k] = load_sum(k * Entries + entry(first + g, r), is_sum_in_two_);
          }
        }
      }
      ACC_UNROLL for (int g = 0; g < together; ++g) {
        const auto at = place(first + g);
        write_entries<N>(p, sink, at.i, at.j, sums[g]);
      }
    }
  }
  /// Adds this section to the sums that wait. So many loads are under way at once, before the first
  /// is used.
  KOKKOS_FORCEINLINE_FUNCTION void add_waiting(const waiting_sums& waiting) {
    constexpr int vector = waiting_sums::vector;
    constexpr int together = smaller(tuning::waiting_loads / sum::components * vector, count);
    static_assert(count % together == 0);
    ACC_UNROLL for (int first = 0; first < count; first += together) {
      typename waiting_sums::numbers v[sum::components][together / vector];
      ACC_UNROLL for (int k = 0; k < sum::components; ++k) {
        ACC_UNROLL for (int i = 0; i < together / vector; ++i) {
          v[k][i] = waiting[k * count + first + i * vector];
        }
      }
      ACC_UNROLL for (int i = 0; i < together; ++i) {
        sum before;
        ACC_UNROLL for (int k = 0; k < sum::components; ++k) {
          before.component(k) = v[k][i / vector].x[i % vector];
        }
        before.add(impl::section_of(totals_.at(first + i), chains_[first + i]));
        totals_.put(first + i, chains_[first + i], before.high(), before.low());
      }
    }
  }
  static consteval int smaller(int a, int b) { return a < b ? a : b; }

  int thread_;
  void* memory_ = nullptr;  ///< where sums wait
  bool fresh_ = true;
  bool is_sum_in_two_ = false;  ///< in the end: the last section is not added yet
};

}  // namespace acc::backends::cuda

#endif
