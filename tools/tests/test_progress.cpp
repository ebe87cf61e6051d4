// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace {

using namespace acc_tool;
using namespace std::chrono_literals;
using Style = ProgressDisplay::Style;

/// A display whose clock the test turns.
struct Shown {
  explicit Shown(Style style)
      : display(style, [this](std::string_view text) { all += text; }, [this] { return time; }) {}

  std::string all;
  ProgressDisplay::Clock::time_point time{1h};
  ProgressDisplay display;

  std::ptrdiff_t count(char c) const { return std::count(all.begin(), all.end(), c); }
};

/// A stage of that many numbers, each of a millisecond.
void work(Shown& shown, std::uint64_t numbers) {
  Progress progress("reading x.npy", numbers, shown.display);
  for (std::uint64_t i = 1; i <= numbers; ++i) {
    shown.time += 1ms;
    progress.to(i);
  }
}

TEST(Progress, NothingWithoutATerminal) {
  Shown shown(Style::none);
  work(shown, 10'000);
  EXPECT_EQ(shown.all, "");
}

TEST(Progress, NothingOfShortWork) {
  Shown shown(Style::terminal);
  work(shown, 400);
  Progress("method plain", 0, shown.display);
  EXPECT_EQ(shown.all, "");
}

TEST(Progress, AtMostTenUpdatesASecondAndTheLineIsWiped) {
  Shown shown(Style::terminal);
  work(shown, 10'000);
  const std::string first = "\r\033[Kacc: reading x.npy: 5%", wiped = "\r\033[K";
  EXPECT_EQ(shown.all.substr(0, first.size()), first);
  EXPECT_NE(shown.all.find("\r\033[Kacc: reading x.npy: 99%"), std::string::npos);
  EXPECT_TRUE(shown.all.ends_with(wiped));
  EXPECT_EQ(shown.count('\n'), 0);
  EXPECT_GE(shown.count('\r'), 90);
  EXPECT_LE(shown.count('\r'), 101);
}

TEST(Progress, LinesAtMostOneASecondAndOneInTheEnd) {
  Shown shown(Style::lines);
  work(shown, 3'500);
  EXPECT_EQ(shown.count('\n'), 4) << shown.all;
  EXPECT_EQ(shown.all.substr(0, 24), "acc: reading x.npy: 29%\n");
  EXPECT_TRUE(shown.all.ends_with("acc: reading x.npy: done in 3.5 s\n")) << shown.all;
}

TEST(Progress, AStepOfUnknownLengthIsAnnounced) {
  Shown shown(Style::terminal);
  shown.time += 1s;
  const Progress step("method fold3", 0, shown.display);
  EXPECT_EQ(shown.all, "\r\033[Kacc: method fold3");
}

TEST(Progress, AStageThatFailsSaysNothingOfItsEnd) {
  Shown lines(Style::lines), terminal(Style::terminal);
  terminal.time += 1s;
  for (Shown* shown : {&lines, &terminal}) {
    try {
      Progress progress("reading x.npy", 0, shown->display);
      throw std::runtime_error("truncated");
    } catch (const std::runtime_error&) {
    }
  }
  EXPECT_EQ(lines.all, "");
  EXPECT_TRUE(terminal.all.ends_with("x.npy\r\033[K"));
}

TEST(Progress, LongNamesLoseTheirBeginning) {
  Shown shown(Style::lines);
  Progress(std::string(200, 'd') + "/x.npy", 1, shown.display);
  EXPECT_LT(shown.all.size(), 80u);
  EXPECT_NE(shown.all.find("ddd/x.npy: done"), std::string::npos);
}

}  // namespace
