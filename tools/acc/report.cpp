// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "printable.hpp"

namespace acc_tool {
namespace {

/// The fewest digits that read back as the same number of that precision.
std::string decimal(double value, Precision p) {
  return p.bits == 24 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

/// As C prints it: fmt's forms of zero differ between its versions.
std::string hexadecimal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

/// A number on two lines: for people, and bit by bit.
void print_number(std::string_view label, double value, Precision p) {
  print_line(label, decimal(value, p));
  print_line("", hexadecimal(value));
}

std::string condition(double value) {
  if (std::isnan(value)) return "undefined";
  if (std::isinf(value)) return "infinite";
  return fmt::format("{:.2e}", value);
}

double part(const Measurement& m, std::size_t component) {
  return component == 0 ? m.value.real() : m.value.imag();
}

/// "re" and "im" where there are two components.
std::string_view part_name(const Reference& reference, std::size_t component) {
  if (reference.components.size() == 1) return "";
  return component == 0 ? "re" : "im";
}

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

void print_line(std::string_view label, std::string_view text) {
  fmt::print("{:<12}{}\n", label, printable(text));
}

void print_result(const Problem& problem, std::string_view method, const Measurement& result,
                  const Measurement& plain, const std::string& machine) {
  const Reference& reference = problem.reference;
  const Precision p = reference.precision;
  print_line(problem.is_sum ? "sum of" : "dot of", problem.title);
  if (problem.batches > 0) print_line("batches", fmt::format("{}", problem.batches));
  print_line("elements", fmt::format("{} {}", problem.size, problem.type));
  print_line("method", method);
  for (std::size_t i = 0; i < reference.components.size(); ++i) {
    const Exact& exact = reference.components[i].value;
    const double value = part(result, i);
    const auto [correctly_rounded, relative, ulps] = deviation(value, exact, p);
    const auto label = [&](std::string_view name) {
      return fmt::format("{} {}", name, part_name(reference, i));
    };
    print_number(label("result"), value, p);
    print_number(label("exact"), round(exact, p), p);
    print_line(label("error"), correctly_rounded
                                   ? "exact (the correctly rounded result)"
                                   : fmt::format("{:.3g} relative, {:.3g} ulp", relative, ulps));
    print_line(label("condition"), condition(reference.condition(i)));
    if (problem.is_sum && problem.size > 0) {
      print_line(label("mean"), decimal(value / static_cast<double>(problem.size), p));
    }
  }
  print_line("time",
             fmt::format("{}; plain {}, ratio {:.2f}; {}", time_text(result.seconds),
                         time_text(plain.seconds), result.seconds / plain.seconds, machine));
  if (problem.batches > 0) {
    print_line("bits", "the same for any order of the numbers and any division into batches");
  }
}

void print_statistics(const Batches& batches, const Statistics& statistics) {
  const Precision p =
      batches.type == type_name<float>() ? precision_of<float>() : precision_of<double>();
  print_line("stats of", batches.title);
  if (batches.count > 1) print_line("batches", fmt::format("{}", batches.count));
  print_line("count", fmt::format("{} {}", statistics.count, batches.type));
  print_number("sum", statistics.sum, p);
  print_number("mean", statistics.mean, p);
  print_number("variance", statistics.variance, p);
  print_line("ddof", fmt::format("{}", statistics.ddof));
  print_line("bits", "correctly rounded, so the same for any order and division of the numbers");
}

void print_numbers(const NpyArray& x) {
  const std::vector<std::uint64_t>& shape = x.header.shape;
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        std::vector<std::uint64_t> index(shape.size());
        for (std::size_t n = 0; n < values.size(); ++n) {
          std::size_t at = 0;
          for (std::size_t i = 0; i < shape.size(); ++i) {
            const std::size_t d = x.header.fortran_order ? shape.size() - 1 - i : i;
            at = at * shape[d] + index[d];
          }
          if constexpr (is_complex<T>)
            fmt::print("{} {}\n", values[at].real(), values[at].imag());
          else
            fmt::print("{}\n", values[at]);
          for (std::size_t d = shape.size(); d-- > 0;) {
            if (++index[d] < shape[d]) break;
            index[d] = 0;
          }
        }
      },
      x.values);
}

void print_table_heading(const std::string& machine) {
  fmt::print("{:<18}{:<27}{:>10}{:>12}{:>11}{:>9}\n", "method", "result", "error", "ulps", "time",
             "/ plain");
  fmt::print("{:-<87}\n", fmt::format("-- {} ", machine));
}

void print_table_problem(const Problem& problem) {
  const Reference& reference = problem.reference;
  fmt::print("\n{} of {}: {} {}\n", problem.is_sum ? "sum" : "dot", printable(problem.title),
             problem.size, problem.type);
  for (std::size_t i = 0; i < reference.components.size(); ++i) {
    fmt::print(
        "{:<15}{:>2} {:<27}condition {}\n", "true value", part_name(reference, i),
        decimal(round(reference.components[i].value, reference.precision), reference.precision),
        condition(reference.condition(i)));
  }
}

void print_table_row(const Problem& problem, std::string_view method, const Measurement& result,
                     double plain_seconds) {
  const Reference& reference = problem.reference;
  for (std::size_t i = 0; i < reference.components.size(); ++i) {
    const double value = part(result, i);
    const auto [correctly_rounded, relative, ulps] =
        deviation(value, reference.components[i].value, reference.precision);
    fmt::print("{:<15}{:>2} {:<27}", i == 0 ? method : "", part_name(reference, i),
               decimal(value, reference.precision));
    fmt::print("{:>10}{:>12}", correctly_rounded ? "exact" : fmt::format("{:.2g}", relative),
               fmt::format("{:.3g}", ulps));
    if (i == 0) {
      fmt::print("{:>11}{:>9.2f}", time_text(result.seconds), result.seconds / plain_seconds);
    }
    fmt::print("\n");
  }
}

}  // namespace acc_tool
