/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * How the reference CBLAS and MKL name their types. */
#ifndef CBLAS_H
#define CBLAS_H
typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE {
  CblasNoTrans = 111,
  CblasTrans = 112,
  CblasConjTrans = 113
} CBLAS_TRANSPOSE;
#define CBLAS_ORDER CBLAS_LAYOUT
#ifdef __cplusplus
extern "C"
#endif
    void cblas_xerbla(int place, const char* name, const char* format, ...);
#endif
