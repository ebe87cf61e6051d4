// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tool's door to acc::gemm, as methods.hpp is to sums. Behind it is gemm_methods.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "gemm_bound.hpp"
#include "gemm_problem.hpp"

namespace acc_tool {

struct GemmMethodInfo {
  std::string_view name;
  std::string_view summary;
  std::int64_t strip;  // products in one by default; 0: it has no strips
  bool has_bits;
  GemmBound (*bound)(const GemmTerms&);
};

/// What those methods are given that take it.
struct GemmParameters {
  std::int64_t strip = 256;
  int bits = 0;  // of fixed_point, which has no default
};

/// Every method of gemm, in order of rising accuracy.
std::span<const GemmMethodInfo> gemm_methods();
/// The one of that name, which there is.
const GemmMethodInfo& gemm_method(std::string_view name);

/// A product whose operands lie in the memory of the default execution space.
class GemmJob {
 public:
  /// The problem outlives the job.
  explicit GemmJob(const GemmProblem& problem);
  ~GemmJob();

  /// The time of the call alone, measured as Job::run does. Throws Error where the method does not
  /// take these matrices.
  double run(std::string_view method, const GemmParameters& parameters, int repeats);
  /// C of the last run, by rows.
  Matrix result() const;

 private:
  struct Operands;
  std::unique_ptr<Operands> operands_;
};

}  // namespace acc_tool
