// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix_market.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "matrix_market_banner.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace acc_tool {
namespace {

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

  /// The entries in the order of the file, mirror images included.
  void parse() {
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
  }

  std::vector<V> take_values() { return std::move(values_); }

  /// The entries of an array file at their places.
  Matrix take_matrix() {
    Matrix m{std::string(name_), {}, rows_, columns_, true};
    if (banner_.symmetry == Symmetry::general) {
      m.values = std::move(values_);
      return m;
    }
    std::vector<V> dense(rows_ * columns_);
    auto next = values_.begin();
    for (std::uint64_t column = 0; column < columns_; ++column) {
      for (std::uint64_t row = column + first_below(); row < rows_; ++row) {
        dense[row + column * rows_] = *next++;
        if (row != column) dense[column + row * rows_] = *next++;
      }
    }
    m.values = std::move(dense);
    return m;
  }

 private:
  /// How far below the diagonal a stored triangle begins.
  std::uint64_t first_below() const { return banner_.symmetry == Symmetry::skew_symmetric ? 1 : 0; }

  void parse_coordinate(std::uint64_t entries) {
    Progress progress(fmt::format("parsing {}", name_), entries);
    for (std::uint64_t k = 0; k < entries; ++k) {
      progress.to(k);
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
    Progress progress(fmt::format("parsing {}", name_), columns_);
    for (std::uint64_t column = 1; column <= columns_; ++column) {
      progress.to(column);
      for (std::uint64_t row = triangle ? column + first_below() : 1; row <= rows_; ++row) {
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

/// Calls f with the parsed body.
template <class F>
auto with_body(std::string_view text, std::string_view name, TextType type, bool array_only, F f) {
  Tokenizer tokens(text, '%');
  const Banner banner = parse_banner(tokens.rest_of_line(), name);
  if (array_only && banner.coordinate) {
    throw Error(
        fmt::format("{}:1: a matrix is read from the format 'array', not 'coordinate'", name));
  }
  const auto parse = [&]<class V>(V) {
    Body<V> body(tokens, name, banner);
    body.parse();
    return f(body);
  };
  if (type == TextType::f32) {
    return banner.complex ? parse(std::complex<float>()) : parse(float());
  }
  return banner.complex ? parse(std::complex<double>()) : parse(double());
}

}  // namespace

Values parse_matrix_market(std::string_view text, std::string_view name, TextType type) {
  return with_body(text, name, type, false,
                   [](auto& body) -> Values { return body.take_values(); });
}

Matrix parse_matrix_market_array(std::string_view text, std::string_view name, TextType type) {
  return with_body(text, name, type, true, [](auto& body) { return body.take_matrix(); });
}

}  // namespace acc_tool
