// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module's part for GPUs. acc computes on a stream of its own, the one of Kokkos's default
// instance, which has the workspace: Python's side has the streams of arrays wait for it, and it
// for them.
#include "gpu.hpp"

#include <acc/statistics.hpp>

#include "scalar.hpp"

#include <stdexcept>

namespace acc_python {
namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();  // no other library's next check shall find it
  throw std::runtime_error(std::string("acc: CUDA says: ") + cudaGetErrorString(error));
}

cudaStream_t stream_of(std::uintptr_t handle) { return reinterpret_cast<cudaStream_t>(handle); }

/// What `later` is given from now on waits for what `earlier` has been given so far.
void put_in_order(cudaStream_t earlier, cudaStream_t later) {
  if (earlier == later) return;
  cudaEvent_t event;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaError_t error = cudaEventRecord(event, earlier);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(later, event, 0);
  (void)cudaEventDestroy(event);  // once it has happened
  check(error);
}

/// The GPU on which an address lies; none: -1.
int gpu_at(std::uintptr_t address) {
  cudaPointerAttributes attributes;
  check(cudaPointerGetAttributes(&attributes, reinterpret_cast<const void*>(address)));
  const bool on_gpu =
      attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return on_gpu ? attributes.device : -1;
}

template <class F>
py::object moment(const foreign_array& x, const F& of) {
  py::object result = py::none();
  const auto by = [&]<class T>(T) {
    if (!is_of<T>(x)) return;
    T r{};
    run_on_gpu([&](const auto& exec) { r = of(exec, vector_of<T>(x)); });
    result = scalar(r);
  };
  by(float());
  by(double());
  return result;
}

}  // namespace

void add_gpu(py::module_& m) {
  py::module_ gpu = m.def_submodule("gpu");
  gpu.def("device", [] {
    int device = -1;
    run_on_gpu([&](const auto& exec) { device = exec.cuda_device(); });
    return device;
  });
  // The handle of acc's stream, as __dlpack__ takes it: 1 where it is CUDA's default stream.
  gpu.def("stream", [] {
    std::uintptr_t handle = 0;
    run_on_gpu(
        [&](const auto& exec) { handle = reinterpret_cast<std::uintptr_t>(exec.cuda_stream()); });
    return handle == 0 ? 1 : handle;
  });
  gpu.def("wait_for", [](std::uintptr_t handle) {
    run_on_gpu([&](const auto& exec) { put_in_order(stream_of(handle), exec.cuda_stream()); });
  });
  gpu.def("precede", [](std::uintptr_t handle) {
    run_on_gpu([&](const auto& exec) { put_in_order(exec.cuda_stream(), stream_of(handle)); });
  });
  gpu.def("finish", [] { run_on_gpu([](const auto& exec) { exec.fence("acc: Python"); }); });
  gpu.def("gpu_at", &gpu_at);
  gpu.def("mean", [](const foreign_array& x) {
    return moment(x, [](const auto& exec, const auto& v) { return acc::mean(exec, v); });
  });
  gpu.def("var", [](const foreign_array& x, std::int64_t ddof) {
    return moment(x, [&](const auto& exec, const auto& v) { return acc::variance(exec, v, ddof); });
  });
  add_gpu_sums(gpu);
  add_gpu_products(gpu);
}

}  // namespace acc_python
