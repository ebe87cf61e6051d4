// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

#include <utility>

#include <fmt/format.h>

#include "axis.hpp"
#include "generate.hpp"
#include "methods.hpp"
#include "npy.hpp"
#include "progress.hpp"
#include "reference.hpp"
#include "report.hpp"
#include "statistics.hpp"

namespace acc_tool {
namespace {

Problem sum_problem(const Vector& x) {
  return {x.name, type_name(x), x.size(), true, exact_sum(x)};
}

Problem dot_problem(const Vector& x, const Vector& y) {
  return {fmt::format("{} and {}", x.name, y.name), type_name(x), x.size(), false, exact_dot(x, y)};
}

Measurement run(const Job& job, std::string_view method, int repeats) {
  const Progress step(fmt::format("method {}", method), 0);
  return job.run(method, repeats);
}

void print_one(const Problem& problem, const Job& job, const Machine& machine,
               const RunOptions& options) {
  const Measurement plain = run(job, "plain", options.repeats);
  const Measurement result =
      options.method == "plain" ? plain : run(job, options.method, options.repeats);
  print_result(problem, options.method, result, plain, machine.description());
}

void print_all(const Problem& problem, const Job& job, const RunOptions& options) {
  print_table_problem(problem);
  const Measurement plain = run(job, "plain", options.repeats);
  for (const MethodInfo& method : methods()) {
    if (!job.takes(method.name)) continue;
    const Measurement result =
        method.name == "plain" ? plain : run(job, method.name, options.repeats);
    print_table_row(problem, method.name, result, plain.seconds);
  }
}

/// Reads files of one type, of which one at a time is in memory, and calls add(x) with each.
template <class F>
Batches read_batches(std::string_view command, const std::vector<std::string>& files,
                     std::optional<TextType> type, F add) {
  Batches batches;
  Progress progress("batches", files.size());
  for (const std::string& file : files) {
    const Vector x = read(file, type);
    if (batches.count == 0) {
      batches.title = x.name;
      batches.type = type_name(x);
    } else if (batches.type != type_name(x)) {
      throw Error(fmt::format("{}: {} is {} but {} is {}; all files have one type", command,
                              batches.title, batches.type, x.name, type_name(x)));
    }
    add(x);
    batches.size += x.size();
    progress.to(++batches.count);
  }
  if (files.size() > 1) batches.title += fmt::format(" and {} more", files.size() - 1);
  return batches;
}

}  // namespace

void sum(const std::string& file, const RunOptions& options) {
  const Vector x = read(file, options.type);
  const Machine machine(options.threads);
  print_one(sum_problem(x), Job(x), machine, options);
}

void sum_batches(const std::vector<std::string>& files, const RunOptions& options) {
  const Machine machine(options.threads);
  BatchSum sum(options.method);
  BatchReference reference;
  Measurement plain;  // of each batch; only the time has a meaning
  const Batches batches = read_batches("sum", files, options.type, [&](const Vector& x) {
    reference.add(x);
    const Job batch(x);
    sum.add(batch, options.repeats);
    plain.seconds += batch.run("plain", options.repeats).seconds;
  });
  const Problem problem{batches.title, batches.type,      batches.size,
                        true,          reference.total(), batches.count};
  print_result(problem, options.method, sum.result(), plain, machine.description());
}

void sum_along(const std::string& file, std::int64_t axis, const std::string& output,
               const RunOptions& options) {
  if (options.type) throw Error(file + ": --type is for text, an .npy file has its own type");
  const NpyArray x = read_npy(file);
  const Machine machine(options.threads);
  const NpyArray sums = sums_along(file, x, axis, options.method);
  if (!output.empty())
    return write_npy(output, sums.values, sums.header.shape, sums.header.fortran_order);
  print_numbers(sums);
}

void stats(const std::vector<std::string>& files, std::int64_t ddof, const RunOptions& options) {
  const Machine machine(options.threads);
  BatchStatistics statistics;
  const Batches batches =
      read_batches("stats", files, options.type, [&](const Vector& x) { statistics.add(x); });
  print_statistics(batches, statistics.result(ddof));
}

void dot(const std::string& x_file, const std::string& y_file, const RunOptions& options) {
  const Vector x = read(x_file, options.type), y = read(y_file, options.type);
  const Machine machine(options.threads);
  const Job job(x, y);
  print_one(dot_problem(x, y), job, machine, options);
}

void compare_sums(const std::vector<std::string>& files, const RunOptions& options) {
  const Machine machine(options.threads);
  print_table_heading(machine.description());
  for (const std::string& file : files) {
    const Vector x = read(file, options.type);
    print_all(sum_problem(x), Job(x), options);
  }
}

void compare_dot(const std::string& x_file, const std::string& y_file, const RunOptions& options) {
  const Vector x = read(x_file, options.type), y = read(y_file, options.type);
  const Machine machine(options.threads);
  const Job job(x, y);
  print_table_heading(machine.description());
  print_all(dot_problem(x, y), job, options);
}

void generate(const std::string& kind, const std::string& file, const GenerateOptions& options) {
  if (kind == "harmonic") return write_npy(file, harmonic(options.n));
  const std::uint64_t n = options.n * options.columns.value_or(1);
  const auto values = kind == "uniform" ? uniform(n, options.seed) : normal(n, options.seed);
  if (options.columns) return write_npy(file, values, {options.n, *options.columns});
  write_npy(file, values);
}

void generate_gendot(const std::string& x_file, const std::string& y_file,
                     const GenerateOptions& options) {
  auto [x, y] = gendot(options.n, options.condition, options.seed);
  write_npy(x_file, std::move(x));
  write_npy(y_file, std::move(y));
}

}  // namespace acc_tool
