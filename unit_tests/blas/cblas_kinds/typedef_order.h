/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * How OpenBLAS names its types, and declares its error handlers. */
#ifndef CBLAS_H
#define CBLAS_H
typedef enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_ORDER;
typedef enum CBLAS_TRANSPOSE {
  CblasNoTrans = 111,
  CblasTrans = 112,
  CblasConjTrans = 113,
  CblasConjNoTrans = 114
} CBLAS_TRANSPOSE;
typedef CBLAS_ORDER CBLAS_LAYOUT;
#ifdef __cplusplus
extern "C" {
#endif
void cblas_xerbla(int place, char* name, char* format, ...);
int xerbla_(char* name, int* place, int length);
#ifdef __cplusplus
}
#endif
#endif
