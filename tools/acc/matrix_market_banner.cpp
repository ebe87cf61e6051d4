// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix_market_banner.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "text.hpp"

namespace acc_tool {

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

}  // namespace acc_tool
