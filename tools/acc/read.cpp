// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vector.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <utility>

#include <fmt/format.h>

#include "matrix.hpp"
#include "matrix_market.hpp"
#include "npy.hpp"
#include "progress.hpp"
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
std::string slurp(std::istream& in, const std::string& name, std::uint64_t size = 0) {
  Progress progress("reading " + name, size);
  std::string text;
  std::vector<char> block(1 << 20);
  errno = 0;
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    progress.to(text.size());
  }
  if (in.bad()) throw Error(fmt::format("{}: cannot read: {}", name, std::strerror(errno)));
  return text;
}

Values read_text_as(std::string_view text, const std::string& name, TextType type) {
  if (type == TextType::f32) return parse_text<float>(text, name);
  return parse_text<double>(text, name);
}

enum class Format { npy, matrix_market, plain };
struct Source {
  Format format;
  std::string text;  // all of it, where the format is one of text
};

/// A file is recognised by its first bytes or else by its extension, so that a truncated .npy file
/// is reported as such.
Source recognise(const std::string& path, std::optional<TextType> type) {
  std::ifstream in = open(path);
  std::string start(npy_magic.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  const std::string extension = std::filesystem::path(path).extension().string();

  if (start == npy_magic || extension == ".npy") {
    if (type) throw Error(path + ": --type is for text, an .npy file has its own type");
    return {Format::npy, {}};
  }
  in.clear();
  std::error_code no_size;  // a pipe has none
  const std::uint64_t size = std::filesystem::file_size(path, no_size);
  std::string text = start + slurp(in, path, no_size ? 0 : size);
  const bool banner = text.starts_with(matrix_market_banner) || extension == ".mtx";
  return {banner ? Format::matrix_market : Format::plain, std::move(text)};
}

}  // namespace

Vector read(const std::string& path, std::optional<TextType> type) {
  const TextType text_type = type.value_or(TextType::f64);
  if (path == "-") {
    return {"standard input",
            read_text_as(slurp(std::cin, "standard input"), "standard input", text_type)};
  }
  const Source source = recognise(path, type);
  if (source.format == Format::npy) return {path, read_npy(path).values};
  if (source.format == Format::matrix_market) {
    return {path, parse_matrix_market(source.text, path, text_type)};
  }
  return {path, read_text_as(source.text, path, text_type)};
}

Matrix read_matrix(const std::string& path, std::optional<TextType> type) {
  const Source source = recognise(path, type);
  if (source.format == Format::plain) {
    throw Error(path + ": plain text has no rows; a matrix is read from .npy or Matrix Market");
  }
  if (source.format == Format::matrix_market) {
    return parse_matrix_market_array(source.text, path, type.value_or(TextType::f64));
  }
  NpyArray array = read_npy(path);
  const std::vector<std::uint64_t>& shape = array.header.shape;
  if (shape.size() != 2) {
    throw Error(
        fmt::format("{}: an array of rank {}, where a matrix has rank 2", path, shape.size()));
  }
  return {path, std::move(array.values), shape[0], shape[1], array.header.fortran_order};
}

void write_matrix(const std::string& path, const Matrix& m) {
  write_npy(path, m.values, {m.rows, m.columns}, m.by_columns);
}

}  // namespace acc_tool
