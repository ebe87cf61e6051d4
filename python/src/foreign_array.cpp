// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "foreign_array.hpp"

#include "dlpack.hpp"

#include <pybind11/stl.h>

#include <algorithm>

namespace acc_python {
namespace {

/// As NumPy names it.
std::string name_of(const dlpack::data_type& type) {
  const auto named = [&](const char* kind) {
    const std::string one = kind + std::to_string(int(type.bits));
    return type.lanes == 1 ? one : one + "x" + std::to_string(type.lanes);
  };
  switch (type.kind) {
    case dlpack::code::integer:
      return named("int");
    case dlpack::code::natural:
      return named("uint");
    case dlpack::code::real:
      return named("float");
    case dlpack::code::bfloat:
      return named("bfloat");
    case dlpack::code::complex:
      return named("complex");
    case dlpack::code::boolean:
      return "bool";
    default:
      return "DLPack's type " + std::to_string(int(type.kind));
  }
}

foreign_array array_of(const dlpack::tensor& t, bool read_only, py::capsule owner) {
  const py::ssize_t itemsize = t.type.bits * t.type.lanes / 8;
  foreign_array::extents shape(t.shape, t.shape + t.rank), strides(shape.size());
  if (t.strides != nullptr) {
    std::copy_n(t.strides, t.rank, strides.begin());
  } else {
    py::ssize_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0; step *= shape[i]) strides[i] = step;
  }
  for (py::ssize_t& stride : strides) stride *= itemsize;
  return {reinterpret_cast<std::uintptr_t>(t.data) + std::uintptr_t(t.byte_offset),
          name_of(t.type),
          itemsize,
          std::move(shape),
          std::move(strides),
          read_only,
          std::move(owner)};
}

/// The array in a capsule. The capsule is read, not taken: it stays the owner, and lets go of the
/// memory when it ends, as a capsule does that nobody takes.
foreign_array read_dlpack(const py::capsule& capsule) {
  const std::string name = capsule.name() == nullptr ? "" : capsule.name();
  if (name == dlpack::unversioned)
    return array_of(*capsule.get_pointer<dlpack::tensor>(), false, capsule);
  if (name != dlpack::versioned)
    throw std::invalid_argument("acc: a capsule of DLPack is named '" + name + "'");
  const auto& managed = *capsule.get_pointer<dlpack::managed_tensor>();
  if (managed.major != dlpack::known_major)
    throw std::invalid_argument("acc: a capsule has version " + std::to_string(managed.major) +
                                " of DLPack, which is not " + std::to_string(dlpack::known_major));
  constexpr std::uint64_t unwritten = dlpack::is_read_only | dlpack::is_copied;
  return array_of(managed.tensor, (managed.flags & unwritten) != 0, capsule);
}

/// array[index]
foreign_array element_of(const foreign_array& array, py::ssize_t index) {
  if (array.ndim() == 0 || index < 0 || index >= array.shape(0)) throw py::index_error();
  const auto rest = [](const foreign_array::extents& all) {
    return foreign_array::extents(all.begin() + 1, all.end());
  };
  return array.strided(rest(array.shape()), rest(array.strides()), index * array.strides(0));
}

}  // namespace

void add_foreign_array(py::module_& m) {
  using array = foreign_array;
  using extents = array::extents;
  const auto tuple = [](const extents& all) { return py::tuple(py::cast(all)); };
  py::class_<array>(m, "ForeignArray")
      .def(py::init<std::uintptr_t, std::string, py::ssize_t, extents, extents, bool, py::object>())
      .def_property_readonly("address", &array::address)
      .def_property_readonly("dtype", &array::dtype)
      .def_property_readonly("itemsize", &array::itemsize)
      .def_property_readonly("ndim", &array::ndim)
      .def_property_readonly("read_only", &array::read_only)
      .def_property_readonly("shape", [tuple](const array& a) { return tuple(a.shape()); })
      .def_property_readonly("strides", [tuple](const array& a) { return tuple(a.strides()); })
      .def("strided", &array::strided, py::arg("shape"), py::arg("strides"), py::arg("offset") = 0)
      .def("__getitem__", &element_of);
  m.def("read_dlpack", &read_dlpack);
}

}  // namespace acc_python
