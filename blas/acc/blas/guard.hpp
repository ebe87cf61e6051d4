// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_GUARD_HPP
#define ACC_BLAS_GUARD_HPP

/// \file
/// What a function of <acc/c.h> makes of exceptions, which C cannot catch.

#include <acc/c.h>

#include <exception>
#include <stdexcept>

namespace acc::blas {

/// Keeps the text for acc_last_error of the calling thread, and returns `status`.
int fail(int status, const char* function, const char* why) noexcept;

/// body()'s end as a status.
template <class Body>
int guarded(const char* function, const Body& body) noexcept {
  try {
    body();
    return ACC_SUCCESS;
  } catch (const std::invalid_argument& e) {
    return fail(ACC_INVALID_ARGUMENT, function, e.what());
  } catch (const std::exception& e) {
    return fail(ACC_FAILURE, function, e.what());
  } catch (...) {
    return fail(ACC_FAILURE, function, "an exception that is no std::exception");
  }
}

}  // namespace acc::blas

#endif
