// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "progress.hpp"

namespace acc_tool {
namespace {

constexpr bool little_endian_host = std::endian::native == std::endian::little;

/// IEEE binary16 to binary32, exactly.
float widen(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int fraction = half & 0x3ff;
  float magnitude = std::ldexp(static_cast<float>(fraction), -24);
  if (exponent > 0) magnitude = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  if (exponent == 0x1f) {
    magnitude =
        fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  }
  return half & 0x8000 ? -magnitude : magnitude;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), in_(path, std::ios::binary) {
    std::error_code status;
    if (!std::filesystem::is_regular_file(path, status))
      fail("an .npy file must be a regular file");
    left_ = std::filesystem::file_size(path, status);
    if (!in_ || status) fail("cannot open");
  }

  NpyArray read() {
    const NpyHeader header = read_header();
    return {header, read_values(header)};
  }

 private:
  Values read_values(const NpyHeader& header) {
    const std::string_view type = std::string_view(header.descr).substr(!header.descr.empty());
    const char order = header.descr.empty() ? '?' : header.descr[0];
    if (order == '<' || order == '>') {
      const bool swap = (order == '<') != little_endian_host;
      const std::uint64_t n = count(header.shape);
      if (type == "f2") return read_half(n, swap);
      if (type == "f4") return read_payload<float, float>(n, swap);
      if (type == "f8") return read_payload<double, double>(n, swap);
      if (type == "c8") return read_payload<std::complex<float>, float>(n, swap);
      if (type == "c16") return read_payload<std::complex<double>, double>(n, swap);
    }
    fail(fmt::format("type '{}' is not supported; convert it to f2, f4, f8, c8 or c16",
                     header.descr));
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error(path_ + ": " + what); }

  void read_bytes(void* to, std::uint64_t bytes, std::string_view what) {
    if (bytes > left_) {
      fail(fmt::format("truncated: {} needs {} bytes, but {} are left", what, bytes, left_));
    }
    errno = 0;
    in_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (!in_) fail(fmt::format("cannot read: {}", std::strerror(errno)));
    left_ -= bytes;
  }

  NpyHeader read_header() {
    std::array<unsigned char, 8> start{};
    read_bytes(start.data(), start.size(), "the magic string");
    if (std::memcmp(start.data(), npy_magic.data(), npy_magic.size()) != 0) {
      fail("not an .npy file: the magic string is missing");
    }
    const int major = start[6];
    if (major < 1 || major > 3) fail(fmt::format("unknown .npy version {}.{}", major, start[7]));

    // Version 1 has two bytes of length, versions 2 and 3 have four; always little-endian.
    std::array<unsigned char, 4> length{};
    read_bytes(length.data(), major == 1 ? 2 : 4, "the header length");
    const std::uint32_t bytes =
        length[0] | length[1] << 8 | length[2] << 16 | std::uint32_t(length[3]) << 24;
    if (bytes > left_) fail(fmt::format("truncated: the header needs {} bytes", bytes));
    std::string dictionary(bytes, '\0');
    read_bytes(dictionary.data(), bytes, "the header");
    try {
      return parse_npy_header(dictionary);
    } catch (const Error& error) {
      fail(error.what());
    }
  }

  std::uint64_t count(const std::vector<std::uint64_t>& shape) const {
    // A zero extent empties the array, however large the others are.
    if (std::find(shape.begin(), shape.end(), 0u) != shape.end()) return 0;
    std::uint64_t n = 1;
    for (const std::uint64_t extent : shape) {
      if (n > std::numeric_limits<std::uint64_t>::max() / sizeof(std::complex<double>) / extent) {
        fail("malformed .npy header: the product of the shape overflows");
      }
      n *= extent;
    }
    return n;
  }

  /// Elements of type V, each made of Parts, of which a byte-swapped file swaps each one.
  template <class V, class Part>
  std::vector<V> read_payload(std::uint64_t n, bool swap) {
    // Sizes are compared before memory is taken: a lying shape must not allocate.
    if (n * sizeof(V) != left_) {
      fail(fmt::format("{}: the header promises {} elements, {} bytes, but {} bytes follow it",
                       n * sizeof(V) > left_ ? "truncated" : "trailing bytes", n, n * sizeof(V),
                       left_));
    }
    std::vector<V> values(n);
    char* const bytes = reinterpret_cast<char*>(values.data());
    Progress progress("reading " + path_, n * sizeof(V));
    constexpr std::uint64_t block = std::uint64_t(1) << 24;
    for (std::uint64_t at = 0; at < n * sizeof(V); at += block) {
      read_bytes(bytes + at, std::min(block, n * sizeof(V) - at), "the data");
      progress.to(at);
    }
    if (swap) {
      for (std::size_t i = 0; i < n * sizeof(V); i += sizeof(Part)) {
        std::reverse(bytes + i, bytes + i + sizeof(Part));
      }
    }
    return values;
  }

  std::vector<float> read_half(std::uint64_t n, bool swap) {
    const auto halves = read_payload<std::uint16_t, std::uint16_t>(n, swap);
    std::vector<float> values(halves.size());
    std::transform(halves.begin(), halves.end(), values.begin(), widen);
    return values;
  }

  std::string path_;
  std::ifstream in_;
  std::uint64_t left_ = 0;
};

}  // namespace

NpyArray read_npy(const std::string& path) { return Reader(path).read(); }

void write_npy(const std::string& path, const Values& values,
               const std::vector<std::uint64_t>& shape, bool fortran_order) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) throw Error(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
  std::visit(
      [&]<class T>(const std::vector<T>& v) {
        std::string dictionary = fmt::format(
            "{{'descr': '{}{}{}', 'fortran_order': {}, 'shape': ({}{}), }}",
            little_endian_host ? '<' : '>', is_complex<T> ? 'c' : 'f', sizeof(T),
            fortran_order ? "True" : "False", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
        // The data begin at a multiple of 64 bytes; the header ends in a new line.
        const std::size_t before = npy_magic.size() + 4;
        dictionary.resize((before + dictionary.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
        dictionary += '\n';
        const auto length = static_cast<unsigned>(dictionary.size());
        out << npy_magic << '\1' << '\0' << static_cast<char>(length & 0xff)
            << static_cast<char>(length >> 8) << dictionary;
        out.write(reinterpret_cast<const char*>(v.data()),
                  static_cast<std::streamsize>(v.size() * sizeof(T)));
      },
      values);
  out.close();
  if (!out) throw Error(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
}

void write_npy(const std::string& path, const Values& values) {
  write_npy(path, values, {std::visit([](const auto& v) { return v.size(); }, values)});
}

}  // namespace acc_tool
