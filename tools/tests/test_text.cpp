// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "temporary_file.hpp"
#include "text.hpp"

namespace {

using acc_tool::Error;
using acc_tool::parse_text;

std::vector<double> parse(std::string_view text) { return parse_text<double>(text, "f.txt"); }
std::string complaint(std::string_view text) {
  return message_of<Error>([&] { parse(text); });
}

TEST(Text, SeparatorsAndComments) {
  const std::vector<double> expected{1, -2.5, 3e10, 4, 5};
  EXPECT_EQ(parse("# head\n1, -2.5\t3e10\r\n+4 # tail, 9\n5"), expected);
  EXPECT_EQ(parse("1,-2.5,,3e10#x\n#y\n\n 4\f5 "), expected);
}

TEST(Text, EmptyIsEmpty) {
  EXPECT_TRUE(parse("").empty());
  EXPECT_TRUE(parse(" \n,# only a comment").empty());
}

TEST(Text, HexadecimalIsExact) {
  EXPECT_EQ(parse("0x1.8p+3 -0X.1p0 +0x10 0x1.fffffffffffffp+1023 0x1p-1074"),
            (std::vector<double>{12, -0.0625, 16, std::numeric_limits<double>::max(),
                                 std::numeric_limits<double>::denorm_min()}));
}

TEST(Text, InfinitiesAndNan) {
  const auto values = parse("inf -Infinity nan INF");
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(values[1], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(values[2]));
}

// 1 + 2^-24 + 2^-60 lies just above a tie of float: by way of double it would become 1.
TEST(Text, FloatIsRoundedOnce) {
  EXPECT_EQ(parse_text<float>("0x1.0000010000000010p0", "f")[0], 0x1.000002p0f);
  EXPECT_EQ(parse_text<float>("1.00000005960464477626", "f")[0], 0x1.000002p0f);
}

TEST(Text, GarbageIsNamedWithItsPlace) {
  EXPECT_EQ(complaint("1\n2 three 4"), "f.txt:2:3: 'three' is not a number");
  EXPECT_EQ(complaint("1 2\n\n  #c\n\t3x"), "f.txt:4:2: '3x' is not a number");
  for (const char* bad : {"+-1", "--1", "-+1", "+", "-", "0x", "0xg", "0xinf", "0xnan", "1e",
                          "1..2", "0x1p", "1;2", "1_000", "infi", "\x93NUMPY", "0x-1", "1d5"}) {
    EXPECT_NE(complaint(bad).find("is not a number"), std::string::npos) << bad;
  }
}

TEST(Text, ControlCharactersStayOutOfMessages) {
  EXPECT_EQ(complaint("\x1b[31m"), "f.txt:1:1: '?[31m' is not a number");
  EXPECT_LT(complaint(std::string(1000, 'x')).size(), 100u);
  EXPECT_EQ(complaint(std::string_view("1\0002", 3)), "f.txt:1:1: '1?2' is not a number");
}

TEST(Text, OutOfRangeIsAnError) {
  EXPECT_EQ(complaint("1e999"), "f.txt:1:1: '1e999' is out of the range of float64");
  EXPECT_EQ(message_of<Error>([] { parse_text<float>("1e39", "f"); }),
            "f:1:1: '1e39' is out of the range of float32");
}

TEST(Read, RecognisesContentBeforeExtension) {
  const TemporaryFile mtx("a.dat", "%%MatrixMarket matrix array real general\n2 1\n3\n4\n");
  EXPECT_EQ(acc_tool::read(mtx.path(), {}).size(), 2u);
  const TemporaryFile text("b.dat", "1 2 3");
  const auto floats = acc_tool::read(text.path(), acc_tool::TextType::f32);
  EXPECT_EQ(acc_tool::type_name(floats), "float32");
  EXPECT_EQ(floats.size(), 3u);
}

TEST(Read, MissingFilesAndDirectories) {
  EXPECT_EQ(message_of<Error>([] { acc_tool::read("/no/such", {}); }),
            "/no/such: cannot open: No such file or directory");
  EXPECT_EQ(message_of<Error>([] { acc_tool::read("/", {}); }), "/: is a directory");
}

}  // namespace
