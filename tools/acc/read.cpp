// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vector.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include <fmt/format.h>

#include "matrix_market.hpp"
#include "npy.hpp"
#include "text.hpp"

namespace acc_tool {
namespace {

std::ifstream open(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw Error(path + ": is a directory");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  return in;
}

/// All that is left of a stream. Reads block by block, since a pipe has no size to ask for.
std::string slurp(std::istream& in, const std::string& name) {
  std::string text;
  std::vector<char> block(1 << 20);
  errno = 0;
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) throw Error(fmt::format("{}: cannot read: {}", name, std::strerror(errno)));
  return text;
}

Values read_text_as(std::string_view text, const std::string& name, TextType type) {
  if (type == TextType::f32) return parse_text<float>(text, name);
  return parse_text<double>(text, name);
}

}  // namespace

Vector read(const std::string& path, std::optional<TextType> type) {
  const TextType text_type = type.value_or(TextType::f64);
  if (path == "-") {
    return {"standard input",
            read_text_as(slurp(std::cin, "standard input"), "standard input", text_type)};
  }

  std::ifstream in = open(path);
  std::string start(npy_magic.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  const std::string extension = std::filesystem::path(path).extension().string();

  if (start == npy_magic || extension == ".npy") {
    if (type) throw Error(path + ": --type is for text, an .npy file has its own type");
    return {path, read_npy(path)};
  }

  in.clear();
  const std::string text = start + slurp(in, path);
  if (text.starts_with(matrix_market_banner) || extension == ".mtx") {
    return {path, parse_matrix_market(text, path, text_type)};
  }
  return {path, read_text_as(text, path, text_type)};
}

}  // namespace acc_tool
