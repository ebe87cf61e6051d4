// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// acc: sums, dot products and matrix products of files, by every method of the library, beside the
// exact result; and their statistics.
// Exit status: 0 done, 1 bad data or an unusable file, 2 bad command line.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command_line.hpp"
#include "methods.hpp"
#include "printable.hpp"

namespace {

using namespace acc_tool;

std::string help_on_methods() {
  std::string text = "Methods:\n";
  for (const MethodInfo& method : methods()) {
    text += fmt::format("  {:<17}{}\n", method.name, method.summary);
  }
  return text;
}

constexpr const char* help_on_files_and_status =
    "\nFiles:\n"
    "  .npy             float16 (widened to float32), float32, float64, complex64, complex128,\n"
    "                   either byte order, any rank, taken in the order of memory\n"
    "  Matrix Market    array or coordinate; a symmetric file stands for the whole matrix\n"
    "  plain text       numbers, decimal or hexadecimal, separated by white space or commas;\n"
    "                   comments from # to the end of a line; - reads it from standard input\n"
    "  gemm's matrices are .npy of rank 2, by rows or by columns, and Matrix Market arrays.\n"
    "\nExit status: 0 done, 1 bad data or an unusable file, 2 bad command line.\n"
    "\nExamples:\n"
    "  acc sum measurements.txt\n"
    "  acc sum --batch monday.npy tuesday.npy wednesday.npy\n"
    "  acc sum --axis 0 --method exact temperature.npy -o sums.npy\n"
    "  acc stats --ddof 1 measurements.txt\n"
    "  acc dot x.npy y.npy --method fold3\n"
    "  acc compare a.npy b.mtx\n"
    "  acc compare --dot x.npy y.npy\n"
    "  acc gemm a.npy b.npy --method compensated --check -o c.npy\n"
    "  acc generate gendot --condition 1e30 -n 1000 x.npy y.npy\n";

struct AxisOptions {
  std::optional<std::int64_t> axis;
  std::string output;
};

CLI::Option* add_method_option(CLI::App* command, RunOptions& options,
                               const std::string& default_method) {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.emplace_back(method.name);
  return command
      ->add_option("-m,--method", options.method,
                   "How to compute it (default: " + default_method + "); see below")
      ->check(CLI::IsMember(names).description(""))
      ->option_text("METHOD");
}

void refuse_method_of_batches(const std::string& name) {
  std::string others;
  for (const MethodInfo& method : methods()) {
    if (!method.takes_batches) continue;
    if (method.name == name) return;
    others += fmt::format("{}{}", others.empty() ? "" : " or ", method.name);
  }
  throw CLI::ValidationError(
      "--batch", fmt::format("the result of method {} depends on how the numbers are divided "
                             "into batches. Use {}: theirs does not",
                             name, others));
}

void add_sum(CLI::App& app, RunOptions& options, std::vector<std::string>& files, bool& batches,
             AxisOptions& axis) {
  CLI::App* const sum = app.add_subcommand("sum", "Sum the numbers of a file, or of many as one");
  sum->add_option("FILE", files, "File, or - for text from standard input; several with --batch")
      ->required()
      ->option_text("...");
  CLI::Option* const batch = sum->add_flag(
      "--batch", batches, "The files are batches of one sum, in memory one at a time");
  CLI::Option* const along =
      sum->add_option(
             "--axis", axis.axis,
             "Sum along axis N of an .npy array of rank 2 or more, -1 for the last one, and "
             "print a line for each sum")
          ->option_text("N")
          ->excludes(batch);
  sum->add_option("-o,--output", axis.output, "With --axis: write the sums to FILE (.npy) instead")
      ->option_text("FILE")
      ->needs(along);
  CLI::Option* const method = add_method_option(sum, options, "compensated, or exact with --batch");
  add_run_options(sum, options, help_on_methods());
  sum->callback([&, method] {
    if (!batches) {
      if (files.size() == 1) {
        if (axis.axis) return acc_tool::sum_along(files[0], *axis.axis, axis.output, options);
        return acc_tool::sum(files[0], options);
      }
      throw CLI::ValidationError("FILE", "takes one file. Use --batch for one sum of several");
    }
    if (method->empty()) options.method = "exact";
    refuse_method_of_batches(options.method);
    sum_batches(files, options);
  });
}

void add_stats(CLI::App& app, RunOptions& options, std::vector<std::string>& files,
               std::int64_t& ddof) {
  CLI::App* const stats =
      app.add_subcommand("stats", "Count, sum, mean and variance of a file, or of many as one");
  stats->add_option("FILE", files, "Files, or - for text from standard input")
      ->required()
      ->option_text("...");
  stats->add_option("--ddof", ddof, "The variance divides by the count minus N (default: 0)")
      ->check(CLI::Range(std::int64_t(0), std::numeric_limits<std::int64_t>::max()).description(""))
      ->option_text("N");
  add_machine_options(stats, options,
                      "Sum, mean and variance are correctly rounded. Several files count as one;\n"
                      "one is in memory at a time. NaN stands where there are too few numbers.\n");
  stats->callback([&] { acc_tool::stats(files, ddof, options); });
}

int run(int argc, char** argv) {
  CLI::App app(
      "Accurate sums, dot products and matrix products of files, with the error against the "
      "exact result; and statistics, correctly rounded.",
      "acc");
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* of, const CLI::Error& e) {
    // CLI11 misses a command before it sees that a word is none.
    const std::vector<std::string> unknown = of->remaining();
    const std::string text = of->get_parent() == nullptr && !unknown.empty()
                                 ? fmt::format("there is no command '{}'", unknown.front())
                                 : e.what();
    return CLI::FailureMessage::simple(
        of, CLI::Error(e.get_name(), printable(text), e.get_exit_code()));
  });
  app.set_version_flag("--version", configuration(), "Print versions and exit");
  app.footer(help_on_methods() + "\n" + help_on_gemm_methods() + help_on_files_and_status);

  RunOptions options;
  GenerateOptions generate_options;
  GemmOptions gemm_options;
  std::string x, y;
  std::vector<std::string> files;
  bool batches = false, dot_products = false;
  std::int64_t ddof = 0;
  AxisOptions axis;

  add_sum(app, options, files, batches, axis);
  add_stats(app, options, files, ddof);

  CLI::App* const dot =
      app.add_subcommand("dot", "Dot product of two files, conjugating the first");
  dot->add_option("X", x, "First file")->required()->option_text(" ");
  dot->add_option("Y", y, "Second file, of the same type and length")->required()->option_text(" ");
  add_method_option(dot, options, "compensated");
  add_run_options(dot, options, help_on_methods());
  dot->callback([&] { acc_tool::dot(x, y, options); });

  CLI::App* const compare = app.add_subcommand("compare", "One table over all methods");
  compare->add_option("FILE", files, "Files to sum, each by every method")
      ->required()
      ->option_text("...");
  compare->add_flag("--dot", dot_products, "Compare the dot product of two files instead");
  add_run_options(compare, options, help_on_methods());
  compare->callback([&] {
    if (!dot_products) return compare_sums(files, options);
    if (files.size() != 2) throw CLI::ValidationError("--dot", "needs two files");
    compare_dot(files[0], files[1], options);
  });

  add_gemm(app, gemm_options);
  add_generate(app, generate_options, x, y);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int status = run(argc, argv);
    if (std::fflush(stdout) != 0) throw Error("cannot write to standard output");
    return status;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "acc: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "acc: {}\n", error.what());
  }
  return 1;
}
