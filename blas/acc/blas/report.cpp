// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// The program's or its BLAS's, if there are any: null where not. Default definitions of our own
// would become those of a BLAS in a shared library, too, and change what it does after an error
// (the reference's stops the program, those of OpenBLAS and MKL return). The header does not
// declare them, since <cblas.h> and <f77blas.h> do so with types that differ.
#if defined(__ELF__)
#define ACC_BLAS_OPTIONAL __attribute__((weak))
extern "C" {
ACC_BLAS_OPTIONAL void xerbla_(const char* name, const int* place, std::size_t length);
ACC_BLAS_OPTIONAL void cblas_xerbla(int place, const char* name, const char* format, ...);
/// The reference BLAS has it: whether the call that failed is row-major. Then its cblas_xerbla, and
/// those of its test programs, take the place in the Fortran call that the call in C becomes, whose
/// m and n, or A and B, have changed places, and print the place in the call in C.
extern ACC_BLAS_OPTIONAL int RowMajorStrg;
}
#else  // other formats resolve all symbols when they link: stderr alone
static constexpr void (*xerbla_)(const char*, const int*, std::size_t) = nullptr;
static constexpr void (*cblas_xerbla)(int, const char*, const char*, ...) = nullptr;
#endif

namespace {

/// Arguments of a routine, by their places in C, that change places in Fortran.
struct exchanged {
  const char* routine;
  int one, other;
};
constexpr exchanged all_exchanged[] = {{"gemm", 4, 5}, {"gemm", 9, 11}, {"symm", 4, 5},
                                       {"hemm", 4, 5}, {"trsm", 6, 7},  {"gemv", 3, 4}};
int place_in_fortran(const char* routine, int place) {
  for (const exchanged& e : all_exchanged) {
    if (std::strstr(routine, e.routine) == nullptr) continue;
    if (place == e.one) return e.other;
    if (place == e.other) return e.one;
  }
  return place;
}

}  // namespace

namespace acc::blas {

void report_to_xerbla(const char* routine, int place, const char* why) {
  if (*why != '\0') std::fprintf(stderr, " ** %s: %s\n", routine, why);
  if (xerbla_ != nullptr)
    xerbla_(routine, &place, std::strlen(routine));
  else if (place != 0)
    std::fprintf(stderr, " ** On entry to %s parameter number %2d had an illegal value\n", routine,
                 place);
}

void report_to_cblas_xerbla(const char* routine, int place, const char* why, bool row_major) {
  if (cblas_xerbla != nullptr) {
    const char* const format = *why != '\0' ? "%s\n" : "";
#if defined(__ELF__)
    if (row_major && &RowMajorStrg != nullptr) {
      const int before = RowMajorStrg;
      RowMajorStrg = 1;
      cblas_xerbla(place_in_fortran(routine, place), routine, format, why);
      RowMajorStrg = before;
      return;
    }
#endif
    cblas_xerbla(place, routine, format, why);
    return;
  }
  if (place != 0)
    std::fprintf(stderr, "Parameter %d to routine %s was incorrect\n", place, routine);
  if (*why != '\0') std::fprintf(stderr, "%s: %s\n", routine, why);
}

void end_process(const char* routine) {
  std::fprintf(stderr, "%s: the process ends, since there is no result\n", routine);
  std::abort();
}

}  // namespace acc::blas
