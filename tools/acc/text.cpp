// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text.hpp"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "progress.hpp"

namespace acc_tool {
namespace {

constexpr bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

/// A token for a message: short.
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  return fmt::format("'{}{}'", text.substr(0, longest), text.size() > longest ? "..." : "");
}

}  // namespace

void Tokenizer::skip_separators() {
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == comment_) at_ = std::min(text_.find('\n', at_), text_.size());
    if (at_ == text_.size() || !is_separator(text_[at_])) return;
    if (text_[at_] == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    }
  }
}

std::optional<Token> Tokenizer::next() {
  skip_separators();
  if (at_ == text_.size()) return std::nullopt;
  const std::size_t first = at_;
  while (at_ < text_.size() && !is_separator(text_[at_]) && text_[at_] != comment_) ++at_;
  return Token{text_.substr(first, at_ - first), line_, first - line_start_ + 1};
}

std::optional<Token> Tokenizer::next_on_line(std::size_t line) {
  skip_separators();
  return line_ == line ? next() : std::nullopt;
}

std::string_view Tokenizer::rest_of_line() {
  const std::size_t first = at_;
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  if (end < text_.size()) {
    ++line_;
    line_start_ = end + 1;
  }
  at_ = std::min(end + 1, text_.size());
  return text_.substr(first, end - first);
}

Error error_at(std::string_view name, const Token& where, std::string_view message) {
  return Error(fmt::format("{}:{}:{}: {}", name, where.line, where.column, message));
}

template <class T>
T parse_number(const Token& token, std::string_view name) {
  // from_chars knows neither a leading plus nor the prefix 0x, so both are taken off here.
  std::string_view digits = token.text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (hexadecimal) digits.remove_prefix(2);

  T value{};
  const char* const end = digits.data() + digits.size();
  const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const auto [stop, status] = std::from_chars(digits.data(), end, value, format);
  // A second sign would be from_chars's own, and "0xinf" its reading of a prefix we removed.
  const bool second_sign = digits.starts_with('-');
  const bool word_after_0x = hexadecimal && !(value - value == T(0));
  if (status == std::errc::result_out_of_range) {
    throw error_at(name, token,
                   fmt::format("{} is out of the range of {}", quoted(token.text), type_name<T>()));
  }
  if (status != std::errc{} || stop != end || second_sign || word_after_0x) {
    throw error_at(name, token, fmt::format("{} is not a number", quoted(token.text)));
  }
  return negative ? -value : value;
}

template <class T>
std::vector<T> parse_text(std::string_view text, std::string_view name) {
  Tokenizer tokens(text, '#');
  std::vector<T> values;
  Progress progress(fmt::format("parsing {}", name), text.size());
  while (const auto token = tokens.next()) {
    values.push_back(parse_number<T>(*token, name));
    progress.to(static_cast<std::uint64_t>(token->text.data() - text.data()));
  }
  return values;
}

template float parse_number<float>(const Token&, std::string_view);
template double parse_number<double>(const Token&, std::string_view);
template std::vector<float> parse_text<float>(std::string_view, std::string_view);
template std::vector<double> parse_text<double>(std::string_view, std::string_view);

}  // namespace acc_tool
