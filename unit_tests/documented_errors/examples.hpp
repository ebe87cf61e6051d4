// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of docs/errors.md call with, by the names it gives them.
#pragma once

#include "stand_ins.hpp"

#include <string>
#include <utility>
#include <vector>

struct Examples {
  template <class T>
  using Matrix = Kokkos::View<T**, Kokkos::HostSpace>;

  void call(const std::string& name);

  Exec exec;
  Vector<double> x{"x", 3}, y{"y", 4};
  Vector<float> f{"f", 3};
  Scalar<double> r{"r"};
  Matrix<double> A{"A", 3, 4}, B{"B", 4, 5}, C{"C", 3, 5};
  FarView<double*> gpu_x;
};
