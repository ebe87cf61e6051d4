/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: acc_blas_fork_in_c [refuses]
 * A C program that forks after calls of Kokkos's threads. In the child every function of <acc/c.h>
 * and <acc/blas.h> computes the bits of its parent; with `refuses` (Kokkos has a GPU or threads
 * that no fork can do without) those with a status fail, and the others end the process. A child
 * that waits for threads for ever is ended by an alarm. Exits with 0 if all is as it should be. */
#define _POSIX_C_SOURCE 200809L
#include <acc/blas.h>
#include <acc/c.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { length = 60000, m = 150, n = 170, k = 130, large = 700 };

/* In double and float the same numbers, of 10 binades and either sign; their absolute values. */
static double d_x[large * large], d_abs[large * large], d_c[large * large];
static float s_x[large * large], s_abs[large * large], s_c[large * large];

static void make_numbers(void) {
  unsigned long state = 1;
  int i;
  for (i = 0; i < large * large; ++i) {
    state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
    s_x[i] = (float)((double)state / 1e9 - 1) * (float)(1 << (state >> 8) % 10);
    s_abs[i] = s_x[i] < 0 ? -s_x[i] : s_x[i];
    d_x[i] = s_x[i] + 1e-9 * (double)(state >> 16);
    d_abs[i] = d_x[i] < 0 ? -d_x[i] : d_x[i];
  }
}

/* FNV-1a of all results' bytes so far, and how many calls failed. */
struct digest {
  unsigned long long hash;
  int failures;
};

static void add(struct digest* digest, int status, const void* result, size_t size) {
  const unsigned char* bytes = result;
  size_t i;
  digest->failures += status != ACC_SUCCESS;
  for (i = 0; i < size; ++i) digest->hash = (digest->hash ^ bytes[i]) * 0x100000001b3ull;
}

#define VECTORS(type, T, x) \
  static const T *const type##_v = (const T*)x, *const type##_w = type##_v + 7;
VECTORS(s, float, s_x)
VECTORS(d, double, d_x)
VECTORS(c, acc_complex_float, s_x)
VECTORS(z, acc_complex_double, d_x)

/* C is filled before, so that one that stays as it was does not pass for a result. */
#define PRODUCTS(type, T, name)                                                                    \
  {                                                                                                \
    const int rows = m, columns = n, depth = k;                                                    \
    const T one = 1, zero = 0;                                                                     \
    const T* const x = #name[0] == 'n' ? type##_abs : type##_x;                                    \
    memset(type##_c, fill, sizeof type##_c);                                                       \
    type##name##_("N", "T", &rows, &columns, &depth, &one, x, &rows, x + 5, &columns, &zero,       \
                  type##_c, &rows);                                                                \
    add(&digest, ACC_SUCCESS, type##_c, sizeof(T) * m * n);                                        \
    memset(type##_c, fill, sizeof type##_c);                                                       \
    cblas_##type##name(AccRowMajor, AccTrans, AccNoTrans, m, n, k, 3, x, m, x + 5, n, 0, type##_c, \
                       n);                                                                         \
    add(&digest, ACC_SUCCESS, type##_c, sizeof(T) * m * n);                                        \
  }

#define SUMS(type, T, R, method)                                             \
  {                                                                          \
    T r = 0;                                                                 \
    R q = 0;                                                                 \
    const int64_t count = length;                                            \
    int status = acc_##type##sum_##method(count, type##_v, 1, &r);           \
    add(&digest, status, &r, sizeof r);                                      \
    status = acc_##type##asum_##method(count, type##_v, -2, &q);             \
    add(&digest, status, &q, sizeof q);                                      \
    status = acc_##type##nrm2_##method(count, type##_v, 1, &q);              \
    add(&digest, status, &q, sizeof q);                                      \
    status = acc_##type##dot_##method(count, type##_v, 1, type##_w, 1, &r);  \
    add(&digest, status, &r, sizeof r);                                      \
    status = acc_##type##dotu_##method(count, type##_v, 1, type##_w, 2, &r); \
    add(&digest, status, &r, sizeof r);                                      \
  }

/* All functions once. */
static struct digest of_all(int fill) {
  struct digest digest = {0xcbf29ce484222325ull, 0};
  ACC_EACH_TYPE_AND_METHOD(SUMS)
  PRODUCTS(s, float, agemm)
  PRODUCTS(d, double, agemm)
  PRODUCTS(s, float, ngemm)
  PRODUCTS(d, double, ngemm)
  return digest;
}

/* Products that need more memory than those before. */
static struct digest of_large(int fill) {
  struct digest digest = {0xcbf29ce484222325ull, 0};
  memset(d_c, fill, sizeof d_c);
  cblas_dagemm(AccColMajor, AccNoTrans, AccNoTrans, large, large, large, 1, d_x, large, d_x, large,
               0, d_c, large);
  add(&digest, ACC_SUCCESS, d_c, sizeof d_c);
  memset(d_c, fill, sizeof d_c);
  cblas_dngemm(AccColMajor, AccNoTrans, AccNoTrans, large, large, large, 1, d_abs, large, d_abs,
               large, 0, d_c, large);
  add(&digest, ACC_SUCCESS, d_c, sizeof d_c);
  return digest;
}

static struct digest all, of_large_ones;

static int is_same(struct digest a, struct digest b) {
  return a.hash == b.hash && a.failures == 0 && b.failures == 0;
}

static int wrong;

static void expect(int holds, const char* what) {
  if (holds) return;
  printf("does not hold: %s\n", what);
  fflush(stdout);
  ++wrong;
}

/* The wait status of a child that exits, as programs do, with 0 if body() is true. */
static int status_of_child(int (*body)(void)) {
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    exit(body() ? 0 : 1);
  }
  return waitpid(child, &status, 0) == child ? status : -1;
}

static int computes(void) { return is_same(of_all(0x5a), all); }
static int computes_and_forks(void) {
  return is_same(of_large(0x5a), of_large_ones) && computes() && status_of_child(computes) == 0;
}

static void* forks(void* name) {
  expect(computes(), name);
  expect(status_of_child(computes) == 0, name);
  return NULL;
}

static volatile int is_over = 0;

/* Sums, one after the other, for as long as others fork. */
static void* sums(void* result) {
  while (!is_over)
    if (acc_dsum_compensated(length, d_v, 1, result) != ACC_SUCCESS) break;
  return NULL;
}

static double sum_of_all;
static int sums_once(void) {
  double sum = 0;
  return acc_dsum_compensated(length, d_v, 1, &sum) == ACC_SUCCESS && sum == sum_of_all;
}

static int fails(void) {
  double sum = 7;
  return acc_dsum_exact(length, d_x, 1, &sum) == ACC_FAILURE && sum == 7 &&
         strcmp(acc_last_error(),
                "acc_dsum_exact: Kokkos was started before the fork, and a forked process has none "
                "of its threads and GPUs") == 0;
}
static int multiplies(void) {
  double c;
  cblas_dagemm(AccRowMajor, AccNoTrans, AccNoTrans, 1, 1, 1, 1, d_x, 1, d_x, 1, 0, &c, 1);
  return 1;
}
static int multiplies_in_fortran(void) {
  const int one = 1;
  const double zero = 0;
  double c;
  dagemm_("N", "N", &one, &one, &one, d_x, d_x, &one, d_x, &one, &zero, &c, &one);
  return 1;
}

int main(int argc, char** argv) {
  const int refuses = argc > 1 && strcmp(argv[1], "refuses") == 0;
  const struct rlimit no_core = {0, 0};
  pthread_t threads[2];
  double sum[2] = {0, 0};
  int i;
  setrlimit(RLIMIT_CORE, &no_core);
  make_numbers();
  all = of_all(0xa5);
  expect(all.failures == 0 && computes(), "the parent has one result");

  if (refuses) {
    int status = status_of_child(fails);
    expect(status == 0, "a status in the child");
    status = status_of_child(multiplies);
    expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "cblas_dagemm ends the child");
    status = status_of_child(multiplies_in_fortran);
    expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "dagemm_ ends the child");
    return wrong != 0;
  }

  expect(status_of_child(computes) == 0, "the child's bits");
  of_large_ones = of_large(0xa5);
  expect(status_of_child(computes_and_forks) == 0, "the bits of a child and of its child");
  expect(computes() && is_same(of_large(0), of_large_ones), "the parent's bits beside them");

  pthread_create(&threads[0], NULL, forks, "the bits of another thread's child");
  pthread_join(threads[0], NULL);

  acc_dsum_compensated(length, d_v, 1, &sum_of_all);
  for (i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, sums, &sum[i]);
  for (i = 0; i < 50; ++i)
    expect(status_of_child(sums_once) == 0, "the bits of a child forked during calls");
  is_over = 1;
  for (i = 0; i < 2; ++i) {
    pthread_join(threads[i], NULL);
    expect(sum[i] == sum_of_all, "a sum during forks");
  }
  expect(computes(), "the parent's bits in the end");
  return wrong != 0;
}
