// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "npy.hpp"
#include "temporary_file.hpp"

namespace {

using acc_tool::Error;

/// The bytes of an .npy file, with any dictionary and any data.
std::string npy(std::string dictionary, std::string_view data, int version = 1) {
  std::string file(acc_tool::npy_magic);
  file += static_cast<char>(version);
  file += '\0';
  for (std::size_t n = dictionary.size(), i = 0; i < (version == 1 ? 2u : 4u); ++i, n >>= 8) {
    file += static_cast<char>(n & 0xff);
  }
  return file + dictionary + std::string(data);
}
std::string dictionary(std::string_view descr, std::string_view shape, bool fortran = false) {
  return "{'descr': '" + std::string(descr) +
         "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + std::string(shape) + ", }\n";
}
template <class T>
std::string bytes(std::vector<T> values, bool swap = false) {
  std::string data(values.size() * sizeof(T), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  for (std::size_t i = 0; swap && i < data.size(); i += sizeof(T)) {
    std::reverse(data.begin() + static_cast<long>(i),
                 data.begin() + static_cast<long>(i + sizeof(T)));
  }
  return data;
}

template <class T>
std::vector<T> read(std::string_view file) {
  const TemporaryFile temporary("read.npy", file);
  return std::get<std::vector<T>>(acc_tool::read_npy(temporary.path()).values);
}
std::string complaint(std::string_view file) {
  const TemporaryFile temporary("bad.npy", file);
  const std::string text = message_of<Error>([&] { acc_tool::read_npy(temporary.path()); });
  const std::string start = temporary.path() + ": ";
  EXPECT_TRUE(text.empty() || text.starts_with(start)) << text;
  return text.empty() ? text : text.substr(start.size());
}

constexpr bool big_host = std::endian::native == std::endian::big;

TEST(Npy, TypesAndByteOrders) {
  const std::vector<double> doubles{1.5, -2, 1e300};
  EXPECT_EQ(read<double>(npy(dictionary("<f8", "(3,)"), bytes(doubles, big_host))), doubles);
  EXPECT_EQ(read<double>(npy(dictionary(">f8", "(3,)"), bytes(doubles, !big_host))), doubles);
  const std::vector<float> floats{1.5f, -2};
  EXPECT_EQ(read<float>(npy(dictionary("<f4", "(2,)"), bytes(floats, big_host))), floats);
  using C = std::complex<double>;
  EXPECT_EQ(read<C>(npy(dictionary(">c16", "(1,)"), bytes<double>({1, 2}, !big_host))),
            (std::vector<C>{{1, 2}}));
  using F = std::complex<float>;
  EXPECT_EQ(read<F>(npy(dictionary("<c8", "(1,)"), bytes<float>({1, 2}, big_host))),
            (std::vector<F>{{1, 2}}));
}

TEST(Npy, HalfIsWidenedExactly) {
  const auto x = read<float>(npy(
      dictionary("<f2", "(7,)"),
      bytes<std::uint16_t>({0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x03ff, 0x3555}, big_host)));
  EXPECT_EQ(x, (std::vector<float>{1, -2, 65504, 0x1p-24f, std::numeric_limits<float>::infinity(),
                                   0x1.ff8p-15f, 0x1.554p-2f}));
}

TEST(Npy, VersionsRanksAndOrders) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  const std::string data = bytes(x, big_host);
  EXPECT_EQ(read<double>(npy(dictionary("<f8", "(2, 3)"), data, 2)), x);
  EXPECT_EQ(read<double>(npy(dictionary("<f8", "(1, 2,3)", true), data, 3)), x);
  EXPECT_EQ(read<double>(npy(dictionary("<f8", "()"), data.substr(0, 8))), std::vector<double>{1});
  EXPECT_TRUE(read<double>(npy(dictionary("<f8", "(0,)"), "")).empty());
  EXPECT_TRUE(
      read<double>(npy(dictionary("<f8", "(9999999999999, 0, 9999999999999)"), "")).empty());
  EXPECT_EQ(read<double>(npy("{\"shape\":(6,),\"fortran_order\":False,\"descr\":\"<f8\"}", data)),
            x);
}

TEST(Npy, WhatIsWrittenIsRead) {
  const TemporaryFile file("written.npy", "");
  for (const std::size_t n : {0u, 1u, 1000u}) {
    const std::vector<double> x(n, 1.25);
    acc_tool::write_npy(file.path(), x);
    EXPECT_EQ(std::get<std::vector<double>>(acc_tool::read_npy(file.path()).values), x);
    EXPECT_EQ((std::filesystem::file_size(file.path()) - 8 * n) % 64, 0u);
  }
}

TEST(Npy, ShapesAndOrdersAreWritten) {
  const TemporaryFile file("matrix.npy", "");
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  for (const bool fortran : {false, true}) {
    acc_tool::write_npy(file.path(), x, {2, 3}, fortran);
    const acc_tool::NpyArray array = acc_tool::read_npy(file.path());
    EXPECT_EQ(array.header.shape, (std::vector<std::uint64_t>{2, 3}));
    EXPECT_EQ(array.header.fortran_order, fortran);
    EXPECT_EQ(std::get<std::vector<float>>(array.values), x);
  }
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::string whole = npy(dictionary("<f8", "(3,)"), bytes<double>({1, 2, 3}));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_EQ(complaint(whole.substr(0, n)).substr(0, 10), "truncated:") << n;
  }
  EXPECT_EQ(complaint(whole), "");
  EXPECT_EQ(complaint(whole + "x"),
            "trailing bytes: the header promises 3 elements, 24 bytes, but 25 bytes follow it");
}

TEST(Npy, AHugeShapeDoesNotAllocate) {
  EXPECT_EQ(complaint(npy(dictionary("<f8", "(1099511627776,)"), "12345678")),
            "truncated: the header promises 1099511627776 elements, 8796093022208 bytes, "
            "but 8 bytes follow it");
  EXPECT_EQ(complaint(npy(dictionary("<f8", "(4294967296, 4294967296, 2)"), "")),
            "malformed .npy header: the product of the shape overflows");
  EXPECT_NE(complaint(npy(dictionary("<f8", "(18446744073709551616,)"), "")), "");
}

TEST(Npy, TypesItDoesNotTake) {
  for (const char* descr :
       {"<i8", "<f16", "|b1", "|O", "<U5", "f8", "=f8", "", "<", "<f8 ", "<f88"}) {
    EXPECT_NE(complaint(npy(dictionary(descr, "(1,)"), "12345678")).find("is not supported"),
              std::string::npos)
        << descr;
  }
  EXPECT_EQ(complaint(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "")),
            "structured .npy types are not supported");
}

TEST(Npy, MalformedHeaders) {
  for (const char* text :
       {"", "{", "}", "{}", "[]", "{'descr': '<f8'}", "{'descr': '<f8', 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}"}) {
    EXPECT_NE(complaint(npy(text, "12345678")).find("malformed .npy header"), std::string::npos)
        << text;
  }
  EXPECT_EQ(complaint("PK\3\4 a zip archive"), "not an .npy file: the magic string is missing");
  EXPECT_EQ(complaint(npy(dictionary("<f8", "(1,)"), "12345678", 4)), "unknown .npy version 4.0");
}

// Bytes changed at random: the reader either reads or throws Error, nothing else.
TEST(Npy, SurvivesDamage) {
  const std::string whole = npy(dictionary("<f8", "(2, 1)"), bytes<double>({1, 2}));
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string damaged = whole;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    damaged.resize(damaged.size() - random() % 3);
    refused += !complaint(damaged).empty();
  }
  EXPECT_GT(refused, 2000);
  EXPECT_LT(refused, 4000);
}

}  // namespace
