// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction over a million ranks, simulated: what travels is merged in trees of several shapes,
// with the states that need the most room for carries. docs/distributed.md has the account.
#include "order_free.hpp"

#include <acc/core/binned.hpp>
#include <acc/core/exact/compact_sum.hpp>

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace acc_test {
namespace {

constexpr std::int64_t million = std::int64_t(1) << 20;

/// Shapes of a reduction; hypercube for powers of two.
enum class Tree { chain, backwards, binary, radix16, hypercube, random };
constexpr Tree all_trees[] = {Tree::chain,   Tree::backwards, Tree::binary,
                              Tree::radix16, Tree::hypercube, Tree::random};

/// leaf(0) ... leaf(n - 1) reduced by merge(a, b), which adds b to a.
template <class State, class Leaf, class Merge>
State reduce(Tree tree, std::int64_t n, const Leaf& leaf, const Merge& merge) {
  if (tree == Tree::chain || tree == Tree::backwards) {  // a ring: one rank after the other
    State sum = leaf(tree == Tree::chain ? 0 : n - 1);
    for (std::int64_t i = 1; i < n; ++i) merge(sum, leaf(tree == Tree::chain ? i : n - 1 - i));
    return sum;
  }
  // Subtrees as a counter has digits: `radix` equal ones merge as soon as they are there.
  const std::int64_t radix = tree == Tree::radix16 ? 16 : 2;
  Random random(60);
  std::vector<std::pair<std::int64_t, State>> stack;
  const auto merge_top_two = [&](bool upper_into_lower) {
    auto top = std::move(stack.back());
    stack.pop_back();
    if (upper_into_lower) {
      merge(stack.back().second, top.second);
    } else {
      merge(top.second, stack.back().second);
      stack.back().second = std::move(top.second);
    }
    stack.back().first += top.first;
  };
  for (std::int64_t i = 0; i < n; ++i) {
    // A hypercube's leaves come in the order of their bits reversed.
    std::int64_t k = i;
    if (tree == Tree::hypercube) {
      k = 0;
      for (std::int64_t bit = 1; bit < n; bit *= 2) k = 2 * k + ((i & bit) != 0);
    }
    stack.emplace_back(1, leaf(k));
    if (tree == Tree::random) {
      while (stack.size() > 1 && random.below(2)) merge_top_two(random.below(2) != 0);
      continue;
    }
    while (static_cast<std::int64_t>(stack.size()) >= radix) {
      bool equal = true;
      for (std::int64_t j = 1; j < radix; ++j)
        equal = equal && stack[stack.size() - 1 - std::size_t(j)].first == stack.back().first;
      if (!equal) break;
      for (std::int64_t j = 1; j < radix; ++j) merge_top_two(j % 2 != 0);
    }
  }
  while (stack.size() > 1) merge_top_two(true);
  return std::move(stack[0].second);
}

/// The states of exact sums that fill their digits: everything below 2^e set, positive or negative.
template <class T>
std::vector<acc::superaccumulator<T>> full_states(int low, int high) {
  using Sum = acc::superaccumulator<T>;
  Sum ones;  // 2^high - 2^low: a digit of ones each
  ones.add_integer(1, high);
  ones.add_integer(-1, low);
  Sum next = ones;  // one unit less
  next.add_integer(-1, low);
  return {ones, -ones, next, ones, ones, ones, -next};
}

/// Wire forms by integer sums, each of which is checked for overflow.
template <class T>
struct Wires {
  using Sum = acc::superaccumulator<T>;
  using Wire = std::array<std::int64_t, Sum::wire_words>;
  static Wire of(const Sum& sum) {
    Wire w;
    sum.to_wire(w.data());
    return w;
  }
  static void add(Wire& a, const Wire& b) {
    bool overflow = false;
    for (std::size_t i = 0; i < a.size(); ++i)
      overflow = overflow || __builtin_add_overflow(a[i], b[i], &a[i]);
    if (overflow) throw std::overflow_error("a word of a wire form");
  }
};

template <class T>
class MergeTree : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(MergeTree, Types);

TYPED_TEST(MergeTree, AMillionWireFormsAreSummed) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  using W = Wires<T>;
  const auto states = full_states<T>(Sum::unit_exponent, Sum::max_exponent + 60);
  std::vector<typename W::Wire> wires;
  for (const auto& s : states) wires.push_back(W::of(s));
  Sum expected;
  for (std::size_t k = 0; k < states.size(); ++k) {
    std::int64_t times = million / std::int64_t(states.size());
    times += std::int64_t(k) < million % std::int64_t(states.size());
    Sum doubled = states[k];
    for (; times != 0; times /= 2, doubled.merge(Sum(doubled)))
      if (times % 2 != 0) expected.merge(doubled);
  }
  for (const Tree tree : all_trees) {
    const auto sum = reduce<typename W::Wire>(
        tree, million, [&](std::int64_t i) { return wires[std::size_t(i) % wires.size()]; },
        W::add);
    EXPECT_EQ(sum[1], million);
    EXPECT_TRUE(identical(Sum::from_wire(sum.data(), Sum::wire_words), expected)) << int(tree);
  }
}

/// 2^30 of the fullest: 30 doublings, read at each.
TYPED_TEST(MergeTree, ABillionOfTheFullestWireForms) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  using W = Wires<T>;
  for (const auto& state : full_states<T>(Sum::unit_exponent, Sum::max_exponent + 60)) {
    auto wire = W::of(state);
    Sum expected = state;
    for (int k = 0; k < 30; ++k) {
      W::add(wire, typename W::Wire(wire));
      expected.merge(Sum(expected));
      ASSERT_TRUE(identical(Sum::from_wire(wire.data(), Sum::wire_words), expected)) << k;
    }
    W::add(wire, typename W::Wire(wire));
    EXPECT_THROW((void)Sum::from_wire(wire.data(), Sum::wire_words), std::invalid_argument);
  }
}

/// Windows, as all_reduce sends them, with and without room for all their digits.
TYPED_TEST(MergeTree, AMillionWindowsAreMerged) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  using Window = acc::impl::compact_sum<T>;
  const int first = sizeof(T) == 8 ? 31 : 0;
  const int low = Sum::unit_exponent + 32 * first + 8;
  for (const int digits : {1, 17, 27, 28}) {
    const int high = Sum::unit_exponent + 32 * (first + digits);
    if (high > Sum::max_exponent + 60) continue;
    const auto states = full_states<T>(low, high);
    std::vector<Window> windows;
    for (const auto& s : states) windows.emplace_back(s);
    windows.emplace_back(Sum());
    Sum expected;
    for (std::int64_t i = 0; i < million; ++i)
      if (std::size_t(i) % windows.size() < states.size())
        expected.merge(states[std::size_t(i) % windows.size()]);
    for (const Tree tree : all_trees) {
      const Window sum = reduce<Window>(
          tree, million, [&](std::int64_t i) { return windows[std::size_t(i) % windows.size()]; },
          [](Window& a, const Window& b) { a.merge(b); });
      EXPECT_EQ(sum.contributions, million);
      EXPECT_NO_THROW(sum.check("f", million));
      EXPECT_EQ(sum.wide(), sizeof(T) == 8 && digits > 27) << digits;
      if (!sum.wide()) {
        EXPECT_TRUE(identical(sum.sum(), expected)) << digits << ", " << int(tree);
      }
    }
  }
}

/// A sum's window gives the sum back; merged ones the merged sum, or all of them are wide.
TYPED_TEST(MergeTree, WindowsOfRandomSums) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  using Window = acc::impl::compact_sum<T>;
  Random random(61);
  std::int64_t wide = 0;
  for (std::int64_t k = 0; k < fuzz_cases(100'000); ++k) {
    const auto terms = random_terms<T>(random);
    std::vector<Sum> sums(static_cast<std::size_t>(random.integer(1, 5)));
    for (const auto& t : terms) deposit(sums[random.below(sums.size())], t);
    const auto leaf = [&](std::int64_t i) {
      Sum& sum = sums[std::size_t(i)];
      if (random.below(2)) sum.normalise();
      return Window(sum);
    };
    const auto n = std::int64_t(sums.size());
    const auto merge = [](Window& a, const Window& b) { a.merge(b); };
    const Window a = reduce<Window>(Tree::chain, n, leaf, merge);
    const Window b = reduce<Window>(Tree::random, n, leaf, merge);
    a.check("f", n);
    wide += a.wide();
    if (!a.wide()) {
      ASSERT_TRUE(identical(a.sum(), sum_of<Sum>(terms))) << text(terms);
    }
    ASSERT_EQ(a.wide(), b.wide()) << text(terms);
  }
  EXPECT_EQ(wide > 0, sizeof(T) == 8);
}

/// The wire forms of binned are read, merged and written at each step, as its MPI_Op does.
TYPED_TEST(MergeTree, AMillionBinnedSums) {
  using T = TypeParam;
  using Sum = acc::binned<T, 3>;
  using Wire = std::array<std::int64_t, Sum::wire_words>;
  // Totals near 2^62 a bin and rank: their sum needs both words of a bin.
  std::vector<Wire> wires;
  for (const int top : {52, 51, 50, 48}) {
    for (const std::int64_t total : {std::int64_t(1), std::int64_t(-1)}) {
      Sum sum;
      sum.raise(top);
      sum.add_kinds({acc::element_kinds::nonzero});
      for (int j = top; j > top - 3; --j)
        for (int k = 0; k < 4; ++k) sum.add_to_bin(j, total * ((std::int64_t(1) << 60) - 1 - k));
      Wire w;
      sum.to_wire(w.data());
      wires.push_back(w);
      wires.push_back(w);
      if (total < 0) wires.pop_back();  // more positive ones
    }
  }
  const auto leaf = [&](std::int64_t i) { return wires[std::size_t(i) % wires.size()]; };
  const auto merge = [](Wire& a, const Wire& b) {
    Sum sum = Sum::from_wire(a.data(), Sum::wire_words);
    sum.merge(Sum::from_wire(b.data(), Sum::wire_words));
    sum.to_wire(a.data());
  };
  const Wire expected = reduce<Wire>(Tree::binary, million, leaf, merge);
  for (const Tree tree : all_trees) EXPECT_EQ(reduce<Wire>(tree, million, leaf, merge), expected);
}

}  // namespace
}  // namespace acc_test
