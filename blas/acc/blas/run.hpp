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

/// Why C is as it was. (After an exception in the middle of a product it may be half done.)
struct failure {
  bool failed = false;
  place where = none;
  std::array<char, 512> why{};  // no std::string: memory may be what there is none of

  static failure at(place where, const char* why = "") {
    failure f{true, where};
    std::snprintf(f.why.data(), f.why.size(), "%s", why);
    return f;
  }
};

template <class T, class Product>
failure run_unguarded(const call<T>& c, const Product& product) {
  if (const place wrong = illegal_argument(c); wrong != none) return failure::at(wrong);
  if (c.is_done()) return {};
  const std::array<const void*, 3> matrices{c.a, c.b, c.c};
  const std::array<place, 3> places{of_a, of_b, of_c};
  const std::size_t first = c.reads_products() ? 0 : 2;
  for (std::size_t i = first; i < 3; ++i)
    if (matrices[i] == nullptr) return failure::at(places[i], "a null pointer to a matrix");
  return with_kokkos([&]() -> failure {
    const location all = locate(std::span(matrices).subspan(first));
    if (all.stranger >= 0)
      return failure::at(places[first + std::size_t(all.stranger)],
                         "A, B and C must all be in host memory, or all in that of Kokkos's GPU");
    product(all.where, c);
    return {};
  });
}

template <class T, class Product>
failure run(const call<T>& c, const Product& product) noexcept {
  try {
    return run_unguarded(c, product);
  } catch (const std::invalid_argument& e) {
    return failure::at(of_c, e.what());  // the shapes are right: C overlaps A or B
  } catch (const std::exception& e) {
    return failure::at(none, e.what());
  } catch (...) {
    return failure::at(none, "an exception that is no std::exception");
  }
}

}  // namespace acc::blas

#endif
