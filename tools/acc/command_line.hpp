// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands' places on the command line. What is parsed goes into the arguments, which outlive
// the app; a command runs when its arguments have been parsed.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "gemm.hpp"

namespace acc_tool {

/// The options of every command that computes: how text is read, threads, progress. `help` comes
/// below them, instead of all that `acc --help` says.
void add_machine_options(CLI::App* command, RunOptions& options, const std::string& help);
/// The same, and those of a command that measures time.
void add_run_options(CLI::App* command, RunOptions& options, const std::string& help);

std::string help_on_gemm_methods();
void add_gemm(CLI::App& app, GemmOptions& options);
void add_generate(CLI::App& app, GenerateOptions& options, std::string& x, std::string& y);

}  // namespace acc_tool
