// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gemm_check.hpp"
#include "gemm_methods.hpp"
#include "methods.hpp"
#include "progress.hpp"
#include "report.hpp"

namespace acc_tool {
namespace {

GemmProblem read_problem(const GemmOptions& o) {
  Matrix a = read_matrix(o.a, o.run.type), b = read_matrix(o.b, o.run.type);
  std::optional<Matrix> c;
  if (!o.c.empty()) c = read_matrix(o.c, o.run.type);
  return {std::move(a), std::move(b), std::move(c), o.trans_a[0], o.trans_b[0], o.alpha, o.beta};
}

std::string scalar(std::complex<double> x) {
  return x.imag() == 0 ? fmt::format("{}", x.real()) : fmt::format("({}, {})", x.real(), x.imag());
}

/// For example "2 A B^T - 1 C": what is not there is left out.
std::string formula(const GemmProblem& p) {
  const auto operated = [](char letter, char trans) {
    return fmt::format("{}{}", letter, trans == 'N' ? "" : trans == 'T' ? "^T" : "^H");
  };
  std::string text = p.alpha == 1.0 ? "" : scalar(p.alpha) + " ";
  text += operated('A', p.trans_a) + " " + operated('B', p.trans_b);
  if (p.beta != 0.0) text += fmt::format(" + {} C", scalar(p.beta));
  return text;
}

std::string extents(const Matrix& m) {
  return fmt::format("{} x {} {}, by {}", m.rows, m.columns, type_name(m.values),
                     m.by_columns ? "columns" : "rows");
}

std::string place(const Largest& largest) {
  return largest.value == 0 ? std::string()
                            : fmt::format(", at C[{}, {}]", largest.row, largest.column);
}

void print_check(const GemmCheck& check) {
  print_line("checked",
             check.checked == check.entries
                 ? fmt::format("all {} entries", check.entries)
                 : fmt::format("{} of {} entries, drawn at random", check.checked, check.entries));
  print_line("error", fmt::format("{:.3g} ulp at most{}; {} correctly rounded", check.ulps.value,
                                  place(check.ulps), check.correctly_rounded));
  const double ratio = check.of_bound.value;
  if (std::isinf(ratio)) {
    print_line("bound", "none where a sum overflows" + place(check.of_bound));
  } else {
    print_line("bound",
               fmt::format("{}; the error is at most {:.3g} of it{}",
                           ratio <= 1 ? "kept" : "exceeded", ratio, place(check.of_bound)));
  }
}

}  // namespace

void gemm(const GemmOptions& options) {
  const GemmProblem problem = read_problem(options);
  const GemmMethodInfo& method = gemm_method(options.run.method);
  const Machine machine(options.run.threads);
  GemmJob job(problem);
  const auto run = [&](std::string_view name) {
    const Progress step(fmt::format("method {}", name), 0);
    return job.run(name, options.parameters, options.run.repeats);
  };
  const double plain = run("plain");
  const double seconds = method.name == "plain" ? plain : run(method.name);
  const Matrix result = job.result();

  print_line("gemm", formula(problem));
  print_line("A", fmt::format("{}: {}", problem.a.name, extents(problem.a)));
  print_line("B", fmt::format("{}: {}", problem.b.name, extents(problem.b)));
  if (problem.c) print_line("C", fmt::format("{}: {}", problem.c->name, extents(*problem.c)));
  print_line("result", extents(result));
  std::string with;
  if (method.strip != 0) with = fmt::format(", strips of {}", options.parameters.strip);
  if (method.has_bits) with = fmt::format(", {} bits", options.parameters.bits);
  print_line("method", fmt::format("{}{}", method.name, with));
  print_line("time", fmt::format("{}; plain {}, ratio {:.2f}; {}", time_text(seconds),
                                 time_text(plain), seconds / plain, machine.description()));
  const bool complex = type_name(result.values).starts_with('c');
  const double operations = (complex ? 8.0 : 2.0) * static_cast<double>(problem.rows()) *
                            static_cast<double>(problem.columns()) *
                            static_cast<double>(problem.depth());
  print_line("speed", fmt::format("{:.3g} GFLOP/s", operations / seconds * 1e-9));
  if (options.check) {
    print_check(check_product(problem, result, method.bound, options.parameters));
  }
  if (!options.output.empty()) {
    write_matrix(options.output, result);
    print_line("written", options.output);
  }
}

}  // namespace acc_tool
