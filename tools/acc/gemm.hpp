// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command gemm.
#pragma once

#include <complex>
#include <cstdint>
#include <string>

#include "commands.hpp"
#include "gemm_methods.hpp"

namespace acc_tool {

struct GemmOptions {
  GemmOptions() { run.method = "seeded"; }  // and the parameters' strip are acc::gemm's default

  RunOptions run;
  GemmParameters parameters;
  std::string a, b, c, output;  // c, whose beta is 0 then, and output may be empty
  std::string trans_a = "N", trans_b = "N";
  std::complex<double> alpha = 1, beta = 1;
  bool check = false;
};

/// Throws Error and prints to standard output.
void gemm(const GemmOptions& options);

}  // namespace acc_tool
