// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_INSTANCES_HPP
#define ACC_BACKENDS_HOST_KERNELS_INSTANCES_HPP

/// \file
/// Every host kernel that is compiled. dispatch.cpp and the kernels' sources instantiate them.

// Leaves: X(terms, method, type), for the methods that the public headers allow.
#define ACC_SUM_METHODS(X, terms, T) \
  X(terms, plain, T)                 \
  X(terms, compensated, T)           \
  X(terms, double_word, T)           \
  X(terms, fold<2>, T)               \
  X(terms, fold<3>, T)               \
  X(terms, fold<4>, T)               \
  X(terms, fold<5>, T)               \
  X(terms, fold<6>, T)               \
  X(terms, fold<7>, T)               \
  X(terms, fold<8>, T)
#define ACC_DOT_METHODS(X, terms, T) \
  ACC_SUM_METHODS(X, terms, T)       \
  X(terms, compensated_fma, T)
#define ACC_NORM_METHODS(X, terms, T) \
  X(terms, plain, T)                  \
  X(terms, compensated, T)

#define ACC_SUM_LEAVES(X)                      \
  ACC_SUM_METHODS(X, sum_terms<1>, double)     \
  ACC_SUM_METHODS(X, sum_terms<2>, double)     \
  ACC_SUM_METHODS(X, sum_terms<1>, float)      \
  ACC_SUM_METHODS(X, sum_terms<2>, float)      \
  X(sum_terms<1>, widened, float)              \
  X(sum_terms<2>, widened, float)              \
  ACC_NORM_METHODS(X, magnitude_terms, double) \
  ACC_NORM_METHODS(X, magnitude_terms, float)  \
  ACC_NORM_METHODS(X, square_terms, double)    \
  ACC_NORM_METHODS(X, square_terms, float)

#define ACC_DOT_LEAVES(X)                                  \
  ACC_DOT_METHODS(X, product_terms, double)                \
  ACC_DOT_METHODS(X, product_terms, float)                 \
  ACC_DOT_METHODS(X, complex_product_terms<true>, double)  \
  ACC_DOT_METHODS(X, complex_product_terms<true>, float)   \
  ACC_DOT_METHODS(X, complex_product_terms<false>, double) \
  ACC_DOT_METHODS(X, complex_product_terms<false>, float)  \
  X(product_terms, widened, float)                         \
  X(complex_product_terms<true>, widened, float)           \
  X(complex_product_terms<false>, widened, float)

#define ACC_CERTIFIED_LEAVES(X)                            \
  X(sum_terms<1>, certified_method, double)                \
  X(sum_terms<1>, certified_method, float)                 \
  X(sum_terms<2>, certified_method, double)                \
  X(sum_terms<2>, certified_method, float)                 \
  X(product_terms, certified_method, double)               \
  X(product_terms, certified_method, float)                \
  X(complex_product_terms<true>, certified_method, double) \
  X(complex_product_terms<true>, certified_method, float)

// Leaves of interleaved vectors.
#define ACC_INTERLEAVED_LEAVES(X)              \
  ACC_NORM_METHODS(X, sum_terms<1>, double)    \
  ACC_NORM_METHODS(X, sum_terms<1>, float)     \
  ACC_NORM_METHODS(X, magnitude_terms, double) \
  ACC_NORM_METHODS(X, magnitude_terms, float)  \
  ACC_NORM_METHODS(X, square_terms, double)    \
  ACC_NORM_METHODS(X, square_terms, float)     \
  ACC_NORM_METHODS(X, product_terms, double)   \
  ACC_NORM_METHODS(X, product_terms, float)

// Leaves of fewer numbers than two stripes.
#define ACC_FEW_LEAVES(X)                                   \
  ACC_INTERLEAVED_LEAVES(X)                                 \
  ACC_NORM_METHODS(X, sum_terms<2>, double)                 \
  ACC_NORM_METHODS(X, sum_terms<2>, float)                  \
  ACC_NORM_METHODS(X, complex_product_terms<true>, double)  \
  ACC_NORM_METHODS(X, complex_product_terms<true>, float)   \
  ACC_NORM_METHODS(X, complex_product_terms<false>, double) \
  ACC_NORM_METHODS(X, complex_product_terms<false>, float)

// Rows of CRS matrices: X(method, type, type of the columns' numbers).
#define ACC_CRS_METHODS(X, T, Index) \
  X(plain, T, Index)                 \
  X(compensated, T, Index)
#define ACC_CRS_ROWS(X)                    \
  ACC_CRS_METHODS(X, double, std::int32_t) \
  ACC_CRS_METHODS(X, double, std::int64_t) \
  ACC_CRS_METHODS(X, float, std::int32_t)  \
  ACC_CRS_METHODS(X, float, std::int64_t)

#define ACC_LEAVES(X) \
  ACC_SUM_LEAVES(X)   \
  ACC_DOT_LEAVES(X)   \
  ACC_CERTIFIED_LEAVES(X)

// Tiles of order-free sums, for exact and reproducible: X(terms, type).
#define ACC_ORDER_FREE_TERMS(X) \
  X(sum_terms<1>, double)       \
  X(sum_terms<1>, float)        \
  X(magnitude_terms, double)    \
  X(magnitude_terms, float)     \
  X(product_terms, double)      \
  X(product_terms, float)       \
  X(cross_terms, double)        \
  X(cross_terms, float)

// Matrix products. The method widened is plain in double.
#define ACC_GEMM_METHODS(X, T) \
  X(plain, T, T)               \
  X(blocked, T, T)             \
  X(selective<kahan>, T, T)    \
  X(selective<priest>, T, T)   \
  X(selective<seeded>, T, T)   \
  X(compensated, T, T)

// Microkernels: X(method, type, type again). Epilogues: X(method, type, type of C).
#define ACC_MICROKERNELS(X)  \
  ACC_GEMM_METHODS(X, float) \
  ACC_GEMM_METHODS(X, double)
// Small products, of the default method alone: X(method, type, parts of a number).
#define ACC_SMALL_GEMMS(X)        \
  X(selective<seeded>, float, 1)  \
  X(selective<seeded>, double, 1) \
  X(selective<seeded>, float, 2)  \
  X(selective<seeded>, double, 2)
#define ACC_EPILOGUES(X) \
  ACC_MICROKERNELS(X)    \
  X(plain, double, float)

// Matrix times vector: X(method, type of the matrix, type of its sums).
#define ACC_GEMVS(X)  \
  ACC_MICROKERNELS(X) \
  X(plain, float, double)

// Functions of each element by itself: X(type).
#define ACC_ELEMENTS(X) \
  X(float)              \
  X(double)

// Blocks of equations with a triangular matrix: X(type).
#define ACC_SUBSTITUTIONS(X) \
  X(float)                   \
  X(double)

// A symmetric matrix times a vector, of the default method alone: X(method, type).
#define ACC_SYMVS(X)          \
  X(selective<seeded>, float) \
  X(selective<seeded>, double)

// Prefix sums: X(type).
#define ACC_SCANS(X) \
  X(float)           \
  X(double)

// Packing of panels: X(type of the matrix, type of the panel). The pairs of gemv are the same.
#define ACC_PANELS(X) \
  X(float, float)     \
  X(double, double)   \
  X(float, double)

#endif
