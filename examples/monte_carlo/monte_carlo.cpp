// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean and the variance of random samples, in batches, by a run that is stopped and goes on
// from a file. The file holds the exact sums, as integers. So the run that was stopped has the bits
// of one that was not, also with other batches and another number of threads.
#include <acc/statistics.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

using Exec = Kokkos::DefaultExecutionSpace;
using Statistics = acc::statistics<double>;
constexpr long samples = 1'000'000;

/// A number in [0, 1) that depends on i alone, so that no thread needs a state: SplitMix64.
KOKKOS_INLINE_FUNCTION double uniform(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return double((z ^ z >> 31) >> 11) * 0x1p-53;
}

/// What a run has so far: exact sums, and plain ones beside them.
struct Run {
  Statistics exact;
  double sum = 0, squares = 0;
};

/// Adds the samples first to last - 1 of 4 / (1 + u^2), whose mean is pi.
void add(Run& run, long first, long last) {
  Kokkos::View<double*, Exec> x("samples", std::size_t(last - first));
  Kokkos::parallel_for(
      "sample", Kokkos::RangePolicy<Exec>(0, last - first), KOKKOS_LAMBDA(long i) {
        const double u = uniform(std::uint64_t(first + i));
        x(i) = 4 / Kokkos::fma(u, u, 1.0);
      });
  run.exact.merge(acc::statistics_of(x));
  double sum, squares;
  Kokkos::parallel_reduce(
      "plain sums", Kokkos::RangePolicy<Exec>(0, last - first),
      KOKKOS_LAMBDA(long i, double& s, double& q) {
        s += x(i);
        q += x(i) * x(i);
      },
      sum, squares);
  run.sum += sum;
  run.squares += squares;
}

/// All samples from `first` on, in batches.
void sample(Run& run, long first, long last, long batch) {
  for (long i = first; i < last; i += batch) add(run, i, i + batch < last ? i + batch : last);
}

/// The file: the count, and the wire forms of both sums.
constexpr int words = acc::superaccumulator<double>::wire_words;
using File = std::array<std::int64_t, 1 + 2 * words>;

void save(const Run& run, const char* name) {
  File file;
  file[0] = run.exact.count;
  run.exact.sum.to_wire(&file[1]);
  run.exact.squares.to_wire(&file[1 + words]);
  std::FILE* out = std::fopen(name, "wb");
  const bool written = out && std::fwrite(&file, sizeof file, 1, out) == 1;
  if (!out || std::fclose(out) != 0 || !written)
    throw std::runtime_error(std::string(name) + " cannot be written");
}
Run load(const char* name) {
  File file;
  std::FILE* in = std::fopen(name, "rb");
  const bool was_read = in && std::fread(&file, sizeof file, 1, in) == 1;
  if (in) std::fclose(in);
  if (!was_read) throw std::runtime_error(std::string(name) + " cannot be read");
  Run run;
  run.exact.count = file[0];
  // They throw where the words are not those of a sum.
  run.exact.sum = acc::superaccumulator<double>::from_wire(&file[1], words);
  run.exact.squares = acc::superaccumulator<double>::from_wire(&file[1 + words], words);
  return run;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const char* const name = "monte_carlo.restart";

  Run through;
  sample(through, 0, samples, samples / 10);

  Run stopped;
  sample(stopped, 0, 400'000, 70'000);
  save(stopped, name);
  Run resumed = load(name);
  resumed.sum = stopped.sum;  // as a file of doubles would keep them
  resumed.squares = stopped.squares;
  sample(resumed, 400'000, samples, 130'000);
  std::remove(name);

  const auto variance = [](const Run& r) {  // the usual formula
    const double mean = r.sum / double(samples);
    return r.squares / double(samples) - mean * mean;
  };
  std::printf("%-28s%26s%26s\n", "4 / (1 + u^2)", "mean", "variance");
  const auto print = [](const char* what, double mean, double var) {
    std::printf("%-28s%26a%26a\n", what, mean, var);
  };
  print("acc, without a stop", through.exact.mean(), through.exact.variance());
  print("acc, stopped and resumed", resumed.exact.mean(), resumed.exact.variance());
  print("plain, without a stop", through.sum / double(samples), variance(through));
  print("plain, stopped and resumed", resumed.sum / double(samples), variance(resumed));

  const bool same = through.exact.count == resumed.exact.count &&
                    identical(through.exact.sum, resumed.exact.sum) &&
                    identical(through.exact.squares, resumed.exact.squares);
  std::puts(same ? "\nWith acc the run that was stopped has the same sums, to the last bit."
                 : "\nUnexpected: the run that was stopped has other sums.");
  return same ? 0 : 1;
}
