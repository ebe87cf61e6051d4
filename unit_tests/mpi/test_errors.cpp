// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the distributed functions refuse, on all ranks alike: none may wait for one that has left.
#include "ranks.hpp"

#include <acc/mpi.hpp>

#include <gtest/gtest.h>

namespace acc_test {
namespace {

using Exact64 = acc::superaccumulator<double>;
using Bins = acc::binned<double, 3>;

template <class Function>
std::string what(const Function& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing";
}

TEST(MpiErrors, Communicators) {
  Exact64 sum;
  EXPECT_EQ(what([&] { acc::mpi::all_reduce(MPI_COMM_NULL, sum); }),
            "acc::mpi::all_reduce: comm is MPI_COMM_NULL");
  EXPECT_EQ(what([&] { acc::mpi::reduce(MPI_COMM_WORLD, -1, sum); }),
            "acc::mpi::reduce: root is -1");
  EXPECT_EQ(what([&] { acc::mpi::reduce(MPI_COMM_WORLD, ranks(), sum); }),
            "acc::mpi::reduce: root is " + std::to_string(ranks()) + ", but comm has " +
                std::to_string(ranks()) + " ranks");
  if (ranks() == 1) return;
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, rank(), &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank() % 2, 5, &between);
  EXPECT_EQ(what([&] { acc::mpi::all_reduce(between, sum); }),
            "acc::mpi::all_reduce: comm is an inter-communicator");
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

TEST(MpiErrors, AViewWithoutData) {
  const Kokkos::View<Exact64*> sums(static_cast<Exact64*>(nullptr), 3);
  EXPECT_EQ(what([&] { acc::mpi::all_reduce(MPI_COMM_WORLD, sums); }),
            "acc::mpi::all_reduce: sums has extent 3 but no data (null pointer)");
  const Kokkos::View<double*> x(static_cast<double*>(nullptr), 3);
  EXPECT_EQ(what([&] { (void)acc::mpi::sum(MPI_COMM_WORLD, x); }),
            "acc::mpi::sum: x has extent 3 but no data (null pointer)");
}

/// A rank with another version of acc: every rank hears of it.
template <class Element, class Sum>
void other_version(std::uint32_t (*damage)(Element&)) {
  Element element{Sum(1.0)};
  if (rank() == ranks() / 2) damage(element);
  const auto [type, op] = acc::mpi::impl::owned_merge_operation<Element>::get("test");
  MPI_Allreduce(MPI_IN_PLACE, &element, 1, type, op, MPI_COMM_WORLD);
  EXPECT_NE(what([&] {
              element.check("acc::mpi::all_reduce", ranks());
            }).find("words[0] is not the tag of this type and wire version"),
            std::string::npos);
}

TEST(MpiErrors, AnotherWireVersion) {
  using Window = acc::mpi::impl::merged_window<double>;
  using Wire = acc::mpi::impl::merged_wire<Bins>;
  other_version<Window, Exact64>([](Window& w) { return ++w.tag; });
  other_version<Wire, Bins>([](Wire& w) { return std::uint32_t(++w.word[0]); });

  // Wire forms that MPI itself adds: the tags' sum betrays it.
  std::int64_t words[Exact64::wire_words];
  Exact64(1.0).to_wire(words);
  if (rank() == 0) ++words[0];
  MPI_Allreduce(MPI_IN_PLACE, words, Exact64::wire_words, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_NE(what([&] { Exact64::from_wire(words, Exact64::wire_words); }).find("words[0]"),
            std::string::npos);
}

TEST(MpiErrors, AWindowThatIsNone) {
  using Window = acc::impl::compact_sum<double>;
  const auto refused = [](std::uint32_t Window::* word, std::uint32_t value) {
    Window w{Exact64(1.0)};
    w.*word = value;
    return what([&] { w.check("f", 1); });
  };
  EXPECT_EQ(refused(&Window::contributions, 3),
            "f: words[1] is not the number of ranks (got 3, expected 1)");
  EXPECT_EQ(refused(&Window::kinds, 64), "f: words[2] is no set of kinds (got 64, expected 63)");
  EXPECT_EQ(refused(&Window::range, 200),
            "f: words[3] is no range of digits (got 200, expected 133)");
}

/// The operation is made once and freed by MPI_Finalize; till then it is the same.
TEST(MpiErrors, TheOperationIsMadeOnce) {
  using Wire = acc::mpi::impl::merged_wire<Bins>;
  const auto a = acc::mpi::impl::owned_merge_operation<Wire>::get("test");
  const auto b = acc::mpi::impl::owned_merge_operation<Wire>::get("test");
  EXPECT_TRUE(a.op == b.op && a.type == b.type && a.op != MPI_OP_NULL);
  int commutes = 0;
  MPI_Op_commutative(a.op, &commutes);
  EXPECT_EQ(commutes, 1);
}

}  // namespace
}  // namespace acc_test
