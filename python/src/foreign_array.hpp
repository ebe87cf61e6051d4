// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of other libraries than NumPy.
#pragma once

#include "module.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace acc_python {

/// Memory that another library owns, often of a GPU, and its elements: by DLPack or by
/// __cuda_array_interface__. Members are named as py::array's, so that views.hpp makes Views of
/// both.
class foreign_array {
 public:
  using extents = std::vector<py::ssize_t>;

  /// owner: keeps the memory. dtype: NumPy's name of the elements' type, or bfloat16. strides: in
  /// bytes.
  foreign_array(std::uintptr_t address, std::string dtype, py::ssize_t itemsize, extents shape,
                extents strides, bool read_only, py::object owner)
      : address_(address),
        itemsize_(itemsize),
        dtype_(std::move(dtype)),
        shape_(std::move(shape)),
        strides_(std::move(strides)),
        read_only_(read_only),
        owner_(std::move(owner)) {}

  const void* data() const { return reinterpret_cast<const void*>(address_); }
  std::uintptr_t address() const { return address_; }
  const std::string& dtype() const { return dtype_; }
  py::ssize_t itemsize() const { return itemsize_; }
  int ndim() const { return int(shape_.size()); }
  const extents& shape() const { return shape_; }
  const extents& strides() const { return strides_; }
  py::ssize_t shape(int i) const { return shape_[std::size_t(i)]; }
  py::ssize_t strides(int i) const { return strides_[std::size_t(i)]; }
  bool read_only() const { return read_only_; }

  /// The same memory from `offset` bytes on, with other extents.
  foreign_array strided(extents shape, extents strides, py::ssize_t offset) const {
    return {address_ + std::uintptr_t(offset),
            dtype_,
            itemsize_,
            std::move(shape),
            std::move(strides),
            read_only_,
            owner_};
  }

 private:
  std::uintptr_t address_;
  py::ssize_t itemsize_;
  std::string dtype_;
  extents shape_, strides_;
  bool read_only_;
  py::object owner_;
};

}  // namespace acc_python
