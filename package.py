# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""acc for Spack 1.0 and newer. Spack finds this file as spack_repo/acc/packages/acc/package.py."""
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Acc(CMakePackage, CudaPackage, ROCmPackage):
    """Sums, dot products, norms and matrix products for Kokkos: accurate, and with the same bits
    on any number of threads, on CPUs and GPUs."""

    # Who publishes acc fills in what is commented here: docs/spack.md says how.
    # homepage = "https://HOST/acc"
    # url = "https://HOST/acc/archive/refs/tags/v0.2.0.tar.gz"
    # maintainers("NAME")

    # The source is the repository in which this file lies, once its links are followed.
    git = pathlib.Path(__file__).resolve().parent.as_uri()

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")
    # version("0.2.0", sha256="CHECKSUM")

    # acc computes with whatever Kokkos has. These bring a Kokkos that has it, as ArborX's do.
    variant("serial", default=True, description="Compute with one thread")
    variant("openmp", default=False, description="Compute with OpenMP")
    variant("sycl", default=False, description="Compute with SYCL, by the generic kernels")
    variant("shared", default=True, description="Build shared libraries")
    variant("mpi", default=False, description="Build acc::mpi, sums over ranks")
    variant("blas", default=True, description="Build acc::blas, entry points for C and Fortran")
    variant("hwloc", default=True, description="Ask hwloc for the sizes of caches")
    variant("tools", default=True, description="Build the command line tool acc")
    variant("tests", default=False, description="Install the tests, to run without a compiler")
    variant("benchmarks", default=False, description="Install the benchmarks")
    variant("examples", default=False, description="Build the examples and install their source")
    variant("python", default=False, description="Install the Python package acc")
    variant(
        "kokkos_kernels",
        default=False,
        description="Bring Kokkos Kernels, for ngemm_kokkos_blas.hpp and its tests",
    )

    depends_on("c", type="build")  # for the tests of acc::blas
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type=("build", "test"))
    # CMake's bounds: Kokkos 6 does not exist yet.
    depends_on("kokkos@4.7:5", type=("build", "link"))
    # A shared acc needs position-independent code, and a shared Kokkos has it.
    requires(
        "^kokkos+shared",  # first: Spack prefers the first, and would make acc static for it
        "^kokkos+pic",
        policy="any_of",
        when="+shared",
        msg="a shared acc needs a Kokkos with position-independent code: acc ^kokkos+pic",
    )
    for _backend in ("serial", "openmp", "sycl"):
        depends_on(f"kokkos+{_backend}", type=("build", "link"), when=f"+{_backend}")
    for _arch in CudaPackage.cuda_arch_values:
        _cuda = f"+cuda cuda_arch={_arch}"
        depends_on(f"kokkos {_cuda}", type=("build", "link"), when=_cuda)
    for _arch in ROCmPackage.amdgpu_targets:
        _rocm = f"+rocm amdgpu_target={_arch}"
        depends_on(f"kokkos {_rocm}", type=("build", "link"), when=_rocm)
    depends_on("mpi", type=("build", "link"), when="+mpi")
    depends_on("hwloc@2:", type=("build", "link"), when="+hwloc")
    depends_on("pkgconfig", type="build", when="+hwloc")
    # find_package(acc) asks pkg-config for what a static acc is linked with.
    depends_on("pkgconfig", type=("run", "test"), when="+hwloc~shared")
    depends_on("kokkos-kernels", type=("build", "link"), when="+kokkos_kernels")
    depends_on("kokkos-kernels+cuda", type=("build", "link"), when="+kokkos_kernels+cuda")
    with when("+tools"):
        depends_on("cli11@2.1:", type="build")
        depends_on("fmt@9:", type=("build", "link"))
        depends_on("gmp+cxx", type=("build", "link"))
    with when("+python"):
        extends("python@3.9:")
        depends_on("py-numpy@1.24:", type=("build", "run"))
        depends_on("py-pybind11@2.10:", type="build")
        # The module is shared, whatever acc and Kokkos are.
        requires(
            "^kokkos+shared",
            "^kokkos+pic",
            policy="any_of",
            msg="acc+python needs a Kokkos with position-independent code: acc ^kokkos+pic",
        )
    conflicts("~blas", when="+python", msg="the Python package calls acc::blas: acc+python+blas")
    depends_on("googletest@1.12:", type="test")
    depends_on("gmp+cxx", type="test")
    with when("+tests"):
        depends_on("googletest@1.12:", type=("build", "link"))
        depends_on("gmp+cxx", type=("build", "link"))
        depends_on("python@3.6:", type=("build", "run"))  # acc-bits
    with when("+benchmarks"):
        depends_on("benchmark@1.7:", type=("build", "link"))
        depends_on("blas", type=("build", "link"), when="~cuda")

    conflicts(
        "%gcc@:11", msg="acc is written in C++20 as GCC 12 has it: install acc %gcc@12 or newer"
    )
    conflicts("%clang@:13", msg="acc needs Clang 14 or newer: install acc %clang@14:")
    requires(
        "^kokkos cxxstd=20",
        "^kokkos cxxstd=23",
        policy="any_of",
        msg="acc is written in C++20, so Kokkos must be built for it: acc ^kokkos cxxstd=20",
    )
    conflicts("cuda_arch=none", when="+cuda", msg="say which GPU, as acc+cuda cuda_arch=90")
    conflicts(
        "amdgpu_target=none", when="+rocm", msg="say which GPU, as acc+rocm amdgpu_target=gfx90a"
    )
    for _arch in CudaPackage.cuda_arch_values:
        if int(_arch.rstrip("af")) < 80:
            conflicts(f"cuda_arch={_arch}", msg="acc's kernels need cuda_arch=80 or newer")
    requires(
        "^kokkos+wrapper",
        when="+cuda %gcc",
        msg="acc with GCC and CUDA needs Kokkos's nvcc_wrapper: acc+cuda ^kokkos+wrapper",
    )
    requires("^kokkos+cuda_lambda", when="+cuda ^kokkos@4")
    conflicts("+cuda", when="+rocm", msg="Kokkos has CUDA or ROCm, not both")
    conflicts("+cuda", when="+sycl", msg="Kokkos has CUDA or SYCL, not both")
    conflicts("+rocm", when="+sycl", msg="Kokkos has ROCm or SYCL, not both")
    requires("%oneapi", when="+sycl", msg="Kokkos has SYCL by Intel's compiler: acc+sycl %oneapi")

    sanity_check_is_file = [
        join_path("include", "acc", "sum.hpp"),
        join_path("include", "acc", "core", "config.hpp"),
    ]

    def flag_handler(self, name, flags):
        """Hand flags to CMake, where acc refuses fast-math, not to Spack's compiler wrapper."""
        if name == "cxxflags" and self.spec.satisfies("%oneapi"):
            flags.append("-fp-model=precise")
        return (None, None, flags)

    def cxx_with_kokkos(self, cxx):
        """The compiler that acc shares with Kokkos: cxx, but for a GPU."""
        if self.spec.satisfies("+rocm"):
            return self.spec["hip"].hipcc
        if self.spec.satisfies("^kokkos+wrapper"):
            return self["kokkos"].kokkos_cxx
        return cxx

    def cmake_args(self):
        args = [
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
            self.define("CMAKE_CXX_COMPILER", self.cxx_with_kokkos(spack_cxx)),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("ACC_ENABLE_BENCHMARKS", "benchmarks"),
            self.define_from_variant("ACC_ENABLE_BLAS", "blas"),
            self.define_from_variant("ACC_ENABLE_EXAMPLES", "examples"),
            self.define_from_variant("ACC_ENABLE_HWLOC", "hwloc"),
            self.define_from_variant("ACC_ENABLE_KOKKOS_KERNELS", "kokkos_kernels"),
            self.define_from_variant("ACC_ENABLE_MPI", "mpi"),
            self.define_from_variant("ACC_ENABLE_TOOLS", "tools"),
            self.define("ACC_ENABLE_AVX", True),
            self.define("ACC_ENABLE_DOCS", False),
            self.define("ACC_ENABLE_TESTS", self.run_tests or self.spec.satisfies("+tests")),
        ]
        if self.spec.satisfies("+tests"):
            # An option of the tests: CMake warns of it where there are none.
            args.append(self.define("ACC_INSTALL_TESTS", True))
        if self.spec.satisfies("+benchmarks~cuda"):
            # The peer is the BLAS of this spec, not the one that CMake would find first.
            args.append(self.define("BLAS_LIBRARIES", self.spec["blas"].libs.joined(";")))
        return args

    def setup_build_environment(self, env):
        # For the tests: teams larger than the machine must not spin while they wait.
        env.set("OMP_WAIT_POLICY", "passive")
        env.set("OMP_PROC_BIND", "false")

    @run_after("install", when="+examples")
    def install_examples(self):
        source = join_path(self.stage.source_path, "examples")
        install_tree(source, join_path(self.prefix.share, "acc", "examples"))

    @run_after("install")
    def install_python(self):
        """Build the Python package with the installed acc, into this prefix."""
        if self.spec.satisfies("~python"):
            return
        build = join_path(self.stage.path, "build-python")
        cmake = self.spec["cmake"].command
        cmake(
            "-S",
            join_path(self.stage.source_path, "python"),
            "-B",
            build,
            self.define("acc_ROOT", self.prefix),
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
            self.define("Python_EXECUTABLE", self.spec["python"].command.path),
            self.define("CMAKE_BUILD_TYPE", self.spec.variants["build_type"].value),
            self.define("CMAKE_CXX_COMPILER", self.cxx_with_kokkos(spack_cxx)),
            self.define("CMAKE_PREFIX_PATH", get_cmake_prefix_path(self)),
        )
        cmake("--build", build, "--parallel", str(make_jobs))
        cmake("--install", build, "--prefix", self.prefix)

    test_requires_compiler = True

    @run_after("install")
    def cache_test_sources(self):
        """Keep what `spack test run` builds: projects that need nothing but an installed acc."""
        cache_extra_test_sources(self, ["unit_tests", "cmake", "examples"])

    def build_standalone(self, source):
        """Build a project of the source tree against the installed acc; return the folder."""
        build = join_path(self.test_suite.current_test_cache_dir, "build", source)
        cmake = self.spec["cmake"].command
        # Spack sets up its compiler wrapper for installations alone.
        cmake.add_default_env("NVCC_WRAPPER_DEFAULT_COMPILER", self.compiler.cxx)
        cmake(
            "-S",
            join_path(self.test_suite.current_test_cache_dir, source),
            "-B",
            build,
            self.define("acc_ROOT", self.prefix),
            self.define("CMAKE_BUILD_TYPE", self.spec.variants["build_type"].value),
            self.define("CMAKE_CXX_COMPILER", self.cxx_with_kokkos(self.compiler.cxx)),
            self.define("CMAKE_PREFIX_PATH", get_cmake_prefix_path(self)),
        )
        cmake("--build", build, "--parallel", str(make_jobs))
        return build

    def test_consumer(self):
        """build and run examples/consumer, which sums what plain arithmetic gets wrong"""
        consumer = Executable(join_path(self.build_standalone("examples/consumer"), "consumer"))
        check_outputs(r"sum 0x1p\+0, dot 0x1p\+0", consumer(output=str, error=str))

    def test_unit_tests(self):
        """build unit_tests against the installed acc and run them on this node"""
        if self.spec.satisfies("+tests"):
            raise SkipTest("test_installed runs the same")
        if "googletest" not in self.spec:
            raise SkipTest("needs GoogleTest: install acc+tests, or with --test=root")
        self.run_ctest(self.build_standalone("unit_tests"))

    def test_installed(self):
        """run the installed tests on this node"""
        if self.spec.satisfies("~tests"):
            raise SkipTest("no tests are installed: install acc+tests")
        # Not in their folder, where ctest would write.
        tests = join_path(self.prefix.libexec, "acc", "tests", "CTestTestfile.cmake")
        pathlib.Path("CTestTestfile.cmake").write_text(f'include("{tests}")\n', encoding="utf-8")
        self.run_ctest(".")

    def test_python(self):
        """import the Python package and add up what plain arithmetic gets wrong"""
        if self.spec.satisfies("~python"):
            raise SkipTest("there is no Python package: install acc+python")
        program = "import acc; print(acc.sum([1, 1e100, 1, -1e100], method='exact'))"
        python = self.spec["python"].command
        check_outputs("2.0", python("-c", program, output=str, error=str))

    def run_ctest(self, folder):
        ctest = Executable(self.spec["cmake"].prefix.bin.ctest)
        ctest("--test-dir", folder, "--output-on-failure", "--no-tests=error")
