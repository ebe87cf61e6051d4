/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * How ATLAS, BLIS and Apple's Accelerate name their types. */
#ifndef CBLAS_H
#define CBLAS_H
enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 };
#endif
