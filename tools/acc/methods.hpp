// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The door between the tool and acc's sums: what methods there are, and running one. Behind it are
// the source files that instantiate acc: methods.cpp and, for BatchSum, batches.cpp.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "vector.hpp"

namespace acc_tool {

struct MethodInfo {
  std::string_view name;
  std::string_view summary;
  bool takes_batches;  // the same result for any division of the numbers: BatchSum has it
};

/// Every method, in order of rising accuracy.
std::span<const MethodInfo> methods();

/// Versions of acc and Kokkos and what they were built for, each on a line.
std::string configuration();

/// Starts Kokkos and ends it. One object of it lives longer than every Job. threads <= 0 leaves
/// the number to Kokkos and its environment variables.
class Machine {
 public:
  explicit Machine(int threads);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// For example "OpenMP, 2 threads".
  std::string description() const;
};

struct Measurement {
  std::complex<double> value;  // exact: every result type fits
  double seconds = 0;          // median of the repeats
};

/// A sum or a dot product whose operands lie in the memory of the default execution space.
class Job {
 public:
  /// Sum of x.
  explicit Job(const Vector& x);
  /// Dot product of x and y, conjugating x. Throws Error where types or lengths differ.
  Job(const Vector& x, const Vector& y);
  ~Job();

  bool takes(std::string_view method) const;
  /// Times the call alone: operands in place, result in the hands of the caller. After a warm-up,
  /// the median of at least `repeats` calls, and more while they are short. Throws Error where the
  /// method does not take these operands.
  Measurement run(std::string_view method, int repeats) const;

 private:
  friend class BatchSum;
  struct Operands;
  std::unique_ptr<Operands> operands_;
};

/// One sum of numbers that come in batches. It keeps an accumulator and no numbers: a batch may go
/// as soon as it is added. Any order and division of the batches gives the same bits.
class BatchSum {
 public:
  /// Throws Error where the method does not take batches.
  explicit BatchSum(std::string_view method);
  ~BatchSum();

  /// Adds the numbers of a sum. All batches have the same type. Times the addition to an
  /// accumulator of its own, as Job::run.
  void add(const Job& batch, int repeats);
  /// The sum, and the time of all additions.
  Measurement result() const;

 private:
  struct State;
  std::string method_;
  std::unique_ptr<State> state_;  // from the first batch on, which tells the type
  double seconds_ = 0;
};

}  // namespace acc_tool
