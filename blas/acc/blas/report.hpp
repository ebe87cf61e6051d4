// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_REPORT_HPP
#define ACC_BLAS_REPORT_HPP

namespace acc::blas {

/// Both are told outside of any try block: a program's own handler may throw or jump away.

/// Tells xerbla_ that the routine was called with a wrong argument at this place; `why`, if not
/// empty, goes to stderr before.
void report_to_xerbla(const char* routine, int place, const char* why);

/// Tells cblas_xerbla of this place in the call in C, and to print `why`, if not empty.
void report_to_cblas_xerbla(const char* routine, int place, const char* why, bool row_major);

/// For a routine that has no product to return, though its arguments are right: a caller that gets
/// no status would go on with a C that is none. After a report, whose handler may do otherwise.
[[noreturn]] void end_process(const char* routine);

}  // namespace acc::blas

#endif
