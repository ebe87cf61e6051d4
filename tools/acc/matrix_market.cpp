// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "text.hpp"

namespace acc_tool {
namespace {

enum class Symmetry { general, symmetric, skew_symmetric, hermitian };

struct Banner {
  bool coordinate = false;
  bool pattern = false;
  bool complex = false;
  Symmetry symmetry = Symmetry::general;
};

Banner parse_banner(std::string_view line, std::string_view name) {
  std::string lower(line);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  Tokenizer words(lower, '\0');
  const auto word = [&] {
    const auto token = words.next();
    return token ? std::string(token->text) : std::string();
  };
  const auto fail = [&](std::string_view what) {
    return Error(fmt::format("{}:1: Matrix Market header: {}", name, what));
  };

  Banner banner;
  if (word() != "%%matrixmarket") throw fail("must begin with %%MatrixMarket");
  if (word() != "matrix") throw fail("object must be 'matrix'");
  const std::string format = word(), field = word(), symmetry = word();
  if (format != "coordinate" && format != "array") {
    throw fail("format must be 'coordinate' or 'array'");
  }
  banner.coordinate = format == "coordinate";
  banner.pattern = field == "pattern";
  banner.complex = field == "complex";
  if (!banner.pattern && !banner.complex && field != "real" && field != "integer") {
    throw fail("field must be 'real', 'integer', 'complex' or 'pattern'");
  }
  if (banner.pattern && !banner.coordinate) throw fail("'array' has no 'pattern'");
  if (symmetry == "symmetric") {
    banner.symmetry = Symmetry::symmetric;
  } else if (symmetry == "skew-symmetric") {
    banner.symmetry = Symmetry::skew_symmetric;
  } else if (symmetry == "hermitian" && banner.complex) {
    banner.symmetry = Symmetry::hermitian;
  } else if (symmetry != "general") {
    throw fail(
        "symmetry must be 'general', 'symmetric', 'skew-symmetric' or (complex) 'hermitian'");
  }
  return banner;
}

std::uint64_t parse_index(const Token& token, std::string_view name, std::uint64_t least,
                          std::uint64_t greatest) {
  std::uint64_t value = 0;
  const char* const end = token.text.data() + token.text.size();
  const auto [stop, status] = std::from_chars(token.text.data(), end, value);
  if (status != std::errc{} || stop != end || value < least || value > greatest) {
    throw error_at(name, token, fmt::format("expected an index from {} to {}", least, greatest));
  }
  return value;
}

/// The body of one file: reads the size line and then every entry. V is the value type.
template <class V>
class Body {
 public:
  Body(Tokenizer& tokens, std::string_view name, const Banner& banner)
      : tokens_(tokens), name_(name), banner_(banner) {}

  std::vector<V> parse() {
    constexpr auto any = std::numeric_limits<std::uint32_t>::max();
    const Token first = expect("the size line");
    rows_ = parse_index(first, name_, 0, any);
    columns_ = parse_index(same_line(first), name_, 0, any);
    if (banner_.symmetry != Symmetry::general && rows_ != columns_) {
      throw error_at(name_, first, "a symmetric matrix must be square");
    }
    if (banner_.coordinate) {
      const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
      parse_coordinate(parse_index(same_line(first), name_, 0, most));
    } else {
      parse_array();
    }
    if (const auto extra = tokens_.next()) {
      throw error_at(name_, *extra, "more entries than the size line says");
    }
    return std::move(values_);
  }

 private:
  void parse_coordinate(std::uint64_t entries) {
    for (std::uint64_t k = 0; k < entries; ++k) {
      const Token first = expect(fmt::format("entry {} of {}", k + 1, entries));
      const auto row = parse_index(first, name_, 1, rows_);
      const auto column = parse_index(same_line(first), name_, 1, columns_);
      deposit(row, column, banner_.pattern ? V(1) : value(same_line(first)), first);
      if (const auto extra = tokens_.next_on_line(first.line)) {
        throw error_at(name_, *extra, "too many numbers on this line");
      }
    }
  }

  void parse_array() {
    const bool triangle = banner_.symmetry != Symmetry::general;
    const std::uint64_t below = banner_.symmetry == Symmetry::skew_symmetric ? 1 : 0;
    for (std::uint64_t column = 1; column <= columns_; ++column) {
      for (std::uint64_t row = triangle ? column + below : 1; row <= rows_; ++row) {
        const Token first = expect(fmt::format("the value of row {}, column {}", row, column));
        deposit(row, column, value(first), first);
      }
    }
  }

  void deposit(std::uint64_t row, std::uint64_t column, V value, const Token& where) {
    values_.push_back(value);
    if (row == column && banner_.symmetry == Symmetry::skew_symmetric) {
      throw error_at(name_, where, "a skew-symmetric matrix stores no diagonal");
    }
    if (row == column || banner_.symmetry == Symmetry::general) return;
    if (banner_.symmetry == Symmetry::skew_symmetric) value = -value;
    if constexpr (is_complex<V>) {
      if (banner_.symmetry == Symmetry::hermitian) value = std::conj(value);
    }
    values_.push_back(value);
  }

  V value(const Token& token) {
    if constexpr (is_complex<V>) {
      using T = typename V::value_type;
      const T re = parse_number<T>(token, name_);
      return {re, parse_number<T>(same_line(token), name_)};
    } else {
      return parse_number<V>(token, name_);
    }
  }

  Token expect(std::string_view what) {
    if (const auto token = tokens_.next()) return *token;
    throw Error(fmt::format("{}: the file ends where {} should be", name_, what));
  }

  Token same_line(const Token& first) {
    if (const auto token = tokens_.next_on_line(first.line)) return *token;
    throw Error(fmt::format("{}:{}: too few numbers on this line", name_, first.line));
  }

  Tokenizer& tokens_;
  std::string_view name_;
  Banner banner_;
  std::uint64_t rows_ = 0, columns_ = 0;
  std::vector<V> values_;
};

}  // namespace

Values parse_matrix_market(std::string_view text, std::string_view name, TextType type) {
  Tokenizer tokens(text, '%');
  const Banner banner = parse_banner(tokens.rest_of_line(), name);
  const auto parse = [&]<class V>(V) -> Values { return Body<V>(tokens, name, banner).parse(); };
  if (type == TextType::f32) {
    return banner.complex ? parse(std::complex<float>()) : parse(float());
  }
  return banner.complex ? parse(std::complex<double>()) : parse(double());
}

}  // namespace acc_tool
