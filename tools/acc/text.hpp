// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers in text: the tokens that plain text and Matrix Market share, and plain text itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vector.hpp"

namespace acc_tool {

struct Token {
  std::string_view text;
  std::size_t line;    // from 1
  std::size_t column;  // in bytes, from 1
};

/// Splits a text at white space and commas, and drops everything from `comment` to the end of a
/// line. Tokens point into the text.
class Tokenizer {
 public:
  Tokenizer(std::string_view text, char comment) : text_(text), comment_(comment) {}

  std::optional<Token> next();
  /// The next token if it stands on line `line`; otherwise nothing is consumed.
  std::optional<Token> next_on_line(std::size_t line);
  /// Moves to the start of the next line and returns what was left of this one.
  std::string_view rest_of_line();

 private:
  void skip_separators();

  std::string_view text_;
  char comment_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
};

/// "name:line:column: message"
Error error_at(std::string_view name, const Token& where, std::string_view message);

/// One number, decimal or hexadecimal ("0x1.8p-3"), infinities and NaN included, rounded once to T.
/// Never looks at the locale. Throws Error when the token is anything else, or when its value
/// overflows T or vanishes in it.
template <class T>
T parse_number(const Token& token, std::string_view name);

/// Plain text: numbers separated by white space or commas, comments from '#' to the end of a line.
template <class T>
std::vector<T> parse_text(std::string_view text, std::string_view name);

}  // namespace acc_tool
