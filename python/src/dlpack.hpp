// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a capsule of DLPack holds, as its specification lays it out in memory (C API, versions 0 and
// 1: dmlc.github.io/dlpack). Only what a reader needs.
#pragma once

#include <cstdint>

namespace acc_python::dlpack {

struct device {
  std::int32_t type, number;
};
/// Types of devices whose memory the host reads: its own, and what CUDA and ROCm have pinned there.
inline constexpr std::int32_t host = 1, cuda = 2, pinned_by_cuda = 3, pinned_by_rocm = 11;

enum class code : std::uint8_t { integer, natural, real, handle, bfloat, complex, boolean };
struct data_type {
  code kind;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct tensor {
  void* data;
  dlpack::device device;
  std::int32_t rank;
  data_type type;
  const std::int64_t* shape;
  const std::int64_t* strides;  ///< in elements; null: row-major without gaps
  std::uint64_t byte_offset;
};

/// In a capsule with this name, a tensor stands first.
inline constexpr const char* unversioned = "dltensor";

/// In a capsule with this name, this.
inline constexpr const char* versioned = "dltensor_versioned";
struct managed_tensor {
  std::uint32_t major, minor;
  void* manager;
  void (*deleter)(managed_tensor*);
  std::uint64_t flags;
  dlpack::tensor tensor;
};
inline constexpr std::uint32_t known_major = 1;
/// A copy was made for the capsule: nobody would see what is written to it.
inline constexpr std::uint64_t is_read_only = 1, is_copied = 2;

}  // namespace acc_python::dlpack
