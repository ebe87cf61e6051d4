// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Google Benchmark's main, with what a figure has to name: versions, machine, threads.

#include "blas.hpp"
#include "peers_libraries.hpp"

#include <acc/print_configuration.hpp>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>
#include <sstream>

#if defined(KOKKOS_ENABLE_CUDA)
#include "peers_cuda.hpp"
#endif

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  std::ostringstream configuration;
  acc::print_configuration(configuration);
  benchmark::AddCustomContext("acc", configuration.str());
  benchmark::AddCustomContext("Kokkos", std::to_string(KOKKOS_VERSION));
  benchmark::AddCustomContext("execution space", Kokkos::DefaultExecutionSpace::name());
  benchmark::AddCustomContext("concurrency",
                              std::to_string(Kokkos::DefaultExecutionSpace().concurrency()));
#if defined(KOKKOS_ENABLE_CUDA)
  benchmark::AddCustomContext("GPU", Kokkos::Cuda().cuda_device_prop().name);
  benchmark::AddCustomContext("CUDA", std::to_string(CUDART_VERSION));
  benchmark::AddCustomContext("CUB", std::to_string(CUB_VERSION));
#endif
  if constexpr (peers::has_xsum) benchmark::AddCustomContext("xsum", "found");
  if constexpr (peers::has_reproblas) benchmark::AddCustomContext("ReproBLAS", "found, fold 3");
  if constexpr (perf::blas::exists) benchmark::AddCustomContext("BLAS", perf::blas::description());
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
