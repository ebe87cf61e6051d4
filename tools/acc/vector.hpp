// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of one file, as every reader delivers them and every command takes them.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "printable.hpp"

namespace acc_tool {

/// Bad data or a file that cannot be used. The text names the file, and the place in it if there
/// is one, and is printable; `main` prefixes "acc: " and exits with 1.
struct Error : std::runtime_error {
  explicit Error(std::string_view text) : std::runtime_error(printable(text)) {}
};

/// The value type a text is read as. Binary files know their own.
enum class TextType { f32, f64 };

using Values = std::variant<std::vector<float>, std::vector<double>,
                            std::vector<std::complex<float>>, std::vector<std::complex<double>>>;

struct Vector {
  std::string name;
  Values values;

  std::size_t size() const {
    return std::visit([](const auto& v) { return v.size(); }, values);
  }
};

template <class T>
inline constexpr bool is_complex = !std::is_floating_point_v<T>;

template <class T>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<T, float>) return "float32";
  if constexpr (std::is_same_v<T, double>) return "float64";
  if constexpr (std::is_same_v<T, std::complex<float>>) return "complex64";
  if constexpr (std::is_same_v<T, std::complex<double>>) return "complex128";
}

inline std::string_view type_name(const Values& values) {
  return std::visit(
      []<class T>(const std::vector<T>&) -> std::string_view { return type_name<T>(); }, values);
}
inline std::string_view type_name(const Vector& x) { return type_name(x.values); }

/// Reads a file of any known format: .npy, Matrix Market, else plain text; "-" is plain text from
/// standard input. Throws Error.
Vector read(const std::string& path, std::optional<TextType> type);

}  // namespace acc_tool
