// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cctype>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "command_line.hpp"
#include "gemm_methods.hpp"
#include "text.hpp"

namespace acc_tool {
namespace {

/// RE or RE,IM.
std::complex<double> parse_scalar(const std::string& option, const std::string& text) {
  try {
    const std::vector<double> parts = parse_text<double>(text, option);
    const std::complex<double> x(parts.size() < 1 ? NAN : parts[0],
                                 parts.size() < 2 ? 0 : parts[1]);
    if (parts.size() <= 2 && std::isfinite(x.real()) && std::isfinite(x.imag())) return x;
  } catch (const Error&) {  // not numbers
  }
  throw CLI::ValidationError(option, fmt::format("takes RE or RE,IM, but not '{}'", text));
}

void add_scaling(CLI::App* gemm, GemmOptions& o) {
  CLI::Option* const c = gemm->add_option("--c", o.c, "C before the product")->option_text("FILE");
  const auto add = [&](const std::string& name, const std::string& what, std::complex<double>& to) {
    return gemm
        ->add_option_function<std::string>(
            name, [name, &to](const std::string& text) { to = parse_scalar(name, text); }, what)
        ->option_text("X");
  };
  add("--alpha", "What multiplies the product: RE or RE,IM (default: 1)", o.alpha);
  add("--beta", "What multiplies C before the product is added (default: 1)", o.beta)->needs(c);
}

void add_transpositions(CLI::App* gemm, GemmOptions& o) {
  const auto add = [&](const char* name, const char* what, std::string& to) {
    gemm->add_option(name, to, what)
        ->check(CLI::IsMember({"N", "T", "C"}, CLI::ignore_case).description(""))
        ->option_text("N|T|C");
  };
  add("--transa", "A as it is, transposed, or conjugate transposed (default: N)", o.trans_a);
  add("--transb", "The same of B", o.trans_b);
}

}  // namespace

std::string help_on_gemm_methods() {
  std::string text = "Methods of gemm:\n";
  for (const GemmMethodInfo& method : gemm_methods()) {
    text += fmt::format("  {:<17}{}\n", method.name, method.summary);
  }
  return text;
}

void add_gemm(CLI::App& app, GemmOptions& o) {
  CLI::App* const gemm =
      app.add_subcommand("gemm", "Product of two matrices: C = alpha op(A) op(B) + beta C");
  gemm->add_option("A", o.a, "First matrix")->required()->option_text(" ");
  gemm->add_option("B", o.b, "Second matrix, of the same type")->required()->option_text(" ");
  gemm->add_option("-o,--output", o.output, "Write the product to FILE (.npy)")
      ->option_text("FILE");

  std::vector<std::string> names;
  for (const GemmMethodInfo& method : gemm_methods()) names.emplace_back(method.name);
  gemm->add_option("-m,--method", o.run.method, "How to compute it (default: seeded); see below")
      ->check(CLI::IsMember(names).description(""))
      ->option_text("METHOD");
  CLI::Option* const strip =
      gemm->add_option("--strip", o.parameters.strip,
                       "Products in a strip (default: 256, of blocked 64)")
          ->check(CLI::Range(std::int64_t(1), std::numeric_limits<std::int64_t>::max() / 2)
                      .description(""))
          ->option_text("S");
  CLI::Option* const bits =
      gemm->add_option("--bits", o.parameters.bits, "Binary digits of fixed_point, 8 to 64")
          ->check(CLI::Range(8, 64).description(""))
          ->option_text("B");

  add_transpositions(gemm, o);
  add_scaling(gemm, o);
  gemm->add_flag("--check", o.check, "Compare with the exact product, entry by entry");
  add_run_options(gemm, o.run, help_on_gemm_methods());
  gemm->callback([&o, strip, bits] {
    if (o.c.empty()) o.beta = 0;
    const std::int64_t own_strip = gemm_method(o.run.method).strip;
    if (!strip->empty() && own_strip == 0) {
      throw CLI::ValidationError("--strip", fmt::format("method {} has no strips", o.run.method));
    }
    if (strip->empty() && own_strip != 0) o.parameters.strip = own_strip;
    if (bits->empty() == gemm_method(o.run.method).has_bits) {
      throw CLI::ValidationError(
          "--bits", fmt::format("method {} {}", o.run.method,
                                bits->empty() ? "needs --bits" : "does not cut numbers"));
    }
    for (std::string* letter : {&o.trans_a, &o.trans_b}) {
      *letter = static_cast<char>(std::toupper(static_cast<unsigned char>((*letter)[0])));
    }
    acc_tool::gemm(o);
  });
}

}  // namespace acc_tool
