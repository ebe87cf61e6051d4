# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Short names for what CMake, CTest and the scripts in cmake/environment do. Nothing has to be set
# up before: where CMake finds no Kokkos, a Debian root file system with one is made, once.
RUN := cmake/environment/run.sh

.PHONY: help demo shell check test header-times bench paper-tables plots format style matrix iwyu docs try-docs \
  numpy wheel gpu-test gpu-bench gpu-paper-tables clean clean-cache

help: ## this list
	@echo 'make TARGET, where TARGET is'
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' Makefile | expand -t 20
	@echo 'Builds and root file systems are kept in ACC_CACHE (~/.cache/acc).'

demo: ## build the command line tool and show it at work
	@$(RUN) openmp cmake/environment/demo.sh

shell: ## a shell where Kokkos and all that acc needs can be found
	@$(RUN) openmp bash -c 'bash || true'  # its status is the last command's, typed there

check: ## build one test file and run it (TEST=test_sum, FILTER='Sum/*', DEVICE=openmp)
	@$(RUN) openmp cmake/environment/check.sh '$(TEST)' '$(or $(DEVICE),openmp)' '$(FILTER)'

test: ## build all tests and run them (TESTS=REGEX: run those alone)
	@cmake/environment/test.sh $(if $(TESTS),-R '$(TESTS)')

bench: ## build and run the benchmarks (BENCH=REGEX: those alone)
	@$(RUN) benchmarks cmake/environment/bench.sh $(if $(BENCH),'--benchmark_filter=$(BENCH)')

# PAPER: options of perf_tests/paper_tables.py
paper_options = --commit '$(shell git describe --always --dirty)' $(PAPER)

paper-tables: ## measure and write docs/paper-tables.md
	@ACC_WRITE_SOURCE=1 $(RUN) benchmarks cmake/environment/paper_tables.sh $(paper_options)

plots: ## draw docs/plots and fill in the tables of docs/performance.md and README.md from the measurements there
	@ACC_WRITE_SOURCE=1 $(RUN) benchmarks python3 -B perf_tests/plots.py

format: ## format the C++ with Debian sid's clang-format
	@ACC_ENVIRONMENT=root ACC_WRITE_SOURCE=1 $(RUN) openmp cmake/environment/style.sh --fix

style: ## check formatting, scripts and licence lines
	@ACC_ENVIRONMENT=root $(RUN) openmp cmake/environment/style.sh

matrix: ## build and test with several compilers and Kokkos (ROWS="gcc clang": those alone; SHORT=1: the library and the quick tests)
	@cmake/environment/matrix.sh $(if $(SHORT),--short) $(ROWS)

numpy: ## run NumPy, SciPy, R and Octave through the BLAS's own names: their bits, and NumPy's own tests
	@ACC_ENVIRONMENT=root $(RUN) numpy cmake/environment/numpy.sh

need_kokkos_source = @test -f '$(KOKKOS_SOURCE)/cmake/KokkosCore_config.h.in' || { echo 'acc: KOKKOS_SOURCE \
names no source of Kokkos. Set it to the folder of one, 4.7 or newer, from https://github.com/kokkos/kokkos.' >&2; exit 1; }

wheel: ## make a wheel of the Python package that needs no Kokkos, and test it (KOKKOS_SOURCE=DIR: the source of Kokkos)
	$(need_kokkos_source)
	@ACC_ENVIRONMENT=$(or $(ACC_ENVIRONMENT),root) KOKKOS_SOURCE='$(abspath $(KOKKOS_SOURCE))' $(RUN) wheel cmake/environment/wheel.sh

iwyu: ## check that every header includes what it uses
	@ACC_ENVIRONMENT=root $(RUN) compilers cmake/environment/build.sh -DACC_ENABLE_MPI=AUTO -- check_includes

header-times: ## compare how long our headers take to compile with Kokkos's (a stopwatch: on a quiet machine)
	@ACC_ENVIRONMENT=root $(RUN) openmp cmake/environment/build.sh -- header_times

docs: ## build the site and the reference: Sphinx, Doxygen
	@ACC_ENVIRONMENT=root $(RUN) openmp cmake/environment/build.sh -DACC_ENABLE_DOCS=ON -- docs

try-docs: ## run the commands of docs/getting-started.md, as a reader would
	@$(RUN) openmp cmake/environment/try_docs.sh

# A GPU, its driver and CUDA cannot be fetched: Kokkos_ROOT must name a Kokkos built for it.
need_kokkos = @test -n "$$Kokkos_ROOT" || { echo 'acc: Kokkos_ROOT is not set. Set it in the \
environment to the prefix of a Kokkos with CUDA and HOPPER90.' >&2; exit 1; }

gpu-test: ## run the tests on an NVIDIA Hopper GPU (needs Kokkos_ROOT)
	$(need_kokkos)
	cmake --preset cuda-hopper
	cmake --build --preset cuda-hopper
	ctest --preset cuda-hopper

gpu-bench: ## run the benchmarks on it (needs Kokkos_ROOT)
	$(need_kokkos)
	cmake --preset cuda-hopper -DACC_ENABLE_BENCHMARKS=ON
	cmake --build --preset cuda-hopper --target acc_perf_tests
	build/cuda-hopper/bin/acc_perf_tests --benchmark_out=build/cuda-hopper/bench.json \
	  $(if $(BENCH),'--benchmark_filter=$(BENCH)')

gpu-paper-tables: ## measure the GPU columns of docs/paper-tables.md (needs Kokkos_ROOT)
	$(need_kokkos)
	cmake --preset cuda-hopper -DACC_ENABLE_BENCHMARKS=ON
	cmake --build --preset cuda-hopper --target acc_paper_tables
	python3 -B perf_tests/paper_tables.py $(paper_options) build/cuda-hopper/bin/acc_paper_tables

clean: ## remove this tree's builds
	@cmake/environment/clean.sh

clean-cache: ## remove everything we ever made: root file systems, compiler cache, all builds
	@cmake/environment/clean.sh --all
