// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_RUN_HPP
#define ACC_BLAS_RUN_HPP

/// \file
/// A call from its arguments to C, or to what is to be reported: nothing is thrown past it, since
/// the callers are C and Fortran.

#include "call.hpp"
#include "memory.hpp"
#include "runtime.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>

namespace acc::blas {

/// Why the result is as it was. (After an exception in the middle of a product it may be half
/// done.)
struct failure {
  bool failed = false;
  int where = none;
  std::array<char, 512> why{};  // no std::string: memory may be what there is none of

  static failure at(int where, const char* why = "") {
    failure f{true, where};
    std::snprintf(f.why.data(), f.why.size(), "%s", why);
    return f;
  }
};

template <class Call, class Product>
failure run_unguarded(const Call& c, const Product& product) {
  if (const int wrong = illegal_argument(c); wrong != none) return failure::at(wrong);
  if (c.is_done()) return {};
  const operands_of_call operands = c.operands();
  std::array<const void*, 3> pointers{};
  std::size_t count = 0;
  for (const operand& o : operands) {
    if (o.data == nullptr) return failure::at(o.place, "a null pointer to an array");
    pointers[count++] = o.data;
  }
  return with_kokkos([&]() -> failure {
    const location all = locate(std::span(pointers).first(count));
    if (all.stranger >= 0)
      return failure::at(operands.begin()[all.stranger].place,
                         "all arrays must be in host memory, or all in that of Kokkos's GPU");
    product(all.where, c);
    return {};
  });
}

template <class Call, class Product>
failure run(const Call& c, const Product& product) noexcept {
  try {
    return run_unguarded(c, product);
  } catch (const std::invalid_argument& e) {
    return failure::at(c.operands().result().place, e.what());  // the shapes are right: an overlap
  } catch (const std::exception& e) {
    return failure::at(none, e.what());
  } catch (...) {
    return failure::at(none, "an exception that is no std::exception");
  }
}

}  // namespace acc::blas

#endif
