// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "printable.hpp"

#include <string>

#include <gtest/gtest.h>

#include "progress.hpp"
#include "vector.hpp"

namespace {

using namespace acc_tool;

TEST(Printable, TextIsKept) {
  for (const char* text : {"", "x.npy", " ~!", "gr\xc3\xb6\xc3\x9f.txt", "\xc2\xa0",
                           "\xe6\x95\xb0.npy", "\xf0\x9f\x93\x90"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlsAreNot) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m"), "?[31mred?[0m");
  EXPECT_EQ(printable("a\nacc: all is well\r\t\x7f"), "a?acc: all is well???");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("\xc2\x9bm"), "??m");  // ESC [ in one character
}

TEST(Printable, WhatIsNotUtf8IsNot) {
  EXPECT_EQ(printable("\x9bm"), "?m");
  EXPECT_EQ(printable("\xff\xc0\x80"), "???");
  EXPECT_EQ(printable("cut \xe6\x95"), "cut ??");
  EXPECT_EQ(printable("\xe6\x1b\x95"), "???");
  EXPECT_EQ(printable("\xc3(\xc3\xb6"), "?(\xc3\xb6");
}

TEST(Printable, ErrorsAre) {
  EXPECT_STREQ(Error("\x1b]0;x\a: cannot open").what(), "?]0;x?: cannot open");
}

TEST(Printable, ProgressIs) {
  const auto line = [](const std::string& what) {
    std::string shown;
    ProgressDisplay display(ProgressDisplay::Style::lines,
                            [&](std::string_view text) { shown += text; });
    Progress(what, 1, display);
    EXPECT_TRUE(shown.ends_with('\n'));
    shown.pop_back();
    EXPECT_EQ(printable(shown), shown);
    return shown;
  };
  EXPECT_TRUE(line("reading a\n\x1b[2J").starts_with("acc: reading a??[2J: done in "));
  // A long name loses its beginning, up to a byte that may be within a character.
  std::string letters = "x";
  for (int i = 0; i < 50; ++i) letters += "\xc3\xb6";
  EXPECT_NE(line(letters + "y"), line(letters + "yz"));
}

}  // namespace
