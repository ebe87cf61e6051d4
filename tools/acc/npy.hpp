// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's .npy format, versions 1 to 3: numpy.org, "NEP 1: A simple file format for NumPy arrays".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vector.hpp"

namespace acc_tool {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// What the header's dictionary says, for example
/// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Parses the dictionary: exactly these three keys in any order, nothing else. It is a Python
/// literal; only the little of Python that NumPy writes is accepted. Throws Error (without a name).
NpyHeader parse_npy_header(std::string_view dictionary);

struct NpyArray {
  NpyHeader header;
  Values values;  // in the order they lie in memory, whatever the rank and the order of the array
};

/// float32, float64, complex64, complex128 of either byte order; float16 is widened to float32,
/// which is exact. The file must hold the array and nothing more. Throws Error.
NpyArray read_npy(const std::string& path);

/// Writes an array of this shape, version 1, in this machine's byte order. Throws Error.
void write_npy(const std::string& path, const Values& values,
               const std::vector<std::uint64_t>& shape, bool fortran_order = false);
/// An array of rank 1.
void write_npy(const std::string& path, const Values& values);

}  // namespace acc_tool
