// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line.hpp"

#include <cstdint>
#include <map>
#include <utility>

#include "progress.hpp"

namespace acc_tool {

void add_machine_options(CLI::App* command, RunOptions& options, const std::string& help) {
  command->footer(help);  // else the whole text of acc --help
  const std::map<std::string, TextType> types{{"f32", TextType::f32}, {"f64", TextType::f64}};
  command
      ->add_option("--type", options.type,
                   "Value type of text and Matrix Market: f64 (default), f32")
      ->transform(CLI::CheckedTransformer(types).description(""))
      ->option_text("TYPE");
  command->add_option("--threads", options.threads, "Threads on a CPU (default: Kokkos decides)")
      ->check(CLI::PositiveNumber.description(""))
      ->option_text("N");
  command->add_flag_function(
      "--progress,!--no-progress",
      [](std::int64_t asked) {
        using Style = ProgressDisplay::Style;
        ProgressDisplay& display = progress_display();
        if (asked < 0) display.set_style(Style::none);
        if (asked > 0 && display.style() == Style::none) display.set_style(Style::lines);
      },
      "Say how far long work is, on standard error (default: on a terminal)");
}

void add_run_options(CLI::App* command, RunOptions& options, const std::string& help) {
  add_machine_options(command, options, help);
  command
      ->add_option("--repeat", options.repeats,
                   "Time at least N calls and report the median (default: 5)")
      ->check(CLI::PositiveNumber.description(""))
      ->option_text("N");
}

void add_generate(CLI::App& app, GenerateOptions& options, std::string& x, std::string& y) {
  CLI::App* const generate = app.add_subcommand("generate", "Write test data as float64 .npy");
  generate->require_subcommand(1);
  generate->footer("");
  const auto add_kind = [&](const std::string& kind, const std::string& what) {
    CLI::App* const command = generate->add_subcommand(kind, what);
    command->add_option("-n", options.n, "Elements (default: 1000)")
        ->check(CLI::Range(std::uint64_t(kind == "gendot" ? 6 : 0), std::uint64_t(1) << 48)
                    .description(""))
        ->option_text("N");
    return command;
  };
  const auto add_seed = [&](CLI::App* command) {
    command->add_option("--seed", options.seed, "Seed of the generator (default: 1)")
        ->option_text("S");
  };

  const std::pair<const char*, const char*> kinds[] = {
      {"harmonic", "1, 1/2, 1/3, ..."},
      {"uniform", "Uniform in [-1, 1)"},
      {"normal", "Normal, mean 0, standard deviation 1"}};
  for (const auto& [kind, what] : kinds) {
    CLI::App* const command = add_kind(kind, what);
    if (kind != std::string("harmonic")) {
      add_seed(command);
      command->add_option("--columns", options.columns, "Write a matrix of N rows and M columns")
          ->check(CLI::Range(std::uint64_t(1), std::uint64_t(1) << 15).description(""))
          ->option_text("M");
    }
    command->add_option("FILE", x, "File to write")->required()->option_text(" ");
    command->callback([&, name = std::string(kind)] { acc_tool::generate(name, x, options); });
  }

  CLI::App* const pair = add_kind("gendot", "A pair with an ill-conditioned dot product");
  add_seed(pair);
  pair->add_option("--condition", options.condition, "Condition number, about (default: 1e25)")
      ->check(CLI::Range(1.0, 1e300).description(""))
      ->option_text("C");
  pair->add_option("X", x, "First file to write")->required()->option_text(" ");
  pair->add_option("Y", y, "Second file to write")->required()->option_text(" ");
  pair->callback([&] { generate_gendot(x, y, options); });
}

}  // namespace acc_tool
