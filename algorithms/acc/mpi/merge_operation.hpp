// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_MPI_MERGE_OPERATION_HPP
#define ACC_MPI_MERGE_OPERATION_HPP

/// \file
/// What accumulators travel as, and the commutative MPI_Op that merges two.

#include <acc/core/binned.hpp>
#include <acc/core/exact/compact_sum.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/mpi/error.hpp>

#include <Kokkos_Macros.hpp>
#include <concepts>
#include <cstdint>
#include <mpi.h>
#include <stdexcept>

namespace acc::mpi {

/// An accumulator that can travel: superaccumulator and binned, real and complex.
template <class A>
concept accumulator = requires(A a, const A b, std::int64_t* words) {
  { A::from_wire(words, std::int64_t(A::wire_words)) } -> std::same_as<A>;
  b.to_wire(words);
  a.merge(b);
  a.normalise();
};

namespace impl {

/// The real accumulators of which A is made: itself, or real and imaginary part.
template <class A>
struct parts_of {
  using type = A;
  static constexpr int count = 1;
  KOKKOS_INLINE_FUNCTION static A& get(A& sum, int) { return sum; }
};
template <class A>
  requires requires(A a) { a.re, a.im; }
struct parts_of<A> {
  using type = decltype(A::re);
  static constexpr int count = 2;
  KOKKOS_INLINE_FUNCTION static type& get(A& sum, int i) { return i == 0 ? sum.re : sum.im; }
};
template <class A>
using part_t = typename parts_of<A>::type;

/// Sums of wire forms of A's parts are wire forms of the merged sum (docs/arithmetic.md).
template <class Part>
inline constexpr bool wire_is_summable = false;
template <class T>
inline constexpr bool wire_is_summable<superaccumulator<T>> = true;

/// A wire form that must be merged, as an element of a message.
template <class Part>
struct merged_wire {
  static constexpr int words = Part::wire_words;
  std::int64_t word[words];

  KOKKOS_INLINE_FUNCTION explicit merged_wire(const Part& sum) { sum.to_wire(word); }
  static MPI_Datatype word_type() { return MPI_INT64_T; }
  bool wide() const { return false; }
  void check(const char*, int) const { sum(); }
  KOKKOS_INLINE_FUNCTION Part sum() const { return Part::from_wire(word, words); }
  /// Nothing may be thrown through MPI: a wire form that is refused leaves one without a tag,
  /// which every later merge, and in the end the reader, refuses.
  void merge(const merged_wire& other) {
    try {
      Part sum = Part::from_wire(word, words);
      sum.merge(Part::from_wire(other.word, words));
      sum.to_wire(word);
    } catch (const std::invalid_argument&) {
      word[0] = 0;
    }
  }
};

/// The short form of an exact sum, as an element of a message.
template <class T>
struct merged_window : acc::impl::compact_sum<T> {
  KOKKOS_INLINE_FUNCTION explicit merged_window(const superaccumulator<T>& sum)
      : acc::impl::compact_sum<T>(sum) {}
  static MPI_Datatype word_type() { return MPI_UINT32_T; }
};

/// What a part travels as.
template <class Part>
struct element_of {
  using type = merged_wire<Part>;
};
template <class T>
struct element_of<superaccumulator<T>> {
  using type = merged_window<T>;
};
template <class Part>
using element_t = typename element_of<Part>::type;

/// An MPI_User_function.
template <class Element>
void merge_elements(void* in, void* inout, int* n, MPI_Datatype*) {
  const auto* a = static_cast<const Element*>(in);
  auto* b = static_cast<Element*>(inout);
  for (int i = 0; i < *n; ++i) b[i].merge(a[i]);
}

/// An element of a message and how two are merged.
struct merge_operation {
  MPI_Datatype type;
  MPI_Op op;
};

/// Made once a process and type, at the first use. MPI_Finalize frees it, by an attribute of
/// MPI_COMM_SELF, whose attributes it deletes first of all (MPI 3.1, section 8.7.1).
template <class Element>
class owned_merge_operation {
 public:
  static merge_operation get(const char* function) {
    static const owned_merge_operation once(function);
    return *held();
  }

 private:
  static merge_operation* held() {
    static merge_operation operation{MPI_DATATYPE_NULL, MPI_OP_NULL};
    return &operation;
  }

  explicit owned_merge_operation(const char* function) {
    merge_operation& m = *held();
    static_assert(sizeof(Element) % Element::words == 0);
    check(MPI_Type_contiguous(Element::words, Element::word_type(), &m.type), function,
          "MPI_Type_contiguous");
    check(MPI_Type_commit(&m.type), function, "MPI_Type_commit");
    check(MPI_Op_create(merge_elements<Element>, /*commute=*/1, &m.op), function, "MPI_Op_create");
    int key = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release, &key, nullptr), function,
          "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, key, &m), function, "MPI_Comm_set_attr");
    check(MPI_Comm_free_keyval(&key), function, "MPI_Comm_free_keyval");  // once it is deleted
  }

  static int release(MPI_Comm, int, void* attribute, void*) {
    auto& m = *static_cast<merge_operation*>(attribute);
    const int code = MPI_Op_free(&m.op);
    return code != MPI_SUCCESS ? code : MPI_Type_free(&m.type);
  }
};

}  // namespace impl
}  // namespace acc::mpi

#endif
