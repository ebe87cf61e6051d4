// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.hpp"

#include <charconv>

#include <fmt/format.h>

namespace acc_tool {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !descr) {
        header.descr = descr_value();
        descr = true;
      } else if (key == "fortran_order" && !order) {
        header.fortran_order = boolean();
        order = true;
      } else if (key == "shape" && !shape) {
        header.shape = tuple();
        shape = true;
      } else {
        fail(fmt::format("unknown or repeated key at byte {}", at_));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail(fmt::format("text after the dictionary at byte {}", at_));
    if (!descr || !order || !shape) fail("'descr', 'fortran_order' or 'shape' is missing");
    return header;
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw Error("malformed .npy header: " + what);
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("expected '{}' at byte {}", c, at_));
  }

  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string_view string() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t first = at_;
    const std::size_t end = text_.find(quote, first);
    if (end == std::string_view::npos) fail("a string does not end");
    at_ = end + 1;
    return text_.substr(first, end - first);
  }

  std::string descr_value() {
    skip_space();
    if (text_.substr(at_).starts_with('[')) throw Error("structured .npy types are not supported");
    return std::string(string());
  }

  bool boolean() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) fail(fmt::format("expected True or False at byte {}", at_));
    return false;
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(integer());
      if (accept(',')) continue;
      if (extents.size() == 1) fail("a shape of one extent needs a comma: (n,)");
      expect(')');
      break;
    }
    return extents;
  }

  std::uint64_t integer() {
    skip_space();
    std::uint64_t value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, status] = std::from_chars(text_.data() + at_, end, value);
    if (status != std::errc{}) fail(fmt::format("expected an extent at byte {}", at_));
    at_ = static_cast<std::size_t>(stop - text_.data());
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view dictionary) { return Parser(dictionary).parse(); }

}  // namespace acc_tool
