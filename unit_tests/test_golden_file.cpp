// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Golden files and the bits version: what is compared, what --update-golden writes, and what it
// refuses to write.
#include "golden.hpp"

#include <acc/core/config.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace acc_test {
namespace {

using Lines = std::map<std::string, std::string>;

std::string first_line(int version) {
  return "# Bits version " + std::to_string(version) +
         ". Made by --update-golden; see unit_tests/golden.hpp.\n";
}
std::string text(const Lines& lines, int version = acc::bits_version) {
  std::string all = first_line(version);
  for (const auto& [test_case, bits] : lines) all += test_case + ": " + bits + "\n";
  return all;
}
const Lines two{{"dot", "3ff0"}, {"sum", "4000"}}, changed{{"dot", "3ff1"}, {"sum", "4000"}},
    fewer{{"dot", "3ff0"}}, more{{"asum", "3f80"}, {"dot", "3ff0"}, {"sum", "4000"}};

class GoldenFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "acc_golden_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("ACC_GOLDEN_DIR", name.c_str(), 1);
  }
  void TearDown() override {
    update_golden() = false;
    unsetenv("ACC_GOLDEN_DIR");
    std::filesystem::remove_all(folder_);
  }

  void write(const std::string& content) const { std::ofstream(folder_ / "x.txt") << content; }
  std::string content() const {
    std::ostringstream all;
    all << std::ifstream(folder_ / "x.txt").rdbuf();
    return all.str();
  }
  /// How many failures a program reports that computes these.
  static int failures(const Lines& computed) {
    testing::TestPartResultArray found;
    {
      const testing::ScopedFakeTestPartResultReporter reporter(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &found);
      Golden golden("x.txt");
      for (const auto& [test_case, bits] : computed) golden.check(test_case, bits);
      golden.finish();
    }
    return found.size();
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(GoldenFile, IsComparedLineByLine) {
  write(text(two));
  EXPECT_EQ(failures(two), 0);
  for (const Lines& other : {changed, fewer, more}) EXPECT_EQ(failures(other), 1);
}

TEST_F(GoldenFile, OfAnotherBitsVersionFails) {
  for (const int version : {acc::bits_version - 1, acc::bits_version + 1}) {
    write(text(two, version));
    EXPECT_EQ(failures(two), 1);
  }
}

TEST_F(GoldenFile, WithoutALineOfItsVersionOrMissingFails) {
  EXPECT_EQ(failures({}), 1);
  write(text(two).substr(first_line(acc::bits_version).size()));
  EXPECT_EQ(failures(two), 1);
}

TEST_F(GoldenFile, UpdateAddsLines) {
  update_golden() = true;
  EXPECT_EQ(failures(two), 0);  // a new file
  EXPECT_EQ(content(), text(two));
  EXPECT_EQ(failures(more), 0);
  EXPECT_EQ(content(), text(more));
}

TEST_F(GoldenFile, UpdateChangesAndRemovesNoLineOfItsVersion) {
  write(text(two));
  update_golden() = true;
  for (const Lines& other : {changed, fewer}) {
    EXPECT_GT(failures(other), 0);
    EXPECT_EQ(content(), text(two));
  }
}

TEST_F(GoldenFile, UpdateWritesANewVersionAnew) {
  update_golden() = true;
  for (const Lines& other : {changed, fewer, more}) {
    write(text(two, acc::bits_version - 1));
    EXPECT_EQ(failures(other), 0);
    EXPECT_EQ(content(), text(other));
  }
}

}  // namespace
}  // namespace acc_test
